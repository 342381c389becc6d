"""The same policy without suppression and counterfeits first, where that is searched in a better way.

Whoever may leave tuples out, or make some up, loses no more than who may not. But some losses and
requirements have plans of their own only where neither is allowed, and others have poorer ones; all else is
searched by lists of groups, or tuple by tuple. So the release of the stricter policy is a start, and what is
found is no worse; its duals bound the looser one, too, lowered to what a suppressed tuple costs. Where the
first levels only count what the stricter policy forbids, a release of it is best in them: the rest of the
levels is all that is left to search, and what is proven of them holds of the whole (`claims.Rest`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ..models.box_measure import BoxMeasure
from ..models.losses.squared import squared_error_of
from ..models.policy import LevelSpec
from ..models.problem import Problem
from .all_together import last_resort
from .claims import Claim, ListedClaim, Plain, PricedClaim, Rest, Within
from .engines.partition.plan import Plan, first_levels
from .incumbent import BestRelease, passes
from .restarting import goes_on, proves_most, restarted
from .schedule import WHOLE
from .settings import Answer, Settings, Watch
from .status import Point

__all__ = ["Solved", "StricterProblem", "duals_of", "strictly_first"]

NONE = frozenset({"suppressed", "counterfeits"})
"""Losses that are 0 without either."""

Solved = Callable[[Problem, Settings, Watch], Answer]
"""The answer of the engine that has the better plan."""


@dataclass(frozen=True, kw_only=True)
class StricterProblem:
    """The problem without suppression and counterfeits.

    Attributes
    ----------
    problem : Problem
    settled : int
        How many first levels are 0 in its releases and in no others; the rest is what it minimizes.
    """

    problem: Problem
    settled: int

    @classmethod
    def sought(cls, problem: Problem, settings: Settings, *, listed: bool = True) -> StricterProblem | None:
        """None if it is not to be searched first; see `of`."""
        # Without a limit a plan of its own ends by itself: where it begins is not to depend on the pace.
        ends = settings.time_limit is None and isinstance(Plan.own(problem), Plan)
        whole = settings.first or settings.extend is not None
        return None if ends or whole else cls.of(problem, listed=listed)

    @classmethod
    def of(cls, problem: Problem, *, listed: bool = True) -> StricterProblem | None:
        """None if that is the same, or searched in no better way.

        Parameters
        ----------
        problem : Problem
        listed : bool
            Whether it may be searched by lists of groups, guided by a part of the policy.
        """
        policy = problem.policy
        free = policy.suppression_limit(len(problem.table)) > 0, policy.counterfeit_limit != 0
        left = [{n: w for n, w in level.weights if n not in NONE} for level in policy.levels]
        levels: Sequence[LevelSpec] = [level for level in left if level]
        usual = policy.outlook is None and policy.recoding == "multidimensional"
        own = Plan.own(problem)
        if not any(free) or not levels or not usual or not _poorer(own):
            return None
        asked = policy.changed(max_suppressed=0, max_counterfeits=0, minimize=levels)
        strict = replace(problem, policy=asked)
        settled = _settled(problem) if len(levels) + _settled(problem) == len(policy.levels) else 0
        if isinstance(Plan.own(strict), Plan):
            first = settled or isinstance(own, Plan) or not _led(problem)
            return cls(problem=strict, settled=settled) if first else None
        plan = Plan.of(strict)
        better = listed and isinstance(plan, Plan) and plan.guided
        return cls(problem=strict, settled=settled) if better and (settled or not _led(problem)) else None

    def solve(self, settings: Settings, watch: Watch, solved: Solved) -> Answer:
        """The answer, as one of the whole problem whose first levels are settled."""
        before = self.settled

        def hear(point: Point, text: str) -> None:
            watch.note(before + point.level, point.value, point.bound, text)

        answer = solved(self.problem, settings, Watch(hear, watch.clock.began))
        claims = tuple(
            Rest(levels=before, claim=claim) for claim in answer.claims if not isinstance(claim, Rest)
        )
        return replace(answer, bounds=(Fraction(0),) * before + answer.bounds, claims=claims)


def strictly_first(
    strict: StricterProblem, run: Solved, solved: Solved, problem: Problem, settings: Settings, watch: Watch
) -> Answer:
    """The answer that `run` finds from the stricter policy's release on, or that this policy tells alone.

    Each restart is of both, unless the stricter one had the last word.

    Parameters
    ----------
    strict : StricterProblem
    run, solved : callable
        Who answers the problem, and who the stricter one.
    problem, settings, watch
    """
    initial, began = settings.initial, watch.clock.began
    if strict.settled and (
        last_resort(strict.problem) is not None or (initial is not None and passes(strict.problem, initial))
    ):
        answer = strict.solve(settings, watch, solved)
        if answer.release is not None or answer.interrupted:
            return answer
    stricter = list[Answer]()

    def both(own: Settings, best: BestRelease) -> Answer:
        if not stricter or goes_on(stricter[-1]):
            stricter.append(solved(strict.problem, _share(own, began), Watch(began=began)))
            found = stricter[-1].release
            if found is not None and passes(problem, found):
                best.offer(found, "without suppression and counterfeits", checked=True)
            if stricter[-1].interrupted:
                claims = duals_of(problem, proves_most(stricter))
                return best.answer(claims, interrupted=True)
        answer = run(problem, replace(own, initial=best.best or own.initial), watch)
        claims = *answer.claims, *duals_of(problem, proves_most(stricter))
        return replace(answer, claims=claims)

    return restarted(both, problem, settings, watch)


def _share(own: Settings, began: float) -> Settings:
    """The stricter policy's part of a restart."""
    clock = own.clock(began)
    limit = clock.seconds + (clock.allowed(WHOLE.stricter) or 0.0)
    return replace(own, time_limit=limit, asked=limit)


def duals_of(problem: Problem, strict: Sequence[Claim]) -> tuple[Claim, ...]:
    """What duals prove of the stricter policy and, where a suppressed tuple has a price, of this one."""
    policy, every = problem.policy, problem.policy.decided_by_histograms(problem)
    if policy.counterfeit_limit != 0 or len(every) < len(policy.requirements):
        return ()
    priced = [c.without_tree if isinstance(c, ListedClaim) else c for c in strict]
    duals = [c for c in priced if isinstance(c, PricedClaim) and not c.blocks]
    if squared_error_of(problem) is not None:
        return tuple(duals)
    left = [i for i, level in enumerate(policy.levels) if not level.losses <= NONE]
    found = [(left[claim.level], claim) for claim in duals]
    return tuple(
        Within(part=Plain(requirements=every, level=level), claims=(claim,))
        for level, claim in found
        if BoxMeasure.of(policy.levels[level], problem.table) is not None
    )


def _poorer(plan: Plan | str) -> bool:
    """Whether there is none, or one with prices of suppressed tuples, which has neither dives nor blocks."""
    return not isinstance(plan, Plan) or (plan.objective is not None and plan.objective.price is not None)


def _settled(problem: Problem) -> int:
    """First levels that count what is allowed, and nothing else; 0 if they leave something uncounted."""
    policy, counted, levels = problem.policy, set[str](), 0
    for level in policy.levels:
        if not level.losses <= NONE:
            break
        counted |= level.losses
        levels += 1
    suppresses = policy.suppression_limit(len(problem.table)) > 0 and "suppressed" not in counted
    invents = policy.counterfeit_limit != 0 and "counterfeits" not in counted
    return 0 if suppresses or invents else levels


def _led(problem: Problem) -> bool:
    """Whether first levels have a good plan under all requirements, whoever is suppressed counted."""
    first, policy = first_levels(problem), problem.policy
    if first is None or _poorer(first.plan) or len(first.part.requirements) < len(policy.requirements):
        return False
    left = policy.levels[first.part.levels - 1].losses - set(first.part.losses)
    return not left & NONE
