"""Pictures in files: asked for by a known ending, written whole, and the same each time."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import InputError, OptanonError
from .files import write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["check_picture", "write_picture"]

FORMATS = (".png", ".svg", ".pdf")


def check_picture(path: str | Path) -> Path:
    """Make sure that a picture can be written, before time is spent on what it shows.

    Raises
    ------
    OptanonError
        If the ending is unknown, the folder does not exist or matplotlib is missing.
    """
    target = Path(path)
    if target.suffix.lower() not in FORMATS:
        raise InputError(f"{target}: a plot is a file ending in {', '.join(FORMATS)}: rename it")
    if not target.parent.is_dir():
        raise InputError(f"{target}: there is no folder {target.parent}: create it or name another")
    if find_spec("matplotlib") is None:
        raise OptanonError("plots need matplotlib, which is not installed: pip install matplotlib")
    return target


def write_picture(figure: Figure, target: Path) -> None:
    """Write a figure into a file that passed `check_picture`, whole or not at all."""
    from matplotlib import rc_context  # loads what draws

    ending = target.suffix.lower().removeprefix(".")
    # Without a date the same figure gives the same file.
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(ending, {})
    with rc_context({"svg.hashsalt": "optanon"}):
        write_whole(target, lambda draft: figure.savefig(draft, format=ending, metadata=metadata))
