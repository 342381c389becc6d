"""The best state that was met is recalled, however changes since are written down."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from optanon.solver.colgen.primal.journal import begun, exchanged, lost, marked, paired, recalled


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("moves", [50, 9_000, 30_000])
def test_the_state_marked_last_is_recalled(seed: int, moves: int):
    """Rooms hold 4,096 lines: they are full many times, also with nothing better for long."""
    random = Random(seed)
    groups, wide = 7, 4
    who = np.arange(groups * wide, dtype=np.int64).reshape(groups, wide)
    mate = np.full(groups, -1, dtype=np.int64)
    journal, best = begun(who, mate), (who.copy(), mate.copy())
    copied = 0
    for _ in range(moves):
        what = random.random()
        if what < 0.8:
            one, other = (random.randrange(groups * wide) for _ in range(2))
            who.flat[one], who.flat[other] = who.flat[other], who.flat[one]
            exchanged(journal, one, other)
        elif what < 0.99:
            first, second = sorted(random.sample(range(groups), 2))
            if mate[first] == second:
                mate[first], mate[second] = -1, -1
            elif mate[first] < 0 and mate[second] < 0:
                mate[first], mate[second] = second, first
            else:
                continue
            paired(journal, first, second)
        elif what < 0.9905:
            who[:] = who[::-1].copy()
            lost(journal)
        if random.random() < (0.0001 if seed % 2 else 0.05):
            copied += marked(journal, who, mate)
            best = who.copy(), mate.copy()
    assert copied or moves < 100 or seed % 2
    recalled(journal, who, mate)
    assert (who.tolist(), mate.tolist()) == (best[0].tolist(), best[1].tolist())
