"""Which parameters of a requirement make it stricter, and the values that would ask less.

A requirement is *stricter* than another if whatever keeps it keeps the other. For a parameter
with a direction, releases that keep a stricter value keep every looser one, so the least
relaxation that helps is a boundary, and there are only finitely many places where it can be:
groups have whole numbers of tuples. `Looser` lists them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from .problem_view import ProblemView, fake_cap

__all__ = [
    "DENOMINATORS",
    "Looser",
    "Stricter",
    "counted",
    "largest_size",
    "looser_option",
    "looser_shares",
    "looser_whole",
    "reduced",
    "returning",
]

Stricter: TypeAlias = Literal["higher", "lower", "option"]
"""Higher values are stricter, lower ones are, or a choice of words of which one is stricter."""

DENOMINATORS = 100
"""Fractions with larger denominators are not tried: groups above this size count as uncovered."""


@dataclass(frozen=True, kw_only=True)
class Looser:
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


def looser_whole(value: int, least: int = 1) -> Looser:
    """Whole numbers below `value`, down to `least`."""
    return Looser(values=tuple(range(value - 1, least - 1, -1)), grid="whole numbers")


def looser_option(present: object, strict: object, loose: object) -> Looser:
    """The looser of two words, if the present one is the stricter."""
    return Looser(values=(loose,) if present == strict else (), grid=f"{strict} or {loose}")


def largest_size(problem: ProblemView) -> int:
    """No group of `problem`'s model has more published tuples."""
    tuples, limit = len(problem.table), problem.policy.counterfeit_limit
    if limit is not None:
        return tuples + limit
    return tuples + fake_cap(problem) * len(problem.values)


def looser_shares(share: Fraction, problem: ProblemView, most: Fraction | int = 1) -> Looser:
    """Fractions above `share`, up to `most`, with denominators up to the size of the largest group.

    A rule ``n <= share * size`` (or ``<``) for whole n and size decides alike between two
    neighbours of them. O(size^2) fractions.
    """
    size = largest_size(problem)
    limit = min(size, DENOMINATORS)
    found = {Fraction(a, b) for b in range(1, limit + 1) for a in range(int(share * b), int(most * b) + 1)}
    return Looser(
        values=tuple(sorted(one for one in found if share < one <= most)),
        grid=f"fractions with denominators up to {limit}",
        complete=size <= limit,
    )


def reduced(values: Iterable[Fraction], present: Fraction, *, falling: bool = False) -> tuple[Fraction, ...]:
    """Different values beyond the present one, nearest first."""
    kept = {value for value in values if (value < present if falling else value > present)}
    return tuple(sorted(kept, reverse=falling))


def counted(count: int, noun: str) -> str:
    """``1 tuple``, ``2 tuples``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def returning(problem: ProblemView) -> Iterator[str]:
    """Yield one sentence: how many tuples belong to respondents published before."""
    total = len(problem.table)
    known = sum(member.respondent in problem.history.records for member in problem.table.members)
    gone = len(problem.history.records) - known
    yield (
        f"the table has {counted(total, 'tuple')}: {known} of respondents published before, {total - known} "
        f"new; {counted(gone, 'respondent')} published before not in the table"
    )
