"""Columns of dates of which nobody says what they are have months, quarters, years, decades, as in drafts."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import optanon as oa
from optanon.instances.problem_file import load_problem
from optanon.models.categories import Categories

DAYS = ["2024-03-05", "2024-03-17", "2024-05-01", "1999-12-31"]


def domain(cells: object, missing: str = "refuse") -> Categories:
    frame = pd.DataFrame({"id": list("abcd"), "born": cells, "ill": list("xyxy")})
    table = oa.Microdata.from_frame(
        frame, respondent="id", quasi_identifiers=["born"], sensitive="ill", missing=missing
    )
    (found,) = table.domains
    assert isinstance(found, Categories)
    return found


def test_typed_dates_and_texts_are_alike(tmp_path: Path):
    typed = domain(pd.to_datetime(DAYS))
    assert typed.hierarchy.paths == domain(DAYS).hierarchy.paths
    assert typed.hierarchy.paths == domain(pd.to_datetime(DAYS).date).hierarchy.paths
    assert ("2024-03-05", "2024-03", "2024-Q1", "2024", "2020s", "*") in typed.hierarchy.paths
    rows = "\n".join(f"{who},{day},{ill}" for who, day, ill in zip("abcd", DAYS, "xyxy", strict=True))
    (tmp_path / "t.csv").write_text(f"id,born,ill\n{rows}\n")
    (tmp_path / "p.yaml").write_text(
        "table: t.csv\nrespondent: id\nquasi_identifiers: [born]\nsensitive: ill\n"
        "policy: {requirements: [k_anonymity: {k: 2}]}\n"
    )
    problem = load_problem(tmp_path / "p.yaml")
    (read,) = problem.table.domains
    assert isinstance(read, Categories)
    assert read.hierarchy.paths == typed.hierarchy.paths
    release = oa.solve(problem.table, problem.policy, time_limit=5).release
    assert release is not None
    assert sorted(str(group.box[0]) for group in release.groups) == ["*", "2024-03"]


def test_times_of_day_stay():
    paths = domain(pd.to_datetime(["2024-03-05 08:30:00", *DAYS[1:]], format="ISO8601")).hierarchy.paths
    assert ("2024-03-05 08:30:00", "2024-03", "2024-Q1", "2024", "2020s", "*") in paths
    assert ("1999-12-31 00:00:00", "1999-12", "1999-Q4", "1999", "1990s", "*") in paths


def test_missing_dates_have_a_branch():
    for cells in ([*DAYS[:3], None], pd.to_datetime([*DAYS[:3], None])):
        found = domain(cells, "category").hierarchy
        assert set(found.leaves) == {*DAYS[:3], "missing"}
        assert found.height == 5


@pytest.mark.parametrize("last", ["2024-02-31", "soon", "March", "20240305"])
def test_what_is_no_date_makes_the_column_flat(last: str):
    assert domain([*DAYS[:3], last]).hierarchy.height == 1


def test_who_says_flat_has_flat():
    frame = pd.DataFrame({"id": list("abcd"), "born": DAYS, "ill": list("xyxy")})
    table = oa.Microdata.from_frame(
        frame, respondent="id", quasi_identifiers={"born": "flat"}, sensitive="ill"
    )
    assert table.domains[0].hierarchy.height == 1
