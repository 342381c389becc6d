"""What is laid down before the first round: a course of small steps, and how far along it a limit comes.

The course is the same for every limit; a limit takes as many of its steps, from the first one on, as fit by
a table of paces alone. So a longer limit does all that a shorter one does, and more: what it finds is no
worse. No clock decides how many moves and rounds there are, so a release does not depend on one either, as
long as all of them end in time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from itertools import chain, islice, repeat

import numpy as np

from ....colgen.table import Rows
from ....limits import BLOCKS as LIMITS
from ....schedule import BLOCKS, WHOLE

__all__ = ["Kind", "Laid", "Size", "Step", "course"]


class Kind(Enum):
    """What a step does."""

    FRESH = "groups are made and moved, block by block"
    WARM = "they are moved in blocks across the old borders"
    SWEEP = "all boxes are gone through for the linear program"
    CUT = "the same under cuts; further ones are sought before the first time"
    ROUND = "the linear program is rounded; what it leaves out is grouped anew"
    COLD = "what it was rounded to is moved with little heat, in blocks"


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
        How often, at least 1.
    moves : int
        Per tuple, each time, at least 0; of a rounding: of those it leaves out (`rest`).
    """

    kind: Kind
    times: int = 1
    moves: int = 0

    def seconds(self, size: Size, workers: int) -> float:
        """Seconds that it takes each time by the paces of `schedule.InBlocks`, with so many workers."""
        if self.kind is Kind.FRESH:
            return size.moved(1, workers) * (BLOCKS.start.value + self.moves * BLOCKS.move.value)
        if self.kind in (Kind.WARM, Kind.COLD):
            return size.moved(1, workers) * (BLOCKS.round.value + self.moves * BLOCKS.move.value)
        if self.kind is Kind.ROUND:
            anew = len(LIMITS.anew) * BLOCKS.round.value + sum(self.rest) * BLOCKS.move.value
            return size.moved(LIMITS.rest, workers) * (BLOCKS.start.value + anew)
        steps = size.rows * BLOCKS.steps.value
        if self.kind is Kind.SWEEP:
            return size.swept * BLOCKS.sweep.value / workers + BLOCKS.waves.value + steps
        swept = size.swept * BLOCKS.cut_sweep.value + size.valued * size.rows * BLOCKS.cut_valued.value
        return swept / workers + BLOCKS.cut_waves.value + steps

    @property
    def rest(self) -> tuple[int, ...]:
        """Moves for tuples that a rounding leaves out, round by round."""
        return tuple(times * self.moves for times in LIMITS.anew)


def course() -> Iterator[list[Step]]:
    """Yield steps in their order: rounds of blocks, then phase after phase, the last one again and again."""
    yield [
        Step(kind=Kind.FRESH, moves=2 * LIMITS.moves),
        Step(kind=Kind.WARM, times=LIMITS.rounds, moves=LIMITS.moves),
    ]
    for sweeps, cuts, rest, moves in chain(LIMITS.phases, repeat(LIMITS.phases[-1])):
        yield [
            *([Step(kind=Kind.SWEEP, times=sweeps)] if sweeps else []),
            *[Step(kind=Kind.CUT, times=LIMITS.cut_sweeps)] * cuts,
            Step(kind=Kind.ROUND, moves=rest),
            Step(kind=Kind.COLD, times=len(LIMITS.cool), moves=moves),
        ]


@dataclass(frozen=True, kw_only=True)
class Laid:
    """The steps that a search in blocks takes.

    Attributes
    ----------
    moves : tuple of int
        Per tuple, in each round of blocks before the linear program.
    program : tuple of Step
        The linear program's, and those of releases it is rounded to.
    derived : float
        Seconds that are kept for deriving its bound again.
    """

    moves: tuple[int, ...]
    program: tuple[Step, ...] = ()
    derived: float = 0.0

    @classmethod
    def of(cls, size: Size, limit: float | None, workers: int) -> Laid:
        """As many steps as fit into a limit (seconds); without one the course, its last phase once.

        Parameters
        ----------
        size : Size
        limit : float or None
        workers : int
            Tasks at a time, at least 1.
        """
        if limit is None:
            return cls._first([*chain.from_iterable(islice(course(), 1 + len(LIMITS.phases)))], size)
        left = limit - WHOLE.kept(limit, size.tuples) - BLOCKS.alone.value * size.tuples
        left -= min(BLOCKS.heuristics.seconds(limit, 0.0), BLOCKS.heuristic.value * size.tuples)
        taken = list[Step]()
        for step in chain.from_iterable(course()):
            # The bound of more of them takes longer to be derived again.
            before = cls._first(taken, size).derived
            left -= cls._first([*taken, step], size).derived - before
            seconds = step.seconds(size, workers)
            times = max(0, min(step.times, int(left / seconds)))
            if times:
                taken.append(replace(step, times=times))
            if times < step.times:
                break
            left -= times * seconds
        return cls._first(taken or [Step(kind=Kind.FRESH)], size)

    @classmethod
    def _first(cls, steps: list[Step], size: Size) -> Laid:
        """These steps of the course."""
        before = {Kind.FRESH, Kind.WARM}
        program = tuple(step for step in steps if step.kind not in before)
        cut = any(step.kind is Kind.CUT for step in program)
        derived = size.swept * (BLOCKS.derived_cuts if cut else BLOCKS.derived).value
        return cls(
            moves=tuple(step.moves for step in steps if step.kind in before for _ in range(step.times)),
            program=program,
            derived=derived + cut * BLOCKS.cuts_read.value if program else 0.0,
        )
