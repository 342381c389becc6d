"""The page: table, columns, policy, search, result, questions, audit, one under the other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from nicegui import events, ui

from ...models.errors import OptanonError
from .columns_part import ColumnsPart
from .marks import marked
from .questions_part import QuestionsPart
from .result_part import ResultPart
from .search_part import SearchPart
from .task_part import TaskPart
from .visit import Visit
from .widgets import card, complain, upload, waiting

__all__ = ["build"]

TICK = 0.3
"""Seconds between two looks at what runs."""


def build(visit: Visit, open_report: Callable[[Path], str]) -> None:
    """Lay the page out for one visitor, as it was when it was seen last.

    Parameters
    ----------
    visit : Visit
        The visitor's files and choices.
    open_report : callable
        Gives the address of a report's page.
    """
    _Page(visit, open_report)


class _Page:
    """The parts of the page, which show themselves as soon as they make sense."""

    def __init__(self, visit: Visit, open_report: Callable[[Path], str]) -> None:
        self.visit, self.bench, self.form = visit, visit.bench, visit.form
        self.result = ResultPart(visit, open_report)
        self.columns = ColumnsPart(visit)
        self.search = SearchPart(visit, self.result)
        self.questions = QuestionsPart(visit)
        ui.colors(primary="#2a6fb0", secondary="#00695c")
        with (
            ui.column()
            .classes(
                "w-full max-w-5xl mx-auto gap-4 p-4 "
                "dark:[&_.q-field]:[--q-primary:#7dd3fc] dark:[&_.q-btn--flat]:[--q-primary:#7dd3fc]"
            )
            .props("role=main")
        ):
            ui.label("optanon").classes("text-2xl font-semibold").props("role=heading aria-level=1")
            ui.label(
                "Finds the release of your table that keeps your privacy policy and loses the least. "
                "Everything happens on this computer; no data leaves it."
            ).classes("opacity-80")
            self._table_part()
            self.columns.build()
            self._policy_part()
            self.search.build()
            self.result.build()
            self.questions.build()
            self._audit_part()
        self._reveal()
        self.timer = ui.timer(TICK, self._tick)

    def _tick(self) -> None:
        for part in (self.result.reporting, self.questions, self.auditing, self.search):
            part.tick()

    def _reveal(self) -> None:
        known = bool(self.bench.columns)
        for part in (self.columns.card, self.policy_card, self.search.card, self.questions.card):
            part.visible = known

    # -- table -----------------------------------------------------------------------

    def _table_part(self) -> None:
        with card("1. The table", "table"):
            ui.label(
                "A CSV file with one row per person and a column of ids that stay the same in all releases."
            )
            chosen = upload("Choose a CSV file (up to 50 MB)", self._take_table)
            marked(chosen.props('accept=".csv,.txt,.tsv"'), "upload-table")
            self.reading = waiting("table", "reading the table")
            note = ui.label().classes("whitespace-pre-wrap").props("role=status")
            marked(note.bind_text_from(self.visit, "table_note"), "table-note")

    async def _take_table(self, event: events.UploadEventArguments) -> None:
        self.reading.visible = True
        try:
            data = await event.file.read()
            self.visit.table_note = await asyncio.to_thread(self.bench.take_table, event.file.name, data)
        except OptanonError as error:
            kept = "The table before is kept." if self.bench.columns else "Mend it, or choose another file."
            self.visit.table_note = f"Not read: {error}.\n{kept}"
            complain(str(error))
            return
        finally:
            self.reading.visible = False
            event.sender.reset()  # pyright: ignore[reportAttributeAccessIssue]
        self.columns.rows.refresh()
        self.form.suit(self.bench.counts)
        self.form.refresh(self.bench.sensitive)
        self._reveal()

    # -- policy ----------------------------------------------------------------------

    def _policy_part(self) -> None:
        with card("3. The policy", "policy") as self.policy_card:
            self.form.build()
            with marked(ui.expansion("Earlier releases").classes("w-full"), "earlier"):
                ui.label(
                    "The releases of this series are kept in a stored history. Name its file, and the new "
                    "release is made to be safe together with all earlier ones."
                )
                history = ui.input("File of the stored history").bind_value(self.bench, "history")
                history.props('hint="For example releases.db; begun if there is none"')
                marked(history.classes("w-full max-w-full md:w-96"), "history")

    # -- audit -----------------------------------------------------------------------

    def _audit_part(self) -> None:
        self.auditing = TaskPart(self.visit, "audit", "Audit", self.bench.ask_audit)
        with card("Audit a series", "audit"):
            ui.label("What somebody who holds all releases of the stored history can conclude, exactly.")
            history = ui.input("File of the stored history").bind_value(self.bench, "history")
            history.classes("w-full max-w-full md:w-96")
            self.auditing.build()
