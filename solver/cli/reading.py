"""How commands tell what they read, so that a wrong guess is seen, and which release they are about."""

from __future__ import annotations

from collections.abc import Callable

from rich.console import Console

from ...instances.text_files import Reading
from ...models.problem import Problem
from ..solved import before_table

__all__ = ["as_asked", "teller", "teller_of_dropped"]


def teller(console: Console) -> Callable[[Reading], None]:
    """Print how a table was read."""
    return lambda reading: console.print(str(reading), markup=False)


def teller_of_dropped(console: Console) -> Callable[[Reading], None]:
    """Print how a table was read only if rows of it are left out: no answer is about them."""
    tell = teller(console)
    return lambda reading: tell(reading) if reading.dropped else None


def as_asked(console: Console, problem: Problem, name: str = "") -> Problem:
    """The problem that a release of its table answered, where the stored history holds one; it says so.

    Otherwise the release would be in its own past, and what is proven would be about another question.
    """
    problem, words = before_table(problem)
    if words is not None:
        console.print(f"{name}: {words}" if name else words, markup=False)
    return problem
