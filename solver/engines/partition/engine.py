"""Partition engine: column generation, cuts, enumeration; every bound is checked in integers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from importlib.metadata import version

import numpy as np

from ....models.errors import EngineError
from ....models.policy import Level
from ....models.problem import Problem
from ....models.release import Release
from ....models.requirement import GroupRequirement, Scope, Sight
from ...result import Status, Termination
from ...settings import Answer, Clock, Settings, Watch
from .generation import Generation
from .histograms import Histograms, Judge
from .master import Group, Master, group_costs
from .odd_sets import separated
from .pricing import Duals, Pricing
from .proof import describe
from .restricted import best_of
from .rows import Rows
from .start import halved
from .tree import Tree

__all__ = ["PartitionEngine"]

MEASURED = frozenset({"information_loss", "average_information_loss"})
COUNTED = frozenset({"counterfeits", "suppressed"})
LEAST_LISTED, MOST_LISTED = 1_000, 100_000
"""How many groups are listed for the last step."""
TREE_WORK = 400_000
"""Nodes times groups of an exact tree; beyond, the bound rests on the integer program's solver."""
CUT_ROUNDS = 12


class PartitionEngine:
    """Group-scope requirements on published values, least information loss, hundreds of tuples and more."""

    name = "partition"

    def refuses(self, problem: Problem) -> str | None:
        policy = problem.policy
        for requirement in policy.requirements:
            if requirement.scope is not Scope.GROUP or not isinstance(requirement, GroupRequirement):
                return (
                    f"the partition engine judges groups singly, {requirement.name} looks at whole releases"
                )
            if requirement.sight(problem) is Sight.PEOPLE:
                return (
                    f"the partition engine cannot follow who was where before, as {requirement.name} needs it"
                )
        if policy.form != "generalized" or policy.recoding != "multidimensional":
            return "the partition engine publishes boxes of any shape only (form and recoding of the policy)"
        if policy.suppression_limit(len(problem.table)) or policy.counterfeit_limit != 0:
            return (
                "the partition engine neither suppresses tuples nor makes counterfeits: set both limits to 0"
            )
        if [level for level in policy.levels if not level.losses <= MEASURED | COUNTED] or not policy.levels[
            -1
        ].losses & MEASURED:
            return "the partition engine minimizes information_loss or average_information_loss, nothing else"
        if sum(bool(level.losses & MEASURED) for level in policy.levels) > 1:
            return "the partition engine minimizes one level of information loss"
        found = Histograms.of(problem)
        return f"the partition engine: {found}" if isinstance(found, str) else None

    def solve(self, problem: Problem, settings: Settings, watch: Watch) -> Answer:
        """Prove bounds and find releases until both meet or time is over; see the package."""
        refusal = self.refuses(problem)
        if settings.extend is not None:
            refusal = "the partition engine has no CP-SAT model to extend: use engine='assignment'"
        if refusal is not None:
            raise EngineError(refusal)
        return _Search(problem, settings, watch).run()


class _Search:
    """State of one solve."""

    def __init__(self, problem: Problem, settings: Settings, watch: Watch) -> None:
        self.problem, self.settings, self.watch = problem, settings, watch
        self.clock = Clock(settings.time_limit, watch.clock.began)
        self.judge = Judge(problem)
        self.rows = Rows.of(problem, blind=self.judge.blind)
        histograms = Histograms.of(problem)
        assert isinstance(histograms, Histograms)
        self.pricing = Pricing(self.rows, histograms, settings.workers, self.clock)
        self.level = next(i for i, level in enumerate(problem.policy.levels) if level.losses & MEASURED)
        self.factor = _factor(problem.policy.levels[self.level], problem)
        self.groups: tuple[Group, ...] | None = None
        self.cost = self.rows.most + 1
        self.bound = 0
        self.duals: Duals | None = None
        self.tree: Tree | None = None
        self.trusted = False
        self.rounds = 0
        self.interrupted = False

    def run(self) -> Answer:
        """Everything in order; Ctrl-C keeps what there is."""
        whole = tuple(self.problem.table.histogram[name] for name in self.judge.names)
        if all(r.monotone for r in self.judge.requirements) and not self.judge.admits(whole):
            # Merging all groups of a release would keep a monotone requirement, and does not.
            return self._answer(Status.INFEASIBLE, Termination.COMPLETED)
        try:
            self._starts()
            generation = self._generation()
            if generation is not None:
                self._close(generation)
        except KeyboardInterrupt:
            self.interrupted = True
        return self._conclude()

    # -- releases --------------------------------------------------------------------

    def _starts(self) -> None:
        initial = self.settings.initial
        if initial is not None and next(self.problem.check(initial), None) is None:
            self._offer(self._read(initial))
        self._offer(halved(self.rows, self.judge))

    def _read(self, release: Release) -> list[Group]:
        home = {t: r for r, behind in enumerate(self.rows.tuples) for t in behind}
        row = self.problem.table.row
        return [tuple(sorted(home[row[who]] for who in group.respondents)) for group in release.groups]

    def _offer(self, groups: Sequence[Group] | None) -> None:
        if groups is None:
            return
        cost = sum(group_costs(self.rows, groups))
        if self.groups is None or cost < self.cost:
            self.groups, self.cost = tuple(groups), cost
            self._note("release")

    def _release(self) -> Release | None:
        if self.groups is None:
            return None
        left = [list(behind) for behind in self.rows.tuples]
        return self.problem.assemble([[left[row].pop(0) for row in group] for group in self.groups])

    # -- bounds ----------------------------------------------------------------------

    def _generation(self) -> Generation | None:
        """Solve the linear program and cut it; None if there is no release."""
        tuples = int(self.rows.count.sum())
        unit = self.cost / tuples if self.groups is not None else self.rows.most / (8 * tuples)
        penalty = None if self.groups is not None else float(self.rows.most / tuples)
        master = Master(self.rows, self.pricing.cuts, max(1.0, unit), penalty)
        generation = Generation(self.pricing, master, self.clock)
        guess = np.full(len(self.rows), 0.3 * unit)
        if self.groups is not None:
            master.add(self.groups)
            for group, cost in zip(self.groups, group_costs(self.rows, self.groups), strict=True):
                guess[list(group)] = 0.6 * cost / len(group)
        generation.begin(guess)
        while True:
            solved = generation.run()
            self.duals, self.rounds = generation.duals, generation.rounds
            self._raise(generation.bound, "linear program")
            missing = generation.proposal.missing if generation.proposal is not None else 0.0
            if self.bound > self.rows.most:
                return None
            if penalty is None or missing < 1e-6 or not solved or penalty > 1e3 * self.rows.most:
                break
            penalty *= 10
            master.penalize(penalty)
        for _ in range(CUT_ROUNDS):
            before = self.bound
            if not solved or not self._cut(generation):
                break
            solved = generation.run(0.3)
            self._raise(generation.bound, f"{len(self.pricing.cuts)} cuts")
            if self.bound - before < 1e-5 * self.bound:
                break
        self.duals, self.rounds = generation.duals, generation.rounds
        return generation

    def _cut(self, generation: Generation) -> bool:
        proposal = generation.proposal
        if proposal is None:
            return False
        fresh = separated(generation.master.groups, proposal.amount, self.rows, self.pricing.cuts)
        self.pricing.cuts.add(fresh)
        generation.master.extend()
        return bool(fresh)

    def _raise(self, bound: int, text: str) -> None:
        if bound > self.bound:
            self.bound = bound
        self._note(text)

    # -- closing the gap ---------------------------------------------------------------

    def _close(self, generation: Generation) -> None:
        """List all groups that a release below some target may hold, and search them.

        The target starts low enough for a short list. A tree that finds nothing proves the target as
        a bound; lists and trees then grow until the target is the best release's cost.
        """
        duals = generation.duals
        if duals is None:
            return
        room, nodes = max(LEAST_LISTED, 4 * len(self.rows)), 2_000
        while self.bound < self.cost and not self.clock.over:
            listed = self._listed(duals, room)
            if listed is None:
                if room == MOST_LISTED:
                    return
                room = min(MOST_LISTED, 4 * room)
                continue
            groups, target = listed
            whole = target == self.cost
            found, trusted = best_of(
                self.rows,
                self.pricing.cuts,
                groups,
                self.groups,
                nodes=nodes,
                seed=self.settings.seed,
                seconds=self.clock.left,
            )
            self._offer(found)
            unit = max(1.0, self.cost / int(self.rows.count.sum()))
            tree = Tree(self.pricing, groups, min(target, self.cost), unit, self.clock)
            done = tree.run(TREE_WORK // max(1, len(groups)))
            self._offer(tree.best)
            if done:
                self.tree, self.trusted = tree, False
                self._raise(tree.target, f"{len(tree.nodes)} nodes")
            elif not self.clock.over:
                # Every release below the target consists of listed groups.
                trusted = min(trusted, target, self.cost)
                if trusted > self.bound:
                    self.trusted = True
                    self._raise(trusted, "integer program")
                elif whole and room == MOST_LISTED:
                    return
            nodes, room = 2 * nodes, min(MOST_LISTED, 4 * room)

    def _listed(self, duals: Duals, room: int) -> tuple[tuple[Group, ...], int] | None:
        """All groups for the highest target (at most the best cost) for which they are at most `room`."""
        value, target = duals.value(self.rows, self.pricing.cuts), self.cost
        while True:
            slack = (target - 1) * duals.scale - value
            found = self.pricing.search(duals, floor=-slack - 1, room=room)
            if found.whole:
                return found.groups, target
            if self.clock.over:
                return None
            if target <= self.bound + 1:
                return None
            target = self.bound + max(1, (target - self.bound) * 3 // 5)

    # -- the answer --------------------------------------------------------------------

    def _note(self, text: str) -> None:
        value = None if self.groups is None else self.factor * self.rows.loss(self.cost)
        self.watch.note(self.level, value, self.factor * self.rows.loss(self.bound), text)

    def _conclude(self) -> Answer:
        if self.groups is None and self.bound > self.rows.most:
            return self._answer(Status.INFEASIBLE, Termination.COMPLETED)
        if self.bound >= self.cost:
            exact = self.rows.exact
            return self._answer(
                Status.OPTIMAL if exact else Status.FEASIBLE,
                Termination.COMPLETED if exact else Termination.ROUNDING,
            )
        ended = Termination.INTERRUPTED if self.interrupted else Termination.TIME_LIMIT
        if not self.interrupted and not self.clock.over:
            ended = Termination.ITERATION_LIMIT
        return self._answer(Status.UNKNOWN if self.groups is None else Status.FEASIBLE, ended)

    def _answer(self, status: Status, termination: Termination) -> Answer:
        bounds: list[Fraction | None] = [Fraction(0)] * len(self.problem.policy.levels)
        bounds[self.level] = (
            None if status is Status.INFEASIBLE else self.factor * self.rows.loss(min(self.bound, self.cost))
        )
        return Answer(
            release=self._release(),
            bounds=tuple(bounds),
            status=status,
            termination=termination,
            rounds=self.rounds,
            proof=self._proof(),
        )

    def _proof(self) -> dict[str, object]:
        made_by = f"HiGHS {version('highspy')}"
        if self.duals is None:
            return {"kind": "the whole table breaks a monotone requirement", "solver": made_by}
        content: dict[str, object] = {
            **describe(self.rows, self.pricing.cuts, self.duals, self.tree),
            "solver": made_by,
        }
        if self.trusted:
            content["last_step"] = (
                f"the bound {self.rows.loss(self.bound)} (information loss) rests on the integer program of "
                f"{made_by} over all groups that a better release may hold; root and tree need no solver"
            )
        return content


def _factor(level: Level, problem: Problem) -> Fraction:
    """What one unit of information loss weighs in a level."""
    tuples = len(problem.table)
    return sum(
        (
            weight / (tuples if name == "average_information_loss" else 1)
            for name, weight in level.weights
            if name in MEASURED
        ),
        Fraction(0),
    )
