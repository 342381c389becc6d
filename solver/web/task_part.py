"""A question of the page that takes a while: its button, how far it is, how to stop it, its answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from nicegui import ui

from ...models.errors import OptanonError
from .job import Job
from .marks import marked
from .visit import Visit
from .widgets import complain, table, waiting

__all__ = ["TaskPart"]


class TaskPart:
    """See the module.

    Parameters
    ----------
    visit : Visit
    name : str
        Of the task (see `tasks`), and of its parts for tests.
    words : str
        On the button.
    begin : callable
        Starts it.
    chart : callable, optional
        Lays out the answer's chart, which is hidden until there is something to draw.
    draw : callable, optional
        Fills it from the end of the task; gives whether there is something to draw.
    done : callable, optional
        Called once when an answer comes while somebody waits for it.
    """

    def __init__(
        self,
        visit: Visit,
        name: str,
        words: str,
        begin: Callable[[], Job],
        *,
        chart: Callable[[], ui.echart] | None = None,
        draw: Callable[[ui.echart, Mapping[str, Any]], bool] | None = None,
        done: Callable[[], object] | None = None,
    ) -> None:
        self.visit, self.name, self.words, self.begin = visit, name, words, begin
        self.chart, self.draw, self.done = chart, draw, done
        self.shown: Job | None = None

    def build(self) -> None:
        """Button, progress and answer, one under the other."""
        with ui.row().classes("items-center"):
            self.start = marked(ui.button(self.words, on_click=self._begin).props("no-caps"), self.name)
            self.stop = ui.button("Stop", on_click=self._stop, color="secondary").props("no-caps")
            marked(self.stop, "stop", self.name, label=f"stop: {self.words}").visible = False
        self.bar = waiting(self.name, self.words)
        self.state = marked(ui.label().classes("whitespace-pre-wrap"), self.name, "state").props(
            "role=status"
        )
        self.drawn = None if self.chart is None else self.chart()
        self._answer()
        job = self._job
        if job is not None and not job.running:
            self._say_end(job)

    @property
    def _job(self) -> Job | None:
        return self.visit.bench.tasks.get(self.name)

    async def _begin(self) -> None:
        self.start.disable()
        self.bar.visible = True
        try:
            await asyncio.to_thread(self.begin)
        except OptanonError as error:
            self.bar.visible = False
            self.start.enable()
            complain(str(error))
            return
        self.tick()

    def _stop(self) -> None:
        if self._job is not None:
            self._job.stop()

    def tick(self) -> None:
        """Show how far it is, or what came out."""
        job = self._job
        if job is None or job is self.shown:
            return
        self.start.set_enabled(not job.running)
        self.bar.visible = self.stop.visible = job.running
        if job.running:
            told = f"; {job.progress}" if job.progress else ""
            self.state.text = f"{job.seconds:.0f} s{told}"
            return
        self._say_end(job)
        if (job.ended or {})["event"] == "error":
            complain(self.state.text)
        elif self.done is not None:
            self.done()
        self._answer.refresh()

    def _say_end(self, job: Job) -> None:
        self.shown = job
        ended = job.ended or {}
        self.state.text = self.visit.bench.plain(ended["message"]) if ended["event"] == "error" else ""

    @ui.refreshable_method
    def _answer(self) -> None:
        job = self._job
        ended = {} if job is None or job.ended is None else job.ended
        if ended.get("event", "error") != "error" and (about := self.visit.asked.get(self.name)):
            words = ui.label(f"Asked of the policy {about}:").classes("text-sm opacity-80")
            marked(words, self.name, "asked")
        if self.drawn is not None and self.draw is not None:
            self.drawn.visible = ended.get("event") == "done" and self.draw(self.drawn, ended)
        if ended.get("rows"):
            table(self.name, ended["columns"], ended["rows"])
        for number, text in enumerate(ended.get("texts", ())):
            marked(ui.label(text).classes("whitespace-pre-wrap text-sm"), self.name, "text", number)
