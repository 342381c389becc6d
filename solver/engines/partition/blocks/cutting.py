"""Where blocks end: at medians of wide sides, of rows at first, then of whole groups, elsewhere each time."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....colgen.covering import Ints
from ....colgen.structure.histograms import Judge
from ....colgen.table import Rows

__all__ = ["Grouping", "cut_groups", "cut_rows", "pieces_of"]


class Grouping(NamedTuple):
    """Group g has the rows ``member[start[g]:start[g + 1]]``, with repeats."""

    member: NDArray[np.int32]
    start: NDArray[np.int64]

    def some(self, chosen: Ints) -> Grouping:
        """Some of the groups."""
        sizes = np.diff(self.start)[chosen]
        start = np.append(0, np.cumsum(sizes))
        place = np.repeat(self.start[chosen] - start[:-1], sizes) + np.arange(start[-1])
        return Grouping(self.member[place], start)

    def of_rows(self, rows: Ints) -> Grouping:
        """The same groups, its rows being numbers of these."""
        return self._replace(member=rows[self.member].astype(np.int32))

    def tuples(self) -> list[tuple[int, ...]]:
        """Each group by itself."""
        flat, ends = self.member.tolist(), self.start.tolist()
        return [tuple(flat[a:b]) for a, b in pairwise(ends)]

    @classmethod
    def of(cls, groups: Sequence[tuple[int, ...]]) -> Grouping:
        """Of groups one by one."""
        start = np.append(0, np.cumsum([len(group) for group in groups]))
        flat = np.fromiter((r for group in groups for r in group), dtype=np.int32, count=int(start[-1]))
        return cls(flat, start)

    @classmethod
    def joined(cls, parts: list[Grouping]) -> Grouping:
        """All groups of some groupings."""
        sizes = np.concatenate([np.diff(part.start) for part in parts])
        return cls(np.concatenate([part.member for part in parts]), np.append(0, np.cumsum(sizes)))


def cut_rows(rows: Rows, judge: Judge, most: int) -> list[Ints]:
    """Runs of rows with at most so many tuples; longer where both halves could not be released.

    Rows are in kd order, so that runs are boxes.
    """
    ends = np.append(0, np.cumsum(rows.count))
    done, pending = list[Ints](), [(0, len(rows))]
    while pending:
        a, b = pending.pop()
        middle = int(np.searchsorted(ends, (ends[a] + ends[b]) // 2))
        if ends[b] - ends[a] <= most or not a < middle < b or not _apart(rows, judge, a, middle, b):
            done.append(np.arange(a, b, dtype=np.int64))
        else:
            pending += [(middle, b), (a, middle)]
    return done


def _apart(rows: Rows, judge: Judge, a: int, middle: int, b: int) -> bool:
    """Whether both runs may be released."""
    halves = (slice(a, middle), slice(middle, b))
    values = judge.told_apart
    counts = [np.bincount(rows.value[h], weights=rows.count[h], minlength=values) for h in halves]
    return bool(judge.divisible(np.array(counts, dtype=np.int64)).all())


def cut_groups(rows: Rows, groups: Grouping, most: int, seed: int) -> list[Ints]:
    """Blocks of whole groups with at most so many tuples; other borders with each seed.

    Sides of the middles of groups are cut near their medians; how wide a side counts is drawn.
    """
    random, step = np.random.default_rng(seed), _steps(rows)
    codes = rows.geometry.codes[groups.member] * step
    middles = np.minimum.reduceat(codes, groups.start[:-1]) + np.maximum.reduceat(codes, groups.start[:-1])
    sizes = np.diff(groups.start)
    done, pending = list[Ints](), [np.arange(len(sizes))]
    while pending:
        part = pending.pop()
        weight = random.uniform(0.6, 1.4, middles.shape[1])
        if sizes[part].sum() <= most or len(part) < 2:
            done.append(np.sort(part))
            continue
        side = int(np.argmax(middles[part].std(axis=0) * weight))
        part = part[np.argsort(middles[part, side], kind="stable")]
        ends = np.cumsum(sizes[part])
        cut = int(np.searchsorted(ends, ends[-1] * random.uniform(0.45, 0.55)))
        cut = min(max(1, cut), len(part) - 1)
        pending += [part[cut:], part[:cut]]
    return done


def pieces_of(rows: Rows, most: int, seed: int) -> list[Ints]:
    """Rows in pieces with at most so many tuples; other borders with each seed."""
    each = np.repeat(np.arange(len(rows), dtype=np.int32), rows.count)
    return cut_groups(rows, Grouping(each, np.append(0, np.cumsum(rows.count))), most, seed)


def _steps(rows: Rows) -> Ints:
    """What a step of one code costs, about, under taxonomies as well."""
    g = rows.geometry
    spread = [rows.scale * unit // max(1, int(side)) for unit, side in zip(rows.units, g.side, strict=True)]
    return np.where(g.tree < 0, g.weight, np.array(spread, dtype=np.int64))
