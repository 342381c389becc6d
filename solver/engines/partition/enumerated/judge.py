"""Which groups may be in a release at all."""

from __future__ import annotations

from .....models.problem import Problem
from .....models.release import Release
from .....models.structure import DependsOn
from .columns import NamedColumn, group_of

__all__ = ["GroupVerdicts"]


class GroupVerdicts:
    """Verdicts on single groups, remembered where published values decide.

    A group must keep every requirement on groups, and, of requirements that a release keeps only if every
    part of it does (`Structure.closed_under_suppression`), the group alone must keep them.

    Parameters
    ----------
    problem : Problem
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        groupwise = problem.policy.group_requirements
        self._values = [r for r in groupwise if r.structure(problem).depends_on is not DependsOn.MEMBERS]
        self._people = [r for r in groupwise if r.structure(problem).depends_on is DependsOn.MEMBERS]
        # Where rows are written ahead, they strike out single groups as well, and faster.
        self._parts = [
            r
            for r in problem.policy.joint_requirements
            if r.structure(problem).closed_under_suppression
            and next(r.cuts(None, problem.history), None) is None
        ]
        self._known: dict[tuple[int, ...], bool] = {}
        self._number = {value: number for number, value in enumerate(problem.values)}
        self._of = [self._number[member.value] for member in problem.table.members]

    def admits(self, column: NamedColumn) -> bool:
        """Whether some release may hold the group, as far as the group alone can tell."""
        counts = [0] * len(self._number)
        for t in column.rows:
            counts[self._of[t]] += 1
        for value, count in column.fakes:
            counts[self._number[value]] += count
        key = tuple(counts)
        known = self._known.get(key)
        if known is False:
            return False
        context, group = self.problem.context, None
        if known is None:
            group = group_of(self.problem, column)
            known = self._known[key] = all(r.admits(group, context) for r in self._values)
        if not known or not (self._people or self._parts):
            return known
        group = group or group_of(self.problem, column)
        if not all(r.admits(group, context) for r in self._people):
            return False
        if not self._parts:
            return True
        table = self.problem.table
        alone = Release(
            groups=(group,),
            suppressed=tuple(m for m in table.members if m.respondent not in group.respondents),
            attributes=table.attributes,
            sensitive=table.sensitive.name,
            form=self.problem.policy.form,
        )
        return all(next(r.check(alone, self.problem.history), None) is None for r in self._parts)
