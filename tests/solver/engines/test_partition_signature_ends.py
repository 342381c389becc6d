"""First releases under m-invariance: group sizes that m does not divide, and no time for more."""

import numpy as np
import pandas as pd
import pytest

import optanon as oa
from optanon.solver.engines.partition.plan import Plan
from optanon.solver.engines.partition.signature.levels import SignatureSearch
from optanon.solver.settings import Settings, Watch


def searched(values: list[str], m: int) -> SignatureSearch:
    """The search for a first release, with no time at all."""
    frame = pd.DataFrame({"id": range(len(values)), "a": np.arange(len(values)) * 7 % 31, "v": values})
    table = oa.Microdata.from_frame(frame, respondent="id", quasi_identifiers={"a": "numeric"}, sensitive="v")
    policy = oa.Policy([oa.WeakMInvariance(m=m)], ["counterfeits", "information_loss"])
    problem = oa.Problem(table=table, policy=policy)
    plan = Plan.of(problem)
    assert isinstance(plan, Plan)
    assert plan.rules is not None
    assert plan.objective is not None
    return SignatureSearch(problem, Settings(time_limit=1e-9), Watch(), plan.rules, plan.objective)


def started(values: list[str], m: int) -> oa.Release:
    """What a search without time starts with."""
    search = searched(values, m)
    answer = search.run()
    assert answer.release is not None
    assert next(search.problem.check(answer.release), None) is None
    return answer.release


def test_no_search_is_set_up_that_cannot_end_in_time():
    search = searched(list("aabbccdd"), 3)
    answer = search.run()
    assert search.loss is None
    assert answer.termination is oa.Termination.TIME_LIMIT


def test_four_values_twice_make_two_groups_of_four():
    release = started(list("aabbccdd"), 3)
    assert release.counterfeits == 0
    assert sorted(group.size for group in release.groups) == [4, 4]


@pytest.mark.parametrize("seed", range(40))
def test_no_counterfeit_is_made_where_none_is_needed(seed: int):
    random = np.random.default_rng(seed)
    m, groups = 2 + seed % 4, int(random.integers(1, 9))
    total = m * groups + int(random.integers(0, m))
    counts: list[int] = []
    while sum(counts) < total:  # no value more often than there are groups
        counts.append(min(total - sum(counts), int(random.integers(max(1, groups - 1), groups + 1))))
    values = [f"v{v}" for v, count in enumerate(counts) for _ in range(count)]
    release = started(random.permutation(values).tolist(), m)
    assert release.counterfeits == 0
    assert len(release.groups) == groups
