"""What is expected, weighed against the loss of now: levels, annealing, the front of both."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from oracle.series import people, table

from optanon.models.errors import PolicyError
from optanon.models.history import History
from optanon.models.losses import loss
from optanon.models.outlook.asked import Outlook
from optanon.models.policy import AHEAD, Policy
from optanon.models.problem import Problem
from optanon.models.requirements import HcSafety, WeakMInvariance
from optanon.solver.colgen.structure.signatures import Rules
from optanon.solver.colgen.structure.types import Types
from optanon.solver.engines.partition.ahead.people import Crowd
from optanon.solver.engines.partition.ahead.weighed import weighed
from optanon.solver.engines.partition.objective import Objective
from optanon.solver.insight.frontier.sweep import frontier
from optanon.solver.insight.frontier.table import cells, columns
from optanon.solver.search import solve_problem
from optanon.solver.verify.checking import verify

F = Fraction
LEVELS = ["counterfeits", "information_loss"]
SAFE = [WeakMInvariance(m=2), HcSafety(n=1)]


def policy(weight: Fraction | str | None) -> Policy:
    return Policy(SAFE, LEVELS, outlook=Outlook(releases=3, draws=20, weight=weight))  # pyright: ignore[reportArgumentType]


def test_a_weight_puts_what_is_expected_into_the_last_level():
    found = policy("1/3")
    assert [dict(level.weights) for level in found.levels] == [
        {"counterfeits": 1},
        {"information_loss": 1, AHEAD: F(1, 3)},
    ]
    assert found.content["outlook"]["weight"] == "1/3"
    assert "weight" not in policy(None).content["outlook"]
    assert found.weighing(None) == policy(None)
    assert policy(None).weighing(F(1, 3)) == found
    assert [level.name for level in found.by_itself().levels] == LEVELS
    assert found.changed(max_suppressed=0).levels == found.levels
    with pytest.raises(PolicyError, match="weight must be above 0"):
        Outlook(weight=F(0))
    with pytest.raises(PolicyError, match="signatures is not a sum"):
        Policy(SAFE, ["counterfeits", {"signatures": 1, "information_loss": 1}])


@pytest.mark.parametrize("seed", range(3))
def test_people_change_groups_for_what_both_cost_together(seed: int):
    """What the annealing says it saved is what the release costs less, exactly measured."""
    problem = Problem(table=table(people(Random(seed), 14, "abcd")), policy=policy(F(1, 4)))
    rules, objective, prices = Rules.of(problem), Objective.of(problem), problem.prices
    assert isinstance(rules, Rules)
    assert isinstance(objective, Objective)
    assert objective.planned == objective.measured == 1
    assert prices is not None
    crowd = Crowd.of(Types.of(problem, rules))
    start = solve_problem(
        Problem(table=problem.table, policy=problem.policy.by_itself()), display=False
    ).release
    assert start is not None
    found = weighed(problem, crowd, start, objective, prices, F(1, 4), 20_000, seed)
    assert found is not None
    assert next(problem.check(found), None) is None
    before, after = problem.objective(start), problem.objective(found)
    assert after[0] == before[0]
    assert after[1] <= before[1]
    assert weighed(problem, crowd, found, objective, prices, F(1, 4), 100, seed + 1) is not None


def test_a_weighed_release_is_no_worse_than_either_and_is_measured_exactly():
    here = table(people(Random(5), 10, "abc"))
    problem = Problem(table=here, policy=policy(F(1, 2)))
    result = solve_problem(problem, display=False)
    assert result.release is not None
    parts = {name: loss(name).of_release(result.release, problem) for name in ("information_loss", AHEAD)}
    assert result.objective[1] == parts["information_loss"] + parts[AHEAD] / 2
    for other in (problem.policy.weighing(None), problem.policy.by_itself()):
        release = solve_problem(Problem(table=here, policy=other), display=False).release
        assert release is not None
        assert result.objective <= problem.objective(release)
    least = solve_problem(problem, engine="assignment", time_limit=3, display=False)
    assert least.bounds[1] is not None
    assert least.bounds[1] <= result.objective[1]
    assert result.certificate is not None
    verify(result.certificate, problem, result.release)
    assert result.summary is not None
    expected = dict(result.summary.lines)["outlook"]
    assert "the next 3 releases are expected to need" in expected


def test_the_front_shows_what_is_expected_beside_what_is_lost_now(tmp_path: Path):
    here, history = table(people(Random(7), 9, "abc")), History()
    outlook = Outlook(releases=3, draws=20, allowed=F(0))
    problem = Problem(table=here, policy=Policy(SAFE, LEVELS, outlook=outlook), history=history)
    found = frontier(problem, {"outlook.weight": [F(1, 100), "first"]}, time_limit=2.5)
    heads = columns(found)
    assert heads[-4:-2] == (AHEAD, "information_loss")
    rows = [dict(zip(heads, cells(found, point), strict=True)) for point in found.points]
    assert [row["outlook.weight"] for row in rows] == ["1/100", "first"]
    frame = found.to_frame()
    now, later = frame["information_loss"].tolist(), frame[AHEAD].tolist()
    assert now[0] <= now[1]
    assert later[0] >= later[1]
    release = found.points[0].release
    assert release is not None
    assert later[0] == float(loss(AHEAD).of_release(release, problem))
    found.plot(tmp_path / "front.svg")
    assert (
        "expected_counterfeits" in (tmp_path / "front.svg").read_text("utf-8")
        or (tmp_path / "front.svg").stat().st_size > 1000
    )
    with pytest.raises(PolicyError, match="weight"):
        frontier(problem, {"outlook.weight": [0]}, time_limit=1)
