"""What is laid down before the first round: it follows from the time limit and a table of paces alone.

How many moves and rounds there are never depends on a clock, so a release does not either, as long as all
of them end in time.
"""

from __future__ import annotations

from dataclasses import dataclass

from ....limits import BLOCKS as LIMITS
from ....schedule import BLOCKS, Share

__all__ = ["Laid", "moves_of_rounds"]


@dataclass(frozen=True, kw_only=True)
class Laid:
    """Moves and rounds of a search in blocks.

    Attributes
    ----------
    moves : tuple of int
        Per tuple, in each round of blocks before the linear program.
    generations : int
        Rounds of the linear program of the whole table before it is rounded.
    cold : int
        Moves per tuple in each round of blocks after that; 0 if it is not rounded, but proves only.
    cuts : int
        How often cuts are sought before it is rounded again.
    """

    moves: tuple[int, ...]
    generations: int
    cold: int
    cuts: int

    @classmethod
    def of(cls, tuples: int, rows: int, limit: float | None, workers: int) -> Laid:
        """For so many tuples, so many of them different.

        Where the linear program cannot end, most of the time is for moves, and it only proves what it can.
        """
        if limit is None:
            return cls(
                moves=moves_of_rounds(tuples, None, workers),
                generations=LIMITS.generations,
                cold=LIMITS.unlimited,
                cuts=LIMITS.cuts,
            )
        each = rows * (BLOCKS.sweep.value / workers + BLOCKS.steps.value)
        generations = min(LIMITS.generations, int(BLOCKS.program.seconds(limit, 0.0) / each))
        if generations < LIMITS.rounded:
            return cls(
                moves=moves_of_rounds(tuples, limit, workers),
                generations=LIMITS.generations,
                cold=0,
                cuts=0,
            )
        cold = workers * BLOCKS.cooled.seconds(limit, 0.0) / tuples
        cold = cold / (2 * LIMITS.cooled) - BLOCKS.round.value
        each = rows * (BLOCKS.cut_sweep.value / workers + BLOCKS.steps.value)
        return cls(
            moves=moves_of_rounds(tuples, limit, workers, BLOCKS.brief),
            generations=generations,
            cold=max(1, int(cold / BLOCKS.move.value)),
            cuts=min(LIMITS.cuts, int(BLOCKS.cuts.seconds(limit, 0.0) / (LIMITS.cut_sweeps * each))),
        )


def moves_of_rounds(
    tuples: int, limit: float | None, workers: int, share: Share = BLOCKS.release
) -> tuple[int, ...]:
    """Moves per tuple, round by round: what fits into a share of a time limit by the table of paces.

    Many short rounds reach more than a few long ones: it is at the borders that most is lost. The first one
    has twice the moves of the others.
    """
    if limit is None:
        return 2 * LIMITS.unlimited, *[LIMITS.unlimited] * (LIMITS.rounds - 1)
    seconds = share.seconds(limit, 0.0) - BLOCKS.alone.value * tuples
    each = max(0.0, workers * seconds / tuples - BLOCKS.start.value)
    rounds = int(each / (BLOCKS.round.value + LIMITS.fewest * BLOCKS.move.value))
    rounds = min(max(1, rounds), LIMITS.rounds)
    moves = int(max(0.0, each - rounds * BLOCKS.round.value) / ((rounds + 1) * BLOCKS.move.value))
    return 2 * moves, *[moves] * (rounds - 1)
