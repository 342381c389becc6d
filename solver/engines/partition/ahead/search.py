"""Three levels: the fewest counterfeits, the cheapest family of signatures, the least loss within it.

The fewest counterfeits are those of the integer program over counts, as without an outlook, with its proof.
The family is chosen by counts alone, and all families that meetings do not forbid are bounded (`counted`);
the loss is then searched among releases with that family, and bounded among them (`bounded`): it may be the
least of a family, not of all that cost as much.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from random import Random

from .....models.outlook.prices import SignaturePrices
from .....models.policy import AHEAD as PRICE
from .....models.problem import Problem
from .....models.release import Release
from ....claims import Claim
from ....colgen.column import Column
from ....colgen.covering import Ints
from ....colgen.structure.signatures import Rules
from ....colgen.structure.types import Types
from ....ending import concluded, search_clock
from ....engine import PlanSearch
from ....incumbent import BestRelease
from ....schedule_series import AHEAD
from ....settings import Answer, Clock, Hindsight, Settings, Watch
from ..objective import Objective
from ..signature.construct import assembled
from ..signature.minimum_counterfeits import Fewest, fewest
from ..signature.proof import counts_claim, counts_word, too_many
from .bounded import FamilyProgram
from .counted import CountedFamilies
from .dealing import dealt_family
from .divisions import divisions
from .family import Charges, Family, FlatPrices, Signature, candidates, families, published
from .hindsight import hindsight
from .kindred import distances, kindred
from .limits import AHEAD as LIMITS
from .middle import of_all_families
from .needs import needs
from .people import Crowd
from .seated import seated
from .weighed import weighed

__all__ = ["AheadSearch"]

Search = Callable[[Problem, Settings, Watch, Rules, Objective], PlanSearch]
"""Sets up the search that does not look ahead."""


class AheadSearch:
    """State of one solve; parameters as of `SignatureSearch`, which `search` sets up."""

    def __init__(
        self,
        problem: Problem,
        settings: Settings,
        watch: Watch,
        rules: Rules,
        objective: Objective,
        search: Search,
    ) -> None:
        self.problem, self.settings, self.objective = problem, settings, objective
        self._without = search
        self.clock, self.whole = (search_clock(problem, settings, watch) for _ in range(2))
        self.after, self.proving = self.clock.allowed(AHEAD.hindsight), self.clock.allowed(AHEAD.within)
        self.weighed = objective.planned == objective.measured
        self.programmed = not self.weighed and self._small
        if problem.policy.outlook is not None:
            self.clock.keep(self.after or 0.0)
        if self.programmed:
            self.clock.keep(self.proving or 0.0)
        self.types = Types.of(problem, rules)
        self.best = BestRelease(problem, watch, self.clock)
        self.counts: Fewest | None = None
        self.interrupted = False
        self.alone: tuple[Fraction, ...] | None = None
        self.priced: tuple[int, Fraction] | None = None
        self.words: tuple[Claim, ...] = ()
        self.hindsight: Hindsight | None = None
        self.myopic: Release | None = None

    def run(self) -> Answer:
        """Everything in order; Ctrl-C keeps what there is."""
        try:
            counts = self.counts = fewest(self.types, self.clock)
            limit = self.problem.policy.counterfeit_limit
            if limit is not None and counts.bound > limit:
                return self.best.refused(too_many(counts_claim(counts, None, self._counted)))
            self.best.raise_bound(self._counted, Fraction(counts.bound), "fewest counterfeits")
            self._offer(self.settings.known, "heuristic", checked=True)
            self._offer(self.settings.initial, "initial")
            if self.problem.policy.outlook is not None:
                self.alone = self._alone()
            self._search()
            self._bounded()
            if self.best.best is None and not self.clock.over:
                self._otherwise()
            self._within()
            self._look_back()
        except KeyboardInterrupt:
            self.interrupted = True
        return concluded(self._answer)

    def _answer(self) -> Answer:
        answer = self.best.answer(
            self._claims(), interrupted=self.interrupted, late=self.clock.ended, rounds=LIMITS.restarts
        )
        return replace(answer, alone=self.alone, hindsight=self.hindsight)

    @property
    def _counted(self) -> int:
        assert self.objective.counterfeits is not None
        return self.objective.counterfeits

    @property
    def _pricing(self) -> Charges:
        assert self.objective.planned is not None
        level = self.problem.policy.levels[self.objective.planned]
        found: SignaturePrices | None = None
        if PRICE in level.losses:
            found = self.problem.prices
            assert found is not None, "a requirement of equal counts has prices"
        return FlatPrices() if found is None else found

    @cached_property
    def _allowed(self) -> Fraction:
        """Where prices are weighed against boxes: what would be allowed if they came first."""
        if not self.weighed:
            return self.problem.allowed
        return replace(self.problem, policy=self.problem.policy.weighing(None)).allowed

    def _offer(self, release: Release | None, text: str, *, checked: bool = False) -> None:
        if release is not None and release.form == self.problem.policy.form:
            self.best.offer(release, text, checked=checked)

    def _search(self) -> None:
        """Families first, then people on their seats, several times."""
        seed, crowd = self.settings.seed, Crowd.of(self.types)
        family = self._or_published(crowd, self._family(crowd))
        if family is None:
            return
        moves, apart = self._exchanges, distances(crowd)
        tried, took = self._tried(crowd, family, moves // LIMITS.brief), 0.0
        for attempt in range(1 if self.weighed else LIMITS.restarts):
            if self.best.best is not None and not self.clock.fits(took):
                return
            began = self.clock.seconds
            random, found = Random(seed + 101 * attempt), tried[attempt % len(tried)]
            # The first ones as they are: with few people values that suit on the whole need not suit them.
            if apart is not None and attempt >= len(tried):
                found = kindred(found, apart, random)
            self._seat(crowd, found, seed + 101 * attempt, moves)
            took = self.clock.seconds - began
        if self.weighed:
            self._weigh(crowd)

    def _or_published(self, crowd: Crowd, family: Family | None) -> Family | None:
        """A family, or that of the best release so far if it costs less: its people may sit better."""
        best, row = self.best.best, self.problem.table.row
        known = None if best is None or best.suppressed else published(crowd, best, row, self._pricing)
        if family is None or known is None:
            return family or known
        if (known.fakes, max(known.price, self._allowed)) < (family.fakes, max(family.price, self._allowed)):
            return known
        return family

    @property
    def _exchanges(self) -> int:
        """Of one seating: some thousands for each tuple, in large tables as many as there is time for."""
        most, seconds = LIMITS.moves * len(self.problem.table), self.clock.allowed(AHEAD.seated) or 0.0
        return min(most, max(LIMITS.most_moves, int(seconds / AHEAD.exchange.value)))

    def _seat(self, crowd: Crowd, family: Family, seed: int, moves: int) -> tuple[Fraction, ...]:
        """What the release loses that was found for a family."""
        columns = seated(crowd, family, seed, moves, self.clock)
        release = assembled(self.types, self.problem, columns)
        self._offer(release, "seats")
        return self.problem.objective(release)

    def _tried(self, crowd: Crowd, family: Family, moves: int) -> list[Family]:
        """Families that cost as little as one, those that are worth most when they are seated briefly."""
        found, allowed, seed = [family], self._allowed, self.settings.seed
        least, lost = max(family.price, allowed), list[tuple[tuple[Fraction, ...], int]]()
        tuples = len(self.problem.table)
        if LIMITS.moves * tuples > LIMITS.most_moves and not self.clock.fits(AHEAD.compared.value * tuples):
            return found
        for other in divisions(crowd, family, self._pricing, allowed, seed, self.clock):
            # Seated one by one as they are found, so that little time is enough for some.
            if self.clock.spent(AHEAD.trying):
                break
            if self.weighed or max(other.price, allowed) <= least:
                if not lost:  # a family without a rival need not be seated briefly
                    lost.append((self._worth(family, self._seat(crowd, family, seed, moves)), 0))
                least = min(least, max(other.price, allowed))
                lost.append((self._worth(other, self._seat(crowd, other, seed, moves)), len(found)))
                found.append(other)
        return [found[number] for _, number in sorted(lost)[: LIMITS.kept]] or found

    def _worth(self, family: Family, values: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
        """What a release is measured by, its loss the dearer the more of what is allowed its family takes.

        Boxes of brief seats tell losses apart to some percent; below that fewer counterfeits decide.
        """
        if self.weighed or not self._allowed:
            return values
        return *values[:-1], values[-1] * (self._allowed + family.price)

    def _weigh(self, crowd: Crowd) -> None:
        """From the release that looks ahead first, and from the one that does not."""
        weight = self.problem.policy.levels[-1].weight_named(PRICE)
        for attempt in range(LIMITS.weighings):
            moves = min(LIMITS.most_moves, (1 << attempt) * LIMITS.moves * len(self.problem.table))
            for start in (self.best.best, self.myopic):
                if start is None or self.clock.over:
                    continue
                seed = self.settings.seed + attempt
                found = weighed(
                    self.problem, crowd, start, self.objective, self._pricing, weight, moves, seed
                )
                self._offer(found, "now and later")

    def _family(self, crowd: Crowd) -> Family | None:
        """Of signatures that somebody has used or proposed, then of all."""
        family = self._light(crowd)
        if family is not None and family.price <= self._allowed:
            return family
        needed = needs(crowd, self.settings.seed, self.clock)
        if family is None:
            if self.counts is not None and (found := self._roomy(crowd, needed, self.counts.bound)):
                return found
            family = self._begun(crowd, needed)
        if family is None or self.clock.spent(AHEAD.families) or not CountedFamilies.fits(crowd):
            return family
        if self.counts is None or family.fakes > self.counts.bound:
            found = CountedFamilies(crowd, needed, family.fakes, self._pricing).fewest(self.clock)
            family = family.better(found)
        more = self.counts is None or family.fakes > self.counts.bound
        if more and (roomy := self._roomy(crowd, needed, family.fakes)) is not None:
            return roomy
        if family.price <= self.problem.allowed or self.clock.spent(AHEAD.families):
            return family
        found, bound = CountedFamilies(crowd, needed, family.fakes, self._pricing).cheapest(self.clock)
        fewest = self.types.rules.fewest
        if (needed > fewest).any():
            # What seats were found to need is no bound on what others need.
            _, bound = CountedFamilies(crowd, fewest, family.fakes, self._pricing).cheapest(self.clock)
        self.priced = family.fakes, bound
        return family.better(found)

    def _light(self, crowd: Crowd) -> Family | None:
        """Without a past and without counterfeits: values divided anew, until it is no more than allowed."""
        best: Family | None = None
        if self.types.rules.signatures or self.counts is None or self.counts.bound:
            return best
        seed = self.settings.seed
        for other in divisions(crowd, Family.of(crowd), self._pricing, self._allowed, seed, self.clock):
            if best is None or other.price < best.price:
                best = other
            if best.price <= self._allowed:
                break
        return best

    def _begun(self, crowd: Crowd, needed: Ints) -> Family | None:
        """As m-invariance deals values, or of signatures that somebody has proposed, if those are better."""
        dealt = None if self.counts is None else dealt_family(crowd, needed, self.counts, self._pricing)
        if dealt is not None and not CountedFamilies.fits(crowd):
            soon = not self.clock.fits(AHEAD.proposed.value * len(self.problem.table))
            if soon or dealt.price <= self._allowed:
                return dealt
        other = self._proposed(crowd, needed)
        return dealt if other is None else other.better(dealt)

    def _proposed(self, crowd: Crowd, needed: Ints) -> Family | None:
        """Of signatures that somebody has used or proposed, or that seem likely."""
        known = self._known()
        some = [s for s in sorted(known - set(self.types.rules.signatures)) if any(crowd.new[list(s)])]
        family = families(crowd, needed, some, self._pricing, self.clock)
        if family is not None and CountedFamilies.fits(crowd):
            return family
        more = candidates(crowd, known, Random(self.settings.seed))
        return families(crowd, needed, more, self._pricing, self.clock, family) or family

    def _roomy(self, crowd: Crowd, needed: Ints, fakes: int) -> Family | None:
        """Many signatures, for so many counterfeits and no more to come than allowed."""
        if not self.problem.allowed or not CountedFamilies.fits(crowd):
            return None
        program = CountedFamilies(crowd, needed, fakes, self._pricing)
        found = program.roomy(self.problem.allowed, self.clock)
        return found if found is not None and found.fakes <= fakes else None

    def _bounded(self) -> None:
        """Tell the bound on all families, if it is one on releases with as few counterfeits as the best."""
        level, best = self.objective.planned, self.best.best
        assert level is not None
        if best is None:
            return
        fakes, priced = self.priced or (0, None)
        if self.problem.objective(best)[self._counted] > fakes:
            priced = None
        kept = len(self.types.rules.signatures)
        for bound, text, claim in of_all_families(self.problem, level, kept, priced, weighed=self.weighed):
            if bound <= self.problem.objective(best)[level]:
                self.best.raise_bound(level, bound, text)
                self.words = (*self.words, claim)

    def _known(self) -> set[Signature]:
        """Signatures of earlier releases, and of the heuristics' release."""
        number = {value: v for v, value in enumerate(self.types.rules.values)}
        releases = list(self.problem.history)
        if self.settings.known is not None:
            releases.append(self.settings.known)
        return {
            tuple(sorted(number[v] for v in group.signature))
            for release in releases
            for group in release.groups
        }

    def _alone(self) -> tuple[Fraction, ...] | None:
        """What a release would cost that does not look ahead: searched for briefly, never published.

        The price of an outlook is the difference; with more time it may prove to be higher.
        """
        myopic = replace(self.problem, policy=self.problem.policy.by_itself())
        rules, objective, seconds = self.types.rules, Objective.of(myopic), self.clock.allowed(AHEAD.alone)
        if isinstance(objective, str) or seconds is None:
            return None
        if seconds < AHEAD.begun.value * len(self.problem.table):
            return None
        brief = replace(self.settings, time_limit=seconds, initial=None)
        found = self._without(myopic, brief, Watch(), rules, objective).run()
        if found.interrupted:
            raise KeyboardInterrupt
        return None if found.release is None else self.problem.objective(found.release)

    def _within(self) -> None:
        """What releases lose at least that publish no signature more often than the best one."""
        best, objective = self.best.best, self.objective
        if best is None or best.suppressed or not self.programmed:
            return
        looking = self.after if self.problem.policy.outlook is not None else None
        clock = self._then(self.proving, looking or 0.0)
        if clock.over:
            return
        program = FamilyProgram(self.problem, self.types, best, self.settings.workers, clock)

        def offer(columns: Sequence[Column]) -> None:
            self._offer(assembled(self.types, self.problem, columns), "columns of the family")

        program.run(self.settings.seed, offer)
        claim = program.claim(self.best.best or best, objective.measured, objective.factor)
        self.words = self.words if claim is None else (*self.words, claim)

    @property
    def _small(self) -> bool:
        """Whether the program over groups of a family is likely to end in its time."""
        tuples = len(self.problem.table)
        if self.proving is None:
            return tuples <= LIMITS.family_tuples
        return AHEAD.cubed.value * tuples**3 <= self.proving

    def _then(self, seconds: float | None, kept: float = 0.0) -> Clock:
        """A clock after the search, which may have ended late: so many seconds, if they are left."""
        left = self.whole.left
        return Clock(seconds if seconds is None or left is None else max(0.0, min(seconds, left - kept)))

    def _look_back(self) -> None:
        """What nobody avoids, beside an outlook; releases are sought no longer."""
        best = self.best.best
        if best is not None and self.problem.policy.outlook is not None:
            self.hindsight = hindsight(self.problem, best, self._then(self.after))

    def _otherwise(self) -> None:
        """The search that does not look ahead, where seats give no release."""
        watch = Watch(began=self.clock.began)
        asked = self.problem, self.settings, watch, self.types.rules, self.objective
        self._offer(self._without(*asked).run().release, "without looking ahead")

    # -- what is proven ------------------------------------------------------------------

    def _claims(self) -> tuple[Claim, ...]:
        if self.counts is None:
            return ()
        claim = counts_claim(self.counts, None, self._counted)
        if claim.program is None and self.counts.bound:
            return (counts_word(self._counted, Fraction(self.counts.bound)), *self.words)
        return (claim, *self.words)
