"""Policies no price can follow: a bound from a part of the policy, a list of groups, an integer program.

1. Releases to begin with: the caller's, a greedy one, the part's release repaired (`starts`).
2. A bound from the part of the policy that can be searched (`part`), with integer duals.
   Without a release by then, the direct model of a small table is asked for any, or whether there is none.
3. All groups a better release may hold: those whose reduced cost at the duals leaves room below the
   best release (`near`).
4. The integer program over the list, with cuts (`program`). Small tables are decided by the exact programs
   (`subsets.SubsetEngine`) instead: no bound makes their lists shorter.

If the list is too long, it is made for releases below a smaller target first: the program then finds a
better release, or proves the target as a bound; the list grows. Beyond `LIMITS.most_listed` groups,
or when time ends, the answer is the best release with the bound reached.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from .....models.errors import TooLargeError
from .....models.problem import Problem
from ....backends.cpsat import MADE_BY
from ....claims import Claim, Refusal, Trusted, TrustedRefusal
from ....ending import concluded, search_clock
from ....exact.subsets import MOST_TUPLES
from ....incumbent import BestRelease
from ....schedule import ENUMERATED
from ....settings import Answer, Settings, Watch
from ....status import Status, Termination
from ...assignment.engine import AssignmentEngine
from ...subsets.engine import SubsetEngine
from ..histogram import HistogramSearch
from .columns import NamedColumn
from .guide import Guide, Guiding
from .judge import GroupVerdicts
from .limits import ENUMERATED_LIMITS as LIMITS
from .model import TimeOverError
from .program import ListedProgram
from .starts import Starts

__all__ = ["EnumeratedSearch"]


class EnumeratedSearch:
    """State of one solve; `guiding` solves parts of the policy."""

    def __init__(self, problem: Problem, settings: Settings, watch: Watch, guiding: Guiding) -> None:
        self.problem, self.settings, self._guiding = problem, settings, guiding
        self.clock = search_clock(problem, settings, watch)
        self.judge = GroupVerdicts(problem)
        self.incumbent = BestRelease(problem, watch, self.clock)
        self.guide: Guide | None = None
        self.exact: Answer | None = None
        self.direct = False
        self.rounds = self.listed = 0
        self.infeasible = self.interrupted = self.cut_short = False

    def run(self) -> Answer:
        """Everything in order; Ctrl-C keeps what there is."""
        try:
            self._search()
        except TimeOverError:
            self.cut_short = True
        except KeyboardInterrupt:
            self.interrupted = True
        except TooLargeError:
            if self.incumbent.best is None:
                raise
        return concluded(self._answer)

    def _search(self) -> None:
        starts = Starts(self.problem, self.settings, self.clock, self.incumbent.offer, HistogramSearch)
        starts.quick()
        if len(self.problem.table) > LIMITS.small and self.clock.fits(ENUMERATED.set_up.value):
            for guide in self._guiding(self.problem, self.settings, self.clock, self._heard):
                self.guide = guide
            if self.guide is not None and self._follow(self.guide, starts):
                return
        self._exactly()
        none = self.incumbent.best is None and self.exact is None and not self.infeasible
        if none and self.clock.limit is not None:
            self._direct(LIMITS.last_rows, None)

    def _follow(self, guide: Guide, starts: Starts) -> bool:
        """Bounds and releases of the parts, then lists; whether nothing is left to do."""
        self.interrupted |= guide.interrupted
        if guide.infeasible:
            self.infeasible = True
            return True
        self.incumbent.raise_bounds(guide.bounds())
        starts.repaired(guide.releases)
        if self.incumbent.best is None:
            self._direct(LIMITS.direct_rows, self.clock.allowed(ENUMERATED.direct))
            if self.infeasible:
                return True
        self.incumbent.raise_bounds(guide.bounds(self.incumbent.values))
        if self.incumbent.closed or self.interrupted:
            return True
        # Lists that are not short wait until it is known what the rest of the table costs.
        most = LIMITS.least_listed if len(self.problem.table) <= MOST_TUPLES else LIMITS.most_listed
        return self._near(guide, most) or self.interrupted or self.clock.over

    def _direct(self, most: int, limit: float | None) -> None:
        """Ask the direct model for any release, if the table is small; None: in all the time that is left."""
        engine = AssignmentEngine()
        late = self.interrupted or self.clock.over
        if late or len(self.problem.table) > most or engine.refuses(self.problem) is not None:
            return
        settings = replace(self.settings, time_limit=limit or self.clock.left, first=True)
        answer = engine.solve(self.problem, settings, Watch())
        self.rounds += answer.rounds
        self.interrupted |= answer.interrupted
        self.infeasible = self.direct = answer.status is Status.INFEASIBLE
        self.incumbent.offer(answer.release)

    def _exactly(self) -> None:
        """A small table: the best release, from the best one so far."""
        if self.clock.over or SubsetEngine().refuses(self.problem) is not None:
            return
        settings = replace(self.settings, time_limit=self.clock.left, initial=self.incumbent.best)
        self.exact = answer = SubsetEngine().solve(self.problem, settings, Watch())
        self.rounds += answer.rounds
        self.interrupted |= answer.interrupted
        self.cut_short |= answer.termination is Termination.TIME_LIMIT
        self.infeasible = answer.status is Status.INFEASIBLE
        self.incumbent.offer(answer.release)
        self.incumbent.raise_bounds(answer.bounds)

    def _heard(self, bound: Fraction) -> None:
        if len(self.problem.policy.levels) == 1:
            self.incumbent.raise_bound(0, bound)

    # -- lists ---------------------------------------------------------------------------

    def _near(self, guide: Guide, most: int) -> bool:
        """Lists of up to `most` groups, guided by duals; whether they decided the problem."""
        room = min(most, max(LIMITS.least_listed, 20 * len(self.problem.table)))
        while not self.clock.over:
            measure = guide.measure(self.incumbent.values, self.clock)
            if measure is None:
                return False
            found = measure.listed(self.judge, room)
            if found is None:
                if room >= most or self.clock.over:
                    return False
                room = min(most, 4 * room)
                continue
            program = ListedProgram(
                measure.problem, found.columns, self.settings, self.clock, self.incumbent.offer
            )
            expression = measure.expression(program.model, found.target)
            outcome = program.minimize(expression, self.incumbent.best)
            self._count(program, found.columns)
            if outcome.empty:
                self.incumbent.raise_bounds(measure.bounds(found.target))
            elif outcome.bound is not None:
                self.incumbent.raise_bounds(measure.bounds(min(found.target, measure.least(outcome.bound))))
            if self.incumbent.closed:
                return True
            if not (outcome.empty or outcome.solved):
                self.cut_short = True
                return True
            if self.interrupted or room >= most or found.target == measure.highest:
                return False  # costs may be rounded: then a list of all better groups closes nothing
            room = min(most, 4 * room)
        return False

    def _count(self, program: ListedProgram, columns: list[NamedColumn]) -> None:
        self.rounds += program.rounds
        self.listed = len(columns)
        self.interrupted |= program.interrupted

    # -- the answer ------------------------------------------------------------------------

    def _answer(self) -> Answer:
        if self.infeasible:
            return self.incumbent.refused(self._refusal(), self.rounds)
        return self.incumbent.answer(
            self._claims(),
            interrupted=self.interrupted,
            late=self.cut_short or self.clock.ended,
            rounds=self.rounds,
        )

    def _claims(self) -> tuple[Claim, ...]:
        """Those of the part and of the exact programs, and the solver's word for what is above them."""
        guide, bounds = self.guide, self.incumbent.bounds
        nothing = [None] * len(bounds)
        part = nothing if guide is None else guide.bounds(self.incumbent.values)
        exact = nothing if self.exact is None else self.exact.bounds
        return (
            *(() if guide is None else guide.claims_for(self.incumbent.values)),
            *(() if self.exact is None else self.exact.claims),
            *(
                Trusted(level=index, bound=bound, solver=MADE_BY, why=self._last_step)
                for index, (bound, *least) in enumerate(zip(bounds, part, exact, strict=True))
                if bound is not None and all(known is None or bound > known for known in least)
            ),
        )

    def _refusal(self) -> Refusal:
        if self.guide is not None and self.guide.infeasible and self.guide.refusal is not None:
            return self.guide.refusal
        if self.exact is not None and self.exact.refusal is not None:
            return self.exact.refusal
        return TrustedRefusal(solver=MADE_BY, why=self._last_step)

    @property
    def _last_step(self) -> str:
        """What bounds above those of the part rest on."""
        if self.direct:
            return "the direct model"
        others = len(self.problem.policy.joint_requirements)
        return (
            f"the program over {self.listed} listed groups, all that a better release may hold, with "
            f"{self.rounds} rounds of cuts for {others} requirements"
        )
