"""Groups of a heuristic that looks at sizes only, made to keep the rest of a policy if merging can.

Requirements on groups (diversity, closeness, shares) judge each group by itself. A group they refuse joins
the group whose box it widens least, until all are admitted. Where not even one group of everybody is, they
stay as they were. What is broken then, and requirements on whole releases, `Problem.check` says.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

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
    judge, codes = _Verdicts(problem), problem.table.codes
    parts = [np.sort(np.asarray(rows, dtype=np.int64)) for rows in groups]
    low: Codes = np.array([codes[rows].min(axis=0) for rows in parts])
    high: Codes = np.array([codes[rows].max(axis=0) for rows in parts])
    counts = np.array([judge.histogram(rows) for rows in parts])
    sizes = counts.sum(axis=1)
    unit = Perimeter(problem.table.domains).unit
    weight = np.array([unit // domain.span for domain in problem.table.domains], dtype=np.float64)
    alive = np.ones(len(parts), dtype=bool)
    everybody = np.arange(len(problem.table), dtype=np.int64)
    if not judge.admits([everybody], counts.sum(axis=0, keepdims=True)).all():
        return [rows.tolist() for rows in parts]
    refused = ~judge.admits(parts, counts)
    pending = np.flatnonzero(refused).tolist()
    while pending and alive.sum() > 1:
        clock.ask()
        g = pending.pop()
        if not alive[g] or not refused[g]:
            continue
        wide = np.maximum(high, high[g]) - np.minimum(low, low[g])
        grown = (wide @ weight) * (sizes + sizes[g]) - ((high - low) @ weight) * sizes
        grown[~alive] = np.inf
        grown[g] = np.inf
        home = int(np.argmin(grown))
        parts[home] = np.sort(np.concatenate([parts[home], parts[g]]))
        low[home], high[home] = np.minimum(low[home], low[g]), np.maximum(high[home], high[g])
        counts[home] += counts[g]
        sizes[home] += sizes[g]
        alive[g] = False
        refused[home] = not judge.admits([parts[home]], counts[home : home + 1])[0]
        pending.append(home)
    return [rows.tolist() for rows, kept in zip(parts, alive.tolist(), strict=True) if kept]


class _Verdicts:
    """Verdicts on groups of rows: of many at once where histograms decide."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.rules = [rule for rule in problem.policy.requirements if isinstance(rule, GroupRequirement)]
        found, self._value = np.unique(
            [member.value for member in problem.table.members], return_inverse=True
        )
        self._names = tuple(str(name) for name in found)

    def histogram(self, rows: Rows) -> Codes:
        """How many rows have each value."""
        return np.bincount(self._value[rows], minlength=len(self._names))

    def admits(self, groups: Sequence[Rows], counts: Codes) -> NDArray[np.bool_]:
        """Whether each group, with its histogram, keeps every requirement on groups."""
        problem, good = self.problem, np.ones(len(groups), dtype=np.bool_)
        for rule in self.rules:
            left = np.flatnonzero(good)
            found = rule.admits_counts(counts[left], self._names, problem.context) if len(left) else None
            if found is None:
                asked = (group_of(problem, groups[g]) for g in left.tolist())
                found = np.array([rule.admits(group, problem.context) for group in asked], dtype=np.bool_)
            good[left] = found
        return good
