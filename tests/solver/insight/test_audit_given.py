"""Given by knowledge or disclosed by releases: against enumeration, with values that nobody publishes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import oracle.brute_force as bf
import pytest
import yaml
from cases.attacks import history
from cases.compromises import Oracle
from command_line import run
from hypothesis import assume, given, settings, strategies as st
from oracle.brute_force_knowledge import Known, conclusions
from oracle.brute_force_notation import group, release

from optanon.models.adversary.knowledge import Knowledge
from optanon.models.errors import CertificateError
from optanon.solver.insight.audit.audit import AuditReport, audit
from optanon.solver.insight.what_if.what_if import what_if
from optanon.solver.worlds.exclusions import verify_audit

NAMED = "abcxy"
"""Values of people are a, b and c at most; x is published by a counterfeit or by nobody, y never."""


class Case(NamedTuple):
    series: tuple[bf.Release, ...]
    known: Known

    def knowledge(self, **how: str) -> Knowledge:
        known = self.known
        return Knowledge(compromised=known.compromised, excluded=known.excluded, priors=known.priors, **how)  # pyright: ignore[reportArgumentType]

    def until(self, releases: int) -> tuple[tuple[bf.Release, ...], Known]:
        """The first releases, and what is known of the people in them."""
        part = self.series[:releases]
        return part, self.known.about(name for groups, _ in part for g in groups for name in g.names)


@st.composite
def cases(draw: st.DrawFn, *, most: int = 5, releases: int = 3) -> Case:
    """Up to five people and three releases; statements that name values of any kind."""
    size = draw(st.integers(1, most))
    pool = draw(st.sampled_from(["a", "ab", "abc"]))
    people = [bf.Person(str(i), (draw(st.integers(0, 2)),), draw(st.sampled_from(pool))) for i in range(size)]
    series: list[bf.Release] = []
    for _ in range(draw(st.integers(1, releases))):
        homes: dict[int, list[bf.Person]] = {}
        for person in people:
            where = draw(st.integers(-1, 1))  # -1: not in this release
            if where >= 0:
                homes.setdefault(where, []).append(person)
        groups = [
            bf.Group(tuple(members), ((draw(st.sampled_from("ax")), 1),) if draw(st.booleans()) else ())
            for members in homes.values()
        ]
        if groups:
            series.append(bf.Release(tuple(groups)))
    assume(series)
    own = {p.name: p.value for groups, _ in series for g in groups for p in g.members}
    named = st.frozensets(st.sampled_from(NAMED), max_size=4)
    compromised: dict[str, str] = {}
    excluded: dict[str, frozenset[str]] = {}
    priors: dict[str, frozenset[str]] = {}
    for who, value in own.items():
        what = draw(st.integers(0, 4))
        if what == 1:
            compromised[who] = value
        if what in (2, 4):
            excluded[who] = draw(named) - {value}
        if what in (3, 4):
            priors[who] = draw(named) | {value}
    return Case(tuple(series), Known(compromised, excluded, priors))


def agrees(report: AuditReport, case: Case, *, boxes: bool) -> None:
    """Compare everything a report says of given and disclosed respondents with the enumeration."""
    assert report.complete
    for entry in report.releases:
        part, known = case.until(entry.release)
        wanted = conclusions(part, known, boxes=boxes)
        found = entry.persistent
        assert found is not None
        assert (entry.respondents, entry.given) == (len(wanted.left), len(wanted.given))
        assert found.exact == len(wanted.disclosed)
        assert found.set_intersection <= found.propagation <= found.exact
        assert found.verdict == ("disclosed" if wanted.disclosed else "nobody disclosed")
    last = conclusions(case.series, case.known, boxes=boxes)
    assert report.disclosed == last.disclosed
    assert all({d.value} == last.left[d.respondent] for d in report.disclosures)
    plain = report.to_dict(show_ids=True)
    assert [entry["given"] for entry in plain["releases"]] == [entry.given for entry in report.releases]
    assert {line["respondent"] for line in plain["disclosures"]} == last.disclosed
    assert {e.respondent for e in report.explanations} <= last.disclosed
    assert len(report.texts()) == len(report.explanations) >= bool(last.disclosed)


@settings(max_examples=250, deadline=None)
@given(case=cases())
def test_known_groups(case: Case) -> None:
    report = audit(history(case.series), case.knowledge())
    agrees(report, case, boxes=False)
    wanted = conclusions(case.series, case.known)
    last = report.releases[-1].persistent
    assert last is not None
    assert (last.worst == 1) == bool(wanted.disclosed)
    assert (last.worst is None) == (wanted.left.keys() == wanted.given)
    for why in report.explanations:
        assert tells(case, why.respondent, why.groups)
        assert why.irreducible
        for left_out in why.groups:
            rest = [where for where in why.groups if where != left_out]
            assert not tells(case, why.respondent, rest)


def tells(case: Case, who: str, groups: Sequence[tuple[int, int]]) -> bool:
    """Whether some groups and the knowledge, by enumeration, leave somebody one value."""
    part = tuple(
        bf.Release(tuple(g for i, g in enumerate(made.groups) if (r, i) in groups))
        for r, made in enumerate(case.series)
    )
    names = {name for made, _ in part for g in made for name in g.names}
    return who in names and len(conclusions(part, case.known.about(names)).left[who]) == 1


@settings(max_examples=150, deadline=None)
@given(case=cases(most=4, releases=2))
def test_known_quasi_identifiers(case: Case) -> None:
    agrees(audit(history(case.series, boxed=True), case.knowledge(membership="boxes")), case, boxes=True)


@settings(max_examples=100, deadline=None)
@given(case=cases())
def test_what_if(case: Case) -> None:
    known = case.known
    found = what_if(history(case.series), case.knowledge(), smallest=True)
    wanted = conclusions(case.series, known)
    assert found.complete
    assert (found.given, found.disclosed) == (len(wanted.given), len(wanted.disclosed))
    oracle = Oracle(case.series, {}, known.allows)
    assert {who for who in oracle.own if who not in oracle.uncertain()} == wanted.given | wanted.disclosed
    for told in found.giveaways.singles:
        assert told.others == oracle.given_away(*told.compromised)
        assert not told.others & (wanted.given | wanted.disclosed)
    assert found.giveaways.harmful == sum(bool(oracle.given_away(who)) for who in oracle.own)


@settings(max_examples=60, deadline=None)
@given(case=cases(), boxed=st.booleans())
def test_an_unrelated_group_changes_nothing(case: Case, boxed: bool) -> None:
    """People nobody has seen, with values that were not published so far, in a release of their own."""
    how = {"membership": "boxes"} if boxed else {}
    strangers = tuple(bf.Person(f"new {value}", (9,), value) for value in "xy")
    longer = (*case.series, bf.Release((bf.Group(strangers),)))
    before = audit(history(case.series, boxed=boxed), case.knowledge(**how))
    after = audit(history(longer, boxed=boxed), case.knowledge(**how))
    assert after.releases[-1].given == before.releases[-1].given
    assert after.disclosed == before.disclosed


@settings(max_examples=40, deadline=None)
@given(case=cases(), boxed=st.booleans())
def test_certificates_are_confirmed_with_the_same_knowledge(case: Case, boxed: bool) -> None:
    known = case.knowledge(membership="boxes") if boxed else case.knowledge()
    past = history(case.series, boxed=boxed)
    report = audit(past, known)
    content = json.loads(json.dumps(report.certificates()))
    assert verify_audit(content, past, known)["rests on CP-SAT"] == 0
    for exclusion in report.exclusions():
        exclusion.check()
    longer = history((*case.series, release("new1@9:x new2@9:y")), boxed=boxed)
    with pytest.raises(CertificateError, match="other releases or other knowledge"):
        verify_audit(content, longer, known)


# --- the two cases that were wrong ------------------------------------------------------------

FLU = release("p5@1:flu p6@2:cold p7@3:gout")
ASTHMA = release("q1@8:asthma q2@9:cold")


@pytest.mark.parametrize("membership", ["groups", "boxes"])
@pytest.mark.parametrize("more", [[], [ASTHMA]])
def test_a_prior_that_the_release_decides(membership: str, more: list[bf.Release]) -> None:
    known = {"priors": {"p5": ["flu", "asthma"]}, "membership": membership}
    report = audit(history([FLU, *more], boxed=True), Knowledge(**known))
    assert [entry.given for entry in report.releases] == [0] * len(report.releases)
    assert {(d.respondent, d.value, d.how) for d in report.disclosures} == {("p5", "flu", "set intersection")}
    assert report.texts(show_ids=True)[0].splitlines() == [
        "p5 of release 1 group 1 can only have flu, because of 1 group:",
        "  release 1 group 1: p5, p6, p7; published: cold 1, flu 1, gout 1",
        "  and what is known about 1 respondent of these groups",
    ]
    if membership == "groups":
        asked = what_if(history([FLU, *more]), Knowledge(**known))
        assert (asked.given, asked.disclosed) == (0, 1)


@pytest.mark.parametrize("membership", ["groups", "boxes"])
@pytest.mark.parametrize(
    ("statements", "given_by_knowledge", "disclosed"),
    [
        ({"compromised": {"1": "a", "2": "a"}}, 2, set[str]()),
        ({"compromised": {"1": "a"}}, 1, {"2"}),
        ({}, 0, {"1", "2"}),
        ({"priors": {"1": ["a"], "2": ["a", "y"]}}, 1, {"2"}),
        ({"priors": {"1": ["a", "y"], "2": ["a", "y"]}, "excluded": {"1": ["y"]}}, 1, {"2"}),
        # Who says what she has not does not say which values there are.
        ({"excluded": {"1": ["y"], "2": ["b", "c"]}}, 0, {"1", "2"}),
    ],
)
def test_a_series_with_one_value(
    membership: str, statements: dict[str, dict[str, object]], given_by_knowledge: int, disclosed: set[str]
) -> None:
    series = history([release("1@1:a 2@1:a"), release(group("1@1:a 2@1:a", "a"))], boxed=True)
    known = Knowledge(**statements, membership=membership)  # pyright: ignore[reportArgumentType]
    report = audit(series, known)
    assert [entry.given for entry in report.releases] == [given_by_knowledge] * 2
    assert report.disclosed == disclosed
    assert len(report.explanations) == bool(disclosed)  # one for respondents of one kind
    for text in report.texts():
        assert "can have one value only, because of" in text
        assert "published: a 2" in text
    if membership == "groups":
        asked = what_if(series, known)
        assert (asked.given, asked.disclosed) == (given_by_knowledge, len(disclosed))


def test_the_command_line_tells_given_from_disclosed(tmp_path: Path) -> None:
    (past,) = history([FLU], boxed=True).releases
    past.to_csv(tmp_path / "release.csv", copy="steward")
    asked = ("release.csv", "--knowledge", "known.yaml", "--json", "report.json", "--force")
    for priors, shown, code in (({"p5": ["flu", "asthma"]}, (0, 1), 1), ({"p5": ["flu"]}, (1, 0), 0)):
        (tmp_path / "known.yaml").write_text(yaml.safe_dump({"priors": priors}))
        done = run("audit", *asked, folder=tmp_path)
        assert done.returncode == code, done.stderr
        (entry,) = json.loads((tmp_path / "report.json").read_text())["releases"]
        assert (entry["given"], entry["persistent"]["exact"]) == shown
        assert "given" in done.stdout
        done = run("what-if", *asked, folder=tmp_path)
        assert done.returncode == 0, done.stderr
        told = json.loads((tmp_path / "report.json").read_text())
        assert (told["given"], told["disclosed"]) == shown
        assert ("1 are given by knowledge" in done.stdout) == bool(shown[0])
        proofs = (
            "audit",
            "release.csv",
            "--knowledge",
            "known.yaml",
            "--certificates",
            "proofs.json",
            "--force",
        )
        assert run(*proofs, folder=tmp_path).returncode == code
        checked = run(
            "verify-audit", "proofs.json", "release.csv", "--knowledge", "known.yaml", folder=tmp_path
        )
        assert checked.returncode == 0, checked.stderr
        assert "CONFIRMED" in checked.stdout
        without = run("verify-audit", "proofs.json", "release.csv", folder=tmp_path)
        assert without.returncode == 2
        assert "the same --knowledge if it had any" in without.stderr
