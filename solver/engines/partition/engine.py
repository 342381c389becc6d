"""Partition engine: set partitioning over QI-groups, by one of four plans."""

from __future__ import annotations

from ....models.errors import EngineError
from ....models.problem import Problem
from ...settings import Answer, Settings, Watch
from .boxless.search import Search as Boxless
from .listed.search import Search as Listed
from .plan import Plan
from .series.levels import Search as Series
from .singly import Search as Singly

__all__ = ["PartitionEngine"]


class PartitionEngine:
    """Hundreds of tuples and more where groups can be searched by duals; all policies on small tables.

    `Plan` says which of the plans is followed, and why.
    """

    name = "partition"

    def refuses(self, problem: Problem) -> str | None:
        plan = Plan.of(problem)
        return plan if isinstance(plan, str) else None

    def solve(self, problem: Problem, settings: Settings, watch: Watch) -> Answer:
        """Prove bounds and find releases until both meet or time is over; see the package."""
        plan = Plan.of(problem)
        if settings.extend is not None:
            plan = "the partition engine has no model of tuples and groups to extend: use engine='assignment'"
        if isinstance(plan, str):
            raise EngineError(plan)
        if plan.boxless:
            return Boxless(problem, settings, watch).run()
        if plan.objective is None:
            return Listed(problem, settings, watch).run()
        if plan.rules is not None:
            return Series(problem, settings, watch, plan.rules, plan.objective).run()
        return Singly(problem, settings, watch, plan.objective).run()
