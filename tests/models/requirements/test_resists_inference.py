"""Resistance to the full adversary: worked cases, optima by enumeration, cuts that forbid nothing good."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random

import oracle.brute_force as bf
import pandas as pd
import pytest
from cases.attacks import HALF, agrees, best, crowd, history, ours, solved, split
from cases.transient import microdata, past
from oracle.brute_force_notation import group, release
from oracle.brute_force_worlds import inference_safety
from strategies import Instance, instance, seeded

from optanon.models.adversary import inference
from optanon.models.adversary.counting import CountRow, Tableau
from optanon.models.adversary.inference import conclusions, linked_groups
from optanon.models.errors import EngineError, InputError, PolicyError
from optanon.models.history import History
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirement import Requirement
from optanon.models.requirements import Difference, Intersection, KCAnonymity, ResistsInference
from optanon.models.requirements.resists_inference_cuts import CutLimits, prices
from optanon.models.table import Microdata
from optanon.solver.search import solve_problem
from optanon.solver.status import Status

F = Fraction


def broken(requirement: Requirement, series: Sequence[bf.Release]) -> set[str]:
    """Respondents of all violations of the last release."""
    past = history(series[:-1])
    return {who for v in requirement.check(ours(series[-1]), past) for who in v.respondents}


def test_three_releases_that_pass_all_checks_of_pairs() -> None:
    """{1, 2} of the first and {3, 4} of the second leave 5 alone in the third."""
    series = [release("1a 2b"), release("3c 4d"), release("1a 2b 3c 4d 5e")]
    for rule in (KCAnonymity(k=2, c=HALF), Difference(k=2, c=HALF), Intersection(c=HALF)):
        assert not broken(rule, series)
    assert broken(ResistsInference(min_values=2), series) == {"5"}
    (found,) = ResistsInference(min_values=2).check(ours(series[-1]), history(series[:-1]))
    assert found.groups == (0,)
    assert found.earlier == ((0, 0), (1, 0))
    assert found.witness == {"possible": 1, "posterior": 1, "compromised": 0}
    assert found.private == {"likeliest": "e", "known": ()}
    assert not broken(ResistsInference(min_values=2), series[:2])


def test_other_values_than_the_own_one_count() -> None:
    """Two of three published tuples are a, whoever has the b."""
    rule = ResistsInference(max_posterior=F(1, 2))
    (found,) = rule.check(ours(release("1a 2a 3b")), History())
    assert found.respondents == ("1", "2", "3")
    assert found.witness["posterior"] == F(2, 3)
    assert not list(ResistsInference(max_posterior=F(2, 3)).check(ours(release("1a 2a 3b")), History()))
    assert not list(rule.check(ours(release(group("1a 2a", "b b"))), History()))


def test_compromised_others() -> None:
    pair = release("1a 2b")
    assert not broken(ResistsInference(min_values=2), [pair])
    assert broken(ResistsInference(min_values=2, compromised=1), [pair]) == {"1", "2"}
    assert not broken(ResistsInference(min_values=2, compromised=1), [release("1a 2b 3c")])
    assert broken(ResistsInference(min_values=2, compromised=2), [release("1a 2b 3c")]) == {"1", "2", "3"}
    # A counterfeit is known to nobody.
    assert not broken(ResistsInference(min_values=2, compromised=2), [release(group("1a 2b 3c", "d"))])
    # Knowing one can make a value likelier without excluding any.
    wide = release("1a 2a 3b 4b 5c 6c")
    assert not broken(ResistsInference(max_posterior=F(2, 5), compromised=1), [wide])
    assert broken(ResistsInference(max_posterior=F(1, 3), compromised=1), [wide]) == set("123456")


def test_those_who_left_are_judged_and_may_be_forgiven() -> None:
    series = [release("1a 2b 3c"), release("1a 2b")]
    assert broken(ResistsInference(min_values=2), series) == {"3"}
    assert broken(ResistsInference(min_values=2, forgive_past=True), series) == {"3"}
    later = [*series, release("4a 5b")]
    assert broken(ResistsInference(min_values=2), later) == {"3"}
    assert not broken(ResistsInference(min_values=2, forgive_past=True), later)
    (found,) = ResistsInference(min_values=2).check(ours(later[-1]), history(series))
    assert not found.groups


def groupings(people: Sequence[bf.Person]) -> Iterator[list[list[bf.Person]]]:
    """All ways to group people."""
    if not people:
        yield []
        return
    for rest in groupings(people[1:]):
        yield [[people[0]], *rest]
        for at, mates in enumerate(rest):
            yield [*rest[:at], [people[0], *mates], *rest[at + 1 :]]


def test_whom_two_tables_tell_apart_no_groups_hide() -> None:
    random, told, silent = Random(5), 0, 0
    for _ in range(40):
        everybody = crowd(random, 6, "aabcd")
        few, many = everybody[: random.choice([3, 4, 5])], everybody
        first, second = (few, many) if random.random() < 0.5 else (many, few)
        then = split(random, first, 2)
        rule = ResistsInference(max_posterior=random.choice([HALF, F(2, 3)]))
        assert then is not None
        table, policy = microdata(second, "persistent"), Policy([rule], form="anatomized")
        asked = Problem(table=table, policy=policy, history=past(then))
        why = rule.bounds(asked).infeasible_because or ""
        if "the difference of two tables" not in why:
            silent += 1
            continue
        told += 1
        assert ("newcomers" if first is few else "leavers") in why
        for grouped in groupings(second):
            now = bf.Release(tuple(bf.Group(tuple(mates), ()) for mates in grouped))
            assert broken(rule, [then, now])
        freely = replace(asked, policy=asked.policy.changed(max_counterfeits=1))
        assert "the difference of two tables" not in (rule.bounds(freely).infeasible_because or "")
    assert told > 5
    assert silent > 5


def test_whom_everybody_together_tells_no_groups_hide() -> None:
    """Some left and some came: a value that is gone was theirs."""
    random, told, silent = Random(11), 0, 0
    for _ in range(60):
        everybody = crowd(random, 7, "aabbcde")
        first, second = everybody[:5], everybody[random.choice([1, 2]) :]
        then = split(random, first, 2)
        assert then is not None
        rule = ResistsInference(min_values=2, compromised=random.choice([0, 0, 1]))
        table, policy = microdata(second, "persistent"), Policy([rule], form="anatomized")
        asked = Problem(table=table, policy=policy, history=past(then))
        if "took values along" not in (rule.bounds(asked).infeasible_because or ""):
            silent += 1
            continue
        told += 1
        for grouped in groupings(second):
            now = bf.Release(tuple(bf.Group(tuple(mates), ()) for mates in grouped))
            assert broken(rule, [then, now])
        freely = replace(asked, policy=asked.policy.changed(max_counterfeits=1))
        assert "took values along" not in (rule.bounds(freely).infeasible_because or "")
        assert rule.bounds(asked).obstacle(suppressing=True) is None
    assert told > 5
    assert silent > 5


def test_what_the_whole_table_makes_likely_is_likely_in_every_release() -> None:
    """With and without earlier releases, and others who are compromised."""
    random, told, silent = Random(12), 0, 0
    for number in range(80):
        everybody = crowd(random, 6, "aaabbc")
        then = split(random, everybody[:4], 2) if number % 2 else None
        rule = ResistsInference(
            max_posterior=random.choice([HALF, F(2, 3)]), compromised=random.choice([0, 1])
        )
        asked = Problem(
            table=microdata(everybody[number % 3 :], "persistent"),
            policy=Policy([rule], form="anatomized"),
            history=History() if then is None else past(then),
        )
        if "likelier than" not in (rule.bounds(asked).infeasible_because or ""):
            silent += 1
            continue
        told += 1
        for grouped in groupings(everybody[number % 3 :]):
            now = bf.Release(tuple(bf.Group(tuple(mates), ()) for mates in grouped))
            assert broken(rule, [now] if then is None else [then, now])
        freely = replace(asked, policy=asked.policy.changed(max_counterfeits=1))
        assert "likelier than" not in (rule.bounds(freely).infeasible_because or "")
        assert rule.bounds(asked).obstacle(suppressing=True) is None
    assert told > 5
    assert silent > 5


def test_what_the_whole_table_and_an_earlier_one_make_likely_is_likely_in_every_release() -> None:
    """Four of seven have an a, at most one of those three who were there: three of the four newcomers."""
    then = bf.Release((group("1b 2c 3a 4b 5c"),))
    second = release("3a 4b 5c 6a 7a 8a 9b")[0][0].members
    rule = ResistsInference(max_posterior=F(2, 3))
    policy = Policy([rule], form="anatomized")
    asked = Problem(table=microdata(second, "persistent"), policy=policy, history=past(then))
    assert "4 respondents fewer than 2 values, or make one likelier" in str(
        rule.bounds(asked).infeasible_because
    )
    for grouped in list(groupings(second))[::7]:
        now = bf.Release(tuple(bf.Group(tuple(mates), ()) for mates in grouped))
        assert broken(rule, [then, now])
    wide = replace(asked, policy=policy.changed(requirements=[ResistsInference(max_posterior=F(3, 4))]))
    assert wide.policy.requirements[0].bounds(wide).infeasible_because is None


def test_more_compromised_than_there_are_people_are_all_of_them() -> None:
    series = history([release("1a 2b 3c 4d 5e 6f")])
    every = list(conclusions(series, 6))
    assert [(c.respondents, c.compromised, c.chances) for c in conclusions(series, 10**9)] == [
        (c.respondents, c.compromised, c.chances) for c in every
    ]
    assert max(len(c.compromised) for c in every) > 3


def test_too_many_sets_of_compromised_are_refused_and_few_of_them_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    series = history([release("1a 2b 3c 4d 5e 6f")])
    everybody = {found.compromised for found in conclusions(series, 3)}
    assert len(everybody) > 20
    monkeypatch.setattr(inference, "MOST_SETS", 20)
    assert any(len(found.compromised) == 1 for found in conclusions(series, 1))
    with pytest.raises(EngineError, match=r"up to 3 compromised .* ask for fewer"):
        list(conclusions(series, 3))


def test_conclusions_equal_enumeration() -> None:
    random, told = Random(3), 0
    for _ in range(60):
        people = crowd(random, random.choice([4, 5, 6]), random.choice(["ab", "abc", "aabcd"]))
        series: list[bf.Release] = []
        for _ in range(random.choice([1, 2, 3])):
            there = [p for p in people if random.random() < 0.85] or people[:1]
            homes: dict[int, list[bf.Person]] = {}
            for person in there:
                homes.setdefault(random.randrange(2), []).append(person)
            fakes = [((random.choice("abc"), 1),) if random.random() < 0.2 else () for _ in homes]
            groups = [bf.Group(tuple(m), f) for m, f in zip(homes.values(), fakes, strict=True)]
            series.append(bf.Release(tuple(groups)))
        own = {p.name: p.value for groups, _ in series for g in groups for p in g.members}
        for found in conclusions(history(series), 2):
            wanted = bf.posterior(series, {who: own[who] for who in found.compromised})
            told += len(found.compromised)
            for who in found.free:
                assert wanted[who] == found.chances
                assert found.worst == max(wanted[who].values())
    assert told > 100


RULES = [
    ({"min_values": 2}, inference_safety(F(1), 2)),
    ({"max_posterior": HALF}, inference_safety(HALF)),
    ({"max_posterior": F(2, 3)}, inference_safety(F(2, 3))),
    ({"min_values": 2, "compromised": 1}, inference_safety(F(1), 2, 1)),
    ({"max_posterior": F(3, 4), "forgive_past": True}, inference_safety(F(3, 4), forgive=True)),
]


def some(number: int, **options: object) -> Instance:
    """A small table with one or two earlier releases."""
    drawn = {"tuples": (5, 6), "releases": (1, 2), "values": (2, 4), "past_fakes": 0, "form": "generalized"}
    return instance(
        seeded("resists", number), persistence="persistent", prefers=bf.k_c(2, HALF), **drawn | options
    )  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("number", range(15))
def test_solve_finds_the_enumerated_optimum(number: int) -> None:
    settings, check = RULES[number % len(RULES)]
    options = {"fakes": int(number % 4 == 3), "suppressed": number % 2}
    at = some(number, tuples=(5, 6 - options["fakes"]))
    assert agrees(solved(at, [ResistsInference(**settings)], **options), best(at, [check], **options)), at


def test_priced_cuts_forbid_no_good_release() -> None:
    """Of all releases: every cut from a bad one is kept by all good ones, and broken by its own."""
    tried = unpriced = kept = 0
    for number, (settings, good) in product(range(12), RULES):
        rule = ResistsInference(**settings)
        limits = CutLimits(needed=rule.needed, max_posterior=rule.max_posterior)
        at = some(number, tuples=(4, 5), past_fakes=number % 2)
        spared = rule._spared(at.history)
        fakes = int(number % 3 == 0)
        everything = list(bf.candidate_releases(at.people, fakes, at.fake_values, number % 2))
        random = Random(number)
        everything = random.sample(everything, min(60, len(everything)))
        fine = [History([*at.history, at.ours(r)]) for r in everything if good(r, at.past)]
        bad = [r for r in everything if not good(r, at.past)]
        for candidate in random.sample(bad, min(4, len(bad))):
            series = History([*at.history, at.ours(candidate)])
            for found in list(rule._broken(series, spared))[:2]:
                tried += 1
                priced = prices(found, series, limits, spared)
                if priced is None:
                    unpriced += 1
                    continue
                assert priced.reached(series, at.fake_values) < priced.least
                for other in fine:
                    assert priced.reached(other, at.fake_values) >= priced.least, (at, candidate, found)
                    kept += 1
    assert tried > 150
    assert kept > 500
    assert unpriced < tried / 3


@pytest.mark.slow
def test_a_thousand_people_linked_in_one_ring_are_checked() -> None:
    """Who may be compromised was chosen by as many calls within calls as there are values in cells."""
    frame = pd.DataFrame({"id": range(1_200), "x": 0, "value": ["a", "b"] * 600})
    table = Microdata.from_frame(
        frame, respondent="id", quasi_identifiers={"x": "numeric"}, sensitive="value"
    )
    problem = Problem(table=table, policy=Policy([ResistsInference(min_values=2)]))
    first = problem.assemble([[i, i + 1] for i in range(0, 1_200, 2)])
    second = replace(problem, history=History([first]))
    ring = second.assemble([[i, (i + 1) % 1_200] for i in range(1, 1_200, 2)])
    assert list(second.check(ring)) == []
    known = replace(second, policy=Policy([ResistsInference(min_values=2, compromised=1)]))
    assert next(known.check(ring), None) is not None  # who knows one of them knows all


def test_few_rounds_for_a_dozen_people() -> None:
    rounds: list[int] = []
    for number in range(3):
        at = some(number, tuples=(11, 12), releases=(1, 1), values=(3, 4), kinds=("numeric",))
        rules = [KCAnonymity(k=2, c=HALF), ResistsInference(min_values=2, forgive_past=True)]
        policy = Policy(rules, form=at.form)
        result = solve_problem(
            Problem(table=at.table, policy=policy, history=at.history),
            engine="assignment",
            display=False,
            time_limit=10,
            reasons=False,
        )
        if result.release is not None:
            assert inference_safety(F(1), 2, forgive=True)(at.theirs(result.release), at.past)
        assert result.status in (Status.OPTIMAL, Status.INFEASIBLE)
        rounds.append(result.rounds)
    assert max(rounds) <= 12


def test_an_early_disclosure_is_an_obstacle() -> None:
    at = some(1)
    lonely = bf.Release((bf.Group((at.people[0],)),))
    past = history([lonely], boxed=False)
    problem = Problem(
        table=at.table, policy=Policy([ResistsInference(min_values=2)], form=at.form), history=History()
    )
    assert ResistsInference(min_values=2).bounds(problem).infeasible_because is None
    stuck = type("Asked", (), {"history": past})()
    reason = ResistsInference(min_values=2).bounds(stuck).infeasible_because
    assert "1 respondents fewer than 2 values" in (reason or "")
    assert ResistsInference(min_values=2, forgive_past=True).bounds(stuck).infeasible_because is None


def test_what_is_too_much_to_count_is_said() -> None:
    """Two cells of 9 people with three values, in three rows that both share."""
    rows = [CountRow(pairs=(c * 3, c * 3 + 1, c * 3 + 2), low=9, high=9, is_cell=True) for c in (0, 1)]
    rows += [CountRow(pairs=(v, 3 + v), low=6, high=6, is_cell=False) for v in range(3)]
    block = Tableau(cell=(0, 0, 0, 1, 1, 1), sizes=(9, 9), lower=(0,) * 6, upper=(9,) * 6, rows=tuple(rows))
    assert set(block.expected()) == {F(3)}
    for limit in (3, 40):  # of choices, of steps
        with pytest.raises(EngineError, match="too many possible worlds"):
            block.expected(limit)
    wrong = CountRow(pairs=(0, 3), low=11, high=11, is_cell=False)
    with pytest.raises(InputError, match="contradict"):
        Tableau(**{**vars(block), "rows": (*rows, wrong)}).expected()


def test_linked_groups_are_those_that_share_somebody() -> None:
    past = history([release("1a 2b", "3c 4d"), release("2b 5a", "6a 7b")])
    assert linked_groups(past, (0, 0)) == [(0, 0), (1, 0)]
    assert linked_groups(past, (0, 1)) == [(0, 1)]


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"min_values": 1},
        {"max_posterior": 0},
        {"max_posterior": 2},
        {"min_values": 0},
        {"min_values": 2, "compromised": -1},
        {"min_values": 2, "forgive_past": "yes"},
    ],
)
def test_wrong_parameters(settings: dict[str, object]) -> None:
    with pytest.raises(PolicyError, match="resists_inference"):
        ResistsInference(**settings)  # pyright: ignore[reportArgumentType]
