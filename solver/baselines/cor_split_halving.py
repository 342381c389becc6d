"""Cor-Split (Riboni and Bettini) with m-invariance's halving: groups that are not hc-safe are repaired.

As printed (Fig. 5, `cor_split`), groups are the heads of one sorted list, narrow in one attribute and
random in all others; query errors are then twice those of m-invariance already in a first release,
where hcSafe never says no. So the price its publication shows ("very close" errors) is not what Fig. 5
costs. Here buckets are halved as in phase 4 of Xiao and Tao (`m_invariance`), and a group that
Fig. 6 refuses is repaired, the cheapest first:

swap         a tuple of it changes places with one of the same value in another group of its bucket (or with
             a counterfeit there), if both groups are safe then, for the least growth of the two boxes;
merge        else it joins another group of its bucket (Fig. 5, lines 10 to 12), for the least growth;
counterfeit  else its tuples are spread over groups filled up with counterfeits (line 13), as few as they fit.

Swaps keep signatures, sizes and counterfeits. Merged groups have a multiple of the signature.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count, islice
from random import Random

import numpy as np
from numpy.typing import NDArray

from ...models.errors import EngineError
from ...models.problem import Problem
from ...models.release import Release
from ..settings import Clock
from .buckets import Bucket, balanced_buckets
from .hc_safe import GroupInMaking, HcSafe, numbers_asked
from .m_invariance import FAKE, Halving, bucket_matrix
from .parameters import Perimeter

__all__ = ["cor_split_halving"]

Ints = NDArray[np.int64]

SWAPS = 200
"""Exchanges tried per group, those that look cheapest first."""
FAR = np.int64(2**60)


def cor_split_halving(problem: Problem, seed: int = 0, clock: Clock | None = None) -> Release:
    """Publish every tuple under its old signature in groups that are hc-safe by Fig. 6.

    Parameters are those of `cor_split`.

    Raises
    ------
    EngineError
        As `cor_split`.

    Notes
    -----
    O(d n log(n)**2) as m-invariance, and for every group that is not safe O(m d) times its bucket.
    """
    m, n = numbers_asked(problem, "cor_split_halving")
    random, watch = Random(seed), clock or Clock()
    safety, halving = HcSafe(problem, n), Halving(problem, watch)
    groups: list[list[int]] = []
    fakes: list[dict[str, int]] = []
    for bucket in balanced_buckets(problem, m, random, "cor_split_halving"):
        parts = np.array(halving.split(bucket_matrix(bucket, random)), dtype=np.int64)
        for group in _Repair(problem, bucket, parts, safety, watch).run():
            groups.append(sorted(group.rows))
            fakes.append(dict(group.fakes))
    return problem.assemble(groups, fakes)


class _Repair:
    """The groups of one bucket, one line per group, one column per value of the signature."""

    def __init__(self, problem: Problem, bucket: Bucket, parts: Ints, safety: HcSafe, clock: Clock) -> None:
        self.signature, self.parts, self.safety, self.clock = bucket.signature, parts, safety, clock
        self.perimeter = Perimeter(problem.table.domains)
        self.codes = problem.table.codes
        # Boxes of counterfeits are empty: the last row, which FAKE = -1 stands for.
        attributes = self.codes.shape[1]
        self._low = np.concatenate([self.codes, np.full((1, attributes), FAR)])
        self._high = np.concatenate([self.codes, np.full((1, attributes), -FAR)])
        self._weight = np.array(
            [self.perimeter.unit // domain.span for domain in problem.table.domains], dtype=np.float64
        )

    def run(self) -> list[GroupInMaking]:
        """Repair the groups that are not safe, one after the other."""
        unsafe: list[int] = []
        for g in range(len(self.parts)):
            if not self.safety.holds(self._group(self.parts[g])):
                self.clock.ask()
                if not self._swapped(g):
                    unsafe.append(g)
        made = {g: self._group(part) for g, part in enumerate(self.parts)}
        numbers = count(len(made))  # of groups that are added
        for g in unsafe:
            self.clock.ask()
            if self.safety.holds(made[g]):  # a later swap, or another that joined it, has helped
                continue
            group = made.pop(g)
            home = self._home(group, made)
            if home is not None:
                made[home] |= group
            else:
                made |= {next(numbers): one for one in self._spread(group)}
        return list(made.values())

    def _group(self, part: Ints) -> GroupInMaking:
        rows = frozenset(part[part != FAKE].tolist())
        return GroupInMaking(
            rows,
            Counter(v for v, row in zip(self.signature, part.tolist(), strict=True) if row == FAKE),
        )

    # -- swaps -----------------------------------------------------------------------

    def _swapped(self, g: int) -> bool:
        """Exchange one tuple of group `g`; whether that made it safe."""
        for column, h in islice(self._exchanges(g), SWAPS):
            mine, other = self.parts[g].copy(), self.parts[h].copy()
            mine[column], other[column] = other[column], mine[column]
            if (mine == FAKE).all() or (other == FAKE).all():
                continue
            if all(self.safety.holds(self._group(part)) for part in (mine, other)):
                self.parts[g], self.parts[h] = mine, other
                return True
        return False

    def _exchanges(self, g: int) -> Iterator[tuple[int, int]]:
        """Columns and other groups to exchange them with, by the growth of both boxes in codes."""
        parts, depth = self.parts, len(self.parts)
        growth = np.full((parts.shape[1], depth), np.inf)
        for column in range(parts.shape[1]):
            if parts[g, column] == FAKE:
                continue
            rest = np.delete(parts, column, axis=1)
            low, high = self._low[rest].min(axis=1), self._high[rest].max(axis=1)
            here, there = parts[g, column], parts[:, column]
            before = self._widths(np.minimum(low, self._low[there]), np.maximum(high, self._high[there]))
            after = self._widths(np.minimum(low, self._low[here]), np.maximum(high, self._high[here]))
            own = self._widths(np.minimum(low[g], self._low[there]), np.maximum(high[g], self._high[there]))
            growth[column] = after - before + own - before[g]
        growth[:, g] = np.inf
        order = np.argsort(growth, axis=None, kind="stable")
        for place in order.tolist():
            column, h = divmod(place, depth)
            if not np.isfinite(growth[column, h]):
                return
            yield column, h

    def _widths(self, low: Ints, high: Ints) -> NDArray[np.float64]:
        """Semiperimeters as if categories were numbers: only an order of trials. Empty boxes count as 0."""
        return np.maximum(high - low, 0) @ self._weight

    # -- merges and counterfeits -----------------------------------------------------

    def _home(self, group: GroupInMaking, made: dict[int, GroupInMaking]) -> int | None:
        """The group to join: safe together, least growth of what all their tuples pay."""
        best: tuple[int, int] | None = None
        for number, other in made.items():
            both = group | other
            grown = both.size * self._semiperimeter(both.rows) - other.size * self._semiperimeter(other.rows)
            if (best is None or (grown, number) < best) and self.safety.holds(both):
                best = grown, number
        return None if best is None else best[1]

    def _semiperimeter(self, rows: frozenset[int]) -> int:
        codes = self.codes[list(rows)]
        return self.perimeter.of(codes.min(axis=0).tolist(), codes.max(axis=0).tolist())

    def _spread(self, group: GroupInMaking) -> list[GroupInMaking]:
        """Its real tuples among counterfeits: each joins the first group that is safe with it."""
        parts: list[GroupInMaking] = []
        line = zip(self._line(group), self.signature, strict=True)
        for row, value in line:
            if row == FAKE:
                continue
            fakes = Counter(v for v in self.signature if v != value)
            alone = GroupInMaking(frozenset([row]), fakes)
            joined = (
                (i, GroupInMaking(part.rows | {row}, part.fakes - Counter([value])))
                for i, part in enumerate(parts)
            )
            home = next(((i, one) for i, one in joined if self.safety.holds(one)), None)
            if home is not None:
                parts[home[0]] = home[1]
            elif self.safety.holds(alone):
                parts.append(alone)
            else:
                raise EngineError(
                    f"cor_split_halving finds no safe group around row {row + 1}, not even with counterfeits "
                    "for all others: lower n"
                )
        return parts

    def _line(self, group: GroupInMaking) -> Sequence[int]:
        """The group's line."""
        wanted = next(iter(group.rows))
        return self.parts[np.flatnonzero((self.parts == wanted).any(axis=1))[0]].tolist()
