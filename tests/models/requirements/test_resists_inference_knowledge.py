"""Resistance to who knows more of single people: checks and optima by enumeration, files, refusals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import oracle.brute_force as bf
import pandas as pd
import pytest
from cases.attacks import HALF, agrees, best, crowd, history, ours, solved
from oracle.brute_force_knowledge import Known, inference_safety, told_by_knowledge
from oracle.brute_force_notation import release
from strategies import Instance, instance, seeded

from optanon.models.adversary.knowledge import Knowledge
from optanon.models.errors import InputError, PolicyError
from optanon.models.history import History
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirements import KAnonymity, ResistsInference, build_requirement
from optanon.models.table import Microdata
from optanon.solver.search import solve
from optanon.solver.status import Status

F = Fraction


def known_of(random: Random, people: Sequence[bf.Person], values: str) -> Known:
    """True knowledge of some people: a value, a set without it, or a set with it."""
    known = Known({}, {}, {})
    for person in people:
        others = frozenset(v for v in values if v != person.value and random.random() < 0.5)
        match random.randrange(6):
            case 0:
                known.compromised[person.name] = person.value
            case 1:
                known.excluded[person.name] = others
            case 2:
                known.priors[person.name] = others | {person.value}
            case _:
                pass
    return known


def rule_of(known: Known, **settings: object) -> ResistsInference:
    return ResistsInference(knowledge=Knowledge(**known._asdict()), **settings)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("compromised", [0, 1])
def test_checks_are_those_of_enumeration(compromised: int) -> None:
    random, verdicts = Random(7 + compromised), [0, 0]
    for _ in range(80):
        people = crowd(random, random.choice([4, 5, 6]), random.choice(["aab", "abc", "aabcd"]))
        series: list[bf.Release] = []
        for _ in range(random.choice([1, 2, 3])):
            homes: dict[int, list[bf.Person]] = {}
            for person in [p for p in people if random.random() < 0.85] or people[:1]:
                homes.setdefault(random.randrange(2), []).append(person)
            fakes = [((random.choice("abc"), 1),) if random.random() < 0.2 else () for _ in homes]
            groups = [bf.Group(tuple(m), f) for m, f in zip(homes.values(), fakes, strict=True)]
            series.append(bf.Release(tuple(groups)))
        known = known_of(random, people, "abcd")
        for most, least in ((F(1), 2), (F(3, 4), 1), (HALF, 1)):
            rule = rule_of(known, max_posterior=most, min_values=least, compromised=compromised)
            keeps = next(rule.check(ours(series[-1]), history(series[:-1])), None) is None
            safe = inference_safety(most, rule.needed, known, compromised)
            assert keeps == safe(series[-1], tuple(series[:-1]))
            verdicts[keeps] += 1
    assert min(verdicts) > 5 - 4 * compromised


def some(number: int) -> Instance:
    """A small table with one or two earlier releases."""
    return instance(
        seeded("knowing", number),
        persistence="persistent",
        prefers=bf.k_c(2, HALF),
        tuples=(5, 6),
        releases=(1, 2),
        values=(2, 4),
        past_fakes=0,
        form="generalized",
    )


def test_solve_finds_the_enumerated_optimum() -> None:
    given = 0
    for number in range(12):
        at = some(number)
        known = known_of(Random(number), at.people, "".join(sorted({p.value for p in at.people})))
        given += bool(told_by_knowledge(known))
        most, least = [(F(1), 2), (F(2, 3), 2), (HALF, 2)][number % 3]
        rule = rule_of(known, max_posterior=most, min_values=least)
        check = inference_safety(most, least, known)
        assert agrees(solved(at, [rule]), best(at, [check])), (at, known)
    assert given > 3


def test_who_is_known_is_not_asked_for_and_strangers_are_left_out() -> None:
    """The only c of three is known, so the other two have a and b."""
    now, told = ours(release("1a 2b 3c")), {"compromised": {"3": "c"}}
    assert not list(ResistsInference(max_posterior=HALF, knowledge=told).check(now, History()))  # pyright: ignore[reportArgumentType]
    told = {"compromised": {"3": "c", "4": "d"}, "excluded": {"2": ["a"]}}
    found = list(ResistsInference(max_posterior=HALF, knowledge=told).check(now, History()))  # pyright: ignore[reportArgumentType]
    assert {who for each in found for who in each.respondents} == {"1", "2"}
    assert {each.witness["posterior"] for each in found} == {1}
    false = ResistsInference(max_posterior=HALF, knowledge=Knowledge(excluded={"1": ["a"]}))
    with pytest.raises(InputError, match="true value of 1 respondents"):
        list(false.check(now, History()))


def test_knowledge_of_a_file_says_no_names_in_words() -> None:
    told = {"compromised": {"p1": "flu"}, "priors": {"p2": ["gout", "flu"]}}
    rule = build_requirement("resists_inference", {"max_posterior": "1/2", "knowledge": told})
    assert isinstance(rule, ResistsInference)
    assert build_requirement(rule.name, rule.settings()) == rule
    assert rule.settings()["knowledge"] == told | {"priors": {"p2": ["flu", "gout"]}, "excluded": {}}
    assert str(rule).endswith("knowledge=of 2 respondents)")
    assert "p1" not in repr(rule)
    assert rule != replace(rule, knowledge=None)
    assert "knowledge" not in ResistsInference(min_values=2).settings()
    assert ResistsInference(min_values=2, knowledge=Knowledge()) == ResistsInference(min_values=2)


@pytest.mark.parametrize(
    "told",
    [
        "p1",
        {"strangers": {}},
        {"excluded": {"p1": "flu"}},
        {"membership": "boxes", "excluded": {"p1": ["flu"]}},
        {"persistence": "both", "excluded": {"p1": ["flu"]}},
    ],
)
def test_knowledge_that_cannot_be_asked_for_is_refused(told: object) -> None:
    with pytest.raises(PolicyError, match="knowledge"):
        ResistsInference(min_values=2, knowledge=told)  # pyright: ignore[reportArgumentType]


def test_a_key_of_knowledge_that_is_none_is_named() -> None:
    message = "knowledge has no 'compromisd': it has compromised, excluded, priors$"
    with pytest.raises(PolicyError, match=message):
        build_requirement("resists_inference", {"min_values": 2, "knowledge": {"compromisd": {"p1": "flu"}}})


def test_what_knowledge_alone_makes_impossible_is_said() -> None:
    at = some(3)
    who = at.people[0]
    other = next(v for v in at.fake_values if v != who.value)
    rule = ResistsInference(min_values=3, knowledge=Knowledge(priors={who.name: [who.value, other]}))
    asked = Problem(table=at.table, policy=Policy([rule], form=at.form), history=at.history)
    assert "leaves 1 respondents fewer than 3 values" in (rule.bounds(asked).infeasible_because or "")
    false = ResistsInference(min_values=2, knowledge=Knowledge(priors={who.name: [other]}))
    told = "resists_inference: knowledge: priors: .*true value of 1 respondents"
    with pytest.raises(PolicyError, match=told):
        assert false.bounds(asked).infeasible_because
    with pytest.raises(PolicyError, match=told):
        replace(asked, policy=Policy([false], form=at.form)).refuse_mistakes()


def test_whom_earlier_releases_left_too_few_values_may_be_forgiven_in_spite_of_knowledge() -> None:
    """Of the prior {a, b} nothing is left to be taken: who was published before is not asked for again."""
    frame = pd.DataFrame({"id": [f"p{i}" for i in range(6)], "age": range(6), "ill": [*"abcabc"]})
    roles: dict[str, Any] = {"respondent": "id", "quasi_identifiers": ["age"], "sensitive": "ill"}
    before, table = (Microdata.from_frame(rows, **roles) for rows in (frame[:3], frame))
    priors = {"p0": ["a", "b"]}
    rule = ResistsInference(min_values=3, forgive_past=True, knowledge=Knowledge(priors=priors))
    first = Problem(table=before, policy=Policy([KAnonymity(k=3)])).assemble([range(3)])
    asked = Problem(table=table, policy=Policy([rule]), history=History([first]))
    assert not list(asked.check(asked.assemble([range(3), range(3, 6)])))
    assert rule.bounds(asked).infeasible_because is None
    # Nothing is forgiven of who is new.
    new = replace(rule, knowledge=Knowledge(priors={**priors, "p3": ["a", "b"]}))
    assert "leaves 1 respondents fewer" in (new.bounds(asked).infeasible_because or "")


def test_ids_and_values_that_are_numbers_are_those_of_the_table() -> None:
    numbers = {"compromised": {3: 7}, "excluded": {4: [7, "8"]}, "priors": {5: [1, 2.5]}}
    known = Knowledge(**numbers)  # pyright: ignore[reportArgumentType]
    texts = Knowledge(
        compromised={"3": "7"}, excluded={"4": frozenset({"7", "8"})}, priors={"5": frozenset({"1", "2.5"})}
    )
    assert known == texts
    rule = build_requirement("resists_inference", {"max_posterior": "1/2", "knowledge": numbers})
    assert rule == ResistsInference(max_posterior=F(1, 2), knowledge=texts)
    assert ours(release("3:7 4:1", "5:1 6:2")).where.keys() >= known.about


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"compromised": {3: "flu", "3": "cold"}}, "named twice"),
        ({"compromised": {True: "flu"}}, "put quotes around it"),
        ({"priors": {3: [None]}}, "put quotes around it"),
        ({"excluded": {3: 4}}, "a set of values"),
        ({"compromised": ["3"]}, "for each respondent"),
    ],
)
def test_statements_that_are_no_texts_are_refused(told: dict[str, object], said: str) -> None:
    with pytest.raises(PolicyError, match=said):
        build_requirement("resists_inference", {"max_posterior": "1/2", "knowledge": told})


def test_a_value_that_the_adversary_knows_is_written_as_in_the_table() -> None:
    frame = pd.DataFrame([(n, n, v) for n, v in enumerate("aabb")], columns=["id", "x", "ill"])
    table = Microdata.from_frame(frame, respondent="id", quasi_identifiers=["x"], sensitive="ill")

    def asked(value: str) -> Policy:
        known = Knowledge(excluded={"0": [value]})
        return Policy([ResistsInference(max_posterior=F(1, 2), knowledge=known)])

    with pytest.raises(PolicyError, match="differs in blanks, case"):
        solve(table, asked("B"))
    assert solve(table, asked("pregnant"), display=False).status is Status.OPTIMAL
