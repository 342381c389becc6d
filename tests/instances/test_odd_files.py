"""Files that a guess could spoil: ids and values under decimal rules, encodings, ragged rows, Parquet."""

from __future__ import annotations

import zipfile
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command_line import run

import optanon as oa
from optanon.instances.problem_file import load_problem
from optanon.instances.readers import parquet_frame
from optanon.instances.text_files import read_text_table

ROLES: dict[str, Any] = {"respondent": "id", "quasi_identifiers": ["age", "size"], "sensitive": "ill"}
PROBLEM = """
table: {table}
respondent: id
quasi_identifiers: [age, size]
sensitive: ill
policy: {{requirements: [k_c_anonymity: {{k: 2}}], minimize: [information_loss]}}
{more}
"""

# -- m8: the decimal rule -------------------------------------------------------------------

SEMICOLON = "id;age;size;ill\n1,2;30;1,75;1.000\n1,3;31;1,82;2,50\n1.400;32;1,60;1.000\n7,10;33;1,91;2,50\n"


@pytest.mark.parametrize("more", ["", 'decimal: ","', 'delimiter: ";"'])
def test_the_decimal_rule_never_touches_ids_and_sensitive_values(tmp_path: Path, more: str):
    (tmp_path / "t.csv").write_text(SEMICOLON)
    (tmp_path / "p.yaml").write_text(PROBLEM.format(table="t.csv", more=more))
    table = load_problem(tmp_path / "p.yaml").table
    assert [m.respondent for m in table.members] == ["1,2", "1,3", "1.400", "7,10"]
    assert [m.value for m in table.members] == ["1.000", "2,50", "1.000", "2,50"]
    assert [float(m.point[1]) for m in table.members] == [1.75, 1.82, 1.6, 1.91]
    read = oa.read_csv(tmp_path / "t.csv", **ROLES, decimal="," if "decimal" in more else None)
    assert read.members == table.members
    done = run("solve", "p.yaml", "--steward", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "decimal commas in size" in done.stdout
    assert set(pd.read_csv(tmp_path / "p.steward.csv", dtype=str)["id"]) == {"1,2", "1,3", "1.400", "7,10"}
    public = (tmp_path / "p.release.csv").read_text()
    assert "2,50" in public
    assert "1.000" in public


def test_a_draft_keeps_ids_and_sensitive_values_too(tmp_path: Path):
    (tmp_path / "t.csv").write_text(SEMICOLON)
    done = run("init", "t.csv", "--once", "--respondent", "id", "--sensitive", "ill", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "decimal commas in size\n" in done.stdout, "what is told is what is done"
    assert "# Numbers are written with decimal commas: size\n" in (tmp_path / "t.yaml").read_text()
    table = load_problem(tmp_path / "t.yaml").table
    assert [m.respondent for m in table.members] == ["1,2", "1,3", "1.400", "7,10"]
    assert set(table.histogram) == {"1.000", "2,50"}


@pytest.mark.parametrize("delimiter", ["ab", "", r"\s+", '"', "\n", "é"])
def test_a_delimiter_is_one_character(tmp_path: Path, delimiter: str):
    (tmp_path / "t.csv").write_text("idabageabill\n1ab2abx\n")
    with pytest.raises(oa.TableError, match="the delimiter is one character"):
        read_text_table(tmp_path / "t.csv", delimiter=delimiter)


# -- m9, M8: encodings -----------------------------------------------------------------------


def test_one_bad_byte_does_not_turn_utf8_into_cp1252(tmp_path: Path):
    raw = "id,town\n1,Malm\u00f6\n2,\u00c5rhus\n".encode() + b"3,K\xf6ln\n"
    (tmp_path / "t.csv").write_bytes(raw)
    with pytest.raises(oa.TableError, match=r"line 4: byte \d+ is not UTF-8.*encoding: cp1252"):
        read_text_table(tmp_path / "t.csv")
    assert read_text_table(tmp_path / "t.csv", encoding="cp1252")[0]["town"][2] == "K\u00f6ln"


def test_western_files_are_still_read_and_others_must_be_named(tmp_path: Path):
    (tmp_path / "t.csv").write_bytes("id,town\n1,K\u00f6ln\n2,Orl\u00e9ans\n".encode("cp1252"))
    frame, reading = read_text_table(tmp_path / "t.csv")
    assert (frame["town"].tolist(), reading.encoding) == (["K\u00f6ln", "Orl\u00e9ans"], "cp1252")
    moscow = "\u041c\u043e\u0441\u043a\u0432\u0430"
    (tmp_path / "t.csv").write_bytes(f"id,town\n1,{moscow}\n".encode("cp1251"))
    with pytest.raises(oa.TableError, match="encoding: cp1251"):
        read_text_table(tmp_path / "t.csv")
    assert read_text_table(tmp_path / "t.csv", encoding="cp1251")[0]["town"][0] == moscow


CODECS = [
    "punycode",
    "idna",
    "unicode_escape",
    "raw_unicode_escape",
    "undefined",
    "zip",
    "hex",
    "rot13",
    "x" * 999,
]


@pytest.mark.parametrize("codec", [*CODECS, "a\0b", "no such"])
def test_odd_codecs_are_one_line(tmp_path: Path, codec: str):
    (tmp_path / "t.csv").write_text("id,age\n1,2\n")
    with pytest.raises(oa.TableError) as refused:
        read_text_table(tmp_path / "t.csv", encoding=codec)
    assert "try utf-8 or cp1252" in str(refused.value)
    assert len(str(refused.value).removeprefix(str(tmp_path))) < 160
    assert "\n" not in str(refused.value)


def test_a_codec_that_fails_otherwise_is_one_line(tmp_path: Path):
    (tmp_path / "t.csv").write_bytes(b"id,age\n1,2\n\xff+/")
    for codec in ("utf-7", "utf-32", "ascii"):
        with pytest.raises(oa.TableError, match="name another encoding"):
            read_text_table(tmp_path / "t.csv", encoding=codec)


def test_a_path_with_a_null_is_one_line(tmp_path: Path):
    (tmp_path / "p.yaml").write_text(PROBLEM.format(table='"t\\0.csv"', more=""))
    done = run("solve", "p.yaml", folder=tmp_path)
    assert done.returncode == 2
    assert "NUL" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_decimal_comma_that_is_declared_makes_points_those_of_thousands(tmp_path: Path):
    (tmp_path / "t.csv").write_text("id;pay;ill\na;999;x\nb;2.500;y\nc;12.000;x\n")
    frame, reading = read_text_table(tmp_path / "t.csv", decimal=",", as_written=("id", "ill"))
    assert frame["pay"].tolist() == ["999", "2500", "12000"]
    assert reading.decimal_commas == ("pay",)
    assert read_text_table(tmp_path / "t.csv")[0]["pay"].tolist() == ["999", "2.500", "12.000"]


def test_what_a_table_held_is_read_back_from_our_own_files(tmp_path: Path):
    (tmp_path / "t.csv").write_text("id,age,size,ill\n1,2,3,a\x1fb\n2,3,3,c\n")
    (tmp_path / "p.yaml").write_text(PROBLEM.format(table="t.csv", more="encoding: utf-8"))
    assert run("solve", "p.yaml", "--steward", folder=tmp_path).returncode == 0
    assert run("verify", "p.result.json", "-p", "p.yaml", folder=tmp_path).returncode == 0
    (tmp_path / "q.yaml").write_text(
        PROBLEM.format(table="t.csv", more="encoding: utf-8\nhistory: [p.steward.csv]")
    )
    assert load_problem(tmp_path / "q.yaml").history[0].histogram == {"a\x1fb": 1, "c": 1}


# -- ragged rows -----------------------------------------------------------------------------


def test_rows_that_are_too_short_are_named_by_line(tmp_path: Path):
    for text, line in (
        ("id,age,ill\n1,2,a\n3,4\n5,6,b\n", "line 3 has 2 cells, the header 3"),
        ('id,age,ill\n1,"2\n3",a\n\n4\n', "line 5 has 1 cell, the header 3"),
    ):
        (tmp_path / "t.csv").write_text(text)
        with pytest.raises(oa.TableError, match=line):
            read_text_table(tmp_path / "t.csv")


def test_a_missing_last_cell_is_no_short_row(tmp_path: Path):
    (tmp_path / "t.csv").write_text("id,age,ill\n1,2,\n\n3,4,b\n")
    frame, _ = read_text_table(tmp_path / "t.csv")
    assert frame["ill"].isna().tolist() == [True, False]


def test_a_header_in_a_hierarchy_is_no_leaf(tmp_path: Path):
    (tmp_path / "zip.csv").write_text("Zip;region;all\n1;north;*\n2;south;*\n")
    frame = pd.DataFrame({"id": ["p", "q"], "zip": ["1", "2"], "ill": ["a", "b"]})
    with pytest.raises(oa.TableError, match="its hierarchy is a header \\(Zip\\)"):
        oa.Microdata.from_frame(
            frame,
            respondent="id",
            quasi_identifiers={"zip": oa.Hierarchy.from_csv(tmp_path / "zip.csv")},
            sensitive="ill",
        )


def test_ragged_rows_are_named_by_line(tmp_path: Path):
    (tmp_path / "t.csv").write_text("id,age,ill\n1,2,a\n3,4,b,c\n")
    with pytest.raises(oa.TableError, match="line 3 has 4 cells, the header 3"):
        read_text_table(tmp_path / "t.csv", delimiter=",")
    (tmp_path / "t.csv").write_text('id,age,ill\n1,2,a\n3,4,"b\n5,6,c\n')
    with pytest.raises(oa.TableError, match="a quoted cell does not end"):
        read_text_table(tmp_path / "t.csv", delimiter=",")


# -- m10: Parquet ---------------------------------------------------------------------------

pyarrow = pytest.importorskip("pyarrow")


def test_parquet_is_read_as_the_csv_file_of_the_same_table(tmp_path: Path):
    """Ids 1.0 and b'a', and 'NA' as a value, were not what a CSV file of the same table has."""
    frame = pd.DataFrame(
        {
            "id": [1.0, 2.0, 3.0, 4.0],
            "age": [30, 31, 32, 33],
            "size": [1.75, 1.5, 0.1, 100000.0],
            "ill": ["flu", "NA", "", "cold"],
        }
    )
    frame.to_parquet(tmp_path / "t.parquet")
    frame.assign(id=[1, 2, 3, 4]).to_csv(tmp_path / "t.csv", index=False)
    for missing in ("refuse", "category"):
        options = ROLES | {"missing": missing}
        if missing == "refuse":
            for read, name in ((oa.read_parquet, "t.parquet"), (oa.read_csv, "t.csv")):
                with pytest.raises(oa.TableError, match=r"'ill', row 2: the value is missing"):
                    read(tmp_path / name, **options)
        else:
            found = oa.read_parquet(tmp_path / "t.parquet", **options)
            assert found.members == oa.read_csv(tmp_path / "t.csv", **options).members
            assert [m.respondent for m in found.members] == ["1", "2", "3", "4"]


def test_every_type_of_parquet_is_text_as_people_write_it(tmp_path: Path):
    frame = pd.DataFrame(
        {
            "whole": pd.array([1, None], dtype="Int64"),
            "small": pd.Series([0.1, 2.0], dtype="float32"),
            "money": [Decimal("1.50"), Decimal("2.00")],
            "day": [date(2024, 2, 29), None],
            "midnight": [datetime(2024, 1, 2), datetime(2024, 1, 3)],
            "moment": [datetime(2024, 1, 2, 3, 4), datetime(2024, 1, 3)],
            "yes": [True, False],
            "kind": pd.Categorical(["a", "b"]),
        }
    )
    frame.to_parquet(tmp_path / "t.parquet")
    found = parquet_frame(tmp_path / "t.parquet")
    assert found.to_dict(orient="list") == {
        "whole": ["1", None],
        "small": ["0.1", "2"],
        "money": ["1.50", "2.00"],
        "day": ["2024-02-29", None],
        "midnight": ["2024-01-02", "2024-01-03"],
        "moment": ["2024-01-02 03:04:00", "2024-01-03 00:00:00"],
        "yes": ["True", "False"],
        "kind": ["a", "b"],
    }


def test_bytes_in_parquet_are_refused_by_column(tmp_path: Path):
    pd.DataFrame({"id": [b"a", b"b"], "age": [1, 2]}).to_parquet(tmp_path / "t.parquet")
    with pytest.raises(oa.TableError, match=r"t\.parquet: column 'id' is a column of bytes"):
        parquet_frame(tmp_path / "t.parquet")


def test_a_person_returns_from_a_csv_file_in_a_parquet_file(tmp_path: Path):
    frame = pd.DataFrame(
        {"id": [1.0, 2.0, 3.0], "age": [30, 31, 32], "size": [1, 2, 3], "ill": ["x", "y", "x"]}
    )
    frame.to_parquet(tmp_path / "t.parquet")
    frame.assign(id=[1, 2, 3]).to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "p1.yaml").write_text(PROBLEM.format(table="t.csv", more=""))
    assert run("solve", "p1.yaml", "--steward", folder=tmp_path).returncode == 0
    (tmp_path / "p2.yaml").write_text(PROBLEM.format(table="t.parquet", more="history: [p1.steward.csv]"))
    problem = load_problem(tmp_path / "p2.yaml")
    assert {m.respondent for m in problem.table.members} == problem.history.records.keys()


def test_endless_cells_are_shortened_in_messages(tmp_path: Path):
    (tmp_path / "t.csv").write_text("id,age\n1," + "9" * 6000 + "\n2,3\n")
    done = run("hierarchy", "t.csv", "age", "--intervals", "5", folder=tmp_path)
    assert done.returncode == 2
    assert "is not a number" in done.stderr
    assert len(done.stderr) < 300


def test_an_archive_with_a_password_is_one_line(tmp_path: Path):
    packed = tmp_path / "t.csv.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("t.csv", "id,age\n1,2\n")
    raw = bytearray(packed.read_bytes())
    raw[6] |= 1  # the mark of a password, in the file's own head and in the list of files
    raw[raw.find(b"PK\x01\x02") + 8] |= 1
    packed.write_bytes(raw)
    with pytest.raises(oa.TableError, match=r"t\.csv\.zip: .* password .*: unpack it"):
        read_text_table(packed)


def test_parquet_with_two_columns_of_a_name_is_one_line(tmp_path: Path):
    """The library's message goes on over as many lines as there are columns."""
    table = pa.table({"id": ["a", "b"], "age": [1, 2], "size": [3, 4], "ill": ["x", "y"]})
    pq.write_table(table.rename_columns(["id", "age", "age", "ill"]), tmp_path / "r.parquet")
    (tmp_path / "t.csv").write_text("id,age,size,ill\na,1,3,x\nb,2,4,y\n")
    (tmp_path / "p.yaml").write_text(PROBLEM.format(table="t.csv", more=""))
    for command in (
        ("hierarchy", "r.parquet", "age", "--intervals", "5"),
        ("check", "r.parquet", "-p", "p.yaml"),
        ("audit-release", "r.parquet", "p.yaml"),
    ):
        done = run(*command, folder=tmp_path)
        assert done.returncode == 2
        assert done.stderr.startswith("error: r.parquet: cannot be read as Parquet")
        assert len(done.stderr.splitlines()) == 1
