"""What is laid down before the first round: it follows from the time limit and a table of paces alone.

How many moves and rounds there are never depends on a clock, so a release does not either, as long as all
of them end in time.
"""

from __future__ import annotations

from dataclasses import dataclass

from ....limits import BLOCKS as LIMITS
from ....schedule import BLOCKS, WHOLE
from ....shares import Share

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
    cuts : int
        How often cuts are sought before it is rounded again.
    rest : tuple of int
        Moves in each round for a tuple that is in none of the groups that are taken then.
    cold : tuple of int
        Moves per tuple in each round of blocks after that; none if it is not rounded, but proves only.
    """

    moves: tuple[int, ...]
    generations: int
    cuts: int = 0
    rest: tuple[int, ...] = ()
    cold: tuple[int, ...] = ()

    @classmethod
    def of(cls, tuples: int, rows: int, limit: float | None, workers: int) -> Laid:
        """For so many tuples, so many of them different.

        Where the linear program cannot end, most of the time is for moves, and it only proves what it can.
        Where there is no time for cuts, the other steps get theirs.
        """
        if limit is None:
            return cls(
                moves=moves_of_rounds(tuples, None, workers),
                generations=LIMITS.generations,
                cuts=LIMITS.cuts,
                rest=rest_moves(LIMITS.unlimited),
                cold=(LIMITS.unlimited,) * len(LIMITS.cool),
            )
        left = limit - WHOLE.kept(limit, tuples) - BLOCKS.alone.value * tuples
        cut, uncut = (
            max(0.0, left - seconds.value * rows) for seconds in (BLOCKS.derived_cuts, BLOCKS.derived)
        )
        each = rows * (BLOCKS.cut_sweep.value / workers + BLOCKS.steps.value)
        cuts = min(LIMITS.cuts, int(BLOCKS.cuts.seconds(cut, 0.0) / (LIMITS.cut_sweeps * each)))
        found = cls._rounded(tuples, rows, cut, workers, cuts, 1.0) if cuts else None
        found = found or cls._rounded(tuples, rows, uncut, workers, 0, BLOCKS.uncut.value)
        return found or cls(
            moves=moves_of_rounds(tuples, uncut, workers),
            generations=LIMITS.generations,
        )

    @classmethod
    def _rounded(
        cls, tuples: int, rows: int, limit: float, workers: int, cuts: int, times: float
    ) -> Laid | None:
        """With so many times the shares of a limit; None if the linear program is not solved nearly."""
        each = rows * (BLOCKS.sweep.value / workers + BLOCKS.steps.value)
        generations = min(LIMITS.generations, int(times * BLOCKS.program.seconds(limit, 0.0) / each))
        if generations < LIMITS.rounded:
            return None
        per_tuple = times * workers * BLOCKS.cooled.seconds(limit, 0.0) / tuples
        cold = int(per_tuple / (BLOCKS.round.value + LIMITS.fewest * BLOCKS.move.value))
        cold = min(max(1, cold), len(LIMITS.cool))
        moves = int((per_tuple / cold - BLOCKS.round.value) / BLOCKS.move.value)
        per_tuple = times * workers * BLOCKS.rest.seconds(limit, 0.0) / (LIMITS.rest * tuples)
        rest = per_tuple - BLOCKS.start.value - len(LIMITS.anew) * BLOCKS.round.value
        return cls(
            moves=moves_of_rounds(tuples, times * limit, workers, BLOCKS.brief),
            generations=generations,
            cuts=cuts,
            rest=rest_moves(max(1, int(rest / BLOCKS.move.value / sum(LIMITS.anew)))),
            cold=(max(1, moves),) * cold,
        )


def rest_moves(moves: int) -> tuple[int, ...]:
    """Round by round."""
    return tuple(times * moves for times in LIMITS.anew)


def moves_of_rounds(
    tuples: int, limit: float | None, workers: int, share: Share = BLOCKS.release
) -> tuple[int, ...]:
    """Moves per tuple, round by round: what fits into a share of a time limit by the table of paces.

    Many short rounds reach more than a few long ones: it is at the borders that most is lost. The first one
    has twice the moves of the others.
    """
    if limit is None:
        return 2 * LIMITS.unlimited, *[LIMITS.unlimited] * (LIMITS.rounds - 1)
    each = max(0.0, workers * share.seconds(limit, 0.0) / tuples - BLOCKS.start.value)
    rounds = int(each / (BLOCKS.round.value + LIMITS.fewest * BLOCKS.move.value))
    rounds = min(max(1, rounds), LIMITS.rounds)
    moves = int(max(0.0, each - rounds * BLOCKS.round.value) / ((rounds + 1) * BLOCKS.move.value))
    return 2 * moves, *[moves] * (rounds - 1)
