"""The quick answer whether a few groups leave a world, against listing all tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product
from random import Random

import numpy as np
import pytest
from cases.audits import local_series, possible

from optanon.solver.insight.audit import explain_value as explaining
from optanon.solver.insight.audit.explain_value import explain_value
from optanon.solver.worlds.few_groups import EXCLUDED, POSSIBLE, any_world


def _shares(size: int, values: int) -> Iterator[tuple[int, ...]]:
    if values == 1:
        yield (size,)
        return
    for first in range(size + 1):
        for rest in _shares(size - first, values - 1):
            yield (first, *rest)


def test_small_tables_equal_enumeration() -> None:
    random = Random(5)
    seen = Counter[int]()
    for _ in range(1500):
        cells, values, groups = random.choice([2, 3, 4]), random.choice([2, 3]), random.choice([2, 3, 4])
        place = np.array([[random.randrange(-1, groups) for _ in range(2)] for _ in range(cells)])
        place[place[:, 0] == place[:, 1], 1] = -1  # in one group of each release
        sizes = np.array([random.choice([1, 1, 2, 3]) for _ in range(cells)])
        allowed = np.array([[random.random() < 0.8 for _ in range(values)] for _ in range(cells)])
        high = np.array([[random.choice([0, 1, 1, 2, 3]) for _ in range(values)] for _ in range(groups)])
        low = np.maximum(high - random.choice([0, 0, 1]), 0)
        active = np.array([random.random() < 0.8 for _ in range(groups)])
        here = [c for c in range(cells) if any(g >= 0 and active[g] for g in place[c])]
        fits = False
        for table in product(*(list(_shares(int(sizes[c]), values)) for c in here)):
            if any(
                x and not allowed[c, v] for c, x_ in zip(here, table, strict=True) for v, x in enumerate(x_)
            ):
                continue
            sums = np.zeros((groups, values), dtype=np.int64)
            for c, counts in zip(here, table, strict=True):
                for g in place[c]:
                    if g >= 0:
                        sums[g] += counts
            if ((low <= sums) & (sums <= high))[active].all():
                fits = True
                break
        found = any_world(place, sizes, allowed, low, high, active)
        assert found == (POSSIBLE if fits else EXCLUDED)
        seen[found] += 1
    assert min(seen[POSSIBLE], seen[EXCLUDED]) > 100


@pytest.mark.parametrize("seed", range(3))
def test_explanations_are_those_of_the_slower_ways(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    found = possible(local_series(Random(70 + seed), 40, 3, 4))
    people = found.population
    asked = [(who, value) for who in list(people.cell_of)[::3] for value in people.values]
    quick = [explain_value(people, who, [value]) for who, value in asked]
    assert any(why is not None and len(why.groups) > 1 for why in quick)
    monkeypatch.setattr(explaining, "SEVERAL", 0)
    assert [explain_value(people, who, [value]) for who, value in asked] == quick
