"""Which classes of a level vector break a group-scope requirement, and what follows for finer vectors.

A vector is *hopeless* if neither it nor any finer vector can be released. Proofs used:

* A class with fewer tuples than the smallest group that any requirement allows must be
  suppressed; its parts under finer levels are smaller still. So if such classes hold more
  tuples than may be suppressed, the vector is hopeless, whatever the requirements are.
* Let a class break a *monotone* requirement (merging groups that keep it gives a group that
  keeps it, whatever box it gets). Under a finer vector the class falls into parts; if all were
  published, all would keep the requirement, hence so would their union, the class. So at
  least one tuple of it is suppressed there. If the small classes' tuples, plus one for each
  larger class that breaks a monotone requirement, are more than may be suppressed, the
  vector is hopeless. Each monotone requirement may be used, whether or not others are
  monotone. Without suppression this is the usual "what is below an unsafe node is unsafe".

The converse ("what is above a safe node is safe") is never used: with suppression it is
false even for monotone requirements, because a suppressed class may join a good one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ....models.problem import Problem
from ....models.problem_view import smallest_group
from ....models.release import QIGroup
from ....models.requirement import GroupRequirement
from ....models.structure import DependsOn
from .grid import Classes, Grid, Vector

__all__ = ["ClassVerdicts", "Prospect"]

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Prospect:
    """What is known of a vector after its monotone part.

    Attributes
    ----------
    classes : Classes
    small : bool array
        Classes that must be suppressed here and whose tuples must be in all finer vectors.
    forced : int
        Tuples in them.
    broken : bool array
        Classes found to break a requirement so far; includes `small`.
    """

    classes: Classes
    small: Mask
    forced: int
    broken: Mask


class ClassVerdicts:
    """Verdicts of a policy's group-scope requirements on classes."""

    def __init__(self, problem: Problem, grid: Grid) -> None:
        self.problem, self.grid = problem, grid
        single = problem.policy.group_requirements
        self.monotone = [r for r in single if r.structure(problem).monotone]
        self.others = [r for r in single if r not in self.monotone]
        self.wide = problem.policy.joint_requirements
        self.smallest = smallest_group(problem)
        self.limit = problem.policy.suppression_limit(len(problem.table))
        self._verdicts: dict[tuple[int, bytes], bool] = {}

    def outlook(self, levels: Vector) -> Prospect | None:
        """The monotone part of the verdict; None if the vector is hopeless."""
        classes = self.grid.classes(levels)
        small = classes.sizes < self.smallest
        forced = int(classes.sizes[small].sum())
        if forced > self.limit:
            return None
        broken = small.copy()
        for requirement in self.monotone:
            room = self.limit - forced - int((broken & ~small).sum())
            if room < 0 or not self._mark(requirement, levels, classes, broken, room, by_class=True):
                return None
        if forced + int((broken & ~small).sum()) > self.limit:
            return None
        return Prospect(classes, small, forced, broken)

    def suppressed(self, levels: Vector, outlook: Prospect) -> Mask | None:
        """Classes to suppress; None if they hold more tuples than the policy allows."""
        sizes, broken = outlook.classes.sizes, outlook.broken.copy()
        for requirement in self.others:
            room = self.limit - int(sizes[broken].sum())
            if room < 0 or not self._mark(requirement, levels, outlook.classes, broken, room, by_class=False):
                return None
        return None if int(sizes[broken].sum()) > self.limit else broken

    def _mark(
        self,
        requirement: GroupRequirement,
        levels: Vector,
        classes: Classes,
        broken: Mask,
        room: int,
        *,
        by_class: bool,
    ) -> bool:
        """Add the classes that break a requirement to `broken`; False as soon as there are more than fit.

        `room` counts classes (one tuple of each is lost at least) or tuples.
        """
        wanted = np.flatnonzero(~broken)
        for where, counts in self.grid.histograms(classes, wanted):
            chunk = wanted[where]
            verdict = requirement.admits_counts(counts, self.grid.values, self.problem.context)
            if verdict is None:
                rows = np.argsort(classes.sizes[chunk], kind="stable")  # small classes break most often
                for row in rows.tolist():
                    if not self._admits(requirement, levels, classes, int(chunk[row]), counts[row]):
                        broken[chunk[row]] = True
                        room -= 1 if by_class else int(classes.sizes[chunk[row]])
                        if room < 0:
                            return False
                continue
            lost = chunk[~verdict]
            broken[lost] = True
            room -= len(lost) if by_class else int(classes.sizes[lost].sum())
            if room < 0:
                return False
        return True

    def _admits(
        self,
        requirement: GroupRequirement,
        levels: Vector,
        classes: Classes,
        index: int,
        counts: NDArray[np.int64],
    ) -> bool:
        """One class by the requirement's own definition; equal histograms once if they decide."""
        if requirement.structure(self.problem).depends_on is DependsOn.MEMBERS:
            return requirement.admits(self.group(levels, classes, index), self.problem.context)
        key = (id(requirement), counts.tobytes())
        known = self._verdicts.get(key)
        if known is None:
            known = requirement.admits(self.group(levels, classes, index), self.problem.context)
            self._verdicts[key] = known
        return known

    def group(self, levels: Vector, classes: Classes, index: int) -> QIGroup:
        """A class as it would be published."""
        rows, table = classes.rows(index), self.problem.table
        return QIGroup(
            members=tuple(table.members[row] for row in rows),
            box=self.grid.recoding(levels).box(table.codes[rows[0]].tolist()),
        )
