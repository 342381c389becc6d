"""The search: its limit, how far it is, how to stop it, how it ended."""

from __future__ import annotations

import asyncio
from fractions import Fraction
from typing import Any

from nicegui import ui

from ...models.errors import OptanonError
from ...models.exact_numbers import show_gap, show_number
from ..advice import of_limit
from . import charts
from .job import Job
from .marks import marked
from .result_part import ResultPart
from .visit import Visit
from .widgets import card, complain, scrolling, waiting

__all__ = ["SearchPart"]

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


class SearchPart:
    """See the module.

    Parameters
    ----------
    visit : Visit
    result : ResultPart
        Shows what came out.
    """

    def __init__(self, visit: Visit, result: ResultPart) -> None:
        self.visit, self.bench, self.form, self.result = visit, visit.bench, visit.form, result
        self.shown: Job | None = None
        self.drawn: tuple[Job | None, int] = None, 0

    def build(self) -> None:
        """The card: limit and seed, how far the search is, how it ended."""
        with card("4. Search", "search") as self.card:
            with ui.row().classes("items-center"):
                limit = ui.number("Time limit in seconds", min=1, max=86_400, precision=0)
                marked(limit.bind_value(self.visit, "time_limit").classes("w-48"), "time-limit")
                seed = ui.number("Seed (same seed, same release)", min=0, max=1_000_000_000, precision=0)
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
        self.levels.visible = self.chart.visible = False
        self.result.hide()
        self.tick()

    def _stop(self) -> None:
        self.stop.disable()
        self.bench.stop()

    def tick(self) -> None:
        """Show how far the search is, or what came out."""
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
        told = of_limit(event["termination"], float(self.visit.time_limit or 60))
        if event["status"] == "FEASIBLE" and told:
            lines.append(f"{told[0].upper()}{told[1:]}.")
        self.state.text = "\n".join(lines)


def _row(point: dict[str, Any]) -> dict[str, str]:
    value, bound = (None if point[key] is None else Fraction(point[key]) for key in ("value", "bound"))
    return {
        "loss": point["loss"].replace("_", " "),
        "value": show_number(value),
        "bound": show_number(bound),
        "gap": show_gap(value, bound),
    }
