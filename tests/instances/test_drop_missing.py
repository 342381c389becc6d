"""Rows that `drop_missing` leaves out are told wherever an answer could be taken to be about them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from command_line import run

import optanon as oa
from optanon.instances.problem_file import load_problem

PROBLEM = """table: t.csv
respondent: id
quasi_identifiers: {age: numeric}
sensitive: ill
drop_missing: [age]
policy: {requirements: [k_c_anonymity: {k: 3}]}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "t.csv").write_text("id,age,ill\na,20,x\nb,21,y\nc,,x\nd,31,y\n")
    (tmp_path / "p.yaml").write_text(PROBLEM)
    return tmp_path


def test_what_solve_says_of_them(folder: Path):
    problem = load_problem(folder / "p.yaml")
    assert problem.table.dropped == 1
    summary = oa.solve(problem.table, problem.policy).summary
    assert summary is not None
    told = "; 1 more lack a value and are not in the table"
    assert summary.lines[0] == ("rows", f"3 of 3 published, none invented{told}")
    assert f"3 of 3 rows in 1 groups{told};" in summary.short
    (folder / "p.yaml").write_text(PROBLEM.replace("drop_missing: [age]", ""))
    (folder / "t.csv").write_text("id,age,ill\na,20,x\nb,21,y\nd,31,y\n")
    whole = load_problem(folder / "p.yaml")
    assert whole.table.dropped == 0
    assert whole.digests["table"] == problem.digests["table"]


def test_what_audit_release_says_of_them(folder: Path):
    problem = load_problem(folder / "p.yaml")
    frame = pd.DataFrame({"age": ["20-31"] * 3, "ill": list("xyy")})
    found = oa.audit_release(frame, problem, solve=False)
    assert found.source.notes == (
        "1 rows of the table lack a value and are left out (drop_missing): no verdict is about them",
    )
    more = pd.concat([frame, frame.tail(1)])
    with pytest.raises(
        oa.ReleaseError, match=r"4 records, the table 3 tuples without the 1 that lack a value"
    ):
        oa.audit_release(more, problem, solve=False)


def test_a_table_of_which_nothing_is_left(folder: Path):
    (folder / "t.csv").write_text("id,age,ill\na,,x\nb,,y\n")
    with pytest.raises(oa.TableError, match="no rows left, each lacks a value that drop_missing names"):
        load_problem(folder / "p.yaml")


@pytest.mark.parametrize(
    "command",
    [
        ["explain", "p.yaml"],
        ["compare", "p.yaml"],
        ["frontier", "p.yaml", "--vary", "k=3"],
        ["backtest", "s.yaml"],
        ["audit", "p.yaml", "r.csv"],
        ["what-if", "p.yaml", "r.csv"],
    ],
    ids=lambda command: command[0],
)
def test_commands_that_say_nothing_of_a_file_tell_them(folder: Path, command: list[str]):
    (folder / "s.yaml").write_text(
        "problem: p.yaml\nfutures: {releases: 1, seeds: [1]}\npublishers: {a: {}}\n"
    )
    (folder / "r.csv").write_text("group,age,ill\n1,20-31,x\n1,20-31,y\n1,20-31,y\n")
    said = run(*command, folder=folder).stdout
    assert said.startswith("read t.csv: comma, utf-8, 4 rows, 1 of them left out (drop_missing)")
