"""Policies no price can follow: a bound from a part of the policy, a list of groups, an integer program.

1. Releases to begin with: the caller's, a greedy one, the part's release repaired (`starts`).
2. A bound from the part of the policy that can be searched (`part`), with integer duals.
3. All groups a better release may hold: those whose reduced cost at the duals leaves room below the
   best release (`near`), or, of small tables, all groups (`every`).
4. The integer program over the list, level by level, with cuts (`program`).

If the list is too long, it is made for releases below a smaller target first: the program then finds a
better release, or proves the target as a bound; the list grows. Beyond `MOST_LISTED` groups,
or when time ends, the answer is the best release with the bound reached.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from importlib.metadata import version

from .....models.problem import Problem
from .....models.release import Release
from .....models.requirement import GroupRequirement
from ....result import Status, Termination
from ....settings import Answer, Clock, Settings, Watch
from .columns import Column
from .costs import objective_of
from .every import every_group
from .guide import Guide
from .judge import Judge
from .model import TimeOverError
from .program import Outcome, Program
from .starts import Starts

__all__ = ["Search"]

SMALL = 10
"""Up to so many tuples all groups are listed at once: no bound makes that shorter."""
LEAST_LISTED, MOST_LISTED = 2_000, 200_000
"""Groups of the first list that is guided by duals, and of the longest one."""


class Search:
    """State of one solve."""

    def __init__(self, problem: Problem, settings: Settings, watch: Watch) -> None:
        self.problem, self.settings, self.watch = problem, settings, watch
        self.clock = Clock(settings.time_limit, watch.clock.began)
        self.judge = Judge(problem)
        self.best: Release | None = None
        self.values: tuple[Fraction, ...] | None = None
        self.bounds: list[Fraction | None] = [None] * len(problem.policy.levels)
        self.guide: Guide | None = None
        self.proof: dict[str, object] = {}
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
        return self._answer()

    def _search(self) -> None:
        starts = Starts(self.problem, self.settings, self.clock, self._offer)
        starts.quick()
        if len(self.problem.table) > SMALL:
            self.guide = Guide(self.problem, self.settings, self.clock, self._heard)
            self.guide.run()
            self.proof |= self.guide.proof
            self.interrupted |= self.guide.interrupted
            if self.guide.infeasible:
                self.infeasible = True
                return
            self._take(self.guide.bounds())
            starts.repaired(self.guide.releases)
            self._take(self.guide.bounds(self.values))
            if self.closed or self.interrupted:
                return
            if self._near(self.guide) or self.interrupted or self.clock.over:
                return
        self._every()

    # -- what is known -----------------------------------------------------------------

    @property
    def closed(self) -> bool:
        """Whether no better release can exist."""
        return self.values is not None and list(self.values) == self.bounds

    def _offer(self, release: Release | None) -> bool:
        """Keep a release if it passes every check and is better than the best so far."""
        if release is None:
            return False
        values = self.problem.objective(release)
        if self.values is not None and values >= self.values:
            return False
        if next(self.problem.check(release), None) is not None:
            return False
        self.best, self.values = release, values
        self._note("release")
        return True

    def _take(self, bounds: list[Fraction | None]) -> None:
        """Keep bounds that are higher."""
        for index, bound in enumerate(bounds):
            old = self.bounds[index]
            if bound is not None and (old is None or bound > old):
                self.bounds[index] = bound
        self._note("bound")

    def _heard(self, bound: Fraction) -> None:
        if len(self.bounds) == 1:
            self._take([bound])

    def _note(self, text: str) -> None:
        values = self.values or (None,) * len(self.bounds)
        # The level in question: the first one not closed.
        for index, (value, bound) in enumerate(zip(values, self.bounds, strict=True)):
            if index == len(self.bounds) - 1 or value is None or value != bound:
                self.watch.note(index, value, bound, text)
                return

    # -- lists ---------------------------------------------------------------------------

    def _near(self, guide: Guide) -> bool:
        """Lists guided by duals; whether they decided the problem."""
        room = max(LEAST_LISTED, 20 * len(self.problem.table))
        while not self.clock.over:
            measure = guide.measure(self.values)
            if measure is None:
                return False
            found = measure.listed(self.judge, room)
            if found is None:
                if room >= MOST_LISTED or self.clock.over:
                    return False
                room = min(MOST_LISTED, 4 * room)
                continue
            program = Program(measure.problem, found.columns, self.settings, self.clock, self._offered)
            expression = measure.expression(program.model, found.target)
            outcome = program.minimize(expression, self.best)
            self._count(program, found.columns)
            if outcome.empty:
                self._take(measure.bounds(found.target))
            elif outcome.bound is not None:
                self._take(measure.bounds(min(found.target, measure.least(outcome.bound))))
            if self.closed:
                return True
            if not (outcome.empty or outcome.solved):
                self.cut_short = True
                return True
            if self.interrupted or room >= MOST_LISTED:
                return False
            room = min(MOST_LISTED, 4 * room)
        return False

    def _every(self) -> None:
        """All groups there are, level by level."""
        limit = self.problem.policy.counterfeit_limit
        first = self.problem.policy.levels[0].weights
        if [name for name, _ in first] == ["counterfeits"] and self.values is not None:
            most = int(self.values[0] / first[0][1])
            limit = most if limit is None else min(limit, most)
        columns = every_group(self.problem, self.judge, limit, self.clock)
        if columns is None:
            return
        program = Program(self.problem, columns, self.settings, self.clock, self._offered)
        for index, level in enumerate(self.problem.policy.levels):
            objective = objective_of(level, program.model, self.problem)
            outcome = program.minimize(objective.expression, self.best)
            self._count(program, columns)
            if outcome.empty:
                self.infeasible = self.values is None
                return
            self._raise(index, outcome, objective.decode)
            if not outcome.solved or outcome.bound is None:
                self.cut_short = True
                return
            program.model.cp.add(objective.expression <= outcome.bound)

    def _raise(self, index: int, outcome: Outcome, decode: Callable[[int, Problem], Fraction]) -> None:
        if outcome.bound is None:
            return
        bounds: list[Fraction | None] = [None] * len(self.bounds)
        bounds[index] = decode(outcome.bound, self.problem)
        self._take(bounds)

    def _offered(self, release: Release) -> None:
        self._offer(release)

    def _count(self, program: Program, columns: list[Column]) -> None:
        self.rounds += program.rounds
        self.listed = len(columns)
        self.interrupted |= program.interrupted

    # -- the answer ------------------------------------------------------------------------

    def _answer(self) -> Answer:
        status = Status.UNKNOWN if self.best is None else Status.FEASIBLE
        ended = Termination.ITERATION_LIMIT
        if self.infeasible:
            status, ended = Status.INFEASIBLE, Termination.COMPLETED
        elif self.closed:
            status, ended = Status.OPTIMAL, Termination.COMPLETED
        elif self.interrupted:
            ended = Termination.INTERRUPTED
        elif self.cut_short or self.clock.ended:
            ended = Termination.TIME_LIMIT
        return Answer(
            release=None if self.infeasible else self.best,
            bounds=tuple(self.bounds),
            status=status,
            termination=ended,
            rounds=self.rounds,
            proof=self._proof(),
        )

    def _proof(self) -> dict[str, object]:
        content: dict[str, object] = {"kind": "listed groups", **self.proof}
        others = sum(not isinstance(r, GroupRequirement) for r in self.problem.policy.requirements)
        if self.listed:
            content["last_step"] = (
                f"bounds above those of the part rest on CP-SAT {version('ortools')} over {self.listed} "
                f"listed groups, all that a better release may hold, with {self.rounds} rounds of cuts for "
                f"{others} requirements"
            )
        content["ortools"] = version("ortools")
        return content
