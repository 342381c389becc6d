"""Steward's copies of earlier releases, beside a table that lacks what people had then."""

from __future__ import annotations

from pathlib import Path

import pytest

import optanon as oa
from optanon.instances.asked_series import read_asked
from optanon.instances.problem_file import load_answer, load_problem
from optanon.instances.steward_series import read_series

YEARS = (
    "id,town,day,ill\na,Oslo,2024-03-05,flu\nb,Rome,2024-03-06,cold\nc,Bari,2024-07-01,gout\n",
    "id,town,day,ill\na,Oslo,2025-03-05,flu\nd,Bonn,2025-04-06,cold\n",
)
PROBLEM = """
table: t{year}.csv
respondent: id
quasi_identifiers: {{town: flat, day: {{kind: dates, levels: [month, year]}}}}
sensitive: ill
history: {history}
policy: {{requirements: [k_anonymity: {{k: 1}}]}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for year, rows in enumerate(YEARS, start=1):
        (tmp_path / f"t{year}.csv").write_text(rows)
    return tmp_path


def load(folder: Path, year: int, history: str) -> oa.Problem:
    (folder / f"p{year}.yaml").write_text(PROBLEM.format(year=year, history=history))
    return load_problem(folder / f"p{year}.yaml")


def test_towns_and_days_that_nobody_has_any_more_are_read(folder: Path):
    release = load(folder, 1, "[]").assemble([[0, 1], [2]])
    release.to_csv(folder / "r1.csv", copy="steward", respondent="id")
    problem = load(folder, 2, "[r1.csv]")
    read = problem.history[0]
    assert set(read.members) == set(release.members)
    assert [str(cell) for group in read.groups for cell in group.box or ()] == [
        "*",
        "2024-03",
        "Bari",
        "2024-07-01",
    ]
    assert problem.history.fingerprint == oa.History([release]).fingerprint
    named = read_asked([folder / "p2.yaml", folder / "r1.csv"], None).history
    assert named.fingerprint == problem.history.fingerprint
    assert problem.table.domains[0].span == 2, "the table's own columns stay as they are"


def test_a_release_of_the_table_itself_has_only_its_values(folder: Path):
    release = load(folder, 1, "[]").assemble([[0, 1], [2]])
    release.to_csv(folder / "r1.csv", copy="steward", respondent="id")
    with pytest.raises(oa.ReleaseError, match="row 1: column 'day': '2024-03-05' is not in its hierarchy"):
        load_answer(folder / "r1.csv", load(folder, 2, "[]"))


def test_a_damaged_copy_is_refused(folder: Path):
    load(folder, 1, "[]").assemble([[0, 1], [2]]).to_csv(folder / "r1.csv", copy="steward", respondent="id")
    good = (folder / "r1.csv").read_text()
    (folder / "r1.csv").write_text(good.replace(",Rome,", ",,"))
    with pytest.raises(oa.InputError, match=r"r1.csv: row 2: column 'town'"):
        load(folder, 2, "[r1.csv]")
    (folder / "r1.csv").write_text(good.replace(",2024-03-06,", ",soon,"))
    with pytest.raises(oa.InputError, match=r"r1.csv: column 'day'"):
        load(folder, 2, "[r1.csv]")


def test_a_release_that_was_published_twice_is_audited_twice(folder: Path):
    release = load(folder, 1, "[]").assemble([[0, 1], [2]])
    release.to_csv(folder / "r1.csv", copy="steward", respondent="id")
    assert len(read_series([folder / "r1.csv"] * 2)) == 2
