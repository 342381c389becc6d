"""Growing tables: whether the next one can be published does not depend on how those before it were."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from random import Random

import oracle.brute_force as bf
import pytest
from cases.attacks import HALF, history, ours, split
from cases.transient import microdata, past

from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirement import Requirement
from optanon.models.requirements import Difference, Intersection, KCAnonymity, RecordTracing
from optanon.solver.search import solve_problem
from optanon.solver.status import Status


def people(random: Random, first: int, number: int) -> list[bf.Person]:
    return [bf.Person(str(first + i), (random.randrange(6),), random.choice("aabbc")) for i in range(number)]


def keeps(rules: Sequence[Requirement], made: bf.Release, earlier: list[bf.Release]) -> bool:
    before, release = history(earlier, boxed=True), ours(made, boxed=True)
    return not any(next(rule.check(release, before), None) for rule in rules)


def obstacle(now: list[bf.Person], earlier: list[bf.Release], rule: Difference) -> str | None:
    policy = Policy([rule], form="anatomized")
    table = microdata([bf.Person(p.name, (), p.value) for p in now], "persistent")
    return rule.bounds(Problem(table=table, policy=policy, history=past(*earlier))).infeasible_because


@pytest.mark.parametrize("deep", [False, True])
def test_growing_tables_have_no_dead_ends_but_arrivals_that_are_too_few_or_too_alike(deep: bool) -> None:
    random, verdicts, lengths = Random(f"growing {deep}"), list[bool](), set[int]()
    while len(verdicts) < 60:
        k, c = random.randint(2, 3), random.choice([HALF, Fraction(2, 3)])
        difference = Difference(k=k, c=c, deep=deep)
        reading = random.choice(["multiset", "set"])
        rules = [KCAnonymity(k=k, c=c), difference, Intersection(c=c, reading=reading), RecordTracing(k=k)]
        now, earlier = people(random, 0, random.randint(4, 6)), list[bf.Release]()
        while len(now) < 12:
            made = None
            for _ in range(20):
                made = split(random, now, random.randint(1, 3))
                if made is not None and keeps(rules, made, earlier):
                    break
                made = None
            if made is None:
                break
            earlier.append(made)
            arrivals = people(random, len(now), random.randint(0, 4))
            now = [*now, *arrivals]
            kept = [*made.groups, *([bf.Group(tuple(arrivals), ())] if arrivals else [])]
            counts = [sum(p.value == v for p in arrivals) for v in "abc"]
            good = not arrivals or (len(arrivals) >= k and max(counts) <= c * len(arrivals))
            assert (obstacle(now, earlier, difference) is None) == good
            together = bf.Release((bf.Group(tuple(now), ()),))
            for candidate in (bf.Release(tuple(kept)), together):
                assert keeps(rules, candidate, earlier) == good, (earlier, candidate, rules)
            verdicts.append(good)
            lengths.add(len(earlier))
            if not good:
                if len(now) < 8:
                    safe = bf.difference_safety(k, c)
                    for mates in bf.set_partitions(now):
                        whole = bf.Release(tuple(bf.Group(group, ()) for group in mates))
                        assert not safe(whole, tuple(earlier))
                break
    assert verdicts.count(True) > 15
    assert verdicts.count(False) > 15
    assert max(lengths) > 2


def test_leavers_are_told_apart_like_newcomers_and_both_together_are_not() -> None:
    random = Random(3)
    first = [bf.Person(str(i), (), "ab"[i % 2]) for i in range(6)]
    made = split(random, first, 1)
    assert made is not None
    rule = Difference(k=2, c=HALF)
    assert "all leavers together (1, 1 with one value)" in (obstacle(first[1:], [made], rule) or "")
    assert obstacle(first[2:], [made], rule) is None
    other = bf.Person("6", (), "a")
    assert "all newcomers together" in (obstacle([*first, other], [made], rule) or "")
    assert obstacle([*first[1:], other], [made], rule) is None
    assert obstacle([*first, other], [made], Difference(k=1)) is None


def test_solve_says_why_a_grown_table_cannot_be_published_and_suppression_helps() -> None:
    first = [bf.Person(str(i), (), "ab"[i % 2]) for i in range(6)]
    made = bf.Release((bf.Group(tuple(first), ()),))
    rules = [KCAnonymity(k=2, c=HALF), Difference(k=2, c=HALF)]
    table = microdata(
        [bf.Person(p.name, (), p.value) for p in [*first, bf.Person("6", (0,), "a")]], "persistent"
    )
    problem = Problem(table=table, policy=Policy(rules, form="anatomized"), history=past(made))
    result = solve_problem(problem, display=False)
    assert result.status is Status.INFEASIBLE
    assert "publish when there are more newcomers" in (result.reason or "")
    freer = Policy(rules, form="anatomized", max_suppressed=1)
    assert solve_problem(Problem(table=table, policy=freer, history=past(made)), display=False).release
