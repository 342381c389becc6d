"""Prices of boxes: random duals and cuts, all groups there are, and what each pays, by the definitions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement

import numpy as np

from optanon.models.problem import Problem
from optanon.solver.colgen.column import Group
from optanon.solver.colgen.covering import Ints
from optanon.solver.colgen.duals import Duals
from optanon.solver.colgen.structure.histograms import Judge
from optanon.solver.engines.partition.places import Boxes

__all__ = ["drawn", "everything", "profits"]


def drawn(pricing: Boxes, seed: int, cuts: int, *, divisor: int = 4, penalty: float = 0.3) -> Duals:
    """Random duals, and cuts with divisors from 2 to `divisor`, priced up to a share of the dearest row."""
    random, rows = np.random.default_rng(seed), len(pricing.rows)
    for _ in range(cuts):
        chosen = np.flatnonzero(random.random(rows) < 0.6).tolist()
        pricing.cuts.add([tuple(chosen)], int(random.integers(2, divisor + 1)))
    dear = pricing.rows.dearest
    return pricing.duals(random.uniform(-0.1, 0.5, rows) * dear, -random.uniform(0, penalty, cuts) * dear)


def profits(pricing: Boxes, duals: Duals, groups: Sequence[Group]) -> Ints:
    """Duals and penalties of groups, less their scaled cost, from the definitions."""
    costs = pricing.rows.group_costs(groups)
    found = [sum(int(duals.rows[r]) for r in group) for group in groups]
    for g, group in enumerate(groups):
        for rows, q, dual in zip(pricing.cuts.sets, pricing.cuts.divisors, duals.cuts.tolist(), strict=True):
            found[g] += dual * (sum(r in rows for r in group) // q)
    return np.array(found) - duals.scale * np.array(costs)


def everything(pricing: Boxes, problem: Problem) -> list[Group]:
    """All admissible groups of the sizes that are needed."""
    judge, rows = Judge(problem), pricing.rows
    values = judge.told_apart
    return [
        group
        for size in range(pricing.form.least, pricing.form.most + 1)
        for group in combinations_with_replacement(range(len(rows)), size)
        if all(group.count(r) <= rows.count[r] for r in set(group))
        and judge.admits(tuple(np.bincount(rows.value[list(group)], minlength=values).tolist()))
    ]
