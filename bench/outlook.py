"""A series that looks ahead beside one that does not, Cor-Split and m-invariance: counterfeits and loss."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import pandas as pd

from ..instances.adult import adult
from ..instances.datasets import acs_pums
from ..instances.diabetes import diabetes, diabetes_roles
from ..instances.generators import generated_roles, series, uniform_table
from ..instances.roles import Roles
from ..models.errors import EngineError, InputError
from ..models.history import History
from ..models.outlook.asked import Outlook
from ..models.policy import Policy
from ..models.problem import Problem
from ..models.release import Release
from ..models.requirements import HcSafety, WeakMInvariance
from ..models.table import Microdata
from ..solver.baselines.registry import baselines
from ..solver.search import solve_problem
from .cor_split import ordered_roles
from .registry import Case, Row, case

METHODS = ("myopic", "outlook", "cor_split", "m_invariance")
COLUMNS = ("age", "education", "sex", "race", "education-num", "marital-status")


@case
@dataclass(frozen=True, kw_only=True)
class OutlookSeries(Case):
    """One row per source, turnover seed and method: counterfeits and loss over the whole series.

    People leave uniformly at random, as many new ones come. `expected` is what the model said at the first
    release of those to come, `came` what these needed. Every release is checked; m-invariance's breaks
    hc-safety, and is there for its scale.
    """

    name: ClassVar[str] = "outlook"
    small_settings: ClassVar[Mapping[str, Any]] = {
        "sources": "generated",
        "tuples": 30,
        "releases": 2,
        "seeds": 1,
        "time_limit": 2,
    }

    sources: str = "adult,diabetes,income"
    """Of these, or ``generated``."""
    methods: str = ",".join(METHODS)
    tuples: int = 300
    releases: int = 6
    turnover: float = 0.1
    seeds: int = 2
    """Turnovers are drawn with the seed and those after it."""
    m: int = 3
    n: int = 2
    weight: str = ""
    """Of the outlook, such as 1 or 1/2; empty: what is expected comes before the loss."""
    time_limit: int = 10
    """Seconds a release."""

    def run(self) -> list[Row]:
        """Draw each series, and let each method publish it."""
        rows: list[Row] = []
        for source in self.sources.split(","):
            for seed in range(self.seed, self.seed + self.seeds):
                tables = self._tables(source, seed)
                for method in self.methods.split(","):
                    began = time.process_time()
                    row: Row = {"source": source, "turnover seed": seed, "method": method}
                    row |= self._played(method, tables)
                    row["CPU s a release"] = round((time.process_time() - began) / len(tables), 1)
                    sys.stderr.write(f"{row}\n")
                    rows.append(row)
        return rows

    def _tables(self, source: str, seed: int) -> list[Microdata]:
        moved = round(self.turnover * self.tuples)
        population, roles = _population(source, self.tuples + moved * self.releases, seed)
        frames = series(
            population.reset_index(drop=True),
            first=self.tuples,
            releases=self.releases,
            insertions=moved,
            deletions=moved,
            seed=seed,
        )
        return [roles.table(frame) for frame in frames]

    def _played(self, method: str, tables: Sequence[Microdata]) -> Row:
        asked, history = [WeakMInvariance(m=self.m), HcSafety(n=self.n)], History()
        levels = ["counterfeits", "information_loss"]
        # All are measured by the same outlook; only one of them is asked to keep it in mind.
        outlook = Outlook(
            releases=max(1, self.releases - 1), survival=Fraction(1) - Fraction(str(self.turnover))
        )
        ahead, plain = Policy(asked, levels, outlook=outlook), Policy(asked, levels)
        wanted = ahead.weighing(Fraction(self.weight) if self.weight else None)
        fakes, losses, expected, broken = list[int](), list[Fraction](), Fraction(0), 0
        signatures = 0
        for number, table in enumerate(tables):
            measured = Problem(table=table, policy=ahead, history=history)
            problem = Problem(table=table, policy=wanted if method == "outlook" else plain, history=history)
            release = self._made(method, problem)
            if release is None:
                break
            broken += next(problem.check(release), None) is not None
            made, _, loss = measured.objective(release)
            prices = measured.prices
            foreseen = Fraction(0) if prices is None else prices.release(release)
            expected = foreseen if number == 0 else expected
            fakes.append(int(made))
            losses.append(loss)
            signatures = len({group.signature for group in release.groups})
            history.append(release)
        return {
            "counterfeits": " ".join(map(str, fakes)),
            "together": sum(fakes),
            "loss": round(float(sum(losses)), 1),
            "signatures": signatures,
            "expected": round(float(expected), 1),
            "came": sum(fakes[1:]),
            "releases that break the policy": broken,
        }

    def _made(self, method: str, problem: Problem) -> Release | None:
        if method in ("cor_split", "m_invariance"):
            try:
                return baselines()[method].run(problem, self.seed)
            except EngineError as error:
                sys.stderr.write(f"{error}\n")
                return None
        return solve_problem(problem, time_limit=self.time_limit, seed=self.seed, display=False).release


def _population(source: str, needed: int, seed: int) -> tuple[pd.DataFrame, Roles]:
    if source == "generated":
        return uniform_table(needed, seed=seed, values=6), generated_roles(values=6)
    if source == "adult":
        frame, roles = adult()
        kept = [name for name in roles.quasi_identifiers if name in COLUMNS][:4]
        chosen = {name: roles.quasi_identifiers[name] for name in kept}
        return frame, Roles(respondent=roles.respondent, quasi_identifiers=chosen, sensitive=roles.sensitive)
    if source == "diabetes":
        frame = diabetes()
        frame = frame[frame["visit"] == 1].copy()
        return frame.assign(respondent=frame["patient"]), diabetes_roles()
    if source in ("income", "occupation"):
        frame, roles = acs_pums(source)
        return frame, ordered_roles(roles, frame)
    raise InputError(f"sources must be of adult, diabetes, income, occupation, generated, got {source!r}")
