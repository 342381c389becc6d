"""Private value restriction functions of Riboni and Bettini, on their example and against all worlds."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from random import Random

import pytest

import optanon as oa
from optanon.models.history import History
from optanon.models.release import QIGroup, Release
from optanon.models.table import Member

ALL = {"cancer", "AIDS", "bronchitis"}
VALUES = {
    "Alice": "cancer",
    "Betty": "bronchitis",
    "Carl": "AIDS",
    "Doris": "cancer",
    "Erica": "AIDS",
    "Fiona": "bronchitis",
    "Grace": "bronchitis",
    "Hanna": "cancer",
}


def group(values: dict[str, str], people: str, *fakes: str) -> QIGroup:
    return QIGroup(
        members=tuple(Member(who, (), values[who]) for who in people.split()),
        counterfeits=tuple(sorted(Counter(fakes).items())),
        box=(),
    )


def history(*releases: list[QIGroup]) -> History:
    past = History()
    for groups in releases:
        past.append(Release(groups=tuple(groups), attributes=(), sensitive="disease"))
    return past


def hospital() -> History:
    """Tables 1(b) and 1(d)."""
    return history(
        [group(VALUES, "Alice Betty Carl"), group(VALUES, "Doris Erica Fiona")],
        [group(VALUES, "Carl Doris Fiona"), group(VALUES, "Erica Grace Hanna")],
    )


def test_example_2_a_compromised_tuple_takes_its_value_from_the_others() -> None:
    for who in ("Doris", "Fiona"):
        assert oa.ct_pvr(hospital(), who, {"Carl"}) == {"cancer", "bronchitis"}
    assert oa.ct_pvr(hospital(), "Erica", {"Carl"}) == ALL
    # The printed definition would take Carl's own value away: who is compromised keeps it.
    assert oa.ct_pvr(hospital(), "Carl", {"Carl"}) == ALL


def test_example_4_a_historical_correlation_hands_the_value_on() -> None:
    assert list(oa.correlated_sets(hospital(), "Erica")) == [{"Carl"}]
    assert list(oa.correlated_sets(hospital(), "Grace")) == [{"Doris", "Fiona"}]
    assert oa.hc_pvr(hospital(), "Erica", {"Carl": {"AIDS"}}, ALL) == {"AIDS"}
    assert oa.hc_pvr(hospital(), "Erica", {}) == ALL


def test_example_1_both_together_disclose_erica() -> None:
    left = oa.restricted_values(hospital(), {"Carl"})
    assert left["Carl"] == left["Erica"] == {"AIDS"}
    assert left["Doris"] == left["Alice"] == left["Grace"] == {"cancer", "bronchitis"}


def test_a_counterfeit_stands_in_the_way() -> None:
    values = {"a": "x", "b": "y", "c": "y"}
    past = history([group(values, "a b")], [group(values, "a", "y")])
    assert oa.ct_pvr(past, "a", {"b"}) == {"x"}
    later = history([group(values, "a", "y")], [group(values, "a b")])
    assert list(oa.correlated_sets(later, "b")) == []
    assert oa.ct_pvr(history([group(values, "a c", "x", "y")]), "c", {"a"}) == {"x", "y"}


def test_nothing_is_excluded_that_some_world_allows() -> None:
    random, excluded = Random(8), 0
    for _ in range(150):
        people = list("abcdef")
        values = {who: random.choice("xyz") for who in people}
        releases: list[list[QIGroup]] = []
        for _ in range(2):
            there = random.sample(people, 4)
            fakes = random.choices("xyz", k=random.random() < 0.3)
            releases.append([group(values, " ".join(there[:2]), *fakes), group(values, " ".join(there[2:]))])
        past = history(*releases)
        known = set(random.sample(people, random.randint(0, 2))) & {
            who for release in past for who in release.where
        }
        left = oa.restricted_values(past, known)
        worlds = [
            world
            for chosen in product("xyz", repeat=len(left))
            for world in [dict(zip(left, chosen, strict=True))]
            if all(world[who] == values[who] for who in known)
            and all(
                Counter(world[m.respondent] for m in g.members) <= Counter(g.histogram)
                for release in past
                for g in release.groups
            )
        ]
        for who, remaining in left.items():
            assert {world[who] for world in worlds} <= remaining
            excluded += who not in known and len(remaining) < 3
    assert excluded > 100


def test_who_is_in_no_release_is_refused() -> None:
    for ask in (
        lambda: oa.ct_pvr(hospital(), "Ida", set()),
        lambda: oa.hc_pvr(hospital(), "Ida", {}),
        lambda: oa.restricted_values(hospital(), {"Ida"}),
    ):
        with pytest.raises(oa.InputError, match="no release"):
            ask()


def test_lemmas_1_and_2_make_up_the_estimate() -> None:
    p = Fraction(1, 25)
    for releases, n in product((1, 21, 24), (1, 2, 3)):
        first = oa.compromise_probability(p=0.04, history=releases)
        second = oa.correlation_probability(p=0.04, history=releases, m=6, n=n)
        assert first == 1 - Fraction(24, 25) ** releases
        assert second == 1 - (1 - (p * Fraction(5, 6)) ** n) ** (releases * (6 // n))
        both = (1 - (1 - first) * (1 - second)) ** 5
        assert oa.restriction_estimate(p=p, history=releases, m=6, n=n) == both
    # Read off Fig. 2(c) by its authors: very high for n = 1, below .15 for n = 2, below .1 for n = 3.
    found = [oa.restriction_estimate(p=p, history=24, m=6, n=n) for n in (1, 2, 3)]
    assert found[0] > Fraction(98, 100)
    assert found[1] < Fraction(15, 100)
    assert found[2] < Fraction(1, 10) < found[1]
    with pytest.raises(oa.PolicyError, match="probability"):
        oa.compromise_probability(p=2, history=1)
    with pytest.raises(oa.PolicyError, match="history must be"):
        oa.compromise_probability(p=p, history=0)
