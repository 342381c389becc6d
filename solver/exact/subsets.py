"""The best grouping of a small table, by a program over all sets of its tuples: exact, and no solver.

`SubsetCosts` has what every set of tuples costs at least; that of the whole table is the optimum over all
releases, for every requirement on groups (`Admissible` asks them) and every loss that is a sum over groups
(`costs`), level by level.

Limits on suppressed tuples and on counterfeits are counted only if the best grouping without them breaks
one. A level that is a maximum over groups is met by leaving out all groups above the least maximum with
which the levels before it are still as good.

Requirements on whole releases and series are left out: then the optimum is a bound (`SubsetOptimum.exact`
says which), and `Subsets.least` is what `groupings` prunes with.
"""

# pyright: reportReturnType=false, reportArgumentType=false

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ...models.problem import Problem
from ...models.release import Release
from ..settings import Clock
from . import costs
from .admissible import Admissible
from .costs import LevelCosts, Packed, level_costs
from .least_costs import CheapestGrouping, SubsetCosts, Task
from .sets import BeyondReachError, Sets, members

__all__ = ["MOST_TUPLES", "SubsetOptimum", "Subsets", "refusal"]

MOST_TUPLES = 20
"""Tables of more tuples have too many pairs of sets."""


def refusal(problem: Problem) -> str | None:
    """Why a problem is beyond the exact program, in words; None if it is not (as far as is plain)."""
    if problem.policy.recoding != "multidimensional":
        return "the program over all sets of tuples groups freely: ask for recoding 'multidimensional'"
    if len(problem.table) > MOST_TUPLES:
        return (
            f"the program over all sets of tuples takes up to {MOST_TUPLES} tuples, the table has "
            f"{len(problem.table)}"
        )
    return costs.refusal(problem)


@dataclass(frozen=True, kw_only=True)
class SubsetOptimum:
    """What the program found.

    Attributes
    ----------
    release : Release or None
        A best release, as far as requirements on groups and limits go; None if there is none.
    values : tuple of Fraction
        Its losses, level by level; empty without a release.
    exact : bool
        Whether all requirements judge groups: the release is then optimal. Otherwise no release that keeps
        the policy is better, and if there is no release here, there is none that keeps the policy.
    """

    release: Release | None
    values: tuple[Fraction, ...]
    exact: bool


class Subsets:
    """All sets of tuples of one problem's table as groups.

    Parameters
    ----------
    problem : Problem
    clock : Clock

    Raises
    ------
    BeyondReachError
        If `refusal` says so; all methods raise it if the work or the time runs out.
    """

    def __init__(self, problem: Problem, clock: Clock | None = None) -> None:
        why = refusal(problem)
        if why is not None:
            raise BeyondReachError(why)
        self.problem = problem
        self.clock = clock or Clock()
        self.sets = Sets(problem)
        self.admissible = Admissible(self.sets, self.clock)
        self.suppressed = problem.policy.suppression_limit(len(problem.table))
        self.exact = not problem.policy.joint_requirements

    def optimum(self) -> SubsetOptimum:
        """The best release; as many counterfeits as it may take are looked at (see `_settled`)."""
        steps = 1
        while True:
            for _ in range(steps):
                if not self.admissible.complete:
                    self.admissible.deepen()
            found = self._best(self.admissible.fewest)
            if self._settled(found):
                return found
            steps = max(1, self.admissible.known)

    def _settled(self, found: SubsetOptimum) -> bool:
        """Whether groups with more counterfeits than were looked at can make nothing better.

        They cannot if even one more for each would be too dear; the first level says so at once, or the
        program in which every set that is no group yet is one, with one counterfeit more.
        """
        if self.admissible.complete:
            return True
        first = self.level(0, self.admissible.fewest)
        dear = first.fake * (self.admissible.known + 1)
        if found.release is not None and first.kind == "sum" and dear > found.values[0]:
            return True
        fewest = self.admissible.fewest.copy()
        fewest[1:][fewest[1:] < 0] = self.admissible.known + 1
        return self._best(fewest).values == found.values

    def level(self, index: int, fewest: NDArray[np.int16]) -> LevelCosts:
        """Costs of one level for groups with so many counterfeits."""
        return level_costs(self.problem.policy.levels[index], self.sets, fewest, self.clock)

    def _best(self, fewest: NDArray[np.int16]) -> SubsetOptimum:
        """The best release of groups with so many counterfeits."""
        groups = np.flatnonzero(fewest >= 0)
        levels = [self.level(index, fewest) for index in range(len(self.problem.policy.levels))]
        kept = np.ones(len(groups), dtype=np.bool_)
        hidden = np.full(self.sets.count, self.suppressed > 0)
        task = Task(groups=groups, fakes=fewest, kept=kept, hidden=hidden)
        for index, level in enumerate(levels):
            if level.kind == "max" and not self._limit(levels[:index], level, task):
                return SubsetOptimum(release=None, values=(), exact=self.exact)
        found = self._solved([level for level in levels if level.kind != "max"], task)
        if found is None:
            return SubsetOptimum(release=None, values=(), exact=self.exact)
        made = [self.admissible.fakes(number, int(fewest[number])) for number in found.groups]
        release = self.problem.assemble([members(number) for number in found.groups], made)
        return SubsetOptimum(release=release, values=self.problem.objective(release), exact=self.exact)

    def _limit(self, before: Sequence[LevelCosts], level: LevelCosts, task: Task) -> bool:
        """Leave out groups (and suppressed tuples) above the least maximum; False if nothing is left."""
        summed = [each for each in before if each.kind != "max"]
        best = self._solved(summed, task)
        if best is None:
            return False
        single = np.array(level.tuples, dtype=level.groups.dtype)
        steps = sorted({*level.groups[task.kept].tolist(), *single[task.hidden].tolist()})
        kept, hidden = task.kept.copy(), task.hidden.copy()
        low, high = 0, len(steps) - 1
        while low < high:
            middle = (low + high) // 2
            task.kept = kept & (level.groups <= steps[middle])
            task.hidden = hidden & (single <= steps[middle])
            found = self._solved(summed, task)
            if found is not None and found.costs == best.costs:
                high = middle
            else:
                low = middle + 1
        task.kept, task.hidden = kept & (level.groups <= steps[low]), hidden & (single <= steps[low])
        return True

    def _solved(self, levels: Sequence[LevelCosts], task: Task) -> CheapestGrouping | None:
        """The best grouping by some levels, within the policy's limits."""
        packed = Packed.of(levels, len(task.groups), self.sets.count)
        found = SubsetCosts(packed, task, self.clock).best()
        limit = self.problem.policy.counterfeit_limit
        if found is None or (
            len(found.suppressed) <= self.suppressed
            and (limit is None or sum(int(task.fakes[g]) for g in found.groups) <= limit)
        ):
            return found
        few = self.suppressed if task.hidden.any() and self.suppressed < self.sets.count - 1 else None
        made = limit if limit is not None and task.fakes.max() > 0 else None
        return SubsetCosts(packed, task, self.clock, few=few, made=made).best()
