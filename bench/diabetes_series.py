"""A series of small hospital releases on real patients, each checked, with its proven gap."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import ClassVar

from ..instances.diabetes import diabetes_series
from ..models.history import History
from ..models.policy import Policy
from ..models.problem import Problem
from ..models.requirements import HcSafety, WeakMInvariance
from ..solver.search import solve_problem
from .registry import Case, Row, case


@case
@dataclass(frozen=True, kw_only=True)
class DiabetesSeries(Case):
    """Diabetes-130 patients over several releases under weak 3-invariance and hc-safety of degree 2."""

    name: ClassVar[str] = "diabetes-series"
    small_settings: ClassVar[dict[str, int]] = {"tuples": 12, "releases": 2, "time_limit": 10}

    tuples: int = 24
    releases: int = 3
    time_limit: int = 60

    def run(self) -> list[Row]:
        """One row per release; each is published before the next is made.

        `returning` counts patients of earlier releases, `same value` those of them whose diagnosis
        group was published before, so that their signature is given. Every release passes the
        plain checks of all requirements, or the case fails.
        """
        policy = Policy([WeakMInvariance(m=3), HcSafety(n=2)], ["counterfeits", "information_loss"])
        frames, roles = diabetes_series(self.tuples, self.releases, self.seed)
        history = History()
        patients: set[str] = set()
        rows: list[Row] = []
        for number, frame in enumerate(frames, start=1):
            problem = Problem(table=roles.table(frame), policy=policy, history=history)
            known = sum(member.respondent in history.records for member in problem.table.members)
            result = solve_problem(problem, time_limit=self.time_limit, seed=self.seed)
            row: Row = {
                "release": number,
                "tuples": len(frame),
                "returning": len(patients & set(frame["patient"])),
                "same value": known,
                "status": result.status.value,
            }
            rows.append(row)
            if result.release is None:
                sys.stderr.write(f"release {number}: {result.reason or result.termination.value}\n")
                break
            broken = [found.requirement for found in problem.check(result.release)]
            if broken:
                raise AssertionError(f"release {number} breaks {', '.join(broken)}")
            for level in result.levels:
                short = "loss" if level.name == "information_loss" else level.name
                row |= {
                    short: float(level.value),
                    f"{short} bound": None if level.bound is None else float(level.bound),
                    f"{short} gap": None if level.gap is None else float(level.gap),
                }
            row |= {"groups": len(result.release.groups), "seconds": round(result.seconds, 2)}
            history.append(result.release)
            patients |= set(frame["patient"])
        return rows
