"""The course of a search in blocks: small steps, the same for every limit, and where a search leaves it.

A time limit takes the steps one after the other until the clock ends it. So a longer limit does all that a
shorter one does, and more: what it finds is no worse; so does one with more workers. Without a time limit
no clock decides how many moves and rounds there are: the course ends after its last phase (or where a table
of paces says), and the release is the same on any number of workers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import chain, islice, repeat

import numpy as np

from ....colgen.table import Rows
from ....limits import BLOCKS as LIMITS
from ....schedule import BLOCKS, WHOLE
from ....settings import Settings

__all__ = ["Kind", "Laid", "Size", "Step", "course"]


class Kind(Enum):
    """What a step does."""

    FRESH = "groups are made and moved, block by block"
    WARM = "they are moved in blocks across the old borders"
    SWEEP = "all boxes are gone through for the linear program"
    CUT = "the same under cuts; further ones are sought before the first time"
    ROUND = "the linear program is rounded; what it leaves out is grouped anew"
    COLD = "what it was rounded to is moved with little heat, in blocks"
    OTHERS = "slower heuristics are tried, if they may be near"


@dataclass(frozen=True, kw_only=True)
class Size:
    """How large a table is.

    Attributes
    ----------
    tuples, rows : int
        Tuples of the table, and how many of them are different.
    nested : int
        Intervals of every number but the one with the most codes, multiplied: boxes are entered by each of
        them; 0 if there are fewer than two numbers.
    valued : bool
        Whether groups are judged by their values: rows have one.
    """

    tuples: int
    rows: int
    nested: int = 0
    valued: bool = False

    @classmethod
    def of(cls, rows: Rows) -> Size:
        """Of a table."""
        g, nested = rows.geometry, 1
        many = sorted(len(np.unique(g.codes[:, a])) for a in np.flatnonzero(g.tree < 0))
        for codes in many[:-1]:
            nested *= codes * (codes + 1) // 2
        return cls(
            tuples=int(rows.count.sum()),
            rows=len(rows),
            nested=nested if many[1:] else 0,
            valued=bool(rows.value.any()),
        )

    @property
    def swept(self) -> float:
        """Rows, each for as many times as nested intervals make a sweep longer."""
        return self.rows * (1 + self.nested / BLOCKS.nested.value)

    def moved(self, part: float, workers: int) -> float:
        """Rows of the worker that has most blocks, if all blocks are such a part (above 0) of the table."""
        blocks = 1
        while part * self.tuples > blocks * LIMITS.tuples:
            blocks *= 2
        return part * self.rows * -(-blocks // workers) / blocks


@dataclass(frozen=True, kw_only=True)
class Step:
    """A step of the course.

    Attributes
    ----------
    kind : Kind
    times : int
        Rounds of the linear program, at least 1.
    moves : int
        Per tuple, at least 0; of a rounding: of those it leaves out (`rest`).
    hot : float
        First heat of a cold step's moves, as in `Cooling`; of others it is the same each time.
    """

    kind: Kind
    times: int = 1
    moves: int = 0
    hot: float = 0.0

    def seconds(self, size: Size, workers: int) -> float:
        """Seconds that it takes by the paces of `schedule.InBlocks`, with so many workers."""
        if self.kind is Kind.OTHERS:
            return 0.0
        if self.kind is Kind.FRESH:
            return size.moved(1, workers) * (BLOCKS.start.value + self.moves * BLOCKS.move.value)
        if self.kind in (Kind.WARM, Kind.COLD):
            return size.moved(1, workers) * (BLOCKS.round.value + self.moves * BLOCKS.move.value)
        if self.kind is Kind.ROUND:
            anew = len(LIMITS.anew) * BLOCKS.round.value + sum(self.rest) * BLOCKS.move.value
            return size.moved(LIMITS.rest, workers) * (BLOCKS.start.value + anew)
        steps = size.rows * BLOCKS.steps.value
        if self.kind is Kind.SWEEP:
            return self.times * (size.swept * BLOCKS.sweep.value / workers + BLOCKS.waves.value + steps)
        swept = size.swept * BLOCKS.cut_sweep.value + size.valued * size.rows * BLOCKS.cut_valued.value
        return self.times * (swept / workers + BLOCKS.cut_waves.value + steps)

    def derived(self, size: Size) -> float:
        """Seconds that its bound takes to be derived again; 0 if it proves none."""
        if self.kind is Kind.CUT:
            valued = size.valued * size.rows * BLOCKS.cut_valued.value
            return size.swept * BLOCKS.derived_cuts.value + valued + BLOCKS.cuts_read.value
        return size.swept * BLOCKS.derived.value if self.kind is Kind.SWEEP else 0.0

    @property
    def rest(self) -> tuple[int, ...]:
        """Moves for tuples that a rounding leaves out, round by round."""
        return tuple(times * self.moves for times in LIMITS.anew)


def course() -> Iterator[Step]:
    """Yield steps in their order: rounds of blocks, then phase after phase, the last one again and again."""
    return chain(_rounds(), _program())


def _rounds() -> Iterator[Step]:
    """Steps before the linear program."""
    yield Step(kind=Kind.FRESH, moves=2 * LIMITS.moves)
    yield from repeat(Step(kind=Kind.WARM, moves=LIMITS.moves), LIMITS.rounds)


def _program() -> Iterator[Step]:
    """Steps of the linear program, and of releases it is rounded to; without end."""
    for phase in chain(LIMITS.phases, repeat(LIMITS.phases[-1])):
        yield from _phase(phase)


def _phase(phase: tuple[int, int, int, int]) -> list[Step]:
    sweeps, cuts, rest, moves = phase
    return [
        *([Step(kind=Kind.SWEEP, times=sweeps)] if sweeps else []),
        *[Step(kind=Kind.CUT, times=LIMITS.cut_sweeps)] * cuts,
        Step(kind=Kind.ROUND, moves=rest),
        *[Step(kind=Kind.COLD, moves=moves, hot=hot) for hot in LIMITS.cool],
        Step(kind=Kind.OTHERS),
    ]


@dataclass(frozen=True, kw_only=True)
class Laid:
    """How far along the course a search goes.

    Attributes
    ----------
    first : Step
        Groups are made; without moves if a limit has no time for any.
    most : int or None
        Steps, the first one included; None if only the clock ends it.
    """

    first: Step
    most: int | None

    @classmethod
    def of(cls, size: Size, settings: Settings) -> Laid:
        """Until a time limit; without one as far as its paces fit the seconds asked for, or each phase once.

        Complexity: O(steps).
        """
        limit, workers, first = settings.asked, settings.workers, next(course())
        if limit is None:
            limit = settings.time_limit
        if limit is None:
            return cls(first=first, most=sum(1 for _ in chain(_rounds(), *map(_phase, LIMITS.phases))))
        left = limit - WHOLE.kept(limit, size.tuples) - BLOCKS.alone.value * size.tuples
        left -= min(BLOCKS.heuristics.seconds(limit, 0.0), BLOCKS.heuristic.value * size.tuples)
        if first.seconds(size, workers) > left:
            first = Step(kind=Kind.FRESH)
        if settings.time_limit is not None:
            return cls(first=first, most=None)
        return cls(first=first, most=max(1, cls._fitting(size, left, workers)))

    @staticmethod
    def _fitting(size: Size, left: float, workers: int) -> int:
        """How many steps fit into so many seconds by their paces."""
        derived = 0.0
        for number, step in enumerate(course()):
            # The bound of more of them takes longer to be derived again.
            kept = max(0.0, step.derived(size) - derived)
            derived += kept
            left -= kept + step.seconds(size, workers)
            if left < 0:
                return number
        raise AssertionError("the course has no end")

    def rounds(self) -> Iterator[Step]:
        """Steps before the linear program, after the first one."""
        return islice(_rounds(), 1, self.most)

    def program(self) -> Iterator[Step]:
        """The linear program's steps, and those of releases it is rounded to."""
        before = sum(1 for _ in _rounds())
        return islice(_program(), None if self.most is None else max(0, self.most - before))
