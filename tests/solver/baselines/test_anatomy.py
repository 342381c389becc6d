"""Anatomy's bucketization."""

from __future__ import annotations

from collections import Counter
from random import Random

from optanon.solver.baselines.anatomy import bucketize


def test_groups_hold_different_values_and_every_row_once() -> None:
    random = Random(0)
    eligible = 0
    for trial in range(200):
        l = random.randint(1, 4)  # noqa: E741
        values = [random.choice("aabcdefg") for _ in range(random.randint(1, 40))]
        groups = bucketize(values, l, trial)
        assert (groups is None) == (l * max(Counter(values).values()) > len(values))
        if groups is None:
            continue
        eligible += 1
        assert sorted(row for group in groups for row in group) == list(range(len(values)))
        for group in groups:
            assert l <= len({values[row] for row in group}) == len(group)
        # Fewer than l rows are left over when the groups of l are full.
        assert len(groups) == len(values) // l
    assert eligible > 80


def test_seed_decides() -> None:
    values = list("abcdefgh") * 5
    assert bucketize(values, 3, 1) == bucketize(values, 3, 1)
    assert bucketize(values, 3, 1) != bucketize(values, 3, 2)
