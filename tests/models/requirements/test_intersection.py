"""The intersection attack, over all releases of a respondent."""

from __future__ import annotations

from fractions import Fraction

import oracle.brute_force as bf
import pytest
from cases.attacks import HALF, agrees, best, history, ours, solved
from oracle.brute_force_notation import release
from strategies import instance, random_release, seeded

from optanon.models.errors import PolicyError, ReleaseError
from optanon.models.requirements import Intersection, KCAnonymity

CLINIC = (
    release("Tom:asthma Mike:flu", "Bob:alzheimer Eve:diabetes"),
    release("Tom:asthma Mike:flu Alice:cancer", "Bob:alzheimer Hank:hepatitis", "Sal:flu Eve:diabetes"),
)


def test_bob_has_alzheimer() -> None:
    old, new = CLINIC
    found = list(Intersection(c=HALF).check(ours(new), history([old])))
    assert [(v.groups, v.respondents, v.witness["left"]) for v in found] == [
        ((1,), ("Bob",), {"alzheimer": 1}),
        ((2,), ("Eve",), {"diabetes": 1}),
    ]
    assert found[0].earlier == ((0, 1),)


def test_three_releases_say_more_than_each_pair() -> None:
    # {a,b,c}, {a,b,d}, {a,c,d}: every two leave 1 two values, all three leave a.
    past = [release("1a 2b 3c"), release("1a 4b 5d")]
    new = ours(release("1a 6c 7d"))
    check = Intersection(c=HALF).check
    assert [v.respondents for v in check(new, history(past))] == [("1",)]
    assert not list(check(new, history(past[:1])))
    assert not list(check(new, history(past[1:])))


def test_merging_can_break_the_multiset_rule_only() -> None:
    old = history([release("1a 2b 3a 4b")])
    split, merged = ours(release("1a 2b", "3a 4b", "5a 6c")), ours(release("1a 2b 5a 6c", "3a 4b"))
    assert not list(Intersection(c=HALF).check(split, old))
    (found,) = Intersection(c=HALF).check(merged, old)
    assert found.witness["left"] == {"a": 2, "b": 1}
    assert found.respondents == ("1", "2")
    assert not list(Intersection(c=HALF, reading="set").check(merged, old))


def test_contradicting_values_are_refused() -> None:
    with pytest.raises(ReleaseError, match="without a common value"):
        list(Intersection(c=HALF).check(ours(release("1z 9y")), history([release("1a 2b")])))


@pytest.mark.parametrize("settings", [{"c": 0}, {"c": "x"}, {"c": 1, "reading": "bag"}])
def test_wrong_parameters(settings: dict[str, object]) -> None:
    with pytest.raises(PolicyError, match="intersection"):
        Intersection(**settings)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("reading", ["multiset", "set"])
def test_check_says_what_the_oracle_says(reading: str) -> None:
    verdicts: list[bool] = []
    for number in range(150):
        source = seeded("intersection", reading, number)
        c = (HALF, Fraction(2, 3), Fraction(1, 3))[source(0, 2)]
        at = instance(source, tuples=(2, 7), values=(2, 4), persistence="persistent")
        new = random_release(source, at.people, max_fakes=2, fake_values=at.fake_values, largest=6)
        safe = bf.intersection_safety(c, reading)(new, at.past)  # pyright: ignore[reportArgumentType]
        found = list(Intersection(c=c, reading=reading).check(at.ours(new), at.history))  # pyright: ignore[reportArgumentType]
        assert safe == (not found), (at, new)
        named = {who for v in found for who in v.respondents}
        for name in bf.names_of(new.groups):
            left = bf.inferable_values((*at.past, new), name)
            bad = not bf.c_diverse(left, c) if reading == "multiset" else len(left) * c < 1
            assert bad == (name in named)
        verdicts.append(safe)
    assert min(verdicts.count(True), verdicts.count(False)) > 10


@pytest.mark.parametrize("number", range(12))
def test_solve_finds_the_enumerated_optimum(number: int) -> None:
    source = seeded("intersection", "solve", number)
    c, reading = (HALF, Fraction(2, 3))[source(0, 1)], ("multiset", "set")[number % 2]
    fakes = int(number % 4 > 1)
    at = instance(
        source,
        tuples=(5, 6 - fakes),
        releases=(1, 2),
        values=(2, 4),
        past_fakes=1,
        persistence="persistent",
        prefers=bf.k_c(2, c),
    )
    checks = [bf.k_c(2), bf.intersection_safety(c, reading)]  # pyright: ignore[reportArgumentType]
    requirements = [KCAnonymity(k=2), Intersection(c=c, reading=reading)]  # pyright: ignore[reportArgumentType]
    options = {"fakes": fakes, "suppressed": int(number % 3 == 0)}
    result = solved(at, requirements, **options)
    assert agrees(result, best(at, checks, **options)), at
    assert result.rounds == 0  # the encoding is exact
