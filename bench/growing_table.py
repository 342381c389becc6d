"""A growing table released again under the three attacks of Byun et al.: clean, with a valid bound."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any, ClassVar

from ..instances.diabetes import diabetes_series
from ..models.history import History
from ..models.policy import Policy
from ..models.problem import Problem
from ..models.requirement import Requirement
from ..models.requirements import Difference, Intersection, KCAnonymity, RecordTracing
from ..solver.search import solve_problem
from .registry import Case, Row, case
from .theirs import best


@case
@dataclass(frozen=True, kw_only=True)
class GrowingTable(Case):
    """Diabetes-130, insert only: (k, c) with difference, intersection, tracing; gap and best baseline."""

    name: ClassVar[str] = "growing-table"
    small_settings: ClassVar[dict[str, Any]] = {"tuples": 60, "k": 3, "time_limit": 5}

    tuples: int = 600
    k: int = 5
    c: str = "1/2"
    time_limit: int = 300

    def run(self) -> list[Row]:
        """The first half of the patients under (k, c), then all of them under everything."""
        kc = KCAnonymity(k=self.k, c=self.c)
        attacks: list[Requirement] = [
            Difference(k=self.k, c=self.c),
            Intersection(c=self.c),
            RecordTracing(k=self.k),
        ]
        frames, roles = diabetes_series(self.tuples, 1, self.seed)
        half = frames[0].head(self.tuples // 2)
        history = History()
        rows: list[Row] = []
        for frame, requirements in ((half, [kc]), (frames[0], [kc, *attacks])):
            problem = Problem(table=roles.table(frame), policy=Policy(requirements), history=history)
            result = solve_problem(problem, time_limit=self.time_limit, seed=self.seed)
            release = result.release
            row: Row = {
                "release": len(history) + 1,
                "tuples": len(frame),
                "engine": result.engine.split(" ")[0],
                "status": result.status.value,
                "seconds": round(result.seconds, 2),
            }
            rows.append(row)
            if release is None:
                sys.stderr.write(f"{result.reason or result.termination.value}\n")
                break
            if any(True for _ in problem.check(release)):
                raise AssertionError("the release breaks its policy")
            level = result.levels[0]
            row |= {
                "loss": float(level.value),
                "bound": None if level.bound is None else float(level.bound),
                "gap": None if level.gap is None else float(level.gap),
                "groups": len(release.groups),
                **self._best_baseline(problem),
            }
            history.append(release)
        return rows

    def _best_baseline(self, problem: Problem) -> Row:
        """The published heuristic of least loss that keeps the whole policy."""
        losses, name = best(problem, self.seed) or ((None,), None)
        return {"best baseline": name, "its loss": None if losses[0] is None else float(losses[0])}
