"""Every command ends on files that are not what it asked for with one line and exit code 2."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import run

PROBLEM = """
table: t.csv
respondent: id
quasi_identifiers: [age, town]
sensitive: ill
policy: {requirements: [k_c_anonymity: {k: 2}], minimize: [information_loss]}
"""
PROBLEMS = {
    "no table": PROBLEM.replace("t.csv", "none.csv"),
    "a folder": PROBLEM.replace("t.csv", "folder"),
    "bad bytes": PROBLEM.replace("t.csv", "bytes"),
    "odd codec": PROBLEM + "encoding: punycode",
    "other codec": PROBLEM + "encoding: utf-32",
    "deep history": PROBLEM + "history: [deep]",
    "no history": PROBLEM + "history: bytes",
    "a folder's history": PROBLEM + "history: [folder]",
    "deep": "table: " + "[" * 5000,
    "huge k": PROBLEM.replace("k: 2", "k: " + "9" * 5000),
    "reserved": PROBLEM.replace("town", "group"),
}
COMMANDS = [
    ("solve", "{}", "--force"),
    ("explain", "{}"),
    ("frontier", "{}", "--vary", "k=2..3"),
    ("compare", "{}"),
    ("backtest", "{}"),
    ("audit", "{}"),
    ("check", "t.csv", "-p", "{}"),
    ("verify", "t.csv", "-p", "{}"),
    ("audit-release", "t.csv", "{}"),
    ("what-if", "{}"),
]
READERS = [
    ("init", "{}", "--once", "--force", "-o", "o.yaml"),
    ("hierarchy", "{}", "age", "--intervals", "5"),
    ("report", "{}", "--problem", "p.yaml", "--force"),
    ("verify", "{}", "-p", "p.yaml"),
    ("verify-audit", "{}", "p.yaml"),
    ("audit", "{}"),
    ("audit", "p.yaml", "--knowledge", "{}"),
    ("audit-release", "{}", "p.yaml"),
    ("check", "{}", "-p", "p.yaml"),
    ("solve", "p.yaml", "--history", "{}"),
    ("history", "show", "{}"),
    ("history", "import", "{}", "new.db"),
    ("history", "export", "{}", "out.json"),
    ("history", "append", "{}", "t.csv", "-p", "p.yaml"),
    ("history", "write", "{}", "1"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("bad")
    (found / "p.yaml").write_text(PROBLEM)
    rows = "".join(f"p{n},{20 + n},{'AB'[n % 2]},{'xyz'[n % 3]}\n" for n in range(6))
    (found / "t.csv").write_text("id,age,town,ill\n" + rows)
    (found / "bytes").write_bytes(b"SQLite format 3\0" + b"\xff" * 500)
    (found / "deep").write_text("[" * 50_000)
    (found / "long").write_text('{"format": ' + "9" * 6000 + "}")
    (found / "digits.csv").write_text("id,age,town,ill\n1," + "9" * 6000 + ",A,x\n2,3,B,y\n")
    (found / "folder").mkdir()
    return found


def one_line(folder: Path, command: tuple[str, ...], what: str) -> None:
    done = run(*(part.format(what) for part in command), folder=folder)
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stderr.startswith("error: ")
    assert len(done.stderr.strip().splitlines()) == 1
    assert len(done.stderr) < 1000


@pytest.mark.parametrize("what", PROBLEMS)
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_problems(folder: Path, command: tuple[str, ...], what: str) -> None:
    (folder / "bad.yaml").write_text(PROBLEMS[what])
    one_line(folder, command, "bad.yaml")


@pytest.mark.parametrize("what", ["bytes", "deep", "long", "folder", "none", "none/none", "x" * 300])
@pytest.mark.parametrize("command", READERS, ids=lambda command: "-".join(command[:2]).replace("{}", "file"))
def test_files(folder: Path, command: tuple[str, ...], what: str) -> None:
    one_line(folder, command, what)


def test_endless_cells(folder: Path) -> None:
    for command in (("hierarchy", "{}", "age", "--intervals", "5"), ("audit-release", "{}", "p.yaml")):
        one_line(folder, command, "digits.csv")


def test_a_table_in_place_of_its_problem_file(tmp_path: Path):
    for name, words in (
        ("t.csv", "is a table: name its problem file"),
        ("e.yaml", "`optanon init` writes one"),
    ):
        (tmp_path / name).write_text("id,age\n1,2\n" if name == "t.csv" else "")
        done = run("solve", name, folder=tmp_path)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert words in done.stderr
