"""Which parameters of a requirement make it stricter, and the values that would ask less.

A requirement is *stricter* than another if whatever keeps it keeps the other. For a parameter
with a direction, releases that keep a stricter value keep every looser one, so the least
relaxation that helps is a boundary, and there are only finitely many places where it can be:
groups have whole numbers of tuples. `ParameterGrid` lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from .problem_view import ProblemView, fake_cap

__all__ = [
    "DENOMINATORS",
    "Monotonicity",
    "Parameter",
    "ParameterGrid",
    "largest_size",
    "reduced",
    "shares",
]

Monotonicity: TypeAlias = Literal["higher", "lower", "option"]
"""Higher values are stricter, lower ones are, or a choice of words of which one is stricter."""

DENOMINATORS = 100
"""Fractions with larger denominators are not tried: groups above this size count as uncovered."""


@dataclass(frozen=True, kw_only=True)
class ParameterGrid:
    """Values of one parameter that ask less than the present one.

    Attributes
    ----------
    values : tuple
        The next looser value first, the loosest last; empty if there is none.
    grid : str
        Which values are listed, in words.
    complete : bool
        Whether a value between two neighbours never allows more than both do, so that the least
        one of the list that helps is the least there is.
    """

    values: tuple[Any, ...]
    grid: str
    complete: bool = True


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """A parameter with a direction: every release that keeps a stricter value keeps a looser one.

    A claim, to be made only with a proof; parameters that a requirement does not name have no direction.

    Attributes
    ----------
    name : str
        Of the requirement's field.
    direction : {"higher", "lower", "option"}
        Which values are stricter.
    grid : callable
        Values that ask less of releases of a problem.
    """

    name: str
    direction: Monotonicity
    grid: Callable[[ProblemView], ParameterGrid]

    @classmethod
    def whole(cls, name: str, present: int) -> Parameter:
        """A whole number, stricter if higher: the looser ones go down to 1."""
        grid = ParameterGrid(values=tuple(range(present - 1, 0, -1)), grid="whole numbers")
        return cls(name=name, direction="higher", grid=lambda problem: grid)

    @classmethod
    def share(cls, name: str, present: Fraction) -> Parameter:
        """A bound ``n <= share * size`` (or ``<``), stricter if lower."""
        return cls(name=name, direction="lower", grid=lambda problem: shares(present, problem))

    @classmethod
    def option(cls, name: str, present: object, strict: object, loose: object) -> Parameter:
        """A choice between two words."""
        grid = ParameterGrid(values=(loose,) if present == strict else (), grid=f"{strict} or {loose}")
        return cls(name=name, direction="option", grid=lambda problem: grid)


def largest_size(problem: ProblemView) -> int:
    """No group of `problem`'s model has more published tuples."""
    tuples, limit = len(problem.table), problem.policy.counterfeit_limit
    if limit is not None:
        return tuples + limit
    return tuples + fake_cap(problem) * len(problem.values)


def shares(
    share: Fraction, problem: ProblemView, most: Fraction | int = 1, *, size: int | None = None
) -> ParameterGrid:
    """Fractions above `share`, up to `most`, with denominators up to a size; by default the largest group's.

    A rule ``n <= share * size`` (or ``<``) for whole n and size decides alike between two
    neighbours of them. O(size^2) fractions.
    """
    size = largest_size(problem) if size is None else size
    limit = min(size, DENOMINATORS)
    found = {Fraction(a, b) for b in range(1, limit + 1) for a in range(int(share * b), int(most * b) + 1)}
    return ParameterGrid(
        values=tuple(sorted(one for one in found if share < one <= most)),
        grid=f"fractions with denominators up to {limit}",
        complete=size <= limit,
    )


def reduced(values: Iterable[Fraction], present: Fraction, *, falling: bool = False) -> tuple[Fraction, ...]:
    """Different values beyond the present one, nearest first."""
    kept = {value for value in values if (value < present if falling else value > present)}
    return tuple(sorted(kept, reverse=falling))
