"""What nobody avoids: against releases that are best for their history, and worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random

import oracle.brute_force as bf
import pytest
from oracle.series import people, table

from optanon.models.history import History
from optanon.models.outlook.asked import Outlook
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirements import HcSafety, KCAnonymity, WeakMInvariance
from optanon.models.table import Microdata
from optanon.solver.engines.partition.ahead.hindsight import hindsight, unavoidable
from optanon.solver.search import solve_problem
from optanon.solver.settings import Clock

LEVELS = ["counterfeits", "information_loss"]
SAFE = Policy([WeakMInvariance(m=2), HcSafety(n=1)], LEVELS)


def part(whole: Microdata, rows: list[int]) -> Microdata:
    return replace(whole, members=tuple(whole.members[r] for r in rows), codes=whole.codes[rows])


@pytest.mark.parametrize("seed", range(5))
def test_no_series_of_releases_invents_fewer(seed: int):
    """Each release is optimal for its own history; somebody who comes later may take a vacancy."""
    random = Random(seed)
    whole = table(people(random, 8, "abc"))
    rows = [sorted(random.sample(range(8), 5)) for _ in range(3)]
    tables, history = [part(whole, some) for some in rows], History()
    came, least = list[int](), list[int]()
    for number, here in enumerate(tables):
        found = unavoidable(SAFE, tables[number:], history)
        assert found is not None
        least.append(found)
        release = solve_problem(Problem(table=here, policy=SAFE, history=history), display=False).release
        assert release is not None
        came.append(release.counterfeits)
        history.append(release)
    assert all(bound <= sum(came[number:]) for number, bound in enumerate(least))


def test_whoever_is_left_alone_with_a_signature_needs_the_others_again():
    """By hand: {a, b, c} is one bucket; b and c are gone, and nobody who comes has their values."""
    policy = Policy([WeakMInvariance(m=3)], LEVELS)
    whole = table([bf.Person(f"p{i}", (i, "red"), value) for i, value in enumerate("abca")])
    first = solve_problem(Problem(table=part(whole, [0, 1, 2]), policy=policy), display=False).release
    assert first is not None
    later = [part(whole, [0]), part(whole, [0, 1]), part(whole, [0, 3])]
    after = History([first])
    # Two for whoever is alone; one more; and two with the same value need two groups, four counterfeits.
    assert [unavoidable(policy, [each], after) for each in later] == [2, 1, 4]
    assert unavoidable(policy, later, after) == 7
    assert unavoidable(policy, [part(whole, [0, 1, 2])], History()) == 0
    assert unavoidable(Policy([KCAnonymity(k=2)]), later, after) is None


def test_a_release_binds_those_after_it():
    whole = table(people(Random(2), 12, "abcde"))
    policy = Policy([WeakMInvariance(m=3)], LEVELS, outlook=Outlook(releases=3, draws=20, seed=4))
    problem = Problem(table=whole, policy=policy)
    result = solve_problem(problem, display=False)
    assert result.release is not None
    found = hindsight(problem, result.release, Clock())
    assert found is not None
    assert found.futures == 5
    assert found == hindsight(problem, result.release, Clock())
    assert 0 <= found.anybody <= found.from_here + result.release.counterfeits
    assert found.from_here > 0
    assert Fraction(found.from_here * 5).denominator == 1
    assert result.summary is not None
    told = dict(result.summary.lines)["outlook"]
    assert "; with perfect foresight at least " in told
    assert " of 5 drawn futures)" in told


def test_nothing_is_said_of_tables_that_hardly_anybody_is_left_of():
    outlook = Outlook(releases=9, survival=Fraction(1, 2), arrivals={"a": Fraction(0)}, draws=5)
    problem = Problem(
        table=table(people(Random(1), 8, "abc")),
        policy=Policy([WeakMInvariance(m=2)], LEVELS, outlook=outlook),
    )
    release = solve_problem(
        Problem(table=problem.table, policy=problem.policy.by_itself()), display=False
    ).release
    assert release is not None
    assert hindsight(problem, release, Clock()) is None
