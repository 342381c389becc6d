"""What the columns of a table are: their roles, how each is made coarser, what is said of missing cells."""

from __future__ import annotations

import asyncio
from functools import partial

from nicegui import events, ui

from ...models.errors import OptanonError
from .marks import marked
from .visit import Visit
from .widgets import card, complain, upload
from .workbench import KINDS, ROLES, ColumnChoice

__all__ = ["ColumnsPart"]


class ColumnsPart:
    """See the module."""

    def __init__(self, visit: Visit) -> None:
        self.visit, self.bench, self.form = visit, visit.bench, visit.form

    def build(self) -> None:
        """The card: what each column is, and what a sensitive value does from release to release."""
        with card("2. What the columns are", "columns") as self.card:
            ui.label(
                "The respondent column says who a row is about; it is never published. Quasi-identifiers are "
                "what outsiders may know about a person. Sensitive columns, one or several, are what they "
                "must not learn. The rest is left out."
            )
            self.rows()
            with ui.row().classes("items-center w-full"):
                ui.select(
                    {
                        "persistent": "never changes (a diagnosis)",
                        "transient": "may change (a cold)",
                        "both": "never changes; protect it both ways",
                    },
                    label="From release to release, a sensitive value",
                ).bind_value(self.visit, "persistence").classes("w-full max-w-full md:w-96")
            declared = ui.textarea("Missing cells and spellings").bind_value(self.bench, "declared")
            declared.props('autogrow hint="Only if a message asks for a line, such as spelling: merge"')
            marked(declared.classes("w-full"), "declared")

    @ui.refreshable_method
    def rows(self) -> None:
        """One line per column."""
        # One under the other where the window is narrow.
        with ui.element("div").classes(
            "grid grid-cols-1 md:grid-cols-[auto_auto_auto_1fr] items-center gap-x-4 gap-y-1 w-full"
        ):
            for title in ("column", "role", "how it is made coarser", ""):
                ui.label(title).classes("font-semibold max-md:hidden")
            for number, column in enumerate(self.bench.columns):
                self._column(number, column)

    def _column(self, number: int, column: ColumnChoice) -> None:
        name = column.name
        marked(ui.label(name).classes("font-semibold md:font-normal"), "column", number)
        role = ui.select(ROLES, value=column.role, on_change=self._take_role).bind_value(column, "role")
        marked(role.props("dense").classes("w-44"), "role", number, label=f"role of {name}")
        # A cell of its own, so that hiding the field leaves its place.
        with ui.element("div"):
            kinds = ui.select(KINDS, value=column.kind).bind_value(column, "kind")
            kinds.props("dense").classes("w-full md:w-72").bind_visibility_from(
                column, "role", value="quasi_identifier"
            )
            marked(kinds, "kind", number, label=f"how {name} is made coarser")
        with ui.row().classes("items-center"):
            ui.label(column.note).classes("opacity-80 text-sm")
            order = ui.input(f"order of {name}, lowest first: a, b, c").bind_value(column, "order")
            marked(order.props("dense").classes("w-72 max-w-full"), "order", number)
            order.bind_visibility_from(column, "kind", value="ordered")
            built = ui.input(f"hierarchy of {name}: {{kind: prefix, keep: [3, 1]}}")
            marked(built.props("dense").classes("w-80 max-w-full"), "built", number)
            built.bind_value(column, "built").bind_visibility_from(column, "kind", value="built")
            with ui.row() as hierarchy:
                words = f"Choose the hierarchy of {name} (CSV as ARX writes it)"
                marked(upload(words, partial(self._take_hierarchy, column)), "hierarchy", number)
            hierarchy.bind_visibility_from(column, "kind", value="taxonomy")

    async def _take_role(self) -> None:
        if (named := self.bench.sensitive) == self.form.sensitive:
            return
        await asyncio.to_thread(self.bench.count)
        if named == self.bench.sensitive:
            self.form.suit(self.bench.counts)
            self.form.refresh(named)

    async def _take_hierarchy(self, column: ColumnChoice, event: events.UploadEventArguments) -> None:
        try:
            self.bench.take_hierarchy(column, await event.file.read())
            ui.notify(f"hierarchy of {column.name} read", type="positive")
        except OptanonError as error:
            complain(str(error))
