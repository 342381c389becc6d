"""A series of hospital releases on real patients, each checked, with its proven gap and the heuristics."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from resource import RUSAGE_SELF, getrusage
from typing import Any, ClassVar

from ..instances.diabetes import diabetes_series
from ..models.history import History
from ..models.policy import Policy
from ..models.problem import Problem
from ..models.requirements import HcSafety, WeakMInvariance
from ..solver.baselines.registry import baselines
from ..solver.search import solve_problem
from ..solver.verify.checking import verify
from .registry import Case, Row, case
from .theirs import losses_of


@case
@dataclass(frozen=True, kw_only=True)
class DiabetesSeries(Case):
    """Diabetes-130 patients over several releases under weak m-invariance and hc-safety of degree n.

    Parameters
    ----------
    tuples, releases : int
        Patients per release, and releases.
    m, n : int
        Of weak m-invariance and of hc-safety.
    multiplicity : int
        How often each value occurs in a group; 0 for any number.
    diagnoses : {"groups", "fine"}
        Twelve groups, or the first two digits of each code; m = 5 is possible then.
    engine : str
        As `solve` takes it.
    time_limit : int
        Seconds per release.
    """

    name: ClassVar[str] = "diabetes-series"
    small_settings: ClassVar[dict[str, Any]] = {"tuples": 24, "releases": 2, "time_limit": 10}

    tuples: int = 600
    releases: int = 3
    m: int = 3
    n: int = 2
    multiplicity: int = 0
    diagnoses: str = "groups"
    engine: str = "auto"
    time_limit: int = 60
    workers: int = 1

    def run(self) -> list[Row]:
        """One row per release; each is published before the next is made.

        `returning` counts patients of earlier releases, `same value` those of them whose diagnosis
        group was published before, so that their signature is given. Every release passes the
        plain checks of all requirements, or the case fails. Heuristics make the same release from
        the same history; where theirs breaks a requirement, nothing is shown. `verified` is what
        `optanon verify` says of the release: whose word a bound rests on, if any.
        """
        policy = Policy(
            [WeakMInvariance(m=self.m, multiplicity=self.multiplicity or None), HcSafety(n=self.n)],
            ["counterfeits", "information_loss"],
        )
        frames, roles = diabetes_series(self.tuples, self.releases, self.seed, fine=self.diagnoses == "fine")
        history = History()
        patients: set[str] = set()
        rows: list[Row] = []
        for number, frame in enumerate(frames, start=1):
            problem = Problem(table=roles.table(frame), policy=policy, history=history)
            known = sum(member.respondent in history.records for member in problem.table.members)
            worked = time.process_time()
            result = solve_problem(
                problem,
                engine=self.engine,
                time_limit=self.time_limit,
                seed=self.seed,
                workers=self.workers,
                display=False,
            )
            row: Row = {
                "release": number,
                "tuples": len(frame),
                "returning": len(patients & set(frame["patient"])),
                "same value": known,
                "engine": result.engine,
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
            proven = [p.seconds for p in result.trajectory if p.level == 1]
            assert result.certificate is not None
            began = time.process_time()
            outcome = verify(result.certificate, problem, result.release)
            row |= {
                "verified": "yes" if outcome.whole else "; ".join(outcome.trusted),
                "verify, CPU s": round(time.process_time() - began, 2),
            }
            row |= {
                "groups": len(result.release.groups),
                "counterfeits proven after": round(min(proven), 2) if proven else None,
                "seconds": round(result.seconds, 2),
                "CPU seconds": round(time.process_time() - worked, 2),
                "peak MB": getrusage(RUSAGE_SELF).ru_maxrss // 1024,
                **_heuristics(problem, self.seed),
            }
            sys.stderr.write(f"{row}\n")
            history.append(result.release)
            patients |= set(frame["patient"])
        return rows


def _heuristics(problem: Problem, seed: int) -> Row:
    """Counterfeits and loss of every heuristic that is made for the policy and keeps it here."""
    names = {r.name for r in problem.policy.requirements}
    found: Row = {}
    for baseline in baselines().values():
        if not set(baseline.promises) <= names:
            continue
        losses = losses_of(baseline, problem, seed) or (None, None)
        for short, value in zip(("counterfeits", "loss"), losses, strict=True):
            found[f"{baseline.name} {short}"] = None if value is None else float(value)
    return found
