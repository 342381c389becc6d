"""A policy with `resists_inference` at real sizes: a bound, a start, and annealing with the audit.

1. The policy's requirements on published values give a bound, proven, and a release without the demand.
2. What everybody's earlier groups leave by set intersection gives another bound, often far above it (`met`).
3. Groups to begin with, safe or not (`starts`).
4. Where these give somebody away, groups priced under a rule on the members of each alone, the same that the
   bound is by, annealed under it (`masks`, `required`) and repaired; without such groups, these themselves.
5. Annealing by moves that the exact judge passes (`anneal`, `judge`).
6. The last word: the whole series is audited anew, then checked by the requirement's own plain counting.

Other requirements on whole releases are only checked at the end. The bound is all that is said of optimality.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from .....models.errors import EngineError
from .....models.losses import ExpectedWidening
from .....models.moment import moment
from .....models.problem import Problem
from .....models.problem_view import smallest_group
from .....models.release import Release
from .....models.requirements import ResistsInference
from ....baselines.widths import Ints
from ....colgen.structure.histograms import Judge as Admission
from ....ending import concluded
from ....engine import last
from ....incumbent import BestRelease
from ....lost_now import lost_now
from ....price import Price
from ....schedule_series import WITHSTAND
from ....settings import Answer, Clock, Settings, Watch
from ..enumerated.guide import Guide, Guiding
from ..enumerated.starts import Search
from .anneal import SafeAnnealing, repair
from .arrays import Board, groups_of, looking_ahead, past_of
from .inventing import invent
from .judge import SeriesJudge
from .last_word import withstands
from .leaving_out import leave_out
from .limits import WITHSTAND_LIMITS as LIMITS
from .masks import MaskJudge
from .met import MetBound
from .moves import Rule
from .near import nearest_rows
from .required import require
from .sides import sides_of, sides_per_part
from .starts import starts

__all__ = ["WithstandSearch"]


class WithstandSearch:
    """State of one solve; `guiding` solves parts of the policy, `search` newcomers without the demand."""

    def __init__(
        self,
        problem: Problem,
        rule: ResistsInference,
        settings: Settings,
        watch: Watch,
        guiding: Guiding,
        search: Search,
    ) -> None:
        self.problem, self.rule, self.settings = problem, rule, settings
        self._guiding, self._newcomers = guiding, search
        self.clock = settings.clock(watch.clock.began)
        self.incumbent = BestRelease(problem, watch, self.clock)
        self.guide: Guide | None = None
        self.met: MetBound | None = None
        self.interrupted = False
        self.effort: dict[str, int] = {}
        self.dropped = 0
        self._audit = 0.0
        self.told = ""

    def run(self) -> Answer:
        """Everything in order; Ctrl-C keeps what there is."""
        try:
            self._search()
        except KeyboardInterrupt:
            self.interrupted = True
        return concluded(self._answer)

    def _answer(self) -> Answer:
        guide, incumbent = self.guide, self.incumbent
        if guide is not None and guide.infeasible:
            return incumbent.refused(guide.refusal)
        claims = () if guide is None else guide.claims_for(incumbent.values)
        answer = incumbent.answer(
            claims if self.met is None else (*claims, self.met.claim),
            interrupted=self.interrupted,
            late=self.clock.ended,
            effort=self.effort,
        )
        return answer if guide is None else replace(answer, price=self._price(guide), told=self.told)

    def _price(self, guide: Guide) -> Price | None:
        """What the demand costs, by what was found without it."""
        problem, values, own = self.problem, self.incumbent.values, self.incumbent.best
        if values is None or own is None:
            return None
        found = [(problem.objective(each)[:-1], lost_now(problem, each)) for each in (own, *guide.releases)]
        without, bound = min(found)[1] if guide.releases else None, guide.bounds(values)[-1]
        return Price(value=found[0][1], bound=bound, without=without, dropped=self.dropped)

    def _search(self) -> None:
        self.incumbent.offer(self.settings.known, checked=True)
        self.incumbent.offer(self.settings.initial)
        share = self.clock.share(WITHSTAND.bound)
        for guide in self._guiding(self.problem, self.settings, share, lambda bound: None):
            self.guide = guide
        guide = self.guide
        if guide is None or guide.infeasible:
            return
        self.incumbent.raise_bounds(guide.bounds(self.incumbent.values))
        for release in guide.releases:
            self.offer(release)
        if self.incumbent.closed or guide.interrupted:
            self.interrupted |= guide.interrupted
            return
        self._bound_by_masks(guide)
        self._anneal(guide)
        self.incumbent.raise_bounds(guide.bounds(self.incumbent.values))

    def _bound_by_masks(self, guide: Guide) -> None:
        """What set intersection alone forbids, where groups are judged by that besides."""
        row = self.problem.table.row
        if not guide.releases:
            return
        known = [[row[who] for who in group.respondents] for group in guide.releases[-1].groups]
        self.met = MetBound.of(self.problem, self.rule, known, self.clock.share(WITHSTAND.met))
        if self.met is not None:
            self.incumbent.raise_bounds([self.met.bound])

    def _anneal(self, guide: Guide) -> None:
        problem, table = self.problem, self.problem.table
        past = past_of(problem, self.rule.knowledge)
        weight = problem.policy.levels[-1].weight_named(ExpectedWidening.name)
        if weight:
            past = looking_ahead(past, problem, float(weight * sides_per_part(problem)))
        sides = sides_of(problem)
        codes = np.ascontiguousarray(table.codes)
        large = len(table) > LIMITS.large
        near = nearest_rows(codes, sides, min(LIMITS.near_large if large else LIMITS.near, len(table) - 1))
        admission = Admission(problem)
        names = problem.values
        places = [names.index(name) for name in admission.names]
        judge = SeriesJudge(
            past,
            self.rule.needed,
            self.rule.max_posterior,
            self.rule.compromised,
            LIMITS.people[len(past.value) > len(table)],
        )
        rule = Rule(
            needed=self.rule.needed,
            part=self.rule.max_posterior.numerator,
            whole=self.rule.max_posterior.denominator,
            least=max(smallest_group(problem), self.rule.needed),
            price=0,
        )
        chains: list[SafeAnnealing] = []
        for groups in starts(problem, self.rule, self.settings, self.clock, guide.releases, self._newcomers):
            room = max(map(len, groups)) + LIMITS.more
            spare = min(LIMITS.spare, len(table) - len(groups))
            found = groups_of(past, codes, sides, self.rule.needed, groups, room, spare)
            chain = SafeAnnealing(
                Board(past, found, codes, sides, near),
                rule,
                judge,
                lambda counts: admission.admits(tuple(counts[v] for v in places)),
                self.settings.seed,
                problem.policy.suppression_limit(len(table)),
                len(table) if problem.policy.counterfeit_limit is None else problem.policy.counterfeit_limit,
            )
            self.take(chain)
            chains.append(chain)
            if not chain.inferred:
                break
        if all(chain.inferred for chain in chains):
            self.ask_others()
        if not chains:
            return
        if large:  # kept groups were judged whole
            judge.narrow(LIMITS.people_large, LIMITS.steps_large)
        self.improve(min(chains, key=lambda chain: len(chain.inferred)), judge)

    def ask_others(self) -> None:
        """Heuristics, where no start is safe: in large tables they rarely help, and were not asked."""
        if self.incumbent.values is None and self.settings.further is not None:
            self.incumbent.offer(last(self.settings.further(self.clock)), checked=True)

    def improve(self, chain: SafeAnnealing, judge: SeriesJudge) -> None:
        """Repair a start that gives somebody away, then anneal."""
        steps = LIMITS.steps[self.clock.limit is not None] * len(self.problem.table)
        hot = LIMITS.hot[bool(chain.inferred)]
        if len(self.problem.table) > LIMITS.large:
            hot = min(hot, LIMITS.hot_large)
        met = self._mend(chain, steps, hot, judge) if chain.inferred else []
        if chain.best is not None:
            self._cool(chain, met, steps, hot)
        else:
            self.told = _what_helps(
                len(chain.inferred), len(chain.outside), bool(chain.allowed), bool(chain.invented)
            )
        self.effort |= {
            "moves judged": chain.tried,
            "moves made": chain.made,
            "components judged": judge.decided,
            "components counted": judge.counted,
            "left inferable": len(chain.inferred),
        }
        self.take(chain)

    def _mend(self, chain: SafeAnnealing, steps: int, hot: float, judge: SeriesJudge) -> list[Ints]:
        """Change groups until nobody can be inferred, by one means after the other; where that may begin."""
        first = chain.groups.of.copy()
        met = self._meet_masks(chain, steps, hot, judge)
        chain.begin(met[0])
        chain.run(self.clock.share(WITHSTAND.repair), steps, hot)
        homes = [chain.groups.of.copy(), first]
        if chain.best is None:
            leave_out(chain, self.clock.share(WITHSTAND.out))
        for home in homes:
            if chain.best is None and chain.invented:
                chain.begin(home)
                invent(chain, self.clock.share(WITHSTAND.invented))
        if chain.best is None:
            repair(chain, self.clock.share(WITHSTAND.last))
        if chain.best is None:
            leave_out(chain, self.clock.share(WITHSTAND.anneal))
        self.take(chain)
        chain.back()
        return met

    def _cool(self, chain: SafeAnnealing, met: Sequence[Ints], steps: int, hot: float) -> None:
        """Anneal what is safe; begin again while rounds are long enough, elsewhere if there was a repair.

        Where a repair ends decides more than how long it is annealed afterwards, and two ways of cooling down
        from one start end 1 % apart.
        """
        until, rounds = self._until_audit(), 1
        if until.left is not None:
            least = (WITHSTAND.round if met else WITHSTAND.anew).value * len(self.problem.table)
            rounds = max(1, min(LIMITS.rounds, int(until.left / least)))
        homes = met or [chain.groups.of.copy()]
        for left in range(rounds, 0, -1):
            clock = until if until.left is None else until.part(until.left / left)
            if left < rounds:
                chain.begin(homes[(rounds - left) % len(homes)])
                if chain.inferred:
                    chain.run(clock.share(WITHSTAND.again), steps, hot)
                if chain.inferred:
                    leave_out(chain, clock.share(WITHSTAND.again))
            if not chain.inferred:
                chain.run(clock.anew, steps, hot)
        chain.back()

    def _until_audit(self) -> Clock:
        """What the last step has; the series is audited and checked after it, as long as that took before."""
        clock, left = self.clock.share(WITHSTAND.anneal), self.clock.left
        return clock if left is None else clock.part(max(0.0, left - WITHSTAND.audits.value * self._audit))

    def _meet_masks(self, chain: SafeAnnealing, steps: int, hot: float, judge: SeriesJudge) -> list[Ints]:
        """Groups that keep the rule on their members alone, the cheapest first: starts that are repaired."""
        past, needed, found = chain.past, self.rule.needed, list[tuple[bool, int, Ints]]()
        nobody = groups_of(past, chain.codes, chain.board.sides, needed, [], 1, 1)
        require(past, nobody, len(self.problem.table), needed, self.clock.share(WITHSTAND.required))
        chain.begin(chain.groups.of.copy())
        if not chain.groups.short.any():
            return [chain.groups.of.copy()]
        clock, masks = self.clock.share(WITHSTAND.masks), MaskJudge(past, needed)
        homes = self._priced(chain, clock)
        heat = LIMITS.met_hot if homes else hot
        homes = homes or [chain.groups.of.copy()]
        for left, home in zip(range(len(homes), 0, -1), homes, strict=True):
            chain.begin(home)
            chain.judged_by(masks)
            part = clock if clock.left is None else clock.part(clock.left / left)
            chain.run(part, steps, heat)
            if chain.best is None and all(short for short, *_ in found):
                repair(chain, self.clock.share(WITHSTAND.masks))
            chain.back()
            found.append((bool(chain.inferred), chain.cost, chain.groups.of.copy()))
        chain.judged_by(judge)
        return [home for *_, home in sorted(found, key=lambda each: each[:2])]

    def _priced(self, chain: SafeAnnealing, clock: Clock) -> list[Ints]:
        """Releases of priced groups that keep that rule, but for whoever was left over."""
        slots, room = chain.groups.member.shape
        homes = list[Ints]()
        for groups in () if self.met is None else self.met.program.releases(self.settings.seed, clock):
            if len(groups) <= slots and max(map(len, groups)) <= room:
                homes.append(np.full_like(chain.groups.of, -1))
                for g, rows in enumerate(groups):
                    homes[-1][rows] = g
        return homes

    def take(self, chain: SafeAnnealing) -> None:
        """The cheapest safe groups of a chain, audited and checked as a whole."""
        if chain.best is None:
            return
        label = chain.best[: len(self.problem.table)]
        order = np.argsort(label, kind="stable")[(label < 0).sum() :]
        groups = np.split(order, np.flatnonzero(np.diff(label[order])) + 1)
        faked = [chain.with_best[label[rows[0]]].tolist() for rows in groups]
        fakes = [{v: n for v, n in zip(self.problem.values, row, strict=True) if n} for row in faked]
        self.offer(self.problem.assemble([rows.tolist() for rows in groups], fakes))

    def offer(self, release: Release) -> None:
        """Keep a release if it is better, and the whole audit and the requirement's own check pass it."""
        values = self.problem.objective(release)
        if self.incumbent.values is not None and values >= self.incumbent.values:
            return
        began = moment()
        try:
            clock = Clock(self.clock.allowed(WITHSTAND.audit))
            if withstands(self.problem, self.rule, release, clock, self.settings.workers):
                self.incumbent.offer(release)
                self._audit = max(self._audit, moment() - began)
        except EngineError:  # the requirement's own check gave up counting: nothing is claimed of it
            self.dropped += 1


def _what_helps(people: int, out: int, suppressing: bool, inventing: bool) -> str:
    """Why there is no release, and what would change that."""
    many = "1 person" if people == 1 else f"{people} people"
    if not people:
        many = f"nobody, where {out} tuples are left out; otherwise somebody"
    limit = "a larger max_suppressed" if suppressing else "max_suppressed in the policy"
    return (
        f"{many} could still be inferred when time was over; a longer time limit, {limit} (tuples that link "
        f"groups are then left out), {'' if inventing else 'counterfeits named in minimize, '}"
        "a larger max_posterior or fewer min_values help"
    )
