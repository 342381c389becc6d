"""Parts of a policy are solved, each by the plan there is for it: a guide to the whole after each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from ....models.box_measure import BoxMeasure
from ....models.capped import Capped, largest_group
from ....models.problem import Problem
from ...claims import (
    Counted,
    FamilyClaim,
    Grouped,
    GroupingsClaim,
    Part,
    Plain,
    Rest,
    Shares,
    Sized,
    SubsetsClaim,
    Within,
)
from ...colgen.structure.histograms import Histograms
from ...colgen.structure.signatures import Rules
from ...schedule import ENUMERATED
from ...settings import Answer, Clock, Settings, Watch
from ...shares import Share
from ...status import Status
from .counts.verdicts import refusal
from .enumerated.columns import column_of, released
from .enumerated.guide import Guide
from .enumerated.limits import ENUMERATED_LIMITS as LIMITS
from .enumerated.measure import PricedPart
from .enumerated.part import factor_of, grouped, plain, searchable
from .enumerated.sizes import by_sizes, flattened, sized
from .objective import Objective, factor
from .plan import FirstLevels, first_levels
from .plans import Plans

__all__ = ["guided"]


def guided(
    plans: Plans, problem: Problem, settings: Settings, clock: Clock, hear: Callable[[Fraction], None]
) -> Iterator[Guide]:
    """Solve the parts there are, the grouped one where it says more; yield a guide after each.

    Parameters
    ----------
    hear
        Told of bounds on a problem's only level, as long as a part is solved.
    """
    parts = _Parts(plans, problem, settings, clock)
    part = grouped(problem) if _has_groups(problem) else None
    objective = None if part is None else Objective.of(part)
    if part is not None and isinstance(objective, Objective) and objective.whole:
        rules = Rules.of(part)
        if isinstance(rules, Rules):
            yield parts.with_past(part, rules, objective)
            return
    if searchable(problem):
        yield parts.priced(hear)
        return
    yield from parts.by_levels()


@dataclass(frozen=True, kw_only=True)
class _Settled:
    """First levels that a release reaches, and what it has of what they count (None: they do not say)."""

    levels: int = 0
    hidden: int | None = None
    fakes: int | None = None


class _Parts:
    """Solves parts of one problem, each in its share of the time."""

    def __init__(self, plans: Plans, problem: Problem, settings: Settings, clock: Clock) -> None:
        self.plans, self.problem, self.settings, self.clock = plans, problem, settings, clock
        self._nothing = Guide(problem=problem, levels=(None,) * len(problem.policy.levels))

    def _share(self, share: Share = ENUMERATED.part) -> Settings:
        limit = self.clock.allowed(share)
        return replace(self.settings, time_limit=limit, initial=None, known=None)

    def with_past(self, part: Problem, rules: Rules, objective: Objective) -> Guide:
        """Groups under equal counts and a past."""
        settings, watch = self._share(), Watch()
        known = self.plans.known(part, settings, watch)
        settings = replace(settings, known=None if known is None else known.release)
        answer = self.plans.signature(part, settings, watch, rules, objective).run()
        return self._nothing.after(Grouped(), answer, _within(Grouped(), answer), answer.bounds)

    def priced(self, hear: Callable[[Fraction], None]) -> Guide:
        """Requirements that judge groups by what is published: their duals are the guide."""
        indices = self.problem.policy.decided_by_histograms(self.problem)
        easier, part = plain(self.problem, indices), Plain(requirements=indices)
        objective = Objective.of(easier)
        assert isinstance(objective, Objective)
        own, factor = _alone(self.problem), factor_of(self.problem)
        watch = Watch(lambda point, text: hear(factor * point.bound) if own and point.bound else None)
        solved = self.plans.histogram(easier, self._share(), watch, objective)
        answer = solved.run()
        none = answer.status is Status.INFEASIBLE
        duals = solved.root.duals
        useful = none or duals is not None
        priced = None
        if duals is not None:
            bound, cuts = solved.progress.bound, solved.pricing.cuts
            priced = PricedPart(rows=solved.rows, cuts=cuts, duals=duals, bound=bound)
        held = _within(part, answer) if useful else None
        guide = self._nothing.after(part, answer, held, self._nothing.levels)
        return replace(guide, infeasible=none and own, solved=None if none else priced)

    def by_levels(self) -> Iterator[Guide]:
        """Counterfeits under equal counts, then levels by sizes, then boxes beside or before them."""
        guide = replace(self._nothing, levels=(Fraction(0), *self._nothing.levels[1:]))
        guide, settled = self._counted(guide)
        yield guide
        if guide.ended or self.clock.over:
            return
        guide, sizes = self._sized(guide, settled)
        yield guide
        if guide.ended or self.clock.over or settled.levels:
            return
        if _boxes_last(self.problem):
            yield from self._boxed(guide)
            return
        first = first_levels(self.problem)
        if first is None:
            return
        guide = self._leading(guide, first, sizes)
        yield guide
        if not (guide.ended or self.clock.over) and first.part.levels < len(guide.levels):
            yield self._sized(guide, _Settled(levels=first.part.levels))[0]

    def _counted(self, guide: Guide) -> tuple[Guide, _Settled]:
        """The fewest counterfeits, where respondents return under equal counts."""
        found = flattened(self.problem)
        if found is None:
            return guide, _Settled()
        flat, rules, objective = found
        answer = self.plans.signature(flat, self._share(), Watch(), rules, objective).run()
        bounds = answer.bounds[:-1]
        held, levels = _within(Counted(), answer), (*bounds, *guide.levels[len(bounds) :])
        if answer.release is None:
            return guide.after(Counted(), answer, held, levels), _Settled()
        columns = [column_of(group, self.problem.table.row) for group in answer.release.groups]
        published = replace(answer, release=released(self.problem, columns))
        settled = _Settled()
        if flat.objective(answer.release)[:-1] == bounds:
            named = {what for level in flat.policy.levels[:-1] for what in level.counted}
            settled = _Settled(
                levels=len(bounds),
                hidden=0 if "suppressed" in named else None,
                fakes=None if objective.counterfeits is None else answer.release.counterfeits,
            )
        return guide.after(Counted(), published, held, levels), settled

    def _sized(self, guide: Guide, settled: _Settled) -> tuple[Guide, Within | None]:
        """Levels by sizes, after those that are settled; and what is claimed if none are."""
        start, levels = settled.levels, list(guide.levels)
        part = sized(self.problem, start, settled.hidden, settled.fakes)
        if part is None or refusal(part) is not None:
            return guide, None
        told = Sized(start=start, hidden=settled.hidden, fakes=settled.fakes)
        answer = self.plans.counts(part, self._share(), Watch()).run()
        levels[start : start + len(answer.bounds)] = answer.bounds
        if not start:
            levels[0] = answer.bounds[0] or Fraction(0)
        held = _within(told, answer)
        guide = guide.after(told, answer, held, tuple(levels))
        # Fewer counterfeits than are settled may be too few for the sizes asked for.
        return replace(guide, infeasible=guide.infeasible and not start), None if start else held

    def _boxed(self, guide: Guide) -> Iterator[Guide]:
        """Boxes in the last level, after levels by sizes, where a release is known that is best in these.

        Groups of no more tuples than that one's largest are searched; the bound is theirs where none as good
        in the levels before can have a larger one, otherwise that of groups of any size.
        """
        problem, indices = self.problem, self.problem.policy.decided_by_histograms(self.problem)
        easier = plain(problem, indices)
        best = [r for r in guide.releases if problem.objective(r)[:-1] == guide.levels[:-1]]
        if not (best and _alone(problem) and isinstance(Histograms.of(easier), Histograms)):
            return
        largest = max(group.size for group in best[-1].groups)
        proven = largest_group(problem, problem.objective(best[-1])[:-1]) <= largest
        if not proven or len(problem.table) > LIMITS.dealt:
            part = Plain(requirements=indices)
            guide = self._last(guide, easier, part, self._share(), bounding=not proven)
            yield guide
        if guide.ended or self.clock.over:
            return
        capped = Capped(requirements=easier.policy.group_requirements, largest=largest)
        fewer = replace(easier, policy=easier.policy.changed(requirements=[capped]))
        settings = replace(self._share(ENUMERATED.boxes), initial=best[-1], known=guide.releases[-1])
        part = Plain(requirements=indices, largest=largest)
        yield self._last(guide, fewer, part, settings, bounding=proven)

    def _last(
        self, guide: Guide, easier: Problem, part: Plain, settings: Settings, *, bounding: bool = True
    ) -> Guide:
        """Solve a part that measures the last level's boxes; its bound counts if it is one of the whole."""
        objective = Objective.of(easier)
        assert isinstance(objective, Objective)
        answer = self.plans.histogram(easier, settings, Watch(), objective).run()
        held, bound, levels = _within(part, answer), answer.bounds[-1], guide.levels
        if not bounding or bound is None or held is None:  # then it says nothing but its release
            return guide.after(part, replace(answer, status=Status.FEASIBLE, refusal=None), None, levels)
        boxes = factor(self.problem.policy.levels[-1], self.problem.table) * bound
        return guide.after(part, answer, held, (*levels[:-1], boxes))

    def _leading(self, guide: Guide, first: FirstLevels, sizes: Within | None) -> Guide:
        """First levels that have a plan of their own; of a sum, beside losses by sizes, what boxes cost."""
        easier, part = first.problem, first.part
        settings, watch = self._share(ENUMERATED.boxes), Watch()  # nothing else is to be searched
        known = self.plans.known(easier, settings, watch)
        limit = settings.time_limit
        settings = replace(settings, known=None if known is None else known.release, asked=limit)
        answer = self.plans.own(easier, settings, watch, first.plan).run()
        held = _within(part, answer)
        if held is None:
            return guide.after(part, answer, None, guide.levels)
        proven = {claim.level for claim in held.claims}
        levels, last = list(guide.levels), part.levels - 1
        for level, bound in enumerate(answer.bounds):
            if bound is not None and level in proven:
                levels[level] = bound
        whole = self.problem.policy.levels[last].losses <= set(part.losses)
        if sizes is None or last or whole or last not in proven:
            return guide.after(part, answer, held, tuple(levels))
        levels[0] = (levels[0] or Fraction(0)) + (guide.levels[0] or 0)
        others, both = (c for c in guide.claims if c is not sizes), Shares(sizes=sizes, boxes=held)
        return replace(guide, claims=tuple(others)).after(part, answer, both, tuple(levels))


def _has_groups(problem: Problem) -> bool:
    """Whether some requirements judge groups, and others whole releases."""
    return bool(problem.policy.group_requirements and problem.policy.joint_requirements)


def _boxes_last(problem: Problem) -> bool:
    """Whether levels by sizes come before one that measures boxes and nothing else."""
    *before, last = problem.policy.levels
    if not before or problem.policy.form != "generalized":
        return False
    measure = BoxMeasure.of(last, problem.table)
    boxes_alone = measure is not None and last.losses <= set(measure.names)
    return boxes_alone and all(by_sizes(problem, name) for level in before for name in level.losses)


def _alone(problem: Problem) -> bool:
    """Whether there is neither suppression nor a counterfeit, so that a part's bound is the whole's."""
    policy = problem.policy
    return policy.counterfeit_limit == 0 and not policy.suppression_limit(len(problem.table))


def _within(part: Part, answer: Answer) -> Within | None:
    """What an answer to a part of the policy claims."""
    last = len(answer.bounds) - 1
    direct = tuple(
        claim
        for claim in answer.claims
        # The last level of what is counted without boxes says nothing of the whole.
        if not isinstance(claim, Within | Shares | Rest | SubsetsClaim | GroupingsClaim | FamilyClaim)
        and not (part.kind == "counted" and claim.level == last)
    )
    return Within(part=part, claims=direct) if direct else None
