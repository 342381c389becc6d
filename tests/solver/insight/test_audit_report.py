"""The report: named attacks beside the exact audit, verdicts, partial results, files, the command line."""

from __future__ import annotations

import json
import signal
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import oracle.brute_force as bf
import pytest
import yaml
from cases.attacks import history
from cases.audits import local_series
from command_line import run
from oracle.brute_force_notation import release

from optanon.instances import catalog
from optanon.instances.knowledge_file import load_knowledge
from optanon.instances.steward_series import read_series
from optanon.models.adversary.knowledge import Knowledge
from optanon.models.errors import InputError, PolicyError, ProblemFileError, ReleaseError
from optanon.models.history import History
from optanon.models.requirements import Difference, ResistsInference
from optanon.solver.cli import audit as audit_command
from optanon.solver.insight.audit.attacks import usual_attacks
from optanon.solver.insight.audit.audit import AuditReport, audit

DIFFERENCE = [release("1a 2b"), release("3c 4d"), release("1a 2b 3c 4d 5e")]


def data(name: str, *files: str) -> list[Path]:
    return [catalog.path(name) / file for file in files]


def test_attacks_are_counted_one_by_one() -> None:
    past = history([release("1a 2b 3c 4d"), release("1a 2b", "3c 4d 5a")])
    report = audit(past, attacks=[*usual_attacks(), Difference(k=3)])
    first, second = report.releases
    assert [a.at_risk for a in first.attacks] == [0, 0, 0, 0, 0]
    counts = {a.requirement: a.at_risk for a in second.attacks}
    for attack in (*usual_attacks(), Difference(k=3)):
        if attack.name != "record_tracing":
            violations = attack.check(past[1], History(past.releases[:1]))
            assert counts[str(attack)] == len({who for v in violations for who in v.respondents})
    assert second.attacks[-1].at_risk
    tracing = second.attacks[2]
    assert tracing.at_risk is None
    assert "anatomized" in str(tracing.reason)
    plain = report.to_dict()["releases"][1]["attacks"]
    assert all("respondents" not in line for line in plain)
    shown = report.to_dict(show_ids=True)["releases"][1]["attacks"]
    assert shown[-1]["respondents"] == sorted(second.attacks[-1].respondents)
    assert json.loads(json.dumps(shown)) == shown


def test_an_attack_that_takes_too_long_is_said_to_and_the_audit_goes_on() -> None:
    """Twenty people with as many values: too many sets of ten of them to look at one by one."""
    crowd = history([release(" ".join(f"{i}{value}" for i, value in enumerate("abcdefghijklmnopqrst")))])
    report = audit(crowd, attacks=[ResistsInference(min_values=2, compromised=10), Difference(k=3)])
    assert report.verdict == "nobody disclosed"
    unknown, known = report.releases[0].attacks
    assert (unknown.at_risk, known.at_risk) == (None, 0)
    assert "ask for fewer compromised ones" in str(unknown.reason)


def test_tracing_is_no_attack_where_somebody_traced_is_left_out() -> None:
    """As where the table lacks a person: nobody is at risk of what is not defined."""
    four = [bf.Person(name, (int(name),), value) for name, value in zip("1234", "abab", strict=True)]
    first = bf.Release((bf.Group(tuple(four[:2])), bf.Group(tuple(four[2:]))))
    for left_out in ((four[3],), ()):
        second = bf.Release((bf.Group(tuple(four[:3])),), left_out)
        report = audit(history([first, second], boxed=True), attacks=usual_attacks(), posterior=False)
        tracing = report.releases[1].attacks[2]
        assert tracing.requirement.startswith("record_tracing")
        assert (tracing.at_risk, tracing.respondents) == (None, frozenset())
        assert "record tracing is defined only" in str(tracing.reason)


@pytest.mark.parametrize("wrong", [{"c": "x"}, {"c": 0}, {"k": 0}, {"n": "2"}])
def test_thresholds_of_attacks_are_refused_as_parameters_are(wrong: dict[str, Any]) -> None:
    with pytest.raises(PolicyError, match=f"{next(iter(wrong))} must be "):
        usual_attacks(**wrong)


def test_ids_that_may_be_one_person_are_warned_of() -> None:
    series = [release("Ann:flu Bob:cold"), release("ann:flu Cem:acne Dan:gout")]
    report = audit(history(series), posterior=False)
    (warning,) = report.warnings
    assert warning.startswith("2 respondent ids differ")
    assert "ann" not in warning.lower().split()
    assert report.to_dict()["warnings"] == [warning]
    assert warning in report._repr_html_()  # pyright: ignore[reportPrivateUsage]
    merged = audit(history([series[0], release("Ann:flu Cem:acne Dan:gout")]), posterior=False)
    assert not merged.warnings
    assert report.disclosed < merged.disclosed


@pytest.mark.parametrize("name", ["hc-chain", "three-release-difference", "pigeonhole"])
def test_what_all_named_checks_miss(name: str) -> None:
    """Shipped instances: no named attack puts anybody at risk by the values it discloses, the audit does."""
    expected = catalog.expected(name)
    for entry in expected.inferences:
        past = read_series([catalog.path(name) / file for file in entry.releases])
        report = audit(past, Knowledge(compromised=entry.known), attacks=usual_attacks())
        assert report.disclosed == entry.certain.keys() - entry.known.keys()
        if report.disclosed:
            assert report.explanations
            for attack in report.releases[-1].attacks[:2]:
                assert not attack.at_risk or name == "hc-chain"


def test_a_list_of_releases_is_a_history() -> None:
    past = history(DIFFERENCE)
    assert audit(past.releases).disclosed == audit(past).disclosed == {"5"}
    with pytest.raises(InputError, match="append a release first"):
        audit([])


def test_only_the_latest_adversaries_if_asked() -> None:
    past = history(local_series(Random(15), 20, 3, 4))
    full = audit(past)
    for latest in (1, 2, 3, 9):
        some = audit(past, latest=latest)
        assert [e.release for e in some.releases] == [1, 2, 3][-latest:]
        assert [e.persistent for e in some.releases] == [e.persistent for e in full.releases[-latest:]]
        assert some.disclosed == full.disclosed
        assert [e.disclosed for e in some.releases] == [e.disclosed for e in full.releases][-latest:]
    with pytest.raises(InputError, match="latest must be at least 1"):
        audit(past, latest=0)


def test_what_is_stopped_is_unknown_never_safe() -> None:
    past = history(local_series(Random(15), 40, 4, 8))
    full = audit(past, posterior=False, explain=False)
    assert full.verdict == "disclosed"
    stopped = audit(past, stop=lambda: True, posterior=False, explain=False)
    found = stopped.releases[-1].persistent
    exact = full.releases[-1].persistent
    assert found is not None
    assert exact is not None
    assert not stopped.complete
    assert found.unknown > 0
    assert found.exact <= exact.exact <= found.exact + found.undecided + found.unknown
    for exclusion in stopped.exclusions():
        exclusion.check()  # what was found until then stands
    # Nobody is certain yet, but not all was asked.
    tricky = audit(
        history([release("1a 2b 3c"), release("1a 4b 3c", "2b 5c")]), stop=lambda: True, explain=False
    )
    last = tricky.releases[-1].persistent
    assert last is not None
    assert last.verdict == tricky.verdict == ("disclosed" if last.exact else "unknown")
    plain = tricky.to_dict()
    assert plain["verdict"] == plain["releases"][-1]["persistent"]["verdict"] != "nobody disclosed"
    assert not plain["complete"]
    assert audit(history([release("1a 2b")])).verdict == "nobody disclosed"


def test_progress_is_told() -> None:
    told: list[str] = []
    audit(history(local_series(Random(24), 40, 4, 5)), progress=told.append)
    assert any(line.startswith("release 4 of 4: values, ") for line in told)
    assert any("probabilities" in line for line in told)


def test_boxes_in_a_report() -> None:
    one = release("1@1:a 2@1:b", "3@5:c 4@6:d")
    two = release("1@1:a 3@5:c", "2@1:b 4@6:d")
    past = history([one, two], boxed=True)
    strong, weak = audit(past), audit(past, Knowledge(membership="boxes"))
    assert strong.disclosed == {"1", "2", "3", "4"}
    # 1 and 2 cannot be told apart by their boxes, nor can 3 and 4 in the second release.
    assert weak.disclosed < strong.disclosed
    found = weak.releases[-1].persistent
    assert found is not None
    assert found.worst is None
    assert found.without_posterior == 4
    assert weak.to_dict()["membership"] == "boxes"
    for exclusion in weak.exclusions():
        exclusion.check()
    known = audit(past, Knowledge(membership="boxes", compromised={"1": "a"}))
    assert "2" in known.disclosed
    texts = known.texts()
    assert texts
    assert all("each of them needed" not in text for text in texts)


# --- files and the command line -------------------------------------------------------------


def test_steward_copies_need_no_problem_file(tmp_path: Path) -> None:
    for name, files in (
        ("hospital", ["release-1.steward.csv", "release-2-printed.steward.csv"]),
        ("clinic", ["release-1.steward.csv", "release-2-printed.steward.csv"]),
    ):
        done = run("audit", *data(name, *files), "--json", "report.json", "--force", folder=tmp_path)
        written = json.loads((tmp_path / "report.json").read_text())
        assert len(written["releases"]) == 2
        assert done.returncode == (1 if written["verdict"] == "disclosed" else 0)
        assert "named attacks" in done.stdout
    wrong = run("audit", *data("hospital", "release-1.csv"), folder=tmp_path)
    assert wrong.returncode == 2
    assert "steward's copy" in wrong.stderr
    with pytest.raises(ReleaseError, match="columns are not those"):
        read_series(
            [*data("hospital", "release-1.steward.csv"), *data("pigeonhole", "release-1.steward.csv")]
        )
    with pytest.raises(InputError, match="no release is named"):
        read_series([])


def test_certificates_on_the_command_line(tmp_path: Path) -> None:
    files = data("pigeonhole", "release-1.steward.csv", "release-2.steward.csv")
    done = run("audit", *files, "--certificates", "proofs.json", folder=tmp_path)
    assert done.returncode == 1
    assert "disclosed" in done.stdout
    confirmed = run("verify-audit", "proofs.json", *files, folder=tmp_path)
    assert confirmed.returncode == 0
    assert "CONFIRMED: " in confirmed.stdout
    content = json.loads((tmp_path / "proofs.json").read_text())
    content["steps"].pop()
    (tmp_path / "proofs.json").write_text(json.dumps(content))
    refused = run("verify-audit", "proofs.json", *files, folder=tmp_path)
    assert refused.returncode == 2
    assert "have no proof" in refused.stderr
    (tmp_path / "proofs.json").write_text("[]")
    assert "does not hold certificates" in run("verify-audit", "proofs.json", *files, folder=tmp_path).stderr
    (tmp_path / "proofs.json").write_text("{")
    assert "cannot be read as JSON" in run("verify-audit", "proofs.json", *files, folder=tmp_path).stderr


def test_public_copies_are_enough_for_who_knows_boxes_only(tmp_path: Path) -> None:
    """A release as published: who is in which group need not be told."""
    (tmp_path / "boxes.yaml").write_text("membership: boxes\n")
    problem, public = data("hospital", "release-1.yaml")[0], tmp_path / "release-1.release.csv"
    assert run("solve", problem, "-q", folder=tmp_path).returncode == 0
    done = run("audit", problem, public, "--knowledge", "boxes.yaml", "--json", "weak.json", folder=tmp_path)
    assert done.returncode == 0
    assert json.loads((tmp_path / "weak.json").read_text())["membership"] == "boxes"


def test_knowledge_files(tmp_path: Path) -> None:
    file = tmp_path / "known.yaml"
    asked = {
        "compromised": {"1": "a"},
        "excluded": {"2": ["b"]},
        "priors": {"3": ["a", "c"]},
        "membership": "boxes",
        "counterfeits": "unknown",
    }
    file.write_text(yaml.safe_dump(asked))
    assert load_knowledge(file) == Knowledge(
        compromised={"1": "a"},
        excluded={"2": ["b"]},
        priors={"3": ["a", "c"]},
        membership="boxes",
        counterfeits="unknown",
    )
    file.write_text("persistence: both\n")
    assert load_knowledge(file, "transient").persistence == "both"
    file.write_text("{}\n")
    assert load_knowledge(file, "transient").persistence == "transient"
    for text, message in (
        ("membership: rings\n", "key membership"),
        ("counterfeits: unknown\n", "known.yaml: who knows the members"),
        ("membership: boxes\npersistence: both\n", "never change"),
    ):
        file.write_text(text)
        with pytest.raises(ProblemFileError, match=message):
            load_knowledge(file)


def test_worst_of_a_report_is_exact_or_says_that_it_is_an_estimate() -> None:
    report = audit(history(local_series(Random(1), 60, 2, 12)), explain=False)
    found = report.releases[-1].persistent
    assert found is not None
    assert isinstance(found.worst, Fraction)
    assert found.worst_estimate is None
    assert found.estimated == found.without_posterior == 0


def test_ctrl_c_ends_the_search_and_keeps_the_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The interrupt comes before the first question; nothing more is searched, all is reported."""

    def interrupted(*arguments: Any, **named: Any) -> AuditReport:
        signal.raise_signal(signal.SIGINT)
        return audit(*arguments, **named)

    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(audit_command, "audit", interrupted)
    done = run(
        "audit", *data("pigeonhole", "release-1.steward.csv", "release-2.steward.csv"), folder=tmp_path
    )
    assert done.returncode == 4
    assert "unknown, not safe" in done.stdout
    assert "nobody disclosed" in done.stdout  # the first release is decided by propagation
    assert signal.getsignal(signal.SIGINT) is before
