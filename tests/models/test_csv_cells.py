"""Cells that a spreadsheet would run: neutral in what is written, themselves again when it is read."""

from __future__ import annotations

import csv
from pathlib import Path

import pandas as pd
import pytest
import yaml
from command_line import run
from hypothesis import given, settings, strategies as st

import optanon as oa
from optanon.instances.problem_file import load_problem
from optanon.instances.readers import read_frame
from optanon.models.csv_cells import neutral, restored, write_csv

EVIL = ("=cmd|'/c calc'!A1", "@SUM(1)", "+1+1", "-2+3", "\t=1", "\r=1", "'=x", "''@y", "＝1")
PLAIN = ("", "-5", "+5", "-0.25", "-1,5", "1e-3", "-1e5", "-1/3", "'quoted'", "it's", "[-5,3]", "a=b", " =x")
STARTS = tuple("=+-@\t\r\n")


@pytest.mark.parametrize("cell", EVIL)
def test_formulas_are_neutralised(cell: str):
    assert neutral(cell) == f"'{cell}"
    assert restored(neutral(cell)) == cell


@pytest.mark.parametrize("cell", PLAIN)
def test_what_is_no_formula_stays(cell: str):
    assert neutral(cell) == cell
    assert restored(cell) == cell


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.text("'=+-@\t\r\n＝a1. ,/e", max_size=8) | st.text(max_size=5))
def test_every_cell_comes_back_and_none_is_run(cell: str):
    written = neutral(cell)
    assert restored(written) == cell
    if written.startswith(STARTS):
        assert written == cell
        assert not set(cell) - set("+-.,/0123456789eE"), "only plain numbers may begin so"


def test_whole_files_come_back_with_their_headers(tmp_path: Path):
    frame = pd.DataFrame({"=a": [*EVIL, "NA"], "b": ["-5", *["x"] * len(EVIL)], "c": range(len(EVIL) + 1)})
    write_csv(frame, tmp_path / "f.csv")
    with (tmp_path / "f.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["'=a", "b", "c"]
    assert [row[0] for row in rows[1:]] == [*(f"'{cell}" for cell in EVIL), "NA"]
    assert rows[1][1] == "-5"
    assert read_frame(tmp_path / "f.csv", own=True).equals(frame.astype(str).astype("str"))
    write_csv(frame, tmp_path / "g.csv", raw_cells=True)
    assert read_frame(tmp_path / "g.csv", own=True)["=a"].tolist()[0] == EVIL[0]


def problem(folder: Path, form: str) -> None:
    rows = [
        ["=id", "=town", "age", "ill"],
        *(["@p1", "=A", "-5", "=flu"], ["p2", "=A", "-4", "-2+3"], ["p3", "=A", "-3", "cold"]),
        *(["p4", "B", "7", "=flu"], ["p5", "B", "8", "-2+3"], ["p6", "B", "9", "'=x"]),
    ]
    with (folder / "t.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    spec = {
        "table": "t.csv",
        "respondent": "=id",
        "quasi_identifiers": {"=town": "flat", "age": "numeric"},
        "sensitive": "ill",
        "policy": {"requirements": [{"distinct_l_diversity": {"l": 3}}], "form": form},
    }
    (folder / "p.yaml").write_text(yaml.safe_dump(spec))


@pytest.mark.parametrize("form", ["generalized", "anatomized"])
def test_a_release_has_no_formulas_and_is_read_back_as_it_was(tmp_path: Path, form: str):
    problem(tmp_path, form)
    done = run("solve", "p.yaml", "-q", "--steward", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    for path in tmp_path.glob("p.*.csv"):
        with path.open(newline="", encoding="utf-8") as file:
            cells = [cell for row in csv.reader(file) for cell in row]
        assert not [cell for cell in cells if cell.startswith(STARTS) and not cell[1:].isdecimal()]
    assert "'=flu" in (tmp_path / "p.steward.csv").read_text()
    if form == "generalized":
        assert ",[-5,-3]," in (tmp_path / "p.release.csv").read_text().replace('"', "")
        checked = run("check", "p.release.csv", "-p", "p.yaml", folder=tmp_path)
        assert checked.returncode == 0, checked.stderr
        other = run("audit-release", "p.release.csv", "p.yaml", "--no-solve", folder=tmp_path)
        assert "every check passed" in other.stdout, other.stderr
    else:
        assert ",-5\n" in (tmp_path / "p.release.csv").read_text()
    for copy in ("p.steward.csv",):
        checked = run("check", copy, "-p", "p.yaml", folder=tmp_path)
        assert checked.returncode == 0, checked.stderr
    assert run("audit", "p.steward.csv", folder=tmp_path).returncode == 0


def test_the_switch_leaves_cells_as_they_are(tmp_path: Path):
    problem(tmp_path, "generalized")
    assert run("solve", "p.yaml", "-q", "--steward", "--raw-cells", folder=tmp_path).returncode == 0
    assert ",=flu" in (tmp_path / "p.release.csv").read_text()
    checked = run("check", "p.release.csv", "-p", "p.yaml", folder=tmp_path)
    assert checked.returncode == 0, checked.stderr
    release = oa.solve_problem(load_problem(tmp_path / "p.yaml"), display=False).release
    assert release is not None
    release.to_csv(tmp_path / "neutral.csv")
    release.to_csv(tmp_path / "raw.csv", raw_cells=True)
    assert (tmp_path / "raw.csv").read_bytes() == (tmp_path / "p.release.csv").read_bytes()
    assert ",'=flu" in (tmp_path / "neutral.csv").read_text()
