"""Groups of a heuristic that looks at sizes only, made to keep the rest of a policy if merging can.

Requirements on groups (diversity, closeness, shares) judge each group by itself. A group they refuse joins
the group whose box it widens least among the nearest with which it is admitted, or simply the nearest, until
all are admitted. Where not even one group of everybody is, they stay as they were. What is broken then, and
requirements on whole releases, `Problem.check` says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ...models.domain import Codes
from ...models.problem import Problem
from ...models.release import QIGroup
from ...models.verdicts import admitted
from ..settings import Clock
from .parameters import Perimeter
from .top_down import Rows, group_of

__all__ = ["merged_until_admitted"]

NEAR, NEAR_OBJECTS = 512, 16
"""Groups that are asked whether they end it, by their histograms or one by one: where most people around have
one value, refused groups that join each other only grow."""


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
    if not judge.admits(lambda _: everybody, counts.sum(axis=0, keepdims=True)).all():
        return [rows.tolist() for rows in parts]
    refused = ~judge.admits(parts.__getitem__, counts)
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
        near = _least(grown, min(NEAR if judge.counted else NEAR_OBJECTS, int(alive.sum()) - 1))
        admitted = judge.admits(
            lambda i, g=g, near=near: _joined(parts, near[i], g), counts[near] + counts[g]
        )
        chosen = int(np.argmax(admitted))  # the nearest, if none is admitted
        home = int(near[chosen])
        parts[home] = _joined(parts, home, g)
        low[home], high[home] = np.minimum(low[home], low[g]), np.maximum(high[home], high[g])
        counts[home] += counts[g]
        sizes[home] += sizes[g]
        alive[g] = False
        refused[home] = not admitted[chosen]
        pending.append(home)
    return [rows.tolist() for rows, kept in zip(parts, alive.tolist(), strict=True) if kept]


def _joined(parts: Sequence[Rows], first: int, second: int) -> Rows:
    return np.sort(np.concatenate([parts[first], parts[second]]))


def _least(numbers: NDArray[np.float64], count: int) -> Rows:
    """Places of the least numbers, in their order; of equal ones the first."""
    enough = np.partition(numbers, count - 1)[count - 1]
    found = np.flatnonzero(numbers <= enough)
    return found[np.argsort(numbers[found], kind="stable")][:count]


class _Verdicts:
    """Verdicts on groups of rows: of many at once where histograms decide.

    Attributes
    ----------
    counted : bool
        Whether histograms have decided until now.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem, self.counted = problem, True
        self.rules = problem.policy.group_requirements
        found, self._value = np.unique(
            [member.value for member in problem.table.members], return_inverse=True
        )
        self._names = tuple(str(name) for name in found)

    def histogram(self, rows: Rows) -> Codes:
        """How many rows have each value."""
        return np.bincount(self._value[rows], minlength=len(self._names))

    def admits(self, group: Callable[[int], Rows], counts: Codes) -> NDArray[np.bool_]:
        """Whether each group, with its histogram, keeps every requirement on groups."""

        def asked(g: int) -> QIGroup:
            self.counted = False
            return group_of(self.problem, group(g))

        return admitted(self.rules, counts, self._names, self.problem.context, asked)
