"""Rows of a table: which tuples share one, and in what order rows are."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import cast

import numpy as np
import pandas as pd
import pytest
from cases.trees import categories
from strategies import seeded

from optanon.instances.generators import clustered_table, generated_roles
from optanon.models.categories import Categories
from optanon.models.hierarchies import prefixes
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirements import KCAnonymity
from optanon.models.table import Microdata
from optanon.solver.colgen.limits import PRICING
from optanon.solver.colgen.table import Rows
from optanon.solver.verify.rows import CheckedRows


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


def of_trees(seed: int, column: Categories) -> Problem:
    """A table of an age and places under a hierarchy."""
    draw = np.random.default_rng(seed)
    leaves = draw.choice(column.hierarchy.leaves, 30)
    frame = pd.DataFrame({"id": range(30), "age": draw.integers(20, 60, 30), "place": leaves, "sick": "flu"})
    roles = {"age": "numeric", column.name: column}
    table = Microdata.from_frame(frame, respondent="id", quasi_identifiers=roles, sensitive="sick")
    return Problem(table=table, policy=Policy([KCAnonymity(k=3)]))


@pytest.mark.parametrize("seed", range(8))
def test_groups_cost_what_domains_say_under_hierarchies_of_any_shape(seed: int):
    source = seeded("costs", seed)
    problem = of_trees(seed, categories(source, source(1, 25)))
    rows, checked = Rows.of(problem), CheckedRows.of(problem.table, [1, 1])
    domains, boxes = problem.table.domains, checked.boxes
    for x in range(len(rows)):
        for y in range(x + 1, len(rows)):
            one, two = problem.table.codes[rows.tuples[x][0]], problem.table.codes[rows.tuples[y][0]]
            ends = list(zip(np.minimum(one, two).tolist(), np.maximum(one, two).tolist(), strict=True))
            width = sum(Fraction(d.units(*end), d.span) for d, end in zip(domains, ends, strict=True))
            assert rows.loss(rows.group_costs([(x, y)])[0]) == 2 * width
    known = np.unique(problem.table.codes[:, 1])
    priced = boxes.table[boxes.start[1] :][: len(known) ** 2].reshape(len(known), -1)
    lo, hi = np.minimum.outer(known, known), np.maximum.outer(known, known)
    units = cast("Categories", domains[1]).units_between(lo, hi)
    assert (priced == units * boxes.price[1]).all()


def test_only_nodes_over_several_codes_that_occur_are_measured(monkeypatch: pytest.MonkeyPatch):
    asked, units = list[tuple[int, int]](), Categories.units

    def counted(self: Categories, lo: int, hi: int) -> int:
        asked.append((lo, hi))
        return units(self, lo, hi)

    monkeypatch.setattr(Categories, "units", counted)
    hierarchy = prefixes(range(1000, 3000), [3, 2])
    Rows.of(of_trees(1, Categories(name="place", hierarchy=hierarchy)))
    assert 0 < len(asked) <= 30
