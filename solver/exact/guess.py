"""A solution of an integer program on the word of HiGHS: something to begin with."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csc_array

from ..backends.highs import INFINITY, best_integers
from .program import FREE, Ints, Program

__all__ = ["guessed"]


def guessed(program: Program, seconds: float | None = None, seed: int = 0) -> Ints | None:
    """A solution that HiGHS' branch and bound finds, in whole numbers; None if it finds none.

    It keeps all rows and ends; that it is the cheapest must be proved.
    """
    found = best_integers(
        program.cost.astype(float),
        program.lower.astype(float),
        program.upper.astype(float),
        csc_array(program.matrix),
        np.where(program.low <= -FREE, -INFINITY, program.low.astype(float)),
        np.where(program.high >= FREE, INFINITY, program.high.astype(float)),
        seed=seed,
        seconds=seconds,
    )
    return found.x if found.x is not None and program.holds(found.x) else None
