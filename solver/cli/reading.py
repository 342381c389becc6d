"""How commands tell what they read, so that a wrong guess is seen."""

from __future__ import annotations

from collections.abc import Callable

from rich.console import Console

from ...instances.text_files import Reading

__all__ = ["teller"]


def teller(console: Console) -> Callable[[Reading], None]:
    """Print how a table was read."""
    return lambda reading: console.print(str(reading), markup=False)
