"""Static, checked and merge variants of Mondrian and Incognito on a growing table (Byun et al., sec. 6)."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd

from ..instances.adult import arx_adult, arx_hierarchy
from ..instances.generators import generated_roles, uniform_table
from ..instances.roles import Roles
from ..models.categories import Ordered
from ..models.errors import EngineError, InputError
from ..models.hierarchy import Hierarchy
from ..models.history import History
from ..models.losses import losses
from ..models.numeric import Numeric
from ..models.policy import Policy
from ..models.problem import Problem
from ..models.requirement import Requirement, as_fraction
from ..models.requirements import Difference, Intersection, KCAnonymity, RecordTracing
from ..models.table import QISpec, Sensitive
from ..solver.baselines.registry import baselines
from .byun_figures import figures
from .registry import Case, Row, case

CATEGORICAL = ("workclass", "education", "marital-status", "race", "sex", "native-country", "salary-class")
VARIANTS = ("static", "checked", "merge")
READINGS = {"beside": ("merge",), "joined": ("joined",), "both": ("merge", "joined")}
HEIGHTS = "Incognito takes the least sum of levels, not the least loss: a vector above it may lose less"
CAUSE = {
    ("mondrian", "merge"): "classes beside each other leave the recoding as it is and cost what small tables "
    "cost, while checks, of tracing above all, refuse cuts of everybody",
    ("mondrian", "joined"): "one recoding for everybody: classes that meet become one, which cascades",
    ("incognito", "merge"): HEIGHTS,
    ("incognito", "joined"): f"{HEIGHTS}; joined levels are above both",
}
"""Why an order is what it is, by algorithm and reading."""
HEIGHT = "; Incognito's vectors are chosen by their height: the static one need not lose least"


@case
@dataclass(frozen=True, kw_only=True)
class Byun(Case):
    """Adult in six growing releases, each variant with its own history: vulnerable records, AIL, DM, time.

    The published setting: 30,162 complete rows, eight quasi-identifiers, occupation sensitive, 5,000
    rows first and 5,000 more each time. k and c are not given there. Categories are in the order
    of ARX's hierarchies, which are Incognito's levels. Checks are exact (see `baselines.inferences`),
    and of the whole release for every cut of the checked Mondrian. What "merged" does to the recoding is read
    two ways: classes side by side (``merge``), and classes that meet joined (``joined``).
    """

    name: ClassVar[str] = "byun"
    small_settings: ClassVar[Mapping[str, Any]] = {
        "source": "generated",
        "first": 60,
        "step": 30,
        "releases": 3,
        "k": 3,
    }

    source: str = "adult"
    """``adult`` or ``generated`` (uniform columns, six values)."""
    first: int = 5000
    step: int = 5000
    releases: int = 6
    k: int = 5
    c: str = "0.7"
    algorithms: str = "mondrian,incognito"
    variants: str = "static,checked,merge"
    reading: str = "both"
    """Of ``merge``: ``beside``, ``joined`` or ``both``."""
    edges: str = "exact"
    """By which checked variants trace: ``exact`` or ``plausible`` (forward), as in the source."""
    patience: int = 600
    """A series ends with the first release that took more CPU seconds than this to make."""
    figures: bool = False
    """The same rows as Figures 11 to 14 of the source: one table each, releases side by side."""

    def run(self) -> list[Row]:
        """One row per algorithm, variant and release, with the records each attack reaches."""
        frame, roles, levels = self.population()
        asked = KCAnonymity(k=self.k, c=as_fraction(self.name, "c", self.c))
        checks = self._checks()
        policies = {
            "mondrian": Policy([asked, *checks]),
            "incognito": Policy([asked, *checks], recoding="full_domain", hierarchies=levels),
        }
        tables = [roles.table(frame.head(self.first + self.step * i)) for i in range(self.releases)]
        rows: list[Row] = []
        for name in self._baselines(policies):
            history = History()
            for number, table in enumerate(tables, start=1):
                problem = Problem(table=table, policy=policies[name.split("_")[0]], history=history)
                row: Row = {"algorithm": name, "release": number, "tuples": len(table)}
                rows.append(row)
                began = time.process_time()
                try:
                    release = baselines()[name].run(problem, self.seed)
                except EngineError as error:
                    row["note"] = str(error)
                    break
                seconds = time.process_time() - began
                row |= {"groups": len(release.groups), "cpu seconds": round(seconds, 2)}
                for attack, requirement in self._attacks(asked).items():
                    found = requirement.check(release, history)
                    row[attack] = len({who for violation in found for who in violation.respondents})
                row["AIL"] = round(float(losses()["average_information_loss"].value(release, table)), 4)
                row["DM"] = int(losses()["discernibility"].value(release, table))
                sys.stderr.write(f"{name} {number}: {row}\n")
                history.append(release)
                if seconds > self.patience and number < self.releases:
                    row["note"] = f"given up: more than {self.patience} s for one release"
                    break
        found = [*rows, *self._orders(rows)]
        return figures(found) if self.figures else found

    def _checks(self) -> list[Requirement]:
        """The tracing that checked variants are told of, if it is not the exact one of both directions."""
        if self.edges not in ("exact", "plausible"):
            raise InputError(f"edges must be 'exact' or 'plausible', got {self.edges!r}")
        plausible = RecordTracing(k=self.k, edges="plausible", direction="forward")
        return [plausible] if self.edges == "plausible" else []

    def _orders(self, rows: list[Row]) -> list[Row]:
        """Per algorithm and reading the order of the losses beside the published one, with the cause."""
        found: list[Row] = []
        losses_of = {(row["algorithm"], row["release"]): row["AIL"] for row in rows if "AIL" in row}
        for algorithm in sorted({str(row["algorithm"]).split("_")[0] for row in rows}, reverse=True):
            for reading in ("merge", "joined"):
                names = [f"{algorithm}_{variant}" for variant in ("static", "checked", reading)]
                common = [n for n in range(2, self.releases + 1) if all((m, n) in losses_of for m in names)]
                if not common:
                    continue
                told = {name.split("_")[1]: float(str(losses_of[name, common[-1]])) for name in names}
                order = sorted(told, key=lambda name: told[name])
                found.append(
                    {
                        "algorithm": f"{algorithm}, {reading}",
                        "release": common[-1],
                        "order of AIL": " < ".join(f"{name} {told[name]:.3f}" for name in order),
                        "published": "static < checked < merge (curves, no numbers)",
                        "agrees": order == ["static", "checked", reading],
                        "cause": CAUSE[algorithm, reading] + (HEIGHT if algorithm == "incognito" else ""),
                    }
                )
        return found

    def _attacks(self, asked: KCAnonymity) -> Mapping[str, Requirement]:
        return {
            "difference": Difference(k=asked.k, c=asked.c),
            "intersection": Intersection(c=asked.c),
            "tracing": RecordTracing(k=asked.k),
            "tracing, plausible": RecordTracing(k=asked.k, edges="plausible", direction="forward"),
        }

    def _baselines(self, policies: Mapping[str, Policy]) -> list[str]:
        if self.reading not in READINGS:
            raise InputError(f"reading must be one of {', '.join(READINGS)}, got {self.reading!r}")
        variants = [
            read
            for v in self.variants.split(",")
            for read in (READINGS[self.reading] if v.strip() == "merge" else (v.strip(),))
        ]
        names = [f"{a.strip()}_{v}" for a in self.algorithms.split(",") for v in variants]
        known = [f"{algorithm}_{variant}" for algorithm in policies for variant in (*VARIANTS, "joined")]
        for name in names:
            if name not in known:
                raise InputError(f"there is no {name!r}: algorithms and variants give {', '.join(known)}")
        return names

    def population(self) -> tuple[pd.DataFrame, Roles, dict[str, Hierarchy]]:
        """All rows, their roles, and the levels for Incognito."""
        needed = self.first + self.step * (self.releases - 1)
        if self.source == "generated":
            return uniform_table(needed, seed=self.seed), generated_roles(), {}
        if self.source != "adult":
            raise InputError(f"source must be 'adult' or 'generated', got {self.source!r}")
        frame = arx_adult().frame.sample(frac=1, random_state=self.seed).reset_index(drop=True)
        levels = {name: arx_hierarchy(name) for name in (*CATEGORICAL, "age")}
        specs: dict[str, QISpec] = {"age": Numeric.of("age", frame["age"].tolist())}
        specs |= {name: Ordered(name=name, categories=levels[name].leaves) for name in CATEGORICAL}
        roles = Roles(respondent="id", quasi_identifiers=specs, sensitive=Sensitive(name="occupation"))
        # The last release has what there is: 30,162 rows are 162 more than six times 5,000.
        return frame.head(needed), roles, levels
