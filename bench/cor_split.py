"""What m-invariance leaves open and Cor-Split closes, at what price (Riboni and Bettini, sec. 5)."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from typing import Any, ClassVar

import pandas as pd

from ..instances.datasets import acs_pums
from ..instances.generators import drawn_again, generated_roles, series, uniform_table
from ..instances.roles import Roles
from ..models.categories import Ordered
from ..models.errors import InputError
from ..models.history import History
from ..models.numeric import Numeric
from ..models.policy import Policy
from ..models.problem import Problem
from ..models.release import Release
from ..models.requirements.hc_safety import HcSafety
from ..models.requirements.weak_m_invariance import WeakMInvariance
from ..models.table import Microdata, Sensitive
from ..solver.insight.comparison.queries import median_error, random_queries
from ..solver.search import solve_problem
from .cor_split_figures import birthplace, closeness, figure_2
from .cor_split_ours import OURS, compared, memory, outlook_of
from .registry import Case, Row, case
from .theirs import made

VARIANTS = {"printed": "cor_split", "halving": "cor_split_halving"}
ENGINE = "engine"
DRAWS = ("auto", "distinct", "replacement")
PUBLISHED = "Query errors beside what is published"

SELECTIVITIES = (0.01, 0.05, 0.1)
CURVE = tuple(percent / 100 for percent in range(1, 11))


@case
@dataclass(frozen=True, kw_only=True)
class CorSplit(Case):
    """m-invariance and Cor-Split two ways on a series: hc-unsafe groups, counterfeits, query error, time.

    The published setting is 60,000 tuples of a US census extract with a turnover of a third over 24
    releases, so 515,400 people enter it; the 104,731 respondents of ACS 2018 last for 3 such releases.
    A longer series is not made of that many distinct people: each of its respondents is a new one,
    with a name of its own, but all their rows (attributes and sensitive value together) are drawn from
    the extract with replacement, by the seed. The column `people` says so. Quasi-identifiers are
    ordered by their codes. Each algorithm has a history of its own releases. The engine solves a
    series of `engine_tuples` people of the same population with the same turnover, as far as it reaches,
    and both algorithms are run on that one, too. With `ours` there is no such series: our release is made of
    the large one each time, with an outlook.
    """

    name: ClassVar[str] = "cor-split"
    small_settings: ClassVar[Mapping[str, Any]] = {
        "source": "generated",
        "tuples": 600,
        "queries": 100,
        "engine_tuples": 20,
        "engine_seconds": 3,
    }

    source: str = "income"
    """``income`` (50 bands) or ``occupation`` of ACS 2018, or ``generated`` (50 uniform values)."""
    tuples: int = 60_000
    releases: int = 3
    turnover: float = 0.33
    draw: str = "auto"
    """``distinct`` people of the source, ``replacement``, or ``auto``: the first as long as they last."""
    variant: str = "printed,halving"
    """Of Cor-Split: ``printed`` (Fig. 5), ``halving`` (m-invariance's groups, repaired), or both."""
    m: int = 6
    n: int = 3
    queries: int = 1000
    engine_tuples: int = 300
    """0: no series for the engine."""
    engine_seconds: int = 20
    """For each release."""
    ours: bool = False
    """Our release of each of the `tuples`, beside the published ones, in place of the engine's series."""
    ours_seconds: int = 60
    """For each release of ours."""
    ours_allowed: str = "1/10"
    """Expected counterfeits that come before nothing, as `Outlook.allowed`: many people lose little."""
    birthplaces: int = 0
    """0: the extract's own 214 codes; 60: states of the US and nine regions."""
    figures: bool = False
    """Fig. 2 of the source and its n-Choose, from its lemmas; no release is made."""
    curves: bool = False
    """Fig. 9: query errors at selectivities of 1 to 10 %, with both domains of birthplaces."""

    def run(self) -> list[Row]:
        """One row per algorithm and release; `hc-unsafe` counts groups by Fig. 6, errors are medians.

        A last table says for each variant of Cor-Split whether its errors are as near to m-invariance's as
        published. `people` tells how respondents were drawn: distinct ones, or with replacement.

        The engine starts from what the last variant of Cor-Split makes of its history. Its rows add status
        and gap: of the counterfeits, or of the loss where these are optimal. So do ours, with the memory
        taken so far, and `must`: no more counterfeits than any variant of Cor-Split in the same release,
        and a fifth less loss.
        """
        if self.draw not in DRAWS:
            raise InputError(f"draw must be one of {', '.join(DRAWS)}, got {self.draw!r}")
        if self.figures:
            return list(figure_2())
        if self.curves:
            domains = (0,) if self.source == "generated" else (0, 60)
            return [row for places in domains for row in replace(self, birthplaces=places)._curves()]
        rows: list[Row] = []
        heuristics = ("m_invariance", *self._variants())
        if self.ours:
            return self._beside(heuristics)
        for size, names in ((self.tuples, heuristics), (self.engine_tuples, (*heuristics, ENGINE))):
            if size:
                people, tables = self._tables(size)
                for name in names:
                    rows += self._series(name, people, tables)
        large = [row for row in rows if row["tuples"] == self.tuples]
        return [*rows, *({"figure": PUBLISHED} | row for row in closeness(large))]

    def _beside(self, heuristics: Sequence[str]) -> list[Row]:
        """Release by release, so that what is printed until it ends can be compared."""
        people, tables = self._tables(self.tuples)
        rows = list[Row]()

        def ours(problem: Problem, release: Release) -> Row:
            row, number = self._figures(problem, release), len(problem.history) + 1
            published = [
                each for each in rows if each["release"] == number and each["algorithm"] in VARIANTS.values()
            ]
            return row | {"memory MB": memory()} | compared(row, published)

        playing = [self._series(name, people, tables) for name in heuristics]
        playing.append(self._series(OURS, people, tables, measure=ours))
        for _ in tables:
            for each in playing:
                rows += islice(each, 1)
        return sorted(rows, key=lambda row: [*heuristics, OURS].index(str(row["algorithm"])))

    def _curves(self) -> list[Row]:
        """Query errors of every heuristic, by selectivity."""
        own = "the source's" if self.source == "generated" else "the extract's own"
        title = f"Fig. 9: median query error, {self.birthplaces or own} birthplaces"
        people, tables = self._tables(self.tuples)
        found = [
            row
            for name in ("m_invariance", *self._variants())
            for row in self._series(name, people, tables, measure=self._errors)
        ]
        return [{"figure": title} | row for row in [*found, *closeness(found)]]

    def _variants(self) -> list[str]:
        asked = [name.strip() for name in self.variant.split(",")]
        for name in asked:
            if name not in VARIANTS:
                raise InputError(f"variants are {', '.join(VARIANTS)}, comma-separated, not {name!r}")
        return [VARIANTS[name] for name in asked]

    def _tables(self, size: int) -> tuple[str, list[Microdata]]:
        """The series, after how its people were drawn."""
        population, roles = self._population()
        moved = round(self.turnover * size)
        needed = size + moved * (self.releases - 1)
        again = self.draw == "replacement" or (self.draw == "auto" and needed > len(population))
        if again:
            sys.stderr.write(
                f"{needed} respondents, whose rows are drawn with replacement from those of "
                f"{len(population)} people\n"
            )
            population = drawn_again(population, needed, respondent=roles.respondent, seed=self.seed)
        frames = series(
            population,
            first=size,
            releases=self.releases,
            insertions=moved,
            deletions=moved,
            seed=self.seed,
        )
        return "replacement" if again else "distinct", [roles.table(frame) for frame in frames]

    def _series(
        self,
        name: str,
        people: str,
        tables: Sequence[Microdata],
        measure: Callable[[Problem, Release], Row] | None = None,
    ) -> Iterator[Row]:
        """Each release, as it is made."""
        policy = Policy(
            [WeakMInvariance(m=self.m), HcSafety(n=self.n)],
            ["counterfeits", "information_loss"],
            outlook=outlook_of(self.releases, self.turnover, self.ours_allowed) if name == OURS else None,
        )
        history = History()
        for number, table in enumerate(tables, start=1):
            problem = Problem(table=table, policy=policy, history=history)
            row: Row = {"algorithm": name, "release": number, "tuples": len(table), "people": people}
            began = time.process_time()
            solved = name in (ENGINE, OURS)
            release = self._solved(problem, row) if solved else made(name, problem, self.seed, row)
            row["cpu seconds"] = round(time.process_time() - began, 1)
            if release is not None:
                row |= (measure or self._figures)(problem, release)
                sys.stderr.write(f"{row}\n")
            yield row
            if release is None:
                return
            history.append(release)

    def _solved(self, problem: Problem, row: Row) -> Release | None:
        result = solve_problem(
            problem,
            time_limit=self.ours_seconds if self.ours else self.engine_seconds,
            seed=self.seed,
            display=False,
            initial=made(self._variants()[-1], problem, self.seed, {}),
        )
        row["status"] = result.status.value
        open_level = next((level for level in result.levels if level.gap != 0), None)
        if open_level is not None and open_level.gap is not None:
            row["gap"] = f"{float(open_level.gap):.0%} of {open_level.name}"
        return result.release

    def _figures(self, problem: Problem, release: Release) -> Row:
        broken: dict[str, set[int]] = {}
        for violation in problem.check(release):
            broken.setdefault(violation.requirement, set()).update(violation.groups)
        others = set(broken) - {"hc_safety"}
        return {
            "groups": len(release.groups),
            "hc-unsafe": len(broken.get("hc_safety", ())),
            "other violations": ", ".join(sorted(others)) or None,
            "counterfeits": release.counterfeits,
            "loss": round(float(problem.objective(release)[-1]), 2),
        } | {
            f"error at {share}": error
            for share, error in self._errors(problem, release, SELECTIVITIES).items()
        }

    def _errors(self, problem: Problem, release: Release, selectivities: Sequence[float] = CURVE) -> Row:
        errors: Row = {}
        for selectivity in selectivities:
            queries = random_queries(problem.table, self.queries, selectivity, self.seed)
            try:
                error = f"{median_error(release, problem.table, queries):.2%}"
            except InputError:  # of few tuples no query may count any
                error = None
            errors[f"{selectivity:.0%}"] = error
        return errors

    def _population(self) -> tuple[pd.DataFrame, Roles]:
        if self.source == "generated":
            largest = max(self.tuples, self.engine_tuples)
            needed = largest + round(self.turnover * largest) * (self.releases - 1)
            return uniform_table(needed, seed=self.seed, values=50), generated_roles(values=50)
        if self.source not in ("income", "occupation"):
            raise InputError(f"source must be 'income', 'occupation' or 'generated', got {self.source!r}")
        if self.birthplaces not in (0, 60):
            raise InputError(f"birthplaces must be 0 (all codes) or 60, got {self.birthplaces}")
        frame, roles = acs_pums(self.source)
        if self.birthplaces:
            frame = frame.assign(POBP=frame["POBP"].map(birthplace))
        return frame, ordered_roles(roles, frame)


def ordered_roles(roles: Roles, frame: pd.DataFrame) -> Roles:
    """Four quasi-identifiers of ACS 2018, categories in the order of their codes."""
    age = Numeric(name="AGEP", lo=Fraction(0), hi=Fraction(99))
    ordered = [
        Ordered(name=name, categories=tuple(sorted(frame[name].unique()))) for name in ("SCHL", "POBP", "SEX")
    ]
    return Roles(
        respondent=roles.respondent,
        quasi_identifiers={"AGEP": age} | {domain.name: domain for domain in ordered},
        sensitive=Sensitive(name=roles.sensitive.name),
    )
