"""Assignment engine: the direct CP-SAT model, level by level, with rounds of cuts.

Each level of the objective is minimized with earlier levels held at their proven
value. A release that breaks a release- or series-scope requirement is answered with
that requirement's cuts, and the model is solved again from the same release; the
model without all its cuts is a relaxation, so its bound stays valid.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, lcm

from ortools.sat.python import cp_model

from ....models.encoding import Cut, Encoding, Linear
from ....models.errors import EngineError
from ....models.losses import loss
from ....models.moment import moment
from ....models.policy import Level
from ....models.problem import Problem
from ....models.release import Release
from ....models.whole_weights import LARGEST as EXACT
from ...backends.cpsat import MADE_BY, CpSatRun, solved
from ...baselines.greedy import greedy, together
from ...claims import Claim, Trusted, TrustedRefusal
from ...ending import concluded, search_clock
from ...incumbent import BestRelease
from ...schedule import ASSIGNMENT
from ...settings import Answer, Settings, Watch
from ...status import Status

__all__ = ["AssignmentEngine"]

REPEAT = 30.0
"""Deterministic time for the search of one worker."""
LARGEST = 200
"""Tuples the model is built for; it proves optima up to about 20 to 30."""


@dataclass(frozen=True, kw_only=True)
class _Objective:
    """A level as an integer expression: ``level value >= decode(expression)``."""

    level: Level
    expression: Linear
    scale: Fraction

    def decode(self, cost: int, problem: Problem) -> Fraction:
        if len(self.level.weights) == 1:
            name, weight = self.level.weights[0]
            return weight * loss(name).decode(cost, int(self.scale), problem.table)
        return cost / self.scale


class AssignmentEngine:
    """Exact for every requirement; takes up to 200 tuples."""

    name = "assignment"

    def refuses(self, problem: Problem) -> str | None:
        if problem.policy.recoding != "multidimensional":
            return "the assignment engine groups tuples freely: ask for recoding 'multidimensional'"
        if len(problem.table) > LARGEST:
            return (
                f"the assignment engine takes up to {LARGEST} tuples and proves optima up to about 30, "
                f"the table has {len(problem.table)}: split the table by an attribute that may be "
                "published exactly"
            )
        kinds = (loss(name) for level in problem.policy.levels for name in level.losses)
        return next((why for kind in kinds if (why := kind.refuses_model(problem)) is not None), None)

    def solve(self, problem: Problem, settings: Settings, watch: Watch) -> Answer:
        """Minimize level by level; see the module."""
        refusal = self.refuses(problem)
        if refusal is not None:
            raise EngineError(refusal)
        return _AssignmentSearch(problem, settings, watch).run()


class _AssignmentSearch:
    """State of one solve."""

    def __init__(self, problem: Problem, settings: Settings, watch: Watch) -> None:
        self.problem, self.settings, self.watch = problem, settings, watch
        self.clock = search_clock(problem, settings, watch)
        self.incumbent = BestRelease(problem, watch)
        self.rounds = 0
        self.infeasible = self.solved = self.interrupted = self.lost = False

    def run(self) -> Answer:
        try:
            self._search()
        except KeyboardInterrupt:
            if self.incumbent.best is None:
                raise
            self.interrupted = True
        return concluded(self._answer)

    def _answer(self) -> Answer:
        if self.infeasible:
            refusal = TrustedRefusal(solver=MADE_BY, why=f"the direct model, {self.rounds} rounds of cuts")
            return self.incumbent.refused(refusal, self.rounds)
        ended = self._enough or self.solved or self.lost
        return self.incumbent.answer(
            self._claims(),
            enough=self._enough,
            solved=self.solved,
            interrupted=self.interrupted or not (ended or self.clock.limit is not None),
            late=not self.lost,
            rounds=self.rounds,
        )

    def _search(self) -> None:
        """Start releases, then one level after the other as long as each is solved."""
        offer, settings = self.incumbent.offer, self.settings
        if settings.extend is None:
            offer(settings.initial)
            if self.incumbent.best is None:
                offer(together(self.problem))
                offer(greedy(self.problem, settings.seed, clock=self.clock.share(ASSIGNMENT.greedy)))
            offer(settings.known)
        if self._enough or not self._build():
            return
        self.solved = all(self._minimize(index) for index in range(len(self.objectives)))
        if self.solved and settings.workers > 1:
            self._repeatable()

    @property
    def _enough(self) -> bool:
        """Whether any release was all that was asked for, and is there."""
        return self.settings.first and self.incumbent.best is not None

    def _build(self) -> bool:
        """Write the model; False if there is no time for it: a step takes about as long as all before it."""
        began = moment()
        self.model = Encoding(self.problem)
        for requirement in self.problem.policy.requirements:
            if not self.clock.fits(moment() - began):
                return False
            requirement.encode(self.model)
        if self.settings.extend is not None:
            self.settings.extend(self.model)
        self.objectives: list[_Objective] = []
        for level in self.problem.policy.levels:
            if not self.clock.fits(moment() - began):
                return False
            self.objectives.append(_objective(level, self.model))
        return True

    def _repeatable(self) -> None:
        """Replace the optimum that parallel threads happened to find by the one a single thread finds.

        All levels are held at their optimum by now, so only the choice among equals is made
        again. If that takes long, the optimum found stays.
        """
        self.model.cp.clear_objective()
        self.model.cp.clear_hints()
        seed, seconds = self.settings.seed, self.clock.left
        run = solved(self.model.cp, seconds=seconds, seed=seed, work=REPEAT, keep_interrupted=True)
        if run.found:
            self.incumbent.exchange(self.model.release(run.value))

    def _minimize(self, index: int) -> bool:
        """Minimize a level within those before; whether it was solved, so that the next one may follow."""
        objective = self.objectives[index]
        self.model.cp.minimize(objective.expression)
        while True:
            if self.incumbent.best is not None:
                self.model.hint(self.incumbent.best)
            run = self._call(index, objective)
            if run.status is Status.INFEASIBLE and index:  # not so: the level before has a solution
                run = self._call(index, objective, plain=True)
            if run.status is Status.INFEASIBLE:
                self.infeasible, self.lost = not index, bool(index)
                return False
            value = run.value(objective.expression) if run.found else 0
            self._raise_bound(index, objective, value if run.status is Status.OPTIMAL else run.bound)
            if not run.found:
                return False
            release = self.model.release(run.value)
            cuts = self._separate(release)
            if not cuts:
                self.incumbent.offer(release)
                if run.status is Status.OPTIMAL and not self.settings.first:
                    self.model.cp.add(objective.expression <= value)
                    return True
                return False
            self.rounds += 1
            for cut in cuts:
                cut.apply(self.model)
            if self.interrupted or (run.status is Status.FEASIBLE and not self.settings.first):
                return False

    def _separate(self, release: Release) -> list[Cut]:
        """Cuts for a release that fails its check; none if it passes."""
        if next(self.problem.check(release), None) is None:
            return []
        history = self.problem.history
        cuts = [cut for r in self.problem.policy.requirements for cut in r.cuts(release, history)]
        return cuts or [_no_good(self.problem, release)]

    def _call(self, index: int, objective: _Objective, *, plain: bool = False) -> CpSatRun:
        """Ask CP-SAT; `plain` without probing, which denies solutions where numbers have 50 bits."""
        listener = _IncumbentListener(self, index, objective)
        run = solved(
            self.model.cp,
            seconds=self.clock.left,
            seed=self.settings.seed,
            workers=self.settings.workers,
            first=self.settings.first,
            large=plain,
            listener=listener,
            on_bound=listener.on_bound,
            keep_interrupted=True,
        )
        self.interrupted |= run.interrupted
        return run

    def _raise_bound(self, index: int, objective: _Objective, cost: int | None) -> None:
        if cost is not None and self.settled(index):
            self.incumbent.raise_bound(index, objective.decode(cost, self.problem), "")

    def settled(self, index: int) -> bool:
        """Whether levels before are at their best: held at a rounded one they shut better releases out."""
        known = self.incumbent
        return not index or known.values is None or list(known.values[:index]) == known.bounds[:index]

    def _claims(self) -> tuple[Claim, ...]:
        """Bounds as the solver states them: its word is all there is."""
        extended = " with constraints of the user's own" if self.settings.extend is not None else ""
        why = f"the direct model{extended}, {self.rounds} rounds of cuts"
        return tuple(
            Trusted(level=index, bound=bound, solver=MADE_BY, why=why)
            for index, bound in enumerate(self.incumbent.bounds)
            if bound is not None
        )


class _IncumbentListener(cp_model.CpSolverSolutionCallback):
    """Passes CP-SAT's incumbents and bounds on."""

    def __init__(self, search: _AssignmentSearch, index: int, objective: _Objective) -> None:
        super().__init__()
        self._search, self._index, self._objective = search, index, objective
        self._value: Fraction | None = None

    def on_solution_callback(self) -> None:
        self._value = self._decode(self.objective_value)
        self._note(self.best_objective_bound)

    def on_bound(self, bound: float) -> None:
        self._note(bound)

    def _decode(self, cost: float) -> Fraction:
        return self._objective.decode(round(cost), self._search.problem)

    def _note(self, bound: float) -> None:
        if abs(bound) < 2**53:
            known = self._decode(bound) if self._search.settled(self._index) else None
            self._search.watch.note(self._index, self._value, known)


def _objective(level: Level, model: Encoding) -> _Objective:
    """One integer expression for a level; weighted sums get their common scale, or one that fits in floats.

    CP-SAT tells objectives as floats: beyond 2**53 a bound may be too high, or nothing as good as the best.
    """
    costs = [(weight, loss(name).encode(model)) for name, weight in level.weights]
    if len(costs) == 1:
        return _Objective(level=level, expression=costs[0][1].expression, scale=Fraction(costs[0][1].scale))
    factors = [weight / cost.scale for weight, cost in costs]
    most = [_most(model, cost.expression) for _, cost in costs]
    scale = Fraction(lcm(*(factor.denominator for factor in factors)))
    widest = sum((factor * top for factor, top in zip(factors, most, strict=True)), Fraction(0))
    if scale * widest <= 8 * EXACT:
        terms: list[Linear] = [
            int(factor * scale) * cost.expression for factor, (_, cost) in zip(factors, costs, strict=True)
        ]
    else:
        scale = Fraction(8 * EXACT) / widest
        terms = [
            _rounded_down(model, cost.expression, top, factor * scale)
            for factor, top, (_, cost) in zip(factors, most, costs, strict=True)
        ]
    return _Objective(level=level, expression=sum(terms), scale=scale)


def _most(model: Encoding, expression: Linear) -> int:
    """What an expression of at least 0 is at most, as far as its variables' ends tell."""
    if isinstance(expression, int):
        return expression
    flat, variables = cp_model.FlatIntExpr(expression), model.cp.proto.variables
    ends = [list(variables[variable.index].domain) for variable in flat.vars]
    found = int(flat.offset)
    for times, domain in zip(flat.coeffs, ends, strict=True):
        found += int(times) * int(domain[-1] if times > 0 else domain[0])
    return found


def _rounded_down(model: Encoding, expression: Linear, most: int, price: Fraction) -> Linear:
    """An expression at a price per unit, rounded down by a millionth or so; small units are put together."""
    step = ceil((1 << 20) / price) if price < 1 << 20 else 1
    if step == 1:
        return int(price) * expression
    if step > most:
        return 0
    together = model.cp.new_int_var(0, most // step, "together")
    model.cp.add(step * together + step - 1 >= expression)
    return int(price * step) * together


def _no_good(problem: Problem, release: Release) -> Cut:
    """Forbid exactly this release: the last resort of a requirement without cuts of its own."""

    def apply(model: Encoding) -> None:
        row = problem.table.row
        same: list[cp_model.LiteralT] = []
        anchors: set[int] = set()
        for group in release.groups:
            rows = sorted(row[who] for who in group.respondents)
            anchors.add(rows[0])
            fakes = dict(group.counterfeits)
            same += [model.x(t, rows[0]) for t in rows]
            if model.may_fake:
                for v in model.values:
                    key, count = ("fakes", rows[0], v), model.fakes(rows[0], v)
                    same.append(model.at_least(key, count, fakes.get(v, 0)))
                    same.append(~model.at_least(key, count, fakes.get(v, 0) + 1))
        same += [~model.used(g) for g in model.slots if g not in anchors]
        model.cp.add(sum(same) <= len(same) - 1)

    return Cut("this release", apply)
