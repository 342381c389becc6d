"""Levels by sizes beside one of boxes: what each level reaches, and what it reaches alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..models.policy import Policy
from ..models.problem import Problem
from ..models.requirements import KCAnonymity
from ..models.table import Microdata
from ..solver.result import Result
from ..solver.search import solve_problem
from .engine import engine_table
from .registry import Case, Row, case
from .tables import adult_problem

BOXES = "information_loss"


@case
@dataclass(frozen=True, kw_only=True)
class Levels(Case):
    """(k, c)-anonymity with two levels, one of sizes and information loss, in either order.

    Parameters
    ----------
    tuples : int
        Of a table of three clustered numbers, and of Adult with seven quasi-identifiers.
    k : int
    c : str
    sizes : str
        Names of losses by sizes, separated by commas.
    time_limit : int
        Seconds for each search.
    """

    name: ClassVar[str] = "levels"
    small_settings: ClassVar[dict[str, Any]] = {"tuples": 40, "sizes": "discernibility", "time_limit": 2}

    tuples: int = 100
    k: int = 5
    c: str = "1/2"
    sizes: str = "discernibility,average_group_size,maximum_group_size"
    time_limit: int = 8
    workers: int = 1

    def run(self) -> list[Row]:
        """One row per table and policy: both levels with their bounds, and each alone.

        `worse`: by how much the first level of both is worse than alone. Bounds are the verifier's.
        """
        tables = {
            "numbers": engine_table("kc", self.tuples, self.seed),
            "Adult": adult_problem("k5", "q7", self.tuples, self.seed).table,
        }
        return [row for name, table in tables.items() for row in self._rows(name, table)]

    def _rows(self, name: str, table: Microdata) -> list[Row]:
        boxes = self._solved(table, BOXES)
        rows: list[Row] = []
        for size in self.sizes.split(","):
            sizes = self._solved(table, size)
            rows.append(self._row(name, self._solved(table, size, BOXES), sizes, boxes))
            rows.append(self._row(name, self._solved(table, BOXES, size), boxes, sizes))
        return rows

    def _solved(self, table: Microdata, *levels: str) -> Result:
        problem = Problem(table=table, policy=Policy([KCAnonymity(k=self.k, c=self.c)], levels))
        limit, seed, workers = self.time_limit, self.seed, self.workers
        return solve_problem(
            problem, time_limit=limit, seed=seed, workers=workers, display=False, reasons=False
        )

    def _row(self, name: str, found: Result, *alone: Result) -> Row:
        """Both levels; each alone may be better than in the second place, never than in the first."""
        row: Row = {"table": name, "status": found.status.value, "seconds": round(found.seconds, 2)}
        for place, (level, own) in enumerate(zip(found.levels, alone, strict=True), start=1):
            row |= {
                f"level {place}": level.name,
                f"value {place}": float(level.value),
                f"bound {place}": None if level.bound is None else float(level.bound),
                f"alone {place}": float(own.objective[0]),
            }
        first, own = found.objective[0], alone[0].objective[0]
        row["worse"] = f"{float(100 * (first / own - 1)) if own else 0.0:.2f}%"
        return row
