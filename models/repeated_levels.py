"""Levels of an objective that repeat an earlier one: they have nothing left to improve."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from .errors import PolicyError
from .problem_view import LevelView

__all__ = ["refuse_repeated_levels"]


def refuse_repeated_levels(levels: Sequence[LevelView]) -> None:
    """See that no level is an earlier one, or a multiple of it; what is derived from a policy may have some.

    Raises
    ------
    PolicyError
        Naming both.
    """
    first: dict[frozenset[tuple[str, Fraction]], int] = {}
    for number, level in enumerate(levels, start=1):
        total = sum(weight for _, weight in level.weights)
        shares = frozenset((name, weight / total) for name, weight in level.weights)
        before = first.setdefault(shares, number)
        if before < number:
            raise PolicyError(
                f"minimize: level {number} ({level.name}) repeats level {before} "
                f"({levels[before - 1].name}), which leaves it nothing to improve: leave it out"
            )
