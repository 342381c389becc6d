"""The bound from a part of the policy, and its duals as a guide to the groups that matter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from .....models.problem import Problem
from .....models.release import Release
from .....models.requirement import GroupRequirement
from ....claims import (
    Claim,
    Counted,
    Grouped,
    Groupings,
    Part,
    PartRefusal,
    Plain,
    Refusal,
    Shares,
    Sized,
    Subsets,
    Within,
)
from ....colgen.structure.histograms import Histograms
from ....colgen.structure.signatures import Rules
from ....portfolio import best_known
from ....result import Status, Termination
from ....schedule import ENUMERATED
from ....settings import Answer, Clock, Settings, Watch
from ..boxless.search import Search as Boxless
from ..objective import Objective, factor
from ..series.levels import Search as Series
from ..singly import Search as Singly
from .columns import Column, column_of, released
from .measure import Measure
from .part import factor_of, grouped, kept, plain, searchable
from .sizes import flattened, sized

__all__ = ["Guide"]


class Guide:
    """The searchable parts of a policy, solved.

    Attributes
    ----------
    releases : list of Release
        Of the parts; they need not keep the whole policy.
    infeasible : bool
        Whether a part has no release, so the whole has none.
    claims : tuple of Claim
        What proves the bounds.
    refusal : Refusal or None
        Why a part has no release.
    """

    def __init__(
        self, problem: Problem, settings: Settings, clock: Clock, hear: Callable[[Fraction], None]
    ) -> None:
        self.problem, self.settings, self.clock, self._hear = problem, settings, clock, hear
        self.releases: list[Release] = []
        self.infeasible = self.interrupted = False
        self.claims: tuple[Claim, ...] = ()
        self.refusal: Refusal | None = None
        self._sizes: Within | None = None
        self._levels: list[Fraction | None] = [None] * len(problem.policy.levels)
        self._settled = 0
        self._hidden: int | None = None
        self._fakes: int | None = None
        self._solved: Singly | None = None
        self._known: dict[Column, bool] = {}

    def run(self) -> None:
        """Solve the parts there are; the grouped one where it says more."""
        part = grouped(self.problem) if self._has_groups else None
        objective = None if part is None else Objective.of(part)
        if part is not None and isinstance(objective, Objective) and objective.whole:
            rules = Rules.of(part)
            if isinstance(rules, Rules):
                self._series(part, rules, objective)
                return
        if searchable(self.problem):
            self._plain()
            return
        self._levels[0] = Fraction(0)
        self._counted()
        if not (self.infeasible or self.interrupted or self.clock.over):
            self._sized()
        if not (self.infeasible or self.interrupted or self.clock.over):
            self._mixed()

    @property
    def _has_groups(self) -> bool:
        requirements = self.problem.policy.requirements
        return 0 < sum(isinstance(r, GroupRequirement) for r in requirements) < len(requirements)

    def _share(self) -> Settings:
        limit = self.clock.allowed(ENUMERATED.part)
        return replace(self.settings, time_limit=limit, initial=None, known=None)

    def _series(self, part: Problem, rules: Rules, objective: Objective) -> None:
        settings, watch = self._share(), Watch()
        known = best_known(part, settings, watch)
        settings = replace(settings, known=None if known is None else known.release)
        answer = Series(part, settings, watch, rules, objective).run()
        self.interrupted = answer.termination is Termination.INTERRUPTED
        self.infeasible = answer.status is Status.INFEASIBLE
        self._levels = list(answer.bounds)
        if answer.release is not None:
            self.releases.append(answer.release)
        self._hold(Grouped(), answer)

    def _counted(self) -> None:
        """The fewest counterfeits, where respondents return under equal counts."""
        found = flattened(self.problem)
        if found is None:
            return
        flat, rules, objective = found
        answer = Series(flat, self._share(), Watch(), rules, objective).run()
        self.interrupted = answer.termination is Termination.INTERRUPTED
        self.infeasible = answer.status is Status.INFEASIBLE
        bounds = list(answer.bounds[:-1])
        self._levels[: len(bounds)] = bounds
        self._hold(Counted(), answer)
        if answer.release is None:
            return
        columns = [column_of(group, self.problem.table.row) for group in answer.release.groups]
        self.releases.append(released(self.problem, columns))
        if list(flat.objective(answer.release)[:-1]) == bounds:
            self._settled = len(bounds)
            named = {name for level in flat.policy.levels[:-1] for name in level.losses}
            self._hidden = 0 if "suppressed" in named else None
            self._fakes = None if objective.counterfeits is None else answer.release.counterfeits

    def _sized(self) -> None:
        """Levels by sizes, after those that are settled."""
        part = sized(self.problem, self._settled, self._hidden, self._fakes)
        if part is None:
            return
        answer = Boxless(part, self._share(), Watch()).run()
        self.interrupted = answer.termination is Termination.INTERRUPTED
        self.infeasible = answer.status is Status.INFEASIBLE and not self._settled
        until = self._settled + len(answer.bounds)
        self._levels[self._settled : until] = answer.bounds
        if not self._settled:
            self._levels[0] = answer.bounds[0] or Fraction(0)
        held = self._hold(Sized(start=self._settled, hidden=self._hidden, fakes=self._fakes), answer)
        self._sizes = held if not self._settled else None
        if answer.release is not None:
            self.releases.append(answer.release)

    def _mixed(self) -> None:
        """Information loss in the first level, beside losses by sizes: each has its own least value.

        Where boxes count in another way, the release is still a start.
        """
        first, tuples = self.problem.policy.levels[0], len(self.problem.table)
        indices = kept(self.problem)
        easier = plain(self.problem, indices)
        share = factor(first, tuples)
        boxes = self.problem.policy.form == "generalized" and not self._settled
        if not (boxes and self._alone and isinstance(Histograms.of(easier), Histograms)):
            return
        objective = Objective.of(easier)
        assert isinstance(objective, Objective)
        answer = Singly(easier, self._share(), Watch(), objective).run()
        self.interrupted = answer.termination is Termination.INTERRUPTED
        self.infeasible = answer.status is Status.INFEASIBLE
        sizes = self._sizes
        held = self._hold(Plain(requirements=indices), answer)
        if share and answer.bounds[-1] is not None and held is not None:
            self._levels[0] = (self._levels[0] or 0) + share * answer.bounds[-1]
            others = tuple(claim for claim in self.claims if claim is not sizes and claim is not held)
            self.claims = (*others, Shares(sizes=sizes, boxes=held))
        else:
            self.claims = tuple(claim for claim in self.claims if claim is not held)
        if answer.release is not None:
            self.releases.append(answer.release)

    def _plain(self) -> None:
        indices = kept(self.problem)
        easier = plain(self.problem, indices)
        objective = Objective.of(easier)
        assert isinstance(objective, Objective)
        alone = self._alone
        factor = factor_of(self.problem)
        watch = Watch(lambda point, text: self._hear(factor * point.bound) if alone and point.bound else None)
        solved = Singly(easier, self._share(), watch, objective)
        answer = solved.run()
        self.interrupted = answer.termination is Termination.INTERRUPTED
        held = self._hold(Plain(requirements=indices), answer)
        if answer.status is Status.INFEASIBLE:
            self.infeasible = alone
            return
        if answer.release is not None:
            self.releases.append(answer.release)
        if solved.root.duals is None:
            self.claims = tuple(claim for claim in self.claims if claim is not held)
            return
        self._solved = solved

    def _hold(self, part: Part, answer: Answer) -> Within | None:
        """Keep what an answer to a part of the policy claims."""
        if answer.refusal is not None and not isinstance(answer.refusal, PartRefusal):
            self.refusal = PartRefusal(part=part, refusal=answer.refusal)
        last = len(answer.bounds) - 1
        direct = tuple(
            claim
            for claim in answer.claims
            # The last level of what is counted without boxes says nothing of the whole.
            if not isinstance(claim, Within | Shares | Subsets | Groupings)
            and not (part.kind == "counted" and claim.level == last)
        )
        if not direct:
            return None
        held = Within(part=part, claims=direct)
        self.claims = (*self.claims, held)
        return held

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

    @property
    def priced(self) -> bool:
        """Whether there are duals to list groups by."""
        return self._solved is not None

    @property
    def _alone(self) -> bool:
        """Whether the problem has neither suppression nor counterfeits, so that the bound is its own."""
        policy = self.problem.policy
        return policy.counterfeit_limit == 0 and not policy.suppression_limit(len(self.problem.table))

    # -- what it says of the whole problem ---------------------------------------------------

    def bounds(self, values: tuple[Fraction, ...] | None = None) -> list[Fraction | None]:
        """Bounds per level, given the values of the best release so far."""
        if self._solved is None:
            return self._chained(values)
        measure = self.measure(values, bare=True)
        return [None] * len(self._levels) if measure is None else measure.bounds(measure.known)

    def _chained(self, values: tuple[Fraction, ...] | None) -> list[Fraction | None]:
        """A level's bound is about releases whose levels before are what the part's are."""
        found: list[Fraction | None] = []
        for index, bound in enumerate(self._levels):
            before = [] if values is None else list(values[:index])
            found.append(bound if before == self._levels[:index] else None)
        return found

    def measure(self, values: tuple[Fraction, ...] | None, *, bare: bool = False) -> Measure | None:
        """How groups are measured below the best release; None if the duals say nothing of it.

        Levels before the last must be 0 in that release: then they are in every better one, and the
        last level is compared among releases without what they count.
        """
        solved, policy = self._solved, self.problem.policy
        if solved is None or solved.root.duals is None:
            return None
        before = policy.levels[:-1]
        if before and (values is None or any(values[:-1])):
            return None
        gone = {name for level in before for name in level.losses}
        changes: dict[str, int] = {}
        if "suppressed" in gone:
            changes["max_suppressed"] = 0
        if "counterfeits" in gone:
            changes["max_counterfeits"] = 0
        if changes.get("max_counterfeits", policy.counterfeit_limit) != 0:
            return None
        problem = replace(self.problem, policy=policy.changed(**changes)) if changes else self.problem
        if values is None and not bare:
            return None
        best = None if values is None else values[-1]
        return Measure(problem, factor_of(problem), solved, best, self.clock, self._known)
