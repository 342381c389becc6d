"""Rows of a table: which tuples share one, and in what order rows are."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from optanon.instances.generators import clustered_table, generated_roles
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirements import KCAnonymity
from optanon.solver.colgen.limits import PRICING
from optanon.solver.colgen.table import Rows


@pytest.mark.parametrize("apart", [0, 1, 3])
@pytest.mark.parametrize("blind", [True, False])
def test_tuples_that_are_alike_share_a_row_unless_they_are_few(blind: bool, apart: int):
    table = generated_roles().table(clustered_table(400, seed=1))
    kinds = [t % 2 for t in range(400)]
    problem = Problem(table=table, policy=Policy([KCAnonymity(k=3)]))
    rows = Rows.of(problem, blind=blind, apart=apart, kinds=kinds, unpriced=[0])
    points = table.codes.copy()
    points[:, 0] = 0
    values = ["" if blind else member.value for member in table.members]
    alike = Counter(zip(map(tuple, points.tolist()), kinds, values, strict=True))
    assert sorted(t for own in rows.tuples for t in own) == list(range(400))
    assert rows.count.tolist() == [len(own) for own in rows.tuples]
    for own in rows.tuples:
        (kind,) = {(tuple(points[t].tolist()), kinds[t], values[t]) for t in own}
        assert list(own) == sorted(own)
        assert len(own) == (1 if alike[kind] <= apart else alike[kind])
    assert len(rows) == sum(many if many <= apart else 1 for many in alike.values())


def test_rows_of_a_cell_are_halves_of_halves_by_the_widest_side():
    table = generated_roles().table(clustered_table(400, seed=1))
    rows = Rows.of(Problem(table=table, policy=Policy([KCAnonymity(k=3)])), blind=True)
    sizes = np.diff(rows.cells.start)
    assert sizes.max() <= PRICING.cell
    assert sizes.max() - sizes.min() <= 1
    assert (rows.geometry.tree < 0).any()
    middle = rows.cells.start[len(sizes) // 2]
    step = np.where(rows.geometry.tree < 0, rows.geometry.weight, 0)
    assert (
        (rows.geometry.codes[:middle] * step).max(0) <= (rows.geometry.codes[middle:] * step).min(0)
    ).any()
