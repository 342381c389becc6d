"""Shares by weighted worlds (Wong et al.), against the enumeration of all worlds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from itertools import permutations
from random import Random

import pandas as pd
import pytest

import optanon as oa
from optanon.models.correlation import PairCounts
from optanon.models.errors import PolicyError
from optanon.models.exposure import uniform_shares
from optanon.models.release import QIGroup
from optanon.models.table import Member
from optanon.models.world_shares import WorldShares


def group(pairs: list[tuple[str, str]], fakes: tuple[tuple[str, int], ...] = ()) -> QIGroup:
    return QIGroup(
        members=tuple(Member(f"p{i}", (v,), s) for i, (v, s) in enumerate(pairs)), counterfeits=fakes
    )


def enumerated(group: QIGroup, counts: Mapping[str, Mapping[str, int]], value: str) -> dict[str, Fraction]:
    """Every order of the published values on the tuples, the last ones being counterfeits."""
    published = list(Counter(group.histogram).elements())
    at = next(i for i, member in enumerate(group.members) if member.point[0] == value)
    weights: Counter[str] = Counter(dict.fromkeys(published, 0))
    for world in permutations(published):
        weight = 1
        for member, sensitive in zip(group.members, world, strict=False):
            weight *= counts[str(member.point[0])].get(sensitive, 0)
        weights[world[at]] += weight
    return {s: Fraction(weight, sum(weights.values())) for s, weight in weights.items()}


def test_shares_are_the_weights_of_all_worlds() -> None:
    random, differ = Random(3), 0
    for _ in range(60):
        pairs = [(random.choice("uvw"), random.choice("abc")) for _ in range(random.randint(1, 5))]
        fakes = (("a", random.randint(1, 2)),) if random.random() < 0.3 else ()
        rest = [(v, random.choice("abc")) for v in "uuvvvw"]
        known = PairCounts.of_pairs(pairs + rest)
        shares = WorldShares(counts=known, attributes=(0,))
        there = group(pairs, fakes)
        for value in {v for v, _ in pairs}:
            found = shares(there, value)
            assert found == enumerated(there, known.of, value)
            assert sum(found.values()) == 1
            differ += found != uniform_shares(there, value)
    assert differ > 50


def test_without_correlations_worlds_weigh_the_same() -> None:
    known = PairCounts.of_pairs((v, s) for v in "uv" for s in "abc")
    there = group([("u", "a"), ("u", "a"), ("v", "b")], fakes=(("c", 2),))
    assert WorldShares(counts=known, attributes=(0,))(there, "u") == uniform_shares(there)


def test_values_of_one_group_have_different_shares() -> None:
    known = PairCounts(of={"v": {"a": 9, "b": 1}, "w": {"a": 1, "b": 1}}, total=12)
    shares = WorldShares(counts=known, attributes=(0,))
    there = group([("v", "b"), ("w", "a")])
    assert shares(there, "v") == {"a": Fraction(9, 10), "b": Fraction(1, 10)}
    assert shares(there, "w") == {"a": Fraction(1, 10), "b": Fraction(9, 10)}


def test_known_are_the_correlations_of_a_table() -> None:
    frame = pd.DataFrame([("1", "u", "x", "a"), ("2", "u", "y", "b")], columns=["id", "q", "r", "s"])
    table = oa.Microdata.from_frame(
        frame, respondent="id", quasi_identifiers={"q": "flat", "r": "flat"}, sensitive="s"
    )
    both = QIGroup(members=tuple(table.members))
    assert oa.WorldShares.of(table, "q")(both, "u") == {"a": Fraction(1, 2), "b": Fraction(1, 2)}
    assert oa.WorldShares.of(table, "q", "r")(both, "u & x") == {"a": 1, "b": 0}


def test_refusals() -> None:
    shares = WorldShares(counts=PairCounts.of_pairs([("v", "a")]), attributes=(0,))
    with pytest.raises(PolicyError, match="no tuple"):
        shares(group([("v", "a")]), "w")
    with pytest.raises(PolicyError, match="no world"):
        shares(group([("v", "b")]), "v")
    with pytest.raises(PolicyError, match="too many"):
        WorldShares(counts=shares.counts, attributes=(0,), most_states=1)(group([("v", "a")]), "v")
