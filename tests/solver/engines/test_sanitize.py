"""Suppression in a given grouping: whole cells against enumeration, beside the authors' linear program."""

from __future__ import annotations

from fractions import Fraction
from itertools import chain, combinations
from random import Random
from typing import Any

import pytest
from cases.correlations import FIGURE_2, GROUPS, safe_choices

from optanon.models.errors import EngineError, PolicyError, ReleaseError
from optanon.models.exposure import ValueExposure
from optanon.models.history import History
from optanon.models.release import QIGroup, Release
from optanon.models.requirements.safe_correlation import SafeCorrelation
from optanon.models.table import Member
from optanon.solver.engines.sanitize import sanitize
from optanon.solver.engines.suppress import suppress, suppress_linear
from optanon.solver.status import Status

COUNTS = tuple(sum(row[0] == "United States" for row in rows) for rows in GROUPS)
SHARES = tuple({drug: Fraction(1, 3) for _, _, drug in rows} for rows in GROUPS)


def exposure(
    counts: tuple[int, ...], shares: tuple[dict[str, Fraction], ...], significant: frozenset[str]
) -> ValueExposure:
    return ValueExposure(
        value="v",
        significant=significant,
        groups=tuple(range(len(counts))),
        counts=counts,
        hidden=(0,) * len(counts),
        shares=shares,
    )


def release() -> Release:
    groups = tuple(
        QIGroup(members=tuple(Member(f"{g}{i}", row[:2], row[2]) for i, row in enumerate(rows)))
        for g, rows in enumerate(GROUPS)
    )
    return Release(groups=groups, attributes=("country", "manufacturer"), sensitive="drug", form="anatomized")


def requirement(l: int = 2, epsilon: str = "0") -> SafeCorrelation:  # noqa: E741
    return SafeCorrelation(
        attribute="country",
        l=l,
        min_confidence=Fraction(1, 20),
        max_confidence=Fraction(1, 3),
        min_support=Fraction(1, 5),
        epsilon=Fraction(epsilon),
    )


# --- the printed example ---------------------------------------------------------------------


def test_the_printed_example_needs_one_suppression_not_three() -> None:
    # est(Mild) = (x1+x2+x5)/3 and est(Retinoic) = (x1+x2+x3+x4)/3 are equal iff x5 = x3 + x4; as
    # x5 <= 2, at most 2+2+2+2 = 8 of the nine values can stay.
    found = sanitize(release(), requirement())
    assert found.is_optimal
    assert found.release.hidden_cells == 1
    us = next(value for value in found.values if value.exposure.value == "United States")
    assert (us.suppression.objective, us.suppression.bound) == (8, 8)
    kept = us.suppression.kept
    assert (kept[0], kept[1], kept[2] + kept[3], kept[4]) == (2, 2, 2, 2)
    assert (us.loss.of_table, us.loss.of_value) == (Fraction(1, 15), Fraction(1, 9))
    assert us.linkage.expected == {"Mild": 2, "Retinoic": 2}
    assert us.linkage.constant == 4
    assert suppress_linear(us.exposure, 2) == pytest.approx(8)
    assert next(requirement().check(found.release, History()), None) is None
    assert next(requirement().check(release(), History()), None) is not None


def test_figure_2_is_hardly_ever_optimal() -> None:
    # For all sets of two to six drugs: only epsilon = 2/3 without Mild makes it an optimum.
    drugs = sorted({drug for share in SHARES for drug in share})
    optimal: set[tuple[Fraction, bool]] = set()
    for chosen in chain.from_iterable(combinations(drugs, size) for size in range(2, 7)):
        for epsilon in (Fraction(0), Fraction(1, 3), Fraction(2, 3), Fraction(1)):
            case = exposure(COUNTS, SHARES, frozenset(chosen))
            if not case.linkage(FIGURE_2).is_safe(2, epsilon):
                continue
            if suppress(case, 2, epsilon).objective == sum(FIGURE_2):
                optimal.add((epsilon, "Mild" in chosen))
    assert optimal == {(Fraction(2, 3), False)}


def test_publishing_shows_stars_and_reads_back() -> None:
    from optanon.instances.steward_copy import steward_release
    from optanon.models.categories import Categories
    from optanon.models.hierarchy import Hierarchy
    from optanon.models.release import anatomized_frames, steward_frame

    done = sanitize(release(), requirement()).release
    people, values = anatomized_frames(done)
    assert (people["country"] == "*").sum() == 1
    assert (people["manufacturer"] == "*").sum() == 0
    assert len(people) == 15
    assert values["count"].sum() == 15
    domains = [
        Categories(name=name, hierarchy=Hierarchy.flat(sorted({row[a] for rows in GROUPS for row in rows})))
        for a, name in enumerate(done.attributes)
    ]
    back = steward_release(steward_frame(done), respondent="respondent", domains=domains, sensitive="drug")
    assert [group.hidden for group in back.groups] == [group.hidden for group in done.groups]
    assert back.form == "anatomized"


# --- whole cells against enumeration ---------------------------------------------------------


def random_exposure(random: Random, uniform: bool) -> ValueExposure:
    shares: list[dict[str, Fraction]] = []
    for _ in range(random.randint(1, 4)):
        values = random.choices("abcd", k=random.randint(2, 4))
        weights = {k: values.count(k) if uniform else random.randint(0, 3) for k in sorted(set(values))}
        total = max(1, sum(weights.values()))
        shares.append({k: Fraction(w, total) for k, w in weights.items()})
    if len(shares) > 1 and random.random() < 0.3:
        shares[-1] = shares[0]  # interchangeable groups share one variable
    counts = tuple(random.randint(0, 3) for _ in shares)
    return exposure(counts, tuple(shares), frozenset(random.sample("abcd", random.randint(2, 3))))


@pytest.mark.parametrize("uniform", [True, False])
def test_suppression_is_optimal(uniform: bool) -> None:
    random = Random(4 + uniform)
    total_suppression = gaps = 0
    for _ in range(60):
        case = random_exposure(random, uniform)
        l, epsilon = random.randint(1, 4), Fraction(random.choice([0, 0, 1, 2, 3]), 3)  # noqa: E741
        best = max(sum(kept) for kept in safe_choices(case.counts, case.shares, case.significant, l, epsilon))
        found = suppress(case, l, epsilon)
        assert (found.status, found.objective, found.bound) == (Status.OPTIMAL, best, best)
        assert sum(found.kept) == best
        assert all(0 <= x <= c for x, c in zip(found.kept, case.counts, strict=True))
        assert case.linkage(found.kept).is_safe(l, epsilon)
        # The linear program is a relaxation: fractions of cells, and the weaker cap.
        linear = suppress_linear(case, l, epsilon)
        assert linear >= best - 1e-6
        gaps += linear > best + 1e-6
        total_suppression += best == 0 < sum(case.counts)
    assert gaps > 3
    assert total_suppression > 3


def test_hiding_everything_is_always_safe() -> None:
    random = Random(6)
    for _ in range(50):
        case = random_exposure(random, uniform=False)
        assert case.linkage((0,) * len(case.counts)).is_safe(5, Fraction(0))


def test_exact_equality_can_suppress_everything_although_the_linear_program_keeps_most() -> None:
    # est_a = x1/2 and est_b = x2/3 with two cells each: x1 = 4/3, x2 = 2 is the only way to publish
    # more than nothing with x2 = 2, and no whole x1 <= 2 fits x2 in {1, 2} but 0.
    case = exposure((2, 2), ({"a": Fraction(1, 2)}, {"b": Fraction(1, 3)}), frozenset("ab"))
    assert suppress_linear(case, 2) == pytest.approx(10 / 3)
    found = suppress(case, 2)
    assert (found.objective, found.bound, found.kept) == (0, 0, (0, 0))
    # A third of a tuple of tolerance keeps everything: 2/2 - 2/3 = 1/3.
    assert suppress(case, 2, Fraction(1, 3)).objective == 4


def test_the_cap_must_be_about_published_cells() -> None:
    # Equality forces x2 = 0; then est = 1 <= c/l = 4, but Pr = 1/2 > 1/3.
    half = Fraction(1, 2)
    case = exposure((2, 10), ({"a": half, "b": half}, {"a": Fraction(2, 5)}), frozenset("ab"))
    assert suppress_linear(case, 3) == pytest.approx(2)
    assert case.linkage((2, 0)).probability("a") == half
    assert suppress(case, 3).objective == 0
    assert suppress(case, 2).objective == 2


def test_nothing_significant_means_nothing_to_hide() -> None:
    case = exposure((2, 3), ({"a": Fraction(1)}, {}), frozenset())
    assert suppress(case, 5).kept == (2, 3)
    assert suppress_linear(case, 5) == 5


def test_a_time_limit_still_gives_something_safe_and_a_bound() -> None:
    case = random_exposure(Random(7), uniform=True)
    found = suppress(case, 2, time_limit=1e-6)
    assert case.linkage(found.kept).is_safe(2, Fraction(0))
    assert found.objective <= found.bound <= sum(case.counts)


def test_refusals() -> None:
    case = exposure((2,), ({"a": Fraction(1, 3), "b": Fraction(1, 2**61)},), frozenset("ab"))
    assert (suppress(case, 2).objective, suppress(case, 2).bound) == (0, 0)  # rounded to the safe side
    with pytest.raises(EngineError, match="lower precision"):
        suppress(case, 2, precision=2**60)
    with pytest.raises(PolicyError, match="epsilon"):
        suppress(case, 2, -1)
    with pytest.raises(PolicyError, match="l must be"):
        suppress(case, 0)
    with pytest.raises(ReleaseError, match="hidden already"):
        sanitize(sanitize(release(), requirement()).release, requirement())
    generalized = Release(groups=(), attributes=("country",), sensitive="drug")
    with pytest.raises(ReleaseError, match="anatomized"):
        sanitize(generalized, requirement())


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"release": "release.csv"}, "release must be a Release, not str: give"),
        ({"requirement": {"l": 2}}, "requirement must be a SafeCorrelation, not dict: write"),
        ({"time_limit": "60"}, "time_limit must be a number"),
        ({"time_limit": float("nan")}, "time_limit must be a number"),
        ({"seed": 1.5}, "seed must be a whole number"),
        ({"workers": 0}, "workers must be a whole number of at least 1"),
    ],
)
def test_things_of_another_kind_are_refused_where_they_are_given(wrong: dict[str, Any], told: str) -> None:
    with pytest.raises((PolicyError, ReleaseError), match=told):
        sanitize(**{"release": release(), "requirement": requirement(), **wrong})
