"""A series that looks ahead beside one that does not, Cor-Split and m-invariance: counterfeits and loss."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

import pandas as pd

from ..instances.adult import adult
from ..instances.datasets import acs_pums
from ..instances.diabetes import diabetes, diabetes_roles, diabetes_series
from ..instances.generators import generated_roles, series, uniform_table
from ..instances.roles import Roles
from ..models.errors import InputError
from ..models.history import History
from ..models.outlook.asked import FIRST, LATER, Outlook
from ..models.outlook.foreseen import mean, nine_in_ten
from ..models.policy import Policy
from ..models.problem import Problem
from ..models.release import Release
from ..models.requirements import HcSafety, WeakMInvariance
from ..models.table import Microdata
from ..solver.appending import examine
from ..solver.baselines.registry import baselines
from ..solver.search import solve_problem
from .cor_split import ordered_roles
from .registry import Case, Row, case
from .theirs import made

METHODS = ("outlook", "cor_split", "m_invariance")
COLUMNS = ("age", "education", "sex", "race", "education-num", "marital-status")
COARSE = 3
"""The largest m that twelve groups of diagnoses are enough for."""
LOSS_MUST, FACTOR_MUST = Fraction(3, 4), 1.5


class Series(NamedTuple):
    """What is released: where people come from, the requirements, how many are replaced, how often.

    `allowed` is as `Outlook` takes it, in the first release and in later ones.
    """

    source: str
    m: int
    n: int
    turnover: Fraction
    releases: int
    allowed: tuple[Fraction, Fraction] = FIRST, LATER

    @classmethod
    def read(cls, text: str) -> Series:
        """Such as ``income:5:2:0.2:5``, or ``income:5:2:0.2:5:3/4:1/2`` with what is allowed."""
        parts = text.strip().split(":")
        try:
            source, m, n, turnover, releases = parts[:5]
            first, later = map(Fraction, parts[5:] or (FIRST, LATER))
            return cls(source, int(m), int(n), Fraction(turnover), int(releases), (first, later))
        except ValueError as error:
            raise InputError(
                f"series are source:m:n:turnover:releases, and what may be allowed:later, got {text!r}"
            ) from error

    @property
    def text(self) -> str:
        return f"{self.source}, m = {self.m}, n = {self.n}, {float(self.turnover):.0%}"


@case
@dataclass(frozen=True, kw_only=True)
class OutlookSeries(Case):
    """One row per series, turnover seed and method: counterfeits and loss over all releases.

    People leave uniformly at random, as many new ones come. `predicted` is what the model said at the first
    release of those to come, `realized` what these needed, `factor` the larger one over the smaller one.
    `one by one` is what it said at each release of the next one, together, `factor one by one` is of these.
    The series is planned: at each release the outlook is of those that are left, at the last one of one more.
    `gaps` are, per release, how many percent of its loss at most could be saved with its signatures, none
    published more often; - where nothing is proven. Every release is checked; m-invariance's breaks
    hc-safety, and is there for its scale. `posterior` is the largest probability of any value of any person
    that the exact audit finds for whoever holds all releases. `must` says of ours whether it has no more
    counterfeits than Cor-Split, a quarter less loss, factors of 1.5 at most, no violation and no posterior
    above 1/m; or what it misses. Nine of ten lives that the first
    prediction is the mean of are in `nine in ten`, and `within` says whether what came is. If what comes
    is one of them, it is within a factor of 1.5 of whatever one number is told with a chance of `lives within
    1.5` at most. With ``myopic`` among
    the methods `counterfeits / myopic` is ours as a share of what a series needs that does not look ahead.
    """

    name: ClassVar[str] = "outlook"
    small_settings: ClassVar[Mapping[str, Any]] = {
        "series": "generated:3:2:0.1:2",
        "tuples": 30,
        "seeds": 1,
        "time_limit": 2,
    }

    series: str = (
        "adult:3:2:0.1:6,diabetes:3:2:0.1:6,diabetes:3:2:0.3:6,"
        "income:3:2:0.1:6,income:5:2:0.2:5:1:3/4,income:6:3:0.33:3:1:3/4"
    )
    """Sources with m, n, turnover and number of releases, and what is allowed at first and later; sources are
    adult, diabetes, income, occupation and generated; of ``visits`` (stays of Diabetes-130 patients who come
    back, finer diagnoses for m above 3) the turnover is what the outlook is told. What is allowed here was
    chosen on turnovers 61 to 66 and 200 to 203."""
    methods: str = ",".join(METHODS)
    """``myopic`` besides: a release that does not look ahead; or any other heuristic for series. Ours is
    measured by Cor-Split as printed, or without it by Cor-Split with halving (``cor_split_halving``)."""
    tuples: int = 300
    seeds: int = 2
    """Turnovers are drawn with the seed and those after it; the search always with 0."""
    weight: str = ""
    """Of the outlook, such as 1 or 1/2; empty: what is expected comes before the loss."""
    time_limit: int = 10
    """Seconds a release."""
    audit: int = 60
    """Seconds for the audit of a series; 0: none."""

    def run(self) -> list[Row]:
        """Draw each series, and let each method publish it."""
        rows: list[Row] = []
        for asked in map(Series.read, self.series.split(",")):
            for seed in range(self.seed, self.seed + self.seeds):
                tables = self._tables(asked, seed)
                found: dict[str, Row] = {}
                for method in self.methods.split(","):
                    began = time.process_time()
                    row: Row = {"series": asked.text, "turnover seed": seed, "method": method}
                    row |= self._played(method, asked, tables)
                    row["CPU s a release"] = round((time.process_time() - began) / len(tables), 1)
                    found[method] = row
                    sys.stderr.write(f"{row}\n")
                published = found.get("cor_split") or found.get("cor_split_halving")
                for row in found.values():
                    row |= beside(row, published, asked.m)
                    row |= beside_today(row, found.get("myopic"))
                rows += found.values()
        return rows

    def _tables(self, asked: Series, seed: int) -> list[Microdata]:
        if asked.source == "visits":
            stays, roles = diabetes_series(self.tuples, asked.releases, seed, fine=asked.m > COARSE)
            return [roles.table(frame) for frame in stays]
        moved = round(asked.turnover * self.tuples)
        population, roles = _population(asked.source, self.tuples + moved * asked.releases, seed)
        frames = series(
            population.reset_index(drop=True),
            first=self.tuples,
            releases=asked.releases,
            insertions=moved,
            deletions=moved,
            seed=seed,
        )
        return [roles.table(frame) for frame in frames]

    def _played(self, method: str, asked: Series, tables: Sequence[Microdata]) -> Row:
        kept, history = [WeakMInvariance(m=asked.m), HcSafety(n=asked.n)], History()
        levels = ["counterfeits", "information_loss"]
        # All are measured by the same outlook; only one of them is asked to keep it in mind.
        outlook = Outlook(survival=1 - asked.turnover)
        plain, weight = Policy(kept, levels), Fraction(self.weight) if self.weight else None
        fakes, losses, lives, broken = list[int](), list[Fraction](), (0,), 0
        signatures, gaps, soon = 0, list[Fraction | None](), Fraction(0)
        for number, table in enumerate(tables):
            allowed = asked.allowed[min(number, 1)]
            left = replace(outlook, releases=max(1, len(tables) - 1 - number), allowed=allowed)
            ahead = Policy(kept, levels, outlook=left)
            measured = Problem(table=table, policy=ahead, history=history)
            wanted = ahead.weighing(weight) if method == "outlook" else plain
            problem = Problem(table=table, policy=wanted, history=history)
            release, gap = self._made(method, problem)
            if release is None:
                break
            broken += next(problem.check(release), None) is not None
            made, _, loss = measured.objective(release)
            if number == 0:
                lives = measured.lives(release) or lives
            if number < len(tables) - 1:
                soon += mean(measured.lives(release, 1) or (0,))
            fakes.append(int(made))
            losses.append(loss)
            gaps.append(gap)
            signatures = len({group.signature for group in release.groups})
            history.append(release)
        expected, realized, likely = float(mean(lives)), sum(fakes[1:]), nine_in_ten(lives)
        return {
            "counterfeits": " ".join(map(str, fakes)),
            "together": sum(fakes),
            "loss": round(float(sum(losses)), 1),
            "signatures": signatures,
            "gaps": " ".join("-" if gap is None else f"{float(100 * gap):.1f}" for gap in gaps),
            "predicted": round(expected, 1),
            "realized": realized,
            "factor": factor(expected, realized),
            "one by one": round(float(soon), 1),
            "factor one by one": factor(float(soon), realized),
            "nine in ten": None if likely is None else f"{likely[0]} to {likely[1]}",
            "within": None if likely is None else likely[0] <= realized <= likely[1],
            "lives within 1.5": round(near_one(lives), 2),
            "violations": broken,
            "posterior": self._posterior(history),
            "releases": len(fakes),
        }

    def _posterior(self, history: History) -> str | None:
        """The largest of all, for whoever holds all releases."""
        if not self.audit or len(history) < 2:
            return None
        *before, last = history
        verdict, _ = examine(History(before), last, seconds=self.audit)
        return None if verdict.worst is None or verdict.uncounted else str(verdict.worst)

    def _made(self, method: str, problem: Problem) -> tuple[Release | None, Fraction | None]:
        """A release, and the share of its loss that may be saved with its signatures, if that is known."""
        if method in baselines():
            return made(method, problem, 0, {}), None
        result = solve_problem(problem, time_limit=self.time_limit, seed=0, display=False)
        loss = result.levels[-1] if result.levels else None
        if loss is None or loss.family is None:
            return result.release, None
        return result.release, 1 - loss.family / loss.value if loss.value else Fraction(0)


def factor(predicted: float, realized: float) -> float | None:
    """The larger one over the smaller one; None if there is nothing to divide by."""
    low, high = sorted((predicted, realized))
    return round(high / low, 2) if low > 0 else None


def near(found: float | None) -> bool:
    """Whether what came is as near as it must be to what was said."""
    return found is not None and found <= FACTOR_MUST


def near_one(lives: Sequence[int]) -> float:
    """The largest share of lives that any one number is within `FACTOR_MUST` of."""
    reach = Fraction(FACTOR_MUST) ** 2
    return max(sum(low <= life <= reach * low for life in lives) for low in lives) / len(lives)


def beside(row: Row, published: Row | None, m: int) -> Row:
    """A method's counterfeits and loss as shares of Cor-Split's, and what ours misses."""
    if published is None or published is row:
        return {}
    if published["releases"] < row["releases"]:
        return {"must": "Cor-Split has no release"} if row["method"] == "outlook" else {}
    shares = {
        name: round(row[column] / published[column], 3) if published[column] else None
        for name, column in (("counterfeits / Cor-Split", "together"), ("loss / Cor-Split", "loss"))
    }
    if row["method"] != "outlook":
        return shares
    missed = [
        name
        for name, well in (
            ("releases", row["releases"] == published["releases"]),
            ("counterfeits", row["together"] <= published["together"]),
            ("loss", row["loss"] <= LOSS_MUST * Fraction(str(published["loss"]))),
            ("factor", near(row["factor"])),
            ("factor one by one", near(row["factor one by one"])),
            ("violations", not row["violations"]),
            ("posterior", row["posterior"] is not None and Fraction(row["posterior"]) <= Fraction(1, m)),
        )
        if not well
    ]
    return {**shares, "must": "kept" if not missed else "missed: " + ", ".join(missed)}


def beside_today(row: Row, myopic: Row | None) -> Row:
    """Our counterfeits as a share of those of a series that does not look ahead, if both are whole."""
    if row["method"] != "outlook" or myopic is None or myopic["releases"] != row["releases"]:
        return {}
    today = myopic["together"]
    return {"counterfeits / myopic": round(row["together"] / today, 3) if today else None}


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
    raise InputError(
        f"sources must be of adult, diabetes, visits, income, occupation, generated, got {source!r}"
    )
