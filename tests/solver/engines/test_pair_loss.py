"""What two groups lose together is what the release loses with them, but for what all have in common."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from oracle.partition import random_problem

from optanon.models.requirements import KAnonymity
from optanon.solver.engines.partition.enumerated.moves import improve
from optanon.solver.engines.partition.enumerated.pairs import PairLoss
from optanon.solver.engines.partition.enumerated.state import RepairedGroups
from optanon.solver.settings import Clock

LEVELS: list[list[Any]] = [
    ["information_loss"],
    ["discernibility", "information_loss"],
    [{"information_loss": 2, "discernibility": "1/7"}],
    ["maximum_group_size", "information_loss"],
    ["average_group_size", "average_information_loss"],
]


@pytest.mark.parametrize("levels", LEVELS)
def test_of_two_releases_that_differ_in_a_pair_it_tells_which_is_better(levels: list[Any]):
    problem = random_problem(3, 12, [KAnonymity(k=1)])
    problem = replace(problem, policy=problem.policy.changed(minimize=levels))
    random, seen = Random(1), set[int]()
    for _ in range(60):
        order = random.sample(range(12), 12)
        ends = [random.randrange(3, 8) for _ in range(2)]
        rest = [[t] for t in order[8:]]
        states = [RepairedGroups(problem, [*rest, order[:end], order[end:8]]) for end in ends]
        loss = PairLoss.of(problem, states[0].rows)
        values = [loss.value(sum(s.costs[-2:]), end, 8 - end) for s, end in zip(states, ends, strict=True)]
        found = [problem.objective(state.release()) for state in states]
        # A maximum may be that of another group, so it tells no difference, but never the wrong one.
        assert (found[0] < found[1]) <= (values[0] < values[1]) or values[0] == values[1]
        costs = np.array([sum(state.costs[-2:]) for state in states])
        first = loss.order(costs, np.array(ends), 8)[0]
        assert values[first] == min(values)
        seen.add(int(first))
    assert seen == {0, 1}


def test_moves_go_by_all_levels_in_their_order():
    """They went by boxes alone, whatever came first."""
    problem = random_problem(5, 31, [KAnonymity(k=3)])
    problem = replace(problem, policy=problem.policy.changed(minimize=["discernibility", "information_loss"]))
    groups = [list(range(at, at + 3)) for at in range(0, 27, 3)] + [[27, 28, 29, 30]]
    state = RepairedGroups(problem, groups)
    values = [problem.objective(state.release())]
    improve(state, Clock(), lambda: values.append(problem.objective(state.release())))
    assert len(values) > 5
    assert values == sorted(values, reverse=True)
    assert {discernibility for discernibility, _ in values} == {9 * 9 + 16}
