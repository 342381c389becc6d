"""Parts that several sections of the page are made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nicegui import events, ui

from .marks import marked

__all__ = ["MOST_BYTES", "card", "complain", "scrolling", "table", "three_abreast", "upload", "waiting"]

MOST_BYTES = 50 * 2**20
"""Largest file taken."""


def card(title: str, name: str) -> ui.card:
    """A section under a heading."""
    with marked(ui.card().classes("w-full"), "part", name) as made:
        ui.label(title).classes("text-lg font-semibold").props("role=heading aria-level=2")
    return made


def upload(words: str, taken: Callable[[events.UploadEventArguments], Any]) -> ui.upload:
    """A button that asks for a file; the element behind it has parts that have no name for a reader."""
    upload = ui.upload(
        auto_upload=True,
        max_files=1,
        max_file_size=MOST_BYTES,
        on_upload=taken,
        on_rejected=lambda: complain(
            "The file is larger than 50 MB, or more than one was chosen: choose one, or use the command line."
        ),
    ).classes("hidden")
    ui.button(words, on_click=lambda: upload.run_method("pickFiles")).props("no-caps")
    return upload


def complain(message: str) -> None:
    """Say what went wrong until it is read."""
    ui.notify(
        message, type="negative", timeout=0, multi_line=True, actions=[{"label": "OK", "color": "white"}]
    )


def waiting(name: str, label: str) -> ui.linear_progress:
    """A bar for what takes longer than a second, hidden at first."""
    bar = ui.linear_progress(show_value=False).props("indeterminate")
    marked(bar.classes("w-full"), "waiting", name, label=label).visible = False
    return bar


def scrolling(label: str) -> ui.element:
    """A region that holds a table and scrolls by itself where the window is narrow, also by keys."""
    region = ui.element("div").classes(
        "w-full overflow-x-auto [&_.scroll]:!overflow-visible [&_td]:!px-2 [&_th]:!px-2"
    )
    region.props("tabindex=0 role=region").props["aria-label"] = label
    return region


def three_abreast() -> ui.element:
    """Fields beside each other, or one under the other where the window is narrow."""
    return ui.element("div").classes("grid grid-cols-1 md:grid-cols-3 gap-4 w-full")


def table(name: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> ui.table:
    """A table of text; if it is wider than high, its columns are lines where the window is narrow."""
    with scrolling(f"table: {name}") as region:
        if len(rows) < len(columns):
            region.style(f"--heads: {len(columns)}").classes(
                "max-md:[&_table]:!grid max-md:[&_table]:grid-flow-col max-md:[&_table]:justify-start "
                "max-md:[&_table]:[grid-template-rows:repeat(var(--heads),auto)] max-md:[&_thead]:contents "
                "max-md:[&_tbody]:contents max-md:[&_tr]:contents max-md:[&_th]:!h-auto "
                "max-md:[&_td]:!h-auto max-md:[&_th]:!border-b-0 max-md:[&_td]:!border-0"
            )
        made = ui.table(
            columns=[
                {"name": str(n), "label": title, "field": str(n), "align": "left"}
                for n, title in enumerate(columns)
            ],
            rows=[{str(n): "" if cell is None else cell for n, cell in enumerate(row)} for row in rows],
            pagination=0,
        )
    return marked(made.props("dense flat hide-bottom wrap-cells"), name, "table")
