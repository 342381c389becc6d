"""A series is not called safe because nobody looked: blind policies are named, appends are audited first."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pandas as pd
import pytest
import yaml
from cases.attacks import history as past
from cases.audits import local_series
from command_line import run

import optanon as oa
from optanon.instances.problem_file import load_problem
from optanon.instances.store.stored import StoredHistory
from optanon.solver.appending import beyond_policy, examine, refuse_other_result
from optanon.solver.certify import digests, published
from optanon.solver.level_value import UNCHECKED
from optanon.solver.result_file import ResultFile
from optanon.solver.solved import again_in_words, before_table

Rows = list[tuple[str, int, str]]
FIRST: Rows = [("p1", 20, "flu"), ("p2", 21, "cold"), ("p3", 60, "gout"), ("p4", 61, "acne")]
SECOND: Rows = [("p1", 20, "flu"), ("p5", 21, "gout"), ("p3", 60, "gout"), ("p6", 61, "mumps")]
"""p2 and p4 left: pairs of neighbours by age give away p1 and p3, and with them everybody else."""
BLIND = {"requirements": [{"k_c_anonymity": {"k": 2, "c": "1/2"}}]}
LOOKING = {
    "requirements": [{"weak_m_invariance": {"m": 2}}, {"hc_safety": {"n": 2}}],
    "minimize": ["counterfeits", "information_loss"],
}


def table(rows: Rows) -> oa.Microdata:
    frame = pd.DataFrame(rows, columns=["id", "age", "ill"])
    return oa.Microdata.from_frame(frame, respondent="id", quasi_identifiers=["age"], sensitive="ill")


def blind() -> oa.Policy:
    return oa.Policy([oa.KCAnonymity(k=2, c="1/2")])


def looking() -> oa.Policy:
    return oa.Policy(
        [oa.WeakMInvariance(m=2), oa.HcSafety(n=2)], minimize=["counterfeits", "information_loss"]
    )


def solved(rows: Rows, policy: oa.Policy, history: oa.History | None = None) -> oa.Result:
    return oa.solve(table(rows), policy, history, display=False)


# -- in Python -----------------------------------------------------------------------------------


def test_a_result_says_whether_anybody_looked_at_the_history(tmp_path: Path):
    alone = solved(FIRST, blind())
    assert (alone.series_checked, alone.warnings) == (None, ())
    assert alone.release is not None
    unchecked = solved(SECOND, blind(), oa.History([alone.release]))
    assert (unchecked.series_checked, unchecked.warnings) == (False, (UNCHECKED,))
    checked = solved(SECOND, looking(), oa.History([alone.release]))
    assert (checked.series_checked, checked.warnings) == (True, ())
    # A stored history is one of a series from its first release on.
    empty = oa.History.open(tmp_path / "releases.db")
    assert solved(FIRST, blind(), empty).series_checked is False
    assert solved(FIRST, looking(), empty).series_checked is True
    # Degree 1 forbids nothing, so it looks at nothing.
    assert not oa.Policy([oa.HcSafety(n=1), oa.KCAnonymity(k=2)]).looks_back


def test_knowledge_of_nobody_is_pointed_at_without_names():
    def asking(*who: str) -> oa.Policy:
        told = oa.Knowledge(excluded={name: ["gout"] for name in who})
        return oa.Policy([oa.ResistsInference(min_values=2, knowledge=told)])

    first = solved(FIRST, asking("p1"))
    assert first.release is not None
    assert first.warnings == ()
    before = oa.History([first.release])
    assert solved(FIRST, asking("p1", "p2"), before).warnings == ()
    result = solved(FIRST, asking("p1", "P 7", "P 8"), before)
    (warning,) = result.warnings
    assert warning.startswith("KNOWLEDGE OF NOBODY: 2 respondents")
    assert "compromised, excluded and priors" in warning
    assert "P 7" not in warning
    assert warning in str(result)
    written = ResultFile.of(result)
    assert written is not None
    problem = oa.Problem(table=table(FIRST), policy=asking("p1", "P 7", "P 8"), history=before)
    written.compare(problem)
    with pytest.raises(oa.CertificateError, match="about the warnings"):
        written.model_copy(update={"warnings": ()}).compare(problem)


def test_a_blind_policy_is_appended_only_if_that_is_wanted(tmp_path: Path):
    history = oa.History.open(tmp_path / "releases.db")
    result = solved(FIRST, blind(), history)
    with pytest.raises(oa.SeriesError, match=r"k_c_anonymity.*nobody would check.*ignores_history=True"):
        oa.append_release(result, table(FIRST), blind(), history)
    assert len(oa.History.open(tmp_path / "releases.db")) == 0
    verdict = oa.append_release(result, table(FIRST), blind(), history, ignores_history=True)
    assert (verdict.release, verdict.respondents, verdict.disclosed) == (1, 4, 0)
    assert verdict.worst == Fraction(1, 2)
    assert str(verdict).startswith("audit of the series up to release 1: nobody disclosed of 4 people")
    assert str(verdict).endswith("; largest probability of a value 1/2")


def test_what_would_disclose_somebody_is_not_appended(tmp_path: Path):
    history = oa.History.open(tmp_path / "releases.db")
    oa.append_release(solved(FIRST, blind()), table(FIRST), blind(), history, ignores_history=True)
    second = solved(SECOND, blind(), history)
    given: dict[str, Any] = {"ignores_history": True}
    with pytest.raises(
        oa.SeriesError, match=r"6 people would be disclosed by the series, nobody may be"
    ) as no:
        oa.append_release(second, table(SECOND), blind(), history, **given)
    assert "can have one value only, because of 2 groups" in str(no.value), "it says why"
    assert not any(f"p{n}" in str(no.value) for n in range(1, 7))
    with pytest.raises(oa.SeriesError, match=r"6 people .*, 5 may be"):
        oa.append_release(second, table(SECOND), blind(), history, audit_limit=5, **given)
    assert len(history) == len(oa.History.open(tmp_path / "releases.db")) == 1
    verdict = oa.append_release(second, table(SECOND), blind(), history, audit_limit=6, **given)
    assert (verdict.disclosed, verdict.before, verdict.respondents) == (6, 0, 6)
    assert "6 disclosed of 6 people (0 of them before this release)" in str(verdict)
    stored = oa.History.open(tmp_path / "releases.db")
    assert isinstance(stored, StoredHistory)
    kept = stored.entries[-1].audit
    assert kept is not None
    assert oa.SeriesVerdict.from_dict(kept) == verdict
    # A further release cannot undo it; what was so before is said.
    third = solved(SECOND, blind(), history)
    last = oa.append_release(third, table(SECOND), blind(), history, audit_limit=None, **given)
    assert (last.disclosed, last.before) == (6, 6)


def test_a_series_of_a_looking_policy_is_appended(tmp_path: Path):
    key = tmp_path / "secret.key"
    key.write_text("0123456789abcdef0123456789abcdef")
    history = oa.History.open(tmp_path / "releases.db", key_file=key)
    for number, rows in enumerate((FIRST, SECOND), start=1):
        result = solved(rows, looking(), history)
        verdict = oa.append_release(result, table(rows), looking(), history)
        assert (verdict.release, verdict.disclosed, len(history)) == (number, 0, number)
    assert verdict.respondents == 6, "hashed ids are matched: two of the second release returned"
    memory = oa.History()
    oa.append_release(solved(FIRST, looking(), memory), table(FIRST), looking(), memory)
    assert len(memory) == 1


@pytest.mark.parametrize("hashed", [False, True])
def test_a_certificate_is_kept_where_it_proves_something(tmp_path: Path, hashed: bool):
    key = tmp_path / "secret.key"
    key.write_text("0123456789abcdef0123456789abcdef")
    opened = oa.History.open(tmp_path / "releases.db", key_file=key if hashed else None)
    assert isinstance(opened, StoredHistory)
    first = solved(FIRST, looking(), opened)
    for result in (first, first, solved(FIRST, looking(), opened)):
        oa.append_release(result, table(FIRST), looking(), opened)
    kept = [entry.certificate is not None for entry in opened.entries]
    assert kept == [True, False, False], "what was solved beside no release is sound beside one, not proven"
    oa.append_release(solved(FIRST, looking(), opened), table(FIRST), looking(), opened)
    assert opened.entries[-1].certificate is not None


def test_a_result_solved_apart_from_a_store_lacks_its_outlook(tmp_path: Path):
    many: Rows = [(f"p{n}", 20 + n % 50, ("flu", "cold", "gout", "acne")[n % 4]) for n in range(120)]
    alone = oa.Problem(table=table(many), policy=looking())
    beside = oa.Problem(
        table=table(many), policy=looking(), history=oa.History.open(tmp_path / "releases.db")
    )
    release, certificate = beside.assemble([range(120)]), solved(FIRST, looking()).certificate
    assert certificate is not None
    of_it = {"problem": digests(alone), "release": published(alone, release)}
    with pytest.raises(oa.CertificateError, match="the policy without its outlook"):
        refuse_other_result(certificate.model_copy(update=of_it), beside, release)
    broken = beside.assemble([[0], range(1, 120)])
    of_it = {"problem": digests(beside), "release": published(beside, broken)}
    with pytest.raises(oa.CertificateError, match="breaks weak_m_invariance, whatever the result says"):
        refuse_other_result(certificate.model_copy(update=of_it), beside, broken)


def test_what_is_known_of_somebody_holds_where_the_history_keeps_hashes(tmp_path: Path):
    key = tmp_path / "secret.key"
    key.write_text("0123456789abcdef0123456789abcdef")
    # Pairs by age would do, but for an adversary who knows p2's value: p1 has to be with somebody else.
    policy = oa.Policy(
        [oa.ResistsInference(min_values=2, knowledge=oa.Knowledge(compromised={"p2": "cold"}))]
    )
    losses: set[Fraction] = set()
    for name, given in (("plain.db", {}), ("hashed.db", {"key_file": key})):
        history = oa.History.open(tmp_path / name, **given)
        result = solved(FIRST, policy, history)
        assert result.release is not None
        assert result.warnings == ()
        oa.append_release(result, table(FIRST), policy, history, audit_limit=None)
        again = solved(FIRST, policy, history)
        assert (again.status, again.warnings) == (oa.Status.OPTIMAL, ())
        losses |= {result.objective[-1], again.objective[-1]}
        problem = oa.Problem(table=table(FIRST), policy=policy, history=history)
        oa.verify(again.certificate, problem, again.release)
    assert len(losses) == 1
    assert losses.pop() > solved(FIRST, oa.Policy([oa.ResistsInference(min_values=2)])).objective[-1]


def changing_people() -> oa.Microdata:
    """People whose values may be others in the next release."""
    frame = pd.DataFrame(FIRST, columns=["id", "age", "ill"])
    return oa.Microdata.from_frame(
        frame,
        respondent="id",
        quasi_identifiers=["age"],
        sensitive=oa.Sensitive(name="ill", persistence="transient"),
    )


def test_values_that_change_are_audited_as_such():
    changing = changing_people()
    policy, history = oa.Policy([oa.GlobalGuarantee(l=2)]), oa.History()
    result = oa.solve(changing, policy, history, display=False)
    verdict = oa.append_release(result, changing, policy, history)
    assert (verdict.persistence, verdict.disclosed, verdict.worst) == ("transient", 0, Fraction(1, 2))
    raw = oa.Policy([oa.KCAnonymity(k=1)])
    alone = oa.solve(changing, raw, display=False)
    with pytest.raises(oa.SeriesError, match="4 people"):
        oa.append_release(alone, changing, raw, oa.History(), ignores_history=True)


def test_a_refusal_says_which_values_the_policy_leaves_out():
    changing = changing_people()
    some = oa.GlobalGuarantee(l=2, protected_values=["acne"])
    policy = oa.Policy([some])
    result = oa.solve(changing, policy, display=False)
    with pytest.raises(oa.SeriesError, match="not appended: 2 people would be disclosed") as caught:
        oa.append_release(result, changing, policy, oa.History())
    assert "global_guarantee protects 'acne' only (protected_values): if the others" in str(caught.value)
    every = {"flu", "cold", "gout", "acne"}
    for requirement in (oa.GlobalGuarantee(l=2), oa.GlobalGuarantee(l=2, protected_values=every)):
        assert not list(beyond_policy(oa.Problem(table=changing, policy=oa.Policy([requirement]))))


def test_there_must_be_a_release():
    none = solved(FIRST, oa.Policy([oa.KCAnonymity(k=5)]))
    with pytest.raises(oa.SeriesError, match="INFEASIBLE"):
        oa.append_release(none, table(FIRST), blind(), oa.History(), ignores_history=True)


def test_who_is_not_decided_counts_against_the_limit():
    *earlier, last = past(local_series(Random(15), 40, 4, 8))
    before = oa.History(earlier)
    whole, _ = examine(before, last)
    stopped, _ = examine(before, last, stop=lambda: True)
    assert whole.undecided == 0 < stopped.undecided
    assert stopped.disclosed <= whole.disclosed <= stopped.disclosed + stopped.undecided
    assert stopped.refusal(whole.disclosed) is not None
    assert whole.refusal(whole.disclosed) is None
    undecided = oa.SeriesVerdict.from_dict(whole.to_dict() | {"disclosed": 0, "undecided": 3, "worst": None})
    why = undecided.refusal(2)
    assert why is not None
    assert "did not decide in time" in why
    assert undecided.refusal(3) is None
    assert undecided.refusal(None) is None
    assert "3 more NOT DECIDED in time: unknown, not safe" in str(undecided)
    assert undecided.short == "nobody disclosed, 3 undecided"


@pytest.mark.parametrize("change", [{"worst": "x"}, {"worst": "1/0"}, None])
def test_a_damaged_verdict_is_told(change: Mapping[str, Any] | None):
    history = oa.History()
    good = oa.append_release(solved(FIRST, looking()), table(FIRST), looking(), history).to_dict()
    assert oa.SeriesVerdict.from_dict(json.loads(json.dumps(good))).to_dict() == good
    with pytest.raises(oa.StoreError, match="damaged"):
        oa.SeriesVerdict.from_dict({} if change is None else good | change)


# -- on the command line -------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number, rows in enumerate((FIRST, SECOND), start=1):
        pd.DataFrame(rows, columns=["id", "age", "ill"]).to_csv(tmp_path / f"year{number}.csv", index=False)
        for name, policy in (("blind", BLIND), ("looking", LOOKING)):
            spec = {
                "table": f"year{number}.csv",
                "respondent": "id",
                "quasi_identifiers": ["age"],
                "sensitive": "ill",
                "history": "releases.db",
                "policy": policy,
            }
            (tmp_path / f"{name}{number}.yaml").write_text(yaml.safe_dump(spec))
    assert run("history", "init", "releases.db", folder=tmp_path).returncode == 0
    return tmp_path


def length(folder: Path) -> int:
    return len(oa.History.open(folder / "releases.db"))


def test_solve_says_first_that_nobody_looked(folder: Path):
    done = run("solve", "blind1.yaml", "-q", folder=folder)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("NOT CHECKED AS A SERIES")
    record = json.loads((folder / "blind1.result.json").read_text())
    assert record["warnings"] == [UNCHECKED]
    assert run("report", "blind1.result.json", "-p", "blind1.yaml", folder=folder).returncode == 0
    page = (folder / "blind1.result.html").read_text()
    assert page.index("NOT CHECKED AS A SERIES") < page.index("Release 1</h1>")
    assert "each group alone" in page
    checked = run("check", "blind1.release.csv", "-p", "blind1.yaml", folder=folder)
    assert "NOT CHECKED AS A SERIES" in checked.stdout


OTHER_COMMANDS = {
    "explain": ["--time-limit", "5"],
    "frontier": ["--vary", "k=1..2", "-q"],
    "compare": ["--baseline", "none", "--engine", "auto", "--queries", "0"],
}


@pytest.mark.parametrize("command", OTHER_COMMANDS)
def test_other_commands_say_so_first_as_well(command: str, folder: Path):
    more = OTHER_COMMANDS[command]
    done = run(command, "blind1.yaml", *more, folder=folder)
    assert done.returncode in (0, 4), done.stderr
    assert done.stdout.splitlines()[0] == UNCHECKED
    if command != "frontier":
        looking = run(command, "looking1.yaml", *more, folder=folder)
        assert "NOT CHECKED" not in looking.stdout


def test_comparisons_say_which_problem_nobody_looked_at(folder: Path):
    more = OTHER_COMMANDS["compare"]
    done = run("compare", "looking1.yaml", "blind1.yaml", *more, folder=folder)
    assert [line for line in done.stdout.splitlines() if "NOT CHECKED" in line] == [
        f"blind1.yaml: {UNCHECKED}"
    ]


def test_a_plain_append_says_that_it_asks_nobody():
    assert "append_release" in (oa.History.append.__doc__ or "")


def test_solve_says_nothing_of_the_kind_where_somebody_looks(folder: Path):
    done = run("solve", "looking1.yaml", "--append", folder=folder)
    assert done.returncode == 0, done.stderr
    assert "NOT CHECKED" not in done.stdout
    assert "audit of the series up to release 1: nobody disclosed of 4 people" in done.stdout
    record = json.loads((folder / "looking1.result.json").read_text())
    assert record["warnings"] == []
    made = run("report", "looking1.result.json", "-p", "looking1.yaml", folder=folder)
    assert made.returncode == 0, made.stderr
    assert "judged by those before it" in made.stdout
    page = (folder / "looking1.result.html").read_text()
    assert "NOT CHECKED" not in page
    assert "each group, and the releases before" in page


@pytest.mark.parametrize("command", ["compare", "explain", "frontier"])
def test_an_appended_release_is_not_in_its_own_past(folder: Path, command: str):
    more = OTHER_COMMANDS[command]
    before = run(command, "looking1.yaml", *more, folder=folder)
    assert "already" not in before.stdout
    assert run("solve", "looking1.yaml", "--append", "-q", folder=folder).returncode == 0
    after = run(command, "looking1.yaml", *more, folder=folder)
    assert after.returncode == before.returncode, after.stderr
    line, *_ = after.stdout.splitlines()
    assert line.startswith("the table is release 1 of ")
    assert line.endswith("already: judged by those before it")


def test_futures_of_an_appended_table_do_not_publish_it_again(folder: Path, monkeypatch: pytest.MonkeyPatch):
    """They begin with it; a problem file whose history holds no other table has no past to replay."""
    problem = load_problem(folder / "looking1.yaml")
    problem.history.append(problem.assemble([[0, 1], [2, 3]]))
    asked: list[tuple[int, bool]] = []

    def tried(problem: oa.Problem, *_: Any, futures: oa.Futures | None, **__: Any) -> None:
        asked.append((len(problem.history), futures is not None))
        raise oa.InputError("seen enough")

    monkeypatch.setattr("optanon.solver.cli.backtest.backtest", tried)
    (folder / "drawn.yaml").write_text("problem: looking1.yaml\nfutures: {releases: 2}\n")
    for name in ("drawn.yaml", "looking1.yaml"):
        done = run("backtest", name, "-q", folder=folder)
        assert "seen enough" in done.stderr
        assert done.stdout.startswith("the table is release 1 of "), done.stdout
    problem.history.append(problem.assemble([range(4)]))
    assert "seen enough" in run("backtest", "looking1.yaml", "-q", folder=folder).stderr
    assert asked == [(0, True), (0, True), (2, False)]


def test_a_problem_is_taken_back_to_the_past_of_its_table_only(folder: Path):
    assert run("solve", "looking1.yaml", "--append", "-q", folder=folder).returncode == 0
    problem = load_problem(folder / "looking1.yaml")
    earlier, words = before_table(problem)
    assert (len(problem.history), len(earlier.history)) == (1, 0)
    assert words is not None
    # One person more or less is another table, and a history in memory is what the caller says it is.
    frame = pd.DataFrame(FIRST[1:], columns=["id", "age", "ill"])
    frame.to_csv(folder / "year1.csv", index=False)
    fewer = load_problem(folder / "looking1.yaml")
    assert before_table(fewer) == (fewer, None)
    assert again_in_words(fewer) is None
    plain = replace(problem, history=oa.History(problem.history))
    assert before_table(plain) == (plain, None)


def test_solving_a_table_again_says_that_it_is_one_release_more(folder: Path):
    first = run("solve", "looking1.yaml", "--append", "-q", folder=folder)
    assert "already" not in first.stdout
    again = run("solve", "looking1.yaml", "-q", "--force", folder=folder)
    assert again.returncode == 0, again.stderr
    assert "release 1 of " in again.stdout
    assert "already: this is about one more, after all of them" in again.stdout


def test_append_refuses_a_blind_policy_before_it_searches(folder: Path):
    done = run("solve", "blind1.yaml", "--append", folder=folder)
    assert done.returncode == 2
    assert "--policy-ignores-history" in done.stderr
    assert "weak_m_invariance and hc_safety" in done.stderr
    assert length(folder) == 0
    assert not list(folder.glob("blind1.*.*"))


def test_the_audit_refuses_and_nothing_is_lost_or_published(folder: Path):
    insist = ("--append", "--policy-ignores-history")
    first = run("solve", "blind1.yaml", *insist, folder=folder)
    assert first.returncode == 0, first.stderr
    assert "nobody disclosed of 4 people; largest probability of a value 1/2" in first.stdout
    refused = run("solve", "blind2.yaml", *insist, folder=folder)
    assert refused.returncode == 5, refused.stdout + refused.stderr
    assert "6 disclosed of 6 people (0 of them before this release)" in refused.stdout
    assert "NOT APPENDED: 6 people would be disclosed by the series, nobody may be" in refused.stdout
    assert not any(f"p{n}" in refused.stdout for n in range(1, 7))
    assert length(folder) == 1
    assert [file.name for file in folder.glob("blind2.*.*")] == ["blind2.refused.steward.csv"]
    # It may be appended as it is, and the verdict is kept.
    more = run(
        "history", "append", "releases.db", "blind2.refused.steward.csv", "-p", "blind2.yaml", folder=folder
    )
    assert more.returncode == 1, "somebody is disclosed"
    assert "NOT CHECKED AS A SERIES" in more.stdout
    assert "6 disclosed of 6 people" in more.stdout
    shown = run("history", "show", "releases.db", folder=folder).stdout
    assert "nobody disclosed" in shown
    assert "6 disclosed" in shown


@pytest.mark.parametrize("limit", ["none", "6"])
def test_a_looser_limit_lets_it_pass(folder: Path, limit: str):
    insist = ("--append", "--policy-ignores-history", "--audit-limit", limit)
    for number in (1, 2):
        done = run("solve", f"blind{number}.yaml", *insist, folder=folder)
        assert done.returncode == 0, done.stdout + done.stderr
    assert "6 disclosed of 6 people" in done.stdout
    assert (folder / "blind2.release.csv").exists()
    assert length(folder) == 2


def test_history_append_refuses_only_with_a_limit(folder: Path):
    insist = ("--append", "--policy-ignores-history")
    run("solve", "blind1.yaml", *insist, folder=folder)
    run("solve", "blind2.yaml", *insist, folder=folder)
    where = ("history", "append", "releases.db", "blind2.refused.steward.csv", "-p", "blind2.yaml")
    done = run(*where, "--audit-limit", "0", folder=folder)
    assert done.returncode == 5
    assert "not appended: 6 people would be disclosed" in done.stdout
    assert length(folder) == 1


def test_a_limit_that_is_no_number_is_told(folder: Path):
    done = run("solve", "looking1.yaml", "--append", "--audit-limit", "-1", folder=folder)
    assert done.returncode == 2
    assert "--audit-limit is a number of people from 0, or none" in done.stderr


@pytest.mark.parametrize("seconds", ["0", "-1", "nan"])
def test_no_time_for_the_audit_is_refused_before_the_search(
    folder: Path, seconds: str, monkeypatch: pytest.MonkeyPatch
):
    def never(*_: object, **__: object) -> None:
        raise AssertionError("it searched")

    monkeypatch.setattr("optanon.solver.cli.solve.solve_problem", never)
    release = ("blind2.refused.steward.csv", "-p", "blind2.yaml")
    for command in (("solve", "looking1.yaml", "--append"), ("history", "append", "releases.db", *release)):
        done = run(*command, "--audit-time", seconds, folder=folder)
        assert done.returncode == 2
        assert f"--audit-time is more than 0 seconds, got {seconds}" in done.stderr


def test_an_interrupted_search_appends_its_best_release_as_the_help_says(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    def interrupted(*given: Any, **options: Any) -> oa.Result:
        found = oa.solve_problem(*given, **options)
        return replace(found, status=oa.Status.FEASIBLE, termination=oa.Termination.INTERRUPTED)

    monkeypatch.setattr("optanon.solver.cli.solve.solve_problem", interrupted)
    done = run("solve", "looking1.yaml", "--append", folder=folder)
    assert done.returncode == 0, done.stderr
    assert "FEASIBLE (interrupted" in done.stdout
    assert length(folder) == 1
    assert (folder / "looking1.release.csv").exists()
    asked = " ".join(run("solve", "--help", folder=folder).stdout.replace("│", " ").split())
    assert "also if Ctrl-C ends the search" in asked


def test_a_result_of_before_the_history_grew_is_checked_against_what_is_there_now() -> None:
    def people(ages: list[int]) -> oa.Microdata:
        frame = pd.DataFrame({"id": [f"p{i}" for i in range(8)], "age": ages, "ill": [*"abcdefgh"]})
        return oa.Microdata.from_frame(
            frame, respondent="id", quasi_identifiers={"age": "numeric"}, sensitive="ill"
        )

    policy = oa.Policy([oa.WeakMInvariance(m=4)], minimize=["counterfeits", "information_loss"])
    one, other = people([0, 0, 0, 0, 9, 9, 9, 9]), people([0, 0, 9, 9, 0, 0, 9, 9])
    history = oa.History()
    results = [oa.solve(table, policy, history, display=False) for table in (one, other)]
    oa.append_release(results[0], one, policy, history)
    with pytest.raises(oa.SeriesError, match=r"breaks weak_m_invariance .*: solve again"):
        oa.append_release(results[1], other, policy, history)
    with pytest.raises(oa.SeriesError, match="solve again"):
        oa.append_release(results[0], people([1] * 8), policy, oa.History())
    assert len(history) == 1


def test_numbers_too_large_for_a_model_leave_the_best_heuristics_release() -> None:
    random = Random(35)
    frame = pd.DataFrame(
        {
            "id": [f"r{i}" for i in range(35)],
            "q": [round(random.random() * 100, 1) for _ in range(35)],
            "w": [random.randint(0, 50) for _ in range(35)],
            "s": [random.choice("abcd") for _ in range(35)],
        }
    )
    spec = {"q": "numeric", "w": "numeric"}
    table = oa.Microdata.from_frame(frame, respondent="id", quasi_identifiers=spec, sensitive="s")
    policy = oa.Policy([oa.KCAnonymity(k=3, c="1/2")], minimize=["squared_error"])
    result = oa.solve(table, policy, time_limit=5, display=False, engine="assignment")
    assert result.release is not None
    assert result.bound == (0,)
