"""What sets up the search of each plan of the partition engine.

A plan that needs the answer of another one is given what sets that one up: `solve` puts them together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from ....models.losses.sizes import Discernibility
from ....models.problem import Problem
from ....models.release import Release
from ....models.requirements.resists_inference import ResistsInference
from ...colgen.duals import DualBound
from ...colgen.histogram_pricing import HistogramPricing
from ...colgen.points.table import PointRows
from ...colgen.structure.histograms import Judge
from ...colgen.structure.signatures import Rules
from ...colgen.table import Rows
from ...ending import search_clock
from ...engine import PlanSearch
from ...limits import HISTOGRAM_LIMITS as LIMITS
from ...schedule import HISTOGRAM
from ...settings import Settings, Watch
from .counts.verdicts import refusal
from .enumerated.guide import Guiding
from .objective import Objective
from .plan import Plan
from .progress import Progress

__all__ = ["Plans"]


class PricedSearch(PlanSearch, Protocol):
    """One by histograms, with what its linear program found."""

    @property
    def rows(self) -> Rows: ...
    @property
    def pricing(self) -> HistogramPricing: ...
    @property
    def root(self) -> DualBound: ...
    @property
    def progress(self) -> Progress: ...


Histogram = Callable[[Problem, Settings, Watch, Objective], PricedSearch]
Signature = Callable[[Problem, Settings, Watch, Rules, Objective], PlanSearch]


class KnownRelease(Protocol):
    """What heuristics have found."""

    @property
    def release(self) -> Release: ...


@dataclass(frozen=True, kw_only=True)
class Plans:
    """What sets up the search of each plan; the best that heuristics find is `known`."""

    histogram: Histogram
    signature: Signature
    ahead: Callable[[Problem, Settings, Watch, Rules, Objective, Signature], PlanSearch]
    counts: Callable[[Problem, Settings, Watch], PlanSearch]
    points: Callable[[Problem, Settings, Watch, PointRows], PlanSearch]
    enumerated: Callable[[Problem, Settings, Watch, Guiding], PlanSearch]
    withstand: Callable[[Problem, ResistsInference, Settings, Watch, Guiding, Histogram], PlanSearch]
    known: Callable[[Problem, Settings, Watch], KnownRelease | None]

    def own(self, problem: Problem, settings: Settings, watch: Watch, plan: Plan) -> PlanSearch:
        """The search of a plan that enumerates no groups."""
        asked = problem, settings, watch
        match plan:
            case Plan(name="counts"):
                return self.counts(*asked)
            case Plan(name="points", points=PointRows() as points):
                return self.points(*asked, points)
            case Plan(name="histogram", objective=Objective() as objective):
                return self.histogram(problem, self._begun(*asked), watch, objective)
            case Plan(name="ahead", rules=Rules() as rules, objective=Objective() as objective):
                return self.ahead(*asked, rules, objective, self.signature)
            case Plan(name="signature", rules=Rules() as rules, objective=Objective() as objective):
                return self.signature(*asked, rules, objective)
            case _:
                raise AssertionError(f"groups are enumerated: {plan.why}")

    def _begun(self, problem: Problem, settings: Settings, watch: Watch) -> Settings:
        """With a release by what is asked of values alone, where there is none and no group has everybody.

        Of small tables under several requirements: for others heuristics find one.
        """
        policy, tuples = problem.policy, len(problem.table)
        if settings.known is not None or policy.suppression_limit(tuples):
            return settings
        if tuples >= LIMITS.simplex_rows or len(policy.requirements) == 1:
            return settings
        if Judge(problem).admits_all:
            return settings
        sizes = policy.changed(minimize=[Discernibility.name], outlook="none", max_counterfeits=0)
        counted = replace(problem, policy=sizes)
        if refusal(counted) is not None:
            return settings
        limit = search_clock(problem, settings, watch).share(HISTOGRAM.start).left
        own = replace(settings, time_limit=limit, initial=None)
        found = self.counts(counted, own, Watch()).run()
        if found.interrupted:
            raise KeyboardInterrupt
        return replace(settings, known=found.release)
