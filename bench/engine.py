"""How far the partition engine proves optima, and what gap is left beyond."""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from multiprocessing import get_context
from resource import RUSAGE_SELF, getrusage
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from optanon import KCAnonymity, Microdata, Policy, WeakMInvariance
from optanon.instances.adult import adult
from optanon.models.errors import TableError
from optanon.models.numeric import Numeric
from optanon.models.problem import Problem
from optanon.solver.engines.assignment.engine import AssignmentEngine
from optanon.solver.search import partition_engine
from optanon.solver.settings import Clock, Settings, Watch
from optanon.solver.settling import Settled, settled

from .registry import Case, Row, case
from .theirs import best

WIDE = 1000
"""Length of each numeric domain of the clustered tables."""
BASELINES = {
    "kc": "k_c_anonymity",
    "adult": "k_c_anonymity",
    "m3": "weak_m_invariance",
    "m6": "weak_m_invariance",
}
DIRECT = 60
"""Up to so many tuples the assignment engine is run beside."""
HEURISTIC = 3_000
"""Up to so many tuples the baselines are run beside: some take quadratic time."""


@case
@dataclass(frozen=True, kw_only=True)
class Engine(Case):
    """Partition engine: status, loss, bound, gap, time, memory, beside other engines and baselines.

    Status and bound are what the verifier derives without a solver (`verified`), in so many seconds more.

    Each case runs in a process of its own, so that its peak memory is its own.

    Parameters
    ----------
    cases : str
        Comma-separated list of ``KIND:TUPLES`` or ``KIND:TUPLES:SECONDS``, with KIND ``kc`` ((3,.5), three
        clustered numeric attributes), ``adult`` ((3,.5), a sample of Adult), ``m3`` (m = 3, each of three
        values equally often, otherwise as ``kc``) or ``m6`` (m = 6, six values, four attributes). ``long``
        stands for the long list.
    time_limit : int
        Seconds per case that names none.
    """

    name: ClassVar[str] = "engine"
    small_settings: ClassVar[dict[str, Any]] = {"cases": "kc:60,m3:60,m6:60", "time_limit": 2}

    cases: str = (
        "kc:700:20,kc:1000:60,kc:2000:120,adult:300:20,adult:500:60,m3:1500:20,m3:3000:60,m6:120:20,"
        "m6:200:60,kc:10000:120,m3:10000:120"
    )
    time_limit: int = 120
    workers: int = 2
    seed: int = 1

    def run(self) -> list[Row]:
        rows: list[Row] = []
        named = LONG if self.cases == "long" else self.cases
        context = get_context("spawn")
        for text in named.split(","):
            kind, tuples, seconds = ([*text.strip().split(":"), ""])[:3]
            limit = int(seconds or self.time_limit)
            # One process per case, thrown away after it.
            with ProcessPoolExecutor(1, mp_context=context) as pool:
                rows.append(pool.submit(_row, kind, int(tuples), limit, self.workers, self.seed).result())
            sys.stderr.write(f"{rows[-1]}\n")
        return rows


LONG = (
    "kc:300:60,kc:500:60,kc:700:20,kc:1000:60,kc:2000:120,kc:2000:300,kc:10000:120,adult:200:60,adult:300:20,"
    "adult:500:60,adult:1000:300,adult:3000:300,m3:300:20,m3:999:20,m3:1500:20,m3:3000:60,m3:10000:120,"
    "m6:120:20,m6:200:60,m6:1000:300,m6:3000:300"
)


def _row(kind: str, tuples: int, limit: int, workers: int, seed: int) -> Row:
    problem = _problem(kind, tuples, seed)
    _warm(kind)
    watch = Watch()
    settings = Settings(time_limit=float(limit), seed=seed, workers=workers)
    answer = partition_engine().solve(problem, settings, watch)
    seconds = watch.clock.seconds
    peak = getrusage(RUSAGE_SELF).ru_maxrss // 1024
    clock = Clock()
    told = settled(problem, answer, "partition", clock)
    verified, answer = clock.seconds, told.answer
    value = None if answer.release is None else problem.objective(answer.release)[0]
    bound = answer.bounds[0]
    first = next((point.seconds for point in watch.points if point.value is not None), None)
    return {
        "case": kind,
        "tuples": tuples,
        "limit": limit,
        "status": answer.status.value,
        "loss": None if value is None else float(value),
        "bound": None if bound is None else float(bound),
        "gap %": None
        if value is None or bound is None
        else 100 * float((value - bound) / max(value, Fraction(1, 10**9))),
        "verified": _verified(told),
        "verify, s": round(verified, 2),
        "seconds": round(seconds, 2),
        "first": None if first is None else round(first, 2),
        "peak MB": peak,
        "assignment": _assignment(problem, settings),
        "best baseline": _baseline(problem, kind, seed),
    }


def _verified(told: Settled) -> str:
    """Whether all that the engine says was derived again without a solver."""
    if told.words:
        return f"no: {told.words}"
    words = [f"{level.trusted_bound} is the word of {level.word}" for level in told.levels if level.word]
    return "; ".join(words) or "yes"


def engine_table(kind: str, tuples: int, seed: int) -> Microdata:
    """The table of a case; see `Engine` for the kinds."""
    build = {"kc": _clustered, "adult": _adult, "m3": _three_values, "m6": _six_values}
    if kind not in build:
        raise TableError(f"unknown case {kind!r}: use one of {', '.join(build)}")
    return build[kind](tuples, seed)


def _problem(kind: str, tuples: int, seed: int) -> Problem:
    table = engine_table(kind, tuples, seed)
    requirement = WeakMInvariance(m=int(kind[1:])) if kind[0] == "m" else KCAnonymity(k=3, c="1/2")
    return Problem(table=table, policy=Policy([requirement]))


def _warm(kind: str) -> None:
    """Load the compiled code on a small table of the same kind, so that times are those of the search."""
    for tuples in (60, 240):
        partition_engine().solve(_problem(kind, tuples, 0), Settings(time_limit=5.0), Watch())


def _assignment(problem: Problem, settings: Settings) -> str:
    if len(problem.table) > DIRECT:
        return f"not above {DIRECT}"
    answer = AssignmentEngine().solve(problem, settings, Watch())
    value = None if answer.release is None else problem.objective(answer.release)[0]
    bound = answer.bounds[0]
    if value is None or bound is None:
        return answer.status.value
    return f"{float(value):.6g} ({100 * float((value - bound) / max(value, Fraction(1, 10**9))):.3g} %)"


def _baseline(problem: Problem, kind: str, seed: int) -> str:
    """The least loss of a published heuristic's release that keeps the policy."""
    if len(problem.table) > HEURISTIC:
        return f"not above {HEURISTIC}"
    found = best(problem, seed, promised=BASELINES[kind])
    return "none" if found is None else f"{float(found[0][0]):.6g} ({found[1]})"


def _points(tuples: int, seed: int, attributes: int = 3) -> pd.DataFrame:
    """Numeric attributes in clusters of about 60 tuples."""
    random = np.random.default_rng(seed)
    clusters = max(3, tuples // 60)
    center, spread = (
        random.uniform(0.1, 0.9, (clusters, attributes)),
        random.uniform(0.03, 0.15, (clusters, attributes)),
    )
    home = random.integers(0, clusters, tuples)
    share = np.clip(center[home] + spread[home] * random.normal(size=(tuples, attributes)), 0, 1)
    codes = np.rint(share * WIDE).astype(int)
    return pd.DataFrame({"id": range(tuples), **{f"q{a}": codes[:, a] for a in range(attributes)}})


def _numeric(frame: pd.DataFrame) -> Microdata:
    names = [name for name in frame.columns if name.startswith("q")]
    domains = {name: Numeric(name=name, lo=Fraction(0), hi=Fraction(WIDE)) for name in names}
    return Microdata.from_frame(frame, respondent="id", quasi_identifiers=domains, sensitive="value")


def _clustered(tuples: int, seed: int) -> Microdata:
    """Ten values, the i-th with weight ``i**-0.7``."""
    frame = _points(tuples, seed)
    weight = 1 / np.arange(1, 11) ** 0.7
    values = np.random.default_rng(seed + 1).choice(10, tuples, p=weight / weight.sum())
    return _numeric(frame.assign(value=values.astype(str)))


def _equal_counts(tuples: int, seed: int, values: int, attributes: int) -> Microdata:
    """Each value equally often."""
    frame = _points(tuples - tuples % values, seed, attributes)
    chosen = np.random.default_rng(seed + 1).permutation(np.arange(len(frame)) % values)
    return _numeric(frame.assign(value=chosen.astype(str)))


def _three_values(tuples: int, seed: int) -> Microdata:
    return _equal_counts(tuples, seed, 3, 3)


def _six_values(tuples: int, seed: int) -> Microdata:
    return _equal_counts(tuples, seed, 6, 4)


def _adult(tuples: int, seed: int) -> Microdata:
    frame = adult().frame.sample(tuples, random_state=seed).assign(id=range(tuples))
    return Microdata.from_frame(
        frame,
        respondent="id",
        quasi_identifiers={
            "age": "numeric",
            "education-num": "numeric",
            "sex": "flat",
            "marital-status": "flat",
        },
        sensitive="occupation",
    )
