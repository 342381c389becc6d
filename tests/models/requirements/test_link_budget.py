"""Global guarantee, constant ratio and geometric: meaning, encoding and optimum against the oracle."""

from __future__ import annotations

from fractions import Fraction
from itertools import chain, combinations
from random import Random
from typing import Any

import oracle.brute_force as bf
import pytest
from cases.transient import (
    REQUIREMENTS,
    by_name,
    good_groups,
    microdata,
    oracle,
    past,
    safe,
    some_history,
    some_people,
)
from ortools.sat.python import cp_model

from optanon.models.breach_probability import Exposure
from optanon.models.encoding import Encoding
from optanon.models.largest_share import largest_share
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirements.link_budget import LinkBudget
from optanon.solver.search import solve


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=by_name)
def test_check_equals_the_oracle(requirement: LinkBudget) -> None:
    random, seen = Random(5), set[bool]()
    for _ in range(60):
        history = some_history(random, random.randint(0, 3), "opqrst")
        made = some_history(random, 1, "opqrst")[0]
        expected = oracle(requirement)(made, history)
        assert safe(requirement, made, history) == expected
        seen.add(expected)
    assert seen == {True, False}


class _All(cp_model.CpSolverSolutionCallback):
    def __init__(self, model: Encoding) -> None:
        super().__init__()
        self.model, self.found = model, set[Any]()

    def on_solution_callback(self) -> None:
        made = self.model.release(self.value)
        self.found.add(frozenset((g.respondents, g.counterfeits) for g in made.groups))


@pytest.mark.parametrize("fakes", [0, 1])
@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=by_name)
def test_encoding_has_exactly_the_safe_releases(requirement: LinkBudget, fakes: int) -> None:
    random = Random(6)
    for _ in range(4):
        history = some_history(random, 2, "opqrstu")
        table = some_people(random, "opqrs"[: 5 - fakes])
        policy = Policy([requirement], max_counterfeits=fakes, max_suppressed=1, form="anatomized")
        problem = Problem(table=microdata(table), policy=policy, history=past(*history))
        model = Encoding(problem)
        requirement.encode(model)
        solver, every = cp_model.CpSolver(), _All(model)
        solver.parameters.enumerate_all_solutions = True
        solver.solve(model.cp, every)
        admits = good_groups(requirement, history)
        expected = {
            frozenset((g.names, g.fakes) for g in made.groups)
            for made in bf.candidate_releases(table, fakes, problem.values, max_suppressed=1, admits=admits)
            if sum(g.fake_count for g in made.groups) <= fakes
        }
        assert every.found == expected


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=by_name)
def test_solve_finds_the_oracles_optimum(requirement: LinkBudget) -> None:
    random = Random(7)
    for _ in range(3):
        history = some_history(random, 2, "opqrstu")
        table = some_people(random, "opqrst")
        xs = [p.qi[0] for p in table]
        policy = Policy([requirement], ["suppressed", "information_loss"])
        result = solve(microdata(table), policy, past(*history), seed=1, workers=1)
        attributes = [bf.Numeric(min(xs), max(xs))]
        expected = bf.optimum(
            table,
            attributes,
            [oracle(requirement)],
            ["suppressed", "information_loss"],
            history,
            max_suppressed=6,
        )
        assert (result.objective or None) == expected


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=by_name)
def test_obstacles_and_smallest_groups_are_true(requirement: LinkBudget) -> None:
    random, told = Random(8), 0
    for _ in range(20):
        history = some_history(random, random.randint(0, 3), "opqrst")
        table = some_people(random, random.sample("opqrst", random.randint(1, 5)))
        fakes = random.randint(0, 1)
        problem = Problem(
            table=microdata(table),
            policy=Policy([requirement], max_counterfeits=fakes),
            history=past(*history),
        )
        admits = good_groups(requirement, history)
        good = list(bf.candidate_releases(table, fakes, problem.values, admits=admits))
        bounds = requirement.bounds(problem)
        assert all(group.size >= bounds.smallest for made in good for group in made.groups)
        reason = bounds.infeasible_because
        if reason is not None:
            told += 1
            assert not good
            assert not any(f" {name} " in f"{reason} " for name in "opqrst")
    assert told


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=by_name)
def test_no_group_needs_more_than_the_largest_count(requirement: LinkBudget) -> None:
    random, padded, largest = Random(9), 0, 120
    for releases in (0, 1, 1, 2, 2):
        history = some_history(random, releases, "opqrst")
        table = some_people(random, "opqrs")
        policy = Policy([requirement], ["counterfeits"])
        problem = Problem(table=microdata(table), policy=policy, history=past(*history))
        cap = requirement.bounds(problem).largest_count
        shares = {
            (person, value): _share(requirement, history, person.name, value, largest)
            for person in table
            for value in problem.values
        }
        for members in chain.from_iterable(combinations(table, some) for some in range(1, 4)):
            real = [person.value for person in members]
            least = {v: min(shares[person, v] for person in members) for v in problem.values}
            needs = [
                most
                for size in range(len(members), largest)
                if all(real.count(v) <= share * size for v, share in least.items())
                and (most := _flattest(size, [int(share * size) for share in least.values()])) is not None
            ]
            padded += bool(needs)
            assert not needs or max(min(needs), *map(real.count, real)) <= cap
    assert padded


def _share(requirement: LinkBudget, history: bf.History, name: str, value: str, limit: int) -> Fraction:
    if not requirement.protects(value):
        return Fraction(1)
    links = sum(value in old.signature for old in bf.groups_with(history, name))
    never = 1 - bf.link_probability(history, name, value)
    return requirement.share(Exposure(links=links, never=never), limit)


def _flattest(size: int, most: list[int]) -> int | None:
    """Smallest largest count of a group of this size with at most so many tuples per value."""
    return next((cap for cap in range(size + 1) if sum(min(n, cap) for n in most) >= size), None)


def test_largest_share_equals_a_search_over_all_denominators() -> None:
    random = Random(10)
    for _ in range(300):
        limit, bound = random.randint(1, 40), Fraction(random.randint(0, 40), random.randint(40, 60))
        found = largest_share(lambda n, size, bound=bound: n <= bound * size, limit)
        assert found == max(Fraction(int(bound * q), q) for q in range(1, limit + 1))
    # No rational bound: 12/17 is the best approximation of 1/sqrt(2) from below up to 20.
    assert largest_share(lambda n, size: 2 * n * n <= size * size, 20) == Fraction(12, 17)
