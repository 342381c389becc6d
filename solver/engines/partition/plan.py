"""Which way a problem is solved: single groups with boxes, equal counts and a past, no boxes, lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from ....models.box_measure import BoxMeasure
from ....models.losses.base import loss
from ....models.losses.squared import squared_error_of
from ....models.memo import memoized
from ....models.policy import Level
from ....models.problem import Problem
from ....models.problem_view import smallest_group
from ....models.requirement import Scope
from ....models.requirements.resists_inference import ResistsInference
from ....models.structure import DependsOn
from ...claims import Leading
from ...colgen.points.limits import POINTS
from ...colgen.points.table import PointRows
from ...colgen.structure.histograms import Histograms, Judge, by_sizes_alone
from ...colgen.structure.signatures import Rules
from ...limits import HISTOGRAM_LIMITS as LIMITS
from .counts.verdicts import refusal
from .enumerated.part import leading, searchable
from .enumerated.sizes import flattened, sized
from .objective import Objective
from .withstand.limits import WITHSTAND_LIMITS

__all__ = ["FirstLevels", "Plan", "PlanName", "first_levels"]

PlanName: TypeAlias = Literal[
    "histogram", "signature", "ahead", "counts", "points", "withstand", "enumerated"
]

UNSUPPRESSED = "signatures are planned for releases that suppress nobody: set max_suppressed to 0"


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How to solve a problem.

    Attributes
    ----------
    objective : Objective or None
        None if groups are to be listed, or have no boxes.
    rules : Rules or None
        Demands of equal counts and of the history, if the problem is solved by them.
    counts : bool
        Whether histograms are all that matters of groups.
    points : PointRows or None
        The table as points, if squared error is all that counts, and histograms all that is asked of groups.
    why : str
        Why groups are enumerated; empty otherwise.
    guided : bool
        Whether a part of the policy gives a bound on all it counts, or duals to enumerate groups by.
    demand : ResistsInference or None
        What whole series are searched for that keep it, instead of enumerating groups.
    """

    objective: Objective | None
    rules: Rules | None = None
    counts: bool = False
    points: PointRows | None = None
    why: str = ""
    guided: bool = True
    demand: ResistsInference | None = None

    @property
    def name(self) -> PlanName:
        """Whose search it is."""
        if self.counts:
            return "counts"
        if self.points is not None:
            return "points"
        if self.demand is not None:
            return "withstand"
        if self.objective is None:
            return "enumerated"
        if self.rules is None:
            return "histogram"
        return "signature" if self.objective.planned is None else "ahead"

    @classmethod
    def of(cls, problem: Problem) -> Plan | str:
        """Make a plan, or say why the engine refuses the problem.

        Equal counts (`Structure.signature`) carry respondents who come back and
        counterfeits. Histograms carry the rest if nobody's past matters and levels of
        counterfeits and suppressed tuples are at 0, because a release without them exists. Where no loss
        looks at boxes, histograms are all there is. All other problems are solved by enumerating groups:
        guided by a part of the policy, or all of them if the table is small.
        """
        found = cls.own(problem)
        if isinstance(found, Plan) or problem.policy.recoding != "multidimensional":
            return found
        levels = problem.policy.levels
        whole = {name for level in levels for name in level.losses if loss(name).combine == "release"}
        if whole:
            demand = _demand(problem) if all(loss(name).beside_boxes for name in whole) else None
            return found if demand is None else cls(objective=None, why=found, demand=demand)
        guided = _parted(problem) or first_levels(problem) is not None
        return cls(objective=None, why=found, guided=guided, demand=_demand(problem))

    @classmethod
    def own(cls, problem: Problem) -> Plan | str:
        """One of the plans that enumerate no groups, or why none of them will do."""
        if problem.policy.recoding != "multidimensional":
            return "the partition engine groups tuples freely: ask for recoding 'multidimensional'"
        if refusal(problem) is None:
            return cls(objective=None, counts=True)
        points = _points(problem)
        return cls._priced(problem) if points is None else cls(objective=None, points=points)

    @classmethod
    def _priced(cls, problem: Problem) -> Plan | str:
        """Groups that have boxes, and prices."""
        if joint := problem.policy.joint_requirements:
            return f"{joint[0].name} looks at whole releases"
        objective = Objective.of(problem)
        if isinstance(objective, str):
            return objective
        if objective.price is not None:
            return cls._suppressing(problem, objective)
        groupwise = problem.policy.group_requirements
        past = next((r for r in groupwise if r.structure(problem).depends_on is DependsOn.MEMBERS), None)
        equal = any(r.structure(problem).signature is not None for r in groupwise)
        why = "only equal counts carry counterfeits"
        if past is not None or (equal and objective.any_fakes):
            rules = Rules.of(problem)
            if isinstance(rules, Rules):
                if objective.planned is not None and problem.policy.suppression_limit(len(problem.table)):
                    return UNSUPPRESSED
                if objective.whole:
                    return cls(objective=objective, rules=rules)
                rules = "counterfeits need a level of their own, suppressed tuples one before it"
            why = rules
            if past is not None:
                return f"{past.name} may judge by who is in a group, not by its values alone ({rules})"
        if objective.planned is not None:
            return f"signatures are planned for requirements of equal counts ({why})"
        if objective.any_fakes or problem.policy.suppression_limit(len(problem.table)):
            judge = Judge(problem)
            unnamed = objective.any_fakes and objective.counterfeits is None
            if unnamed or not judge.admits_all:
                return f"tuples may be suppressed, or counterfeits made ({why})"
        found = Histograms.of(problem)
        return found if isinstance(found, str) and not _unlisted(problem) else cls(objective=objective)

    @classmethod
    def _suppressing(cls, problem: Problem, objective: Objective) -> Plan | str:
        """Groups beside suppressed tuples, which have a price of their own."""
        if objective.any_fakes:
            return "tuples may be suppressed beside counterfeits"
        if objective.planned is not None:
            return UNSUPPRESSED
        for r in problem.policy.requirements:
            if r.structure(problem).depends_on is DependsOn.MEMBERS:
                return f"{r.name} asks who was where before, and tuples may be suppressed"
        if smallest_group(problem) < 2:
            return "tuples may be suppressed, and published alone"
        found = Histograms.of(problem)
        return found if isinstance(found, str) else cls(objective=objective)


def _demand(problem: Problem) -> ResistsInference | None:
    """The policy's `resists_inference`, if releases are searched that withstand it."""
    found = [r for r in problem.policy.requirements if isinstance(r, ResistsInference)]
    if len(found) != 1 or found[0].forgive_past:
        return None
    if len(problem.table) <= WITHSTAND_LIMITS.tuples or len(problem.values) > WITHSTAND_LIMITS.values:
        return None
    return found[0] if searchable(problem) else None


@memoized
def _points(problem: Problem) -> PointRows | None:
    policy = problem.policy
    if policy.form != "generalized" or policy.counterfeit_limit != 0:
        return None
    if policy.suppression_limit(len(problem.table)) or squared_error_of(problem) is None:
        return None
    if any(
        r.scope is not Scope.GROUP or r.structure(problem).depends_on is DependsOn.MEMBERS
        for r in policy.requirements
    ):
        return None
    judge = Judge(problem)
    if judge.least < 2:  # nothing is lost by whoever is alone, and searches are about pairs
        return None
    if not by_sizes_alone(judge):
        # Moves need groups to begin with and all pairs of tuples; small tables exact programs.
        fits = POINTS.judged < len(problem.table) <= POINTS.most_rows
        if not fits or not judge.admits_all:
            return None
    found = PointRows.of(problem)
    return None if isinstance(found, str) else found


def _unlisted(problem: Problem) -> bool:
    """Whether a table is too large for lists of groups, and any groups that are merged keep the policy."""
    table, judge = problem.table, Judge(problem)
    return (
        len(table) >= LIMITS.unlisted
        and all(r.structure(problem).monotone for r in judge.requirements)
        and judge.admits_all
        and not _parted(problem)
    )


def _parted(problem: Problem) -> bool:
    """Whether levels by sizes, or the last one's boxes, give a bound under a part of the policy."""
    if searchable(problem):
        return True
    # No part says how many cells have to be hidden.
    if not all(loss(name).by_group for level in problem.policy.levels for name in level.losses):
        return False
    return sized(problem) is not None or flattened(problem) is not None


@dataclass(frozen=True, kw_only=True)
class FirstLevels:
    """First levels with a plan of their own: what is claimed of them, and how they are searched.

    Attributes
    ----------
    part : Leading
    problem : Problem
    plan : Plan
    """

    part: Leading
    problem: Problem
    plan: Plan


@memoized
def first_levels(problem: Problem) -> FirstLevels | None:
    """As many first levels as have a plan of their own, under as many requirements; None if none has.

    Of a weighted sum it may be what boxes cost. Levels that are all by sizes are parts anyway (`sized`).
    """
    policy, known = problem.policy, problem.policy.decided_by_histograms(problem)
    if policy.form != "generalized" or policy.counts("hidden_cells"):
        return None
    listed = tuple(
        i for i in known if policy.requirements[i].structure(problem).decomposable_from is not None
    )
    for indices in dict.fromkeys((known, listed, ())):
        for levels in range(len(policy.levels), 0, -1):
            for losses in _shares(problem, policy.levels[levels - 1]):
                asked = leading(problem, levels, losses, indices)
                plan = None if asked is None else Plan.own(asked)
                if asked is not None and isinstance(plan, Plan) and not plan.counts:
                    part = Leading(levels=levels, losses=losses, requirements=indices)
                    return FirstLevels(part=part, problem=asked, plan=plan)
    return None


def _shares(problem: Problem, level: Level) -> list[tuple[str, ...]]:
    """All losses of a level, and those that measure boxes."""
    measure = BoxMeasure.of(level, problem.table)
    found = [tuple(sorted(level.losses)), () if measure is None else tuple(sorted(measure.names))]
    return [losses for losses in dict.fromkeys(found) if losses]
