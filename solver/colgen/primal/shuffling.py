"""Random order inside compiled code, by a generator whose state is an array."""

from __future__ import annotations

from random import Random

import numpy as np

from ....models.compiled import borrowing
from ....models.compiled_random import ONE, stepped
from ..covering import Ints

__all__ = ["shuffled", "state_of"]


def state_of(random: Random) -> Ints:
    """The state of the generator that compiled code shuffles by."""
    return np.array([random.randrange(1, ONE)], dtype=np.int64)


@borrowing
def shuffled(items: Ints, size: int, state: Ints) -> None:
    """Put the first `size` items into random order."""
    for last in range(size - 1, 0, -1):
        other = stepped(state) % (last + 1)
        items[last], items[other] = items[other], items[last]
