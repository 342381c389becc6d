"""What explain, compare, frontier and backtest may say at the edges of what their theorems assume."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pandas as pd
import pytest

import optanon as oa
from optanon.solver.insight.backtest.replay import backtest
from optanon.solver.status import Status


def problem(columns: dict[str, list[Any]], spec: Any, requirements: list[Any], **policy: Any) -> oa.Problem:
    """One release of people a, b, ... with quasi-identifier q and value s."""
    frame = pd.DataFrame({"id": [*"abcdefgh"][: len(columns["q"])]} | columns)
    table = oa.Microdata.from_frame(frame, respondent="id", quasi_identifiers=spec, sensitive="s")
    return oa.Problem(table=table, policy=oa.Policy(requirements, **policy))


def test_nothing_is_unavoidable_where_people_may_be_left_out():
    values = ["flu"] * 3 + ["hiv"] * 2 + ["cold"] * 2
    asked = problem(
        {"q": [1, 2, 3, 4, 5, 6, 7], "s": values},
        ["q"],
        [oa.WeakMInvariance(m=3)],
        minimize=["counterfeits", "information_loss"],
        max_suppressed=1,
    )
    futures = oa.Futures(releases=2, leave=0, seeds=(1,))
    for told, policy in ((None, asked.policy), (Fraction(4), asked.policy.changed(max_suppressed=0))):
        publishers = {"asked": oa.Publisher(policy=policy)}
        found = backtest(
            asked, publishers, futures=futures, time_limit=5, audit_seconds=0, queries=0, workers=1
        )
        first = next(step for step in found.steps if step.release == 1)
        assert (None if first.hindsight is None else first.hindsight.anybody) == told


def test_requirements_that_differ_in_what_is_known_of_whom_are_two():
    knows = [{"priors": {"a": values}} for values in (["flu", "hiv"], ["flu", "pox"])]
    possible, not_so = (oa.ResistsInference(min_values=2, knowledge=known) for known in knows)
    columns = {"q": [1, 2, 3, 4], "s": ["flu", "flu", "hiv", "cold"]}
    for requirements in ([possible, not_so], [not_so, possible]):
        found = oa.explain(problem(columns, ["q"], requirements), time_limit=60, trial_seconds=1)
        assert found.status is Status.INFEASIBLE
        wrong = {part.requirement for conflict in found.conflicts for part in conflict.parts} - {None}
        assert [str(r.knowledge) for r in wrong] == [str(not_so.knowledge)]  # type: ignore[union-attr]


def test_full_domain_may_publish_more_without_a_part_and_lose_more():
    asked = problem(
        {"q": [*"xxyyy"], "s": ["flu"] * 5},
        {"q": "flat"},
        [oa.KAnonymity(k=2), oa.WeakMInvariance(m=1, multiplicity=2)],
        minimize=["maximum_group_size"],
        max_suppressed=3,
        recoding="full_domain",
    )
    for cost in oa.explain(asked).costs:
        for level in cost.levels:
            assert level.low is None or level.high is None or level.low <= level.high
    assert all(row.own is None for row in oa.compare(asked, queries=0).rows)


def test_what_is_priced_by_other_requirements_is_not_compared():
    asked = problem(
        {"q": [1, 2, 3, 4, 5, 6], "s": [*"uvwuvw"]},
        ["q"],
        [oa.WeakMInvariance(m=2), oa.KAnonymity(k=2)],
        minimize=["counterfeits", "expected_counterfeits", "information_loss"],
        outlook=oa.Outlook(releases=2, survival=Fraction(1, 2)),
    )
    rows = {row.name: row for row in oa.compare(asked, queries=0, time_limit=5).rows}
    assert rows["mondrian_merge"].own is None
    assert rows["mondrian_merge"].figures is not None


@pytest.mark.parametrize("levels", [["information_loss"], ["counterfeits", "information_loss"]])
def test_values_that_nobody_has_are_refused_everywhere(levels: list[str]):
    frame = pd.DataFrame({"id": [*"abcd"], "q": [1, 2, 3, 4], "s": ["flu", "flu", "cold", "cold"]})
    table = oa.Microdata.from_frame(
        frame,
        respondent="id",
        quasi_identifiers=["q"],
        sensitive=oa.Sensitive(name="s", persistence="transient"),
    )
    policy = oa.Policy([oa.GlobalGuarantee(l=2, protected_values=["hiv"])], levels)
    asked = oa.Problem(table=table, policy=policy)
    for ask in (oa.explain, oa.compare, lambda it: oa.frontier(it, {"l": [2]})):
        with pytest.raises(oa.PolicyError, match="protected_values"):
            ask(asked)
    assert oa.solve_problem(asked, display=False).status is Status.OPTIMAL


def test_one_tuple_and_everybody_are_two_limits():
    asked = problem({"q": [1, 2, 3, 4], "s": [*"fghi"]}, ["q"], [oa.KAnonymity(k=2)])
    for limits in ([1, 1.0], ["1", "1.0"], [1, Fraction(1)]):
        found = oa.frontier(asked, {"max_suppressed": limits})
        allowed = [found.grid.at(p.settings).policy.suppression_limit(4) for p in found.points]
        assert allowed == [1, 3]  # somebody must be published
        assert [str(p.settings[0]) for p in found.points] == ["1", "1.0"]


def test_a_policy_of_no_loss_is_refused_in_words():
    with pytest.raises(oa.PolicyError, match="minimize: name at least one loss"):
        oa.Policy([oa.KAnonymity(k=2)], minimize=None)  # type: ignore[arg-type]
