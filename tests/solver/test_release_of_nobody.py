"""A release of nobody does not count, whichever door one comes in by."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml
from command_line import run

import optanon as oa
from optanon.models.problem import Problem
from optanon.models.release import Release
from optanon.solver.baselines.mondrian_series import mondrian_checked
from optanon.solver.search import engines
from optanon.solver.web.job import Job

ALIKE = [("p1", 20, "a", "x"), ("p2", 20, "a", "x"), ("p3", 31, "b", "x"), ("p4", 40, "b", "x")]
"""Everybody has the same value: no group has two."""
OTHER = [*ALIKE[:3], ("p4", 20, "a", "y")]
"""Two of four people can be published together."""
TWO = [oa.DistinctLDiversity(l=2)]
MOST = [*ALIKE[:3], ("p4", 40, "b", "y")]
"""Some groups have three people, one has a value for every second of them; none has both."""
BOTH = [oa.KCAnonymity(k=3, c=1), oa.KCAnonymity(k=1, c=0.5)]
ONLY = "only 1 can be published"
"""What is said of `TWO` on `ALIKE`: it holds for every part of the table."""
ANY = {"minimize": ["suppressed", "information_loss"]}
ALL = {"max_suppressed": 1.0}
FORMS: list[Mapping[str, Any]] = [{}, {"form": "anatomized"}, {"recoding": "full_domain"}]


def table(rows: list[tuple[str, int, str, str]]) -> oa.Microdata:
    frame = pd.DataFrame(rows, columns=["id", "age", "town", "ill"])
    return oa.Microdata.from_frame(frame, respondent="id", quasi_identifiers=["age", "town"], sensitive="ill")


def problem(rows: list[tuple[str, int, str, str]] = ALIKE, **limits: Any) -> Problem:
    return Problem(table=table(rows), policy=oa.Policy(TWO, **limits))


def of_nobody(asked: Problem) -> Release:
    return asked.assemble([])


@pytest.mark.parametrize("limits", [ANY, ALL, {"max_suppressed": 4}, {"max_suppressed": 99}])
@pytest.mark.parametrize("form", FORMS)
def test_every_engine_proves_that_there_is_no_release(limits: Mapping[str, Any], form: Mapping[str, Any]):
    asked = Problem(table=table(MOST), policy=oa.Policy(BOTH, **limits, **form))
    willing = [name for name, engine in engines().items() if engine.refuses(asked) is None]
    assert willing
    for name in (*willing, "auto"):
        result = oa.solve_problem(asked, engine=name, display=False)
        assert (result.status, result.release) == (oa.Status.INFEASIBLE, None), name
        assert result.reason is not None
        assert "at least one must be published" in result.reason


def test_one_person_fewer_may_be_suppressed():
    result = oa.solve_problem(problem(OTHER, **ANY), display=False)
    assert result.status is oa.Status.OPTIMAL
    assert result.release is not None
    assert len(result.release.suppressed) == 0
    alone = Problem(table=table(ALIKE), policy=oa.Policy([oa.KCAnonymity(k=1)], max_suppressed=3))
    # Three may be left out; whoever is left is a release.
    assert next(alone.check(alone.assemble([[0]])), None) is None


def test_a_drawn_release_has_somebody_in_it():
    asked = problem(ALIKE, minimize=["information_loss"], max_suppressed=4)
    assert oa.solve_problem(asked, randomize=1).status is oa.Status.INFEASIBLE
    tried = problem([*OTHER[:1], *OTHER[3:]], minimize=["information_loss"], max_suppressed=2)
    for seed in range(8):
        drawn = oa.solve_problem(tried, randomize=0, seed=seed).release
        assert drawn is not None
        assert drawn.groups


def test_check_names_it():
    asked = problem(**ALL)
    (found,) = asked.check(of_nobody(asked))
    assert (found.requirement, found.witness["suppressed"]) == ("suppression", 4)
    assert "at least one must be published" in found.message


def test_explain_agrees():
    found = oa.explain(problem(**ANY), time_limit=20)
    assert found.status is oa.Status.INFEASIBLE
    assert [[part.key for part in conflict.parts] for conflict in found.conflicts] == [
        ["distinct_l_diversity"]
    ]


def test_frontier_agrees():
    made = oa.frontier(problem(max_suppressed=0), {"max_suppressed": [0, 2, 4], "l": [1, 2]}, time_limit=20)
    for point in made.points:
        wanted = oa.Status.OPTIMAL if point.settings[1] == 1 else oa.Status.INFEASIBLE
        assert point.status is wanted, point.settings


def test_compare_agrees():
    found = oa.compare(problem(**ANY), baselines=["mondrian_static"], time_limit=20, queries=10)
    assert found.reference.infeasible
    (engine,) = (row for row in found.rows if row.kind == "engine")
    assert engine.status == "INFEASIBLE"
    assert engine.refused is not None
    assert ONLY in engine.refused


def test_a_history_with_a_release_of_nobody_asks_for_nothing_more():
    """It has no ids that could be hashed, and no group that new ones could have more people than."""
    asked = [oa.KCAnonymity(k=1), oa.Difference(k=5), oa.ResistsInference(min_values=2)]
    history = oa.History([of_nobody(problem(**ALL))])
    again = Problem(table=table(OTHER), policy=oa.Policy(asked), history=history)
    assert not list(again.check(again.assemble([range(4)])))
    assert all(requirement.bounds(again).infeasible_because is None for requirement in asked)


def test_heuristics_that_look_back_see_nothing_in_a_release_of_nobody():
    """Checked cuts of a table stopped at an earlier release without boxes."""
    asked = Problem(table=table(MOST), policy=oa.Policy([oa.KAnonymity(k=2), oa.RecordTracing(k=2)]))
    after = replace(asked, history=oa.History([of_nobody(asked)]))
    assert mondrian_checked(after) == mondrian_checked(asked)


def test_a_stored_history_keeps_no_release_of_nobody(tmp_path: Path):
    history = oa.History.open(tmp_path / "releases.db")
    with pytest.raises(oa.ReleaseError, match="publishes nobody"):
        history.append(of_nobody(problem(**ALL)))
    assert len(oa.History.open(tmp_path / "releases.db")) == 0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pd.DataFrame(ALIKE, columns=["id", "age", "town", "ill"]).to_csv(tmp_path / "table.csv", index=False)
    spec = {
        "table": "table.csv",
        "respondent": "id",
        "quasi_identifiers": {"age": "numeric", "town": "flat"},
        "sensitive": "ill",
        "policy": {"requirements": [{"distinct_l_diversity": {"l": 2}}], **ALL},
    }
    (tmp_path / "problem.yaml").write_text(yaml.safe_dump(spec))
    return tmp_path


def test_the_command_line_agrees(folder: Path):
    done = run("solve", "problem.yaml", folder=folder)
    assert (done.returncode, done.stderr) == (3, "")
    assert "INFEASIBLE" in done.stdout
    assert ONLY in done.stdout
    assert [file.name for file in folder.glob("problem.*.*")] == ["problem.result.json"]
    told = run("explain", "problem.yaml", folder=folder)
    assert (told.returncode, told.stderr) == (3, "")
    asked = oa.Problem(
        table=oa.read_csv(
            folder / "table.csv",
            respondent="id",
            quasi_identifiers={"age": None, "town": None},
            sensitive="ill",
        ),
        policy=oa.Policy(TWO, **ALL),
    )
    of_nobody(asked).to_csv(folder / "nobody.csv", copy="steward", respondent="id")
    checked = run("check", "nobody.csv", "-p", "problem.yaml", folder=folder)
    assert checked.returncode == 1, checked.stdout + checked.stderr
    assert "at least one must be published" in checked.stdout


def test_the_web_page_agrees(folder: Path):
    job = Job(folder, {"time_limit": 20, "seed": 0})
    ended = job.wait(60)
    assert (ended["event"], ended["status"]) == ("done", "INFEASIBLE"), json.dumps(ended)
    assert ONLY in ended["reason"]
