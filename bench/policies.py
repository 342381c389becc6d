"""Policies that people ask for, at two limits: what a longer search makes worse, late, or unbounded."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, ClassVar

from ..models.errors import InputError, PolicyError
from ..models.history import History
from ..models.outlook.asked import Outlook
from ..models.policy import LevelSpec, Policy
from ..models.requirement import Requirement
from ..models.requirements import (
    Difference,
    DistinctLDiversity,
    EntropyLDiversity,
    Geometric,
    GlobalGuarantee,
    HcSafety,
    Intersection,
    KAnonymity,
    KCAnonymity,
    RecordTracing,
    RecursiveCLDiversity,
    ResistsInference,
    TCloseness,
    WeakMInvariance,
)
from ..models.table import Microdata
from ..solver.result import Result
from ..solver.search import solve
from .engine import engine_table
from .registry import Case, Row, case
from .tables import adult_problem
from .time_limits import SLACK


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """A policy, after one release of a table with other people or not."""

    requirements: list[Requirement]
    minimize: list[LevelSpec] = field(default_factory=lambda: ["information_loss"])
    more: Mapping[str, Any] = field(default_factory=dict)
    weights: Mapping[int, object] = field(default_factory=dict)
    again: bool = False
    grown: bool = False
    transient: bool = False

    def policy(self, table: Microdata) -> Policy:
        """Weights go by a column's place, so that they fit every table."""
        weights = {table.attributes[place]: weight for place, weight in self.weights.items()}
        return Policy(self.requirements, self.minimize, weights=weights, **self.more)


K5 = [KAnonymity(k=5)]
KC: list[Requirement] = [KCAnonymity(k=3, c="1/2")]
INVARIANT = [WeakMInvariance(m=3)]
SHARE = {"max_suppressed": "1/20"}
COUNTED: list[LevelSpec] = ["counterfeits", "information_loss"]

POLICIES: dict[str, _Asked] = {
    "k": _Asked(requirements=[*K5]),
    "kc": _Asked(requirements=KC),
    "k-average": _Asked(requirements=[*K5], minimize=["average_information_loss"]),
    "k-ncp-weights": _Asked(requirements=[*K5], minimize=["ncp"], weights={0: 3, 1: "1/2"}),
    "k-squared": _Asked(requirements=[*K5], minimize=["squared_error"]),
    "k-semiperimeter": _Asked(requirements=[*K5], minimize=["semiperimeter"]),
    "k-per-tuple": _Asked(requirements=[*K5], minimize=["semiperimeter_per_tuple"]),
    "kc-discernibility": _Asked(requirements=KC, minimize=["discernibility"]),
    "kc-sum": _Asked(requirements=KC, minimize=[{"information_loss": 1, "discernibility": "1/100"}]),
    "kc-sizes-boxes": _Asked(requirements=KC, minimize=["maximum_group_size", "information_loss"]),
    "kc-sum-suppressed": _Asked(
        requirements=KC, minimize=[{"information_loss": 1, "discernibility": "1/100"}], more=SHARE
    ),
    "kc-suppressed-sizes-boxes": _Asked(
        requirements=KC, minimize=["suppressed", "discernibility", "information_loss"], more=SHARE
    ),
    "kc-sizes-boxes-some-suppressed": _Asked(
        requirements=KC, minimize=["discernibility", "information_loss"], more=SHARE
    ),
    "k-suppressed": _Asked(requirements=[*K5], more=SHARE),
    "k-boxes-suppressed": _Asked(requirements=[*K5], minimize=["information_loss", "suppressed"], more=SHARE),
    "k-squared-boxes": _Asked(requirements=[*K5], minimize=["squared_error", "information_loss"]),
    "k-suppressed-squared": _Asked(requirements=[*K5], minimize=["suppressed", "squared_error"], more=SHARE),
    "kc-suppressed": _Asked(requirements=KC, minimize=["suppressed", "information_loss"]),
    "k-left-out-weighed": _Asked(
        requirements=[*K5], minimize=[{"information_loss": 1, "suppressed": 2}], more=SHARE
    ),
    "l": _Asked(requirements=[DistinctLDiversity(l=3)]),
    "kl": _Asked(requirements=[*K5, DistinctLDiversity(l=3)]),
    "entropy": _Asked(requirements=[EntropyLDiversity(l=3)]),
    "recursive": _Asked(requirements=[RecursiveCLDiversity(c=2, l=3)]),
    "kt": _Asked(requirements=[*K5, TCloseness(t=Fraction(3, 10))]),
    "kt-suppressed": _Asked(
        requirements=[*K5, TCloseness(t=Fraction(3, 10))],
        minimize=["suppressed", "information_loss"],
        more=SHARE,
    ),
    "full-domain": _Asked(requirements=[*K5], more={**SHARE, "recoding": "full_domain"}),
    "anatomized": _Asked(requirements=[DistinctLDiversity(l=3)], more={"form": "anatomized"}),
    "m": _Asked(requirements=[*INVARIANT]),
    "m-hc": _Asked(requirements=[*INVARIANT, HcSafety(n=2)], minimize=COUNTED),
    "m-hc-again": _Asked(requirements=[*INVARIANT, HcSafety(n=2)], minimize=COUNTED, again=True),
    "m-signatures-again": _Asked(
        requirements=[*INVARIANT], minimize=["counterfeits", "signatures", "information_loss"], again=True
    ),
    "m-ahead-again": _Asked(
        requirements=[*INVARIANT], minimize=COUNTED, more={"outlook": Outlook(releases=5)}, again=True
    ),
    "m-weighed-again": _Asked(
        requirements=[*INVARIANT], minimize=[{"counterfeits": 1, "information_loss": 1}], again=True
    ),
    "byun-again": _Asked(
        requirements=[*KC, Difference(k=3, c="1/2"), Intersection(c="1/2"), RecordTracing(k=3)],
        again=True,
        grown=True,
    ),
    "resists-again": _Asked(requirements=[*KC, ResistsInference(max_posterior="4/5")], again=True),
    "guarantee-again": _Asked(requirements=[*K5, GlobalGuarantee(l=2)], again=True, transient=True),
    "geometric-again": _Asked(requirements=[*K5, Geometric(l=2)], again=True, transient=True),
}
"""By name; ``again``: the second release of a table of which a tenth is new, and a tenth has left unless
it is ``grown``."""


@case
@dataclass(frozen=True, kw_only=True)
class Policies(Case):
    """One row per policy and table: what each level reaches in two limits, and what is wrong with that.

    Parameters
    ----------
    names : str
        Names of `POLICIES`, separated by commas; all if empty.
    tables : str
        ``numbers`` (three clustered numbers) or ``adult`` (seven quasi-identifiers), separated by commas.
    tuples : int
    limits : str
        Two numbers of seconds: a shorter limit and a longer one.
    """

    name: ClassVar[str] = "policies"
    small_settings: ClassVar[dict[str, Any]] = {
        "names": "k,kc-suppressed,m-hc-again",
        "tuples": 30,
        "limits": "1,2",
    }

    names: str = ""
    tables: str = "numbers,adult"
    tuples: int = 100
    limits: str = "3,9"
    workers: int = 1

    def run(self) -> list[Row]:
        names = self.names.split(",") if self.names else list(POLICIES)
        unknown = [name for name in names if name not in POLICIES]
        if unknown:
            raise InputError(f"names: unknown are {', '.join(unknown)}; known are {', '.join(POLICIES)}")
        rows: list[Row] = []
        for name in names:
            for kind in self.tables.split(","):
                try:
                    found = self._row(POLICIES[name], kind)
                except PolicyError as error:  # some losses are of numbers alone
                    found = {"wrong": f"refused: {error}"}
                rows.append({"policy": name, "table": kind} | found)
                sys.stderr.write(f"{rows[-1]}\n")
        return rows

    def _row(self, asked: _Asked, kind: str) -> Row:
        shorter, longer = (float(text) for text in self.limits.split(","))
        table = _table(kind, self.tuples + self.tuples // 10, self.seed)
        if asked.transient:
            table = replace(table, sensitive=replace(table.sensitive, persistence="transient"))
        policy = asked.policy(table)
        history = History()
        if asked.again:
            first = self._solved(_part(table, 0, self.tuples), policy, history, 3.0)
            if first.release is None:
                return {"wrong": "no first release"}
            history.append(first.release)
        table = table if asked.grown else _part(table, len(table) - self.tuples, len(table))
        found = [self._solved(table, policy, history, limit) for limit in (shorter, longer)]
        row: Row = {}
        for result, limit in zip(found, (shorter, longer), strict=True):
            row |= {
                f"loss, {limit:g} s": _told(result.objective),
                f"bound, {limit:g} s": _told(result.bound),
                f"taken, {limit:g} s": round(result.seconds, 2),
            }
        row["status"] = found[1].status.value
        late = [
            "late" for result, limit in zip(found, (shorter, longer), strict=True) if _late(result, limit)
        ]
        return row | {"wrong": ", ".join(dict.fromkeys([*_wrong(*found), *late]))}

    def _solved(self, table: Microdata, policy: Policy, history: History, limit: float) -> Result:
        return solve(
            table,
            policy,
            history,
            time_limit=limit,
            seed=self.seed,
            workers=self.workers,
            display=False,
        )


def _table(kind: str, tuples: int, seed: int) -> Microdata:
    if kind == "numbers":
        return engine_table("kc", tuples, seed)
    if kind == "adult":
        return adult_problem("k5", "q7", tuples, seed).table
    raise InputError(f"tables are numbers and adult, not {kind!r}")


def _part(table: Microdata, begin: int, end: int) -> Microdata:
    return replace(table, members=table.members[begin:end], codes=table.codes[begin:end].copy())


def _wrong(shorter: Result, longer: Result) -> Iterator[str]:
    """In the words of the column ``wrong``."""
    if longer.release is None:
        yield "no release"
    elif shorter.release is not None and tuple(longer.objective) > tuple(shorter.objective):
        yield "worse"
    for level, (early, later, value) in enumerate(
        zip(shorter.bound, longer.bound, longer.objective, strict=False), start=1
    ):
        if value and not later:
            yield f"no bound of level {level}"
        if early is not None and (later is None or later < early):
            yield f"bound of level {level} lower"
        if later is None or later != value:
            break


def _late(result: Result, limit: float) -> bool:
    return result.seconds > limit * (1 + SLACK)


def _told(values: tuple[Fraction | None, ...]) -> str:
    return " / ".join("?" if value is None else f"{float(value):.6g}" for value in values)
