"""What is foreseen of a release: everybody's lives together, against closed forms and by enumeration."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import sqrt
from random import Random
from typing import Any

import numpy as np
import pytest
from oracle.series import people, table

from optanon.models.compiled_random import ONE
from optanon.models.history import History
from optanon.models.outlook import life
from optanon.models.outlook.asked import Outlook
from optanon.models.outlook.forecast import Forecast
from optanon.models.outlook.foreseen import drawn_lives, mean as mean_of, nine_in_ten
from optanon.models.outlook.prices import forbidden
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.release import Release
from optanon.models.requirements import HcSafety, WeakMInvariance
from optanon.models.structure import OverlapRule

SAFE = Policy([WeakMInvariance(m=3), HcSafety(n=2)], ["counterfeits", "information_loss"])
RULES = [rule for r in SAFE.requirements if (rule := r.structure().overlap) is not None]


def release_of(groups: int) -> Release:
    """So many groups of three people each, one for each value."""
    members = [p for i, v in enumerate("abc") for p in people(Random(i), groups, v, first=i * groups)]
    problem = Problem(table=table(members), policy=SAFE)
    return problem.assemble([[g, groups + g, 2 * groups + g] for g in range(groups)])


def coming(stays: float, *often: int) -> Forecast:
    """Of each value so many new people at each release for certain."""
    return Forecast(
        values=("a", "b", "c"),
        people=(5, 5, 5),
        survival=(int(stays * ONE),) * 3,
        refill=(0,) * 3,
        returns=0,
        trials=often,
        chance=(ONE,) * 3,
    )


def foreseen(*asked: Any) -> Fraction:
    return mean_of([sum(life) for life in drawn_lives(*asked)])


def drawn(
    groups: int, stays: float, often: tuple[int, ...], releases: int, rules: list[OverlapRule]
) -> Fraction:
    outlook = Outlook(releases=releases, draws=2_000)
    return foreseen(release_of(groups), History(), outlook, coming(stays, *often), rules, 3)


def fakes_of(kept: tuple[int, ...], groups: int) -> int:
    """Counterfeits of the next release, if those stay: joined groups may share more with an earlier one."""
    stay = [(i % 3, i // 3) for i, here in enumerate(kept) if here]
    value, group = [v for v, _ in stay], [g for _, g in stay]
    most = max((value.count(v) for v in range(3)), default=0)
    if most == 1 and any(group.count(g) == 2 for g in range(groups)):
        most = 2
    return 3 * most - len(stay)


@pytest.mark.parametrize("groups", [1, 2])
def test_one_release_is_what_all_departures_say(groups: int):
    stays = 0.8
    found = dict[int, float]()
    for kept in product((0, 1), repeat=3 * groups):
        fakes = fakes_of(kept, groups)
        chance = stays ** sum(kept) * (1 - stays) ** (3 * groups - sum(kept))
        found[fakes] = found.get(fakes, 0.0) + chance
    mean = sum(n * chance for n, chance in found.items())
    spread = sqrt(sum(n * n * chance for n, chance in found.items()) / 2_000)
    assert abs(float(drawn(groups, stays, (0, 0, 0), 1, RULES)) - mean) < 5 * spread
    bad = np.array(forbidden(RULES, 3, None))
    many, none = np.full(3, 5, dtype=np.int64), np.zeros(3, dtype=np.int64)
    survival, state = np.full(3, int(stays * ONE), dtype=np.int64), np.array([17], dtype=np.int64)
    alone = life.lives(groups, 3, 1, 2_000, many, survival, none, 0, bad, state)
    assert abs(alone / 2_000 - mean) < 5 * spread


def test_who_comes_is_foreseen():
    assert drawn(2, 1.0, (0, 0, 0), 3, RULES) == 0
    # One of each value: they begin a signature, or a group of one that there is.
    assert drawn(2, 1.0, (1, 1, 1), 3, RULES) == 0
    # One of a alone: two counterfeits more at each release, as nobody comes for b and c.
    assert drawn(2, 1.0, (1, 0, 0), 3, RULES) == 2 + 4 + 6
    # Somebody comes for each vacancy: nothing forbids them to sit there.
    assert drawn(1, 0.5, (3, 3, 3), 1, []) < drawn(1, 0.5, (0, 0, 0), 1, [])


def test_nine_of_ten_lives_are_told_where_there_are_enough():
    assert nine_in_ten([7] * 19) is None
    assert nine_in_ten([*range(100, 0, -1)]) == (6, 95)
    assert nine_in_ten([0, *[5] * 18, 90]) == (5, 5)
    drawn = drawn_lives(release_of(4), History(), Outlook(draws=200), coming(0.7, 1, 0, 2), RULES, 3)
    assert {len(life) for life in drawn} == {5}  # one number for each release to come
    lives = [sum(life) for life in drawn]
    assert len(lives) == 200
    low, high = nine_in_ten(lives) or (0, 0)
    assert 180 <= sum(low <= life <= high for life in lives) < 200
    assert low < mean_of(lives) < high


def test_the_next_release_is_the_first_of_all_lives():
    """It is drawn first, so it is what a shorter outlook draws; later ones need more where nobody comes."""
    members = [p for i, v in enumerate("abc") for p in people(Random(i), 4, v, first=i * 4)]
    policy = SAFE.changed(minimize=["counterfeits"], outlook=Outlook(releases=3, survival="7/10", draws=1))
    problem = Problem(table=table(members), policy=policy)
    release = problem.assemble([[g, 4 + g, 8 + g] for g in range(4)])
    (soon,), (all_,) = problem.lives(release, 1), problem.lives(release)
    shorter = policy.changed(outlook=Outlook(releases=1, survival="7/10", draws=1))
    assert (soon,) == Problem(table=table(members), policy=shorter).lives(release)
    assert problem.lives(release, 3) == (all_,)
    assert soon <= all_


def test_values_that_only_counterfeits_have():
    """Nobody has c: its counterfeit is needed at every release, and four if the two may not stay together."""
    members = [p for i, v in enumerate("ab") for p in people(Random(i), 1, v, first=i)]
    problem = Problem(table=table(members), policy=SAFE)
    release = problem.assemble([[0, 1]], [{"c": 1}])
    known = Forecast(
        values=("a", "b"),
        people=(1, 1),
        survival=(ONE, ONE),
        refill=(0, 0),
        returns=0,
        trials=(0, 0),
        chance=(0, 0),
    )
    assert foreseen(release, History(), Outlook(releases=4), known, [], 3) == 4
    assert foreseen(release, History(), Outlook(releases=4), known, RULES, 3) == 16


def test_groups_that_may_not_join_need_more():
    """With each value once in a group there is no other way than one more group."""
    plain, often = forbidden(RULES, 3, None), forbidden(RULES, 3, 1)
    assert (len(plain), len(often)) == (2, 1)
    assert [shared for shared, no in enumerate(plain[0][0]) if no] == [2]
    assert [shared for shared, no in enumerate(plain[1][1]) if no] == [5]
    outlook = Outlook(releases=3, draws=300)
    once, joined = (
        foreseen(release_of(4), History(), outlook, coming(0.7, 0, 0, 0), RULES, 3, multiplicity)
        for multiplicity in (1, None)
    )
    assert once > joined > 0


def test_earlier_meetings_are_known():
    """After two releases those who met in the first must not meet again in part."""
    first = release_of(3)
    members = [p for i, v in enumerate("abc") for p in people(Random(i), 3, v, first=i * 3)]
    problem = Problem(table=table(members), policy=SAFE)
    at = {m.respondent: t for t, m in enumerate(problem.table.members)}
    grid = [[at[m.respondent] for m in sorted(g.members, key=lambda m: m.value)] for g in first.groups]
    history = History()
    history.append(first)
    shifted = problem.assemble([[grid[(g + i) % 3][i] for i in range(3)] for g in range(3)])
    outlook = Outlook(releases=1, draws=1_000)
    known, unknown = (
        foreseen(shifted, past, outlook, coming(0.8, 0, 0, 0), RULES, 3, 1) for past in (history, History())
    )
    assert known >= unknown
    assert known == foreseen(shifted, history, outlook, coming(0.8, 0, 0, 0), RULES, 3, 1)


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_groups_and_members_says_nothing(seed: int):
    """Read back from files they stand in another one; values twice in a group, and people with a past."""
    random = Random(seed)
    members = [p for i, v in enumerate("abc") for p in people(Random(i), 8, v, first=i * 8)]
    problem = Problem(table=table(members), policy=SAFE)
    at = {v: [t for t, m in enumerate(problem.table.members) if m.value == v] for v in "abc"}
    history = History()
    history.append(problem.assemble([[at[v][g] for v in "abc"] for g in range(8)]))
    for rows in at.values():
        random.shuffle(rows)
    release = problem.assemble([[t for v in "abc" for t in at[v][2 * g : 2 * g + 2]] for g in range(4)])
    outlook, told = Outlook(releases=3, draws=200), set[tuple[tuple[int, ...], ...]]()
    for _ in range(5):
        told.add(drawn_lives(release, history, outlook, coming(0.7, 1, 2, 0), RULES, 3, 2))
        groups = [replace(g, members=tuple(random.sample(g.members, len(g.members)))) for g in release.groups]
        release = replace(release, groups=tuple(random.sample(groups, len(groups))))
    assert len(told) == 1
