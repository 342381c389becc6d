"""What m-invariance leaves open and Cor-Split closes, at what price (Riboni and Bettini, sec. 5)."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import pandas as pd

from ..instances.datasets import acs_pums
from ..instances.generators import generated_roles, series, uniform_table
from ..instances.roles import Roles
from ..models.domain import Numeric, Ordered
from ..models.errors import InputError
from ..models.history import History
from ..models.policy import Policy
from ..models.problem import Problem
from ..models.release import Release
from ..models.requirements.hc_safety import HcSafety
from ..models.requirements.weak_m_invariance import WeakMInvariance
from ..models.table import Sensitive
from ..solver.baselines.registry import baselines
from ..solver.insight.queries import median_error, random_queries
from .registry import Case, Row, case

SELECTIVITIES = (0.01, 0.05, 0.1)


@case
@dataclass(frozen=True, kw_only=True)
class CorSplit(Case):
    """m-invariance and Cor-Split on a series: hc-unsafe groups, counterfeits, query error, time.

    The published setting is 60,000 tuples of a US census extract with a turnover of a third over 24
    releases; the 104,731 respondents of ACS 2018 last for 3 such releases. Quasi-identifiers are
    ordered by their codes. Each algorithm has a history of its own releases.
    """

    name: ClassVar[str] = "cor-split"
    small_settings: ClassVar[Mapping[str, Any]] = {"source": "generated", "tuples": 600, "queries": 100}

    source: str = "income"
    """``income`` (50 bands) or ``occupation`` of ACS 2018, or ``generated`` (50 uniform values)."""
    tuples: int = 60_000
    releases: int = 3
    turnover: float = 0.33
    m: int = 6
    n: int = 3
    queries: int = 1000

    def run(self) -> list[Row]:
        population, roles = self._population()
        moved = round(self.turnover * self.tuples)
        frames = series(
            population,
            first=self.tuples,
            releases=self.releases,
            insertions=moved,
            deletions=moved,
            seed=self.seed,
        )
        tables = [roles.table(frame) for frame in frames]
        policy = Policy([WeakMInvariance(m=self.m), HcSafety(n=self.n)], ["counterfeits", "information_loss"])
        rows: list[Row] = []
        for name in ("m_invariance", "cor_split"):
            history = History()
            for number, table in enumerate(tables, start=1):
                problem = Problem(table=table, policy=policy, history=history)
                began = time.monotonic()
                release = baselines()[name].run(problem, self.seed)
                seconds = time.monotonic() - began
                row: Row = {"algorithm": name, "release": number, "tuples": len(table)}
                rows.append(row | self._figures(problem, release) | {"seconds": round(seconds, 1)})
                history.append(release)
        return rows

    def _figures(self, problem: Problem, release: Release) -> Row:
        broken: dict[str, set[int]] = {}
        for violation in problem.check(release):
            broken.setdefault(violation.requirement, set()).update(violation.groups)
        errors: Row = {}
        for selectivity in SELECTIVITIES:
            queries = random_queries(problem.table, self.queries, selectivity, self.seed)
            error = median_error(release, problem.table, queries)
            errors[f"error at {selectivity:.0%}"] = f"{error:.2%}"
        others = set(broken) - {"hc_safety"}
        return {
            "groups": len(release.groups),
            "hc-unsafe": len(broken.get("hc_safety", ())),
            "other violations": ", ".join(sorted(others)) or None,
            "counterfeits": release.counterfeits,
        } | errors

    def _population(self) -> tuple[pd.DataFrame, Roles]:
        if self.source == "generated":
            needed = self.tuples + round(self.turnover * self.tuples) * (self.releases - 1)
            return uniform_table(needed, seed=self.seed, values=50), generated_roles(values=50)
        if self.source not in ("income", "occupation"):
            raise InputError(f"source must be 'income', 'occupation' or 'generated', got {self.source!r}")
        frame, roles = acs_pums(self.source)
        age = Numeric(name="AGEP", lo=Fraction(0), hi=Fraction(99))
        ordered = [
            Ordered(name=name, categories=tuple(sorted(frame[name].unique())))
            for name in ("SCHL", "POBP", "SEX")
        ]
        return frame, Roles(
            respondent=roles.respondent,
            quasi_identifiers={"AGEP": age} | {domain.name: domain for domain in ordered},
            sensitive=Sensitive(name=self.source),
        )
