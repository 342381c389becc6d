"""A series on the command line with its history in a database."""

from __future__ import annotations

import errno
import json
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest
import yaml
from command_line import run
from sqlalchemy import URL, Engine, create_engine

import optanon as oa
from optanon.instances import catalog
from optanon.solver.certificate import Certificate

NAMES = ("Alice", "Betty", "Carl", "Doris", "Erica", "Fiona", "Grace", "Hanna")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The hospital's two tables; the second problem names its history `releases.db`."""
    for number in (1, 2):
        name = f"release-{number}"
        source = catalog.path("hospital")
        (tmp_path / f"{name}.csv").write_text((source / f"{name}.csv").read_text())
        spec = yaml.safe_load((source / f"{name}.yaml").read_text())
        spec["history"] = "releases.db"
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(spec))
    return tmp_path


def ok(*arguments: object, folder: Path) -> str:
    done = run(*arguments, folder=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_series_from_its_first_release_on(folder: Path):
    assert "ids" in ok("history", "init", "releases.db", folder=folder)
    first = ok("solve", "release-1.yaml", "--append", folder=folder)
    assert "read release-1.csv: comma, utf-8, 6 rows" in first
    assert "appended to releases.db as release 1" in first
    second = ok("solve", "release-2.yaml", "--append", "--steward", folder=folder)
    assert "75/7" in second, "as with the steward's copy of the first release as history"
    assert "as release 2" in second
    history = oa.History.open(folder / "releases.db")
    assert len(history) == 2
    shown = ok("history", "show", "releases.db", folder=folder)
    assert "2 releases, 8 respondents" in shown
    assert shown.count("OPTIMAL") == 2
    assert not any(name in shown + first + second for name in NAMES)
    # What was appended is still checked and verified against the releases before it.
    for release in ("release-2.steward.csv", "release-2.release.csv"):
        checked = ok("check", release, "-p", "release-2.yaml", folder=folder)
        assert "this is release 2 of" in checked
        assert "every check passed" in checked
        done = run("verify", "release-2.result.json", "-p", "release-2.yaml", "-r", release, folder=folder)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "table, history and policy by their digests" in done.stdout


def test_files_of_a_stored_release_are_written_again(folder: Path):
    ok("history", "init", "releases.db", folder=folder)
    ok("solve", "release-1.yaml", "--append", "--steward", folder=folder)
    again = run("history", "write", "releases.db", 1, "--steward", folder=folder)
    assert again.returncode == 2
    assert "exists already" in again.stderr
    public = (folder / "release-1.release.csv").read_bytes()
    steward = (folder / "release-1.steward.csv").read_text().splitlines()
    ok("history", "write", "releases.db", 1, "--steward", "--force", "-o", ".", folder=folder)
    assert (folder / "release-1.release.csv").read_bytes() == public
    assert (folder / "release-1.steward.csv").read_text().splitlines()[1:] == steward[1:]
    # Ids in a column `respondent`: the history does not know what the table calls it, and the problem does.
    assert (folder / "release-1.steward.csv").read_text().startswith("group,kind,respondent,")
    checked = ok("check", "release-1.steward.csv", "-p", "release-1.yaml", folder=folder)
    assert "every check passed" in checked
    done = run("history", "write", "releases.db", 2, folder=folder)
    assert done.returncode == 2
    assert "no release 2, only 1 to 1" in done.stderr


def test_keyed_hashes_from_the_key_to_the_second_release(folder: Path):
    begun = ok("history", "init", "releases.db", "--key-file", "secret.key", folder=folder)
    assert "as keyed hashes" in begun
    assert (folder / "secret.key").stat().st_mode & 0o077 == 0
    for number in (1, 2):
        path = folder / f"release-{number}.yaml"
        spec = {
            **yaml.safe_load(path.read_text()),
            "history": {"store": "releases.db", "key_file": "secret.key"},
        }
        path.write_text(yaml.safe_dump(spec))
        ok("solve", path.name, "--append", "--steward", folder=folder)
    ok("check", "release-2.steward.csv", "-p", "release-2.yaml", folder=folder)
    assert "75/7" in (folder / "release-2.result.json").read_text()
    kept = (folder / "releases.db").read_bytes() + (folder / "release-2.steward.csv").read_bytes()
    assert not any(name.encode() in kept for name in NAMES)
    again = ("solve", "release-2.yaml", "--steward", "--force", "--history", "releases.db")
    locked = run(*again, folder=folder)
    assert locked.returncode == 2
    assert "give its key" in locked.stderr
    other = ok("history", "init", "other.db", "--key-file", "other.key", folder=folder)
    assert "wrote a new random key to other.key" in other
    wrong = run(*again, "--key-file", "other.key", folder=folder)
    assert wrong.returncode == 2
    assert "not the key" in wrong.stderr


def test_a_key_is_that_of_the_store_that_the_problem_names_or_refused(folder: Path):
    for name in ("releases", "other"):
        ok("history", "init", f"{name}.db", "--key-file", f"{name}.key", folder=folder)
    solve = ("solve", "release-1.yaml", "-q", "--force", "--key-file")
    assert "appended" in ok(*solve, "releases.key", "--append", folder=folder)
    for key, told in (("other.key", "not the key"), ("nothere.key", "nothere.key")):
        refused = run(*solve, key, folder=folder)
        assert refused.returncode == 2
        assert told in refused.stderr
    path = folder / "release-1.yaml"
    path.write_text(yaml.safe_dump({**yaml.safe_load(path.read_text()), "history": []}))
    nothing = run(*solve, "nothere.key", folder=folder)
    assert nothing.returncode == 2
    assert "nothere.key is given as a key, but the problem names no stored history" in nothing.stderr


def test_a_history_that_moved_on_while_solving(folder: Path, monkeypatch: pytest.MonkeyPatch):
    """Nothing is written, neither to the store nor as files for publication."""
    from optanon.solver.cli import solve as solve_command

    ok("history", "init", "releases.db", folder=folder)
    solve = solve_command.solve_problem

    def slow(problem: oa.Problem, **options: object) -> oa.Result:
        result = solve(problem, **options)  # type: ignore[arg-type]
        assert result.release is not None
        oa.History.open(folder / "releases.db").append(result.release)
        return result

    monkeypatch.setattr(solve_command, "solve_problem", slow)
    done = run("solve", "release-1.yaml", "--append", folder=folder)
    assert done.returncode == 2
    assert "solve again" in done.stderr
    assert len(oa.History.open(folder / "releases.db")) == 1
    assert not list(folder.glob("*.release.csv"))


def test_a_table_that_was_released_is_not_released_again_by_a_longer_search(folder: Path):
    ok("history", "init", "releases.db", folder=folder)
    ok("solve", "release-1.yaml", "--append", folder=folder)
    (folder / "release-1.release.csv").unlink()
    done = run("solve", "release-1.yaml", "--append", "--force", "--time-limit", "20", folder=folder)
    assert done.returncode == 2
    assert "the table is release 1 of releases.db already" in done.stderr
    assert "Nothing was searched: give --again" in done.stderr
    assert len(oa.History.open(folder / "releases.db")) == 1
    assert not (folder / "release-1.release.csv").exists()
    told = ok("solve", "release-1.yaml", "--append", "--again", "--force", folder=folder)
    assert "the table is release 1 of releases.db already" in told
    assert len(oa.History.open(folder / "releases.db")) == 2


def test_releases_made_elsewhere_are_appended_even_if_they_break_the_policy(folder: Path):
    ok("history", "init", "releases.db", folder=folder)
    ok("solve", "release-1.yaml", "--steward", folder=folder)
    arguments = ("release-1.steward.csv", "-p", "release-1.yaml", "--result", "release-1.result.json")
    assert "as release 1" in ok("history", "append", "releases.db", *arguments, folder=folder)
    assert len(oa.History.open(folder / "releases.db")) == 1
    strict = {**yaml.safe_load((folder / "release-1.yaml").read_text())}
    strict["policy"] = {"requirements": [{"k_c_anonymity": {"k": 6}}]}
    (folder / "strict.yaml").write_text(yaml.safe_dump(strict))
    again = ("history", "append", "releases.db", "release-1.steward.csv", "-p", "strict.yaml")
    held = run(*again, folder=folder)
    assert (held.returncode, held.stdout.count("audit")) == (2, 0)
    assert "holds this release already, as number 1, so nothing was appended: give --again" in held.stderr
    assert len(oa.History.open(folder / "releases.db")) == 1
    done = run(*again, "--again", folder=folder)
    assert done.returncode == 1
    assert "take note: it breaks k_c_anonymity" in done.stdout
    assert len(oa.History.open(folder / "releases.db")) == 2


def test_a_result_about_something_else_is_not_kept_with_a_release(folder: Path):
    """A deliberately poor release would pass for proven."""
    ok("history", "init", "releases.db", folder=folder)
    strict = {**yaml.safe_load((folder / "release-1.yaml").read_text())}
    strict["policy"] = {"requirements": [{"k_c_anonymity": {"k": 6}}]}
    (folder / "strict.yaml").write_text(yaml.safe_dump(strict))
    for name in ("release-1", "release-2", "strict"):
        ok("solve", f"{name}.yaml", "--steward", "-q", folder=folder)
    append = ("history", "append", "releases.db")

    def refused(release: str, problem: str, result: str) -> str:
        before = len(oa.History.open(folder / "releases.db"))
        asked = (f"{release}.steward.csv", "-p", f"{problem}.yaml", "--result", f"{result}.result.json")
        done = run(*append, *asked, "--again", folder=folder)
        assert done.returncode == 2, done.stdout
        assert len(oa.History.open(folder / "releases.db")) == before
        assert not any(name in done.stderr for name in NAMES)
        assert "give the result of this release, or leave it out (--result)" in done.stderr
        return done.stderr.partition("about another ")[2].partition(" (digests differ)")[0]

    assert refused("release-1", "release-1", "release-2") == "table and release"
    assert refused("release-1", "release-1", "strict") == "policy and release"
    assert refused("release-2", "release-2", "strict") == "table, policy and release"
    assert refused("strict", "release-1", "release-1") == "release"
    own = ("release-1.steward.csv", "-p", "release-1.yaml", "--result", "release-1.result.json")
    ok(*append, *own, folder=folder)
    assert refused("release-1", "release-1", "release-1") == "history"
    assert refused("release-2", "release-2", "release-2") == "history"
    # A store that somebody appended it to.
    content = json.loads((folder / "release-1.result.json").read_text())["certificate"]
    history = oa.History.open(folder / "releases.db")
    history.append(history[0], certificate=Certificate.of(content))
    shown = ok("history", "show", "releases.db", folder=folder)
    assert shown.count("OPTIMAL") == 1
    assert "nothing is proven of release 2: the certificate beside it is about another" in shown


def test_export_and_import(folder: Path):
    ok("history", "init", "releases.db", folder=folder)
    ok("solve", "release-1.yaml", "--append", folder=folder)
    assert "keep it private" in ok("history", "export", "releases.db", "all.json", folder=folder)
    again = run("history", "export", "releases.db", "all.json", folder=folder)
    assert again.returncode == 2
    assert "exists already" in again.stderr
    assert "made copy.db: 1 release" in ok("history", "import", "copy.db", "all.json", folder=folder)
    assert oa.History.open(folder / "copy.db").releases == oa.History.open(folder / "releases.db").releases
    assert json.loads((folder / "all.json").read_text())["key_check"] is None


def test_wrong_names_do_not_begin_a_series(folder: Path):
    for command in (
        ("solve", "release-1.yaml"),
        ("history", "show", "releases.db"),
        ("solve", "release-1.yaml", "--history", "typo.db", "--append"),
        ("history", "export", "typo.db", "all.json"),
    ):
        done = run(*command, folder=folder)
        assert done.returncode == 2
        assert "history init" in done.stderr
    assert not list(folder.glob("*.db"))
    assert not (folder / "all.json").exists()
    ok("history", "init", "releases.db", folder=folder)
    twice = run("history", "init", "releases.db", folder=folder)
    assert twice.returncode == 2
    assert "a history exists already" in twice.stderr


def test_a_release_that_is_appended_without_its_files_is_told_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    """It said that nothing was changed."""
    ok("history", "init", "releases.db", folder=folder)
    replace = os.replace

    def failing(source: Path, target: Path) -> None:
        if target.name == "release-1.release.csv":
            raise OSError(errno.ENOSPC, "No space left on device")
        replace(source, target)

    monkeypatch.setattr(os, "replace", failing)
    done = run("solve", "release-1.yaml", "--append", "-q", folder=folder)
    assert done.returncode == 2
    assert "appended to releases.db as release 1" in done.stdout
    assert "no file was changed; but the release is appended: `optanon history write`" in done.stderr
    assert not list(folder.glob("release-1.re*"))
    monkeypatch.undo()
    ok("history", "write", "releases.db", "1", folder=folder)
    assert (folder / "release-1.release.csv").exists()


def test_a_store_that_may_not_be_written_is_told_before_the_search(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    ok("history", "init", "releases.db", folder=folder)
    oa.History.open(folder / "releases.db").refuse_read_only()  # type: ignore[attr-defined]
    before = (folder / "releases.db").read_bytes()

    def read_only(url: URL, **options: Any) -> Engine:
        where = f"file:{folder / str(url.database)}?mode=ro"  # on which SQLite begins to write all the same
        return create_engine(url, creator=lambda: sqlite3.connect(where, uri=True), **options)

    monkeypatch.setattr("optanon.instances.store.database.create_engine", read_only)
    searched = "optanon.solver.cli.solve.solve_problem"
    monkeypatch.setattr(searched, lambda *_, **__: pytest.fail("it was searched for nothing"))
    done = run("solve", "release-1.yaml", "--append", folder=folder)
    assert done.returncode == 2
    assert "releases.db: the history cannot be written" in done.stderr
    assert (folder / "releases.db").read_bytes() == before


def test_a_key_is_made_with_its_history_only(folder: Path):
    (folder / "notes.txt").write_text("no database, " * 100)
    done = run("history", "init", "notes.txt", "--key-file", "new.key", folder=folder)
    assert done.returncode == 2
    assert "file is not a database" in done.stderr
    assert "wrote" not in done.stdout
    assert not (folder / "new.key").exists()


@pytest.mark.parametrize(
    "options",
    [("--audit-limit", "3"), ("--audit-time", "5"), ("--policy-ignores-history",)],
    ids=lambda o: o[0],
)
def test_what_is_said_of_an_append_is_not_for_nothing(folder: Path, options: tuple[str, ...]):
    """A limit was believed to hold for a release that was only written."""
    ok("history", "init", "releases.db", folder=folder)
    done = run("solve", "release-1.yaml", *options, folder=folder)
    assert done.returncode == 2
    assert f"error: {options[0]}: of an append: give --append, too" in done.stderr
    assert not list(folder.glob("*.release.csv"))


def test_append_needs_a_stored_history(folder: Path):
    spec = {**yaml.safe_load((folder / "release-1.yaml").read_text()), "history": []}
    (folder / "plain.yaml").write_text(yaml.safe_dump(spec))
    done = run("solve", "plain.yaml", "--append", folder=folder)
    assert done.returncode == 2
    assert "--history" in done.stderr
    assert not list(folder.glob("*.release.csv"))


def test_a_damaged_store_is_told(folder: Path):
    ok("history", "init", "releases.db", folder=folder)
    ok("solve", "release-1.yaml", "--append", folder=folder)
    with sqlite3.connect(folder / "releases.db") as connection:
        connection.execute("UPDATE optanon_memberships SET value = 'flu' WHERE position = 0")
    connection.close()
    done = run("history", "show", "releases.db", folder=folder)
    assert done.returncode == 2
    assert "release 1 was changed after it was appended" in done.stderr


def test_what_an_adversary_knows_is_said_by_the_tables_own_ids(folder: Path):
    """Also where the history keeps hashes: whoever is known to be compromised is recognized."""
    said: list[str] = []
    ok("history", "init", "empty.db", folder=folder)
    (folder / "known.yaml").write_text("compromised: {Alice: cancer, Betty: bronchitis}\n")
    for name, options in (("plain.db", ()), ("hashed.db", ("--key-file", "secret.key"))):
        ok("history", "init", name, *options, folder=folder)
        store = {"store": name, **({"key_file": "secret.key"} if options else {})}
        spec = {**yaml.safe_load((folder / "release-1.yaml").read_text()), "history": store}
        (folder / "p.yaml").write_text(yaml.safe_dump(spec))
        ok("solve", "p.yaml", "--append", "--force", folder=folder)
        done = run("audit", "p.yaml", "--known", "known.yaml", folder=folder)
        assert done.returncode in (0, 1), done.stderr
        said.append(done.stdout.split("whose value", 1)[1].split("release 1", 1)[0])
        assert run("audit", "p.yaml", folder=folder).stdout != done.stdout
        ok("solve", "release-1.yaml", "--history", "empty.db", "--steward", "--force", folder=folder)
        named = run("audit", "p.yaml", "release-1.steward.csv", "--known", "known.yaml", folder=folder)
        assert named.stdout == done.stdout, "the same release, named as a file with the table's own ids"
    assert said[0] == said[1]
