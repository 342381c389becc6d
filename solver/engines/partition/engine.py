"""Partition engine: set partitioning over QI-groups, by one of six plans."""

from __future__ import annotations

from dataclasses import replace

from ....models.errors import EngineError
from ....models.problem import Problem
from ...ending import ending
from ...engine import last
from ...settings import Answer, Clock, Settings, Watch
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
    asks_for_heuristics = True

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
        if plan.objective is not None and plan.rules is None and not plan.counts and plan.points is None:
            return HistogramSearch(problem, settings, watch, plan.objective).run()
        if settings.further is not None:
            clock = Clock(settings.time_limit, watch.clock.began)
            clock.keep(ending(problem))
            settings = replace(settings, known=last(settings.further(clock)), further=None)
        if plan.counts:
            return CountsSearch(problem, settings, watch).run()
        if plan.points is not None:
            return PointsSearch(problem, settings, watch, plan.points).run()
        asked = demand(problem) if plan.objective is None else None
        if asked is not None:
            return WithstandSearch(problem, asked, settings, watch, guided).run()
        if plan.objective is None:
            return EnumeratedSearch(problem, settings, watch, guided).run()
        assert plan.rules is not None, "all others are searched by histograms"
        if plan.objective.planned is not None:
            return AheadSearch(problem, settings, watch, plan.rules, plan.objective).run()
        return SignatureSearch(problem, settings, watch, plan.rules, plan.objective).run()
