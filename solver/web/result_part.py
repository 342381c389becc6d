"""What came out of a search: its summary and plots first, then the report, the files, the history."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from nicegui import ui

from ...models.errors import OptanonError
from . import charts
from .marks import marked
from .task_part import TaskPart
from .visit import Visit
from .widgets import card, complain, scrolling, waiting
from .workbench import INSIST

__all__ = ["ResultPart"]


class ResultPart:
    """The section; hidden until there is a release.

    Parameters
    ----------
    visit : Visit
    open_report : callable
        Gives the address of a report's page.
    """

    def __init__(self, visit: Visit, open_report: Callable[[Path], str]) -> None:
        self.visit, self.open_report = visit, open_report
        self.reporting = TaskPart(
            visit, "report", "Read the report", visit.bench.ask_report, done=self._open_report
        )

    def build(self) -> None:
        """Draw the section into the current part of the page."""
        with card("5. The result", "result") as self.card:
            self._summary()
            with ui.element("div").classes("grid grid-cols-1 md:grid-cols-2 gap-4 w-full"):
                lost = "% of its information lost"
                self.lost = self._chart("What each column lost", "lost", lost, across=True)
                self.sizes = self._chart("How large the groups are", "sizes", "rows in a group", across=False)
            self._files()
            self.reporting.build()
            with ui.row().classes("items-center"):
                append = ui.button("Append to the history", on_click=self._append, color="secondary")
                self.append = marked(append.props("no-caps"), "append")
                self.insist = marked(ui.checkbox(INSIST), "insist")
            self.bar = waiting("append", "auditing the series before the release joins it")
            appended = ui.label().classes("whitespace-pre-wrap").props("role=status")
            marked(appended.bind_text_from(self.visit, "appended"), "appended")
        self.show()

    def show(self) -> None:
        """Show the section if there is a release."""
        plots = self._plots
        self.card.visible = bool(plots)  # a result file is written of no release, too
        self._summary.refresh()
        self._files.refresh()
        if plots:
            told = ", ".join(f"{name} {share} %" for name, share in plots["lost"])
            charts.draw_bars(self.lost, plots["lost"], f"lost by column: {told}")
            charts.draw_bars(self.sizes, plots["sizes"], "how many groups have how many rows")

    def hide(self) -> None:
        """A new search begins."""
        self.card.visible = False
        self.visit.appended = ""

    @property
    def _ended(self) -> Mapping[str, Any]:
        job = self.visit.bench.job
        return {} if job is None or job.ended is None else job.ended

    @property
    def _plots(self) -> Mapping[str, Any]:
        return self._ended.get("plots") or {}

    @staticmethod
    def _chart(title: str, name: str, axis: str, *, across: bool) -> ui.echart:
        with ui.element("div").classes("min-w-0"):
            ui.label(title).classes("font-semibold").props("role=heading aria-level=3")
            return charts.bars(name, axis, across=across)

    @ui.refreshable_method
    def _summary(self) -> None:
        if not self._plots:
            return
        columns = [
            {"name": key, "label": key, "field": key, "align": "left", "classes": "whitespace-normal"}
            for key in ("what", "told")
        ]
        rows = [{"what": what, "told": told} for what, told in self._ended["summary"]]
        with scrolling("summary"):
            made = ui.table(columns=columns, rows=rows, pagination=0)
            marked(made.props("dense flat hide-header hide-bottom"), "summary")

    @ui.refreshable_method
    def _files(self) -> None:
        if not self._plots:
            return
        with ui.row().classes("items-center"):
            for path in self.visit.bench.results():
                public = ".release." in path.name
                file = ui.button(
                    f"{path.name} ({'for publication' if public else 'keep'})",
                    on_click=partial(ui.download.file, path),
                    color="primary" if public else "secondary",
                )
                marked(file.props("no-caps"), "file", path.name)

    def _open_report(self) -> None:
        ui.navigate.to(self.open_report(self.visit.bench.report), new_tab=True)

    async def _append(self) -> None:
        self.append.disable()
        self.bar.visible = True
        self.visit.appended = "Auditing the series with this release ..."
        try:
            insist = bool(self.insist.value)
            self.visit.appended = await asyncio.to_thread(self.visit.bench.append, insist=insist)
        except OptanonError as error:
            self.visit.appended = ""
            complain(str(error))
        finally:
            self.bar.visible = False
            self.append.enable()
