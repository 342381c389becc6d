"""A release under repair: groups of tuples with their costs, judged as a whole after every change."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .....models.problem import Problem
from .....models.release import QIGroup, Release
from .....models.requirement import Violation
from ....colgen.covering import Ints, home_of
from ....colgen.table import Rows

__all__ = ["RepairedGroups"]


class RepairedGroups:
    """Groups as sorted tuples of rows of the microdata (from 0); who is in none is suppressed, and stays so.

    Attributes
    ----------
    groups : list of tuple of int
    costs : list of int
        Scaled information loss per group.
    """

    def __init__(self, problem: Problem, groups: Sequence[Sequence[int]]) -> None:
        self.problem = problem
        self.rows = Rows.of(problem)
        self.codes: Ints = self.rows.geometry.codes[home_of(self.rows)]
        self.singly = problem.policy.group_requirements
        self.jointly = problem.policy.joint_requirements
        self.context = problem.context
        self._built: dict[tuple[int, ...], QIGroup] = {}
        self._admitted: dict[tuple[int, ...], bool] = {}
        self.set(groups)

    def set(self, groups: Sequence[Sequence[int]]) -> None:
        """Start from other groups."""
        self.groups = [tuple(sorted(group)) for group in groups]
        self.costs = [self.cost(group) for group in self.groups]

    def cost(self, group: Sequence[int]) -> int:
        """Scaled information loss of a group."""
        codes = self.codes[list(group)]
        return len(group) * int(self.rows.box_cost(codes.min(axis=0), codes.max(axis=0)))

    def boxes(self) -> tuple[Ints, Ints]:
        """Lowest and highest codes per group, shape (groups, attributes)."""
        members = [self.codes[list(group)] for group in self.groups]
        return np.array([m.min(axis=0) for m in members]), np.array([m.max(axis=0) for m in members])

    def admits(self, group: tuple[int, ...]) -> bool:
        """Whether all requirements that judge groups singly allow one."""
        known = self._admitted.get(group)
        if known is None:
            known = all(r.admits(self._group(group), self.context) for r in self.singly)
            self._admitted[group] = known
        return known

    def release(self, groups: Sequence[tuple[int, ...]] | None = None) -> Release:
        """The groups as a release, in an order that has no meaning."""
        table = self.problem.table
        return Release(
            groups=tuple(self._group(group) for group in (self.groups if groups is None else groups)),
            attributes=table.attributes,
            sensitive=table.sensitive.name,
            form=self.problem.policy.form,
        )

    def clean(self, groups: Sequence[tuple[int, ...]]) -> bool:
        """Whether the requirements that look at whole releases hold."""
        release = self.release(groups)
        return all(next(r.check(release, self.problem.history), None) is None for r in self.jointly)

    def violations(self) -> list[Violation]:
        """What is broken; the cheapest kind of judgement first."""
        release = self.release()
        for requirement in (*self.singly, *self.jointly):
            found = list(requirement.check(release, self.problem.history))
            if found:
                return found
        return []

    def exchange(self, old: Sequence[int], new: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
        """The groups with those numbered `old` replaced by `new`."""
        gone = set(old)
        return [group for index, group in enumerate(self.groups) if index not in gone] + list(new)

    def _group(self, group: tuple[int, ...]) -> QIGroup:
        built = self._built.get(group)
        if built is None:
            people = self.problem.table.members
            boxed = self.problem.policy.form == "generalized"
            built = QIGroup(
                members=tuple(people[t] for t in group), box=self.problem.box(group) if boxed else None
            )
            self._built[group] = built
        return built
