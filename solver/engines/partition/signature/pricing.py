"""Integer duals with a limit on counterfeits, the exact bound they prove, and the groups that pay at them."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ....colgen.cuts import Cuts
from ....colgen.kernels.distinct import search_fresh
from ....colgen.kernels.lists import Asked, Lists
from ....colgen.kernels.signature import search_buckets
from ....colgen.pricing import FINE, LEAST_CHUNK, MOST_CHUNK, PAUSE, ROOM, ceil_div
from ....colgen.structure.types import Column, Types
from ....colgen.table import Ints
from ....settings import Clock
from ..limits import SIGNATURE_LIMITS as LIMITS

__all__ = ["Duals", "Found", "Pricing", "possible"]


Part: TypeAlias = tuple[int, Ints]
"""How often values occur (0: all-new groups), and anchors."""
Search: TypeAlias = Callable[[Ints, NDArray[np.int32], Ints, Ints], tuple[int, int, int]]


@dataclass(frozen=True, kw_only=True)
class Duals:
    """Duals as integers in 1 / `scale` of a cost: any sign for rows, at most 0 for the others.

    Notes
    -----
    Where a column costs its counterfeits, `fake` is that price and F is taken as 0.

    If no needed group's profit (duals of its rows, of its counterfeits and of its cuts, minus scaled
    cost) is positive, a release with at most F counterfeits costs at least
    ``(rows @ counts + fake * F + cuts @ limits) / scale``.
    """

    rows: Ints
    cuts: Ints
    fake: int
    scale: int

    def value(self, types: Types, cuts: Cuts, fakes: int) -> int:
        """Scaled bound for at most so many counterfeits, if the duals are feasible."""
        limits = cuts.limit[: len(self.cuts)]
        return int(self.rows @ types.rows.count) + self.fake * fakes + int(self.cuts @ limits)

    def bound(self, types: Types, cuts: Cuts, fakes: int) -> int:
        """No release costs less, if the duals are feasible; costs are integers."""
        return ceil_div(self.value(types, cuts, fakes), self.scale)

    def lowered(self, best: Ints) -> Duals:
        """Duals at which groups with a profit of at most `best` of their anchor pay no more."""
        return replace(self, rows=self.rows - np.maximum(best, 0))


@dataclass(frozen=True, kw_only=True)
class Found:
    """Groups that pay; see the answer of the search without history.

    Attributes
    ----------
    columns : tuple of Column
    best : int array, shape (rows,)
    whole, bounded : bool
    """

    columns: tuple[Column, ...]
    best: Ints
    whole: bool
    bounded: bool


class Pricing:
    """Searches for groups of one problem, or of a part of it."""

    def __init__(self, types: Types, workers: int = 1, clock: Clock | None = None) -> None:
        self.types, self.workers, self.clock = types, workers, clock
        self.cuts = Cuts(types.rows)
        self.lists = _lists(types)
        home = types.home
        self._new = np.flatnonzero(home < 0)
        old = np.flatnonzero(home >= 0)
        most = int(types.rules.times.max(initial=1))
        often = types.rules.times if len(types.rules.times) else np.ones(1, dtype=np.int64)
        self._parts: list[Part] = [
            (c, old[often[home[old]] >= c]) for c in range(1, most + 1) if bool((often[home[old]] >= c).any())
        ]
        if len(self._new):
            self._parts.append((0, self._new))

    def duals(self, rows: NDArray[np.float64], cuts: NDArray[np.float64], fake: float) -> Duals:
        """Round duals (in costs) down to the finest unit that keeps all sums inside int64."""
        types = self.types
        tuples = max(1, int(types.rows.count.sum()))
        widest = max([types.rules.least, *map(len, types.rules.signatures)])
        groups = widest * int(types.rules.times.max(initial=1))
        largest = float(np.abs(rows).max(initial=0.0)) + types.rows.scale * sum(types.rows.units)
        total = (tuples + groups) * (largest + abs(fake)) * 2 + float(np.abs(cuts).sum()) + 1
        scale = 1
        while scale < FINE and total * scale * 2 < ROOM:
            scale *= 2
        clip = ROOM / (4 * (tuples + groups) * scale)
        return Duals(
            rows=np.floor(np.clip(rows * scale, -clip, clip)).astype(np.int64),
            cuts=np.floor(np.minimum(cuts, 0) * scale).astype(np.int64),
            fake=-scale if types.counting else int(np.floor(max(min(fake, 0.0) * scale, -clip))),
            scale=scale,
        )

    def search(
        self,
        duals: Duals,
        *,
        floor: int = 0,
        per_anchor: int = 0,
        room: int | None = None,
        nodes: int = LIMITS.most_nodes,
    ) -> Found:
        """Find groups with a scaled profit above `floor`."""
        types = self.types
        asked = Asked(
            types.rows.geometry,
            types.rows.count,
            types.rows.value,
            self.cuts.index(duals.cuts),
            duals.rows,
            duals.fake,
            duals.scale,
        )
        falling = self._new[np.argsort(-duals.rows[self._new], kind="stable")]
        best = np.zeros(len(types), dtype=np.int64)
        columns, whole = list[Column](), True
        for times, anchors in self._parts:

            def run(
                part: Ints,
                groups: NDArray[np.int32],
                profits: Ints,
                best: Ints,
                times: int = times,
            ) -> tuple[int, int, int]:
                if times == 0:
                    return search_fresh(
                        asked,
                        falling,
                        len(types.rules.values),
                        types.rules.least,
                        part,
                        floor,
                        per_anchor,
                        nodes,
                        groups,
                        profits,
                        best,
                    )
                return search_buckets(
                    asked, self.lists, times, part, floor, per_anchor, nodes, groups, profits, best
                )

            found = self._run(run, times, anchors, per_anchor, room)
            if found is None:
                return Found(columns=tuple(columns), best=best, whole=False, bounded=False)
            columns += found[0]
            best = np.maximum(best, found[1])
            whole = whole and found[2]
        return Found(columns=tuple(columns), best=best, whole=whole, bounded=True)

    def _run(
        self, search: Search, times: int, anchors: Ints, per_anchor: int, room: int | None
    ) -> tuple[list[Column], Ints, bool] | None:
        """One way of searching, in threads; None if there was no room or no time."""
        widest = max(2 * self.types.rules.least - 1, *map(len, self.types.rules.signatures), 1)
        deep = widest * max(1, times)
        parts = [anchors[w :: self.workers].copy() for w in range(min(self.workers, len(anchors)))]

        def run(part: Ints) -> tuple[list[Column], Ints, int]:
            # Lists of 60,000 groups take a gigabyte in an integer program: workers share the room.
            most = len(part) * per_anchor if room is None else -(-room // len(parts))
            groups = np.empty((most, deep), dtype=np.int32)
            profits, best = np.empty(most, dtype=np.int64), np.zeros(len(self.types), dtype=np.int64)
            total, cut_short = 0, 0
            at, chunk = 0, LEAST_CHUNK
            while at < len(part):
                if self.clock is not None and self.clock.over:
                    return [], best, -1
                began, here = perf_counter(), part[at : at + chunk]
                found, short, _ = search(here, groups[total:], profits[total:], best)
                total, at = total + found, at + len(here)
                if short < 0:
                    return [], best, -1
                cut_short += short
                slow = perf_counter() - began > PAUSE
                chunk = max(1, chunk // 2) if slow else min(MOST_CHUNK, 2 * chunk)
            columns = [
                Column(tuple(sorted(u for u in line if u >= 0)), times) for line in groups[:total].tolist()
            ]
            return columns, best, cut_short

        if len(parts) == 1:
            answers = [run(parts[0])]
        else:
            with ThreadPoolExecutor(len(parts)) as pool:
                answers = list(pool.map(run, parts))
        if any(answer[2] < 0 for answer in answers):
            return None
        return (
            [column for answer in answers for column in answer[0]],
            np.max([answer[1] for answer in answers], axis=0),
            all(answer[2] == 0 for answer in answers),
        )


def _csr(lists: list[list[int]]) -> tuple[Ints, Ints]:
    start = np.concatenate([[0], np.cumsum([len(found) for found in lists])]).astype(np.int64)
    return np.array([x for found in lists for x in found], dtype=np.int64), start


def _by(label: Ints, rows: Ints, labels: int) -> tuple[Ints, Ints]:
    """Some rows by their labels, rising among equal ones; where each label starts."""
    start = np.concatenate([[0], np.cumsum(np.bincount(label[rows], minlength=labels))])
    return rows[np.argsort(label[rows], kind="stable")], start.astype(np.int64)


def _lists(types: Types) -> Lists:
    """Put together what the searches read."""
    rules, home = types.rules, types.home
    signature, signature_start = _csr([list(s) for s in rules.signatures])
    returning, returning_start = _by(home, np.flatnonzero(home >= 0), len(rules.signatures))
    fresh, fresh_start = _by(types.rows.value, np.flatnonzero(home < 0), len(rules.values))
    trace, trace_start = _csr([list(found) for found in types.traces])
    safe = rules.safe.copy()
    for t, b in enumerate(home.tolist()):
        if b >= 0 and rules.relaxed[b]:
            safe[:, list(types.traces[t])] = True
    return Lists(
        home,
        signature,
        signature_start,
        returning,
        returning_start,
        fresh,
        fresh_start,
        trace,
        trace_start,
        safe,
        possible(safe, rules.present),
    )


def possible(safe: NDArray[np.bool_], present: Ints) -> NDArray[np.bool_]:
    """From which counts of members and shared respondents a verdict of `safe` can still be reached."""
    found = safe.copy()
    wide = safe.shape[2]
    more = np.arange(1, wide) <= present[:, None]  # whether o + 1 may be reached
    for members in range(wide - 2, -1, -1):
        found[:, :, members] |= found[:, :, members + 1]
        found[:, :, members, :-1] |= found[:, :, members + 1, 1:] & more[None]
    return found
