"""The compact history against reading all releases again."""

from __future__ import annotations

import pickle
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import oracle.brute_force as bf
import pytest
from hypothesis import given, settings
from strategies import Instance, Source, instance, instances, random_release, seeded

from optanon.models.box import Interval, Leaves
from optanon.models.errors import PolicyError, ReleaseError, TableError
from optanon.models.history import History
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.release import Release
from optanon.models.requirements import HcSafety, KCAnonymity, WeakMInvariance
from optanon.models.table import Member, Sensitive
from optanon.solver.search import solve_problem

quick = settings(max_examples=50, deadline=None, derandomize=True)


def in_cells(at: Instance, release: bf.Release, name: str) -> list[object]:
    """The oracle's sides of the respondent's box, by its own types."""
    (group,) = bf.groups_with([release], name)
    return list(bf.box(group, at.attributes))


@quick
@given(instances(releases=(1, 3), persistence="transient"))
def test_records_say_what_reading_everything_again_says(drawn: tuple[Instance, Source]):
    at, _ = drawn
    seen = {p.name for release in at.past for group in release.groups for p in group.members}
    assert set(at.history.records) == seen
    for name in seen:
        record = at.history.records[name]
        groups = bf.groups_with(at.past, name)
        times = [t for t, release in enumerate(at.past) if name in bf.names_of(release.groups)]
        assert record.first == times[0]
        assert [when for when, _ in record.groups] == times
        assert [at.history.group(*where).respondents for where in record.groups] == [g.names for g in groups]
        left = groups[0].histogram
        for group in groups[1:]:
            left &= group.histogram
        assert Counter(dict(record.inferable)) == left
        assert record.inferable == {value: n for value, n in left.items() if n > 0}
        signatures = {group.signature for group in groups}
        assert record.signature == (signatures.pop() if len(signatures) == 1 else None)
        last = next(p for p in groups[-1].members if p.name == name)
        assert record.member.value == last.value


@quick
@given(instances(releases=(1, 3), form="generalized"))
def test_the_box_of_a_record_is_the_intersection(drawn: tuple[Instance, Source]):
    at, _ = drawn
    for name, record in at.history.records.items():
        sides = [in_cells(at, r, name) for r in at.past if name in bf.names_of(r.groups)]
        for a, cell in enumerate(record.box or ()):
            column = [row[a] for row in sides]
            if isinstance(cell, Interval):
                numbers = [side for side in column if not isinstance(side, frozenset)]
                assert (cell.lo, cell.hi) == (max(s.lo for s in numbers), min(s.hi for s in numbers))
            else:
                labels = [side for side in column if isinstance(side, frozenset)]
                assert cell.values == frozenset.intersection(*labels)
        assert record.box is not None, "all boxes of one respondent hold her exact values"


@quick
@given(instances(releases=(2, 3)))
def test_appending_one_by_one_is_the_same_and_keeps_earlier_ones(drawn: tuple[Instance, Source]):
    at, _ = drawn
    history = History()
    for number, release in enumerate(at.history):
        before = history.releases
        history.append(release)
        assert history.releases == (*before, release)
        assert len(history) == number + 1
    assert dict(history.records) == dict(at.history.records)
    assert history[len(history) - 1] is at.history[len(history) - 1]


@quick
@given(instances(releases=(2, 3)))
def test_a_series_followed_by_a_release_is_a_history_of_its_own(drawn: tuple[Instance, Source]):
    at, _ = drawn
    *before, last = at.history
    history = History(before)
    records = dict(history.records)
    after = history.followed_by(last)
    assert (after.releases, dict(after.records)) == (at.history.releases, dict(at.history.records))
    assert after.values == at.history.values
    assert (history.releases, dict(history.records)) == (tuple(before), records)


def test_a_refused_release_leaves_the_history_as_it_was():
    at = instance(seeded("refused"), tuples=(4, 4), releases=(2, 2))
    records, releases = dict(at.history.records), at.history.releases
    strange = replace(at.history[0], sensitive="other")
    with pytest.raises(ReleaseError, match="release 3 has columns"):
        at.history.append(strange)
    assert (dict(at.history.records), at.history.releases) == (records, releases)


def test_two_forms_in_one_history():
    """A respondent's box is unknown once she was in an anatomized release."""
    at = instance(seeded("forms"), tuples=(4, 4), releases=(0, 0), form="generalized")
    boxed = at.ours(bf.Release((bf.Group(at.people[:2]),), at.people[2:]))
    naked = Release(
        groups=tuple(replace(group, box=None) for group in boxed.groups),
        suppressed=boxed.suppressed,
        attributes=boxed.attributes,
        sensitive=boxed.sensitive,
        form="anatomized",
    )
    history = History([boxed, naked, boxed])
    assert {record.box for record in history.records.values()} == {None}
    assert set(history.records) == {p.name for p in at.people[:2]}, "suppressed people were never published"


def test_disjoint_boxes_have_no_intersection():
    """A person who moved: no single box holds her in both releases."""
    at = instance(seeded("moved"), tuples=(2, 2), releases=(0, 0), form="generalized", kinds=("numeric",))
    first = at.ours(bf.Release((bf.Group(at.people),)))
    group = first.groups[0]
    assert group.box is not None
    far = tuple(Interval(Fraction(100), Fraction(101)) for _ in group.box)
    moved = tuple(Member(m.respondent, tuple(Fraction(100) for _ in m.point), m.value) for m in group.members)
    second = replace(first, groups=(replace(group, members=moved, box=far),))
    history = History([first, second])
    assert all(record.box is None for record in history.records.values())


def test_a_changed_persistent_value_is_refused_and_a_transient_one_is_not():
    at = instance(seeded("changed"), tuples=(3, 3), releases=(0, 0), values=(3, 3), form="anatomized")
    release = at.ours(bf.Release((bf.Group(at.people),)))
    other = tuple(replace(m, value="d") if n == 1 else m for n, m in enumerate(at.table.members))
    for persistence in ("persistent", "both", "transient"):
        table = replace(at.table, members=other, sensitive=Sensitive(name="value", persistence=persistence))
        policy = Policy([KCAnonymity(k=1)], form="anatomized")
        if persistence == "transient":
            assert Problem(table=table, policy=policy, history=History([release])).values == tuple(
                sorted({p.value for p in at.people} | {"d"})
            )
            continue
        with pytest.raises(TableError, match="column 'value', row 2") as caught:
            Problem(table=table, policy=policy, history=History([release]))
        assert "id#" not in str(caught.value)


def test_requirements_on_the_other_kind_of_value_are_refused():
    at = instance(seeded("kind"), tuples=(3, 3), releases=(0, 0), persistence="transient")
    with pytest.raises(PolicyError, match="weak_m_invariance protects persistent"):
        Problem(table=at.table, policy=Policy([WeakMInvariance(m=2)], form=at.form))


def test_solving_reads_the_history_and_does_not_change_it():
    at = instance(seeded("read"), tuples=(5, 5), releases=(2, 2), persistence="persistent")
    records, releases = dict(at.history.records), at.history.releases
    policy = Policy([HcSafety(n=2), KCAnonymity(k=2)], form=at.form)
    problem = Problem(table=at.table, policy=policy, history=at.history)
    digest = problem.digest
    solve_problem(problem, workers=1, display=False)
    assert (dict(at.history.records), at.history.releases) == (records, releases)
    assert problem.digest == digest


def test_the_fingerprint_of_a_history_does_not_depend_on_when_it_was_asked_for():
    for seed in range(5):
        at = instance(seeded(f"fingerprint{seed}"), tuples=(5, 5), releases=(3, 3), persistence="persistent")
        once, grown = History(at.history.releases).fingerprint, History()
        prefixes = {grown.fingerprint}
        for release in at.history:
            if len(grown) % 2:
                grown = grown.followed_by(release)
            else:
                grown.append(release)
            assert pickle.loads(pickle.dumps(grown)).fingerprint == grown.fingerprint
            prefixes.add(grown.fingerprint)
        assert (once, len(prefixes)) == (grown.fingerprint, len(at.history) + 1)


def test_a_series_of_our_own_releases_keeps_every_posterior_at_one_over_m():
    """Weak m-invariance over three releases with newcomers, leavers and counterfeits, against all worlds."""
    for seed in range(6):
        source = seeded("series", seed)
        at = instance(source, tuples=(5, 5), releases=(0, 0), values=(2, 3), persistence="persistent")
        history, past = History(), list[bf.Release]()
        for _ in range(3):
            rows = [n for n in range(5) if source(0, 3)] or [0]
            table = replace(
                at.table, members=tuple(at.table.members[n] for n in rows), codes=at.table.codes[rows].copy()
            )
            policy = Policy([WeakMInvariance(m=2)], ["suppressed", "counterfeits"], form=at.form)
            problem = Problem(table=table, policy=policy, history=history)
            result = solve_problem(problem, workers=1, display=False)
            assert result.release is not None
            past.append(at.theirs(result.release))
            history.append(result.release)
        if any(release.groups for release in past):
            worst = max(max(found.values()) for found in bf.posterior(past).values())
            assert worst <= Fraction(1, 2)


def test_random_releases_append_whatever_their_order():
    at = instance(seeded("order"), tuples=(6, 6), releases=(0, 0), form="generalized")
    source = seeded("order 2")
    releases = [at.ours(random_release(source, at.people, max_suppressed=2)) for _ in range(4)]
    forth, back = History(releases), History(reversed(releases))
    for name, record in forth.records.items():
        other = back.records[name]
        assert record.inferable == other.inferable
        assert record.signature == other.signature
        if record.box is None or other.box is None:
            assert record.box is other.box
            continue
        for a, b in zip(record.box, other.box, strict=True):
            assert a == b if isinstance(a, Interval) else isinstance(b, Leaves) and a.values == b.values
