"""What people try first: a data frame, familiar names, a picture, a table in a notebook, a plug-in."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path
from types import ModuleType

import nbformat
import pandas as pd
import pytest
import yaml
from nbclient import NotebookClient

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
        (FRAME, {"respondent": "id"}, "give quasi_identifiers, sensitive"),
        (FRAME.to_dict(), ROLES, "table must be a DataFrame or a Microdata, not dict: make"),
        (oa.Microdata.from_frame(FRAME, **ROLES), ROLES, "already has its roles"),
    ],
)
def test_tables_without_roles_say_what_is_missing(table, roles, words):
    with pytest.raises(oa.TableError, match=words):
        oa.solve(table, oa.Policy([oa.KAnonymity(k=2)]), **roles)


def test_familiar_names_are_the_requirements_they_stand_for():
    assert oa.KAnonymity(k=3) == oa.KCAnonymity(k=3, c=1) == build_requirement("k_anonymity", {"k": 3})
    for wrong in ("c", "K"):
        with pytest.raises(oa.PolicyError, match=f"k_anonymity has no parameter '{wrong}': it has k$"):
            build_requirement("k_anonymity", {"k": 3, wrong: 1})
    for name in ("k_anonymity", "k_c_anonymity"):
        with pytest.raises(oa.PolicyError, match=rf"{name} needs k: write {name}: {{k: \.\.\.}}"):
            build_requirement(name, {})


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


def test_names_with_dollars_are_drawn_as_they_are(tmp_path: Path):
    """They were read as formulas, and what is none ended the drawing."""
    odd = FRAME.rename(columns={"age": "$_^$", "disease": "$x^$"})
    roles = {"respondent": "id", "quasi_identifiers": ["$_^$", "sex"], "sensitive": "$x^$"}
    found = oa.solve(odd, oa.Policy([oa.KAnonymity(k=2)]), **roles)
    assert found.release is not None
    for name, drawn in (("result.svg", found), ("release.svg", found.release)):
        drawn.plot(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 1000


def test_comparisons_and_frontiers_are_tables_in_a_notebook():
    table = oa.Microdata.from_frame(FRAME, **ROLES)
    problem = oa.Problem(table=table, policy=oa.Policy([oa.KAnonymity(k=2)]))
    compared = oa.compare(problem, baselines=["mondrian_static"], queries=10)._repr_html_()
    assert "<table" in compared
    assert "mondrian_static" in compared
    alone = oa.compare(problem, baselines=["mondrian_static"], engines="none", queries=0)
    assert [row.kind for row in alone.rows] == ["baseline"]
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


def test_releases_are_drawn_from_what_is_public(tmp_path: Path):
    found = oa.solve(FRAME, oa.Policy([oa.KAnonymity(k=2)]), **ROLES)
    assert found.release is not None
    figure = found.release.plot(tmp_path / "release.png")
    sizes, values, columns = figure.axes
    assert sum(bar.get_height() for bar in sizes.patches) == len(found.release.groups)
    assert sum(bar.get_height() for bar in values.patches) == len(found.release.groups)
    frame = found.release.to_frame()
    exact = [100 * (~frame[name].astype(str).str.contains(r"[\[*{]")).mean() for name in ("age", "sex")]
    assert [bar.get_width() for bar in columns.patches] == exact
    assert (tmp_path / "release.png").stat().st_size > 1000
    assert found.release._repr_html_().count("<tr") == 1 + len(frame)
    with pytest.raises(oa.InputError, match=r"\.png, \.svg, \.pdf"):
        found.release.plot(tmp_path / "release.txt")
    with pytest.raises(oa.InputError, match="nothing to draw"):
        oa.Release(groups=(), attributes=("age",), sensitive="disease").plot()


def test_a_search_in_a_notebook_shows_bars_and_takes_them_away(monkeypatch: pytest.MonkeyPatch):
    shown: list[str] = []

    class Shown:
        def update(self, part: str) -> None:
            shown.append(part)

    def display(part: str, *, display_id: bool) -> Shown:
        assert display_id
        shown.append(part)
        return Shown()

    module = ModuleType("IPython.display")
    module.__dict__.update(HTML=str, display=display)
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    monkeypatch.setattr("optanon.solver.notebook_display.REDRAWN", 0.001)
    policy = oa.Policy([oa.KAnonymity(k=2)])
    oa.solve(FRAME, policy, **ROLES, display=False)
    assert not shown
    found = oa.solve(FRAME, policy, **ROLES)
    first, *course, last = shown
    assert "<progress></progress>" in first
    assert "<td>information_loss</td>" in first
    assert f"<td>{float(found.objective[0]):.4f}".rstrip("0") in course[-1]
    assert "value='1.000'" in course[-1]
    assert last == ""


CELL = f"""
import pandas as pd
import optanon as oa
from optanon.solver import notebook_display
notebook_display.REDRAWN = 0.001
frame = pd.DataFrame({FRAME.to_dict("list")})
oa.solve(frame, oa.Policy([oa.KAnonymity(k=2)]), **{ROLES})
"""


@pytest.mark.slow
def test_a_live_notebook_carries_the_bars():
    """A kernel runs the cell; what it sends to the notebook while the search goes on is looked at."""
    sent: list[tuple[str, str]] = []

    class Reader(NotebookClient):
        def process_message(self, msg, cell, cell_index):
            if msg["msg_type"] in ("display_data", "update_display_data", "execute_result"):
                sent.append((msg["msg_type"], msg["content"]["data"].get("text/html", "")))
            return super().process_message(msg, cell, cell_index)

    cell = nbformat.v4.new_code_cell(CELL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the kernel's transport, not ours
        Reader(nbformat.v4.new_notebook(cells=[cell]), timeout=120, kernel_name="python3").execute()
    (first, begun), *course, (removed, nothing), (shown, result) = sent
    assert first == "display_data"
    assert "<progress></progress>" in begun
    assert {kind for kind, _ in course} == {"update_display_data"}
    assert any("value='1.000'" in picture for _, picture in course)
    assert (removed, nothing) == ("update_display_data", "")
    assert shown == "execute_result"
    assert "OPTIMAL" in result
    assert [output.output_type for output in cell.outputs] == ["display_data", "execute_result"]


def test_an_audit_tells_of_everybody_and_of_every_release():
    both = [oa.solve(FRAME.head(n), oa.Policy([oa.KAnonymity(k=2)]), **ROLES, seed=0).release for n in (6, 8)]
    found = oa.audit([release for release in both if release is not None])
    people = found.posteriors()
    assert sorted(people["respondent"]) == sorted(FRAME["id"])
    for _, row in people.iterrows():
        chances = found.posterior(row["respondent"])
        assert chances is not None
        assert sum(chances.values()) == 1
        assert chances[row["likeliest"]] == row["probability"] == max(chances.values())
        assert row["values"] == len(chances)
    last = found.releases[-1].persistent
    assert last is not None
    assert people["probability"][0] == last.worst == found.to_frame()["largest probability"].iloc[-1]
    assert found._repr_html_().count("<tr") == 3
    assert oa.audit(both, posterior=False).posterior("a") is None
    with pytest.raises(oa.InputError, match="in no published group"):
        found.posterior("nobody")


NEEDED = {
    "own parts": "Requirement GroupRequirement Loss register register_loss Structure",
    "tables, cells, releases": "Member Numeric Ordered Interval Leaves QIGroup Hierarchy Sensitive Microdata",
    "views": "ProtectedAssociation AttackModel SecretQuery breach breach_probability choose_views",
    "familiar names": "KAnonymity",
}


@pytest.mark.parametrize("names", NEEDED.values(), ids=NEEDED)
def test_what_documented_functions_need_is_on_the_package(names: str):
    assert set(names.split()) <= set(oa.__all__)


def test_ncp_is_a_loss_by_its_own_name():
    table = oa.Microdata.from_frame(FRAME, **ROLES)
    found = oa.solve(table, oa.Policy([oa.KAnonymity(k=2)], minimize=["ncp"]))
    assert found.summary is not None
    assert found.levels[0].name == "ncp"
