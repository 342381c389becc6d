"""What a release says of each quasi-identifier: how much of it is lost, and what a cell usually shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from ..models.box import Cell, Interval
from ..models.categories import Ordered
from ..models.domain import Domain
from ..models.exact_numbers import show_number, show_share
from ..models.release import Release

__all__ = ["ColumnSummary", "columns_of", "tally"]

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class ColumnSummary:
    """What is published of a quasi-identifier.

    Attributes
    ----------
    name : str
    lost : Fraction
        Mean loss of a row's cell, from 0 (exact) to 1 (nothing is said); 1 for a row that is left out.
    usual : str
        The cell in the middle of all published rows, from the narrowest to the widest, in words.
    blank : bool
        Nothing is said of anybody in this column.
    """

    name: str
    lost: Fraction
    usual: str
    blank: bool

    def __str__(self) -> str:
        if self.blank:
            return "* throughout: nothing is said"
        if not self.lost:
            return "published exactly"
        return f"{show_share(self.lost)} of its information lost; {self.usual}"


def columns_of(release: Release, domains: Sequence[Domain]) -> tuple[ColumnSummary, ...]:
    """What is published of each quasi-identifier."""
    boxed = [group for group in release.groups if group.box is not None]
    people = [len(group.members) for group in boxed]
    left_out = len(release.suppressed)
    total = max(1, left_out + sum(len(group.members) for group in release.groups))
    found: list[ColumnSummary] = []
    for a, domain in enumerate(domains):
        cells = [
            (domain.width(cell), cell, n)
            for cell, n in tally([group.box[a] for group in boxed if group.box is not None], people)
        ]
        lost = left_out + sum((width * n for width, _, n in cells), Fraction(0))
        found.append(
            ColumnSummary(
                name=domain.name,
                lost=lost / total,
                usual=_usual(cells, domain) if cells else "published exactly",
                blank=bool(cells) and all(width == 1 for width, _, _ in cells),
            )
        )
    return tuple(found)


def tally(things: Sequence[T], counts: Sequence[int] | None = None) -> list[tuple[T, int]]:
    """Counts (1 each by default) added up by object: large tables hold few objects, again and again."""
    found: Counter[int]
    if counts is None:
        found = Counter(map(id, things))
    else:
        found = Counter[int]()
        for thing, count in zip(things, counts, strict=True):
            found[id(thing)] += count
    known = dict(zip(map(id, things), things, strict=True))
    return [(known[number], count) for number, count in found.items()]


def _usual(cells: Sequence[tuple[Fraction, Cell, int]], domain: Domain) -> str:
    """The middle one of the rows' cells, from the narrowest to the widest."""
    ordered = sorted(cells, key=lambda each: (each[0], str(each[1])))
    half, seen = sum(n for _, _, n in ordered) / 2, 0
    for width, cell, n in ordered:
        seen += n
        if seen >= half:
            return _words(width, cell, domain)
    raise AssertionError("some cell is in the middle")


def _words(width: Fraction, cell: Cell, domain: Domain) -> str:
    if not width:
        return "usually exact"
    if isinstance(cell, Interval):
        return f"usually an interval {show_number(cell.hi - cell.lo)} wide"
    if width == 1:
        return "usually *"
    what = "neighbouring categories" if isinstance(domain, Ordered) else "categories"
    return f"usually one of {len(cell.values)} {what}"
