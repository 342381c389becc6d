"""The chain of digests of a stored history: it begins with the key, and its end can be expected."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from command_line import run
from storage_workers import Statement, release

import optanon as oa
from optanon.instances import catalog
from optanon.instances.problem_file import load_problem
from optanon.instances.store.codec import Entry
from optanon.instances.store.schema import VERSION
from optanon.instances.store.stored import StoredHistory
from optanon.instances.store.transfer import export_history, import_history

KEY = "0123456789abcdef-and-more"
HERE = Path(__file__).parent


def opened(where: object, **options: Any) -> StoredHistory:
    found = oa.History.open(str(where), **options)
    assert isinstance(found, StoredHistory)
    return found


def filled(where: Path, number: int = 2, **options: Any) -> StoredHistory:
    history = opened(where, **options)
    for n in range(number):
        history.append(release(f"release-{n}"), certificate=Statement(proof=n))
    return history


def change(where: Path, *statements: str) -> None:
    with sqlite3.connect(where) as connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()


def asked(where: Path, question: str) -> Any:
    with sqlite3.connect(where) as connection:
        found = connection.execute(question).fetchone()
    connection.close()
    return None if found is None else found[0]


def restored(where: Path, dump: str) -> Path:
    with sqlite3.connect(where) as connection:
        connection.executescript((HERE / dump).read_text(encoding="utf-8"))
    connection.close()
    return where


# -- the key ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM optanon_settings WHERE name = 'key check'",
        f"UPDATE optanon_settings SET content = '{0:064}' WHERE name = 'key check'",
        "UPDATE optanon_settings SET content = 'ff' WHERE name = 'key check'",
    ],
)
def test_a_store_that_lost_its_key_or_got_another_is_refused(tmp_path: Path, statement: str):
    filled(tmp_path / "k.db", key=KEY)
    change(tmp_path / "k.db", statement)
    for options in ({}, {"key": KEY}):
        with pytest.raises(oa.StoreError, match=r"how ids are kept|leave the key out|not the key"):
            opened(tmp_path / "k.db", **options)


def test_a_store_that_got_a_key_it_was_not_made_with_is_refused(tmp_path: Path):
    filled(tmp_path / "p.db")
    filled(tmp_path / "k.db", key=KEY)
    check = asked(tmp_path / "k.db", "SELECT content FROM optanon_settings WHERE name = 'key check'")
    change(tmp_path / "p.db", f"INSERT INTO optanon_settings VALUES ('key check', '{check}')")
    with pytest.raises(oa.StoreError, match="how ids are kept"):
        opened(tmp_path / "p.db", key=KEY)


def test_hashes_without_a_key_are_refused_even_where_the_chain_is_whole(tmp_path: Path):
    """As in a store of an older version, whose chain did not begin with the key."""
    where = restored(tmp_path / "old.db", "history_v2_keyed.sql")
    change(where, "DELETE FROM optanon_settings WHERE name = 'key check'")
    with pytest.raises(oa.StoreError, match="key check is lost"):
        opened(where)
    keyed = filled(tmp_path / "k.db", key=KEY)
    plain = opened(tmp_path / "p.db")
    with pytest.raises(oa.StoreError, match="key check is lost"):
        plain.append(keyed[0])
    assert len(opened(tmp_path / "p.db")) == 0


def test_an_export_is_bound_to_its_key(tmp_path: Path):
    history = filled(tmp_path / "k.db", key=KEY)
    export_history(history, tmp_path / "k.json")
    content = json.loads((tmp_path / "k.json").read_text())
    for changed in ({"key_check": None}, {"key_check": "0" * 64}):
        (tmp_path / "bad.json").write_text(json.dumps(content | changed))
        with pytest.raises(oa.StoreError, match="changed after it was exported"):
            import_history(tmp_path / "never.db", tmp_path / "bad.json")
    assert not (tmp_path / "never.db").exists()
    copy = import_history(tmp_path / "copy.db", tmp_path / "k.json", key=KEY)
    assert (copy.digest, copy.entries) == (history.digest, history.entries)
    assert opened(tmp_path / "copy.db", key=KEY).releases == history.releases


@pytest.mark.parametrize("number", [1, 2])
def test_exports_of_older_formats_are_read(tmp_path: Path, number: int):
    for name, options in (("plain", {}), ("keyed", {"key": KEY})):
        history = filled(tmp_path / f"{name}.db", **options)
        export_history(history, tmp_path / "new.json")
        content = json.loads((tmp_path / "new.json").read_text())
        digest = ""
        for entry in content["releases"]:
            del entry["spellings"]
            if number == 1:
                del entry["audit"]
            digest = Entry(**entry).digest(digest)
        (tmp_path / "old.json").write_text(
            json.dumps(content | {"optanon_history": number, "digest": digest})
        )
        copy = import_history(tmp_path / f"{name}-{number}.db", tmp_path / "old.json", **options)
        assert copy.releases == history.releases
        assert opened(tmp_path / f"{name}-{number}.db", **options).releases == history.releases


@pytest.mark.parametrize("dump", ["history_v2_keyed.sql", "history_v3_keyed.sql"])
def test_older_stores_with_a_key_go_on(tmp_path: Path, dump: str):
    where = restored(tmp_path / "old.db", dump)
    problem = load_problem(catalog.path("hospital") / "release-2.yaml")
    history = opened(where, create=False, key=KEY)
    assert len(history) == 2
    assert asked(where, "SELECT content FROM optanon_settings WHERE name = 'version'") == str(VERSION)
    assert history[0] == history.aligned_release(problem.history[0])
    history.append(problem.history[0])
    again = opened(where, key=KEY)
    assert (again.digest, again.releases) == (history.digest, history.releases)
    change(where, "DELETE FROM optanon_settings WHERE name = 'key check'")
    with pytest.raises(oa.StoreError, match="how ids are kept"):
        opened(where)


@pytest.mark.parametrize("dump", ["history_v2_keyed.sql", "history_v3_keyed.sql"])
def test_an_older_store_that_was_changed_is_not_blessed_by_the_newer(tmp_path: Path, dump: str):
    where = restored(tmp_path / "old.db", dump)
    change(where, "UPDATE optanon_memberships SET value = 'flu' WHERE release = 2 AND position = 0")
    before = asked(where, "SELECT group_concat(digest) FROM optanon_releases")
    with pytest.raises(oa.StoreError, match="changed after it was appended"):
        opened(where, key=KEY)
    assert asked(where, "SELECT group_concat(digest) FROM optanon_releases") == before


# -- damage ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE optanon_memberships SET point = '[[41,0],\"Rome\"]' WHERE release = 1 AND position = 0",
        "UPDATE optanon_memberships SET point = '[[1,2,3],\"Rome\"]' WHERE release = 1 AND position = 0",
        "UPDATE optanon_memberships SET point = '[null]' WHERE release = 1 AND position = 0",
        "UPDATE optanon_memberships SET point = 'NaN' WHERE release = 1 AND position = 0",
        "UPDATE optanon_memberships SET group_number = 77 WHERE release = 1 AND position = 0",
        "UPDATE optanon_groups SET box = '[99]' WHERE release = 1 AND number = 1",
        "UPDATE optanon_groups SET counterfeits = '7' WHERE release = 1 AND number = 1",
        "UPDATE optanon_releases SET cells = '{}' WHERE number = 1",
        "UPDATE optanon_releases SET cells = printf('%.*c', 50000, '[') WHERE number = 1",
        "UPDATE optanon_releases SET policy = '[[[' WHERE number = 1",
        "UPDATE optanon_releases SET digest = '' WHERE number = 1",
        "UPDATE optanon_certificates SET content = '' WHERE release = 1",
    ],
)
def test_damaged_records_are_one_line(tmp_path: Path, statement: str):
    filled(tmp_path / "r.db")
    change(tmp_path / "r.db", "PRAGMA foreign_keys = OFF", statement)
    done = run("history", "show", "r.db", folder=tmp_path)
    assert done.returncode == 2
    assert "was changed" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("version", ["0", "-1", "NaN", "", "1e3", "٣"])
def test_versions_that_none_is(tmp_path: Path, version: str):
    filled(tmp_path / "r.db")
    change(tmp_path / "r.db", f"UPDATE optanon_settings SET content = '{version}' WHERE name = 'version'")
    done = run("history", "show", "r.db", folder=tmp_path)
    assert done.returncode == 2
    assert "which is not a version" in done.stderr


def test_cells_that_are_null(tmp_path: Path):
    """A column that had to be filled when the table was made: made anew without that."""
    filled(tmp_path / "r.db")
    change(
        tmp_path / "r.db",
        "CREATE TABLE copy AS SELECT * FROM optanon_groups",
        "DROP TABLE optanon_groups",
        "ALTER TABLE copy RENAME TO optanon_groups",
        "UPDATE optanon_groups SET counterfeits = NULL WHERE release = 1",
    )
    with pytest.raises(oa.StoreError, match="was changed"):
        opened(tmp_path / "r.db")


@pytest.mark.parametrize(
    "change_",
    [
        lambda c: c["releases"][0]["release"]["groups"][0]["members"][0].__setitem__(1, [[41, 0], "Rome"]),
        lambda c: c["releases"][0]["release"].__setitem__("cells", [7]),
        lambda c: c["releases"][0].__setitem__("release", {}),
        lambda c: c["releases"][0]["release"].__setitem__("groups", None),
        lambda c: c.__setitem__("optanon_history", 0),
        lambda c: c.__setitem__("optanon_history", -3),
        lambda c: c.__setitem__("digest", ""),
    ],
)
def test_damaged_exports_are_one_line(tmp_path: Path, change_: Any):
    export_history(filled(tmp_path / "r.db"), tmp_path / "r.json")
    content = json.loads((tmp_path / "r.json").read_text())
    change_(content)
    (tmp_path / "bad.json").write_text(json.dumps(content))
    done = run("history", "import", "new.db", "bad.json", folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "new.db").exists()


# -- the anchor ------------------------------------------------------------------------------


def test_a_truncated_or_replaced_history_is_told_from_the_one_expected(tmp_path: Path):
    history = filled(tmp_path / "r.db", 3)
    digest = history.digest
    assert opened(tmp_path / "r.db", expect=digest).digest == digest
    assert opened(tmp_path / "r.db", expect=f" {digest[:12].upper()} ").digest == digest
    change(
        tmp_path / "r.db",
        "DELETE FROM optanon_certificates WHERE release = 3",
        "DELETE FROM optanon_memberships WHERE release = 3",
        "DELETE FROM optanon_groups WHERE release = 3",
        "DELETE FROM optanon_releases WHERE number = 3",
    )
    assert len(opened(tmp_path / "r.db")) == 2, "nothing inside tells that there was a third"
    with pytest.raises(oa.StoreError, match="not the history expected"):
        opened(tmp_path / "r.db", expect=digest)
    opened(tmp_path / "empty.db")
    with pytest.raises(oa.StoreError, match="not the history expected"):
        opened(tmp_path / "empty.db", expect=digest)
    for wrong in ("", digest[:11], "x" * 64, digest + "0"):
        with pytest.raises(oa.StoreError, match="not a digest"):
            opened(tmp_path / "r.db", expect=wrong)


def test_a_history_that_has_grown_is_said_to_be_longer(tmp_path: Path):
    history = filled(tmp_path / "r.db", 1)
    before = history.digest
    history.append(release("more"))
    with pytest.raises(oa.StoreError, match=r"has grown: .* release 1 of 2.*expect " + history.digest):
        opened(tmp_path / "r.db", expect=before)


def test_an_import_can_be_expected_too(tmp_path: Path):
    history = filled(tmp_path / "r.db")
    export_history(history, tmp_path / "r.json")
    with pytest.raises(oa.StoreError, match="not the history expected"):
        import_history(tmp_path / "copy.db", tmp_path / "r.json", expect="0" * 64)
    assert not (tmp_path / "copy.db").exists()
    assert import_history(tmp_path / "copy.db", tmp_path / "r.json", expect=history.digest)


def test_every_command_that_reads_a_stored_history_may_expect_one(tmp_path: Path):
    for name in ("release-1", "release-2"):
        for ending in ("csv", "yaml"):
            content = (catalog.path("hospital") / f"{name}.{ending}").read_text()
            content = content.replace("history: [release-1.steward.csv]", "history: releases.db")
            (tmp_path / f"{name}.{ending}").write_text(content)
    assert "history: releases.db" in (tmp_path / "release-2.yaml").read_text()

    def ok(*arguments: object) -> str:
        done = run(*arguments, folder=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    ok("history", "init", "releases.db")
    solved = ok("solve", "release-1.yaml", "-q", "--steward", "--history", "releases.db", "--append")
    digest = opened(tmp_path / "releases.db").digest
    assert f"as release 1; its digest is now {digest}" in " ".join(solved.split())
    assert digest in ok("history", "show", "releases.db")
    ok("audit", "release-2.yaml", "--certificates", "proofs.json", "--expect", digest)
    ok("solve", "release-2.yaml", "-q", "--steward", "--expect", digest)
    ok("history", "export", "releases.db", "all.json", "--expect", digest)
    commands = (
        ("solve", "release-2.yaml", "-q", "--steward", "--force"),
        ("solve", "release-2.yaml", "-q", "--steward", "--force", "--history", "releases.db"),
        ("check", "release-2.steward.csv", "-p", "release-2.yaml"),
        ("verify", "release-2.result.json", "-p", "release-2.yaml"),
        ("audit", "release-2.yaml"),
        ("verify-audit", "proofs.json", "release-2.yaml"),
        ("what-if", "release-2.yaml"),
        ("explain", "release-2.yaml"),
        ("frontier", "release-2.yaml", "--vary", "m=2"),
        ("compare", "release-2.yaml"),
        ("audit-release", "release-2.release.csv", "release-2.yaml"),
        ("history", "show", "releases.db"),
        ("history", "write", "releases.db", 1, "-o", ".", "--force"),
        ("history", "export", "releases.db", "all.json", "--force"),
        ("history", "import", "copy.db", "all.json"),
        ("history", "append", "releases.db", "release-2.steward.csv", "-p", "release-2.yaml"),
    )
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    for command in commands:
        done = run(*command, "--expect", "0" * 64, folder=tmp_path)
        assert done.returncode == 2, command
        assert "not the history expected" in done.stderr, command
        assert done.stderr.count("\n") == 1, command
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    for command in (commands[2], commands[4], commands[11], commands[12], commands[13]):
        ok(*command, "--expect", digest)


def test_a_digest_is_expected_of_stored_histories_only(tmp_path: Path):
    problem = catalog.path("hospital") / "release-2.yaml"
    steward = catalog.path("hospital") / "release-1.steward.csv"
    for command in (("solve", problem), ("audit", problem), ("audit", steward)):
        done = run(*command, "--expect", "0" * 64, folder=tmp_path)
        assert done.returncode == 2
        assert "a digest is expected, but" in done.stderr
