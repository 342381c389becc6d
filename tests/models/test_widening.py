"""Expected widening: its value against the definition in fractions, its encoding against its value."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import ceil

import oracle.brute_force as bf
import pytest
from ortools.sat.python import cp_model
from strategies import Instance, Source, instance, random_release, seeded

from optanon.models.encoding import Encoding
from optanon.models.errors import PolicyError
from optanon.models.losses import loss
from optanon.models.outlook.widening import FINEST, STEPS
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirements import KCAnonymity
from optanon.models.whole_weights import unit_weights
from optanon.solver.enumeration import partitions
from optanon.solver.lost_now import lost_now
from optanon.solver.search import solve_problem

NAME = "expected_widening"


def asked(at: Instance, k: int) -> Problem:
    """Anything goes in groups of k."""
    gone = len(at.people)
    policy = Policy([KCAnonymity(k=k)], [NAME], max_suppressed=gone, max_counterfeits=2, form=at.form)
    return Problem(table=at.table, policy=policy, history=at.history)


def some(source: Source, at: Instance) -> bf.Release:
    return random_release(
        source, at.people, max_fakes=2, fake_values=at.fake_values, max_suppressed=len(at.people)
    )


def expected(release: bf.Release, at: Instance, k: int) -> Fraction:
    """The sum of the module's definition; every tuple's is rounded to the parts there are."""
    _, scale, _ = unit_weights(at.table, len(at.people))
    parts, total = ceil(Fraction(FINEST, scale)) * scale, Fraction(0)
    for group in release.groups:
        published = {person.value for person in group.members} | {value for value, _ in group.fakes}
        for person in group.members:
            left = published - {person.value}
            for earlier in at.past:
                for old in earlier.groups:
                    if person.name in {member.name for member in old.members}:
                        left &= {member.value for member in old.members} | {value for value, _ in old.fakes}
            often = Fraction(sum(other.value in left for other in at.people), len(at.people))
            none = 1 - Fraction(STEPS * often.numerator // often.denominator, STEPS)
            two = (bf.Group((person, other)) for other in at.people if other != person)
            away = [Fraction(0), *sorted(bf.perimeter(group, at.attributes) for group in two)]
            wider = sum(
                (none**j * (away[j + 1] - away[j]) for j in range(k - 1, len(away) - 1)), start=Fraction(0)
            )
            total += k * Fraction(round(parts * wider), parts)
    return total


@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_loss_is_that_of_the_definition(k: int):
    lost = set[bool]()
    for seed in range(60):
        source = seeded("widening", k, seed)
        at = instance(source, tuples=(k, 7), releases=(0, 2), persistence="persistent")
        release, problem = some(source, at), asked(at, k)
        found = loss(NAME).of_release(at.ours(release), problem)
        assert found == expected(release, at, k), (seed, at, release)
        lost.add(found > 0)
    assert lost == {False, True}


def test_the_least_cost_of_a_fixed_release_is_its_loss():
    for seed in range(40):
        source = seeded("widening cost", seed)
        at = instance(source, tuples=(2, 5), releases=(0, 2), persistence="persistent")
        problem, release = asked(at, 1), at.ours(some(source, at))
        model = Encoding(problem)
        for requirement in problem.policy.requirements:
            requirement.encode(model)
        cost = loss(NAME).encode(model)
        assert cost.exact
        for sign in (1, -1):  # the cost follows from the release: the most is the least
            model.cp.minimize(sign * cost.expression)
            model.hint(release)
            solver = cp_model.CpSolver()
            solver.parameters.num_workers = 1
            solver.parameters.fix_variables_to_their_hinted_value = True
            assert solver.solve(model.cp) == cp_model.OPTIMAL
            found = loss(NAME).decode(sign * round(solver.objective_value), cost.scale, at.table)
            assert found == loss(NAME).of_release(release, problem), (seed, at, release)


def test_the_best_release_is_the_best_of_all_groupings():
    for seed in range(25):
        at = instance(
            seeded("widening best", seed),
            tuples=(4, 6),
            releases=(0, 2),
            values=(2, 4),
            form="generalized",
            persistence="persistent",
        )
        policy = Policy([KCAnonymity(k=2)], [{"information_loss": 1, NAME: Fraction(1, 2)}])
        problem = Problem(table=at.table, policy=policy, history=at.history)
        found = solve_problem(problem, workers=1, display=False)
        least = min(
            problem.objective(problem.assemble(groups))
            for groups in partitions(problem)
            if min(map(len, groups)) >= 2
        )
        assert found.objective == least
        (level,) = found.levels
        assert least[0] in (level.bound, level.trusted_bound)  # no proof of it is written down


def test_it_is_weighed_against_what_is_lost_now_and_nothing_else():
    policy = Policy([KCAnonymity(k=2)], [{"information_loss": 1, NAME: Fraction(6, 5)}])
    assert policy.levels[0].weight_named(NAME) == Fraction(6, 5)
    with pytest.raises(PolicyError, match=NAME):
        Policy([KCAnonymity(k=2)], [{"counterfeits": 1, NAME: 1}])
    at = instance(seeded("now"), tuples=(5, 5), releases=(1, 1), form="generalized", persistence="persistent")
    release, problem = at.ours(some(seeded("now release"), at)), asked(at, 1)
    now = loss("information_loss").of_release(release, problem)
    assert lost_now(replace(problem, policy=policy), release) == now
    assert policy.levels[0].of_release(release, problem) == now + Fraction(6, 5) * loss(NAME).of_release(
        release, problem
    )
