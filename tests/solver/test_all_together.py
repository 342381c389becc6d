"""All in one group: a release where a search finds none, and a reason why there is none."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from optanon.models.policy import LevelSpec, Policy
from optanon.models.problem import Problem
from optanon.models.requirement import Requirement
from optanon.models.requirements import (
    DistinctLDiversity,
    KAnonymity,
    RecursiveCLDiversity,
    ResistsInference,
    TCloseness,
)
from optanon.models.table import Microdata
from optanon.solver.all_together import broken_whole, last_resort
from optanon.solver.portfolio import informed
from optanon.solver.search import solve_problem
from optanon.solver.settings import Answer, Settings, Watch
from optanon.solver.status import Status, Termination
from optanon.solver.verify.checking import verify


def asked(*requirements: Requirement, minimize: LevelSpec = "information_loss", limit: int = 0) -> Problem:
    """Most have one value."""
    random = np.random.default_rng(2)
    frame = pd.DataFrame(
        {"id": range(30), "age": random.integers(0, 90, 30), "value": ["common"] * 20 + list("abcdefghij")}
    )
    table = Microdata.from_frame(frame, respondent="id", quasi_identifiers=["age"], sensitive="value")
    return Problem(table=table, policy=Policy(list(requirements), [minimize], max_suppressed=limit))


class Silent:
    """An engine that finds nothing."""

    name = "silent"

    def refuses(self, problem: Problem) -> str | None:
        return None

    def solve(self, problem: Problem, settings: Settings, watch: Watch) -> Answer:
        return Answer(
            release=None,
            bounds=(Fraction(3),),
            status=Status.UNKNOWN,
            termination=Termination.TIME_LIMIT,
        )


def test_a_search_that_finds_nothing_leaves_all_in_one_group(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("optanon.solver.portfolio.baselines", dict)
    problem = asked(TCloseness(t="1/100"), minimize="discernibility")
    answer = informed(Silent(), problem, Settings(time_limit=5.0), Watch())
    assert answer.release is not None
    assert [group.size for group in answer.release.groups] == [30]
    assert (answer.status, answer.termination, answer.bounds) == (
        Status.FEASIBLE,
        Termination.TIME_LIMIT,
        (Fraction(3),),
    )
    assert last_resort(asked(KAnonymity(k=31))) is None
    assert last_resort(asked(KAnonymity(k=2), ResistsInference(max_posterior="4/5"))) is None
    none = informed(Silent(), asked(DistinctLDiversity(l=12), limit=1), Settings(time_limit=5.0), Watch())
    assert (none.release, none.status) == (None, Status.UNKNOWN)


@pytest.mark.parametrize("minimize", ["information_loss", "average_group_size", "squared_error"])
def test_what_the_whole_table_breaks_no_engine_searches_for(minimize: str):
    problem = asked(RecursiveCLDiversity(c="3/2", l=2), KAnonymity(k=2), minimize=minimize)
    found = broken_whole(problem)
    assert found is not None
    assert found.requirement == 0
    result = solve_problem(problem, time_limit=60.0)
    assert result.status is Status.INFEASIBLE
    assert result.seconds < 30
    assert verify(result.certificate, problem, None).whole  # pyright: ignore[reportArgumentType]
    freely = asked(RecursiveCLDiversity(c="3/2", l=2), KAnonymity(k=2), minimize=minimize, limit=10)
    assert broken_whole(freely) is None
