"""The bound from parts of a policy, and a part's duals as a guide to the groups that matter.

Parts are solved one after the other, and after each there is a guide that says what they say of the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from .....models.problem import Problem
from .....models.release import Release
from .....models.requirement import GroupRequirement
from ....claims import (
    Claim,
    Counted,
    Grouped,
    GroupingsClaim,
    Part,
    PartRefusal,
    Plain,
    Shares,
    Sized,
    SubsetsClaim,
    Within,
)
from ....colgen.structure.histograms import Histograms
from ....colgen.structure.signatures import Rules
from ....portfolio import best_known
from ....result import Status, Termination
from ....schedule import ENUMERATED
from ....settings import Answer, Clock, Settings, Watch
from ..counts.search import CountsSearch
from ..histogram import HistogramSearch
from ..objective import Objective, factor
from ..signature.levels import SignatureSearch
from .columns import NamedColumn, column_of, released
from .measure import ReducedCosts
from .part import factor_of, grouped, kept, plain, searchable
from .sizes import flattened, sized

__all__ = ["Guide", "guided"]

Levels = tuple[Fraction | None, ...]


@dataclass(frozen=True, kw_only=True)
class Guide:
    """What the parts solved so far say of the whole problem.

    Attributes
    ----------
    problem : Problem
        The whole.
    levels : tuple of Fraction or None
        Bounds of the parts, given that a release is at them in all levels before.
    releases : tuple of Release
        Of the parts; they need not keep the whole policy.
    claims : tuple of Claim
        What proves the bounds.
    refusal : PartRefusal or None
        Why a part has no release.
    infeasible : bool
        Whether a part has no release, so the whole has none.
    interrupted : bool
    solved : HistogramSearch or None
        The part whose duals measure groups, if there is one: then the bounds are its own.
    verdicts : dict
        On groups, shared between measures.
    """

    problem: Problem
    levels: Levels
    releases: tuple[Release, ...] = ()
    claims: tuple[Claim, ...] = ()
    refusal: PartRefusal | None = None
    infeasible: bool = False
    interrupted: bool = False
    solved: HistogramSearch | None = None
    verdicts: dict[NamedColumn, bool] = field(default_factory=dict[NamedColumn, bool])

    @property
    def ended(self) -> bool:
        """Whether no further part is to be solved."""
        return self.infeasible or self.interrupted

    def after(self, part: Part, answer: Answer, held: Claim | None, levels: Levels) -> Guide:
        """With the answer to one more part, whose claims are `held`."""
        refusal = self.refusal
        if answer.refusal is not None and not isinstance(answer.refusal, PartRefusal):
            refusal = PartRefusal(part=part, refusal=answer.refusal)
        return replace(
            self,
            levels=levels,
            releases=(*self.releases, *(() if answer.release is None else (answer.release,))),
            claims=(*self.claims, *(() if held is None else (held,))),
            refusal=refusal,
            infeasible=answer.status is Status.INFEASIBLE,
            interrupted=answer.termination is Termination.INTERRUPTED,
        )

    # -- what it says of the whole problem ---------------------------------------------------

    def bounds(self, values: tuple[Fraction, ...] | None = None) -> list[Fraction | None]:
        """Bounds per level, given the values of the best release so far."""
        if self.solved is None:
            return self._chained(values)
        measure = self._measure(self.solved, values)
        return [None] * len(self.levels) if measure is None else measure.bounds(measure.known)

    def _chained(self, values: tuple[Fraction, ...] | None) -> list[Fraction | None]:
        """A level's bound is about releases whose levels before are what the part's are."""
        before = () if values is None else values
        return [bound if before[:i] == self.levels[:i] else None for i, bound in enumerate(self.levels)]

    def claims_for(self, values: tuple[Fraction, ...] | None) -> tuple[Claim, ...]:
        """The claims that bound releases with these values in the levels before."""
        known = self.bounds(values)
        found: list[Claim] = []
        for claim in self.claims:
            if not isinstance(claim, Within):
                found.append(claim)
                continue
            first = claim.part.start if isinstance(claim.part, Sized) else 0
            if isinstance(claim.part, Plain):
                kept = claim.claims if known[-1] is not None else ()
            else:
                kept = tuple(own for own in claim.claims if known[first + own.level] is not None)
            found += [claim.model_copy(update={"claims": kept})] if kept else []
        return tuple(found)

    def measure(self, values: tuple[Fraction, ...] | None, clock: Clock) -> ReducedCosts | None:
        """How groups are measured below the best release; None if no duals say anything of it."""
        if self.solved is None or values is None:
            return None
        return self._measure(self.solved, values, clock)

    def _measure(
        self, solved: HistogramSearch, values: tuple[Fraction, ...] | None, clock: Clock | None = None
    ) -> ReducedCosts | None:
        """The last level at the duals of a part.

        Levels before the last must be 0 in the best release: then they are in every better one, and the
        last level is compared among releases without what they count.
        """
        policy = self.problem.policy
        before = policy.levels[:-1]
        if before and (values is None or any(values[:-1])):
            return None
        gone = {what for level in before for what in level.counted}
        limits = {"suppressed": "max_suppressed", "counterfeits": "max_counterfeits"}
        changes = {limit: 0 for name, limit in limits.items() if name in gone}
        if changes.get("max_counterfeits", policy.counterfeit_limit) != 0:
            return None
        problem = replace(self.problem, policy=policy.changed(**changes)) if changes else self.problem
        best = None if values is None else values[-1]
        return ReducedCosts(problem, factor_of(problem), solved, best, clock or Clock(), self.verdicts)


def guided(
    problem: Problem, settings: Settings, clock: Clock, hear: Callable[[Fraction], None]
) -> Iterator[Guide]:
    """Solve the parts there are, the grouped one where it says more; yield a guide after each.

    Parameters
    ----------
    hear
        Told of bounds on a problem's only level, as long as a part is solved.
    """
    parts = _Parts(problem, settings, clock)
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

    def __init__(self, problem: Problem, settings: Settings, clock: Clock) -> None:
        self.problem, self.settings, self.clock = problem, settings, clock
        self._nothing = Guide(problem=problem, levels=(None,) * len(problem.policy.levels))

    def _share(self) -> Settings:
        limit = self.clock.allowed(ENUMERATED.part)
        return replace(self.settings, time_limit=limit, initial=None, known=None)

    def with_past(self, part: Problem, rules: Rules, objective: Objective) -> Guide:
        """Groups under equal counts and a past."""
        settings, watch = self._share(), Watch()
        known = best_known(part, settings, watch)
        settings = replace(settings, known=None if known is None else known.release)
        answer = SignatureSearch(part, settings, watch, rules, objective).run()
        return self._nothing.after(Grouped(), answer, _within(Grouped(), answer), answer.bounds)

    def priced(self, hear: Callable[[Fraction], None]) -> Guide:
        """Requirements that judge groups by what is published: their duals are the guide."""
        indices = kept(self.problem)
        easier, part = plain(self.problem, indices), Plain(requirements=indices)
        objective = Objective.of(easier)
        assert isinstance(objective, Objective)
        own, factor = _alone(self.problem), factor_of(self.problem)
        watch = Watch(lambda point, text: hear(factor * point.bound) if own and point.bound else None)
        solved = HistogramSearch(easier, self._share(), watch, objective)
        answer = solved.run()
        none = answer.status is Status.INFEASIBLE
        useful = none or solved.root.duals is not None
        held = _within(part, answer) if useful else None
        guide = self._nothing.after(part, answer, held, self._nothing.levels)
        return replace(guide, infeasible=none and own, solved=solved if useful and not none else None)

    def by_levels(self) -> Iterator[Guide]:
        """Counterfeits under equal counts, then levels by sizes, then boxes beside them."""
        guide = replace(self._nothing, levels=(Fraction(0), *self._nothing.levels[1:]))
        guide, settled = self._counted(guide)
        yield guide
        if guide.ended or self.clock.over:
            return
        guide, sizes = self._sized(guide, settled)
        yield guide
        if not (guide.ended or self.clock.over or settled.levels):
            yield self._mixed(guide, sizes)

    def _counted(self, guide: Guide) -> tuple[Guide, _Settled]:
        """The fewest counterfeits, where respondents return under equal counts."""
        found = flattened(self.problem)
        if found is None:
            return guide, _Settled()
        flat, rules, objective = found
        answer = SignatureSearch(flat, self._share(), Watch(), rules, objective).run()
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
        if part is None:
            return guide, None
        told = Sized(start=start, hidden=settled.hidden, fakes=settled.fakes)
        answer = CountsSearch(part, self._share(), Watch()).run()
        levels[start : start + len(answer.bounds)] = answer.bounds
        if not start:
            levels[0] = answer.bounds[0] or Fraction(0)
        held = _within(told, answer)
        guide = guide.after(told, answer, held, tuple(levels))
        # Fewer counterfeits than are settled may be too few for the sizes asked for.
        return replace(guide, infeasible=guide.infeasible and not start), None if start else held

    def _mixed(self, guide: Guide, sizes: Within | None) -> Guide:
        """Information loss in the first level, beside losses by sizes: each has its own least value.

        Where boxes count in another way, the release is still a start.
        """
        first, indices = self.problem.policy.levels[0], kept(self.problem)
        easier, part = plain(self.problem, indices, 0), Plain(requirements=indices)
        boxes = self.problem.policy.form == "generalized"
        if not (boxes and _alone(self.problem) and isinstance(Histograms.of(easier), Histograms)):
            return guide
        objective = Objective.of(easier)
        assert isinstance(objective, Objective)
        answer = HistogramSearch(easier, self._share(), Watch(), objective).run()
        held, share = _within(part, answer), factor(first, self.problem.table)
        bound = answer.bounds[-1]
        if not share or bound is None or held is None:
            return guide.after(part, answer, None, guide.levels)
        levels = ((guide.levels[0] or 0) + share * bound, *guide.levels[1:])
        others = tuple(claim for claim in guide.claims if claim is not sizes)
        return replace(guide, claims=others).after(part, answer, Shares(sizes=sizes, boxes=held), levels)


def _has_groups(problem: Problem) -> bool:
    """Whether some requirements judge groups, and others whole releases."""
    requirements: Sequence[object] = problem.policy.requirements
    return 0 < sum(isinstance(r, GroupRequirement) for r in requirements) < len(requirements)


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
        if not isinstance(claim, Within | Shares | SubsetsClaim | GroupingsClaim)
        and not (part.kind == "counted" and claim.level == last)
    )
    return Within(part=part, claims=direct) if direct else None
