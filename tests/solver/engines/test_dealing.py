"""Families dealt without search: everybody has a seat, and no counterfeit is made that eligibility spares."""

from __future__ import annotations

from collections import Counter
from random import Random

import numpy as np
import pytest

from optanon.solver.engines.partition.ahead.dealing import signatures_dealt


@pytest.mark.parametrize("seed", range(60))
def test_values_are_dealt_with_the_fewest_counterfeits(seed: int):
    random = Random(seed)
    least, values = random.randint(2, 6), random.randint(6, 12)
    people = np.array([random.choice((0, 1, 2, 3, 5, 40)) for _ in range(values)], dtype=np.int64)
    found = signatures_dealt(people, least)
    seats = Counter[int]()
    for signature, groups in found.items():
        assert len(set(signature)) == len(signature) >= least
        assert groups >= 1
        for v in signature:
            seats[v] += groups
    assert all(seats[v] >= n for v, n in enumerate(people.tolist()))
    everybody = int(people.sum())
    assert seats.total() == max(everybody, least * int(people.max()))
