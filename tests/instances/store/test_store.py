"""Histories in a database: what comes back is what was put in, and nothing else gets in."""

from __future__ import annotations

import json
import sqlite3
import threading
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from storage_workers import Statement
from strategies import Instance, Source, instance, instances, seeded

import optanon as oa
from optanon.instances import catalog
from optanon.instances.problem_file import load_problem
from optanon.instances.store.schema import VERSION
from optanon.instances.store.stored import StoredHistory
from optanon.instances.store.transfer import export_history, import_history
from optanon.models.group import QIGroup
from optanon.models.table import Member

KEY = "0123456789abcdef-and-more"


def opened(where: object, **options: object) -> StoredHistory:
    found = oa.History.open(str(where), **options)  # type: ignore[arg-type]
    assert isinstance(found, StoredHistory)
    return found


def series(number: int = 3, **options: object) -> Instance:
    return instance(seeded("store"), tuples=(6, 6), releases=(number, number), **options)  # type: ignore[arg-type]


def same(one: oa.History, other: oa.History) -> bool:
    return one.releases == other.releases and dict(one.records) == dict(other.records)


# -- there and back --------------------------------------------------------------------------


@settings(max_examples=25, deadline=None, derandomize=True)
@given(instances(releases=(0, 3)))
def test_what_comes_back_is_what_was_put_in(drawn: tuple[Instance, Source]):
    at, _ = drawn
    with TemporaryDirectory() as folder:
        history = opened(Path(folder) / "releases.db")
        for release in at.history:
            history.append(release)
        assert same(history, at.history)
        assert same(opened(Path(folder) / "releases.db"), at.history)


def test_hidden_cells_and_odd_texts_come_back(tmp_path: Path):
    odd = ('O\'Hara; "x"\n', "名前", "", "%s :p \\ \u0000")
    members = tuple(Member(who, (Fraction(1, 3), text), text) for who, text in zip(odd, odd, strict=True))
    group = QIGroup(members=members[:3], hidden=((1, "名前", 1), (0, "1/3", 2)))
    release = oa.Release(
        groups=(group,), suppressed=members[3:], attributes=("a", "b"), sensitive="c", form="anatomized"
    )
    opened(tmp_path / "r.db").append(release)
    assert opened(tmp_path / "r.db").releases == (release,)


def test_policy_and_certificate_are_kept_beside_the_release(tmp_path: Path):
    problem = load_problem(catalog.path("hospital") / "release-1.yaml")
    result = oa.solve_problem(problem, display=False)
    assert result.release is not None
    history = opened(tmp_path / "r.db")
    history.append(result.release, policy=problem.policy, certificate=result.certificate)
    (entry,) = opened(tmp_path / "r.db").entries
    assert result.certificate is not None
    assert entry.certificate == result.certificate.content
    assert entry.policy is not None
    assert entry.policy["requirements"] == [{r.name: r.settings()} for r in problem.policy.requirements]
    assert [release.groups for release in history] == [result.release.groups]


def test_solving_against_a_stored_history_is_solving_against_it_in_memory(tmp_path: Path):
    problem = load_problem(catalog.path("hospital") / "release-2.yaml")
    history = opened(tmp_path / "r.db")
    for release in problem.history:
        history.append(release)
    stored = oa.solve(problem.table, problem.policy, oa.History.open(tmp_path / "r.db"), display=False)
    assert stored.objective == oa.solve_problem(problem, display=False).objective
    assert replace(problem, history=history).digest == problem.digest


# -- two writers -----------------------------------------------------------------------------


def test_a_writer_whose_history_moved_on_is_refused_until_it_reads_again(tmp_path: Path):
    first, second, third = series().history
    one, other = opened(tmp_path / "r.db"), opened(tmp_path / "r.db")
    one.append(first)
    with pytest.raises(oa.ConflictError, match="open the history again") as caught:
        other.append(second)
    assert "Nothing was written" in str(caught.value)
    assert len(other) == 0
    assert opened(tmp_path / "r.db").releases == (first,)
    other.reload()
    other.append(second)
    assert other.releases == (first, second)
    one.reload()
    one.append(third)
    assert opened(tmp_path / "r.db").releases == (first, second, third)


def test_another_history_of_the_same_length_is_noticed(tmp_path: Path):
    first, second, third = series().history
    here = opened(tmp_path / "r.db")
    here.append(first)
    (tmp_path / "r.db").unlink()
    opened(tmp_path / "r.db").append(second)
    with pytest.raises(oa.ConflictError):
        here.append(third)
    assert opened(tmp_path / "r.db").releases == (second,)


def test_threads_that_share_a_history_take_turns(tmp_path: Path):
    at = series(1)
    history = opened(tmp_path / "r.db")
    threads = [threading.Thread(target=history.append, args=(at.history[0],)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(opened(tmp_path / "r.db")) == 8


def test_a_refused_release_is_not_stored(tmp_path: Path):
    at = series(2)
    history = opened(tmp_path / "r.db")
    history.append(at.history[0])
    with pytest.raises(oa.ReleaseError, match="release 2 has columns"):
        history.append(replace(at.history[1], sensitive="other"))
    assert len(history) == len(opened(tmp_path / "r.db")) == 1


def test_an_append_that_fails_half_way_leaves_nothing(tmp_path: Path):
    at = series(2)
    history = opened(tmp_path / "r.db")
    history.append(at.history[0])

    with pytest.raises(TypeError):
        history.append(at.history[1], certificate=Statement(unwritable=object()))
    bad = replace(at.history[1], suppressed=(Member("\ud800", at.table.members[0].point, "a"),))
    with pytest.raises(oa.StoreError, match="nothing was changed"):
        history.append(bad)
    assert len(history) == len(opened(tmp_path / "r.db")) == 1
    history.append(at.history[1])
    assert same(opened(tmp_path / "r.db"), at.history)


# -- keyed hashes ----------------------------------------------------------------------------


def hashed(tmp_path: Path) -> tuple[Path, oa.Problem]:
    problem = load_problem(catalog.path("hospital") / "release-2.yaml")
    where = tmp_path / "hashed.db"
    opened(where, key=KEY).append(problem.history[0])
    return where, problem


def test_no_id_is_in_a_store_with_a_key_and_the_key_is_not_either(tmp_path: Path):
    where, problem = hashed(tmp_path)
    content = where.read_bytes()
    assert not any(member.respondent.encode() in content for member in problem.history[0].members)
    assert KEY.encode() not in content
    export_history(opened(where), tmp_path / "out.json")
    assert not any(
        member.respondent in (tmp_path / "out.json").read_text() for member in problem.table.members
    )


def test_no_id_is_in_a_store_with_a_key_because_a_policy_names_it(tmp_path: Path):
    where, problem = hashed(tmp_path)
    who = problem.history[0].groups[0].members[0]
    told = oa.Knowledge(compromised={who.respondent: who.value})
    policy = oa.Policy([oa.ResistsInference(min_values=2, knowledge=told)])
    history = opened(where, key=KEY)
    history.append(problem.history[0], policy=policy)
    kept = history.entries[-1].policy
    assert kept is not None
    settings = kept["requirements"][0]["resists_inference"]
    assert settings["knowledge"]["compromised"] == {history.aligned_id(who.respondent): who.value}
    assert who.respondent.encode() not in where.read_bytes()
    plain = opened(tmp_path / "plain.db")
    plain.append(problem.history[0], policy=policy)
    assert plain.entries[-1].policy == policy.content


def test_a_keyed_series_is_solved_like_an_open_one(tmp_path: Path):
    where, problem = hashed(tmp_path)
    history = opened(where, key=KEY)
    result = oa.solve(problem.table, problem.policy, history, display=False)
    assert result.objective == oa.solve_problem(problem, display=False).objective
    assert result.release is not None
    history.append(result.release)
    again = opened(where, key=KEY)
    assert len(again.records) == len(
        {m.respondent for r in (*problem.history, problem.table) for m in r.members}
    )
    swapped = tuple(
        replace(m, value="AIDS" if m.value != "AIDS" else "cancer") for m in problem.table.members
    )
    with pytest.raises(oa.TableError, match="differs from the one published"):
        oa.solve(replace(problem.table, members=swapped), problem.policy, again, display=False)


def test_the_wrong_key_no_key_and_a_needless_key_are_noticed(tmp_path: Path):
    where, problem = hashed(tmp_path)
    with pytest.raises(oa.StoreError, match="not the key"):
        opened(where, key="another key of good length")
    locked = opened(where)
    assert len(locked) == 1
    for attempt in (
        lambda: locked.append(problem.history[0]),
        lambda: oa.solve(problem.table, problem.policy, locked, display=False),
    ):
        with pytest.raises(oa.StoreError, match="give its key") as caught:
            attempt()
        assert not any(m.respondent in str(caught.value) for m in problem.table.members)
    with pytest.raises(oa.StoreError, match="at least 16"):
        opened(tmp_path / "new.db", key="short")
    assert not (tmp_path / "new.db").exists()
    opened(tmp_path / "plain.db")
    with pytest.raises(oa.StoreError, match="leave the key out"):
        opened(tmp_path / "plain.db", key=KEY)


def test_a_hash_of_another_history_is_not_taken_for_an_id(tmp_path: Path):
    where, _ = hashed(tmp_path)
    foreign = opened(where)[0]
    other = opened(tmp_path / "other.db", key="another key of good length")
    with pytest.raises(oa.StoreError, match="another history"):
        other.append(foreign)


def test_a_key_file_is_read_without_its_line_break(tmp_path: Path):
    where, _ = hashed(tmp_path)
    (tmp_path / "key").write_text(KEY + "\n")
    assert len(opened(where, key_file=tmp_path / "key").records) > 0
    with pytest.raises(oa.StoreError, match="give one of them"):
        opened(where, key=KEY, key_file=tmp_path / "key")
    with pytest.raises(oa.StoreError, match="nowhere"):
        opened(where, key_file=tmp_path / "nowhere")


# -- versions, files, damage -------------------------------------------------------------------


def test_a_store_of_version_1_becomes_the_newest_and_goes_on(tmp_path: Path):
    where = tmp_path / "old.db"
    with sqlite3.connect(where) as connection:
        connection.executescript((Path(__file__).parent / "history_v1.sql").read_text(encoding="utf-8"))
    connection.close()
    problem = load_problem(catalog.path("hospital") / "release-2.yaml")
    result = oa.solve_problem(problem, display=False)
    assert result.release is not None
    history = opened(where, create=False)
    assert history[0] == problem.history[0]
    assert len(history) == 2
    assert [entry.certificate for entry in history.entries] == [None, None]
    assert history.entries[0].policy is not None
    history.append(result.release, certificate=result.certificate)
    again = opened(where)
    assert again.releases == history.releases
    assert again.entries[2].certificate is not None
    with sqlite3.connect(where) as connection:
        found = connection.execute("SELECT content FROM optanon_settings WHERE name = 'version'").fetchone()
    connection.close()
    assert found == (str(VERSION),)


def test_a_store_of_version_2_becomes_the_newest_and_keeps_audits(tmp_path: Path):
    where = tmp_path / "old.db"
    history = opened(where)
    one, two = series(2).history
    history.append(one, certificate=Statement(proof=1))
    change(where, "DROP TABLE optanon_audits")
    change(where, "DROP TABLE optanon_spellings")
    change(where, "UPDATE optanon_settings SET content = '2' WHERE name = 'version'")
    again = opened(where)
    assert same(again, history)
    again.append(two, audit={"disclosed": 0})
    assert [entry.audit for entry in opened(where).entries] == [None, {"disclosed": 0}]


def test_an_export_of_format_1_is_still_imported(tmp_path: Path):
    history = opened(tmp_path / "r.db")
    for release in series(2).history:
        history.append(release)
    export_history(history, tmp_path / "r.json")
    content = json.loads((tmp_path / "r.json").read_text())
    assert content["optanon_history"] == 3
    for entry in content["releases"]:
        del entry["audit"]
    (tmp_path / "old.json").write_text(json.dumps(content | {"optanon_history": 1}))
    assert import_history(tmp_path / "copy.db", tmp_path / "old.json").digest == history.digest
    (tmp_path / "new.json").write_text(json.dumps(content | {"optanon_history": 4}))
    with pytest.raises(oa.StoreError, match="newer optanon"):
        import_history(tmp_path / "more.db", tmp_path / "new.json")


def test_a_migration_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    where = tmp_path / "old.db"
    with sqlite3.connect(where) as connection:
        connection.executescript((Path(__file__).parent / "history_v1.sql").read_text(encoding="utf-8"))
        before = list(connection.iterdump())

    def broken(found: object) -> None:
        step(found)  # type: ignore[arg-type]
        raise MemoryError

    from optanon.instances.store import migrations

    step = migrations.MIGRATIONS[1]
    monkeypatch.setattr(migrations, "MIGRATIONS", {1: broken})
    with pytest.raises(MemoryError):
        opened(where)
    assert list(connection.iterdump()) == before
    connection.close()


def change(where: Path, statement: str) -> None:
    with sqlite3.connect(where) as connection:
        connection.execute(statement)
    connection.close()


def test_a_newer_store_is_left_alone(tmp_path: Path):
    where = tmp_path / "r.db"
    opened(where)
    change(where, "UPDATE optanon_settings SET content = '99' WHERE name = 'version'")
    with pytest.raises(oa.StoreError, match=r"r\.db: .*newer optanon.*update optanon"):
        opened(where)


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("DELETE FROM optanon_memberships WHERE position = 0", "release 1 was changed"),
        ("UPDATE optanon_memberships SET value = 'b' WHERE release = 2", "release 2 was changed"),
        ("UPDATE optanon_memberships SET point = '{' WHERE release = 1 AND position = 0", "cannot|changed"),
        ("UPDATE optanon_releases SET policy = '{}' WHERE number = 2", "release 2 was changed"),
        ("UPDATE optanon_certificates SET content = '{}' WHERE release = 2", "release 2 was changed"),
        ("UPDATE optanon_audits SET content = '{}' WHERE release = 2", "release 2 was changed"),
        ("DELETE FROM optanon_audits WHERE release = 2", "release 2 was changed"),
        ("INSERT INTO optanon_audits VALUES (1, '{}')", "release 1 was changed"),
        ("DELETE FROM optanon_releases WHERE number = 1", "missing|changed"),
    ],
)
def test_what_was_changed_from_outside_is_noticed(tmp_path: Path, statement: str, said: str):
    where = tmp_path / "r.db"
    history = opened(where)

    for number, release in enumerate(series(2).history):
        found = {"disclosed": 0} if number else None
        history.append(release, certificate=Statement(proof=1), audit=found)
    change(where, statement)
    with pytest.raises(oa.StoreError, match=said):
        opened(where)


def test_export_and_import_are_exact(tmp_path: Path):
    history = opened(tmp_path / "r.db")

    for release in series().history:
        history.append(
            release,
            policy=oa.Policy([oa.KCAnonymity(k=2)]),
            certificate=Statement(proof=1),
            audit={"disclosed": 0, "worst": "1/3"},
        )
    export_history(history, tmp_path / "r.json")
    again = import_history(tmp_path / "copy.db", tmp_path / "r.json")
    assert same(again, history)
    assert (again.digest, again.entries) == (history.digest, history.entries)
    export_history(again, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "r.json").read_bytes()
    with pytest.raises(oa.StoreError, match="already has releases"):
        import_history(tmp_path / "copy.db", tmp_path / "r.json")
    content = json.loads((tmp_path / "r.json").read_text())
    content["releases"][1]["release"]["suppressed"] = []
    content["releases"][1]["release"]["groups"][0]["members"][0][2] = "b"
    content["releases"][1]["release"]["sensitive"] = "x"
    (tmp_path / "bad.json").write_text(json.dumps(content))
    with pytest.raises(oa.StoreError, match=r"bad\.json: was changed"):
        import_history(tmp_path / "never.db", tmp_path / "bad.json")
    assert not (tmp_path / "never.db").exists()
    for text in ("[]", "{", '{"optanon_history": 1}'):
        (tmp_path / "bad.json").write_text(text)
        with pytest.raises(oa.StoreError, match=r"is not an exported history|cannot be read as JSON"):
            import_history(tmp_path / "never.db", tmp_path / "bad.json")


def test_a_keyed_export_needs_the_same_key(tmp_path: Path):
    where, problem = hashed(tmp_path)
    export_history(opened(where), tmp_path / "k.json")
    with pytest.raises(oa.StoreError, match="not the key"):
        import_history(tmp_path / "copy.db", tmp_path / "k.json", key="another key of good length")
    again = import_history(tmp_path / "copy.db", tmp_path / "k.json", key=KEY)
    assert again.aligned_release(problem.history[0]) == again[0]
    opened(tmp_path / "plain.db")
    with pytest.raises(oa.StoreError, match="another way"):
        import_history(tmp_path / "plain.db", tmp_path / "k.json")


def test_a_password_in_a_url_is_printed_nowhere():
    for url in ("nosuch://user:secret@host/name", "nosuch://host/name?user=me&password=secret"):
        with pytest.raises(oa.StoreError, match="no driver") as refused:
            oa.History.open(url)
        assert "secret" not in str(refused.value)


def test_wrong_places_say_what_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("NO_SUCH_PASSWORD", raising=False)
    (tmp_path / "text.db").write_text("no database at all, but long enough to have a header" * 40)
    (tmp_path / "empty.db").touch()
    for where, said, create in (
        (tmp_path / "typo.db", "no such file", False),
        (tmp_path / "empty.db", "holds no history", False),
        (tmp_path / "absent" / "r.db", "there is no folder", True),
        (tmp_path / "text.db", "not a database", True),
        (tmp_path, "is a folder: name a file", True),
        (tmp_path / ("r" * 300), "File name too long", True),
        ("nosuchdatabase://host/name", "no driver", True),
        ("://", "database URL", True),
        ("postgresql://steward:${NO_SUCH_PASSWORD}@host/name", "NO_SUCH_PASSWORD", True),
        ("postgresql://steward:secret@127.0.0.1:1/name?connect_timeout=2", "cannot be read", True),
    ):
        with pytest.raises(oa.StoreError) as caught:
            opened(where, create=create)
        assert said in str(caught.value)
        assert "secret" not in str(caught.value)
    assert not (tmp_path / "typo.db").exists()
