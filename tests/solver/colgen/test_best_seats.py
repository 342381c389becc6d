"""The best state that was met is kept, however groups changed since."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from optanon.solver.colgen.primal.best_seats import best_seats, changed, changed_all, kept


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("often", [0.5, 0.01])
def test_the_state_kept_last_is_there(seed: int, often: float):
    """Kept often, few groups have changed; kept rarely, more changes than there is room for."""
    random = Random(seed)
    groups, wide = 30, 4
    who = np.arange(groups * wide, dtype=np.int64).reshape(groups, wide)
    mate = np.full(groups, -1, dtype=np.int64)
    state, copied, times = best_seats(who, mate), 0, 0
    for _ in range(2_000):
        what, (q, r) = random.random(), sorted(random.sample(range(groups), 2))
        if what < 0.8:
            i, j = random.randrange(wide), random.randrange(wide)
            who[q, i], who[r, j] = who[r, j], who[q, i]
            changed(state, q, r)
        elif what < 0.99 and mate[q] == r:
            mate[q], mate[r] = -1, -1
            changed(state, q, r)
        elif what < 0.99 and mate[q] < 0 and mate[r] < 0:
            mate[q], mate[r] = r, q
            changed(state, q, r)
        elif what > 0.99:
            who[:] = who[::-1].copy()
            changed_all(state)
        if random.random() < often:
            copied, times = copied + kept(state, who, mate), times + 1
            assert (state.who.tolist(), state.mate.tolist()) == (who.tolist(), mate.tolist())
    assert 0 < copied < times
