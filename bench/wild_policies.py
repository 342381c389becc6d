"""Random policies on random tables: what is wrong with the answers, as far as it can be seen from outside."""

from __future__ import annotations

import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from ..models.errors import CertificateError, OptanonError
from ..models.hierarchy import Hierarchy
from ..models.policy import LevelSpec, Policy
from ..models.problem import Problem
from ..models.requirement import Requirement
from ..models.requirements import (
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    KCAnonymity,
    RecursiveCLDiversity,
    TCloseness,
    WeakMInvariance,
)
from ..models.table import Microdata, QISpec
from ..solver.claims import Trusted
from ..solver.engines.partition.plan import Plan
from ..solver.result import Result
from ..solver.search import solve_problem
from ..solver.status import Status
from ..solver.verify.checking import verify
from .registry import Case, Row, case

CODES = ("a1", "a2", "a3", "b1", "b2", "c1")
OBJECTIVES: list[list[LevelSpec]] = [
    *[["information_loss"]] * 3,
    ["ncp"],
    ["average_information_loss"],
    ["discernibility"],
    ["semiperimeter_per_tuple"],
    ["maximum_group_size", "information_loss"],
    ["information_loss", "discernibility"],
    ["discernibility", "information_loss"],
    [{"information_loss": 1, "discernibility": "1/50"}],
    ["suppressed", "information_loss"],
    ["information_loss", "suppressed"],
    ["suppressed", "discernibility", "information_loss"],
    ["counterfeits", "information_loss"],
]
LATE = 1.15, 1.0
"""An answer is late after so many times the limit, and so many seconds."""
FAR = 2
"""A bound says little if the first level is more than so many times as large."""


class WrongAnswerError(OptanonError):
    """Some answer contradicts itself, or a call ended in a traceback."""


@case
@dataclass(frozen=True, kw_only=True)
class WildPolicies(Case):
    """One row per kind of finding: how often, and the first with its number; an error if any is a mistake.

    Mistakes are exceptions, contradictions (`settled`), bounds above values, "optimal" with a gap, and
    certificates that are refused. Answers that come late, have no release, a bound that says little, or one
    proof that the verifier refused are only counted; so are looser policies that lose more than without
    suppression and counterfeits in the same time.

    Parameters
    ----------
    problems : int
        How many are drawn.
    at : int
        Only the one of this number, from -1: all.
    """

    name: ClassVar[str] = "wild-policies"
    small_settings: ClassVar[dict[str, Any]] = {"problems": 3}

    problems: int = 100
    at: int = -1

    def run(self) -> list[Row]:
        found, first, asked = Counter[str](), dict[str, str](), 0
        for number in range(self.problems) if self.at < 0 else [self.at]:
            problem, limit = drawn(Random(f"{self.seed}/{number}"))
            asked += 1
            for kind, words in wrong(problem, limit, self.seed):
                found[kind] += 1
                told = f"--seed {self.seed} --at {number}: {problem.policy.content} {limit:g} s: {words}"
                first.setdefault(kind, told)
                sys.stderr.write(f"{kind} {told}\n")
        rows: list[Row] = [{"finding": kind, "times": found[kind], "first": first[kind]} for kind in found]
        mistakes = [row for row in rows if row["finding"].startswith("mistake")]
        if mistakes:
            raise WrongAnswerError("; ".join(f"{row['finding']}, {row['first']}" for row in mistakes))
        return [{"finding": "problems asked", "times": asked, "first": None}, *rows]


def drawn(random: Random) -> tuple[Problem, float]:
    """A problem that somebody could ask, and a short time limit."""
    table, values = _table(random)
    minimize = random.choice(OBJECTIVES)
    rules = _requirements(random, values)
    if "counterfeits" in minimize:
        rules = [WeakMInvariance(m=random.randint(2, min(3, values)))]
    more: dict[str, Any] = {}
    if random.random() < 0.3 or "suppressed" in minimize:
        more["max_suppressed"] = random.choice(["1/20", "1/10", 2])
    if random.random() < 0.2:
        more["weights"] = {table.attributes[0]: random.choice([2, 3, Fraction(1, 2)])}
    problem = Problem(table=table, policy=Policy(rules, minimize, **more))
    return problem, random.choice([0.5, 1.0, 1.5, 3.0])


def wrong(problem: Problem, limit: float, seed: int) -> Iterator[tuple[str, str]]:
    """What is wrong with the answer: kind, and in words."""
    _ = Plan.of(problem)  # loads the engine, which takes a second or two
    began = time.perf_counter()
    try:
        result = solve_problem(problem, time_limit=limit, seed=seed, workers=1, display=False)
    except CertificateError as error:
        yield "mistake: contradiction", str(error)
        return
    except OptanonError as error:
        yield "refused", str(error)
        return
    except Exception:
        yield "mistake: exception", traceback.format_exc(limit=-3)
        return
    took = time.perf_counter() - began - result.compiled
    if took > LATE[0] * limit + LATE[1]:
        yield "late", f"{took:.1f} s"
    if result.release is None:
        if result.status is not Status.INFEASIBLE:
            yield "no release", result.termination.value
        return
    yield from _contradictions(problem, result)
    value, bound = result.objective[0], result.bound[0]
    if value > FAR * (bound or 0):
        yield "a bound that says little", f"{float(value):.4g}, {float(bound or 0):.4g}"
    yield from _looser(problem, result, limit, seed)


def _contradictions(problem: Problem, result: Result) -> Iterator[tuple[str, str]]:
    for level, (value, bound) in enumerate(zip(result.objective, result.bound, strict=True)):
        if bound is not None and bound > value:
            yield "mistake: bound above value", f"level {level}: {value}, {bound}"
    if result.status is Status.OPTIMAL and result.objective != result.bound:
        yield "mistake: optimal with a gap", f"{result.objective}, {result.bound}"
    if result.certificate is None:
        yield "mistake: no certificate", result.status.value
        return
    try:
        verify(result.certificate, problem, result.release)
    except CertificateError as error:
        yield "mistake: certificate refused", str(error)
    for claim in result.certificate.claims:
        if isinstance(claim, Trusted) and "was refused" in claim.why:
            yield "a proof that was refused", claim.whose


def _looser(problem: Problem, result: Result, limit: float, seed: int) -> Iterator[tuple[str, str]]:
    """Whether more is lost than where nobody may be suppressed or invented."""
    policy, none = problem.policy, {"suppressed", "counterfeits"}
    levels = [level for level in policy.levels if not level.losses <= none]
    free = policy.suppression_limit(len(problem.table)) > 0 or policy.counterfeit_limit != 0
    if len(levels) != 1 or not free:
        return
    strict = policy.changed(minimize=[dict(levels[0].weights)], max_suppressed=0, max_counterfeits=0)
    other = solve_problem(
        Problem(table=problem.table, policy=strict), time_limit=limit, seed=seed, workers=1, display=False
    )
    if other.release is not None and problem.objective(other.release) < result.objective:
        told = [[float(x) for x in each] for each in (result.objective, problem.objective(other.release))]
        yield "a looser policy loses more", f"{told[0]}, {told[1]}"


def _table(random: Random) -> tuple[Microdata, int]:
    """A table with clusters, ties and frequent values, and how many sensitive values it has at most."""
    tuples = random.choice([12, 20, 25, 30, 45, 60, 90, 130])
    draw = np.random.default_rng(random.getrandbits(64))
    frame: dict[str, Any] = {"id": range(tuples)}
    columns: dict[str, QISpec] = {}
    place = draw.integers(0, 3, tuples)
    for number in range(random.randint(1, 5)):
        name, kind = f"q{number}", random.choice(["numeric", "numeric", "flat", "taxonomy"])
        if kind == "numeric":
            width = random.choice([5, 30, 200])
            frame[name], columns[name] = place * width // 2 + draw.integers(0, width, tuples), "numeric"
        elif kind == "flat":
            frame[name], columns[name] = draw.choice(list("abcd"), tuples), "flat"
        else:
            frame[name] = draw.choice(CODES, tuples)
            columns[name] = Hierarchy(tuple((code, code[0], "*") for code in CODES))
    values = random.randint(2, 9)
    share = 1 / np.arange(1, values + 1) ** random.choice([0.0, 0.5, 1.0])
    frame["value"] = draw.choice(list("ABCDEFGHI")[:values], tuples, p=share / share.sum())
    table = Microdata.from_frame(
        pd.DataFrame(frame), respondent="id", quasi_identifiers=columns, sensitive="value"
    )
    return table, values


def _requirements(random: Random, values: int) -> list[Requirement]:
    """One to three kinds."""
    known: list[Requirement] = [
        KAnonymity(k=random.randint(2, 8)),
        KCAnonymity(k=random.randint(2, 6), c=Fraction(random.randint(4, 9), 10)),
        DistinctLDiversity(l=random.randint(2, min(4, values))),
        EntropyLDiversity(l=Fraction(random.randint(11, 25), 10)),
        RecursiveCLDiversity(c=random.choice([1, 2, Fraction(3, 2)]), l=random.randint(2, 3)),
        TCloseness(t=Fraction(random.randint(1, 6), 10)),
    ]
    chosen = random.sample(known, random.choice([1, 1, 2, 2, 3]))
    return [rule for i, rule in enumerate(chosen) if rule.name not in [other.name for other in chosen[:i]]]
