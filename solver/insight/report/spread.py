"""How a quasi-identifier is distributed before and after generalization, in a few bins, for drawing.

A published cell says nothing about where in it a tuple lies, so its tuples are spread evenly: over
the length of an interval, over the leaves of a category's node. Floats are fine here: nothing is
claimed of these numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TypedDict

from ....models.box import Cell, Interval, Leaves, format_number
from ....models.categories import Ordered
from ....models.domain import Domain
from ....models.numeric import Numeric
from ....models.release import Release
from ...column_summary import tally

__all__ = ["Spread", "spread"]

BINS = 12
MOST_LEAVES = 16


class Spread(TypedDict):
    """One attribute: a label per bin, tuples before, and expected published tuples after."""

    attribute: str
    labels: list[str]
    original: list[int]
    released: list[float] | None


def spread(domain: Domain, index: int, release: Release) -> Spread:
    """Distribution of one attribute (number `index`, from 0) in the microdata and in what is published.

    `released` is None for an anatomized release, which publishes exact values.
    """
    points = tally([member.point[index] for member in release.members])
    cells: list[tuple[Cell, int]] | None = None
    if release.form == "generalized":
        boxed = [group for group in release.groups if group.box is not None]
        cells = tally([(group.box or ())[index] for group in boxed], [group.size for group in boxed])
    if isinstance(domain, Numeric):
        numbers = [(float(point), count) for point, count in points if not isinstance(point, str)]
        labels, original, released = _numbers(domain, numbers, cells)
    else:
        known: Counter[str] = Counter()
        for point, count in points:
            known[str(point)] += count
        labels, original, released = _categories(domain, known, cells)
    return Spread(attribute=domain.name, labels=labels, original=original, released=released)


def _numbers(
    domain: Numeric, numbers: Sequence[tuple[float, int]], cells: Sequence[tuple[Cell, int]] | None
) -> tuple[list[str], list[int], list[float] | None]:
    low, high = float(domain.lo), float(domain.hi)
    if low == high:
        total = sum(count for _, count in cells) if cells is not None else None
        return (
            [format_number(domain.lo)],
            [sum(n for _, n in numbers)],
            None if total is None else [float(total)],
        )
    bins = min(BINS, domain.span + 1)
    # Whole steps belong to one bin each if there are few of them.
    unit = (high - low) / bins if bins == BINS else float(domain.step)
    start = low if bins == BINS else low - unit / 2

    def place(number: float) -> int:
        return min(bins - 1, max(0, int((number - start) / unit)))

    original = [0] * bins
    for number, count in numbers:
        original[place(number)] += count
    labels = [_middle(start + (i + 0.5) * unit, unit) for i in range(bins)]
    if cells is None:
        return labels, original, None
    released = [0.0] * bins
    for cell, count in cells:
        if not isinstance(cell, Interval) or cell.lo == cell.hi:
            at = place(float(cell.lo)) if isinstance(cell, Interval) else 0
            released[at] += count
            continue
        lo, hi = float(cell.lo), float(cell.hi)
        if bins != BINS:
            lo, hi = lo - unit / 2, hi + unit / 2
        for i in range(place(lo), place(hi) + 1):
            shared = min(hi, start + (i + 1) * unit) - max(lo, start + i * unit)
            released[i] += count * max(0.0, shared) / (hi - lo)
    return labels, original, [round(share, 6) for share in released]


def _middle(number: float, unit: float) -> str:
    return f"{number:.0f}" if unit >= 1 else f"{number:.4g}"


def _categories(
    domain: Domain, known: Mapping[str, int], cells: Sequence[tuple[Cell, int]] | None
) -> tuple[list[str], list[int], list[float] | None]:
    leaves = domain.categories if isinstance(domain, Ordered) else _leaves(domain)
    shown = list(leaves)
    if len(leaves) > MOST_LEAVES:
        often = set(sorted(leaves, key=lambda leaf: -known.get(leaf, 0))[: MOST_LEAVES - 1])
        shown = [leaf for leaf in leaves if leaf in often]
    number = {leaf: i for i, leaf in enumerate(shown)}
    labels = [*shown, "all others"] if len(shown) < len(leaves) else shown
    rest = len(labels) - 1
    original = [0] * len(labels)
    for leaf, count in known.items():
        original[number.get(leaf, rest)] += count
    if cells is None:
        return labels, original, None
    released = [0.0] * len(labels)
    for cell, count in cells:
        inside = cell.values if isinstance(cell, Leaves) else frozenset(leaves)
        for leaf in inside:
            released[number.get(leaf, rest)] += count / len(inside)
    return labels, original, [round(share, 6) for share in released]


def _leaves(domain: Domain) -> tuple[str, ...]:
    return tuple(str(domain.value(code)) for code in range(domain.span))
