"""First groups of points: cut off one after the other, around the row furthest from the others."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from optanon.solver.colgen.column import Group
from optanon.solver.colgen.points.table import PointRows
from optanon.solver.engines.partition.points.search import halved


def rows_of(random: np.random.Generator, many: int) -> PointRows:
    codes = random.integers(0, 12, (many, 2))
    pairs = ((codes[:, None] - codes[None]) ** 2).sum(axis=2).astype(np.int64)
    ones = np.ones(many, dtype=np.int64)
    return PointRows(codes=codes, prices=(), pairs=pairs, count=ones, tuples=tuple((t,) for t in range(many)))


def by_definition(rows: PointRows, group: Group, k: int) -> list[Group]:
    left, found = sorted(group), list[Group]()
    while len(left) >= 2 * k:
        far = max(left, key=lambda row: (sum(int(rows.pairs[row, other]) for other in left), -row))
        near = sorted(range(len(left)), key=lambda at: (int(rows.pairs[far, left[at]]), at))[:k]
        found.append(tuple(sorted(left[at] for at in near)))
        left = [row for at, row in enumerate(left) if at not in near]
    return [*found, tuple(left)]


@pytest.mark.parametrize("seed", range(20))
def test_rows_go_with_those_around_the_furthest(seed: int):
    random = np.random.default_rng(seed)
    rows = rows_of(random, 9)
    group = tuple(sorted(random.integers(0, 9, 5 + seed).tolist()))
    assert halved(rows, group, 2 + seed % 3) == by_definition(rows, group, 2 + seed % 3)


def test_distances_of_all_pairs_are_not_written_down_again():
    """For each group they were: the cube of the rows in all, before any look at the clock."""
    rows = rows_of(np.random.default_rng(1), 400)
    tracemalloc.start()
    try:
        assert len(halved(rows, tuple(range(400)), 3)) == 133
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < rows.pairs.nbytes // 4
