"""`optanon init`, then `optanon solve`: what it writes can be solved as it is, and says why."""

from __future__ import annotations

import random
from pathlib import Path

import pandas as pd
import pytest
import yaml
from command_line import Done, run

from optanon.instances import catalog
from optanon.instances.problem_file import load_problem

SHIPPED = [
    file
    for name in catalog.names()
    for file in sorted(catalog.path(name).glob("*.csv"))
    if file.stem in ("prescriptions", "running-example", "patients") or file.name.startswith("release-")
    if "steward" not in file.name
]
PEOPLE = """Patient;Aufnahme;PLZ;Größe;Geschlecht;Notiz;Klinik;Diagnose
p1;01.02.2024;01067;1,75;w;kam allein;Nord;Grippe
p2;17.02.2024;01069;1,82;m;Überweisung;Nord;Gicht
p3;03.03.2024;01097;1,68;w;nüchtern;Nord;Grippe
p4;21.05.2024;04103;1,91;m;Notfall;Nord;Husten
p5;30.05.2024;04105;1,60;w;Kontrolle;Nord;Gicht
p6;02.06.2024;04107;1,77;m;Nachsorge;Nord;Husten
p7;09.09.2024;04109;1,7;w;Schmerz;Nord;Grippe
"""


def start(folder: Path, content: str | bytes, *options: object, name: str = "people.csv") -> Done:
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return run("init", name, *options, folder=folder)


POOR = {
    "observation-1/release-2": "no column looks like what must be protected",  # one value in every row
    "published-views/running-example": "no column is left",  # two rows; B is the same in both
}


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: f"{file.parent.name}/{file.stem}")
@pytest.mark.parametrize(
    ("options", "kept"),
    [(("--once",), "k_c_anonymity"), ((), "weak_m_invariance")],
    ids=["once", "series"],
)
def test_shipped_tables_are_solved_right_away(
    tmp_path: Path, file: Path, options: tuple[str, ...], kept: str
):
    done = start(tmp_path, file.read_bytes(), *options)
    why = POOR.get(f"{file.parent.name}/{file.stem}")
    if why is not None:
        assert done.returncode == 2
        assert why in done.stderr
        return
    assert done.returncode == 0, done.stderr
    assert "wrote people.yaml" in done.stdout
    solved = run("solve", "people.yaml", "--time-limit", "20", folder=tmp_path)
    assert solved.returncode == 0, solved.stdout + solved.stderr
    assert f"every check passed: {kept}" in solved.stdout
    assert (tmp_path / "people.release.csv").exists()


def test_a_table_as_people_have_it(tmp_path: Path):
    done = start(tmp_path, PEOPLE.encode("cp1252"))
    assert done.returncode == 0, done.stderr
    assert "read people.csv: semicolon, cp1252, 7 rows, decimal commas in Größe" in done.stdout
    text = (tmp_path / "people.yaml").read_text(encoding="utf-8")
    spec = yaml.safe_load(text)
    assert (spec["delimiter"], spec["encoding"], spec["decimal"]) == (";", "cp1252", ",")
    assert spec["respondent"] == "Patient"
    assert spec["sensitive"]["column"] == "Diagnose"
    assert spec["quasi_identifiers"] == {
        "Aufnahme": {
            "kind": "dates",
            "levels": ["month", "quarter", "year", "decade"],
            "pattern": "%d.%m.%Y",
        },
        "PLZ": {"kind": "prefix", "keep": [4, 3, 2, 1]},
        "Größe": "numeric",
        "Geschlecht": "flat",
    }
    assert "Notiz: every row has a text of its own" in text
    assert "Klinik: the same value in every row" in text
    solved = run("solve", "people.yaml", folder=tmp_path)
    assert solved.returncode == 0, solved.stdout + solved.stderr
    assert "OPTIMAL" in solved.stdout
    published = (tmp_path / "people.release.csv").read_text(encoding="utf-8")
    assert not any(secret in published for secret in ("p1", "nüchtern", "Nord"))


def test_every_setting_has_a_comment(tmp_path: Path):
    start(tmp_path, PEOPLE, "--once")
    lines = (tmp_path / "people.yaml").read_text(encoding="utf-8").splitlines()
    explained = (
        "table",
        "delimiter",
        "decimal",
        "respondent",
        "quasi_identifiers",
        "sensitive",
        "  minimize",
    )
    for key in (*explained, "  requirements", "  Aufnahme", "  PLZ", "    - k_c_anonymity"):
        (at,) = (n for n, line in enumerate(lines) if line.startswith((f"{key}:", f"{key.strip()!r}:")))
        assert lines[at - 1].strip().startswith("#"), key


def test_missing_cells_become_a_value_of_their_own(tmp_path: Path):
    rows = [(str(20 + n), f"0{1000 + n}", "AB"[n % 2], "xyz"[n % 3]) for n in range(12)]
    rows[2], rows[5] = ("", "?", "A", "x"), ("25", "01005", "NA", "")
    content = "id,age,plz,town,ill\n" + "".join(f"{n},{','.join(row)}\n" for n, row in enumerate(rows))
    done = start(tmp_path, content)
    assert done.returncode == 0, done.stderr
    spec = yaml.safe_load((tmp_path / "people.yaml").read_text())
    assert spec["missing"] == "category"
    assert spec["quasi_identifiers"]["age"]["kind"] == "intervals"
    solved = run("solve", "people.yaml", folder=tmp_path)
    assert solved.returncode == 0, solved.stdout + solved.stderr


def test_a_large_table_is_solved_in_seconds_by_levels(tmp_path: Path):
    source = random.Random(5)
    rows = [
        (
            n,
            source.randrange(18, 90),
            f"{source.randrange(10000):05}",
            source.choice("mf"),
            source.choice("abcd"),
        )
        for n in range(1203)
    ]
    frame = pd.DataFrame(rows, columns=["id", "age", "zip", "sex", "diagnosis"])
    done = start(tmp_path, frame.to_csv(index=False, sep="\t"), "--once")
    assert "read people.csv: tab, utf-8, 1,203 rows" in done.stdout
    assert yaml.safe_load((tmp_path / "people.yaml").read_text())["policy"]["recoding"] == "full_domain"
    solved = run("solve", "people.yaml", folder=tmp_path)
    assert solved.returncode == 0, solved.stdout + solved.stderr
    assert "OPTIMAL" in solved.stdout


def test_roles_that_are_given_are_taken(tmp_path: Path):
    content = "a,b,c,d\n1,x,5,u\n2,y,6,u\n3,x,7,v\n4,y,8,v\n"
    options = ("--respondent", "c", "--sensitive", "d", "--qi", "b", "-k", 2, "-o", "other.yaml", "--once")
    done = start(tmp_path, content, *options)
    assert done.returncode == 0, done.stderr
    spec = yaml.safe_load((tmp_path / "other.yaml").read_text())
    assert (spec["respondent"], spec["sensitive"]["column"], list(spec["quasi_identifiers"])) == (
        "c",
        "d",
        ["b"],
    )
    assert spec["policy"]["requirements"] == [{"k_c_anonymity": {"k": 2, "c": "1/2"}}]
    assert run("solve", "other.yaml", folder=tmp_path).returncode == 0


def test_a_value_that_nearly_all_have_asks_for_no_share(tmp_path: Path):
    content = "id,age,ill\n" + "".join(f"{n},{n},{'y' if n == 3 else 'x'}\n" for n in range(30))
    done = start(tmp_path, content, "--sensitive", "ill", "--once")
    assert done.returncode == 0, done.stderr
    spec = yaml.safe_load((tmp_path / "people.yaml").read_text())
    assert spec["policy"]["requirements"] == [{"k_c_anonymity": {"k": 5}}]


def test_odd_column_names_stay_whole(tmp_path: Path):
    content = 'no,"a: b #1",yes,"say ""x"""\n1,5,u,p\n2,6,v,q\n3,7,u,p\n4,8,v,q\n'
    done = start(tmp_path, content, "--respondent", "no", "--sensitive", 'say "x"')
    assert done.returncode == 0, done.stderr
    problem = load_problem(tmp_path / "people.yaml")
    assert problem.table.attributes == ("a: b #1", "yes")
    assert run("solve", "people.yaml", folder=tmp_path).returncode == 0


def test_nothing_is_overwritten_without_force(tmp_path: Path):
    assert start(tmp_path, PEOPLE).returncode == 0
    (tmp_path / "people.yaml").write_text("mine")
    refused = start(tmp_path, PEOPLE)
    assert refused.returncode == 2
    assert "exists already" in refused.stderr
    assert "--force" in refused.stderr
    assert (tmp_path / "people.yaml").read_text() == "mine"
    assert start(tmp_path, PEOPLE, "--force").returncode == 0
    assert (tmp_path / "people.yaml").read_text() != "mine"


def test_asked_roles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    answers = iter(["", "Geschlecht", "PLZ, Größe"])

    def prompt(text: str, default: str) -> str:
        return next(answers) or default

    monkeypatch.setattr("typer.prompt", prompt)
    done = start(tmp_path, PEOPLE, "--ask")
    assert done.returncode == 0, done.stderr
    spec = yaml.safe_load((tmp_path / "people.yaml").read_text(encoding="utf-8"))
    assert spec["respondent"] == "Patient"
    assert spec["sensitive"]["column"] == "Geschlecht"
    assert list(spec["quasi_identifiers"]) == ["PLZ", "Größe"]


def columns_of(ids: list[str], **more: list[str]) -> str:
    """A table with a code that differs in every row, ages, days and towns that nearly do, and values."""
    rows = range(len(ids))
    columns = {
        "id": ids,
        "zip": [f"0{1000 + 7 * n}" for n in rows],
        "age": [str(20 + max(n, 1)) for n in rows],
        "day": [f"2024-{1 + max(n, 1) // 28:02}-{1 + max(n, 1) % 28:02}" for n in rows],
        "town": [f"town {max(n, 1)}" for n in rows],
        "sex": ["FM"[n % 2] for n in rows],
        "ill": [("flu", "gout", "cold")[n % 3] for n in rows],
    } | more
    return "\n".join(map(",".join, [columns.keys(), *zip(*columns.values(), strict=True)])) + "\n"


@pytest.mark.parametrize("name", ["id", "pid"])
@pytest.mark.parametrize("other", ["", "P1"])
def test_ids_of_which_one_is_missing_or_repeated_are_no_quasi_identifier(
    tmp_path: Path, name: str, other: str
):
    """They were published, and the postal code was taken for the respondent without a word."""
    content = columns_of([f"P{n}" for n in range(23)] + [other]).replace("id,", f"{name},", 1)
    done = start(tmp_path, content, "--once")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "people.yaml").read_text(encoding="utf-8")
    spec = yaml.safe_load(text)
    assert spec["respondent"] == "zip"
    assert list(spec["quasi_identifiers"]) == ["age", "day", "town", "sex"]
    seen = f"23 different values in 24 rows{'' if other else ', 1 empty'}"
    told = " ".join(text.replace("\n# ", " ").split())
    assert (
        f"(column {name!r}: {seen}): if it says who a row is about, correct them or drop these rows" in told
    )
    assert f"{name}: {seen}: ids of people, to be corrected and named above?" in text
    asked = start(tmp_path, content, "--once", "--force", "--qi", name, "--qi", "age")
    assert asked.returncode == 0, asked.stderr
    spec = yaml.safe_load((tmp_path / "people.yaml").read_text(encoding="utf-8"))
    assert name in spec["quasi_identifiers"], "as said"


def test_a_second_column_of_ids_is_left_out(tmp_path: Path):
    people = [f"P{n}" for n in range(24)]
    more = {"case_no": [str(900 + n) for n in range(24)], "mrn": [str(max(n, 1)) for n in range(24)]}
    done = start(tmp_path, columns_of(people, **more), "--once")
    assert done.returncode == 0, done.stderr
    spec = yaml.safe_load((tmp_path / "people.yaml").read_text(encoding="utf-8"))
    assert spec["respondent"] == "id"
    assert list(spec["quasi_identifiers"]) == ["zip", "age", "day", "town", "sex"]


@pytest.mark.parametrize(
    ("content", "options", "said"),
    [
        (
            "a,b\n1,x\n1,x\n2,y\n",
            (),
            ["no column has a different value in every row", "add a column with an id"],
        ),
        (
            columns_of(["1", *map(str, range(1, 24))], zip=["0"] * 24),
            (),
            ["try again (column 'id': 23 different values in 24 rows)"],
        ),
        ("a,b\n1,x\n1,x\n2,y\n", ("--respondent", "a"), ["rows 1 and 2 are the same person", "keep one row"]),
        ("id,b\n,x\n1,x\n", ("--respondent", "id"), ["1 rows without an id"]),
        ("id,age\n1,5\n2,6\n3,6\n", (), ["no column looks like what must be protected", "--sensitive"]),
        ("id,ill\n1,x\n2,y\n3,x\n", (), ["no column is left", "--qi"]),
        ("id,age,ill\n1,5,x\n", (), ["1 rows", "fewer than two"]),
        ("id,age,ill\n1,5,x\n2,6,x\n", ("--sensitive", "ill"), ["same value everywhere"]),
        ("id,age,ill\n1,5,x\n2,6,y\n", ("--qi", "agee"), ["no column 'agee'", "'age'"]),
        ("id,age,ill\n1,5,x\n2,6,y\n", ("--qi", "ill", "--sensitive", "ill"), ["two roles"]),
        ("id,age,ill\n1,5,x\n2,6,y\n", ("-k", 3), ["groups of 3 rows", "smaller k"]),
        ("id,age,id\n1,5,x\n2,6,y\n", (), ["names column 'id' twice"]),
        ("", (), ["empty"]),
        (b"PK\x03\x04 a workbook", (), ["workbook", "save the table as CSV"]),
        (b"\x00\x01\x02\x03", (), ["not text"]),
    ],
)
def test_bad_tables_are_explained(
    tmp_path: Path, content: str | bytes, options: tuple[object, ...], said: list[str]
):
    done = start(tmp_path, content, *options)
    assert done.returncode == 2
    for words in said:
        assert words in done.stderr, done.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["people.csv"]


def test_a_missing_file_and_a_missing_folder(tmp_path: Path):
    assert "cannot be read" in run("init", "absent.csv", folder=tmp_path).stderr
    done = start(tmp_path, PEOPLE, "-o", "absent/p.yaml")
    assert done.returncode == 2
    assert "there is no folder absent" in done.stderr


def test_a_code_without_end_gets_a_few_levels(tmp_path: Path):
    long = "id;PLZ;Diagnose\n" + "".join(f"p{i};{'8' * 3000}{i % 3};{'ABC'[i % 3]}\n" for i in range(9))
    start(tmp_path, long, "--once")
    spec = yaml.safe_load((tmp_path / "people.yaml").read_text(encoding="utf-8"))
    keep = spec["quasi_identifiers"]["PLZ"]["keep"]
    assert keep[0] == 3000
    assert len(keep) <= 12


def test_a_header_that_is_somebody_is_told(tmp_path: Path):
    """The first person was left out, and their cells were published as names of columns."""
    rows = [f"p{n},{40 + n},town,{'abc'[n % 3]}\n" for n in range(12)]
    for header in ("", "id,age,town,ill\n"):
        (tmp_path / "t.csv").write_text(header + "".join(rows))
        done = run("init", "t.csv", "--once", "--force", folder=tmp_path)
        assert done.returncode == 0, done.stderr
        assert ("columns are called by numbers (40)" in done.stdout) == (not header)
