"""Random numbers inside compiled code: a multiplicative congruential generator (Lehmer; Park and Miller)."""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .compiled import borrowing

__all__ = ["ONE", "stepped"]

ONE = 2_147_483_647
"""All numbers are from 1 on and below this, and so is the state to begin with."""


@borrowing
def stepped(state: NDArray[np.int64]) -> int:
    """The next number; the state is an array of one."""
    state[0] = state[0] * 48271 % ONE
    return state[0]
