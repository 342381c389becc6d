"""What a signature will probably cost: the table V, and what a release costs by it.

``V_k(L)`` is the mean number of counterfeits that a bucket of k values with L groups needs over the next
releases, by simulated lives (`life`). It is fixed before the search, so that
``sum over signatures S of V_|S|(L_S)`` is an exact function of the release, where L_S is how often the groups
with signature S publish each of their values. V is a model; the sum is not.

Lives are drawn for some L; between them V is straight, beyond the last it goes on as from the last but one,
and never falls. They are drawn for some k, too, with V straight between these; beyond the last a signature
costs, value by value, what that one does. In between it costs more than in proportion: the more values, the
more often the most frequent of those who stay is had, and the more seats of the others are empty.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..compiled_random import ONE, stepped
from ..release import Release
from ..structure import Overlap, OverlapRule
from .asked import Outlook
from .forecast import Forecast
from .life import lives

__all__ = ["SignaturePrices", "Verdicts", "forbidden", "groups_by_signature", "priced", "sizes"]

Verdicts: TypeAlias = tuple[tuple[tuple[bool, ...], ...], ...]

STARTS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
"""Numbers of groups that lives are drawn for."""
MORE = 8
"""Values beyond the fewest that lives are drawn for, or as many as some signature has."""


@dataclass(frozen=True, kw_only=True)
class SignaturePrices:
    """The table V.

    Attributes
    ----------
    draws : int
        Lives per entry.
    starts : tuple of int
        Numbers of groups with an entry.
    totals : tuple of (int, tuple of int)
        Per number of values: counterfeits of all lives together, for each start.
    """

    draws: int
    starts: tuple[int, ...]
    totals: tuple[tuple[int, tuple[int, ...]], ...]

    def of(self, values: int, groups: int) -> Fraction:
        """Counterfeits that a signature of so many values with so many groups will need, by the model."""
        if groups <= 0:
            return Fraction(0)
        above = bisect_left(self.totals, (values,))
        if (above < len(self.totals) and self.totals[above][0] == values) or not above:
            return self._drawn(self.totals[above], groups) * Fraction(values, self.totals[above][0])
        low = self.totals[above - 1]
        if above == len(self.totals):
            return self._drawn(low, groups) * Fraction(values, low[0])
        high = self.totals[above]
        before, after = self._drawn(low, groups), self._drawn(high, groups)
        return before + (after - before) * Fraction(values - low[0], high[0] - low[0])

    def _drawn(self, entry: tuple[int, tuple[int, ...]], groups: int) -> Fraction:
        _, row = entry
        at = min(bisect_right(self.starts, groups) - 1, len(self.starts) - 1)
        if at == len(self.starts) - 1:
            slope = Fraction(0)
            if at:
                slope = max(
                    Fraction(0), Fraction(row[at] - row[at - 1], self.starts[at] - self.starts[at - 1])
                )
        else:
            slope = Fraction(row[at + 1] - row[at], self.starts[at + 1] - self.starts[at])
        return (row[at] + slope * (groups - self.starts[at])) / self.draws

    def floats(self, values: int, groups: int) -> NDArray[np.float64]:
        """Nearly what signatures of up to so many values with up to so many groups will need, all at once."""
        number = np.arange(groups + 1)
        drawn = [np.interp(number, (0, *self.starts), (0, *row)) / self.draws for _, row in self.totals]
        last = number > self.starts[-1]
        for entry, line in zip(self.totals, drawn, strict=True):
            slope = float(self._drawn(entry, self.starts[-1] + 1) - self._drawn(entry, self.starts[-1]))
            line[last] += slope * (number[last] - self.starts[-1])
        sizes = [size for size, _ in self.totals]
        found = np.zeros((values + 1, groups + 1))
        for k in range(values + 1):
            above = bisect_left(sizes, k)
            if above in (0, len(sizes)):
                near = min(above, len(sizes) - 1)
                found[k] = drawn[near] * (k / sizes[near])
            else:
                part = (k - sizes[above - 1]) / (sizes[above] - sizes[above - 1])
                found[k] = (1 - part) * drawn[above - 1] + part * drawn[above]
        return found

    def release(self, release: Release) -> Fraction:
        """What a release will need, by the model."""
        return sum(
            (self.of(len(signature), groups) for signature, groups in groups_by_signature(release).items()),
            Fraction(0),
        )


def groups_by_signature(release: Release) -> Counter[frozenset[str]]:
    """How often the groups with each signature publish its most frequent value together."""
    counts: dict[frozenset[str], Counter[str]] = {}
    for group in release.groups:
        counts.setdefault(group.signature, Counter()).update(group.histogram)
    return Counter({signature: max(found.values()) for signature, found in counts.items() if found})


def priced(
    outlook: Outlook,
    coming: Forecast,
    rules: Sequence[OverlapRule],
    sizes: Iterable[int],
) -> SignaturePrices:
    """Draw the lives of buckets with so many values each.

    No groups join in them: joined ones save counterfeits and cost loss, which prices come before. On a series
    of income with m = 3 signatures chosen by lives with joined groups lost 9 % more, for about as many.

    Complexity: about a millisecond per number of groups and life, compiled.
    """
    wanted = sorted({min(size, len(coming.values)) for size in sizes})
    most = max(coming.people, default=1)
    starts = tuple(n for n in STARTS if n <= most) or STARTS[:1]
    bad = {size: forbidden(rules, size, 1) for size in wanted}
    totals = tuple((size, _drawn(outlook, coming, bad[size], size, starts)) for size in wanted)
    return SignaturePrices(draws=outlook.draws, starts=starts, totals=totals)


def sizes(least: int, known: int) -> list[int]:
    """Numbers of values that lives are drawn for: the fewest, and steps that double up to those known."""
    found, step = [least], 1
    while found[-1] < max(known, least + MORE):
        found.append(least + step)
        step *= 2
    return found


def forbidden(rules: Sequence[OverlapRule], size: int, multiplicity: int | None) -> Verdicts:
    """Whether a full group of a bucket, or two joined ones, may not share so many people with earlier ones.

    As `life.lives` takes it.
    """
    return tuple(
        tuple(tuple(not _permitted(rules, size, new, old, i) for i in range(2 * size + 1)) for old in (1, 2))
        for new in ((1,) if multiplicity == 1 else (1, 2))
    )


def _permitted(rules: Sequence[OverlapRule], size: int, new: int, old: int, shared: int) -> bool:
    if not 0 < shared <= size * min(new, old):
        return True
    overlap = Overlap(
        size=new * size,
        members=new * size,
        shared=shared,
        old_size=old * size,
        old_members=old * size,
        alike=new == old,
    )
    return all(rule.permits(overlap) for rule in rules)


@lru_cache(maxsize=256)
def _drawn(
    outlook: Outlook, coming: Forecast, bad: Verdicts, size: int, starts: tuple[int, ...]
) -> tuple[int, ...]:
    people, survival, refill = (
        np.array(found, dtype=np.int64) for found in (coming.people, coming.survival, coming.refill)
    )
    totals = list[int]()
    for start in starts:
        seed = (outlook.seed * 1_000_003 + size * 8_191 + start * 131 + 1) % (ONE - 1) + 1
        state = np.array([seed], dtype=np.int64)
        for _ in range(8):
            stepped(state)
        totals.append(
            int(
                lives(
                    start,
                    size,
                    outlook.releases,
                    outlook.draws,
                    people,
                    survival,
                    refill,
                    coming.returns,
                    np.array(bad),
                    state,
                )
            )
        )
    return tuple(totals)
