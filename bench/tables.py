"""k-anonymity on tables that everybody has: ours beside every published heuristic, medians over seeds."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import median
from typing import Any, ClassVar

from optanon import DistinctLDiversity, HcSafety, KCAnonymity, Microdata, Policy, TCloseness, WeakMInvariance
from optanon.instances.adult import adult, arx_hierarchy
from optanon.instances.generators import drawn_again
from optanon.models.errors import CertificateError
from optanon.models.problem import Problem
from optanon.models.requirement import Requirement
from optanon.solver.result import Result
from optanon.solver.search import solve_problem
from optanon.solver.status import Point
from optanon.solver.verify.checking import verify

from .registry import Case, Row, case
from .theirs import best

FOUR = ("age", "sex", "race", "education")
SEVEN = (*FOUR, "marital-status", "native-country", "workclass")
COLUMNS = {"q4": FOUR, "q7": SEVEN, "q9": (*SEVEN, "hours-per-week", "income")}
POLICIES: dict[str, tuple[Requirement, ...]] = {
    "k5": (KCAnonymity(k=5),),
    "k5l2": (KCAnonymity(k=5), DistinctLDiversity(l=2)),
    "l3": (DistinctLDiversity(l=3),),
    "kc": (KCAnonymity(k=3, c=Fraction(1, 2)),),
    "k10": (KCAnonymity(k=10),),
    "k10t": (KCAnonymity(k=10), TCloseness(t=Fraction(1, 5))),
    "m3": (WeakMInvariance(m=3), HcSafety(n=2)),
}
LEVELS = {"m3": ["counterfeits", "information_loss"]}
"""What is minimized, if not the information loss alone; its loss is the last level's."""
EARLY = 10.0, 20.0
"""Seconds after which a release should be good: as good as published ones, and nearly as good as the last."""


@case
@dataclass(frozen=True, kw_only=True)
class Tables(Case):
    """Information loss on Adult, medians over seeds: ours, the bound, the best heuristic in the same time.

    Parameters
    ----------
    case : str
        Comma-separated list of ``POLICY:COLUMNS:TUPLES:SECONDS``. POLICY is ``k5``, ``k5l2`` (also two
        different values), ``l3`` (three of them), ``kc`` ((3, 1/2)), ``k10``, ``k10t`` (also 1/5-closeness)
        or ``m3`` (a series' first release: weak 3-invariance with hc-safety, counterfeits first); COLUMNS is
        ``q4`` (age, sex, race, education), ``q7`` (also marital status, country, work class) or ``q9`` (also
        hours and income: age and hours are numeric); ARX's hierarchies.
        Fewer than 30,162 tuples are a sample, more are drawn with replacement.
    seeds : str
        Comma-separated: each draws a sample of its own, and is the searches' seed.
    workers : int
    alone : bool
        Without published heuristics beside, each of which gets the same time.
    """

    name: ClassVar[str] = "tables"
    small_settings: ClassVar[dict[str, Any]] = {"case": "k5:q4:300:5,kc:q7:300:5", "seeds": "1"}

    case: str = (
        "k5:q7:1000:60,k5:q4:1000:60,k5:q7:5000:120,k5:q4:30162:60,k5:q7:30162:200,k5l2:q7:30162:200,"
        "kc:q4:30162:30,k10t:q9:30162:100"
    )
    seeds: str = "1,2,3"
    workers: int = 2
    alone: bool = False

    def run(self) -> list[Row]:
        rows: list[Row] = []
        for text in self.case.split(","):
            policy, columns, tuples, seconds = text.strip().split(":")
            named: Row = {"case": policy, "columns": columns, "tuples": int(tuples), "limit": int(seconds)}
            found: list[Row] = []
            for seed in map(int, self.seeds.split(",")):
                problem = adult_problem(policy, columns, int(tuples), seed)
                found.append(_ours(problem, float(seconds), seed, self.workers))
                if not self.alone:
                    found[-1] |= _beside(problem, float(seconds), seed, found[-1])
                sys.stderr.write(f"{named | {'seed': seed} | found[-1]}\n")
            rows.append(named | medians(found))
        return rows


def medians(rows: Sequence[Row]) -> Row:
    """The median of each column of numbers, None if one is missing; different words side by side."""
    found: Row = {}
    for name in rows[0]:
        column = [row[name] for row in rows]
        if any(isinstance(value, str) for value in column):
            found[name] = "/".join(dict.fromkeys(map(str, column)))
        else:
            found[name] = None if None in column else median(column)
    return found


def adult_problem(policy: str, columns: str, tuples: int, seed: int) -> Problem:
    """Adult, or a sample of it, under one of `POLICIES`."""
    people, roles = adult()
    known = {**roles.quasi_identifiers, "hours-per-week": "numeric", "income": arx_hierarchy("salary-class")}
    if tuples < len(people):
        people = people.sample(tuples, random_state=seed).reset_index(drop=True)
    elif tuples > len(people):
        people = drawn_again(people, tuples, respondent=roles.respondent, seed=seed)
    table = Microdata.from_frame(
        people,
        respondent=roles.respondent,
        quasi_identifiers={name: known[name] for name in COLUMNS[columns]},
        sensitive=roles.sensitive,
    )
    levels = LEVELS.get(policy, ["information_loss"])
    return Problem(table=table, policy=Policy(list(POLICIES[policy]), levels))


def _ours(problem: Problem, limit: float, seed: int, workers: int) -> Row:
    solve_problem(adult_problem("k5", "q4", 300, seed), time_limit=5.0, workers=workers)  # compiled code
    began = time.process_time()
    result = solve_problem(problem, time_limit=limit, seed=seed, workers=workers)
    spent = time.process_time() - began
    soon, later = (f"at {seconds:.0f} s" for seconds in EARLY)
    found: Row = dict.fromkeys(
        ("loss", "bound", "gap % of bound", "first, s", "first loss", soon, f"{later} / last", "verified")
    )
    found |= {"status": result.status.name, "seconds": round(result.seconds, 1), "CPU, s": round(spent, 1)}
    if result.release is None:
        return found
    found |= verified(problem, result)
    value, bound = result.objective[-1], result.bound[-1]
    known = [point for point in result.trajectory if point.level == len(result.objective) - 1]
    first = next(point for point in known if point.value is not None)
    found |= {
        "loss": float(value),
        "first, s": round(first.seconds, 2),
        "first loss": float(first.value or 0),
        soon: reached(known, EARLY[0]),
    }
    then = reached(known, EARLY[1])
    found[f"{later} / last"] = then / float(value) if then and value else None
    if bound is not None:
        found["bound"] = float(bound)
        if bound:
            found["gap % of bound"] = 100 * float((value - bound) / bound)
    return found


def verified(problem: Problem, result: Result) -> Row:
    """Whether the verifier derives each bound again without a solver, and in which time."""
    began = time.process_time()
    try:
        if result.certificate is None:
            raise CertificateError("there is no certificate")
        outcome = verify(result.certificate, problem, result.release)
        words = "yes" if outcome.whole else f"no: {'; '.join(outcome.trusted)}"
    except CertificateError as error:
        words = f"no: {error}"
    return {"verified": words, "verify, CPU s": round(time.process_time() - began, 1)}


def reached(points: Sequence[Point], seconds: float) -> float | None:
    """The loss that was reached by then, None if there was no release."""
    losses = [point.value for point in points if point.value is not None and point.seconds <= seconds]
    return float(losses[-1]) if losses else None


def _beside(problem: Problem, limit: float, seed: int, ours: Row) -> Row:
    """The best release of a published heuristic that keeps the policy, each in the same time."""
    found = best(problem, seed, limit)
    soon = f"at {EARLY[0]:.0f} s"
    ratios: Row = {"ours / its": ours["loss"], f"{soon} / its": ours[soon]}
    if found is None:
        return {"best heuristic": "none", "its loss": None} | dict.fromkeys(ratios)
    its = float(found[0][-1])
    for name, loss in ratios.items():
        ratios[name] = None if loss is None or not its else loss / its
    return {"best heuristic": found[1], "its loss": its} | ratios
