"""Questions about the policy of the form: explain, frontier, compare, rehearse."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from nicegui import ui

from . import charts
from .job import Job
from .marks import marked
from .task_part import TaskPart
from .visit import Visit
from .widgets import card

__all__ = ["QuestionsPart"]


class QuestionsPart:
    """See the module."""

    def __init__(self, visit: Visit) -> None:
        self.visit, self.bench, self.form = visit, visit.bench, visit.form
        self.tasks = (
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
                chart=partial(charts.points, "frontier"),
                draw=_draw_frontier,
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

    def build(self) -> None:
        """The card: each question in a sentence, its button, its answer."""
        explain, frontier, compare, backtest = self.tasks
        with card("Questions about the policy", "questions") as self.card:
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

    def tick(self) -> None:
        """Show how far the answers are."""
        for task in self.tasks:
            task.tick()

    def _ask(self, task: str, **settings: Any) -> Job:
        limit = float(self.visit.each or 10)
        policy, persistence = self.form.policy(), self.visit.persistence
        job = self.bench.ask_policy(task, policy, persistence, time_limit=limit, **settings)
        self.visit.asked[task] = self.form.in_words
        return job

    def _ask_frontier(self) -> Job:
        return self._ask("frontier", vary=self.form.vary)


def _draw_frontier(chart: ui.echart, ended: Mapping[str, Any]) -> bool:
    drawn = ended["drawn"]
    charts.draw_points(chart, drawn, ended["columns"][0], ended["loss"])
    return any(point["value"] is not None for point in drawn)
