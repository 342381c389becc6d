"""The page: table, columns, policy, search, result, questions, audit, one under the other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from nicegui import events, ui

from ...models.errors import OptanonError
from ...models.exact_numbers import show_gap, show_number
from . import charts
from .job import Job
from .marks import marked
from .result_part import ResultPart
from .task_part import TaskPart
from .visit import Visit
from .widgets import card, complain, scrolling, upload, waiting
from .workbench import KINDS, ROLES, ColumnChoice

__all__ = ["build"]

TICK = 0.3
"""Seconds between two looks at what runs."""
ENDED = {
    "OPTIMAL": "Proven optimal: no release that keeps this policy loses less.",
    "FEASIBLE": "This release keeps the policy. Whether a better one exists is not known; the bound says how "
    "much better it could be at most.",
    "INFEASIBLE": "No release keeps this policy: 'Explain the policy' below says which parts conflict, and "
    "which policies come nearest.",
    "UNKNOWN": "No release was found in time: give the search more time, or let 'Explain the policy' below "
    "say what the policy costs.",
}
"""What came out of a search, and what to do next."""


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
        self.shown: Job | None = None
        self.drawn: tuple[Job | None, int] = None, 0
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
            self._columns_part()
            self._policy_part()
            self._search_part()
            self.result.build()
            self._questions_part()
            self._audit_part()
        self._reveal()
        self.timer = ui.timer(TICK, self._tick)

    def _reveal(self) -> None:
        known = bool(self.bench.columns)
        for part in (self.columns_card, self.policy_card, self.search_card, self.questions_card):
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
        self._columns.refresh()
        self.form.suit(self.bench.counts)
        self.form.refresh(self.bench.sensitive)
        self._reveal()

    # -- columns ---------------------------------------------------------------------

    def _columns_part(self) -> None:
        with card("2. What the columns are", "columns") as self.columns_card:
            ui.label(
                "The respondent column says who a row is about; it is never published. Quasi-identifiers are "
                "what outsiders may know about a person. Sensitive columns, one or several, are what they "
                "must not learn. The rest is left out."
            )
            self._columns()
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
    def _columns(self) -> None:
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

    # -- search ----------------------------------------------------------------------

    def _search_part(self) -> None:
        with card("4. Search", "search") as self.search_card:
            with ui.row().classes("items-center"):
                limit = ui.number("Time limit in seconds", min=1, max=86_400, precision=0)
                marked(limit.bind_value(self.visit, "time_limit").classes("w-48"), "time-limit")
                seed = ui.number("Seed (same seed, same release)", min=0, max=2**31 - 1, precision=0)
                seed.bind_value(self.visit, "seed").classes("w-56")
                self.start = marked(ui.button("Solve", on_click=self._solve).props("no-caps"), "solve")
                stop = ui.button("Stop early", on_click=self._stop, color="secondary").props("no-caps")
                self.stop = marked(stop, "stop")
                self.stop.visible = False
            self.bar = waiting("search", "searching")
            self.state = marked(ui.label().classes("whitespace-pre-wrap"), "state").props("role=status")
            with scrolling("losses and bounds"):
                self.levels = ui.table(
                    columns=[
                        {"name": key, "label": label, "field": key, "align": "left"}
                        for key, label in (
                            ("loss", "loss"),
                            ("value", charts.BEST),
                            ("bound", charts.BOUND),
                            ("gap", "gap"),
                        )
                    ],
                    rows=[],
                    row_key="loss",
                ).props("dense flat hide-bottom wrap-cells")
            self.chart = charts.course()
            self.levels.visible = self.chart.visible = False
        job = self.bench.job
        if job is not None and not job.running:
            self._draw(job)
            self._say_end(job)

    async def _solve(self) -> None:
        self.start.disable()
        self.bar.visible = True
        self.state.text = "Reading table and policy ..."
        try:
            policy = self.form.policy()
            await asyncio.to_thread(self.bench.write_problem, policy, self.visit.persistence)
            self.bench.start(time_limit=float(self.visit.time_limit or 60), seed=int(self.visit.seed or 0))
        except OptanonError as error:
            self.bar.visible = False
            self.state.text = ""
            complain(str(error))
            return
        finally:
            self.start.enable()
        self.shown = None
        self.levels.visible = self.chart.visible = False
        self.result.hide()
        self._tick()

    def _stop(self) -> None:
        self.stop.disable()
        self.bench.stop()

    def _tick(self) -> None:
        for part in (self.result.reporting, *self.questions, self.auditing):
            part.tick()
        job = self.bench.job
        if job is None or job is self.shown:
            return
        self.start.visible, self.stop.visible = not job.running, job.running
        self.bar.visible = job.running
        self._draw(job)
        if job.running:
            early = "" if self.stop.enabled else "; stopping, the best release so far is kept"
            limit = float(self.visit.time_limit or 60)
            found = "" if job.points else "; no release yet"
            self.state.text = f"Searching: {job.seconds:.0f} s of at most {limit:.0f} s{found}{early}"
            return
        self.stop.enable()
        self._say_end(job)
        if (job.ended or {})["event"] == "error":
            complain(self.state.text)
        self.result.show()

    def _draw(self, job: Job) -> None:
        if self.drawn == (job, len(job.points)):
            return
        self.drawn = job, len(job.points)
        self.levels.visible = self.chart.visible = bool(job.points)
        latest = {point["loss"]: point for point in sorted(job.points, key=lambda each: each["level"])}
        self.levels.rows = [_row(point) for point in latest.values()]
        charts.draw_course(self.chart, job.points)

    def _say_end(self, job: Job) -> None:
        self.shown = job
        event = job.ended or {}
        if event["event"] == "error":
            self.state.text = self.bench.plain(event["message"])
            return
        ended = f"{event['status']} ({event['termination']}, {event['engine']}, {event['seconds']} s)"
        lines = [f"{event['unchecked']}."] if event["unchecked"] else []
        lines += [ENDED[event["status"]], f"{ended}: {event['reason']}" if event["reason"] else ended]
        if event["status"] == "FEASIBLE" and event["termination"] == "time limit":
            lines.append("The search ended at its time limit: a longer one may find a better release.")
        self.state.text = "\n".join(lines)

    # -- questions -------------------------------------------------------------------

    def _questions_part(self) -> None:
        self.questions = (
            TaskPart(
                self.visit,
                "explain",
                "Explain the policy",
                partial(self._ask, "explain"),
            ),
            TaskPart(
                self.visit,
                "frontier",
                "Draw the frontier",
                self._ask_frontier,
                draw=self._draw_frontier,
            ),
            TaskPart(
                self.visit,
                "compare",
                "Compare with heuristics",
                partial(self._ask, "compare"),
            ),
            TaskPart(
                self.visit,
                "backtest",
                "Rehearse the series",
                partial(self._ask, "backtest"),
            ),
        )
        explain, frontier, compare, backtest = self.questions
        with card("Questions about the policy", "questions") as self.questions_card:
            ui.label("They are about the policy as it stands in the form above. Nothing is stored.")
            each = ui.number("Seconds for each search of a question", min=1, max=86_400, precision=0)
            marked(each.bind_value(self.visit, "each").classes("w-full max-w-full md:w-96"), "each")
            ui.label(
                "Explain: which parts of the policy conflict, and which policies come nearest. If it can be "
                "kept: what each part of it costs."
            )
            explain.build()
            ui.separator()
            ui.label("Frontier: how much is lost with the best release for each value of a parameter.")
            vary = ui.input("Parameter and its values").bind_value(self.form, "vary")
            vary.props('hint="Such as m=2..4, or k=3,5,10, or c=1/2,2/3"')
            marked(vary.classes("w-full max-w-full md:w-96"), "vary")
            frontier.build()
            ui.separator()
            ui.label("Compare: published heuristics beside the best release, and what they break.")
            compare.build()
            ui.separator()
            ui.label(
                "Rehearse: the stored releases and this table are published once more, in several ways, and "
                "invented rows, loss and risk are compared. Without a history, series are drawn from the "
                "table: a tenth of the people leaves each time, and as many come."
            )
            backtest.build()

    def _ask(self, task: str, **settings: Any) -> Job:
        limit = float(self.visit.each or 10)
        policy, persistence = self.form.policy(), self.visit.persistence
        job = self.bench.ask_policy(task, policy, persistence, time_limit=limit, **settings)
        self.visit.asked[task] = self.form.in_words
        return job

    def _ask_frontier(self) -> Job:
        return self._ask("frontier", vary=self.form.vary)

    def _draw_frontier(self, ended: Mapping[str, Any]) -> None:
        if any(point["value"] is not None for point in ended["drawn"]):
            charts.points("frontier", ended["drawn"], ended["columns"][0], ended["loss"])

    # -- audit -----------------------------------------------------------------------

    def _audit_part(self) -> None:
        self.auditing = TaskPart(self.visit, "audit", "Audit", self.bench.ask_audit)
        with card("Audit a series", "audit"):
            ui.label("What somebody who holds all releases of the stored history can conclude, exactly.")
            history = ui.input("File of the stored history").bind_value(self.bench, "history")
            history.classes("w-full max-w-full md:w-96")
            self.auditing.build()


def _row(point: dict[str, Any]) -> dict[str, str]:
    value, bound = (None if point[key] is None else Fraction(point[key]) for key in ("value", "bound"))
    return {
        "loss": point["loss"].replace("_", " "),
        "value": show_number(value),
        "bound": show_number(bound),
        "gap": show_gap(value, bound),
    }
