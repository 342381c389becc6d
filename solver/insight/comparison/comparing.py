"""Run baselines and engines on one problem and measure them against what is proven."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ....models.errors import EngineError, InputError, PolicyError
from ....models.hierarchy import Hierarchy
from ....models.moment import moment
from ....models.parameters import hold_whole, require_time_limit
from ....models.policy import AHEAD
from ....models.problem import Problem, require_meant
from ....models.release import Release
from ...baselines.registry import Baseline, baselines as all_baselines
from ...result import Result
from ...search import engines as all_engines, solve_problem
from ...status import Status
from .distance import Distance, FoundRelease, ProvenBounds, Reference, distance, reference
from .figures import Figures, figures, queries_for
from .found import Comparison
from .queries import RangeQueries
from .rows import ComparisonRow

__all__ = ["Proofs", "Searching", "compare", "narrowed"]

FULL_DOMAIN = "full_domain"


def compare(
    problem: Problem,
    baselines: str | Sequence[str] = "all",
    engines: str | Sequence[str] = "auto",
    *,
    time_limit: float | None = 60.0,
    seed: int = 0,
    workers: int | None = None,
    selectivity: float = 0.1,
    queries: int = 1000,
    promised: bool = True,
    recodings: bool = False,
) -> Comparison:
    """Put published heuristics and engines side by side, with their proven distance from the optimum.

    Parameters
    ----------
    problem : Problem
    baselines : "all", "none", name or names
        See `baselines()`. Those that refuse the problem are listed
        with the reason.
    engines : "auto", "all", "none", name or names
        ``"auto"`` is the engine that `solve` would choose, ``"all"`` every engine that takes the
        problem.
    time_limit : float, optional
        Seconds for each search of an engine; None for no limit.
    seed : int
        Of baselines, engines and queries.
    workers : int, optional
        Threads of the engines.
    selectivity : float
        Above 0, at most 1: expected share of tuples that a query counts.
    queries : int
        How many counting queries; 0 for none.
    promised : bool
        Whether to search as well for the best release that keeps no more than a baseline promises:
        one search for each different set of promises. Heuristics that promise less than the policy
        asks can only be measured by that. The bounds found serve the whole policy, too. Not where parts
        of the policy are no easier: under full domain, and where releases to come are priced.
    recodings : bool
        Whether to put the best full-domain release (one hierarchy level per column) beside the best of any
        grouping, whichever of the two the policy asks for. It is searched first, and engines start from
        it, so any grouping is never worse. Its multiple of the best full-domain release takes the place of a
        baseline's multiple of what it promises.

    Returns
    -------
    Comparison

    Raises
    ------
    PolicyError, InputError
        If a baseline or engine is unknown, or a number is out of its range.
    EngineError
        If an engine named refuses the problem.

    Notes
    -----
    A release that breaks the policy has no distance from its optimum: its row says what it breaks.
    """
    require_meant(problem)
    search = Searching(by="compare", time_limit=time_limit, seed=seed, workers=workers)
    hierarchies, policy = problem.policy.hierarchies, problem.digests["policy"]
    if recodings:
        problem = replace(problem, policy=problem.policy.changed(recoding="multidimensional", hierarchies={}))
    heuristics = _baselines(baselines)
    chosen = _engines(engines, problem)
    asked = queries_for(problem.table, queries, selectivity, seed)
    proofs = Proofs(problem)
    full = _full_domain_row(problem, hierarchies, search, asked, proofs) if recodings else None
    start = None if full is None else full.release  # one of any grouping, too
    rows = [_engine_row(problem, name, search, asked, proofs, start) for name in chosen]
    rows += [] if full is None else [full]
    rows += [_baseline_row(problem, baseline, seed, asked, proofs) for baseline in heuristics]
    if promised and _nested(problem):
        wanted = {frozenset(row.promises) for row in rows if row.kind == "baseline" and row.figures}
        for names in sorted(wanted, key=sorted):
            if names and not proofs.settled(names):
                search.prove(problem, names, proofs)
    whole = proofs.whole
    return Comparison(
        rows=tuple(_placed(row, proofs, promised=promised) for row in rows),
        levels=tuple(level.name for level in problem.policy.levels),
        requirements=tuple(str(requirement) for requirement in problem.policy.requirements),
        reference=whole,
        tuples=len(problem.table),
        release=len(problem.history) + 1,
        policy=policy,
        settings={
            "seed": seed,
            "time_limit": time_limit,
            "queries": 0 if asked is None else len(asked),
            "selectivity": selectivity,
        },
    )


class Proofs:
    """Releases found and bounds proven for one problem and parts of its policy."""

    def __init__(self, problem: Problem) -> None:
        self.known = frozenset(requirement.name for requirement in problem.policy.requirements)
        self.levels = len(problem.policy.levels)
        self.found: list[FoundRelease] = []
        self.proofs: list[ProvenBounds] = []

    def add(self, measured: Figures) -> None:
        """A release that somebody found."""
        self.found.append(FoundRelease(objective=measured.objective, broken=frozenset(measured.violations)))

    def prove(self, asked: frozenset[str], result: Result) -> None:
        """What a search for the best release that keeps these requirements proved."""
        infeasible = result.status is Status.INFEASIBLE
        self.proofs.append(ProvenBounds(asked=asked, bounds=result.bounds, infeasible=infeasible))

    def of(self, asked: frozenset[str]) -> Reference:
        """What is known of the best release that keeps these requirements."""
        return reference(asked, self.known, self.found, self.proofs)

    def settled(self, asked: frozenset[str]) -> bool:
        """Whether every level is proven, or that there is no such release."""
        known = self.of(asked)
        return known.infeasible or len(known.optimum) == self.levels

    @property
    def whole(self) -> Reference:
        """What is known of the best release that keeps the policy."""
        return self.of(self.known)

    def distance(self, measured: Figures, asked: frozenset[str]) -> Distance | None:
        """A release beside the best one that keeps these requirements."""
        return distance(measured.objective, self.of(asked))


@dataclass(frozen=True, kw_only=True)
class Searching:
    """How engines are run, and who asks for it."""

    by: str
    time_limit: float | None
    seed: int
    workers: int | None

    def __post_init__(self) -> None:
        require_time_limit(self.time_limit)
        hold_whole(self, self.by, "seed", 0)
        if self.workers is not None:
            hold_whole(self, self.by, "workers", 1)

    def solve(self, problem: Problem, engine: str = "auto", initial: Release | None = None) -> Result:
        """A search of one engine, from a release on if there is one; ended by Ctrl-C it is not compared."""
        result = solve_problem(
            problem,
            engine=engine,
            time_limit=self.time_limit,
            seed=self.seed,
            workers=self.workers,
            display=False,
            initial=initial,
        )
        if result.interrupted:
            raise KeyboardInterrupt
        return result

    def prove(self, problem: Problem, names: frozenset[str], proofs: Proofs) -> str:
        """Search for the best release with these requirements only; what came of it, in words."""
        try:
            result = self.solve(narrowed(problem, names))
        except EngineError as error:
            return f"no engine takes the problem: {error}"
        proofs.prove(names, result)
        if result.release is not None:
            proofs.add(figures(problem, result.release))
        return f"{result.status.value} ({result.termination.value}, {result.engine}, {result.seconds:.2f} s)"


def _nested(problem: Problem) -> bool:
    """Whether fewer requirements allow all the same releases, at the same values.

    Full domain suppresses exactly the groups that break one, and prices of releases to come follow from them.
    """
    priced = any(AHEAD in level.losses for level in problem.policy.levels)
    return problem.policy.recoding == "multidimensional" and not priced


def narrowed(problem: Problem, names: frozenset[str]) -> Problem:
    """The problem with these requirements only; limits and objective stay."""
    kept = [requirement for requirement in problem.policy.requirements if requirement.name in names]
    return replace(problem, policy=problem.policy.changed(requirements=kept))


def _baselines(wanted: str | Sequence[str]) -> list[Baseline]:
    known = all_baselines()
    if wanted == "none":
        return []
    names = list(known) if wanted == "all" else [wanted] if isinstance(wanted, str) else list(wanted)
    for name in names:
        if name not in known:
            raise PolicyError(f"unknown baseline {name!r}: use 'all', 'none' or some of {', '.join(known)}")
    return [known[name] for name in _once(names, "baseline")]


def _engines(wanted: str | Sequence[str], problem: Problem) -> list[str]:
    if wanted == "auto":
        return ["auto"]
    if wanted == "none":
        return []
    known = all_engines()
    if wanted == "all":
        return [name for name, engine in known.items() if engine.refuses(problem) is None]
    names = [wanted] if isinstance(wanted, str) else list(wanted)
    for name in names:
        if name == "auto":
            continue
        if name not in known:
            raise PolicyError(
                f"unknown engine {name!r}: use 'auto', 'all', 'none' or some of {', '.join(known)}"
            )
        refusal = known[name].refuses(problem)
        if refusal is not None:
            raise EngineError(f"engine {name}: {refusal}")
    return _once(names, "engine")


def _once(names: Iterable[str], what: str) -> list[str]:
    seen = list(names)
    twice = next((name for name in seen if seen.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"{what} {twice!r} is named twice: name each once")
    return seen


def _engine_row(
    problem: Problem,
    name: str,
    search: Searching,
    asked: RangeQueries | None,
    proofs: Proofs,
    start: Release | None,
) -> ComparisonRow:
    promises = tuple(dict.fromkeys(requirement.name for requirement in problem.policy.requirements))
    try:
        result = search.solve(problem, name, start)
    except EngineError as error:  # only "auto" is left to find that nobody takes the problem
        return ComparisonRow(name=name, kind="engine", source="", promises=promises, refused=str(error))
    proofs.prove(proofs.known, result)
    row = ComparisonRow(
        name=name if name != "auto" else result.engine.split(" (")[0],
        kind="engine",
        source=result.engine,
        promises=promises,
        status=result.status.value,
        seconds=result.seconds,
    )
    if result.release is None:
        return replace(row, refused=result.reason or f"nothing found: {result.termination.value}")
    return _measured(problem, row, result.release, asked, proofs)


def _full_domain_row(
    problem: Problem,
    hierarchies: Sequence[tuple[str, Hierarchy]],
    search: Searching,
    asked: RangeQueries | None,
    proofs: Proofs,
) -> ComparisonRow:
    """The best release with one hierarchy level per column, beside what is proven of such releases alone."""
    promises = tuple(dict.fromkeys(requirement.name for requirement in problem.policy.requirements))
    row = ComparisonRow(name=FULL_DOMAIN, kind="engine", source="full-domain recoding", promises=promises)
    try:
        policy = problem.policy.changed(recoding="full_domain", hierarchies=dict(hierarchies))
        full = replace(problem, policy=policy)
        result = search.solve(full)
    except (EngineError, PolicyError) as error:
        return replace(row, refused=str(error))
    row = replace(row, status=result.status.value, seconds=result.seconds)
    if result.release is None:
        return replace(row, refused=result.reason or f"nothing found: {result.termination.value}")
    among = Proofs(full)
    among.prove(among.known, result)
    among.add(figures(full, result.release))
    row = _measured(problem, row, result.release, asked, proofs)
    return row if row.figures is None else replace(row, own=among.distance(row.figures, among.known))


def _baseline_row(
    problem: Problem, baseline: Baseline, seed: int, asked: RangeQueries | None, proofs: Proofs
) -> ComparisonRow:
    row = ComparisonRow(
        name=baseline.name,
        kind="baseline",
        source=baseline.reference,
        promises=tuple(name for name in baseline.promises if name in proofs.known),
    )
    began = moment()
    try:
        release = baseline.run(problem, seed)
    except EngineError as error:
        return replace(row, refused=str(error), seconds=moment() - began)
    return _measured(problem, replace(row, seconds=moment() - began), release, asked, proofs)


def _measured(
    problem: Problem, row: ComparisonRow, release: Release, asked: RangeQueries | None, proofs: Proofs
) -> ComparisonRow:
    measured = figures(problem, release, asked)
    proofs.add(measured)
    limits = tuple(name for name in measured.violations if name not in proofs.known)
    return replace(row, figures=measured, release=release, broken_limits=limits)


def _placed(row: ComparisonRow, proofs: Proofs, *, promised: bool) -> ComparisonRow:
    if row.figures is None:
        return row
    own = row.own
    if promised and row.kind == "baseline" and row.promises:
        own = proofs.distance(row.figures, frozenset(row.promises))
    return replace(row, distance=proofs.distance(row.figures, proofs.known), own=own)
