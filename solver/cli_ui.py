"""The command that opens the local web page."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from ..models.errors import OptanonError

__all__ = ["ui"]


def ui(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 0,
    show: Annotated[bool, typer.Option("--show/--no-show", help="Open a browser.")] = True,
) -> None:
    """Open a page on this machine: choose a CSV, set a policy, solve, read the report, keep the history.

    The page answers to this machine only and to whoever holds the address that is printed; no data
    leaves the machine, and uploaded files are removed at the end. Stop it with Ctrl-C.
    """
    if find_spec("nicegui") is None:
        raise OptanonError("`optanon ui` needs NiceGUI: install it with pip install 'optanon[ui]'")
    from .web.server import free_port, serve

    console = Console(soft_wrap=True, highlight=False)
    serve(
        port or free_port(),
        show=show,
        announce=lambda address: console.print(f"open {address}\nstop with Ctrl-C", markup=False),
        base=Path.cwd(),
    )
