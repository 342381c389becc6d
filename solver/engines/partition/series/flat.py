"""The fewest counterfeits where counts do not tell: column generation without quasi-identifiers.

Needed if requirements on meetings with earlier groups forbid what the counts ask for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .....models.problem import Problem
from ....settings import Clock
from .finish import Finish, ListedTree
from .generation import Generation
from .master import Master, chosen_of
from .pricing import Duals, Pricing
from .types import Column, Types

__all__ = ["Flat", "lifted", "lowered", "singles"]

CUT_ROUNDS = 10
STEPS = 12


@dataclass(frozen=True, kw_only=True)
class Flat:
    """What was found.

    Attributes
    ----------
    columns : tuple of Column
        A release of the types without quasi-identifiers.
    types, pricing : Types, Pricing
        Those, and the cuts.
    bound : int
        No release has fewer counterfeits.
    duals, tree
        The proof.
    """

    columns: tuple[Column, ...]
    types: Types
    pricing: Pricing
    bound: int
    duals: Duals | None
    tree: ListedTree | None


def singles(types: Types) -> list[Column]:
    """Everybody alone among counterfeits, as often as earlier groups ask for."""
    columns: list[Column] = []
    for row, count in enumerate(types.rows.count.tolist()):
        b = int(types.home[row])
        found = [Column((row,), 0)]
        if b >= 0:
            tried = [Column((row,), times) for times in range(1, int(types.rules.times[b]) + 2)]
            found = [column for column in tried if types.keeps(column)] or tried[-1:]
        columns += found[:1] * count
    return columns


def lowered(
    problem: Problem,
    types: Types,
    start: Sequence[Column],
    known: int,
    *,
    seed: int,
    clock: Clock,
    workers: int,
    seconds: float | None,
) -> Flat:
    """Search for a release with fewer counterfeits than `start` (of the types with quasi-identifiers).

    Parameters
    ----------
    known
        A proven bound.
    seconds
        For the column generation and for each integer program; None for no limit.
    """
    flat = Types.flat(problem, types.rules)
    pricing = Pricing(flat, workers, clock)
    now = _flattened(flat, types, start)
    cost = sum(flat.costs(now))
    alone = singles(flat)
    if sum(flat.costs(alone)) < cost:
        now, cost = alone, sum(flat.costs(alone))
    master = Master(flat, pricing.cuts, 0, 1.0)
    master.add([*now, *alone])
    generation = Generation(pricing, master, clock)
    generation.begin(np.full(len(flat), 0.1), 0.0)
    bound, solved = known, generation.run(seconds=seconds)
    bound = max(bound, generation.bound)
    for _ in range(CUT_ROUNDS):
        if not solved or bound >= cost or not generation.cut():
            break
        solved = generation.run(0.3, seconds=seconds)
        bound = max(bound, generation.bound)
    if bound < cost:
        usable = [column for column in master.columns if flat.keeps(column)]
        better, _ = chosen_of(flat, 0, usable, now, nodes=2_000, seed=seed, seconds=seconds)
        if better is not None:
            now, cost = list(better), sum(flat.costs(better))
    end = None if seconds is None else clock.seconds + seconds
    finish = Finish(pricing, generation, seed, clock)
    for _ in range(STEPS):
        if bound >= cost or clock.over or (end is not None and clock.seconds > end):
            break
        step = finish.step(now, cost, bound)
        if step is None:
            break
        if step.columns is not None and sum(flat.costs(step.columns)) < cost:
            now, cost = list(step.columns), sum(flat.costs(step.columns))
        if not step.trusted:
            bound = max(bound, step.bound)
    return Flat(
        columns=tuple(now),
        types=flat,
        pricing=pricing,
        bound=bound,
        duals=generation.duals,
        tree=finish.tree,
    )


def lifted(flat: Types, types: Types, columns: Sequence[Column]) -> list[Column]:
    """Columns without quasi-identifiers filled with tuples."""
    row_of = {t: r for r, behind in enumerate(types.rows.tuples) for t in behind}
    left = [list(behind) for behind in flat.rows.tuples]
    return [
        Column(tuple(sorted(row_of[left[r].pop(0)] for r in column.rows)), column.times) for column in columns
    ]


def _flattened(flat: Types, types: Types, columns: Sequence[Column]) -> list[Column]:
    row_of = {t: r for r, behind in enumerate(flat.rows.tuples) for t in behind}
    left = [list(behind) for behind in types.rows.tuples]
    return [
        Column(tuple(sorted(row_of[left[r].pop(0)] for r in column.rows)), column.times) for column in columns
    ]
