"""Tuples left over: each goes where it costs least, as one would look for it by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from oracle.partition import random_problem

from optanon import Microdata, Policy
from optanon.models.problem import Problem
from optanon.models.requirement import Requirement
from optanon.models.requirements import DistinctLDiversity, KCAnonymity
from optanon.solver.colgen.primal.left_over import gathered, joined
from optanon.solver.colgen.primal.regrouping import regrouped
from optanon.solver.colgen.primal.start import halved
from optanon.solver.colgen.primal.ties import tied
from optanon.solver.colgen.structure.histograms import Judge
from optanon.solver.colgen.table import Rows
from optanon.solver.settings import Clock

POLICIES = (
    [KCAnonymity(k=4)],
    [KCAnonymity(k=3, c=Fraction(1, 2))],
    [KCAnonymity(k=3), DistinctLDiversity(l=2)],
)


@pytest.mark.parametrize("policy", POLICIES, ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_each_goes_where_it_costs_least(policy: Sequence[Requirement], seed: int):
    judge = Judge(random_problem(seed, 60, policy))
    rows = Rows.of(judge.problem, blind=judge.blind)
    groups = halved(rows, judge)
    assert groups is not None
    found, expected = [list(group) for group in groups], [list(group) for group in groups]
    left = np.random.default_rng(seed).integers(len(rows), size=25).tolist()
    rest = joined(rows, judge, found, left, rows.value)
    for place, r in enumerate(left):
        able = [at for at, group in enumerate(expected) if admitted(judge, rows, [*group, r])]
        if not able:
            assert rest == left[place:]
            break
        best = min(able, key=lambda at: more(rows, expected[at], r))
        expected[best].append(r)
    else:
        assert rest == []
    assert found == expected


def admitted(judge: Judge, rows: Rows, group: list[int]) -> bool:
    wide = 1 if judge.blind else len(judge.names)
    return judge.admits(tuple(np.bincount(rows.value[group], minlength=wide).tolist()))


def more(rows: Rows, group: list[int], r: int) -> int:
    before, after = rows.group_costs([tuple(group), (*group, r)])
    return after - before


@pytest.mark.parametrize("policy", POLICIES, ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_what_is_left_is_grouped_by_itself(policy: Sequence[Requirement], seed: int):
    judge = Judge(random_problem(seed, 60, policy))
    rows = Rows.of(judge.problem, blind=judge.blind)
    groups = halved(rows, judge)
    assert groups is not None
    kept, given = groups[::2], groups[1::2]
    left = np.array([row for group in given for row in group], dtype=np.int64)
    found = regrouped(rows, judge, kept, left, dear=1.0, seed=seed, clock=Clock())
    assert found is not None
    assert found[: len(kept)] == kept
    assert Counter(row for group in found for row in group) == Counter(dict(enumerate(rows.count.tolist())))
    assert all(admitted(judge, rows, list(group)) for group in found)
    part = rows.part(*np.unique(left, return_counts=True))
    begun = tied(part, judge, dear=1.0, clock=Clock())
    assert begun is not None
    assert sum(rows.group_costs(found[len(kept) :])) <= sum(part.group_costs(begun))


def test_groups_are_given_up_until_what_is_left_can_be_released():
    table = {"age": list(range(24)), "disease": ["flu"] * 12 + ["cold"] * 12}
    frame = pd.DataFrame({"id": [f"p{i}" for i in range(24)], **table})
    data = Microdata.from_frame(
        frame, respondent="id", quasi_identifiers={"age": "numeric"}, sensitive="disease"
    )
    judge = Judge(Problem(table=data, policy=Policy([KCAnonymity(k=2, c=Fraction(1, 2))])))
    rows = Rows.of(judge.problem, blind=judge.blind)
    flu, cold = (np.flatnonzero(rows.value == value).tolist() for value in (0, 1))
    pairs = [tuple(sorted(pair)) for pair in zip(flu[:10], cold[:10], strict=True)]
    left = np.array([*flu[10:], *cold[10:]], dtype=np.int64)
    one_kind = np.array([*flu[10:], cold[9]], dtype=np.int64)
    found = regrouped(rows, judge, pairs, left, dear=1.0, seed=0, clock=Clock())
    assert found is not None
    assert found[:10] == pairs
    # Two of a kind and one of the other: the last pairs are given up, and that never helps.
    assert regrouped(rows, judge, pairs[:9], one_kind, dear=1.0, seed=0, clock=Clock()) is None
    # A pair of one kind that is no group: what was left needs another one.
    mixed = [*pairs[:9], tuple(sorted((cold[10], cold[11])))]
    found = regrouped(
        rows, judge, mixed, np.array([*flu[9:], cold[9]], dtype=np.int64), dear=1.0, seed=0, clock=Clock()
    )
    assert found is not None
    assert found[:9] == mixed[:9]
    assert Counter(row for group in found for row in group) == Counter(range(24))
    assert all(admitted(judge, rows, list(group)) for group in found)
    late = Clock(1e-9)
    assert regrouped(rows, judge, pairs, left, dear=1.0, seed=0, clock=late) is None


def test_when_time_is_over_nobody_is_put_anywhere():
    judge = Judge(random_problem(0, 60))
    rows = Rows.of(judge.problem, blind=judge.blind)
    groups = [list(group) for group in halved(rows, judge) or ()]
    sizes = list(map(len, groups))
    assert joined(rows, judge, groups, [0, 1], rows.value, Clock(0.0)) == [0, 1]
    assert list(map(len, groups)) == sizes


@pytest.mark.parametrize("policy", POLICIES, ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_near_tuples_become_groups_of_their_own_where_none_may_grow(policy: Sequence[Requirement], seed: int):
    judge = Judge(random_problem(seed, 60, policy))
    rows = Rows.of(judge.problem, blind=judge.blind)
    left = np.random.default_rng(seed).integers(len(rows), size=25).tolist()
    groups, rest = gathered(rows, judge, left, rows.value)
    assert Counter(r for group in groups for r in group) + Counter(rest) == Counter(left)
    assert all(admitted(judge, rows, group) for group in groups)
    if not judge.blind:
        return  # those of rare values may be in groups of others, and no small group be left
    assert len(rest) < judge.least
    cost = sum(len(group) * int(rows.box_cost(*ends(rows, group))) for group in groups)
    at_random = [left[at : at + judge.least] for at in range(0, len(left) - len(rest), judge.least)]
    assert cost < sum(len(group) * int(rows.box_cost(*ends(rows, group))) for group in at_random)


def ends(rows: Rows, group: list[int]) -> tuple[Any, Any]:
    codes = rows.geometry.codes[group]
    return codes.min(axis=0), codes.max(axis=0)
