"""Group sizes of the constant-ratio and geometric strategies, and the least possible (Fu et al.)."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from typing import Any, ClassVar

from ..instances.generators import generated_roles, uniform_table
from ..instances.transient import TRANSIENT, TransientSeries
from ..models.breach_probability import NOT_LINKED, exposure
from ..models.errors import EngineError, InputError
from ..models.history import History
from ..models.policy import Policy
from ..models.problem import Problem
from ..models.release import QIGroup, Release
from ..models.requirement import as_fraction
from ..models.requirements import ConstantRatio, Geometric, GlobalGuarantee
from ..models.requirements.link_budget import LinkBudget
from ..models.table import Microdata
from ..solver.baselines.registry import baselines
from ..solver.insight.comparison.queries import median_error, random_queries
from ..solver.search import solve_problem
from .registry import Case, Row, case
from .theirs import made

PROTECTED = "v1"
OURS = "geometric (our own rule)"
PEOPLE = {"diabetes": 600}
QUERIED = 0.05
ATTEMPTS = 1000


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A series, what is protected in it and what releases of it should not lose.

    Attributes
    ----------
    tables : list of Microdata
    protected : str
    losses : tuple of str
    measure : callable
        More columns about a release.
    """

    tables: list[Microdata]
    protected: str
    losses: tuple[str, ...]
    measure: Callable[[Problem, Release], Row]


@case
@dataclass(frozen=True, kw_only=True)
class GlobalGuaranteeSizes(Case):
    """Constant ratio against geometric against optimal: average and largest size of groups that link.

    ``sizes``: groups with one occurrence of the protected value that link one person in k releases in a
    row; the optimum over all sequences of sizes is exact. ``series``: releases of a table whose
    people stay and whose values are drawn anew each time, every one of `values` values equally often; one
    value is protected. The heuristics cut top-down, the engine finds the least average size of
    all groups under the same rule; `guarantee` is the engine under the global guarantee alone,
    best for each release and without thought for the next, and `planned` is told that there are k. Averages
    are over groups that hold the protected value. ``comparison``: of the engine's series, the loss of all
    releases together as a share of constant ratio's, as far as both go; `must` says of the planned one
    whether all k releases are made, with no more loss, or what it misses. `data` asks for real people
    instead, whose loss is the information loss.

    Constant ratio is Fu et al.'s. Their geometric strategy is missing from the text at hand: the rule called
    geometric is our own.
    """

    name: ClassVar[str] = "global-guarantee"
    small_settings: ClassVar[Mapping[str, Any]] = {
        "bounds": "2/2",
        "k": 2,
        "tuples": 10,
        "large": 200,
        "time_limit": 5,
    }

    bounds: str = "2/2,2/5,2/20,5/20,10/20,2/10,5/10,10/10"
    """l/k pairs of ``sizes``: those of the published Table 1."""
    l: int = 2  # noqa: E741 - the usual name
    k: int = 3
    """Releases of ``series``, and how many of them may link somebody."""
    a: str = "2"
    values: int = 10
    tuples: int = 16
    """People of the series the engine solves."""
    large: int = 5000
    """People of the series that only the heuristics are tried on."""
    time_limit: int = 60
    data: str = ""
    """``faers``, ``mimic``, ``diabetes``, comma-separated: real series instead of the others."""
    people: int = 0
    """Of the first release of each of `data`, drawn by the seed; 0: all, of Diabetes-130 600."""
    queries: int = 1000

    def run(self) -> list[Row]:
        if self.data:
            return [row for name in self.data.split(",") for row in self._real(name.strip())]
        rows = [row for bound in self._bounds() for row in self._sizes(*bound)]
        for size in (self.tuples, self.large):
            setting = Setting(
                tables=self._tables(size),
                protected=PROTECTED,
                losses=("average_group_size",),
                measure=lambda problem, release: {"loss": round(float(problem.objective(release)[0]), 4)},
            )
            for name, rule in self._rules(PROTECTED).items():
                if name in baselines():
                    rows += self._series(name, rule, setting, by_engine=False)
                if size == self.tuples:
                    rows += self._series(name, rule, setting, by_engine=True)
        return [*rows, *beside(rows, self.k)]

    def _real(self, data: str) -> list[Row]:
        """Heuristics and optima on a real series."""
        if data not in TRANSIENT:
            raise InputError(f"data are {', '.join(TRANSIENT)}, comma-separated, not {data!r}")
        whole = TRANSIENT[data](self.k, self.people or PEOPLE.get(data, 0), self.seed)
        rows: list[Row] = []
        for series, engine in ((whole, False), (self._slice(data), True)):
            setting = Setting(
                tables=series.tables(),
                protected=series.protected,
                losses=("information_loss",),
                measure=self._utility,
            )
            for name, rule in self._rules(series.protected).items():
                if name in baselines():
                    rows += self._series(name, rule, setting, by_engine=False)
                if engine:
                    rows += self._series(name, rule, setting, by_engine=True)
        rows += beside(rows, self.k)
        return [{"figure": f"{data}: {whole.protected!r} protected"} | row for row in rows]

    def _slice(self, data: str) -> TransientSeries:
        """As many people as the engine solves, one of whom at least has the protected value."""
        for seed in range(self.seed, self.seed + ATTEMPTS):
            series = TRANSIENT[data](self.k, self.tuples, seed)
            if series.protected in set(series.frames[0][series.roles.sensitive.name]):
                return series
        raise InputError(f"tuples {self.tuples}: nobody of so few people of {data} has the protected value")

    def _utility(self, problem: Problem, release: Release) -> Row:
        queries = random_queries(problem.table, self.queries, QUERIED, self.seed)
        try:
            error = f"{median_error(release, problem.table, queries):.1%}"
        except InputError:  # of few tuples no query may count any
            error = None
        return {
            "loss": round(float(problem.objective(release)[0]), 2),
            f"query error at {QUERIED:.0%}": error,
        }

    def _bounds(self) -> list[tuple[int, int]]:
        try:
            found = [tuple(map(int, pair.split("/"))) for pair in self.bounds.split(",")]
            return [(l, k) for l, k in found]  # noqa: E741
        except ValueError as error:
            raise InputError(f"bounds must be pairs like 2/5,10/20, got {self.bounds!r}") from error

    def _sizes(self, l: int, k: int) -> Iterator[Row]:  # noqa: E741
        rules = {
            "constant ratio": ConstantRatio(l=Fraction(l), k=k),
            OURS: Geometric(l=Fraction(l), a=self._a),
        }
        for name, rule in rules.items():
            yield _sizes_row(name, l, _sequence(rule, k))
        yield _sizes_row("optimal", l, least_sizes(l, k))

    @property
    def _a(self) -> Fraction:
        return as_fraction(self.name, "a", self.a)

    def _rules(self, protected: str) -> dict[str, LinkBudget]:
        return {
            "constant_ratio": ConstantRatio(l=Fraction(self.l), k=self.k, protected_values=[protected]),
            "geometric": Geometric(l=Fraction(self.l), a=self._a, protected_values=[protected]),
            "planned": GlobalGuarantee(l=Fraction(self.l), releases=self.k, protected_values=[protected]),
            "guarantee": GlobalGuarantee(l=Fraction(self.l), protected_values=[protected]),
        }

    def _tables(self, size: int) -> list[Microdata]:
        roles = generated_roles(values=self.values)
        roles = replace(roles, sensitive=replace(roles.sensitive, persistence="transient"))
        frame = uniform_table(size, seed=self.seed, values=self.values)
        equal = [f"v{i % self.values + 1}" for i in range(size)]
        drawn = (
            frame.assign(value=frame["id"].sample(frac=1, random_state=self.seed + number).index)
            for number in range(self.k)
        )
        return [roles.table(one.assign(value=[equal[at] for at in one["value"]])) for one in drawn]

    def _series(self, name: str, rule: LinkBudget, setting: Setting, *, by_engine: bool) -> list[Row]:
        policy, history, rows = Policy([rule], setting.losses), History(), list[Row]()
        for number, table in enumerate(setting.tables, start=1):
            problem = Problem(table=table, policy=policy, history=history)
            row: Row = {
                "part": "series",
                "strategy": OURS if name == "geometric" else name,
                "by": "engine" if by_engine else "heuristic",
                "l": self.l,
                "k": self.k,
                "release": number,
                "tuples": len(table),
            }
            rows.append(row)
            began = time.process_time()
            release = self._solved(problem, row) if by_engine else made(name, problem, self.seed, row)
            row["cpu seconds"] = round(time.process_time() - began, 2)
            sys.stderr.write(f"{row}\n")
            if release is None:
                break
            history.append(release)
            row |= _measured(release, history, setting.protected) | setting.measure(problem, release)
        return rows

    def _solved(self, problem: Problem, row: Row) -> Release | None:
        result = solve_problem(problem, time_limit=self.time_limit, seed=self.seed, display=False)
        row["status"] = result.status.value
        if result.levels and result.levels[0].gap is not None:
            row["gap"] = round(float(result.levels[0].gap), 4)
        return result.release


def beside(rows: list[Row], k: int) -> list[Row]:
    """The engine's series, each beside constant ratio's, over the releases that both have."""
    lost: dict[str, list[float]] = {}
    for row in rows:
        if row.get("by") == "engine":
            lost.setdefault(str(row["strategy"]), [])
            if "loss" in row:
                lost[str(row["strategy"])].append(row["loss"])
    theirs, found = lost.pop("constant_ratio", []), list[Row]()
    for name, ours in lost.items():
        both = min(len(ours), len(theirs))
        one, other = sum(ours[:both]), sum(theirs[:both])
        row: Row = {
            "part": "comparison",
            "strategy": name,
            "by": "engine",
            "k": k,
            "releases": len(ours),
            "loss": round(sum(ours), 3),
            "constant ratio's releases": len(theirs),
            "loss / constant ratio's": round(one / other, 3) if other else None,
        }
        if name == "planned":
            missed = [what for what, bad in (("releases", len(ours) < k), ("loss", one > other)) if bad]
            row["must"] = "missed: " + ", ".join(missed) if missed else "kept"
        found.append(row)
    return found


def _measured(release: Release, history: History, protected: str) -> Row:
    linking = [group for group in release.groups if protected in group.histogram]
    ratios = [_ratio(group, protected) for group in linking]
    worst = max(
        exposure(history, member.respondent).get(protected, NOT_LINKED).probability
        for member in release.members
    )
    return {
        "groups": len(release.groups),
        "linking": len(linking),
        "average": round(sum(group.size for group in linking) / len(linking), 2) if linking else None,
        "largest": max((group.size for group in linking), default=None),
        "least ratio": round(float(min(ratios)), 3) if ratios else None,
        "worst P": round(float(worst), 4),
    }


def _ratio(group: QIGroup, protected: str) -> Fraction:
    return Fraction(group.size, group.histogram[protected])


def _sequence(rule: LinkBudget, k: int) -> list[int]:
    """The smallest sizes a strategy allows for k links in a row, one occurrence each."""
    spent, sizes = NOT_LINKED, list[int]()
    for _ in range(k):
        size = rule.smallest_size(1, spent)
        if size is None:
            raise EngineError(f"{rule} allows no link after {len(sizes)}: the bound is spent")
        sizes.append(size)
        spent = spent.linked(1, size)
    return sizes


def least_sizes(l: int, k: int) -> list[int]:  # noqa: E741
    """Sizes of k groups with one occurrence each that keep the guarantee, with the least sum.

    The product of ``1 - 1/n_i`` must be at least ``1 - 1/l``. log(1 - 1/n) is concave, so of all sizes with
    one sum those that differ by at most 1 have the largest product: the least sum is the least one whose
    even split is large enough. No other sizes have a smaller maximum, either.
    """
    total = k * l  # every single link needs 1/n <= 1/l
    while True:
        small, larger = divmod(total, k)
        sizes = [small] * (k - larger) + [small + 1] * larger
        if prod(1 - Fraction(1, size) for size in sizes) >= 1 - Fraction(1, l):
            return sizes
        total += 1


def _sizes_row(name: str, l: int, sizes: list[int]) -> Row:  # noqa: E741
    probability = 1 - prod(1 - Fraction(1, size) for size in sizes)
    return {
        "part": "sizes",
        "strategy": name,
        "by": "closed form",
        "l": l,
        "k": len(sizes),
        "average": round(sum(sizes) / len(sizes), 2),
        "largest": max(sizes),
        "worst P": round(float(probability), 4),
    }
