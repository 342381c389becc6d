"""What a problem names is never overwritten, by no command; results only if told so."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from contextlib import redirect_stdout
from pathlib import Path

import pandas as pd
import pytest
import yaml
from command_line import run

import optanon as oa
from optanon.instances import catalog
from optanon.instances.named_files import named_files, store_files
from optanon.instances.problem_file import load_problem
from optanon.solver.cli import main
from optanon.solver.cli.commands.release import SolveCommand
from optanon.solver.cli.solve import _keep_refused
from optanon.solver.display import plain_console

HOSPITAL = catalog.path("hospital")
TABLE = "id,age,town,zip,ill\n" + "".join(
    f"p{n},{30 + n},{'AB'[n % 2]},0{n % 3},{'xyz'[n % 3]}\n" for n in range(9)
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A problem that names a file of every kind; they are all called like outputs."""
    (tmp_path / "p.release.csv").write_text(TABLE)
    (tmp_path / "town.html").write_text("A;*\nB;*\n")
    (tmp_path / "age.json").write_text("".join(f"{n};{n // 3};*\n" for n in range(30, 39)))
    spec = {
        "table": "p.release.csv",
        "respondent": "id",
        "quasi_identifiers": {"age": "numeric", "town": {"kind": "taxonomy", "hierarchy": "town.html"}},
        "sensitive": "ill",
        "policy": {
            "requirements": [{"k_c_anonymity": {"k": 3}}],
            "recoding": "full_domain",
            "hierarchies": {"age": "age.json"},
        },
    }
    (tmp_path / "p.yaml").write_text(yaml.safe_dump(spec))
    (tmp_path / "q.yaml").write_text(yaml.safe_dump({**spec, "table": "t.csv"}))
    shutil.copy(tmp_path / "p.release.csv", tmp_path / "t.csv")
    os.symlink("p.release.csv", tmp_path / "link.csv")
    (tmp_path / "known.yaml").write_text("compromised: {p1: y}\n")
    return tmp_path


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def refused(*arguments: object, folder: Path, said: str = "never replaced") -> None:
    before = snapshot(folder)
    done = run(*arguments, folder=folder)
    assert done.returncode == 2, done.stdout
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert snapshot(folder) == before


def test_the_files_a_problem_names(folder: Path):
    found = named_files(folder / "p.yaml")
    assert {path.name for path in found} == {"p.yaml", "p.release.csv", "town.html", "age.json"}
    history = {path.name for path in named_files(HOSPITAL / "release-2.yaml")}
    assert "release-1.steward.csv" in history
    spec = yaml.safe_load((folder / "p.yaml").read_text())
    for given in ({"store": "h.db", "key_file": "h.key"}, "h.db", "sqlite:///h.db"):
        (folder / "h.yaml").write_text(yaml.safe_dump({**spec, "history": given}))
        names = {path.name for path in named_files(folder / "h.yaml")}
        assert {"h.db", "h.db-journal", "h.db-wal", "h.db-shm"} <= names
        assert ("h.key" in names) == isinstance(given, dict)
    (folder / "s.yaml").write_text(yaml.safe_dump({**spec, "table": {"url": "t.db", "sql": "SELECT 1"}}))
    assert "t.db" in {path.name for path in named_files(folder / "s.yaml")}
    assert store_files("postgresql://steward@host/hospital") == []


@pytest.mark.parametrize("force", [(), ("--force",)])
def test_solve_never_replaces_what_it_reads(folder: Path, force: tuple[str, ...]):
    refused("solve", "p.yaml", *force, folder=folder)
    (folder / "out").mkdir()
    os.symlink(folder / "p.release.csv", folder / "out" / "q.result.json")
    spec = yaml.safe_load((folder / "q.yaml").read_text())
    (folder / "q.yaml").write_text(yaml.safe_dump({**spec, "table": "p.release.csv"}))
    refused("solve", "q.yaml", "-o", "out", *force, folder=folder)
    (folder / "q.yaml").write_text(yaml.safe_dump({**spec, "history": ["q.steward.csv"]}))
    (folder / "q.steward.csv").write_text("an earlier release")
    refused("solve", "q.yaml", "--steward", *force, folder=folder)
    refused("solve", "q.yaml", *force, folder=folder)


def test_no_earlier_copy_stays_beside_another_release(folder: Path):
    assert run("solve", "q.yaml", "-q", "--steward", folder=folder).returncode == 0
    refused("solve", "q.yaml", "-q", folder=folder, said="--force")
    refused("solve", "q.yaml", "-q", "--force", folder=folder, said="give --steward")
    (folder / "q.release.values.csv").write_text("of an earlier, anatomized release")
    assert run("solve", "q.yaml", "-q", "--steward", "--force", folder=folder).returncode == 0
    assert not (folder / "q.release.values.csv").exists()


@pytest.mark.parametrize("named", ["p.release.csv", "link.csv", "town.html", "age.json", "p.yaml"])
@pytest.mark.parametrize("force", [(), ("--force",)])
def test_no_other_command_does_either(folder: Path, named: str, force: tuple[str, ...]):
    refused("explain", "p.yaml", "--json", named, *force, folder=folder)
    refused("frontier", "p.yaml", "--vary", "k=2,3", "--csv", named, *force, folder=folder)
    refused("frontier", "p.yaml", "--vary", "k=2,3", "--json", named, *force, folder=folder)
    refused("frontier", "p.yaml", "--vary", "k=2,3", "--resume", named, *force, folder=folder)
    refused("compare", "p.yaml", "--csv", named, *force, folder=folder)
    refused("compare", "q.yaml", "p.yaml", "--json", named, *force, folder=folder)
    refused("audit", "p.yaml", "--json", named, *force, folder=folder)
    refused("audit", "p.yaml", "--certificates", named, *force, folder=folder)
    refused("what-if", "p.yaml", "--json", named, *force, folder=folder)
    refused("audit-release", "t.csv", "p.yaml", "--json", named, *force, folder=folder)


@pytest.mark.parametrize("force", [(), ("--force",)])
def test_files_named_on_the_command_line_are_safe_too(folder: Path, force: tuple[str, ...]):
    refused("audit", "p.yaml", "--known", "known.yaml", "--json", "known.yaml", *force, folder=folder)
    refused("audit-release", "t.csv", "p.yaml", "--json", "t.csv", *force, folder=folder)
    refused("hierarchy", "t.csv", "zip", "--prefix", "1", "-o", "t.csv", *force, folder=folder)
    refused("init", "t.csv", "-o", "t.csv", *force, folder=folder)
    refused("audit", "p.yaml", "--json", "x", "--certificates", "x", folder=folder, said="written twice")
    assert run("history", "init", "h.json", folder=folder).returncode == 0
    refused("history", "export", "h.json", "h.json", *force, folder=folder)
    refused("solve", "q.yaml", "--history", "q.release.csv", *force, folder=folder, said="q.release.csv")
    assert run("history", "init", "q.release.csv", folder=folder).returncode == 0
    refused("solve", "q.yaml", "--history", "q.release.csv", *force, folder=folder)
    (folder / "r.html").write_text("{}")
    refused("report", "r.html", "-p", "q.yaml", *force, folder=folder)
    refused("report", "r.html", "-p", "q.yaml", "-o", "t.csv", *force, folder=folder, said="HTML")


def test_results_that_exist_are_replaced_only_with_force(folder: Path):
    for command in (
        ("solve", "q.yaml", "-q", "--steward"),
        ("explain", "q.yaml", "--json", "explained.json"),
        ("audit", "q.steward.csv", "--json", "audit.json", "--certificates", "proofs.json"),
        ("what-if", "q.steward.csv", "--json", "what.json"),
        ("frontier", "q.yaml", "-q", "--vary", "k=3", "--csv", "f.csv", "--json", "f.json", "--resume", "f"),
        ("compare", "q.yaml", "--baseline", "none", "--queries", "0", "--csv", "c.csv", "--json", "c.json"),
        ("audit-release", "q.release.csv", "q.yaml", "--no-solve", "--json", "other.json"),
        ("report", "q.result.json", "-p", "q.yaml"),
        ("hierarchy", "t.csv", "zip", "--prefix", "1"),
        ("init", "t.csv"),
    ):  # fmt: skip
        done = run(*command, folder=folder)
        assert done.returncode in (0, 1, 4), done.stderr
        refused(*command, folder=folder, said="--force")
        assert run(*command, "--force", folder=folder).returncode == done.returncode


def test_a_result_without_a_release_takes_nothing_away(tmp_path: Path):
    """One of the two tables of the anatomized release before was removed."""
    problem = (
        "table: t.csv\nrespondent: id\nquasi_identifiers: [age]\nsensitive: ill\npolicy:\n"
        "  requirements: [distinct_l_diversity: {l: 2}]\n  minimize: suppressed\n  form: anatomized\n"
    )
    (tmp_path / "t.csv").write_text("id,age,ill\na,1,x\nb,2,y\n")
    (tmp_path / "p.yaml").write_text(problem)
    assert run("solve", "p.yaml", "-q", folder=tmp_path).returncode == 0
    tables = [tmp_path / "p.release.csv", tmp_path / "p.release.values.csv"]
    before = [table.read_text() for table in tables]
    (tmp_path / "p.yaml").write_text(problem.replace("l: 2", "l: 3"))
    assert run("solve", "p.yaml", "-q", "--force", folder=tmp_path).returncode == 3
    assert [table.read_text() for table in tables] == before


def test_what_is_the_stewards_is_for_nobody_else_to_read(folder: Path):
    """All written above with respondents, memberships, bounds or the microdata's distribution."""
    before = os.umask(0o022)
    try:
        for command in (
            ("solve", "q.yaml", "-q", "--steward"),
            ("explain", "q.yaml", "--json", "explained.json"),
            ("audit", "q.steward.csv", "--json", "audit.json", "--certificates", "proofs.json"),
            ("what-if", "q.steward.csv", "--json", "what.json"),
            ("frontier", "q.yaml", "-q", "--vary", "k=3", "--resume", "f.state"),
            ("audit-release", "q.release.csv", "q.yaml", "--no-solve", "--json", "other.json"),
            ("report", "q.result.json", "-p", "q.yaml"),
            ("history", "init", "h.db"),
            ("history", "append", "h.db", "q.steward.csv", "-p", "q.yaml"),
            ("history", "export", "h.db", "h.json"),
            ("history", "write", "h.db", 1, "--steward"),
        ):
            done = run(*command, folder=folder)
            assert done.returncode in (0, 1, 4), done.stderr
    finally:
        os.umask(before)
    private = {
        *("q.steward.csv", "q.result.json", "q.result.html", "explained.json", "audit.json", "proofs.json"),
        *("what.json", "f.state", "other.json", "h.db", "h.json", "release-1.steward.csv"),
    }
    modes = {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()}
    assert {name for name, mode in modes.items() if mode == 0o600} >= private
    assert modes["q.release.csv"] == modes["release-1.release.csv"] == 0o644


def test_views_are_not_overwritten_either(tmp_path: Path):
    source = catalog.path("published-views")
    for path in source.iterdir():
        shutil.copy(path, tmp_path)
    (problem,) = [p.name for p in tmp_path.glob("*.yaml") if "secrets" in p.read_text()][:1]
    spec = yaml.safe_load((tmp_path / problem).read_text())
    os.rename(tmp_path / spec["table"], tmp_path / "v.view-2.csv")
    (tmp_path / "v.yaml").write_text(yaml.safe_dump({**spec, "table": "v.view-2.csv"}))
    refused("solve", "v.yaml", "--force", folder=tmp_path)


@pytest.mark.parametrize("folder", [".", "/", ""])
@pytest.mark.parametrize("command", [("init",), ("report", "-p", "absent.yaml")])
def test_nothing_is_written_beside_a_folder(tmp_path: Path, command: tuple[str, ...], folder: str):
    done = run(*command, folder, folder=tmp_path)
    assert done.returncode == 2
    assert f"{Path(folder)}: is a folder: name a file in it" in done.stderr
    assert not list(tmp_path.iterdir())


def test_what_cannot_be_written_is_refused_before_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A folder in the place of a file, and a folder nobody may write to: both came out after the search."""
    (tmp_path / "t.csv").write_text("id,age,ill\na,1,x\nb,2,y\n")
    (tmp_path / "p.yaml").write_text(
        "table: t.csv\nrespondent: id\nquasi_identifiers: [age]\nsensitive: ill\n"
        "policy: {requirements: [k_anonymity: {k: 2}]}\n"
    )
    (tmp_path / "p.result.json").mkdir()
    unread = "optanon.solver.cli.solve.load_problem"
    monkeypatch.setattr(unread, lambda *_, **__: pytest.fail("it was refused too late"))
    done = run("solve", "p.yaml", "--force", folder=tmp_path)
    assert done.returncode == 2
    assert "p.result.json: is a folder: name a file" in done.stderr
    (tmp_path / "p.result.json").rmdir()
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: access(path, mode) and not mode & os.W_OK)
    done = run("solve", "p.yaml", "--force", folder=tmp_path)
    assert done.returncode == 2
    assert "nothing may be written to" in done.stderr


@pytest.mark.parametrize("raw", [False, True])
def test_a_refused_release_has_its_cells_as_asked(tmp_path: Path, raw: bool):
    frame = pd.DataFrame({"id": ["a", "b"], "age": ["1", "2"], "ill": ["=x", "y"]})
    table = oa.Microdata.from_frame(frame, respondent="id", quasi_identifiers=["age"], sensitive="ill")
    problem = oa.Problem(table=table, policy=oa.Policy([oa.KAnonymity(k=2)]))
    asked = SolveCommand(problem_file=tmp_path / "p.yaml", raw_cells=raw)
    kept = tmp_path / "p.refused.steward.csv"
    _keep_refused(asked, plain_console(), problem.assemble([[0, 1]]), problem, kept, "two are disclosed")
    assert ("'=x" in kept.read_text()) is not raw


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        (("compare", "p.yaml", "--baseline", "mdav", "--engine", "none", "--no-promised"), "mdav"),
        (("audit-release", "r.csv", "p.yaml", "--no-solve"), "every check passed"),
        (("audit", "s.csv", "--certificates", "c.json"), "by intersection"),
    ],
    ids=lambda part: part[0],
)
def test_what_was_found_is_shown_although_it_cannot_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], shown: str
):
    frame = pd.DataFrame({"id": list("abcd"), "age": [1, 1, 2, 2], "ill": list("xyxy")})
    frame.to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "p.yaml").write_text(
        "table: t.csv\nrespondent: id\nquasi_identifiers: {age: numeric}\nsensitive: ill\n"
        "policy: {requirements: [k_anonymity: {k: 2}]}\n"
    )
    frame.drop(columns="id").to_csv(tmp_path / "r.csv", index=False)
    problem = load_problem(tmp_path / "p.yaml")
    problem.assemble([[0, 1], [2, 3]]).to_csv(tmp_path / "s.csv", copy="steward", respondent="id")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    done = run(*command, "--json", "found.json", folder=tmp_path)
    assert done.returncode == 2
    assert "No space left on device" in done.stderr
    assert shown in done.stdout
    assert not (tmp_path / "found.json").exists()


def test_files_are_written_although_nobody_reads_on(tmp_path: Path):
    """After `| head -1` no file was there, and no word said so."""
    (tmp_path / "t.csv").write_text("id,age,ill\na,1,x\nb,2,y\n")
    (tmp_path / "p.yaml").write_text(
        "table: t.csv\nrespondent: id\nquasi_identifiers: [age]\nsensitive: ill\n"
        "policy: {requirements: [k_anonymity: {k: 2}]}\n"
    )
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as gone, redirect_stdout(gone), pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["optanon", "solve", str(tmp_path / "p.yaml"), "-o", str(tmp_path)])
        with pytest.raises(SystemExit) as ended:
            main()
    assert ended.value.code == 0
    assert {path.name for path in tmp_path.glob("p.re*")} == {"p.release.csv", "p.result.json"}
