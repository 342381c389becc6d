"""Safe correlation inside the release model: check against the oracle, optimum against enumeration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import oracle.brute_force as bf
import pandas as pd
import pytest
from cases.correlations import fewest_hidden, fixpoint, is_safe

import optanon as oa
from optanon.instances.steward_copy import steward_release
from optanon.models.errors import EngineError, PolicyError, ReleaseError
from optanon.models.release import QIGroup, Release, anatomized_frames, steward_frame
from optanon.models.requirements import build_requirement
from optanon.models.requirements.safe_correlation import SafeCorrelation
from optanon.models.table import Member, Microdata
from optanon.solver.baselines.anatomy import bucketize
from optanon.solver.engines.sanitize import sanitize

NO_HISTORY = oa.History()


def microdata(people: Sequence[bf.Person]) -> Microdata:
    frame = pd.DataFrame(
        [{"id": p.name, "s": p.value} | {f"q{a}": str(value) for a, value in enumerate(p.qi)} for p in people]
    )
    names = {f"q{a}": "flat" for a in range(len(people[0].qi))}
    return Microdata.from_frame(frame, respondent="id", quasi_identifiers=names, sensitive="s")


def draw(random: Random, n: int, attributes: int = 1, values: str = "abcd") -> list[bf.Person]:
    return [
        bf.Person(f"p{i}", tuple(random.choice("AAB") for _ in range(attributes)), random.choice(values))
        for i in range(n)
    ]


def draw_requirement(random: Random, attribute: int = 0) -> SafeCorrelation:
    low = random.choice([Fraction(1, 5), Fraction(1, 4), Fraction(1, 3), Fraction(1, 2)])
    return SafeCorrelation(
        attribute=f"q{attribute}",
        l=random.choice([2, 2, 3]),
        min_confidence=low,
        max_confidence=max(low, random.choice([Fraction(1, 2), Fraction(3, 4), Fraction(1)])),
        min_support=random.choice([Fraction(0), Fraction(1, 6), Fraction(1, 3)]),
        support=random.choice(["joint", "qi"]),
        epsilon=random.choice([Fraction(0), Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(1)]),
    )


def oracle_hidden(release: bf.Release, people: Sequence[bf.Person], r: SafeCorrelation) -> int:
    return fewest_hidden(
        release.groups,
        people,
        int(r.names[0][1:]),
        r.l,
        r.min_confidence,
        r.max_confidence,
        r.min_support,
        r.support,
        r.epsilon,
    )


# --- the optimum against enumeration ---------------------------------------------------------


@pytest.mark.parametrize(("n", "trials", "seed"), [(5, 30, 1), (6, 12, 2)])
def test_grouping_and_hiding_are_optimal_together(n: int, trials: int, seed: int) -> None:
    random = Random(seed)
    positive = equalized = 0
    for _ in range(trials):
        people, r, distinct = draw(random, n), draw_requirement(random), random.choice([1, 2, 2, 3])
        policy = oa.Policy([oa.DistinctLDiversity(l=distinct), r], ["hidden_cells"], form="anatomized")
        result = oa.solve(microdata(people), policy, display=False)
        candidates = bf.candidate_releases(people, admits=lambda g, d=distinct: len(g.signature) >= d)
        best = min((oracle_hidden(release, people, r) for release in candidates), default=None)
        if best is None:
            assert result.status is oa.Status.INFEASIBLE
            continue
        assert (result.closed, result.objective) == (True, (best,))
        assert result.release is not None
        assert result.release.hidden_cells == best
        positive += best > 0
        equalized += any(exposure.significant for exposure in r.exposures(result.release))
    assert positive >= trials // 4
    assert equalized >= trials // 5


@pytest.mark.parametrize("seed", [2, 4, 14])
def test_larger_groups_are_the_price_of_fewer_hidden_cells(seed: int) -> None:
    # Tables on which either order of the losses gives another release.
    random = Random(seed)
    people, r = draw(random, 6), draw_requirement(random)
    costs = [
        (Fraction(oracle_hidden(release, people, r)), Fraction(6, len(release.groups)))
        for release in bf.candidate_releases(people, admits=lambda g: len(g.signature) >= 2)
    ]
    found: list[tuple[Fraction, ...]] = []
    for levels in (["hidden_cells", "average_group_size"], ["average_group_size", "hidden_cells"]):
        policy = oa.Policy([oa.DistinctLDiversity(l=2), r], levels, form="anatomized")
        found.append(oa.solve(microdata(people), policy, display=False).objective)
    assert found == [min(costs), min((size, hidden) for hidden, size in costs)]
    assert found[0] != found[1][::-1]


@pytest.mark.parametrize(
    ("attributes", "shares", "trials"),
    [(("q0", "q1"), "uniform", 3), ("q0", "worlds", 5), (("q0", "q1"), "worlds", 4)],
)
def test_combinations_and_worlds_are_optimal_together(attributes: Any, shares: Any, trials: int) -> None:
    # Sanitizing a given grouping is tested against enumeration; here all groupings are tried.
    random = Random(f"{attributes} {shares}")
    between = 0
    for _ in range(trials):
        people, distinct = draw(random, 5, attributes=2, values="abc"), random.choice([1, 2])
        r = replace(draw_requirement(random), attribute=attributes, shares=shares)
        policy = oa.Policy([oa.DistinctLDiversity(l=distinct), r], ["hidden_cells"], form="anatomized")
        problem = oa.Problem(table=microdata(people), policy=policy)
        row, costs = problem.table.row, list[int]()
        for release in bf.candidate_releases(people, admits=lambda g, d=distinct: len(g.signature) >= d):
            grouped = problem.assemble([[row[p.name] for p in group.members] for group in release.groups])
            done = sanitize(grouped, r)
            assert done.is_optimal
            costs.append(done.release.hidden_cells)
        result = oa.solve_problem(problem, engine="assignment", time_limit=30, display=False)
        assert result.objective == ((min(costs),) if costs else ())
        assert result.closed or not costs
        between += bool(costs) and min(costs) < max(costs)
    assert between


def test_with_counterfeits_and_suppressed_tuples() -> None:
    random = Random(4)
    for trial in range(8):
        people, r = draw(random, 4, values="abc"), draw_requirement(random)
        policy = oa.Policy(
            [oa.DistinctLDiversity(l=2), r],
            ["hidden_cells", {"suppressed": 2, "counterfeits": 1}],
            max_suppressed=trial % 3,
            max_counterfeits=1,
            form="anatomized",
        )
        table = microdata(people)
        result = oa.solve(table, policy, display=False)
        costs: list[tuple[int, int]] = []
        for release in bf.candidate_releases(
            people,
            1,
            sorted(table.histogram),
            trial % 3,
            admits=lambda g: len(g.signature) >= 2,
        ):
            fakes = sum(group.fake_count for group in release.groups)
            if fakes <= 1:
                hidden = oracle_hidden(release, people, r)
                costs.append((hidden, 2 * len(release.suppressed) + fakes))
        assert result.objective == min(costs, default=())


def test_two_quasi_identifiers() -> None:
    random = Random(5)
    for _ in range(6):
        people = draw(random, 5, attributes=2)
        both = [draw_requirement(random, a) for a in range(2)]
        policy = oa.Policy([oa.DistinctLDiversity(l=2), *both], ["hidden_cells"], form="anatomized")
        result = oa.solve(microdata(people), policy, display=False)
        best = min(
            (
                sum(oracle_hidden(release, people, r) for r in both)
                for release in bf.candidate_releases(people, admits=lambda g: len(g.signature) >= 2)
            ),
            default=None,
        )
        assert result.objective == (() if best is None else (best,))


def test_the_joint_optimum_beats_sanitizing_a_given_grouping() -> None:
    # Anatomy does not look at quasi-identifiers, so the same groups can often be had with fewer stars.
    random = Random(6)
    r = SafeCorrelation(
        attribute="q0",
        l=2,
        min_confidence=Fraction(1, 4),
        max_confidence=Fraction(1),
        min_support=Fraction(0),
        support="qi",
    )
    better = 0
    for trial in range(10):
        table = microdata(draw(random, 7))
        diverse = oa.KCAnonymity(k=2, c=Fraction(1, 2))
        groups = bucketize([member.value for member in table.members], 2, trial)
        if groups is None:
            continue
        problem = oa.Problem(table=table, policy=oa.Policy([diverse], form="anatomized"))
        later = sanitize(problem.assemble(groups), r)
        assert later.is_optimal
        assert next(r.check(later.release, NO_HISTORY), None) is None
        policy = oa.Policy([diverse, r], ["hidden_cells"], form="anatomized")
        result = oa.solve(table, policy, display=False, initial=later.release)
        assert result.closed
        assert result.objective[0] <= later.release.hidden_cells
        better += result.objective[0] < later.release.hidden_cells
    assert better >= 2


# --- the check -------------------------------------------------------------------------------


def test_check_against_the_oracle() -> None:
    random = Random(7)
    verdicts = {True: 0, False: 0}
    for _ in range(200):
        people, r = draw(random, random.randint(3, 6)), draw_requirement(random)
        home = [random.randint(0, 1) for _ in people]
        blocks = [tuple(p for p, h in zip(people, home, strict=True) if h == g) for g in range(2)]
        groups: list[QIGroup] = []
        for block in blocks:
            counts = {v: sum(p.qi[0] == v for p in block) for v in ("A", "B")}
            stars = {v: random.randint(0, n) for v, n in counts.items()}
            if block:
                groups.append(
                    QIGroup(
                        members=tuple(Member(p.name, (str(p.qi[0]),), p.value) for p in block),
                        hidden=tuple((0, v, n) for v, n in stars.items() if n),
                    )
                )
        release = Release(groups=tuple(groups), attributes=("q0",), sensitive="s", form="anatomized")
        early, sets = fixpoint(
            [(str(p.qi[0]), p.value) for p in people],
            r.l,
            r.min_confidence,
            r.max_confidence,
            r.min_support,
            r.support,
        )
        gone = {p.name for p, flag in zip(people, early, strict=True) if flag}
        expected = True
        for v in ("A", "B"):
            kept = [
                sum(m.point[0] == v for m in group.members)
                - sum(n for a, value, n in group.hidden if (a, value) == (0, v))
                for group in groups
            ]
            room = [
                sum(m.point[0] == v and m.respondent not in gone for m in group.members) for group in groups
            ]
            shares = [{k: Fraction(n, group.size) for k, n in group.histogram.items()} for group in groups]
            expected &= all(x <= c for x, c in zip(kept, room, strict=True))
            expected &= is_safe(kept, shares, sets.get(v, set()), r.l, r.epsilon)
        found = list(r.check(release, NO_HISTORY))
        assert (not found) == expected
        assert all(violation.requirement == "safe_correlation" for violation in found)
        verdicts[expected] += 1
    assert min(verdicts.values()) > 30


def test_violations_carry_numbers_anyone_can_check() -> None:
    # One group a, a, b of people with v: a has 2/3 > 1/2 and estimates 2 and 1.
    group = QIGroup(members=tuple(Member(f"p{i}", ("v",), s) for i, s in enumerate("aab")))
    release = Release(groups=(group,), attributes=("q",), sensitive="s", form="anatomized")
    r = SafeCorrelation(attribute="q", l=2, min_confidence=Fraction(1, 2), max_confidence=Fraction(2, 3))
    uneven, likely = r.check(release, NO_HISTORY)
    assert uneven.witness["estimates"] == {"a": 2, "b": 1}
    assert likely.witness["probability"] == Fraction(2, 3)
    assert likely.witness["sensitive"] == "a"
    r3 = replace(r, l=3)  # two significant values are fewer than three: hide all their cells
    (early,) = r3.check(release, NO_HISTORY)
    assert (early.witness["hidden"], early.witness["required"]) == (0, 3)
    hidden = replace(release, groups=(replace(group, hidden=((0, "v", 3),)),))
    assert list(r.check(hidden, NO_HISTORY)) == list(r3.check(hidden, NO_HISTORY)) == []


def test_exact_values_must_be_what_is_published() -> None:
    people = draw(Random(8), 5)
    r = SafeCorrelation(attribute="q0", l=2, min_confidence=Fraction(1, 2), max_confidence=Fraction(1))
    table = microdata(people)
    result = oa.solve(table, oa.Policy([r], ["hidden_cells"]), display=False)
    assert result.status is oa.Status.INFEASIBLE
    assert result.reason is not None
    assert "anatomized" in result.reason
    boxes = oa.Problem(table=table, policy=oa.Policy([r])).assemble([range(5)])
    assert next(r.check(boxes, NO_HISTORY)).witness == {"form": "generalized"}


def test_what_no_loss_counts_is_not_hidden() -> None:
    # Without hidden_cells among the losses only groupings that are safe as they are remain.
    random = Random(9)
    statuses: set[oa.Status] = set()
    for _ in range(12):
        people, r = draw(random, 5), draw_requirement(random)
        policy = oa.Policy([oa.DistinctLDiversity(l=2), r], ["average_group_size"], form="anatomized")
        result = oa.solve(microdata(people), policy, display=False)
        sizes = [
            Fraction(5, len(release.groups))
            for release in bf.candidate_releases(people, admits=lambda g: len(g.signature) >= 2)
            if oracle_hidden(release, people, r) == 0
        ]
        assert result.objective == ((min(sizes),) if sizes else ())
        assert result.release is None or result.release.hidden_cells == 0
        statuses.add(result.status)
    assert statuses == {oa.Status.OPTIMAL, oa.Status.INFEASIBLE}


# --- parameters ------------------------------------------------------------------------------


def test_built_from_a_policy_file_and_back() -> None:
    settings = {"attribute": "q", "l": 3, "min_confidence": 0.1, "max_confidence": "9/10", "support": "qi"}
    r = build_requirement("safe_correlation", settings)
    assert isinstance(r, SafeCorrelation)
    assert (r.min_confidence, r.max_confidence) == (Fraction(1, 10), Fraction(9, 10))
    assert build_requirement("safe_correlation", r.settings()) == r


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"l": 1}, "l must be"),
        ({"epsilon": -1}, "epsilon"),
        ({"min_confidence": "x"}, "min_confidence"),
        ({"max_confidence": 2}, "max_confidence"),
        ({"support": "both"}, "support"),
    ],
)
def test_parameters_out_of_range(change: dict[str, object], word: str) -> None:
    good = {"attribute": "q", "l": 2, "min_confidence": 0.1, "max_confidence": 0.9}
    with pytest.raises(PolicyError, match=word):
        build_requirement("safe_correlation", good | change)


def test_unknown_quasi_identifier_and_too_many_tuples() -> None:
    r = SafeCorrelation(attribute="city", l=2, min_confidence=Fraction(1, 2), max_confidence=Fraction(1))
    policy = oa.Policy([r], ["hidden_cells"], form="anatomized")
    with pytest.raises(PolicyError, match="no quasi-identifier 'city'"):
        oa.solve(microdata(draw(Random(0), 4)), policy, display=False)
    many = microdata(draw(Random(0), 60))
    policy = oa.Policy([replace(r, attribute="q0")], ["hidden_cells"], form="anatomized")
    with pytest.raises(EngineError, match="too many for exact shares"):
        oa.solve(many, policy, display=False)


# --- hidden cells of a release ---------------------------------------------------------------


def pair(hidden: tuple[tuple[int, str, int], ...], values: str = "abc") -> Release:
    points = (("x", "1"), ("x", "2"), ("y", "1"))
    group = QIGroup(
        members=tuple(
            Member(f"p{i}", point, s) for i, (point, s) in enumerate(zip(points, values, strict=True))
        ),
        hidden=hidden,
    )
    return Release(groups=(group,), attributes=("q", "z"), sensitive="s", form="anatomized")


def test_stars_do_not_depend_on_sensitive_values() -> None:
    hidden = ((0, "x", 1), (1, "1", 2))
    people, _ = anatomized_frames(pair(hidden))
    assert people.drop(columns="group").to_numpy().tolist() == [["*", "*"], ["x", "2"], ["y", "*"]]
    for values in ("acb", "bca", "cab"):
        assert anatomized_frames(pair(hidden, values))[0].equals(people)


def test_stewards_copy_keeps_hidden_cells() -> None:
    release = pair(((0, "x", 2), (1, "1", 1)))
    table = Microdata.from_frame(
        pd.DataFrame(
            [{"id": m.respondent, "q": m.point[0], "z": m.point[1], "s": m.value} for m in release.members]
        ),
        respondent="id",
        quasi_identifiers={"q": "flat", "z": "flat"},
        sensitive="s",
    )
    frame = steward_frame(release)
    assert frame["q hidden"].tolist() == ["*", "*", ""]
    back = steward_release(frame, respondent="respondent", domains=table.domains, sensitive="s")
    assert back == release
    plain = steward_frame(pair(()))
    assert not [column for column in plain.columns if column.endswith("hidden")]
    frame.loc[0, "q hidden"] = "yes"
    with pytest.raises(ReleaseError, match="row 1: column 'q hidden'"):
        steward_release(frame, respondent="respondent", domains=table.domains, sensitive="s")
    history = oa.History([release])
    assert history.records["p0"].inferable == {"a": 1, "b": 1, "c": 1}


@pytest.mark.parametrize(
    ("hidden", "word"),
    [
        (((0, "x", 3),), "between 1"),
        (((0, "x", 0),), "between 1"),
        (((0, "w", 1),), "between 1"),
        (((2, "x", 1),), "number 2"),
        (((0, "x", 1), (0, "x", 1)), "add them up"),
    ],
)
def test_impossible_hidden_cells(hidden: tuple[tuple[int, str, int], ...], word: str) -> None:
    with pytest.raises(ReleaseError, match=word):
        pair(hidden)
