"""The best of two releases, part by part."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from optanon.instances.generators import clustered_table, generated_roles
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirements import KCAnonymity
from optanon.solver.colgen.primal.crossing import crossed
from optanon.solver.colgen.table import Rows

Group = tuple[int, ...]


def rows_of(tuples: int) -> Rows:
    problem = Problem(
        table=generated_roles().table(clustered_table(tuples, seed=3)), policy=Policy([KCAnonymity(k=2)])
    )
    return Rows.of(problem, blind=True)


def drawn(rows: Rows, random: np.random.Generator, within: int) -> list[Group]:
    """Groups of two to three neighbours, drawn anew in each stretch of so many tuples."""
    units = np.repeat(np.arange(len(rows)), rows.count)
    found = list[Group]()
    for at in range(0, len(units), within):
        own = random.permutation(units[at : at + within]).tolist()
        ends = [*range(0, max(1, len(own) - 3), 2), len(own)]
        found += [tuple(own[a:b]) for a, b in pairwise(ends)]
    return found


def published(groups: list[Group]) -> list[int]:
    return sorted(row for group in groups for row in group)


@pytest.mark.parametrize("seed", range(12))
def test_each_part_is_as_cheap_as_in_the_cheaper_release(seed: int):
    rows, random = rows_of(60), np.random.default_rng(seed)
    one, other = (drawn(rows, random, 6) for _ in range(2))
    found = crossed(rows, one, other)
    assert published(found) == published(one)
    assert sum(rows.group_costs(found)) <= min(sum(rows.group_costs(one)), sum(rows.group_costs(other)))
    known = {tuple(sorted(group)) for group in (*one, *other)}
    assert all(tuple(sorted(group)) in known for group in found)
    # Stretches that share no row with others are parts: each is the cheaper one.
    assert sum(rows.group_costs(found)) == least(rows, one, other)


def least(rows: Rows, one: list[Group], other: list[Group]) -> int:
    """The least cost of any choice between the two, component by component, found without sparse graphs."""
    left = [[tuple(sorted(g)) for g in groups] for groups in (one, other)]
    common = [g for g in left[0] if left[1].count(g) and not left[1].remove(g)]
    for g in common:
        left[0].remove(g)
    parts = list[tuple[set[int], list[list[Group]]]]()
    for side, group in ((s, g) for s in (0, 1) for g in left[s]):
        near = [part for part in parts if part[0] & set(group)]
        joined = (
            set(group).union(*(p[0] for p in near)),
            [[g for p in near for g in p[1][s]] for s in (0, 1)],
        )
        joined[1][side].append(group)
        parts = [part for part in parts if part not in near] + [joined]
    total = sum(rows.group_costs(common)) if common else 0
    return total + sum(
        min(sum(rows.group_costs(groups)) if groups else 0 for groups in sides) for _, sides in parts
    )


def test_the_same_release_crossed_with_itself_stays_as_it_is():
    rows = rows_of(20)
    groups = drawn(rows, np.random.default_rng(1), 10)
    assert crossed(rows, groups, [tuple(reversed(group)) for group in groups]) == groups
