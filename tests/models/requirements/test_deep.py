"""What only several releases, or unions and chains of groups, give away."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from random import Random

import oracle.brute_force as bf
import pytest
from cases.attacks import HALF, agrees, best, crowd, history, ours, solved, split
from oracle.brute_force_linear import deep_difference_safety, deep_hc_safety
from oracle.brute_force_notation import group, release
from strategies import instance, seeded

from optanon.instances import catalog
from optanon.instances.release_files import read_release
from optanon.models.adversary.linear import chain_correlation, derived_difference, union_correlation
from optanon.models.policy import Policy
from optanon.models.requirements import (
    Difference,
    HcSafety,
    HcSafetyDeep,
    KCAnonymity,
    WeakMInvariance,
    build_requirement,
)

ISOLATED = (release("1a 2b"), release("3c 4d"), release("1a 2b 3c 4d 5e 6e"))


def test_three_releases_isolate_what_no_pair_does() -> None:
    past, new = history(ISOLATED[:2]), ours(ISOLATED[2])
    assert not list(Difference(k=2, c=HALF).check(new, past))
    (found,) = Difference(k=2, c=HALF, deep=True).check(new, past)
    assert found.respondents == ("5", "6")
    assert found.witness["values"] == {"e": 2}
    assert found.witness["coefficients"] == {(0, 0): -1, (1, 0): -1, 0: 1}
    # {1,2}, {2,3}, {1,3}: half of {1,2} + {2,3} - {1,3} is {2}.
    triangle = [release("1a 2b"), release("2b 3a"), release("1a 3a")]
    found = derived_difference(ours(triangle[2]), history(triangle[:2]), 2, Fraction(1))
    assert found is not None
    assert len(found.plus) == 1
    assert set(found.new.values()) | set(found.earlier.values()) == {HALF, -HALF}


def test_what_earlier_releases_give_away_is_not_held_against_a_new_one() -> None:
    past = history(ISOLATED)
    assert derived_difference(ours(release("7a 8b", "5e 6e")), past, 2, HALF) is None
    assert derived_difference(ours(release("7a 8b 5e 6e")), past, 2, HALF) is None
    found = derived_difference(ours(release("7a 5e")), past, 2, HALF)
    assert found is None
    found = derived_difference(ours(release("7a 5e 6e")), past, 2, HALF)
    assert found is not None
    assert found.plus == {"7"}


def test_unions_correlate_where_no_pair_does() -> None:
    # Union of both groups on each side: {8} ~ {9}; every pair shares two or three of four.
    old = release("1a 2b 4c 7d", "3a 5b 6c 8d")
    new = release("4c 5b 6c 7d", "1a 2b 3a 9d")
    assert bf.hc_safety(2)(new, [old])
    past = history([old])
    assert not list(HcSafety(n=2, reading="definition").check(ours(new), past))
    violation = next(iter(HcSafetyDeep(n=2).check(ours(new), past)))
    assert violation.respondents == ("8", "9")
    assert set(violation.groups) == {0, 1}
    assert not list(HcSafetyDeep(n=1).check(ours(new), past))


def test_a_chain_over_three_releases() -> None:
    # {7,8,9} is {4,...,9} without {4,5,6} and has a, b, c, as {7,2,9} has: 2 and 8 have the same value.
    past = [release("1a 2b 3c", "4a 5b 6c"), release("1a 2b 3c", "4a 5b 6c 7a 8b 9c")]
    new = release("7a 2b 9c", "4a 8b 3c")
    for old in past:
        assert bf.hc_safety(2, "unions")(new, [old])
        assert union_correlation(ours(old), ours(new), 0, 2) is None
    found = chain_correlation(ours(new), history(past), 2)
    assert found is not None
    assert found.plus | found.minus == {"2", "8"}
    assert chain_correlation(ours(new), history(past[1:]), 2) is None
    (violation,) = HcSafetyDeep(n=2).check(ours(new), history(past))
    assert violation.respondents == ("2", "8")


def test_a_counterfeit_is_nobody_who_could_be_known() -> None:
    assert union_correlation(ours(release("1a 2b")), ours(release("1a 3b")), 0, 2) is not None
    assert union_correlation(ours(release("1a 2b")), ours(release(group("1a", "b"))), 0, 2) is None


@pytest.mark.parametrize("fakes", ["", "ab"])
def test_unions_are_those_of_the_oracle(fakes: str) -> None:
    random, verdicts = Random(f"unions{fakes}"), list[bool]()
    for _ in range(120):
        people = crowd(random, random.randint(3, 8), "aabbc")
        old, new = (
            split(random, [p for p in people if random.random() < 0.85] or people, 4, fakes=fakes)
            for _ in range(2)
        )
        assert old is not None
        assert new is not None
        n = random.randint(1, 4)
        safe = bf.hc_safety(n, "unions")(new, [old])
        found = union_correlation(ours(old), ours(new), 0, n)
        assert safe == (found is None), (old, new, n)
        if found is not None:
            assert min(len(found.plus), len(found.minus)) < n
        verdicts.append(safe)
    assert min(verdicts.count(True), verdicts.count(False)) > 10


def random_series(random: Random, fakes: str = "") -> list[bf.Release]:
    people = crowd(random, random.randint(3, 6), "aabc")
    made: list[bf.Release] = []
    for time in range(random.randint(2, 3)):
        there = [p for p in people if random.random() < 0.75] or people
        drawn = split(random, there, 2 + time, fakes=fakes if time else "")
        assert drawn is not None
        made.append(drawn)
    return made


@pytest.mark.parametrize("fakes", ["", "b"])
def test_derived_sets_are_those_of_the_oracle(fakes: str) -> None:
    random, verdicts = Random(f"deep{fakes}"), list[bool]()
    for _ in range(60):
        *past, new = random_series(random, fakes)
        k, c = random.randint(1, 3), random.choice([Fraction(1), HALF, Fraction(2, 3)])
        safe = deep_difference_safety(k, c)(new, past)
        found = derived_difference(ours(new), history(past), k, c)
        assert safe == (found is None), (past, new, k, c)
        if found is not None:
            # The combination of groups is the set, person by person.
            total: dict[str, Fraction] = {}
            for at, y in [*found.earlier.items(), *(((len(past), f), y) for f, y in found.new.items())]:
                for name in [*past, new][at[0]].groups[at[1]].names:
                    total[name] = total.get(name, Fraction(0)) + y
            assert {name for name, y in total.items() if y} == found.plus
            assert all(y in (0, 1) for y in total.values())
        verdicts.append(safe)
    assert min(verdicts.count(True), verdicts.count(False)) > 5


def test_chains_are_those_of_the_oracle() -> None:
    random, verdicts = Random(9), list[bool]()
    for _ in range(60):
        *past, new = random_series(random)
        n = random.randint(1, 3)
        safe = deep_hc_safety(n)(new, past)
        assert safe == (not list(HcSafetyDeep(n=n).check(ours(new), history(past)))), (past, new, n)
        verdicts.append(safe)
    assert min(verdicts.count(True), verdicts.count(False)) > 5


def test_two_good_releases_are_linear_complete() -> None:
    # For two (k, c) releases the plain check already finds every derivable set.
    random, seen = Random(2), set[bool]()
    for _ in range(80):
        k, c = random.randint(2, 3), random.choice([HALF, Fraction(2, 3), Fraction(1)])
        people = crowd(random, random.randint(4, 8), "abc")
        tables = [[p for p in people if random.random() < 0.85] or people for _ in range(2)]
        old, new = (split(random, table, 3, check=bf.k_c(k, c)) for table in tables)
        if old is None or new is None:
            continue
        plain = list(Difference(k=k, c=c).check(ours(new), history([old])))
        assert bool(plain) == (derived_difference(ours(new), history([old]), k, c) is not None), (old, new)
        seen.add(bool(plain))
    assert seen == {True, False}


@pytest.mark.parametrize("number", range(5))
def test_solve_keeps_the_deep_difference(number: int) -> None:
    source = seeded("deep", number)
    c = (HALF, Fraction(2, 3))[source(0, 1)]
    fakes = int(number == 4)
    at = instance(
        source, tuples=(5 - fakes,) * 2, releases=(2, 2), values=(2, 3), past_fakes=0, attributes=(1, 2),
        form="generalized", persistence="persistent", prefers=bf.k_c(2, c),
    )  # fmt: skip
    checks: Sequence[bf.Check] = [bf.k_c(2, c), bf.difference_safety(2, c), deep_difference_safety(2, c)]
    options = {"fakes": fakes, "suppressed": number % 2}
    result = solved(at, [KCAnonymity(k=2, c=c), Difference(k=2, c=c, deep=True)], **options)
    assert agrees(result, best(at, checks, **options)), at


@pytest.mark.parametrize("number", range(5))
def test_solve_keeps_unions_and_chains_apart(number: int) -> None:
    source = seeded("hc deep", number)
    at = instance(
        source, tuples=(6 - number % 2,) * 2, releases=(1, 2), values=(2, 3), past_fakes=0, attributes=(1, 2),
        form="generalized", persistence="persistent", prefers=bf.weak_m_uniqueness(2),
    )  # fmt: skip
    checks: Sequence[bf.Check] = [bf.weak_m_invariance(2), deep_hc_safety(2)]
    options = {"suppressed": 2 * (number % 2)}
    result = solved(at, [WeakMInvariance(m=2), HcSafetyDeep(n=2)], **options)
    assert agrees(result, best(at, checks, **options)), at


def test_hc_safety_deep_is_an_option_of_hc_safety():
    """A policy with the option holds both requirements, and the check alone finds the union."""
    problem = catalog.load("hc-union", "release-2.yaml")
    table = problem.table
    copy = read_release(catalog.path("hc-union") / "release-2.steward.csv", table)
    plain = build_requirement("hc_safety", {"n": 2, "reading": "definition"})
    deep = build_requirement("hc_safety", {"n": 2, "reading": "definition", "deep": True})
    assert not list(plain.check(copy, problem.history))
    assert {found.requirement for found in deep.check(copy, problem.history)} == {"hc_safety_deep"}
    policy = Policy([WeakMInvariance(m=4), deep], ["counterfeits", "information_loss"])
    assert [r.name for r in policy.requirements] == ["weak_m_invariance", "hc_safety", "hc_safety_deep"]
