"""The front door: `solve` picks an engine and keeps the clock, and checks what it finds before it leaves."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

import pandas as pd

from ..models.encoding import Encoding
from ..models.errors import CertificateError, EngineError, PolicyError
from ..models.history import History
from ..models.moment import moment
from ..models.policy import Policy
from ..models.problem import Problem, require_problem
from ..models.release import Release
from ..models.table import Microdata, QISpec, SensitiveSpec
from .answering import answered, obstructed
from .backends.interrupts import put_off
from .cluster.workers import connected
from .collecting import lasting
from .display import live_display, told_to
from .ending import search_clock, stopped
from .engine import Engine
from .engines.assignment.engine import AssignmentEngine
from .engines.fulldomain.engine import FullDomainEngine
from .engines.rearranging import rearranged
from .in_turn import InTurn
from .portfolio import best_known, informed
from .randomize import draw
from .restarting import Restarting
from .result import Result
from .schedule import WHOLE
from .settings import Answer, Settings, Watch
from .settling import settled
from .sound import begun, require_form, sound, table_of
from .status import Point
from .stricter import StricterProblem, strictly_first

if TYPE_CHECKING:
    from distributed import Client

    from .engines.partition.engine import PartitionEngine

__all__ = [
    "choose",
    "default_workers",
    "engines",
    "obstacles",
    "partition_engine",
    "result_of",
    "solve",
    "solve_problem",
]


def engines() -> dict[str, Engine]:
    """Every engine by name."""
    from .engines.subsets.engine import SubsetEngine

    found: Sequence[Engine] = (AssignmentEngine(), FullDomainEngine(), partition_engine(), SubsetEngine())
    return {engine.name: engine for engine in found}


def partition_engine() -> PartitionEngine:
    """With all its plans. Imported here: compiled parts and solver take a second to load."""
    from .engines.partition.ahead.search import AheadSearch
    from .engines.partition.counts.search import CountsSearch
    from .engines.partition.engine import PartitionEngine
    from .engines.partition.enumerated.search import EnumeratedSearch
    from .engines.partition.guiding import guided
    from .engines.partition.histogram import HistogramSearch
    from .engines.partition.plans import Plans
    from .engines.partition.points.search import PointsSearch
    from .engines.partition.signature.levels import SignatureSearch
    from .engines.partition.withstand.search import WithstandSearch

    plans = Plans(
        histogram=HistogramSearch,
        signature=SignatureSearch,
        ahead=AheadSearch,
        counts=CountsSearch,
        points=PointsSearch,
        enumerated=EnumeratedSearch,
        withstand=WithstandSearch,
        known=best_known,
    )
    return PartitionEngine(plans, partial(guided, plans))


SMALL = 16
"""Up to so many tuples the program over all sets of tuples takes a twentieth of a second."""
CLOSED = 30
"""Above so many tuples groups are enumerated if a part of the policy gives a bound."""


def solve(
    table: Microdata | pd.DataFrame,
    policy: Policy,
    history: History | None = None,
    *,
    respondent: str | None = None,
    quasi_identifiers: Sequence[str] | Mapping[str, QISpec] | None = None,
    sensitive: SensitiveSpec | None = None,
    engine: str = "auto",
    time_limit: float | None = None,
    seed: int | None = None,
    workers: int | None = None,
    display: bool | None = None,
    initial: Release | None = None,
    extend: Callable[[Encoding], None] | None = None,
    listener: Callable[[Point], None] | None = None,
    randomize: Fraction | float | str | None = None,
    cluster: Client | str | None = None,
) -> Result:
    """Find the release of `table` with the least loss that keeps `policy`, with a proof.

    Parameters
    ----------
    table : Microdata or DataFrame
        What is to be published.
    policy : Policy
        Requirements and objective.
    history : History, optional
        Releases published before; none by default. It is read, not changed.
    respondent, quasi_identifiers, sensitive
        Roles of the columns of a DataFrame (see `Microdata.from_frame`, which also takes what is not said
        here: marks of missing cells, spellings); to be left out with a `Microdata`.
    engine : str
        ``"auto"``, ``"subsets"``, ``"assignment"``, ``"partition"`` or ``"full_domain"``.
    time_limit : float, optional
        Seconds of wall time, above 0, for the whole call. When it ends, the best release so far is
        returned with its true gap. It is kept within 5 % or a quarter of a second, whichever is
        more (``python -m bench time-limits``), on a machine that does nothing else; the first call in
        a process also loads the engine (about a second), and the first ever compiles it (a minute,
        which does not count: `Result.compiled`).
    seed : int, optional
        Same seed and workers give the same result if the search runs to its end; default 0, and
        for a drawn release a secret one.
    workers : int, optional
        Threads; default one, or all cores (at most 8) of a machine with four or more.
    display : bool, optional
        Show incumbent, bound and gap live; default only on a terminal and in a notebook.
    initial : Release, optional
        A release to start from; ignored if it fails a check. The partition engine also starts from the
        groups of another form or of an earlier state of the table: respondents may be gone or new.
    extend : callable, optional
        Receives the `Encoding` (its ``cp`` is the raw CP-SAT model) and may add
        constraints. Assignment engine only.
    listener : callable, optional
        Called with a `Point` (time, level, incumbent, bound) whenever the search has news.
    randomize : rational, optional
        At least 0: *draw* a release with probability proportional to ``exp(-randomize * loss)``
        among all that keep the policy, against adversaries who know the solver; 0 draws uniformly.
        For small tables; see `solver.randomize` for what is guaranteed.
    cluster : distributed.Client or str, optional
        A Dask cluster, or the address of its scheduler (needs the extra ``optanon[cluster]``). Tables
        that are cut into blocks are solved on its workers; others in this process, as without it.
        `workers` (default: its threads) then counts for what this process does itself. Without a time
        limit the release does not depend on how many workers there are.

    Returns
    -------
    Result
        Its release, if any, has passed every requirement's plain-Python check.

    Raises
    ------
    OptanonError
        If the data, the history or the policy are not usable (see the exception tree),
        or no engine takes the problem.

    Notes
    -----
    Published heuristics run first (see `portfolio`): no answer is lexicographically worse than the release
    of one that keeps the policy and takes at most a third of the time limit (with more than 10,000 tuples: a
    twentieth; under full-domain recoding, where they come after the engine: a sixth).

    Ctrl-C ends the search with the best release so far, status FEASIBLE; while that is checked and its bounds
    are derived, too.
    """
    began = moment()
    table = table_of(table, respondent, quasi_identifiers, sensitive)
    problem = Problem(table=table, policy=policy, history=history if history is not None else History())
    problem.refuse_mistakes()
    return solve_problem(
        problem,
        engine=engine,
        time_limit=time_limit,
        seed=seed,
        workers=workers,
        display=display,
        initial=initial,
        extend=extend,
        listener=listener,
        randomize=randomize,
        cluster=cluster,
        began=began,
    )


def solve_problem(
    problem: Problem,
    *,
    engine: str = "auto",
    time_limit: float | None = None,
    seed: int | None = None,
    workers: int | None = None,
    display: bool | None = None,
    initial: Release | None = None,
    extend: Callable[[Encoding], None] | None = None,
    listener: Callable[[Point], None] | None = None,
    reasons: bool = True,
    randomize: Fraction | float | str | None = None,
    cluster: Client | str | None = None,
    began: float | None = None,
    kept: float = 0.0,
) -> Result:
    """`solve` for a problem put together; it began at `moment`, and `kept` of its limit is the caller's.

    Without `reasons` no time is spent on which parts of the policy conflict if there is no release.
    """
    began = moment() if began is None else began
    require_problem(problem)
    time_limit, seed, workers = sound(time_limit, seed, workers, initial)
    settings = Settings(
        time_limit=None if time_limit is None else time_limit - kept,
        asked=time_limit,
        seed=seed or 0,
        workers=workers or default_workers(),
        initial=initial,
        extend=extend,
    )
    plain = {} if settings.extend else obstacles(problem)
    if plain:
        return obstructed(problem, plain, settings)
    if randomize is not None:
        if engine != "auto" or initial is not None or extend is not None:
            raise PolicyError("randomize draws among all releases: leave engine, initial and extend out")
        watch = Watch(began=began)
        answer = draw(problem, randomize, seed)
        return result_of(problem, answer, "enumeration (drawn)", watch, settings, reasons)
    from .exact.proving import proven

    require_form(problem)
    if initial is not None:
        settings = replace(settings, initial=begun(problem, initial))
    with lasting(), live_display(problem, display) as shown, connected(cluster) as tasks:
        if tasks is not None:
            settings = replace(settings, tasks=tasks, workers=workers or tasks.workers)
        _ = problem.digests  # needed for the certificate: what it takes is not left for the end
        chosen, why = choose(problem, engine, extend is not None)
        watch = Watch(told_to(shown, listener), began)
        _ = search_clock(problem, settings, watch)  # the end is measured now, not when it has come
        auto = engine == "auto" and chosen.name != "subsets"
        answer = _searched(problem, chosen, _searching(problem, settings), watch, auto=auto)
        if settings.extend is None:
            answer = proven(problem, answer, search_clock(problem, settings, watch))
        return result_of(problem, answer, f"{chosen.name} ({why})", watch, settings, reasons)


def result_of(
    problem: Problem, answer: Answer, engine: str, watch: Watch, settings: Settings, reasons: bool
) -> Result:
    """The result of a search: its release checked, its bounds derived again.

    Raises
    ------
    CertificateError
        If a requirement's own check refuses the engine's release: it does not leave.
    """
    seconds = watch.clock.seconds
    with put_off(wanted=answer.release is not None) as struck:
        if answer.release is not None:
            broken = next(problem.check(answer.release), None)
            if broken is not None:
                raise CertificateError(f"the engine's release fails {broken.requirement}: {broken.message}")
        left = search_clock(problem, settings, watch)
        left.stop = struck.is_set
        threads = min(settings.workers, os.cpu_count() or 1)  # there may be a cluster's workers, too
        found = settled(problem, answer, engine.split(" (")[0], left, threads)
        return answered(
            problem,
            stopped(found.answer) if struck.is_set() else found.answer,
            found.levels,
            found.words,
            engine=engine,
            seconds=seconds,
            watch=watch,
            settings=settings,
            reasons=reasons,
        )


def _searched(problem: Problem, chosen: Engine, settings: Settings, watch: Watch, *, auto: bool) -> Answer:
    """The answer of the chosen engine; `auto` searches the stricter policy first where that is better."""
    listed = "partition" in chosen.name
    strict = StricterProblem.sought(problem, settings, listed=listed) if auto else None
    if strict is None:
        return _answer(chosen, problem, settings, watch)
    run, solved = partial(informed, chosen), partial(_answer, engines()["partition"])
    return strictly_first(strict, run, solved, problem, settings, watch)


def _answer(engine: Engine, problem: Problem, settings: Settings, watch: Watch) -> Answer:
    """The answer of an engine that knows of heuristics, and is restarted if limits share no course."""
    once = settings.first or settings.extend is not None or _one_course(problem, engine)
    found = informed(engine if once else Restarting(engine), problem, settings, watch)
    return rearranged(problem, found, settings, watch)


def _one_course(problem: Problem, engine: Engine) -> bool:
    """Whether all limits follow one course; plans of series are made for their whole limit."""
    from .engines.partition.plan import Plan

    if problem.policy.recoding == "full_domain" or len(problem.history):
        return True
    plan = Plan.of(problem) if engine.name == "partition" else ""
    return isinstance(plan, Plan) and plan.name not in ("counts", "enumerated")


def _searching(problem: Problem, settings: Settings) -> Settings:
    """The settings with the time limit of the search alone."""
    limit = settings.time_limit
    if limit is None:
        return settings
    return replace(settings, time_limit=limit - WHOLE.kept(limit, len(problem.table)))


def default_workers() -> int:
    """Few threads make a poor portfolio: below four cores one thread is as fast, and simpler."""
    return min(8, cores) if (cores := os.cpu_count() or 1) >= 4 else 1


def obstacles(problem: Problem) -> dict[int, str]:
    """Plain reasons why there is no release, by requirement (index, from 0)."""
    suppressing = problem.policy.suppression_limit(len(problem.table)) > 0
    return {
        index: found
        for index, r in enumerate(problem.policy.requirements)
        if (found := r.bounds(problem).obstacle(suppressing=suppressing)) is not None
    }


def choose(problem: Problem, wanted: str = "auto", extended: bool = False) -> tuple[Engine, str]:
    """The engine to use, and why.

    All sets of tuples of a small table can be gone through. Set partitioning proves optima of far larger
    tables where groups have prices or sizes are all that counts; the direct model finds better releases
    of small tables otherwise.
    """
    from .engines.subsets.engine import SubsetEngine

    tuples = len(problem.table)
    direct, whole = AssignmentEngine(), FullDomainEngine()
    if wanted == "auto" and extended:
        return direct, "constraints on the raw model"
    if wanted == "auto" and whole.refuses(problem) is None:
        return whole, "full-domain recoding"
    every = SubsetEngine(partial(_listing, problem))
    if wanted == "auto" and tuples <= SMALL and every.refuses(problem) is None:
        return every, f"{tuples} tuples"
    known = engines()
    if wanted != "auto":
        if wanted not in known:
            raise PolicyError(f"unknown engine {wanted!r}: use 'auto' or one of {', '.join(known)}")
        refusal = known[wanted].refuses(problem)
        if refusal is not None:  # said before heuristics spend time on it
            raise EngineError(refusal)
        return known[wanted], "asked for"
    from .engines.partition.plan import Plan

    plan = Plan.of(problem)
    if isinstance(plan, Plan):
        listed = f"; groups are enumerated: {plan.why}" if plan.why else ""
        if not plan.why or (plan.guided and tuples > CLOSED):
            return known["partition"], f"{tuples} tuples{listed}"
    if every.refuses(problem) is None:
        return every, f"{tuples} tuples"
    if direct.refuses(problem) is None:
        why = plan if isinstance(plan, str) else f"the partition engine would enumerate groups: {plan.why}"
        return _listing(problem), f"{tuples} tuples; {why}"
    if isinstance(plan, Plan):
        return known["partition"], f"{tuples} tuples; groups are enumerated: {plan.why}"
    raise EngineError("; ".join(found for e in known.values() if (found := e.refuses(problem)) is not None))


def _listing(problem: Problem) -> Engine:
    """The direct model of a small table; before it, or where it is too large, the partition engine."""
    from .engines.partition.plan import Plan

    plan, direct = Plan.of(problem), AssignmentEngine()
    if not isinstance(plan, Plan):
        return direct
    listing = partition_engine()
    return InTurn(listing, direct) if not plan.why or plan.guided else InTurn(direct, listing)
