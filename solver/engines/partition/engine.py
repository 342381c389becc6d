"""Partition engine: set partitioning over QI-groups, by one of seven plans.

Where groups have to be enumerated, or the demand is on whole series, parts of the policy are solved first,
one after the other, by whatever plan is there for them; after each there is a guide to the whole (`guiding`).
The engine is given the search of each plan (`Plans`): `solve` puts them together.
"""

from __future__ import annotations

from dataclasses import replace

from ....models.errors import EngineError
from ....models.problem import Problem
from ...ending import search_clock
from ...engine import PlanSearch, last
from ...limits import PORTFOLIO
from ...settings import Answer, Settings, Watch
from .enumerated.guide import Guiding
from .plan import Plan
from .plans import Plans

__all__ = ["PartitionEngine"]


class PartitionEngine:
    """Hundreds of tuples and more where groups can be searched by duals; all policies on small tables.

    `Plan` says which of the plans is followed, and why.
    """

    name = "partition"
    asks_for_heuristics = True

    def __init__(self, plans: Plans, guiding: Guiding) -> None:
        self.plans, self.guiding = plans, guiding

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
        # Heuristics know nothing of the demand: large tables have no time for them.
        hopeless = plan.name == "withstand" and len(problem.table) > PORTFOLIO.tuples
        if plan.name != "histogram" and settings.further is not None and not hopeless:
            known = last(settings.further(search_clock(problem, settings, watch)))
            settings = replace(settings, known=known, further=None)
        return self._search(problem, settings, watch, plan).run()

    def _search(self, problem: Problem, settings: Settings, watch: Watch, plan: Plan) -> PlanSearch:
        """The search of a plan."""
        plans = self.plans
        if not plan.why:
            return plans.own(problem, settings, watch, plan)
        if plan.demand is not None:
            return plans.withstand(problem, plan.demand, settings, watch, self.guiding, plans.histogram)
        return plans.enumerated(problem, settings, watch, self.guiding)
