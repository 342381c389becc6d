"""Small tables: the linear program is dived into before lists are searched."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirement import Requirement
from optanon.models.requirements import KCAnonymity, WeakMInvariance
from optanon.models.table import Microdata
from optanon.solver.colgen.finish import Finish
from optanon.solver.search import partition_engine
from optanon.solver.settings import Settings, Watch


@pytest.mark.parametrize("requirement", [WeakMInvariance(m=3), KCAnonymity(k=3, c="1/2")])
def test_a_release_is_near_the_bound_before_lists_are_searched(
    requirement: Requirement, monkeypatch: pytest.MonkeyPatch
):
    random, tuples = np.random.default_rng(5), 60
    frame = pd.DataFrame({"id": range(tuples), "value": [f"v{t % 3}" for t in range(tuples)]})
    for name in ("age", "hours"):
        frame[name] = random.integers(0, 100, tuples)
    table = Microdata.from_frame(
        frame,
        respondent="id",
        quasi_identifiers={"age": "numeric", "hours": "numeric"},
        sensitive="value",
    )
    problem, before = Problem(table=table, policy=Policy([requirement])), list[float]()

    def run(finish: Finish, *_: object) -> None:
        before.append(finish.reached.cost / finish.reached.bound)

    monkeypatch.setattr(Finish, "run", run)
    watch = Watch()
    answer = partition_engine().solve(problem, Settings(time_limit=20.0, seed=1), watch)
    assert answer.release is not None
    assert before
    assert before[0] < 1.1
    values = [point.value for point in watch.points if point.value is not None]
    assert values[0] > 1.3 * values[-1]  # what it begins with is far from it
