"""Small random problems for the partition engine, and their optima by dynamic programming over subsets."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction

import pandas as pd

from optanon.models.hierarchy import Hierarchy
from optanon.models.losses import loss
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirement import GroupRequirement, Requirement
from optanon.models.requirements.k_c_anonymity import KCAnonymity
from optanon.models.requirements.l_diversity import (
    DistinctLDiversity,
    EntropyLDiversity,
    RecursiveCLDiversity,
)
from optanon.models.requirements.t_closeness import TCloseness
from optanon.models.requirements.weak_m_invariance import WeakMInvariance
from optanon.models.table import Microdata

REGIONS = Hierarchy.from_tree({"north": ["n1", "n2", "n3"], "south": ["s1", {"west": ["w1", "w2"]}]})
LEAVES = ["n1", "n2", "n3", "s1", "w1", "w2"]

POLICIES: list[Sequence[Requirement]] = [
    [KCAnonymity(k=2)],
    [KCAnonymity(k=3)],
    [KCAnonymity(k=2, c="1/2")],
    [KCAnonymity(k=3, c="1/2")],
    [KCAnonymity(k=2, c="2/3")],
    [DistinctLDiversity(l=2)],
    [DistinctLDiversity(l=3)],
    [EntropyLDiversity(l=2)],
    [RecursiveCLDiversity(c=2, l=2)],
    [TCloseness(t="0.3")],
    [WeakMInvariance(m=2)],
    [WeakMInvariance(m=3)],
    [WeakMInvariance(m=2, multiplicity=1)],
    [KCAnonymity(k=3), DistinctLDiversity(l=2)],
    [KCAnonymity(k=2, c="2/3"), TCloseness(t="0.5")],
    [KCAnonymity(k=2), WeakMInvariance(m=2)],
]


def random_problem(seed: int, tuples: int, requirements: Sequence[Requirement] | None = None) -> Problem:
    """Numeric, ordered, taxonomy and flat attributes in any mix; few codes, so that many tuples tie."""
    chance = random.Random(seed)
    columns: dict[str, tuple[list[object], object]] = {
        "number": ([chance.randrange(chance.choice([3, 30])) for _ in range(tuples)], "numeric"),
        "grade": ([chance.choice("ABCD") for _ in range(tuples)], ["A", "B", "C", "D"]),
        "region": ([chance.choice(LEAVES) for _ in range(tuples)], REGIONS),
        "sex": ([chance.choice(["f", "m"]) for _ in range(tuples)], "flat"),
    }
    chosen = chance.sample(sorted(columns), chance.choice([1, 2, 3]))
    values = "abc" if tuples < 8 or chance.random() < 0.5 else "abcd"
    frame = pd.DataFrame(
        {
            "id": [f"r{i}" for i in range(tuples)],
            **{name: columns[name][0] for name in chosen},
            "value": [chance.choice(values) for _ in range(tuples)],
        }
    )
    table = Microdata.from_frame(
        frame,
        respondent="id",
        quasi_identifiers={name: columns[name][1] for name in chosen},
        sensitive="value",
    )
    policy = Policy(
        requirements or POLICIES[seed % len(POLICIES)],
        [chance.choice(["information_loss", "average_information_loss"])],
    )
    return Problem(table=table, policy=policy)


def optimum(problem: Problem) -> Fraction | None:
    """Least loss over all groupings, from the definitions of requirements and loss; None if there is none.

    Complexity: 3**n steps.
    """
    return optima(problem)[-1]


def optima(problem: Problem) -> list[Fraction | None]:
    """The same for every set of the tuples, by its bit mask: what it loses if the others are left out."""
    tuples = len(problem.table)
    requirements = [r for r in problem.policy.requirements if isinstance(r, GroupRequirement)]
    level = problem.policy.levels[-1]
    cost: dict[int, Fraction] = {}
    for mask in range(1, 1 << tuples):
        release = problem.assemble([[t for t in range(tuples) if mask >> t & 1]])
        if all(r.admits(release.groups[0], problem.context) for r in requirements):
            cost[mask] = sum(
                (
                    weight * loss(name).of_group(release.groups[0], problem.table)
                    for name, weight in level.weights
                ),
                Fraction(0),
            )
    best: list[Fraction | None] = [Fraction(0)]
    for mask in range(1, 1 << tuples):
        lowest, found = mask & -mask, None
        part = mask
        while part:
            rest = best[mask ^ part]
            if (
                part & lowest
                and part in cost
                and rest is not None
                and (found is None or cost[part] + rest < found)
            ):
                found = cost[part] + rest
            part = (part - 1) & mask
        best.append(found)
    return best
