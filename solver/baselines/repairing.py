"""Groups of a heuristic that looks at sizes only, made to keep the rest of a policy if merging can.

Requirements on groups (diversity, closeness, shares) judge each group by itself. A group they refuse joins
the group whose box it widens least, until all are admitted. Where not even one group of everybody is, they
stay as they were. What is broken then, and requirements on whole releases, `Problem.check` says.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...models.domain import Codes
from ...models.problem import Problem
from ...models.requirement import GroupRequirement
from ..settings import Clock
from .parameters import Perimeter
from .top_down import Rows, group_of

__all__ = ["merged_until_admitted"]


def merged_until_admitted(problem: Problem, groups: Sequence[Rows], clock: Clock) -> list[list[int]]:
    """Merge groups that the policy's requirements on groups refuse, unless they refuse everybody, too.

    O(refused x groups x attributes), besides one verdict per group and merge.
    """
    rules = [rule for rule in problem.policy.requirements if isinstance(rule, GroupRequirement)]
    parts = [np.sort(np.asarray(rows, dtype=np.int64)) for rows in groups]
    codes = problem.table.codes
    low: Codes = np.array([codes[rows].min(axis=0) for rows in parts])
    high: Codes = np.array([codes[rows].max(axis=0) for rows in parts])
    unit = Perimeter(problem.table.domains).unit
    weight = np.array([unit // domain.span for domain in problem.table.domains], dtype=np.float64)
    alive = np.ones(len(parts), dtype=bool)

    def admitted(rows: Rows) -> bool:
        return all(rule.admits(group_of(problem, rows), problem.context) for rule in rules)

    if not admitted(np.arange(len(problem.table))):
        return [rows.tolist() for rows in parts]
    pending = [g for g in range(len(parts)) if not admitted(parts[g])]
    while pending and alive.sum() > 1:
        clock.ask()
        g = pending.pop()
        if not alive[g] or admitted(parts[g]):
            continue
        wide = np.maximum(high, high[g]) - np.minimum(low, low[g])
        sizes = np.array([len(rows) for rows in parts])
        grown = (wide @ weight) * (sizes + len(parts[g])) - ((high - low) @ weight) * sizes
        grown[~alive] = np.inf
        grown[g] = np.inf
        home = int(np.argmin(grown))
        parts[home] = np.sort(np.concatenate([parts[home], parts[g]]))
        low[home], high[home] = np.minimum(low[home], low[g]), np.maximum(high[home], high[g])
        alive[g] = False
        pending.append(home)
    return [rows.tolist() for rows, kept in zip(parts, alive.tolist(), strict=True) if kept]
