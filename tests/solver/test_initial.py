"""Releases to start from that are none of the problem's: of other columns, another form, an earlier state."""

from __future__ import annotations

from random import Random

import pandas as pd
import pytest

from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.release import Form, Release
from optanon.models.requirements import KCAnonymity
from optanon.models.table import Microdata
from optanon.solver.search import partition_engine, solve_problem
from optanon.solver.settings import Settings, Watch
from optanon.solver.sound import begun
from optanon.solver.status import Status

LOSSES = ("information_loss", "squared_error", "discernibility")


def table(tuples: int, columns: str = "ab", *, first: int = 0, numbers: bool = True) -> Microdata:
    draw = Random(tuples)
    codes = {c: [draw.randint(0, 9) for _ in range(tuples)] for c in columns}
    frame = pd.DataFrame(
        {
            "id": [f"p{first + n}" for n in range(tuples)],
            **(codes if numbers else {c: [f"x{n}" for n in column] for c, column in codes.items()}),
            "value": [draw.choice("st") for _ in range(tuples)],
        }
    )
    kinds = dict.fromkeys(columns, "numeric" if numbers else "flat")
    return Microdata.from_frame(frame, respondent="id", quasi_identifiers=kinds, sensitive="value")


def problem(data: Microdata, loss: str = "information_loss", form: Form = "generalized") -> Problem:
    return Problem(table=data, policy=Policy([KCAnonymity(k=2)], [loss], form=form))


def whole(data: Microdata, form: Form = "generalized") -> Release:
    """Everybody in one group."""
    return problem(data, form=form).assemble([range(len(data))])


FOREIGN = {
    "fewer columns": whole(table(6, "z")),
    "more columns": whole(table(6, "abc")),
    "categories": whole(table(6, numbers=False)),
    "another form": whole(table(6), "anatomized"),
    "other people": whole(table(6, first=4)),
    "nobody here": whole(table(3, first=40)),
}


@pytest.mark.parametrize("engine", ["auto", "subsets", "assignment", "partition"])
@pytest.mark.parametrize("loss", LOSSES)
def test_what_is_no_release_of_the_table_changes_nothing(engine: str, loss: str):
    asked = problem(table(6), loss)
    alone = solve_problem(asked, engine=engine, workers=1, display=False)
    assert alone.status is Status.OPTIMAL
    for initial in FOREIGN.values():
        found = solve_problem(asked, engine=engine, workers=1, display=False, initial=initial)
        assert (found.status, found.objective) == (Status.OPTIMAL, alone.objective)


@pytest.mark.parametrize("recoding", ["multidimensional", "full_domain"])
@pytest.mark.parametrize("name", FOREIGN)
def test_whatever_it_is_the_answer_has_the_form_that_was_asked_for(name: str, recoding: str):
    policy = Policy([KCAnonymity(k=2)], ["maximum_group_size", "information_loss"])
    recoded = policy.changed(recoding=recoding, max_suppressed=1)
    asked = Problem(table=table(24), policy=recoded)
    found = solve_problem(asked, workers=1, display=False, initial=FOREIGN[name], time_limit=1e-9)
    assert found.release is None or found.release.form == "generalized"


def test_groups_of_another_form_or_state_are_a_start():
    asked = problem(table(8))
    groups = [[0, 1, 2], [3, 4, 5, 6, 7]]
    anatomized = problem(table(8), form="anatomized").assemble(groups)
    assert begun(asked, anatomized) == asked.assemble(groups)
    same = asked.assemble(groups)
    assert begun(asked, same) is same
    earlier = problem(table(12, first=2)).assemble([[0, 1], [2, 3, 4, 5, 6, 7, 8], [9, 10, 11]])
    assert begun(asked, earlier) == asked.assemble([[2, 3], [4, 5, 6, 7]])
    assert begun(asked, FOREIGN["nobody here"]) is None


@pytest.mark.parametrize("groups", [[[0, 1], [2, 3, 4]], [[n] for n in range(9)], [[0, 1, 2], [3]]])
def test_points_begin_with_groups_that_lack_somebody_or_are_too_small(groups: list[list[int]]):
    data = table(9)
    policy = Policy([KCAnonymity(k=3)], ["squared_error"])
    asked, earlier = Problem(table=data, policy=policy), problem(data).assemble(groups)
    alone = partition_engine().solve(asked, Settings(), Watch())
    found = partition_engine().solve(asked, Settings(initial=earlier), Watch())
    assert found.release is not None
    assert next(asked.check(found.release), None) is None
    assert (found.status, found.bounds) == (alone.status, alone.bounds)
