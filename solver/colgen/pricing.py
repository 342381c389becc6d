"""Pricing: the columns of negative reduced cost at integer duals, and how negative none is.

What differs between problems is which columns may be needed: that is a `ColumnSource`. Compiled searches run
in threads, each over some anchors, a few at a time, so that the clock is looked at.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import inf
from typing import Generic, NamedTuple, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...models.moment import moment
from ..exact.incidence import Members
from ..schedule import WORK
from ..settings import Clock
from ..shares import Seconds
from ..work import spend
from .column import Column, columns_of, in_order
from .covering import Covering, Ints
from .cuts import Cuts
from .duals import Duals
from .limits import PRICING as LIMITS

__all__ = ["ColumnSource", "Listing", "Priced", "Pricing", "Way", "joined"]


K = TypeVar("K", bound=Covering)
Search: TypeAlias = Callable[[Ints, int, int, int, NDArray[np.int32], Ints, Ints], tuple[int, int, int]]
"""Anchors, floor, columns per anchor, nodes; filled: members, negative reduced costs, worst by anchor."""


@dataclass(frozen=True, kw_only=True)
class Priced:
    """What a round of pricing found.

    Attributes
    ----------
    lines : Members
        Columns of negative reduced cost.
    worst : int array, shape (rows,)
        No needed column with this anchor has a scaled reduced cost below minus that; or, in all, duals that
        are lowered by so much are feasible.
    short : int
        How many searches were not carried to their end.
    bounded : bool
        Whether `worst` is valid: there was room for all columns, and time for all anchors.
    limits : int array or None
        By how much duals of the first cuts are to be lowered, too.
    """

    lines: Members
    worst: Ints
    short: int
    bounded: bool
    limits: Ints | None = None

    @property
    def complete(self) -> bool:
        """Whether every anchor was searched to its end."""
        return self.bounded and self.short == 0

    @property
    def columns(self) -> tuple[Column, ...]:
        """The lines one by one."""
        return columns_of(self.lines)


@dataclass(frozen=True, kw_only=True)
class Listing:
    """Columns of low reduced cost; all of them if the list is complete."""

    lines: Members
    complete: bool


class ColumnSource(Protocol):
    """Which columns may be needed: they can be priced and listed.

    Attributes
    ----------
    rows, cuts
        What is to be covered, and the cuts so far.
    clock : Clock or None
    lists_all : bool
        Whether its lists can be complete.
    """

    @property
    def rows(self) -> Covering: ...

    cuts: Cuts
    clock: Clock | None
    lists_all: bool

    def costs(self, lines: Members) -> Ints:
        """Cost of each column."""
        ...

    def limited(self, lines: Members) -> Ints:
        """How much of the limit on counterfeits each column takes."""
        ...

    def duals(self, rows: NDArray[np.float64], cuts: NDArray[np.float64], limit: float = 0.0) -> Duals:
        """Round duals (in costs) down to integers."""
        ...

    def price(self, duals: Duals, *, per_anchor: int, nodes: int = LIMITS.nodes) -> Priced:
        """Find columns of negative reduced cost, for each anchor the most negative ones."""
        ...

    def all_below(self, duals: Duals, slack: int, *, room: int, nodes: int = LIMITS.nodes) -> Listing | None:
        """All needed columns of at most so much scaled reduced cost; None if there are more than `room`.

        Or if time ended. It is not complete if a search ended at `nodes`.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class Way:
    """One way of searching: anchors, most members, searches with memory of their own, columns, pace."""

    anchors: Ints
    wide: int
    begin: Callable[[], Search]
    lines: Callable[[Members], Members] = lambda members: members
    pace: Seconds = WORK.visited


class Pricing(ABC, Generic[K]):
    """A column source that searches in threads.

    Parameters
    ----------
    rows : Rows
    workers : int
    clock : Clock, optional
        Searches stop when it is over.
    """

    def __init__(self, rows: K, workers: int = 1, clock: Clock | None = None) -> None:
        self.rows, self.workers, self.clock = rows, workers, clock
        self.cuts = Cuts(rows)
        self.lists_all = True

    @abstractmethod
    def _ways(self, duals: Duals) -> Iterator[Way]:
        """How to find all needed columns."""

    def price(self, duals: Duals, *, per_anchor: int, nodes: int = LIMITS.nodes) -> Priced:
        """As `ColumnSource` says."""
        return self._searched(self._ways(duals), 0, per_anchor, None, nodes)

    def all_below(self, duals: Duals, slack: int, *, room: int, nodes: int = LIMITS.nodes) -> Listing | None:
        """As `ColumnSource` says."""
        found = self._searched(self._ways(duals), -slack - 1, 0, room, nodes)
        return Listing(lines=found.lines, complete=found.short == 0) if found.bounded else None

    def _searched(
        self, ways: Iterable[Way], floor: int, per_anchor: int, room: int | None, nodes: int
    ) -> Priced:
        worst, lines = np.zeros(len(self.rows), dtype=np.int64), [np.empty((0, 1), dtype=np.int32)]
        short, bounded = 0, True
        for way in ways:
            parts = _dealt(way.anchors)
            each = [len(part) * per_anchor if room is None else room for part in parts]
            planned = self.clock.planned if self.clock is not None and self.clock.counted else None
            pace = way.pace.value / LIMITS.threads
            shared = _Room(each, inf if room is None else room, inf if planned is None else planned / pace)

            def run(at: int, parts: list[Ints] = parts, way: Way = way, shared: _Room = shared) -> _Found:
                return self._run(way, parts[at], shared, at, floor, per_anchor, nodes)

            threads = min(self.workers, len(parts))
            if threads <= 1:
                answers = [run(at) for at in range(len(parts))]
            else:
                with ThreadPoolExecutor(threads) as pool:
                    answers = list(pool.map(run, range(len(parts))))
            lines += [way.lines(in_order(found.members)) for found in answers]
            for found in answers:
                np.maximum(worst, found.worst, out=worst)
            short += sum(found.short for found in answers)
            bounded = not any(found.ended for found in answers)
            if not bounded:
                # How many nodes that takes depends on the threads.
                spend(min(inf if room is None else pace * room, planned or 0.0))
                break
            spend(pace * sum(shared.visited))
        return Priced(lines=joined(lines), worst=worst, short=short, bounded=bounded)

    def _run(
        self, way: Way, part: Ints, shared: _Room, mine: int, floor: int, per_anchor: int, nodes: int
    ) -> _Found:
        """Search from some anchors."""
        members = np.empty((shared.each[mine], max(1, way.wide)), dtype=np.int32)
        gains, worst = np.empty(len(members), dtype=np.int64), np.zeros(len(self.rows), dtype=np.int64)
        search, total, cut_short = way.begin(), 0, 0
        at, chunk = 0, LIMITS.least_chunk
        while at < len(part):
            if shared.full or (self.clock is not None and self.clock.stopped):
                return _Found(members[:total], worst, cut_short, ended=True)
            began, here = moment(), part[at : at + chunk]
            found, short, visited = search(
                here, floor, per_anchor, nodes, members[total:], gains[total:], worst
            )
            total, at = total + found, at + len(here)
            shared.taken[mine], shared.visited[mine] = total, shared.visited[mine] + visited
            if short < 0:
                return _Found(members[:total], worst, cut_short, ended=True)
            cut_short += short
            # Some anchors take a thousand times longer; the answer is the same however they are cut.
            slow = moment() - began > LIMITS.pause
            chunk = max(1, chunk // 2) if slow else min(LIMITS.most_chunk, 2 * chunk)
        return _Found(members[:total], worst, cut_short, ended=shared.full)


@dataclass
class _Room:
    """How many columns there may be of each part, and columns and nodes of all together."""

    each: list[int]
    columns: float
    nodes: float

    def __post_init__(self) -> None:
        self.taken, self.visited = [0] * len(self.each), [0] * len(self.each)

    @property
    def full(self) -> bool:
        """Whether there is no room for those found so far; if it ever is, it is at the end."""
        return sum(self.taken) > self.columns or sum(self.visited) > self.nodes


class _Found(NamedTuple):
    """What one part's search found; it has ended early if there was no room or no time."""

    members: Members
    worst: Ints
    short: int
    ended: bool


def _dealt(anchors: Ints) -> list[Ints]:
    """Anchors in parts, whatever the number of workers: what is found, and its order, is the same."""
    parts = max(1, min(LIMITS.parts, -(-len(anchors) // LIMITS.least_chunk)))
    return [anchors[part::parts].copy() for part in range(parts)]


def joined(parts: list[Members]) -> Members:
    """Lines of different widths in one array."""
    wide = max(part.shape[1] for part in parts)
    return np.concatenate(
        [np.pad(part, ((0, 0), (0, wide - part.shape[1])), constant_values=-1) for part in parts]
    )
