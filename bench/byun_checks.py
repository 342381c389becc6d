"""How many records of a growing table three inference attacks reach, found exactly (Byun et al., sec. 6)."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import pandas as pd

from ..instances.datasets import adult
from ..instances.roles import Roles
from ..models.categories import Ordered
from ..models.domain import Domain
from ..models.history import History
from ..models.numeric import Numeric
from ..models.policy import Policy
from ..models.problem import Problem
from ..models.release import Release
from ..models.requirement import Requirement, as_fraction
from ..models.requirements.difference import Difference
from ..models.requirements.intersection import Intersection
from ..models.requirements.k_c_anonymity import KCAnonymity
from ..models.requirements.record_tracing import RecordTracing
from ..models.table import Sensitive
from ..solver.baselines.mondrian import mondrian_static
from .registry import Case, Row, case

ORDERED = ("workclass", "education", "marital-status", "race", "sex", "native-country", "income")


@case
@dataclass(frozen=True, kw_only=True)
class ByunChecks(Case):
    """Adult, releases by plain Mondrian: records vulnerable to difference, intersection and tracing."""

    name: ClassVar[str] = "byun-checks"
    small_settings: ClassVar[dict[str, int]] = {"first": 300, "step": 100, "releases": 4}

    first: int = 5000
    step: int = 5000
    releases: int = 6
    k: int = 5
    c: str = "0.7"

    def run(self) -> list[Row]:
        """One row per release: each attack judges it against all earlier ones; then all releases together.

        Vulnerable are, by attack: respondents of a difference that is not (k, c) (all those
        of differences below k tuples, and of the largest violation per value); respondents whose
        intersection is above c; owners of records, in either release, that fit fewer
        than k people. Tables are prefixes of a seeded shuffle; eight quasi-identifiers, categories
        in a fixed order, so that Mondrian cuts ranges; sensitive is the occupation.
        """
        c = as_fraction(self.name, "c", self.c)
        attacks: dict[str, Requirement] = {
            "difference": Difference(k=self.k, c=c),
            "intersection": Intersection(c=c),
            "intersection (set)": Intersection(c=c, reading="set"),
            "traced forward": RecordTracing(k=self.k, direction="forward"),
            "traced backward": RecordTracing(k=self.k, direction="backward"),
            "traced, plausible": RecordTracing(k=self.k, edges="plausible", direction="forward"),
        }
        history = History()
        rows: list[Row] = []
        total: Row = {"release": "any", **dict.fromkeys(attacks, 0)}
        ever: dict[str, set[str]] = {name: set() for name in attacks}
        clocks = dict.fromkeys(attacks, 0.0)
        for number, release in enumerate(self._releases(c), start=1):
            row: Row = {"release": number, "tuples": len(release.members), "groups": len(release.groups)}
            before = sum(clocks.values())
            for name, requirement in attacks.items():
                began = time.monotonic()
                reached = {who for found in requirement.check(release, history) for who in found.respondents}
                clocks[name] += time.monotonic() - began
                ever[name] |= reached
                row[name] = len(reached)
            row["seconds"] = round(sum(clocks.values()) - before, 2)
            history.append(release)
            rows.append(row)
            sys.stderr.write(f"release {number}: {row}\n")
        total |= {name: len(found) for name, found in ever.items()}
        total["seconds"] = round(sum(clocks.values()), 2)
        times = {name: round(seconds, 2) for name, seconds in clocks.items()}
        return [*rows, total, {"release": "seconds", **times}]

    def _releases(self, c: Fraction) -> list[Release]:
        frame = adult().frame.sample(frac=1, random_state=self.seed).reset_index(drop=True)
        frame = frame.head(self.first + self.step * (self.releases - 1))
        roles = Roles(
            respondent="id",
            quasi_identifiers={d.name: d for d in _domains(frame)},
            sensitive=Sensitive(name="occupation"),
        )
        policy = Policy([KCAnonymity(k=self.k, c=c)])
        made: list[Release] = []
        for number in range(self.releases):
            table = roles.table(frame.head(self.first + self.step * number))
            made.append(mondrian_static(Problem(table=table, policy=policy), self.seed))
        return made


def _domains(frame: pd.DataFrame) -> list[Domain]:
    """One domain per quasi-identifier, the same for all releases."""
    years = frame.groupby("education")["education-num"].min()
    found: list[Domain] = [Numeric.of("age", frame["age"].tolist())]
    for name in ORDERED:
        values = sorted({str(value) for value in frame[name]})
        if name == "education":
            values.sort(key=lambda value: int(years[value]))
        found.append(Ordered(name=name, categories=tuple(values)))
    return found
