"""Releases read from files: who is spelt otherwise is not taken for somebody else without a word."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import run

import optanon as oa
from optanon.instances.problem_file import load_answer, load_problem

HEAD = "group,kind,id,age,age published,disease\n"
FIRST = f"{HEAD}1,member,A1,30,*,flu\n1,member,A2,31,*,HIV\n"
PROBLEM = """
table: t.csv
respondent: id
quasi_identifiers: {age: {kind: flat}}
sensitive: {column: disease, domain: [flu, HIV, cancer]}
policy: {requirements: [k_anonymity: {k: 2}]}
"""


def second(who: str, value: str = "flu") -> str:
    """A later release, which gives everybody away if `who` was in the first one."""
    return f"{HEAD}1,member,{who},30,*,{value}\n1,member,A3,31,*,cancer\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "r1.csv").write_text(FIRST)
    (tmp_path / "t.csv").write_text("id,age,disease\na1,30,flu\nA3,31,cancer\n")
    return tmp_path


@pytest.mark.parametrize("other", ["a1", '"A1 "'])
def test_copies_alone_that_differ_in_spelling_are_refused(folder: Path, other: str):
    (folder / "r2.csv").write_text(second(other))
    for command in ("audit", "what-if"):
        done = run(command, "r1.csv", "r2.csv", folder=folder)
        assert done.returncode == 2
        assert "differs from one of an earlier release" in done.stderr
        assert "a1" not in done.stderr.lower()
    (folder / "r2.csv").write_text(second("A1"))
    assert run("audit", "r1.csv", "r2.csv", folder=folder).returncode == 1


def test_so_are_values_and_ids_of_one_release(folder: Path):
    (folder / "r2.csv").write_text(second("A4", "hiv"))
    done = run("audit", "r1.csv", "r2.csv", folder=folder)
    assert done.returncode == 2
    assert "values that differ in blanks, case" in done.stderr
    (folder / "r2.csv").write_text(second("a3"))
    done = run("audit", "r1.csv", "r2.csv", folder=folder)
    assert done.returncode == 2
    assert "ids of one release differ in blanks" in done.stderr


def test_a_problem_says_what_other_spellings_are(folder: Path):
    (folder / "r2.csv").write_text(second("a1"))
    series = PROBLEM + "history: [r1.csv, r2.csv]\n"
    said = {"merge": 1, "keep": 0, "refuse": 2}
    for choice, code in said.items():
        (folder / "p.yaml").write_text(f"{series}spelling: {{respondent: {choice}}}\n")
        assert run("audit", "p.yaml", folder=folder).returncode == code
        assert run("audit", "p.yaml", "r1.csv", "r2.csv", folder=folder).returncode == code
    (folder / "p.yaml").write_text(f"{series}spelling: {{respondent: merge}}\n")
    assert sorted(load_problem(folder / "p.yaml").history.records) == ["A1", "A2", "A3"]


def test_what_is_appended_is_spelt_as_the_store_has_it(folder: Path):
    (folder / "r2.csv").write_text(second("a1"))
    (folder / "p.yaml").write_text(PROBLEM + "spelling: {respondent: merge}\n")
    (folder / "first.yaml").write_text(PROBLEM.replace("t.csv", "t1.csv"))
    (folder / "t1.csv").write_text("id,age,disease\nA1,30,flu\nA2,31,HIV\n")
    assert run("history", "init", "s.db", folder=folder).returncode == 0
    assert run("history", "append", "s.db", "r1.csv", "-p", "first.yaml", folder=folder).returncode == 0
    done = run("history", "append", "s.db", "r2.csv", "-p", "p.yaml", "--audit-limit", "0", folder=folder)
    assert done.returncode == 5, done.stdout
    assert "not appended" in done.stdout
    assert sorted(oa.History.open(str(folder / "s.db")).records) == ["A1", "A2"]
    (folder / "p.yaml").write_text(PROBLEM + "history: [r1.csv]\nspelling: {respondent: merge}\n")
    problem = load_problem(folder / "p.yaml")
    release = load_answer(folder / "r2.csv", problem)
    assert next(problem.check(release), None) is None
