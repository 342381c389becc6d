"""The command that opens the local web page."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from ...models.errors import OptanonError
from ..display import soft_console
from .commands.table import UiCommand

__all__ = ["ui"]


def ui(asked: UiCommand) -> None:
    """Serve the page until somebody stops it."""
    if find_spec("nicegui") is None:
        raise OptanonError("`optanon ui` needs NiceGUI: install it with pip install 'optanon[ui]'")
    from ..web.server import free_port, serve

    console = soft_console()
    serve(
        asked.port or free_port(),
        show=asked.show,
        announce=lambda address: console.print(f"open {address}\nstop with Ctrl-C", markup=False),
        base=Path.cwd(),
    )
