"""The page: table, columns, policy, search, result, audit, one under the other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from nicegui import events, ui

from ...models.errors import OptanonError
from ...models.exact_numbers import show_gap, show_number
from .marks import marked
from .policy_form import PolicyForm
from .workbench import INSIST, KINDS, ROLES, ColumnChoice, Workbench

__all__ = ["MOST_BYTES", "build"]

MOST_BYTES = 50 * 2**20
"""Largest file taken."""
TICK = 0.3
"""Seconds between two looks at a running search."""


def build(bench: Workbench, open_report: Callable[[Path], str]) -> None:
    """Lay the page out for one visitor.

    Parameters
    ----------
    bench : Workbench
        The visitor's files and choices.
    open_report : callable
        Gives the address of a report's page.
    """
    _Page(bench, open_report)


class _Page:
    """The parts of the page, which show themselves as soon as they make sense."""

    def __init__(self, bench: Workbench, open_report: Callable[[Path], str]) -> None:
        self.bench, self.open_report = bench, open_report
        self.form = PolicyForm()
        ui.colors(primary="#2a6fb0", secondary="#00695c")
        with ui.column().classes("w-full max-w-5xl mx-auto gap-4 p-4").props("role=main"):
            ui.label("optanon").classes("text-2xl font-semibold").props("role=heading aria-level=1")
            ui.label(
                "The release that loses the least among all that keep your policy. "
                "Everything happens on this machine; no data leaves it."
            ).classes("opacity-80")
            self._table_part()
            self._columns_part()
            self._policy_part()
            self._search_part()
            self._result_part()
            self._audit_part()
        self.timer = ui.timer(TICK, self._tick)

    # -- table -----------------------------------------------------------------------

    def _table_part(self) -> None:
        with _card("1. The table", "table"):
            ui.label("A CSV file, one row per person, with a column of ids that stay the same over releases.")
            upload = _upload("Choose a CSV file (up to 50 MB)", self._take_table)
            marked(upload.props('accept=".csv,.txt,.tsv"'), "upload-table")
            self.table_note = marked(ui.label(), "table-note")

    async def _take_table(self, event: events.UploadEventArguments) -> None:
        try:
            self.table_note.text = self.bench.take_table(event.file.name, await event.file.read())
        except OptanonError as error:
            self.table_note.text = ""
            _complain(str(error))
            return
        finally:
            event.sender.reset()  # pyright: ignore[reportAttributeAccessIssue]
        self._columns.refresh()
        if self.bench.counts and self.form.suit(self.bench.counts):
            self.form.refresh()
        self.columns_card.visible = self.policy_card.visible = self.search_card.visible = True

    # -- columns ---------------------------------------------------------------------

    def _columns_part(self) -> None:
        with _card("2. What the columns are", "columns") as self.columns_card:
            ui.label(
                "Quasi-identifiers are what outsiders may know of a person. The sensitive column is what "
                "they must not learn. All other columns are not published."
            )
            self._columns()
            with ui.row().classes("items-center w-full"):
                self.persistence = ui.select(
                    {
                        "persistent": "stays the same over the releases (a diagnosis)",
                        "transient": "may change between releases (a cold)",
                        "both": "stays the same, and both kinds of requirements are wanted",
                    },
                    value="persistent",
                    label="A person's sensitive value",
                ).classes("w-full max-w-full md:w-96")
            declared = ui.textarea("Missing cells and spellings, as a message asks for them: spelling: merge")
            marked(
                declared.bind_value(self.bench, "declared").classes("w-full").props("autogrow"), "declared"
            )
        self.columns_card.visible = False

    @ui.refreshable_method
    def _columns(self) -> None:
        # One under the other where the window is narrow.
        with ui.element("div").classes(
            "grid grid-cols-1 md:grid-cols-[auto_auto_auto_1fr] items-center gap-x-4 gap-y-1 w-full"
        ):
            for title in ("column", "role", "how it is generalized", ""):
                ui.label(title).classes("font-semibold max-md:hidden")
            for number, column in enumerate(self.bench.columns):
                self._column(number, column)

    def _column(self, number: int, column: ColumnChoice) -> None:
        marked(ui.label(column.name).classes("font-semibold md:font-normal"), "column", number)
        role = ui.select(ROLES, value=column.role).bind_value(column, "role")
        marked(role.props("dense").classes("w-44"), "role", number, label=f"role of {column.name}")
        # A cell of its own, so that hiding the field leaves its place.
        with ui.element("div"):
            kinds = ui.select(KINDS, value=column.kind).bind_value(column, "kind")
            kinds.props("dense").classes("w-full md:w-72").bind_visibility_from(
                column, "role", value="quasi_identifier"
            )
            marked(kinds, "kind", number, label=f"how {column.name} is generalized")
        with ui.row().classes("items-center"):
            ui.label(column.note).classes("opacity-80 text-sm")
            order = ui.input("order, lowest first: a, b, c").bind_value(column, "order")
            marked(order.props("dense"), "order", number)
            order.bind_visibility_from(column, "kind", value="ordered")
            built = ui.input("{kind: prefix, keep: [3, 1]}").bind_value(column, "built")
            marked(built.props("dense").classes("w-80"), "built", number)
            built.bind_visibility_from(column, "kind", value="built")
            with ui.row() as hierarchy:
                given = _upload(
                    "Choose its hierarchy (CSV as ARX writes it)", partial(self._take_hierarchy, column)
                )
                marked(given, "hierarchy", number)
            hierarchy.bind_visibility_from(column, "kind", value="taxonomy")

    async def _take_hierarchy(self, column: ColumnChoice, event: events.UploadEventArguments) -> None:
        try:
            self.bench.take_hierarchy(column, await event.file.read())
            ui.notify(f"hierarchy of {column.name} read", type="positive")
        except OptanonError as error:
            _complain(str(error))

    # -- policy ----------------------------------------------------------------------

    def _policy_part(self) -> None:
        with _card("3. The policy", "policy") as self.policy_card:
            self.form.build()
            with ui.expansion("Earlier releases").classes("w-full"):
                ui.label(
                    "The stored history of this series (made by `optanon history` or below); the new "
                    "release is then safe together with all earlier ones."
                )
                history = ui.input("File of the stored history, e.g. releases.db")
                history.bind_value(self.bench, "history").classes("w-full max-w-full md:w-96")
                marked(history, "history")
        self.policy_card.visible = False

    # -- search ----------------------------------------------------------------------

    def _search_part(self) -> None:
        with _card("4. Search", "search") as self.search_card:
            with ui.row().classes("items-center"):
                self.limit = ui.number(
                    "Time limit in seconds", value=60, min=1, max=86_400, precision=0
                ).classes("w-48")
                self.seed = ui.number("Seed", value=0, min=0, max=2**31 - 1, precision=0)
                self.start = marked(ui.button("Solve", on_click=self._solve), "solve")
                self.stop = marked(ui.button("Stop early", on_click=self._stop, color="secondary"), "stop")
                self.stop.visible = False
            self.state = marked(ui.label().classes("whitespace-pre-wrap"), "state")
            self.levels = ui.table(
                columns=[
                    {"name": key, "label": label, "field": key, "align": "left"}
                    for key, label in (
                        ("loss", "loss"),
                        ("value", "best release"),
                        ("bound", "proven bound"),
                        ("gap", "gap"),
                    )
                ],
                rows=[],
                row_key="loss",
            ).props("dense flat")
            self.levels.visible = False
            self.chart = ui.echart(_empty_chart()).classes("w-full h-64")
            self.chart.visible = False
        self.search_card.visible = False

    def _solve(self) -> None:
        try:
            self.bench.write_problem(self.form.policy(), str(self.persistence.value))
            self.bench.start(time_limit=float(self.limit.value or 60), seed=int(self.seed.value or 0))
        except OptanonError as error:
            _complain(str(error))
            return
        self.start.visible, self.stop.visible = False, True
        self.levels.visible = self.chart.visible = True
        self.result_card.visible = False
        self.state.text = "searching ..."

    def _stop(self) -> None:
        self.state.text = "stopping; the best release so far is kept ..."
        self.bench.stop()

    def _tick(self) -> None:
        job = self.bench.job
        if job is None or not self.stop.visible:
            return
        latest = {point["loss"]: point for point in job.points}
        self.levels.rows = [_row(point) for point in latest.values()]
        self._draw(job.points)
        if not job.running:
            self._ended(job.ended or {})

    def _draw(self, points: list[dict[str, Any]]) -> None:
        if not points:
            return
        last = points[-1]["loss"]
        shown = [point for point in points if point["loss"] == last]
        for series, key in enumerate(("value", "bound")):
            self.chart.options["series"][series]["data"] = [
                [point["seconds"], float(Fraction(point[key]))] for point in shown if point[key] is not None
            ]
        self.chart.options["yAxis"]["name"] = last.replace("_", " ")
        self.chart.update()

    def _ended(self, event: dict[str, Any]) -> None:
        self.start.visible, self.stop.visible = True, False
        if event["event"] == "error":
            self.state.text = event["message"]
            _complain(event["message"])
            return
        self.state.text = (
            f"{event['status']} ({event['termination']}, {event['engine']}, {event['seconds']} s)"
        )
        if event["unchecked"]:
            self.state.text = f"{event['unchecked']}\n{self.state.text}"
        if event["reason"]:
            self.state.text += f": {event['reason']}"
        if event["files"]:
            self._result.refresh()
            self.result_card.visible = True

    # -- result ----------------------------------------------------------------------

    def _result_part(self) -> None:
        with _card("5. The result", "result") as self.result_card:
            self._result()
        self.result_card.visible = False

    @ui.refreshable_method
    def _result(self) -> None:
        bench = self.bench
        if (
            bench.job is None
            or bench.job.running
            or bench.job.ended is None
            or not bench.job.ended.get("files")
        ):
            return
        columns = [
            {"name": key, "label": key, "field": key, "align": "left", "classes": "whitespace-normal"}
            for key in ("what", "told")
        ]
        rows = [{"what": what, "told": told} for what, told in bench.job.ended["summary"]]
        marked(ui.table(columns=columns, rows=rows).props("dense flat hide-header"), "summary")
        with ui.row().classes("items-center"):
            marked(ui.button("Read the report", on_click=self._report), "report")
            for path in bench.results():
                public = ".release." in path.name
                file = ui.button(
                    f"{path.name} ({'for publication' if public else 'keep'})",
                    on_click=partial(ui.download.file, path),
                    color="primary" if public else "secondary",
                )
                marked(file.props("no-caps"), "file", path.name)
        with ui.row().classes("items-center"):
            append = ui.button("Append to the history", on_click=self._append, color="secondary")
            self.append = marked(append, "append")
            self.insist = marked(ui.checkbox(INSIST), "insist")
            self.appended = marked(ui.label(), "appended")

    def _report(self) -> None:
        ui.navigate.to(self.open_report(self.bench.report()), new_tab=True)

    async def _append(self) -> None:
        self.append.disable()
        self.appended.text = "auditing the series with this release ..."
        try:
            self.appended.text = await asyncio.to_thread(self.bench.append, insist=bool(self.insist.value))
        except OptanonError as error:
            self.appended.text = ""
            _complain(str(error))
        finally:
            self.append.enable()

    # -- audit -----------------------------------------------------------------------

    def _audit_part(self) -> None:
        with _card("Audit a series", "audit"):
            ui.label("What someone who holds all releases of the stored history can conclude, exactly.")
            with ui.row().classes("items-center"):
                ui.input("File of the stored history").bind_value(self.bench, "history").classes(
                    "w-full md:w-96"
                )
                marked(ui.button("Audit", on_click=self._run_audit), "audit")
            self._audit()

    async def _run_audit(self) -> None:
        try:
            await self.bench.run_audit()
        except OptanonError as error:
            _complain(str(error))
            return
        self._audit.refresh()

    @ui.refreshable_method
    def _audit(self) -> None:
        rows = self.bench.audited
        if not rows:
            return
        columns = [{"name": key, "label": key, "field": key, "align": "left"} for key in rows[0]]
        marked(ui.table(columns=columns, rows=rows).props("dense flat"), "audit-table")
        for number, text in enumerate(self.bench.audit_texts):
            marked(ui.label(text).classes("whitespace-pre-wrap text-sm"), "audit-text", number)


def _card(title: str, name: str) -> ui.card:
    with marked(ui.card().classes("w-full"), "part", name) as card:
        ui.label(title).classes("text-lg font-semibold").props("role=heading aria-level=2")
    return card


def _upload(words: str, taken: Callable[[events.UploadEventArguments], Any]) -> ui.upload:
    """A button that asks for a file; the element behind it has parts that have no name for a reader."""
    upload = ui.upload(
        auto_upload=True,
        max_files=1,
        max_file_size=MOST_BYTES,
        on_upload=taken,
        on_rejected=lambda: _complain("The file is larger than 50 MB, or more than one was chosen."),
    ).classes("hidden")
    ui.button(words, on_click=lambda: upload.run_method("pickFiles")).props("no-caps")
    return upload


def _complain(message: str) -> None:
    ui.notify(message, type="negative", timeout=0, close_button="OK", multi_line=True)


def _row(point: dict[str, Any]) -> dict[str, str]:
    value, bound = (None if point[key] is None else Fraction(point[key]) for key in ("value", "bound"))
    return {
        "loss": point["loss"].replace("_", " "),
        "value": show_number(value),
        "bound": show_number(bound),
        "gap": show_gap(value, bound),
    }


def _empty_chart() -> dict[str, Any]:
    return {
        "animation": False,
        "legend": {"data": ["best release", "proven bound"]},
        "xAxis": {"type": "value", "name": "s"},
        "yAxis": {"type": "value", "scale": True, "name": ""},
        "series": [
            {"name": name, "type": "line", "step": "end", "symbolSize": 4, "color": colour, "data": []}
            for name, colour in (("best release", "#c8621b"), ("proven bound", "#2a6fb0"))
        ],
    }
