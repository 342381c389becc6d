"""The difference attack: exact breaches, and releases that are optimal without one."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import oracle.brute_force as bf
import pandas as pd
import pytest
from cases.attacks import HALF, agrees, best, crowd, history, ours, solved, split
from oracle.brute_force_notation import group, release
from strategies import instance, seeded

from optanon.models.adversary.difference import breaches
from optanon.models.errors import PolicyError, ReleaseError
from optanon.models.history import History
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirements import Difference, KAnonymity, KCAnonymity
from optanon.models.table import Microdata, Sensitive
from optanon.solver.search import solve_problem
from optanon.solver.status import Status

CLINIC = (
    release("Tom:asthma Mike:flu", "Bob:alzheimer Eve:diabetes"),
    release("Tom:asthma Mike:flu Alice:cancer", "Bob:alzheimer Hank:hepatitis", "Sal:flu Eve:diabetes"),
)


def found(inner: bf.ReleaseLike, outer: bf.ReleaseLike, k: int, c: Fraction) -> set[frozenset[str]]:
    return {breach.names for breach in breaches(ours(inner), ours(outer), k, c)}


def test_alice_has_cancer() -> None:
    # {Tom, Mike} inside {Tom, Mike, Alice}; {Bob, Eve} leaves Hank and Sal with two values: allowed.
    old, new = CLINIC
    assert found(old, new, 2, HALF) == {frozenset({"Alice"})}
    (violation,) = Difference(k=2, c=HALF).check(ours(new), history([old]))
    assert violation.respondents == ("Alice",)
    assert violation.groups == (0,)
    assert violation.earlier == ((0, 0),)
    assert violation.witness["values"] == {"cancer": 1}
    assert not list(Difference(k=2, c=HALF).check(ours(new), History()))


def test_both_directions_and_all_releases_but_no_unchanged_table() -> None:
    old, new = release("1a 2b 3c"), release("1a 2b")
    check = Difference(k=2, c=HALF).check
    assert [v.respondents for v in check(ours(new), history([old]))] == [("3",)]
    assert [v.earlier for v in check(ours(new), history([old, release("7a 8b")]))] == [((0, 0),)]
    assert not list(check(ours(old), history([old])))


def test_safe_sets_with_disjoint_covers_are_bridged_by_a_third() -> None:
    # {1,2} and {3,4} are safe and have disjoint covers; only with {5,6,9} is 7 alone.
    old = release("1a 2a", "3a 4a", "5a 6a 9a")
    new = release("1a 2a 5a 7a", "3a 4a 6a 9a")
    (breach,) = breaches(ours(old), ours(new), 2, Fraction(1))
    assert breach.names == {"7"}
    assert breach.inner == (0, 1, 2)
    assert breach.outer == (0, 1)


def test_counterfeits_stay_in_the_difference_and_are_inside_nothing() -> None:
    whole, part = release("1a 2b 3c"), release(group("1a", "b"))
    assert not found(part, whole, 2, HALF)
    faked = release(group("1a 2b 3c", "d"))
    assert not found(release("1a 2b"), faked, 2, HALF)
    assert found(release("1a 2b"), faked, 3, HALF) == {frozenset({"3"})}
    assert not found(release("1a 2b"), release(group("1a 2b", "d")), 2, HALF)


@pytest.mark.parametrize("deep", [False, True])
def test_shares_that_may_help_are_those_of_differences_larger_than_the_table(deep: bool) -> None:
    """Two of five people stay, so three leave, two of them with one value: only c from 2/3 on helps."""
    frame = pd.DataFrame({"id": [*"12345"], "age": range(5), "ill": [*"ababb"]})
    roles: dict[str, Any] = {"respondent": "id", "quasi_identifiers": ["age"], "sensitive": "ill"}
    before, table = (Microdata.from_frame(rows, **roles) for rows in (frame, frame[:2]))
    first = Problem(table=before, policy=Policy([KAnonymity(k=5)])).assemble([range(5)])
    asked = Difference(k=1, c=HALF, deep=deep)
    problem = Problem(table=table, policy=Policy([asked]), history=History([first]))
    release = problem.assemble([range(2)])
    grid = next(known for known in asked.parameters() if known.name == "c").grid(problem)
    helps = [
        c for c in grid.values if not list(Difference(k=1, c=c, deep=deep).check(release, problem.history))
    ]
    assert grid.complete
    assert list(asked.check(release, problem.history))
    assert min(helps) == Fraction(2, 3)


@pytest.mark.parametrize("c", [Fraction(1), Fraction(4, 7)])
def test_as_many_counterfeits_may_be_needed_as_a_difference_lacks(c: Fraction) -> None:
    """Somebody came to one person: 11 of the 12 tuples that must remain are made up, and so are groups."""
    frame = pd.DataFrame({"id": [*"12"], "age": range(2), "ill": [*"aa"]})
    roles: dict[str, Any] = {"respondent": "id", "quasi_identifiers": ["age"]}
    roles["sensitive"] = Sensitive(name="ill", domain=frozenset("ab"))
    before, table = (Microdata.from_frame(rows, **roles) for rows in (frame[:1], frame))
    first = Problem(table=before, policy=Policy([KAnonymity(k=1)])).assemble([[0]])
    policy = Policy([Difference(k=12, c=c, deep=True)], minimize=["counterfeits"])
    asked = Problem(table=table, policy=policy, history=History([first]))
    assert Difference(k=12, c=c).bounds(asked).largest_count >= 12
    found = solve_problem(asked, engine="assignment")
    assert (found.status, found.objective) == (Status.OPTIMAL, (11,))


def test_a_changed_value_is_refused() -> None:
    with pytest.raises(ReleaseError, match="differs"):
        list(breaches(ours(release("1a 2b")), ours(release("1a 2c 3d")), 2, HALF))


@pytest.mark.parametrize(
    "settings", [{"k": 0}, {"k": 2, "c": 0}, {"k": 2, "c": "3/2"}, {"k": 2, "deep": "yes"}]
)
def test_wrong_parameters(settings: dict[str, object]) -> None:
    with pytest.raises(PolicyError, match="difference"):
        Difference(**settings)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(("legacy", "fakes"), [(False, ""), (False, "ab"), (True, ""), (True, "abc")])
def test_breaches_are_those_of_the_oracle(legacy: bool, fakes: str) -> None:
    random, verdicts = Random(f"{legacy}{fakes}"), set[bool]()
    for _ in range(150):
        k, c = random.randint(1, 4), random.choice([Fraction(1), HALF, Fraction(2, 3), Fraction(3, 4)])
        people = crowd(random, random.randint(3, 9), "aabc")
        tables = [[p for p in people if random.random() < share] or people for share in (0.75, 0.85)]
        check = None if legacy else bf.k_c(k, c)
        made = [
            split(random, t, max(1, len(t) // (1 if legacy else 2)), fakes=fakes, check=check) for t in tables
        ]
        old, new = made
        if old is None or new is None:
            continue
        true = {(d.names, frozenset(d.values.items())) for d in bf.difference_breaches(old, new, k, c)}
        mine = list(breaches(ours(old), ours(new), k, c))
        assert bool(true) == bool(mine), (old, new, k, c)
        assert {(b.names, frozenset(b.values.items())) for b in mine} <= true
        for breach in mine:
            around = {n for f in breach.outer for n in new.groups[f].names}
            inside = {n for e in breach.inner for n in old.groups[e].names}
            assert inside
            assert around - inside == breach.names
        if not legacy:
            # Everybody in a difference that is too small is found.
            small = {
                n for d in bf.difference_breaches(old, new, k, c) if d.values.total() < k for n in d.names
            }
            assert small == {n for b in mine if b.size < k for n in b.names}
        verdicts.add(bool(true))
    assert verdicts == {True, False}


@pytest.mark.parametrize("number", range(10))
def test_solve_finds_the_enumerated_optimum(number: int) -> None:
    source = seeded("difference", number)
    k, c = source(2, 3), (HALF, Fraction(2, 3), Fraction(1))[source(0, 2)]
    alone, fakes = number % 3 == 0, int(number % 4 == 3)
    checks = [bf.difference_safety(k, c), *([] if alone else [bf.k_c(k, c)])]
    requirements = [Difference(k=k, c=c), *([] if alone else [KCAnonymity(k=k, c=c)])]
    at = instance(
        source,
        tuples=(5, 6 - fakes),
        releases=(1, 2),
        values=(2, 3),
        past_fakes=0,
        form="generalized",
        persistence="persistent",
        prefers=None if alone else bf.k_c(k, c),
    )
    options = {"fakes": fakes, "suppressed": number % 2}
    assert agrees(solved(at, requirements, **options), best(at, checks, **options)), at


def test_cuts_are_needed_and_rounds_are_told() -> None:
    seen: set[int] = set()
    for number in range(12):
        source = seeded("rounds", number)
        at = instance(
            source, tuples=(7, 7), releases=(1, 1), values=(3, 4), past_fakes=0, persistence="persistent",
            prefers=bf.k_c(2, HALF),
        )  # fmt: skip
        result = solved(at, [KCAnonymity(k=2, c=HALF), Difference(k=2, c=HALF)])
        if result.release is not None:
            assert bf.difference_safety(2, HALF)(at.theirs(result.release), at.past)
            assert result.closed
        seen.add(result.rounds)
    assert 0 in seen
    assert max(seen) > 0
