"""Which way a problem is solved: by histograms of single groups, or with equal counts and a past."""

from __future__ import annotations

from dataclasses import dataclass

from ....models.problem import Problem
from ....models.requirement import GroupRequirement, Scope, Sight
from .histograms import Histograms, Judge
from .objective import Objective
from .series.rules import Rules

__all__ = ["Plan"]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How to solve a problem.

    Attributes
    ----------
    objective : Objective
    rules : Rules or None
        Demands of equal counts and of the history, if the problem is solved by them.
    """

    objective: Objective
    rules: Rules | None = None

    @classmethod
    def of(cls, problem: Problem) -> Plan | str:
        """Make a plan, or say why the engine refuses the problem.

        Equal counts (`GroupRequirement.equal_counts`) carry respondents who come back and
        counterfeits. Everything else is solved by histograms: nobody's past may matter, and levels of
        counterfeits and suppressed tuples are at 0, because a release without them exists.
        """
        requirements = problem.policy.requirements
        for r in requirements:
            if r.scope is not Scope.GROUP or not isinstance(r, GroupRequirement):
                return f"the partition engine judges groups singly, {r.name} looks at whole releases"
        objective = Objective.of(problem)
        if isinstance(objective, str):
            return objective
        groupwise = [r for r in requirements if isinstance(r, GroupRequirement)]
        past = next((r for r in groupwise if r.sight(problem) is Sight.PEOPLE), None)
        equal = any(r.equal_counts() is not None for r in groupwise)
        why = "only equal counts carry counterfeits"
        if past is not None or (equal and objective.any_fakes):
            rules = Rules.of(problem)
            if isinstance(rules, Rules):
                if objective.whole:
                    return cls(objective=objective, rules=rules)
                rules = "counterfeits need a level of their own, suppressed tuples one before it"
            why = rules
            if past is not None:
                needs = f"as {past.name} needs it: {rules}"
                return f"the partition engine cannot follow who was where before, {needs}"
        if objective.any_fakes or problem.policy.suppression_limit(len(problem.table)):
            judge = Judge(problem)
            whole = tuple(problem.table.histogram[name] for name in judge.names)
            unnamed = objective.any_fakes and objective.counterfeits is None
            if unnamed or not judge.admits(whole):
                return (
                    "the partition engine neither suppresses tuples nor makes counterfeits here "
                    f"({why}): set both limits to 0"
                )
        found = Histograms.of(problem)
        return f"the partition engine: {found}" if isinstance(found, str) else cls(objective=objective)
