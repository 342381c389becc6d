"""How far the partition engine proves optima, and what gap is left beyond."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from optanon import KCAnonymity, Microdata, Policy, WeakMInvariance
from optanon.models.domain import Numeric
from optanon.models.errors import TableError
from optanon.models.problem import Problem
from optanon.solver.engines.partition.engine import PartitionEngine
from optanon.solver.settings import Settings, Watch

from .registry import Case, Row, case

WIDE = 1000
"""Length of each numeric domain of the clustered tables."""
ADULT_COLUMNS = (
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation"),
    *("relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country"),
    "income",
)


@case
@dataclass(frozen=True, kw_only=True)
class Engine(Case):
    """Partition engine on clustered, Adult and equal-count tables: status, loss, bound, gap, time, memory.

    Parameters
    ----------
    cases : str
        Comma-separated list of ``KIND:TUPLES``, with KIND ``kc`` ((3,.5), clustered), ``adult`` ((3,.5), a
        sample of Adult, from ``$OPTANON_DATA/adult/adult.data``) or ``m3`` (m = 3, each of three values
        equally often, clustered).
    time_limit : int
        Seconds per case.
    """

    name: ClassVar[str] = "engine"
    small_settings: ClassVar[dict[str, Any]] = {"cases": "kc:60,m3:60", "time_limit": 20}

    cases: str = "kc:300,kc:500,kc:700,kc:1000,kc:2000,adult:200,adult:300,adult:500,m3:300,m3:999"
    time_limit: int = 120
    workers: int = 1
    seed: int = 1

    def run(self) -> list[Row]:
        rows: list[Row] = []
        for named in self.cases.split(","):
            kind, _, tuples = named.strip().partition(":")
            rows.append(self._row(kind, int(tuples)))
            sys.stderr.write(f"{rows[-1]}\n")
        return rows

    def _row(self, kind: str, tuples: int) -> Row:
        build = {"kc": _clustered, "adult": _adult, "m3": _equal_counts}
        if kind not in build:
            raise TableError(f"unknown case {kind!r}: use one of {', '.join(build)}")
        policy = Policy([WeakMInvariance(m=3) if kind == "m3" else KCAnonymity(k=3, c="1/2")])
        problem = Problem(table=build[kind](tuples, self.seed), policy=policy)
        watch = Watch()
        settings = Settings(time_limit=float(self.time_limit), seed=self.seed, workers=self.workers)
        answer = PartitionEngine().solve(problem, settings, watch)
        seconds = watch.clock.seconds
        value = None if answer.release is None else problem.objective(answer.release)[0]
        bound = answer.bounds[0]
        return {
            "case": kind,
            "tuples": tuples,
            "status": answer.status.value,
            "loss": None if value is None else float(value),
            "bound": None if bound is None else float(bound),
            "gap": None
            if value is None or bound is None
            else float((value - bound) / max(value, Fraction(1, 10**9))),
            "seconds": round(seconds, 2),
            "peak MB": getrusage(RUSAGE_SELF).ru_maxrss // 1024,
        }


def _points(tuples: int, seed: int) -> pd.DataFrame:
    """Three numeric attributes in clusters of about 60 tuples."""
    random = np.random.default_rng(seed)
    clusters = max(3, tuples // 60)
    center, spread = random.uniform(0.1, 0.9, (clusters, 3)), random.uniform(0.03, 0.15, (clusters, 3))
    home = random.integers(0, clusters, tuples)
    share = np.clip(center[home] + spread[home] * random.normal(size=(tuples, 3)), 0, 1)
    codes = np.rint(share * WIDE).astype(int)
    return pd.DataFrame({"id": range(tuples), **{f"q{a}": codes[:, a] for a in range(3)}})


def _numeric(frame: pd.DataFrame) -> Microdata:
    domains = {f"q{a}": Numeric(name=f"q{a}", lo=Fraction(0), hi=Fraction(WIDE)) for a in range(3)}
    return Microdata.from_frame(frame, respondent="id", quasi_identifiers=domains, sensitive="value")


def _clustered(tuples: int, seed: int) -> Microdata:
    """Ten values, the i-th with weight ``i**-0.7``."""
    frame = _points(tuples, seed)
    weight = 1 / np.arange(1, 11) ** 0.7
    values = np.random.default_rng(seed + 1).choice(10, tuples, p=weight / weight.sum())
    return _numeric(frame.assign(value=values.astype(str)))


def _equal_counts(tuples: int, seed: int) -> Microdata:
    """Three values, each in a third of the tuples."""
    frame = _points(tuples - tuples % 3, seed)
    values = np.random.default_rng(seed + 1).permutation(np.arange(len(frame)) % 3)
    return _numeric(frame.assign(value=values.astype(str)))


def _adult(tuples: int, seed: int) -> Microdata:
    home = os.environ.get("OPTANON_DATA")
    if not home:
        raise TableError("the Adult sample needs $OPTANON_DATA/adult/adult.data: set OPTANON_DATA")
    raw = pd.read_csv(
        Path(home) / "adult" / "adult.data", names=ADULT_COLUMNS, skipinitialspace=True, na_values="?"
    ).dropna()
    frame = raw.sample(tuples, random_state=seed).assign(id=lambda found: range(len(found)))
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
