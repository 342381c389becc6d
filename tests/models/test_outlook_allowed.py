"""Expected counterfeits that are allowed: who is dealt how, what the past makes certain, what a level is."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest

from optanon.instances.generators import generated_roles, series, uniform_table
from optanon.models.errors import PolicyError
from optanon.models.history import History
from optanon.models.outlook.allowed import allowance, dealt
from optanon.models.outlook.asked import Outlook
from optanon.models.outlook.prices import SignaturePrices, groups_by_signature
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirements import HcSafety, WeakMInvariance
from optanon.models.table import Microdata
from optanon.solver.baselines.registry import baselines

F = Fraction
SAFE = [WeakMInvariance(m=3), HcSafety(n=2)]
LEVELS = ["counterfeits", "information_loss"]


def tables(seed: int) -> list[Microdata]:
    population, roles = uniform_table(120, seed=seed, values=7), generated_roles(values=7)
    found = series(population, first=60, releases=2, insertions=20, deletions=20, seed=seed)
    return [roles.table(frame) for frame in found]


def test_signatures_are_dealt_to_the_most_frequent_values():
    assert dealt([4, 4, 4], 3) == [4]
    assert dealt([2, 2, 1, 1], 3) == [1, 1]  # one each of the first three, then what is left
    assert dealt([5, 1, 1], 3) == [1, 4]  # four people of one value need counterfeits
    assert dealt([], 3) == []


@pytest.mark.parametrize("seed", range(4))
def test_without_a_past_m_invariance_has_these_signatures(seed: int):
    here = tables(seed)[0]
    problem = Problem(table=here, policy=Policy(SAFE, LEVELS))
    release = baselines()["m_invariance"].run(problem, 0)
    assert sorted(groups_by_signature(release).values()) == sorted(dealt(here.histogram.values(), 3))


def test_what_the_past_makes_certain_is_allowed_wholly():
    """One unit for each signature: buckets of the past count one each, those dealt to others a share."""
    first, second = tables(1)
    history = History()
    history.append(baselines()["m_invariance"].run(Problem(table=first, policy=Policy(SAFE, LEVELS)), 0))
    flat = SignaturePrices(draws=1, starts=(1,), totals=((3, (1,)),))
    here = {
        history.records[m.respondent].signature for m in second.members if m.respondent in history.records
    }
    none, half, all_ = (allowance(second, history, flat, 3, F(share)) for share in ("0", "1/2", "1"))
    assert none == sum(F(len(signature or ()), 3) for signature in here)
    assert all_ > none
    assert half == (none + all_) / 2
    new = Counter(m.value for m in second.members if m.respondent not in history.records)
    assert all_ - none <= len(dealt(new.values(), 3))


def test_fewer_are_counted_as_so_many():
    here = tables(2)[0]
    for share in (F(0), F(1, 2), F(3)):
        policy = Policy(SAFE, LEVELS, outlook=Outlook(draws=10, allowed=share))
        problem = Problem(table=here, policy=policy)
        release = baselines()["m_invariance"].run(problem, 0)
        assert problem.prices is not None
        expected = problem.prices.release(release)
        assert problem.allowed == share * expected  # it is dealt in the same way
        assert problem.objective(release)[1] == max(expected, problem.allowed)
    weighed = Policy(SAFE, LEVELS, outlook=Outlook(draws=10, weight=F(1, 2)))
    assert Problem(table=here, policy=weighed).allowed == 0
    assert Problem(table=here, policy=Policy(SAFE, LEVELS)).allowed == 0
    with pytest.raises(PolicyError, match="allowed must be at least 0"):
        Outlook(allowed=F(-1))


def test_usually_half_as_much_is_allowed_once_there_is_a_past():
    first, second = tables(1)
    history = History()
    usual, said = Outlook(draws=10), Outlook(draws=10, allowed=F(3, 4))
    problem = Problem(table=first, policy=Policy(SAFE, LEVELS, outlook=usual))
    whole = Problem(table=first, policy=Policy(SAFE, LEVELS, outlook=Outlook(draws=10, allowed=F(1))))
    assert problem.allowed == whole.allowed > 0
    assert [said.allowed_in(release) for release in (0, 3)] == [F(3, 4), F(3, 4)]
    history.append(baselines()["m_invariance"].run(problem, 0))
    for asked, share in ((usual, F(1, 2)), (said, F(3, 4))):
        later = Problem(table=second, policy=Policy(SAFE, LEVELS, outlook=asked), history=history)
        assert later.prices is not None
        assert later.allowed == allowance(second, history, later.prices, 3, share)
    assert usual.content["allowed"] == "usual"
    assert Outlook(**{**said.content, "survival": F(1, 2)}).allowed == F(3, 4)
