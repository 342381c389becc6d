"""What people try first: a data frame, familiar names, a picture, a table in a notebook, a plug-in."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import yaml

import optanon as oa
from optanon.models.requirements import build_requirement

FRAME = pd.DataFrame(
    {
        "id": list("abcdefgh"),
        "age": [20, 22, 30, 31, 40, 41, 50, 52],
        "sex": list("fmfmffmm"),
        "disease": ["flu", "cold"] * 4,
    }
)
ROLES = {"respondent": "id", "quasi_identifiers": ["age", "sex"], "sensitive": "disease"}
PLUGIN = """
from dataclasses import dataclass
from typing import ClassVar
import optanon as oa

@oa.register
@dataclass(frozen=True, kw_only=True)
class AtLeast(oa.GroupRequirement):
    name: ClassVar[str] = "at_least"
    reference: ClassVar[str] = "a test"
    size: int

    def violations(self, group, context):
        if group.size < self.size:
            yield oa.Violation(requirement=self.name, message="too small", witness={})

    def encode(self, model):
        for g in model.slots:
            model.cp.add(model.size(g) >= self.size * model.used(g))
"""


def test_a_data_frame_is_solved_with_the_roles_of_its_columns():
    policy = oa.Policy([oa.KAnonymity(k=2)])
    found = oa.solve(FRAME, policy, **ROLES)
    same = oa.solve(oa.Microdata.from_frame(FRAME, **ROLES), policy)
    assert found.objective == same.objective
    assert found.status is oa.Status.OPTIMAL


@pytest.mark.parametrize(
    ("table", "roles", "words"),
    [
        (FRAME, {"respondent": "id"}, "say quasi_identifiers, sensitive"),
        (FRAME.to_dict(), ROLES, "a table is a DataFrame or a Microdata, not dict"),
        (oa.Microdata.from_frame(FRAME, **ROLES), ROLES, "has its roles already"),
    ],
)
def test_tables_without_roles_say_what_is_missing(table, roles, words):
    with pytest.raises(oa.TableError, match=words):
        oa.solve(table, oa.Policy([oa.KAnonymity(k=2)]), **roles)


def test_familiar_names_are_the_requirements_they_stand_for():
    assert oa.KAnonymity(k=3) == oa.KCAnonymity(k=3, c=1) == build_requirement("k_anonymity", {"k": 3})
    with pytest.raises(oa.PolicyError, match="unknown requirement 'k_anonymity'"):
        build_requirement("k_anonymity", {"k": 3, "c": 1})


def test_results_are_drawn(tmp_path: Path):
    found = oa.solve(FRAME, oa.Policy([oa.KAnonymity(k=2)]), **ROLES)
    figure = found.plot(tmp_path / "result.svg")
    assert [axes.get_title() for axes in figure.axes] == ["Search", "Columns", "Group sizes"]
    bars = [bar.get_width() for bar in figure.axes[1].patches]
    assert found.summary is not None
    assert bars == [100 * float(column.lost) for column in found.summary.columns]
    assert (tmp_path / "result.svg").read_text(encoding="utf-8").count("<svg") == 1
    none = oa.solve(FRAME, oa.Policy([oa.KAnonymity(k=9)]), **ROLES)
    with pytest.raises(oa.InputError, match="no release to draw"):
        none.plot()


def test_comparisons_and_frontiers_are_tables_in_a_notebook():
    table = oa.Microdata.from_frame(FRAME, **ROLES)
    problem = oa.Problem(table=table, policy=oa.Policy([oa.KAnonymity(k=2)]))
    compared = oa.compare(problem, baselines=["mondrian_static"], queries=10)._repr_html_()
    assert "<table" in compared
    assert "mondrian_static" in compared
    drawn = oa.frontier(problem, {"k": [2, 3]})._repr_html_()
    assert drawn.count("OPTIMAL") == 2


def test_the_command_line_takes_requirements_of_ones_own(tmp_path: Path):
    (tmp_path / "mine.py").write_text(PLUGIN, encoding="utf-8")
    FRAME.to_csv(tmp_path / "t.csv", index=False)
    problem = {
        "table": "t.csv",
        "respondent": "id",
        "quasi_identifiers": {"age": "numeric", "sex": "flat"},
        "sensitive": "disease",
        "policy": {"requirements": [{"at_least": {"size": 4}}], "minimize": ["information_loss"]},
    }
    (tmp_path / "p.yaml").write_text(yaml.safe_dump(problem), encoding="utf-8")

    def run(*options: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "optanon", *options, "solve", "p.yaml", "-q", "--force"]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    unknown = run()
    assert unknown.returncode == 2
    assert "unknown requirement 'at_least'" in unknown.stderr
    found = run("--plugin", "mine")
    assert found.returncode == 0, found.stderr
    assert "in 2 groups" in found.stdout
    assert "every check passed: at_least(size=4)" in found.stdout
    missing = run("--plugin", "nothing_there")
    assert missing.returncode == 2
    assert "--plugin nothing_there: it cannot be imported" in missing.stderr
