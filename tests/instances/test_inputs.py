"""Tables as people have them: CSV of any dialect, queries, builders of hierarchies."""

from __future__ import annotations

import bz2
import gzip
import lzma
import sqlite3
import zipfile
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml
from command_line import run
from hypothesis import given, settings, strategies as st

import optanon as oa
from optanon import hierarchies
from optanon.instances.problem_file import load_problem
from optanon.instances.text_files import read_text_table

CELLS = [["id", "größe", "town"], ["1", "5", "Malmö"], ["2", "7", "Århus, DK; x"], ["3", "9", 'a "b"']]


def written(delimiter: str, quote: str = '"') -> str:
    def cell(text: str) -> str:
        return quote + text.replace(quote, quote * 2) + quote

    return "\n".join(delimiter.join(map(cell, row)) for row in CELLS) + "\n"


@pytest.mark.parametrize(
    ("delimiter", "quote", "encoding"),
    list(product(",;\t|", "\"'", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])),
)
def test_dialects_and_encodings_are_found_out(tmp_path: Path, delimiter: str, quote: str, encoding: str):
    (tmp_path / "t.csv").write_bytes(written(delimiter, quote).encode(encoding))
    frame, reading = read_text_table(tmp_path / "t.csv")
    assert [list(frame.columns), *frame.to_numpy().tolist()] == CELLS
    assert (reading.delimiter, reading.quote, reading.rows) == (delimiter, quote, 3)
    assert reading.encoding == encoding.removesuffix("-sig")


def test_reading_is_told_in_words(tmp_path: Path):
    (tmp_path / "t.csv").write_bytes("a;b\n1,5;2\nx;3\n".encode("cp1252"))
    assert str(read_text_table(tmp_path / "t.csv")[1]) == "read t.csv: semicolon, utf-8, 2 rows"
    (tmp_path / "t.csv").write_bytes("é;b\n1.234,5;2\n-6;3\n".encode("cp1252"))
    told = str(read_text_table(tmp_path / "t.csv")[1])
    assert told == "read t.csv: semicolon, cp1252, 2 rows, decimal commas in é"


def test_decimal_commas(tmp_path: Path):
    (tmp_path / "t.csv").write_text("id;w;code;n\n1;1,5;a,1;2\n2;-1.234,25;b,2;3\n3;;c;4\n")
    frame, reading = read_text_table(tmp_path / "t.csv")
    assert reading.decimal_commas == ("w",)
    assert frame["w"].tolist()[:2] == ["1.5", "-1234.25"]
    assert pd.isna(frame["w"][2])
    assert frame["code"].tolist() == ["a,1", "b,2", "c"]
    assert read_text_table(tmp_path / "t.csv", decimal=".")[0]["w"][0] == "1,5"
    (tmp_path / "u.csv").write_text('id,w\n1,"1,203"\n')
    assert read_text_table(tmp_path / "u.csv")[0]["w"][0] == "1,203", "thousands, perhaps: only if asked"
    assert read_text_table(tmp_path / "u.csv", decimal=",")[0]["w"][0] == "1.203"


def test_one_column_and_ragged_rows(tmp_path: Path):
    (tmp_path / "t.csv").write_text("id\n1\n2\n")
    assert read_text_table(tmp_path / "t.csv")[0].shape == (2, 1)
    (tmp_path / "t.csv").write_text("id;a\n1;2\n3;4;5\n")
    with pytest.raises(oa.TableError, match="';'"):
        read_text_table(tmp_path / "t.csv")


def test_compressed_files(tmp_path: Path):
    raw = written(";").encode()
    packers: dict[str, Callable[[bytes], bytes]] = {
        ".gz": gzip.compress,
        ".bz2": bz2.compress,
        ".xz": lzma.compress,
    }
    for ending, pack in packers.items():
        (tmp_path / f"t.csv{ending}").write_bytes(pack(raw))
        assert len(read_text_table(tmp_path / f"t.csv{ending}")[0]) == 3
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.writestr("t.csv", raw)
        archive.writestr("u.csv", raw)
    with pytest.raises(oa.TableError, match="holds 2 files"):
        read_text_table(tmp_path / "t.zip")
    (tmp_path / "bad.csv.gz").write_bytes(b"not packed")
    with pytest.raises(oa.TableError, match=r"bad\.csv\.gz: cannot be read"):
        read_text_table(tmp_path / "bad.csv.gz")


# -- queries ---------------------------------------------------------------------------------


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    connection = sqlite3.connect(tmp_path / "clinic.db")
    connection.execute("CREATE TABLE people (id INTEGER, age INTEGER, size REAL, ill TEXT, note TEXT)")
    rows = [
        (1, 31, 1.5, "flu", "a:b"),
        (2, 37, 2.0, "cold", "c"),
        (3, 42, 1.25, "flu", None),
        (4, 44, 1, "x", "d"),
    ]
    connection.executemany("INSERT INTO people VALUES (?, ?, ?, ?, ?)", rows)
    connection.commit()
    connection.close()
    return tmp_path


ROLES: dict[str, Any] = {"respondent": "id", "quasi_identifiers": ["age", "size"], "sensitive": "ill"}


def test_a_query_is_a_table(clinic: Path):
    table = oa.read_sql(clinic / "clinic.db", "SELECT * FROM people WHERE note <> 'z:z' OR 1", **ROLES)
    assert [member.respondent for member in table.members] == ["1", "2", "3", "4"]
    assert [member.point for member in table.members][:2] == [(31, Fraction(3, 2)), (37, Fraction(2))]
    again = oa.read_sql(f"sqlite:///{clinic / 'clinic.db'}", "SELECT id, age, size, ill FROM people", **ROLES)
    assert again.members == table.members


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("DELETE FROM people", "only read"),
        ("DROP TABLE people", "only read"),
        ("SELECT nothing FROM people", "nothing"),
        ("SELECT id, age, age, ill FROM people", "'age' twice"),
        ("PRAGMA user_version = 3", "only read|no table"),
        ("PRAGMA query_only = OFF", "only read"),
        ("ATTACH 'made.db' AS made", "only read"),
        ("SELECT id, x'00ff' AS age, size, ill FROM people", "bytes"),
    ],
)
def test_queries_that_cannot_be_taken_change_nothing(clinic: Path, query: str, said: str):
    before = (clinic / "clinic.db").read_bytes()
    with pytest.raises(oa.TableError, match=said):
        oa.read_sql(clinic / "clinic.db", query, **ROLES)
    assert (clinic / "clinic.db").read_bytes() == before


def test_a_missing_database_is_not_made(tmp_path: Path):
    with pytest.raises(oa.TableError, match="no such database file"):
        oa.read_sql(tmp_path / "typo.db", "SELECT 1", **ROLES)
    assert not list(tmp_path.iterdir())


def test_a_problem_file_with_a_query(clinic: Path):
    spec = {
        "table": {"url": "clinic.db", "sql": "SELECT id, age, ill FROM people ORDER BY id"},
        "respondent": "id",
        "quasi_identifiers": ["age"],
        "sensitive": "ill",
        "policy": {"requirements": [{"k_c_anonymity": {"k": 2}}]},
    }
    (clinic / "p.yaml").write_text(yaml.safe_dump(spec))
    done = run("solve", clinic / "p.yaml", folder=clinic.parent)
    assert done.returncode == 0, done.stderr
    assert "read the query: 4 rows" in done.stdout


# -- builders --------------------------------------------------------------------------------


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    st.lists(st.fractions(-1000, 1000, max_denominator=12), min_size=1, max_size=20),
    st.lists(st.sampled_from([1, 3, 5]), min_size=1, max_size=3),
)
def test_rounded_numbers_lie_within_what_is_said(numbers: list[Fraction], factors: list[int]):
    steps = [Fraction(5)]
    for factor in factors:
        steps.append(steps[-1] * factor)
    found = hierarchies.rounding(numbers, steps)
    for path in found.paths:
        for label, step in zip(path[1:-1], steps, strict=True):
            middle, spread = map(Fraction, label.split("±"))
            assert spread == step / 2
            assert middle - spread <= Fraction(path[0]) < middle + spread


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(st.dates(), min_size=1, max_size=20))
def test_dates_become_coarser(days: list[Any]):
    found = hierarchies.dates(days, ["month", "quarter", "year", "decade"])
    by_leaf = {path[0]: path[1:] for path in found.paths}
    for day in days:
        month, quarter, year, decade, root = by_leaf[day.isoformat()]
        assert month == day.strftime("%m").join([f"{day.year:04}-", ""])
        assert quarter == f"{day.year:04}-Q{1 + (day.month - 1) // 3}"
        assert (year, decade, root) == (f"{day.year:04}", f"{day.year:04}"[:3] + "0s", "*")


@pytest.mark.parametrize("cells", [["70.0", "71.50", "72"], ["070", "071", "72", "72.0"], [70.0, 71]])
@pytest.mark.parametrize(
    "kind", [{"kind": "intervals", "widths": [5, 10]}, {"kind": "rounding", "steps": [1, 3]}]
)
def test_hierarchies_of_numbers_fit_cells_as_they_are_written(
    tmp_path: Path, cells: list[object], kind: dict[str, object]
):
    found = (
        hierarchies.intervals(cells, [5, 10])
        if kind["kind"] == "intervals"
        else hierarchies.rounding(cells, [1, 3])
    )
    assert {path[0] for path in found.paths} == set(map(str, cells))
    lines = [f"p{n},{cell},{'flu' if n % 2 else 'hiv'}" for n, cell in enumerate(cells)]
    (tmp_path / "t.csv").write_text("\n".join(["id,w,ill", *lines]) + "\n")
    spec = {
        "table": "t.csv",
        "respondent": "id",
        "quasi_identifiers": {"w": kind},
        "sensitive": "ill",
        "policy": {"requirements": [{"k_anonymity": {"k": 2}}]},
    }
    (tmp_path / "p.yaml").write_text(yaml.safe_dump(spec))
    table = load_problem(tmp_path / "p.yaml").table
    assert [member.point for member in table.members] == [(str(cell),) for cell in cells]


def test_one_number_written_in_two_ways_is_one_interval():
    tree = oa.Hierarchy.intervals(["37", "37.0", 36, Fraction(3, 2)], [5])
    assert tree.paths == (
        ("1.5", "[0,5)", "*"),
        ("36", "[35,40)", "*"),
        ("37", "[35,40)", "*"),
        ("37.0", "[35,40)", "*"),
    )


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(st.text("0123456789", min_size=1, max_size=6), min_size=1, max_size=20))
def test_prefixes_say_only_first_characters(codes: list[str]):
    found = hierarchies.prefixes(codes, [4, 2, 1])
    assert {path[0] for path in found.paths} == set(codes)
    for leaf, *labels, _ in found.paths:
        for label, kept in zip(labels, (4, 2, 1), strict=True):
            assert label.rstrip("*") == leaf[:kept]
            assert label.endswith("*")


def test_ordered_categories_in_runs():
    found = hierarchies.ordered(["a", "b", "c", "d", "e"], [2, 4])
    assert [path[1:3] for path in found.paths] == [
        ("a..b", "a..d"),
        ("a..b", "a..d"),
        ("c..d", "a..d"),
        ("c..d", "a..d"),
        ("e", "e"),
    ]


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (lambda: hierarchies.rounding([1], [10, 20]), "odd multiples"),
        (lambda: hierarchies.rounding([1], [0]), "above 0"),
        (lambda: hierarchies.rounding(["x"], [10]), "'x' is not a number"),
        (lambda: hierarchies.intervals([1], [5, 12]), "not a multiple"),
        (lambda: hierarchies.prefixes(["ab"], [1, 2]), "from many to few"),
        (lambda: hierarchies.prefixes(["ab"], [0]), "from many to few"),
        (lambda: hierarchies.dates(["5 May"]), "YYYY-MM-DD"),
        (lambda: hierarchies.dates(["2024-05-05"], pattern="%d.%m.%Y"), "pattern"),
        (lambda: hierarchies.dates(["2024-05-05"], ["year", "month"]), "fine to coarse"),
        (lambda: hierarchies.dates(["2024-05-05"], ["week"]), "no level 'week'"),  # type: ignore[list-item]
        (lambda: hierarchies.ordered(["a"], [2, 3]), "multiple"),
        (lambda: hierarchies.ordered([], [2]), "at least one row"),
        (lambda: hierarchies.intervals([1], 5), r"widths must be a list.* write \[5\]"),  # type: ignore[arg-type]
        (lambda: hierarchies.rounding([1], 5), "steps must be a list"),  # type: ignore[arg-type]
        (lambda: hierarchies.prefixes(["ab"], 1), "keep must be a list"),  # type: ignore[arg-type]
        (lambda: hierarchies.dates(["2024-05-05"], "month"), r"levels must be a list.*\['month'\]"),
        (lambda: hierarchies.ordered(["a"], 2), "sizes must be a list"),  # type: ignore[arg-type]
    ],
)
def test_builders_refuse_with_a_remedy(build: Callable[[], object], said: str):
    with pytest.raises(oa.HierarchyError, match=said):
        build()


TABLE = "id,age,zip,day,school,wage,ill\n" + "".join(
    f"p{n},{20 + 3 * n},0{1000 + 37 * n},2024-{n + 1:02}-11,{level},{10 * n},{'xyz'[n % 3]}\n"
    for n, level in enumerate(["low", "mid", "high"] * 2)
)
KINDS = {
    "age": {"kind": "rounding", "steps": [10, 30]},
    "zip": {"kind": "prefix", "keep": [3, 2]},
    "day": {"kind": "dates", "levels": ["quarter", "year"]},
    "school": {"kind": "ordered", "categories": ["low", "mid", "high"], "sizes": [2]},
    "wage": {"kind": "intervals", "widths": [20, 40]},
}
OPTIONS = {
    "age": ("--rounding", "10,30"),
    "zip": ("--prefix", "3,2"),
    "day": ("--dates", "quarter,year"),
    "school": ("--ordered", "low,mid,high", "--sizes", "2"),
    "wage": ("--intervals", "20,40"),
}


def test_kinds_of_a_problem_file_and_the_command_line_are_the_same(tmp_path: Path):
    (tmp_path / "t.csv").write_text(TABLE)
    spec = {
        "table": "t.csv",
        "respondent": "id",
        "quasi_identifiers": KINDS,
        "sensitive": "ill",
        "policy": {"requirements": [{"k_c_anonymity": {"k": 3}}]},
    }
    (tmp_path / "built.yaml").write_text(yaml.safe_dump(spec))
    for column, options in OPTIONS.items():
        done = run("hierarchy", "t.csv", column, *options, folder=tmp_path)
        assert done.returncode == 0, done.stderr
        assert f"wrote {column}.csv" in done.stdout
    files = {name: {"kind": "taxonomy", "hierarchy": f"{name}.csv"} for name in KINDS}
    (tmp_path / "files.yaml").write_text(yaml.safe_dump({**spec, "quasi_identifiers": files}))
    built, read = load_problem(tmp_path / "built.yaml"), load_problem(tmp_path / "files.yaml")
    assert built.table.domains == read.table.domains
    assert oa.solve_problem(built, display=False).status is oa.Status.OPTIMAL


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("age",), "exactly one of"),
        (("age", "--prefix", "2", "--rounding", "10"), "exactly one of"),
        (("agee", "--prefix", "2"), "no column 'agee'"),
        (("zip", "--prefix", "two"), "whole numbers"),
        (("school", "--ordered", "low,mid"), "leaves out 'high'"),
        (("school", "--dates", "year"), "'high' is not a date"),
        (("age", "--rounding", "10,20"), "odd multiples"),
        (("zip", "--prefix", ","), "--prefix is empty"),
        (("zip", "--prefix", "2", "--sizes", "2"), "--sizes belongs to --ordered"),
        (("school", "--ordered", "low,mid,high", "--pattern", "%d"), "--pattern belongs to --dates"),
    ],
)
def test_hierarchies_that_cannot_be_written(tmp_path: Path, arguments: tuple[str, ...], said: str):
    (tmp_path / "t.csv").write_text(TABLE)
    done = run("hierarchy", "t.csv", *arguments, folder=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["t.csv"]


def test_a_hierarchy_file_is_not_replaced_unasked(tmp_path: Path):
    (tmp_path / "t.csv").write_text(TABLE)
    (tmp_path / "zip.csv").write_text("mine")
    done = run("hierarchy", "t.csv", "zip", "--prefix", "2", folder=tmp_path)
    assert done.returncode == 2
    assert (tmp_path / "zip.csv").read_text() == "mine"
    assert run("hierarchy", "t.csv", "zip", "--prefix", "2", "--force", folder=tmp_path).returncode == 0


def test_cells_of_a_hierarchy_that_look_missing_are_asked_about(tmp_path: Path):
    (tmp_path / "t.csv").write_text("id,code\n1,10\n2,-\n3,N/A\n4,23\n")
    command = ("hierarchy", "t.csv", "code", "--prefix", "1")
    done = run(*command, folder=tmp_path)
    assert done.returncode == 2
    assert "'-'" in done.stderr
    assert "--missing-mark" in done.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["t.csv"]
    done = run(*command, "--missing-mark", "n/a", "--real-value", "-", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert {line.split(",")[0].split(";")[0] for line in (tmp_path / "code.csv").read_text().split()} == {
        "10",
        "23",
        "-",
    }
