"""Partition engine: set partitioning over QI-groups, by one of six plans."""

from __future__ import annotations

from ....models.errors import EngineError
from ....models.problem import Problem
from ...settings import Answer, Settings, Watch
from .ahead.search import AheadSearch
from .counts.search import CountsSearch
from .enumerated.parts import guided
from .enumerated.search import EnumeratedSearch
from .histogram import HistogramSearch
from .plan import Plan
from .points.search import PointsSearch
from .signature.levels import SignatureSearch
from .withstand.search import WithstandSearch, demand

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
        if plan.counts:
            return CountsSearch(problem, settings, watch).run()
        if plan.points is not None:
            return PointsSearch(problem, settings, watch, plan.points).run()
        asked = demand(problem) if plan.objective is None else None
        if asked is not None:
            return WithstandSearch(problem, asked, settings, watch, guided).run()
        if plan.objective is None:
            return EnumeratedSearch(problem, settings, watch, guided).run()
        if plan.rules is not None and plan.objective.planned is not None:
            return AheadSearch(problem, settings, watch, plan.rules, plan.objective).run()
        if plan.rules is not None:
            return SignatureSearch(problem, settings, watch, plan.rules, plan.objective).run()
        return HistogramSearch(problem, settings, watch, plan.objective).run()
