"""Cells that look missing are asked about, never counted as values unasked (M3); reserved names (M9)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml
from command_line import run

import optanon as oa
from optanon.instances.declared_cells import MISSING_CELLS
from optanon.instances.problem_file import load_problem
from optanon.instances.views_file import load_views, load_views_problem
from optanon.models.missing import DOUBTFUL, MISSING_MARKS

DOUBTFUL_CELLS = ["N/A", "n/a ", "null", "NULL", "None", "-", "<NA>", "NaT", "#N/A", ".", "\u2013", "\\N"]
ROLES: dict[str, Any] = {"respondent": "id", "quasi_identifiers": ["age", "town"], "sensitive": "ill"}
PROBLEM = """
table: t.csv
respondent: id
quasi_identifiers: [age, town]
sensitive: ill
policy: {requirements: [distinct_l_diversity: {l: 3}], minimize: [information_loss]}
"""


def frame(ill: list[Any], **columns: Any) -> pd.DataFrame:
    people = [f"secret{n}" for n in range(len(ill))]
    town = ["AB"[n % 2] for n in range(len(ill))]
    return pd.DataFrame({"id": people, "age": range(30, 30 + len(ill)), "town": town, "ill": ill, **columns})


def table(data: pd.DataFrame, **options: Any) -> oa.Microdata:
    return oa.Microdata.from_frame(data, **ROLES, **options)


@pytest.mark.parametrize("cell", DOUBTFUL_CELLS)
def test_a_doubtful_cell_is_named_with_its_row_and_both_remedies(cell: str):
    with pytest.raises(oa.TableError) as refused:
        table(frame(["flu", "cold", cell, "flu", cell]))
    message = str(refused.value)
    assert f"column 'ill': {cell!r} (row 3) may be missing or a value" in message
    shown = cell.strip().lower()
    assert f"missing_marks: ['{shown}']" in message
    assert f"real_values: ['{shown}']" in message
    assert yaml.safe_load(f"['{shown}']") == [shown], "the remedy can be pasted"
    assert "secret" not in message


def test_all_doubtful_cells_of_a_column_are_listed_at_once():
    with pytest.raises(oa.TableError) as refused:
        table(frame(["N/A", "flu", "null", "-", "None"]))
    assert "['n/a', 'null', '-', 'none']" in str(refused.value)


def test_several_marks_are_one_value_not_three():
    """The case of the review: a group {N/A, flu, null} passed for three values."""
    data = frame(["N/A", "flu", "null", "flu", "-", "null"])
    declared = table(data, missing_marks=["N/A", "null", "-"], missing="category")
    assert declared.histogram.keys() == {"flu", "missing"}
    with pytest.raises(oa.TableError, match=r"'ill', row 1: the value is missing"):
        table(data, missing_marks=["N/A", "null", "-"])
    assert table(data, real_values=["N/A", "null", "-"], spelling="merge").histogram.keys() == {
        "-",
        "N/A",
        "flu",
        "null",
    }


def test_marks_can_be_said_by_column():
    data = frame(["none", "flu", "cold"], town=["none", "A", "B"])
    found = table(data, missing_marks={"town": ["none"]}, real_values={"ill": ["none"]}, missing="category")
    assert found.histogram.keys() == {"cold", "flu", "none"}
    with pytest.raises(oa.TableError, match="'ill': 'none'"):
        table(data, missing_marks={"town": ["none"]}, missing="category")


@pytest.mark.parametrize("key", ["missing_marks", "real_values"])
def test_a_column_that_is_not_there_is_refused(tmp_path: Path, key: str):
    """Nothing was declared by a misspelt name: "-9" was published as a value."""
    data = frame(["flu", "cold", "-9"])
    declared = {key: {"il": ["-9"]}}
    told = f"{key}: the table has no column 'il', only id, age, town, ill"
    with pytest.raises(oa.TableError, match=told):
        table(data, **declared)
    data.to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(oa.TableError, match=rf"t\.csv: {told}"):
        oa.read_csv(tmp_path / "t.csv", **ROLES, **declared)
    (tmp_path / "p.yaml").write_text(PROBLEM + yaml.safe_dump(declared))
    with pytest.raises(oa.ProblemFileError, match=rf"p\.yaml, key {told}"):
        load_problem(tmp_path / "p.yaml")
    with pytest.raises(oa.TableError, match=rf"{key}: the table has no column 'il', only ID, Name, Age"):
        load_views_problem(views_folder(tmp_path, "cold", **declared))


def test_a_column_without_a_role_may_be_declared():
    assert len(table(frame(["flu", "cold"], note=["-", "-"]), missing_marks={"note": ["-"]})) == 2


def test_declared_categories_are_values():
    """Whoever lists a category by hand has said that it is one."""
    data = frame(["flu", "none", "cold"], town=["-", "A", "B"])
    roles = ROLES | {
        "quasi_identifiers": {"age": "numeric", "town": ["-", "A", "B"]},
        "sensitive": oa.Sensitive(name="ill", order=("none", "cold", "flu")),
    }
    assert oa.Microdata.from_frame(data, **roles).histogram.keys() == {"cold", "flu", "none"}


def test_a_value_called_missing_is_not_mixed_with_missing_cells():
    data = frame(["missing", "flu", None])
    with pytest.raises(oa.TableError, match=r"row 3.*'missing' \(row 1\).*missing_marks: \[missing\]"):
        table(data, missing="category")
    assert table(data, missing="category", missing_marks=["missing"]).histogram.keys() == {"flu", "missing"}
    assert table(frame(["missing", "flu", "x"])).histogram.keys() == {"flu", "missing", "x"}


def test_a_missing_id_is_never_a_category():
    with pytest.raises(oa.TableError, match="'id'"):
        table(frame(["flu", "cold"], id=["-", "a"]))
    with pytest.raises(oa.TableError, match="'id', row 1"):
        table(frame(["flu", "cold"], id=["-", "a"]), missing_marks=["-"], missing="category")


def test_usual_marks_of_files_can_be_declared_values(tmp_path: Path):
    frame(["flu", "cold", "gout"], town=["NA", "DE", "FR"]).to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(
        oa.TableError, match=r"'town', row 1: .* missing='category' \(in .*missing: category\)$"
    ):
        oa.read_csv(tmp_path / "t.csv", **ROLES)
    read = oa.read_csv(tmp_path / "t.csv", **ROLES, real_values={"town": ["NA"]})
    assert [m.point[1] for m in read.members] == ["NA", "DE", "FR"]


def test_marks_and_values_in_a_problem_file(tmp_path: Path):
    frame(["flu", "cold", "N/A", "null", "gout", "None"]).to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "p.yaml").write_text(PROBLEM)
    refused = run("solve", "p.yaml", folder=tmp_path)
    assert refused.returncode == 2
    assert "column 'ill': 'N/A' (row 3), 'null' (row 4), 'None' (row 6) may be missing" in refused.stderr
    assert len(refused.stderr.strip().splitlines()) == 1
    # What YAML itself takes for nothing, or for a number, is what stands there.
    more = "missing: category\nmissing_marks: [N/A, null]\nreal_values: {ill: [None]}\n"
    (tmp_path / "p.yaml").write_text(PROBLEM + more)
    done = run("solve", "p.yaml", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert load_problem(tmp_path / "p.yaml").table.histogram.keys() == {
        "None",
        "cold",
        "flu",
        "gout",
        "missing",
    }


def test_every_usual_mark_is_among_those_that_are_asked_about():
    assert {mark.lower() for mark in MISSING_MARKS} <= DOUBTFUL


# -- reserved names --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["group", "kind", "counterfeits", "count", "respondent", "age published", "x hidden"]
)
@pytest.mark.parametrize("role", ["town", "ill"])
def test_names_that_release_files_use_are_refused_at_load(tmp_path: Path, name: str, role: str):
    """A table with columns called group and kind gave a steward's copy that could not be read (M9)."""
    frame(["flu", "cold", "gout"]).rename(columns={role: name}).to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "p.yaml").write_text(PROBLEM.replace(role, f"'{name}'"))
    refused = run("solve", "p.yaml", folder=tmp_path)
    assert refused.returncode == 2
    assert f"column '{name}'" in refused.stderr
    assert "rename it" in refused.stderr
    assert not (tmp_path / "p.steward.csv").exists()


def test_ids_may_be_called_respondent_but_not_group(tmp_path: Path):
    data = frame(["flu", "cold", "gout"])
    roles = ROLES | {"respondent": "respondent"}
    assert len(oa.Microdata.from_frame(data.rename(columns={"id": "respondent"}), **roles)) == 3
    with pytest.raises(oa.TableError, match="'kind'"):
        oa.Microdata.from_frame(data.rename(columns={"id": "kind"}), **ROLES | {"respondent": "kind"})


VIEWS = "select Problem from T where Name = 'Ann'"


def views_folder(folder: Path, cell: str, **declared: Any) -> Path:
    base = f"ID,Name,Age,Problem\n1,Ann,30,{cell}\n2,Bob,45,flu\n3,Eve,30,flu\n"
    (folder / "t.csv").write_text(base, encoding="utf-8")
    spec = {"table": "t.csv", "secrets": [{"query": VIEWS, "threshold": "1/2"}], **declared}
    (folder / "views.yaml").write_text(yaml.safe_dump(spec), encoding="utf-8")
    return folder / "views.yaml"


def test_a_table_of_views_is_asked_about_too(tmp_path: Path):
    with pytest.raises(oa.TableError, match=r"t\.csv: column 'Problem': '-' \(row 1\) may be missing"):
        load_views_problem(views_folder(tmp_path, "-"))


def test_a_declared_value_of_views_is_a_value_and_a_declared_gap_is_missing(tmp_path: Path):
    path = views_folder(tmp_path, "-", real_values={"Problem": ["-"]})
    assert load_views_problem(path).table["Problem"].tolist() == ["-", "flu", "flu"]
    path = views_folder(tmp_path, "-", missing_marks=["-"])
    assert load_views_problem(path).table["Problem"].isna().tolist() == [True, False, False]
    told = run("solve", path, folder=tmp_path)
    assert told.returncode == 2
    assert "missing value" in told.stderr


@pytest.mark.parametrize("declared", [True, False])
def test_published_views_follow_what_their_table_declares(tmp_path: Path, declared: bool):
    marks = {"real_values": ["-"]} if declared else {}
    problem = load_views_problem(views_folder(tmp_path, "-" if declared else "cold", **marks))
    (tmp_path / "1.csv").write_text("Name,Age\nAnn,30\nBob,45\nEve,30\n", encoding="utf-8")
    (tmp_path / "2.csv").write_text("Age,Problem\n30,-\n45,flu\n30,flu\n", encoding="utf-8")
    if declared:
        assert "-" in load_views(tmp_path / "1.csv", tmp_path / "2.csv", problem).second["Problem"].tolist()
    else:
        with pytest.raises(oa.TableError, match=r"2\.csv: column 'Problem'"):
            load_views(tmp_path / "1.csv", tmp_path / "2.csv", problem)


def test_a_missing_value_counts_for_diversity_and_the_file_says_so(tmp_path: Path):
    data = table(frame(["flu", None, "flu", None]), missing="category")
    problem = oa.Problem(table=data, policy=oa.Policy([oa.DistinctLDiversity(l=2)]))
    assert not list(problem.check(problem.assemble([[0, 1, 2, 3]])))
    assert list(problem.check(problem.assemble([[0, 2], [1, 3]])))
    assert "makes groups more diverse" in " ".join(MISSING_CELLS)
