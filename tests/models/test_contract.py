"""The contract: what every registered requirement must keep, against the brute-force oracle.

A new requirement costs one line in `cases/examples.py`: a check of the oracle and the settings it
stands for. Everything below runs over all registered requirements.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import accumulate, combinations, product
from math import prod
from typing import Any, ClassVar

import numpy as np
import oracle.brute_force as bf
import pytest
import yaml
from cases.examples import (
    EXAMPLES,
    Example,
    build,
)
from strategies import Instance, Probe, Source, instance, random_release, seeded, shuffled

from optanon.models.adversary.matching import Matchings
from optanon.models.adversary.tracing import Tracer, untraceable
from optanon.models.errors import PolicyError
from optanon.models.history import History
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.release import QIGroup, Release
from optanon.models.requirement import (
    Context,
    GroupRequirement,
    Requirement,
    Scope,
    register,
)
from optanon.models.requirements import KCAnonymity, build_requirement, registered
from optanon.models.structure import (
    DependsOn,
    EntropyRule,
    Overlap,
    OverlapRule,
    RecursiveRule,
    SharesRule,
)

F = Fraction


CASES = [(name, number) for name in sorted(registered()) for number in range(len(EXAMPLES.get(name, [])))]
every_example = pytest.mark.parametrize(("name", "number"), CASES, ids=[f"{name}-{n}" for name, n in CASES])
every_requirement = pytest.mark.parametrize("name", sorted(registered()))


def drawn(requirement: Requirement, made: Example, source: Source, **options: Any) -> Instance:
    """An instance this requirement can be asked about; half the histories keep the requirement."""
    kind = requirement.adversary
    persistence = kind if kind != "either" else ("both", "transient")[source(0, 1)]
    options = {"persistence": persistence, **options, **made.needs}
    if source(0, 1):
        # Attributes are drawn with the instance; a check that needs them cannot steer the history.
        options.setdefault("prefers", None if made.needs else made.oracle(()))
    return instance(source, **options)


def some_release(source: Source, at: Instance) -> bf.Release:
    return random_release(
        source, at.people, max_fakes=2, fake_values=at.fake_values, max_suppressed=2, largest=source(1, 6)
    )


def kept(requirement: Requirement, release: Release, at: Instance) -> bool:
    return next(requirement.check(release, at.history), None) is None


def problem_of(at: Instance, requirement: Requirement, *, suppressed: int = 0, fakes: int = 0) -> Problem:
    policy = Policy([requirement], max_suppressed=suppressed, max_counterfeits=fakes, form=at.form)
    return Problem(table=at.table, policy=policy, history=at.history)


@every_requirement
def test_every_requirement_has_examples(name: str):
    assert EXAMPLES.get(name), (
        f"requirement {name!r} is registered but not under contract: add a line for it to EXAMPLES in "
        "tests/cases/examples.py, with the oracle's check beside its settings"
    )


def test_no_example_is_left_over():
    assert set(EXAMPLES) <= set(registered())


# -- (a) the meaning ---------------------------------------------------------------------------


@every_example
def test_check_says_what_the_oracle_says(name: str, number: int):
    requirement, made = build(name, number)
    seen: set[bool] = set()
    for seed in range(40):
        source = seeded(name, number, seed)
        at = drawn(requirement, made, source)
        oracle = made.oracle(at.attributes)
        for _ in range(8):
            release = some_release(source, at)
            wanted = oracle(release, at.past)
            found = list(requirement.check(at.ours(release), at.history))
            assert (not found) == wanted, (seed, at, release, found)
            seen.add(wanted)
    assert True in seen
    if made.settings != {"n": 1}:  # degree 1 forbids nothing
        assert False in seen


@pytest.mark.parametrize("number", range(len(EXAMPLES["record_tracing"])))
def test_the_fast_tracer_says_what_matchings_of_single_records_say(number: int):
    """Two ways to one definition: each release against every earlier one, record by record."""
    requirement, made = build("record_tracing", number)
    compared = 0
    for seed in range(60):
        source = seeded("matchings", number, seed)
        at = drawn(requirement, made, source, releases=(1, 2), tuples=(4, 9))
        for _ in range(4):
            release = at.ours(some_release(source, at))
            for old in at.history:
                if release.suppressed or untraceable(old, frozenset(release.where), 1):
                    continue
                judge, fast = Matchings(old, release), Tracer(old, release)
                for way in ("forward", "backward"):
                    for edges in ("exact", "plausible"):
                        found = list(judge.traces(way, edges, 99))
                        assert found == list(fast.traces(way, edges, 99)), (seed, at, release)
                        compared += len(found)
    assert compared > 300


# -- (b) the encoding --------------------------------------------------------------------------


def candidates(source: Source, at: Instance, fakes: int, suppressed: int, good: bf.Check) -> list[bf.Release]:
    """At most 70 of all candidate releases; as many good ones among them as bad ones, if there are."""
    found: dict[bool, list[bf.Release]] = {True: [], False: []}
    for release in bf.candidate_releases(at.people, fakes, at.fake_values, suppressed):
        found[good(release, at.past)].append(release)
    return [
        group[source(0, len(group) - 1)] if len(group) > 35 else group[position]
        for group in found.values()
        for position in range(min(len(group), 35))
    ]


@every_example
@pytest.mark.parametrize(("fakes", "suppressed", "tuples"), [(0, 0, (5, 6)), (1, 1, (2, 4)), (2, 0, (1, 3))])
def test_encoding_accepts_exactly_what_check_accepts(
    name: str, number: int, fakes: int, suppressed: int, tuples: tuple[int, int]
):
    requirement, made = build(name, number)
    for seed in range(2):
        source = seeded(name, number, seed, fakes)
        at = drawn(requirement, made, source, tuples=tuples)
        problem = problem_of(at, requirement, suppressed=suppressed, fakes=fakes)
        model = Probe(problem)
        accepted: list[bf.Release] = []
        for release in candidates(source, at, fakes, suppressed, made.oracle(at.attributes)):
            ours = at.ours(release)
            wanted = next(problem.check(ours), None) is None
            found = model.admits(release)
            for _ in range(20):  # solve, cut, solve again
                if not found or kept(requirement, ours, at):
                    break
                cuts = list(requirement.cuts(ours, at.history))
                assert cuts, f"{requirement} is encoded too weakly and has no cuts for {release} of {at}"
                for cut in cuts:
                    cut.apply(model.model)
                found = model.admits(release)
            assert found == wanted, (seed, at, release)
            if wanted:
                accepted.append(release)
        # Cuts added for bad releases must not have forbidden good ones.
        if requirement.scope is not Scope.GROUP:
            assert all(map(model.admits, accepted))


# -- (d) declared properties -------------------------------------------------------------------


@every_example
def test_looser_values_admit_more_and_no_boundary_lies_between_them(name: str, number: int):
    """Every declared direction; exact lists also at values between two neighbours."""
    requirement, made = build(name, number)
    changes, listed = 0, 0
    for seed in range(30):
        source = seeded("strictness", name, number, seed)
        at = drawn(requirement, made, source)
        problem = problem_of(at, requirement, suppressed=2, fakes=2)
        release = at.ours(some_release(source, at))
        for known in requirement.parameters():
            parameter, looser = known.name, known.grid(problem)
            present = getattr(requirement, parameter)
            settings = [present, *looser.values]
            listed += len(looser.values)
            places = sorted({0, len(settings) - 1, *(source(0, len(settings) - 1) for _ in range(5))})
            verdicts = [kept(replace(requirement, **{parameter: settings[i]}), release, at) for i in places]
            assert verdicts == sorted(verdicts), (seed, parameter, settings, verdicts)
            changes += verdicts[0] != verdicts[-1]
            if not looser.complete or not looser.values or not isinstance(looser.values[0], F):
                continue
            here = source(0, len(settings) - 2)
            one, other = settings[here], settings[here + 1]
            ends = [kept(replace(requirement, **{parameter: c}), release, at) for c in (one, other)]
            between = kept(replace(requirement, **{parameter: (one + other) / 2}), release, at)
            assert between in ends, (seed, parameter, one, other)
    if listed and name != "safe_correlation" and made.settings != {"n": 1}:  # degree 1 forbids nothing
        assert changes  # some release was refused before and admitted after


@every_example
def test_looks_back_is_declared_truly(name: str, number: int):
    """Without the claim no history changes a verdict; with it, some history does."""
    requirement, made = build(name, number)
    looks_back = requirement.structure().looks_back
    changed, with_past = 0, 0
    for seed in range(240 if looks_back else 60):
        if changed and with_past > 20:
            break
        source = seeded("looks back", name, number, seed)
        at = drawn(requirement, made, source)
        other = at if looks_back else drawn(requirement, made, source)
        with_past += len(at.history) > 0
        for _ in range(6):
            release = at.ours(some_release(source, at))
            found = list(requirement.check(release, at.history))
            alone = list(requirement.check(release, History()))
            if not looks_back:
                assert found == alone, (seed, at, release)
                assert alone == list(requirement.check(release, other.history)), (seed, at, other, release)
            changed += bool(found) != bool(alone)
    assert with_past > 20
    assert bool(changed) == looks_back


@every_example
def test_diagnostics_are_words_without_respondents(name: str, number: int):
    requirement, made = build(name, number)
    for seed in range(10):
        source = seeded("facts", name, number, seed)
        at = drawn(requirement, made, source)
        told = list(requirement.bounds(problem_of(at, requirement)).diagnostics)
        assert all(fact and not fact.endswith(".") for fact in told)
        named = {member.respondent for member in at.table.members}
        assert not any(word in named for fact in told for word in fact.replace("'", " ").split())


def merged(release: bf.Release, i: int, j: int) -> bf.Release:
    one, other = release.groups[i], release.groups[j]
    fakes = (one.histogram + other.histogram) - bf.published([bf.Group((*one.members, *other.members))])
    rest = [group for at, group in enumerate(release.groups) if at not in (i, j)]
    both = bf.Group((*one.members, *other.members), tuple(sorted(fakes.items())))
    return bf.Release((*rest, both), release.suppressed)


def merge_counterexample(name: str, number: int, budget: int) -> tuple[Instance, bf.Release] | None:
    """A release of two groups that keeps the requirement, and does not once they are merged."""
    requirement, made = build(name, number)
    for seed in range(budget):
        source = seeded("merge", name, number, seed)
        at = drawn(requirement, made, source, tuples=(3, 7), values=(2, 4))

        def alone(*groups: bf.Group, at: Instance = at) -> bf.Release:
            shown = bf.names_of(groups)
            return bf.Release(groups, tuple(p for p in at.people if p.name not in shown))

        def good(release: bf.Release, at: Instance = at) -> bool:
            return kept(requirement, at.ours(release), at)

        fake = ((at.fake_values[source(0, len(at.fake_values) - 1)], 1),)
        groups = [
            bf.Group(members, fake if not source(0, 3) else ())
            for size in (1, 2, 3, 4)
            for members in combinations(at.people, size)
        ]
        if requirement.scope is Scope.GROUP:
            groups = [group for group in groups if good(alone(group))]
        pairs = [alone(*pair) for pair in combinations(groups, 2) if not pair[0].names & pair[1].names]
        for release in shuffled(source, pairs)[:25]:
            if good(release) and not good(merged(release, 0, 1)):
                return at, release
    return None


@every_requirement
def test_closed_under_suppression_is_declared_truly(name: str):
    """A part of a release that keeps the requirement keeps it; for scope group by definition."""
    closed = [
        build(name, number)
        for number in range(len(EXAMPLES[name]))
        if build(name, number)[0].structure().closed_under_suppression
    ]
    if not closed or registered()[name].scope is Scope.GROUP:
        return
    parts = 0
    for number, (requirement, made) in enumerate(closed):
        for seed in range(40):
            source = seeded("hereditary", name, number, seed)
            at = drawn(requirement, made, source, tuples=(4, 7), values=(2, 4))
            release = at.ours(some_release(source, at))
            if len(release.groups) < 2 or not kept(requirement, release, at):
                continue
            for gone in release.groups:
                fewer = tuple(group for group in release.groups if group is not gone)
                part = replace(release, groups=fewer, suppressed=(*release.suppressed, *gone.members))
                assert kept(requirement, part, at), (seed, at, release, gone)
                parts += 1
    assert parts >= 10


@pytest.mark.slow
@every_example
@pytest.mark.parametrize(("fakes", "suppressed", "most"), [(0, 0, 5), (1, 1, 4)])
def test_initial_cuts_forbid_no_good_release(name: str, number: int, fakes: int, suppressed: int, most: int):
    requirement, made = build(name, number)
    for seed in range(4):
        source = seeded("ahead", name, number, seed, fakes)
        at = drawn(requirement, made, source, tuples=(3, most))
        if next(requirement.cuts(None, at.history), None) is None:
            continue
        problem = problem_of(at, requirement, suppressed=suppressed, fakes=fakes)
        model = Probe(problem)
        for cut in requirement.cuts(None, at.history):
            cut.apply(model.model)
        good = made.oracle(at.attributes)
        for release in candidates(source, at, fakes, suppressed, good):
            if next(problem.check(at.ours(release)), None) is None:
                assert model.admits(release), (seed, at, release)


@every_requirement
def test_monotone_is_declared_truly(name: str):
    found: list[object] = []
    monotone = False
    for number in range(len(EXAMPLES.get(name, []))):
        monotone = build(name, number)[0].structure().monotone
        found.append(merge_counterexample(name, number, 12 if monotone else 60))
        if found[-1] is not None:
            break
    if monotone:
        assert not any(found), f"{name} is declared monotone, but merging groups breaks it: {found[-1]}"
    else:
        assert any(found), f"{name} is declared not monotone, but no counterexample was found"


@every_requirement
def test_a_policy_says_which_requirements_judge_groups(name: str):
    """`group_requirements` and `joint_requirements` are all; the first alone have scope GROUP."""
    asked = [build(name, number) for number in range(len(EXAMPLES[name]))]
    for requirement, made in asked:
        at = drawn(requirement, made, seeded("groups", name))
        policy = Policy([requirement, KCAnonymity(k=2), requirement], form=at.form)
        problem = Problem(table=at.table, policy=policy, history=at.history)
        single = requirement.scope is Scope.GROUP
        assert isinstance(requirement, GroupRequirement) == single
        assert len(policy.group_requirements) == (3 if single else 1)
        assert policy.joint_requirements == (() if single else (requirement, requirement))
        decided = single and requirement.structure(problem).depends_on < DependsOn.MEMBERS
        assert policy.decided_by_histograms(problem) == ((0, 1, 2) if decided else (1,))


def test_scope_group_is_that_of_group_requirements_only():
    class Odd(Requirement):
        name: ClassVar[str] = "odd"
        scope: ClassVar[Scope] = Scope.GROUP

    with pytest.raises(PolicyError, match="scope GROUP"):
        register(Odd)
    with pytest.raises(PolicyError, match="two requirements are called 'k_c_anonymity'"):
        register(type("Again", (Odd,), {"name": "k_c_anonymity"}))
    assert "odd" not in registered()


@every_example
def test_group_scope_judges_each_group_by_itself(name: str, number: int):
    requirement, made = build(name, number)
    if requirement.scope is not Scope.GROUP:
        pytest.skip("not of group scope")
    assert isinstance(requirement, GroupRequirement)
    for seed in range(15):
        source = seeded("scope", name, number, seed)
        at = drawn(requirement, made, source)
        release = at.ours(some_release(source, at))
        context = Context.of(release, at.history)
        verdicts = [requirement.admits(group, context) for group in release.groups]
        assert kept(requirement, release, at) == all(verdicts)
        broken = {g for violation in requirement.check(release, at.history) for g in violation.groups}
        assert broken == {g for g, good in enumerate(verdicts) if not good}


@every_example
def test_counts_decide_where_they_are_said_to(name: str, number: int):
    """`admits_counts` and the structure's `symmetric` and `depends_on` agree with `admits`."""
    requirement, made = build(name, number)
    if not isinstance(requirement, GroupRequirement):
        pytest.skip("not of group scope")
    for seed in range(25):
        source = seeded("counts", name, number, seed)
        at = drawn(requirement, made, source)
        problem = problem_of(at, requirement)
        values = at.fake_values
        releases = [at.ours(some_release(source, at)) for _ in range(4)]
        groups = [group for release in releases for group in release.groups]
        verdicts = [requirement.admits(group, problem.context) for group in groups]
        counts = np.array([[g.histogram.get(v, 0) for v in values] for g in groups], dtype=np.int64)
        quick = requirement.admits_counts(counts, values, problem.context)
        if quick is not None:
            assert quick.tolist() == verdicts
        structure = requirement.structure(problem)
        if structure.depends_on < DependsOn.MEMBERS:
            by_size = structure.depends_on is DependsOn.SIZE
            by_key: dict[object, set[bool]] = {}
            for group, good in zip(groups, verdicts, strict=True):
                key = group.size if by_size else tuple(sorted(group.histogram.items()))
                by_key.setdefault(key, set()).add(good)
            assert all(len(found) == 1 for found in by_key.values())
            if structure.symmetric:
                for group, good in zip(groups, verdicts, strict=True):
                    key = tuple(sorted(group.histogram.values()))
                    assert by_key.setdefault(("alike", key), {good}) == {good}


@every_example
def test_members_decide_one_by_one_where_they_are_said_to(name: str, number: int):
    """`Structure.by_member` of every respondent of a group together say what `admits` says of the group."""
    requirement, made = build(name, number)
    if not isinstance(requirement, GroupRequirement):
        pytest.skip("not of group scope")
    for seed in range(40):
        source = seeded("members", name, number, seed)
        at = drawn(requirement, made, source)
        problem = problem_of(at, requirement)
        ask = requirement.structure(problem).by_member
        if ask is None:
            pytest.skip("does not judge respondents one by one")
        groups = [g for _ in range(4) for g in at.ours(some_release(source, at)).groups]
        counts = np.array([[g.histogram.get(v, 0) for v in at.fake_values] for g in groups], dtype=np.int64)
        for row, group in enumerate(groups):
            said = [ask(who, counts, at.fake_values, problem.history) for who in sorted(group.respondents)]
            if any(verdicts is None for verdicts in said):
                assert all(verdicts is None for verdicts in said)
                pytest.skip("does not judge respondents one by one")
            good = all(verdicts is not None and bool(verdicts[row]) for verdicts in said)
            assert requirement.admits(group, problem.context) == good


@every_example
def test_declared_forms_say_what_admits_says(name: str, number: int):
    """A rule on signatures, shares, counts, or overlaps with earlier groups that are met is the verdict."""
    requirement, made = build(name, number)
    if not isinstance(requirement, GroupRequirement):
        pytest.skip("not of group scope")
    declared = requirement.structure()
    rule, values, overlaps = declared.signature, declared.values, declared.overlap
    if rule is None and values is None and overlaps is None:
        pytest.skip("declares none of these forms")
    for seed in range(40):
        source = seeded("forms", name, number, seed)
        at = drawn(requirement, made, source)
        problem = problem_of(at, requirement)
        for group in at.ours(some_release(source, at)).groups:
            known = [r for who in group.respondents if (r := at.history.records.get(who)) is not None]
            if rule is not None:
                counts = set(group.histogram.values())
                said = len(group.signature) >= rule.min_values and counts in (
                    {rule.multiplicity or max(counts)},
                )
                said = said and all(record.signature == group.signature for record in known)
            elif isinstance(values, SharesRule):
                said = _shared(values, group.histogram, problem.table.histogram) <= values.most
            elif isinstance(values, EntropyRule):
                said = _mixed(values, list(group.histogram.values()))
            elif isinstance(values, RecursiveRule):
                counts = sorted(group.histogram.values(), reverse=True)
                said = counts[0] < values.c * sum(counts[values.rank - 1 :])
            else:
                assert overlaps is not None
                met = {where for record in known for where in record.groups}
                said = all(_permitted(overlaps, group, at.history.group(*where)) for where in met)
            assert requirement.admits(group, problem.context) == said


def _shared(rule: SharesRule, group: Mapping[str, int], table: Mapping[str, int]) -> Fraction:
    values = sorted({*group, *table}) if rule.order is None else rule.order
    gaps = [
        Fraction(group.get(v, 0), sum(group.values())) - Fraction(table.get(v, 0), sum(table.values()))
        for v in values
    ]
    return sum(map(abs, gaps if rule.order is None else accumulate(gaps)), Fraction(0))


def _mixed(rule: EntropyRule, counts: list[int]) -> bool:
    """``prod n**n <= (s / least)**s``."""
    size = sum(counts)
    return prod(n**n for n in counts) <= (Fraction(size) / rule.least) ** size


def _permitted(rule: OverlapRule, group: QIGroup, old: QIGroup) -> bool:
    overlap = Overlap(
        size=group.size,
        members=len(group.members),
        shared=len(group.respondents & old.respondents),
        old_size=old.size,
        old_members=len(old.members),
        alike=group.histogram == old.histogram,
    )
    good = rule.permits(overlap)
    assert good or group.size < rule.unrestricted_from(overlap.shared, old.size)
    return good


@every_example
def test_large_histograms_split_where_they_are_said_to(name: str, number: int):
    """From `decomposable_from` on, what keeps the requirement splits into two that keep it."""
    requirement, made = build(name, number)
    source = seeded("split", name, number)
    at = drawn(requirement, made, source, tuples=(1, 1), releases=(0, 0))
    if (
        not isinstance(requirement, GroupRequirement)
        or (size := requirement.structure().decomposable_from) is None
        or size > 12
    ):
        pytest.skip("promises no split, or one too large to try")
    (somebody,) = at.people

    @cache
    def good(counts: tuple[int, ...]) -> bool:
        values = [value for value, count in zip("abc", counts, strict=True) for _ in range(count)]
        people = tuple(bf.Person(f"s{n}", somebody.qi, value) for n, value in enumerate(values))
        return requirement.admits(at.ours(bf.Release((bf.Group(people),))).groups[0], context)

    context = problem_of(at, requirement).context
    for total, counts in product((size, size + 1, size + 2), product(range(size + 3), repeat=3)):
        if sum(counts) == total and good(counts):
            parts = product(*(range(n + 1) for n in counts))
            rests = ((part, tuple(n - p for n, p in zip(counts, part, strict=True))) for part in parts)
            assert any(any(one) and any(other) and good(one) and good(other) for one, other in rests), counts


# -- (e) witnesses -----------------------------------------------------------------------------


@every_example
def test_the_groups_of_a_violation_still_violate_alone(name: str, number: int):
    requirement, made = build(name, number)
    for seed in range(20):
        source = seeded("witness", name, number, seed)
        at = drawn(requirement, made, source)
        release = at.ours(some_release(source, at))
        for violation in requirement.check(release, at.history):
            assert violation.requirement == requirement.name
            assert set(violation.groups) <= set(range(len(release.groups)))
            named = tuple(release.groups[g] for g in sorted(set(violation.groups)))
            rest = [g for i, g in enumerate(release.groups) if i not in violation.groups]
            alone = Release(
                groups=named,
                suppressed=(*release.suppressed, *(m for g in rest for m in g.members)),
                attributes=release.attributes,
                sensitive=release.sensitive,
                form=release.form,
            )
            again = {found.requirement for found in requirement.check(alone, at.history)}
            assert requirement.name in again, (seed, at, violation)
            for when, index in violation.earlier:
                assert at.history.group(when, index).members
            known = {m.respondent for m in release.members} | set(at.history.records)
            assert set(violation.respondents) <= known
            assert "id#" not in violation.describe()
            assert "id#" not in repr(violation)
            if violation.respondents:
                assert violation.respondents[0] in violation.describe(show_ids=True)


# -- (f) policy files --------------------------------------------------------------------------


@every_example
def test_settings_build_the_same_requirement_again(name: str, number: int):
    requirement, _ = build(name, number)
    settings = requirement.settings()
    assert build_requirement(name, settings) == requirement
    assert build_requirement(name, yaml.safe_load(yaml.safe_dump(settings))) == requirement
    assert build_requirement(name, json.loads(json.dumps(settings))) == requirement
    assert hash(build_requirement(name, settings)) == hash(requirement)
    assert str(requirement).startswith(name)
    assert requirement.reference


# -- (i) bounds --------------------------------------------------------------------------------


@every_example
@pytest.mark.parametrize("fakes", [0, 1])
def test_bounds_never_contradict_the_oracle(name: str, number: int, fakes: int):
    requirement, made = build(name, number)
    for seed in range(12):
        source = seeded("bounds", name, number, seed)
        at = drawn(requirement, made, source, tuples=(1, 5) if fakes == 0 else (1, 3))
        oracle = made.oracle(at.attributes)
        bounds = requirement.bounds(problem_of(at, requirement, fakes=fakes))
        smallest = bounds.smallest
        assert smallest >= 1
        reason, hopeless = bounds.infeasible_because, bounds.hopeless_because
        assert reason is None or "id#" not in reason
        assert hopeless is None or hopeless == reason
        for release in bf.candidate_releases(at.people, fakes, at.fake_values, max_suppressed=len(at.people)):
            if not oracle(release, at.past):
                continue
            assert all(group.size >= smallest for group in release.groups), (seed, at, release, smallest)
            total = sum(group.fake_count for group in release.groups)
            assert reason is None or release.suppressed or total > fakes, (seed, at, release, reason)
            assert hopeless is None or total > fakes or not release.groups, (seed, at, release, hopeless)
