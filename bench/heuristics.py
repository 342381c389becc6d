"""Registered heuristics of one release beside each other on Adult: loss and time, medians over seeds."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from statistics import median
from typing import Any, ClassVar

from ..instances.adult import adult
from ..models.policy import Policy
from ..models.problem import Problem
from ..models.requirements import KCAnonymity
from ..solver.baselines.registry import baselines
from .registry import Case, Row, case


@case
@dataclass(frozen=True, kw_only=True)
class Heuristics(Case):
    """k-anonymity on Adult by every heuristic that makes any groups: information loss, groups, CPU seconds.

    Seven quasi-identifiers under ARX's hierarchies. Each seed draws a sample of its own (all 30,162 in an
    order of its own), and is the heuristic's seed.
    """

    name: ClassVar[str] = "heuristics"
    small_settings: ClassVar[dict[str, Any]] = {"tuples": "60", "seeds": "1,2"}

    tuples: str = "1000,5000,30162"
    seeds: str = "1,2,3"
    k: int = 5

    def run(self) -> list[Row]:
        """One row per number of tuples and heuristic, the least loss first; `from`, `to` span the seeds."""
        frame, roles = adult()
        policy = Policy([KCAnonymity(k=self.k)])
        names = [
            one.name
            for one in baselines().values()
            if one.promises == ("k_c_anonymity",) and not (one.full_domain or one.looks_back)
        ]
        warm = Problem(table=roles.table(frame.head(400)), policy=policy)
        for name in names:
            baselines()[name].run(warm, 0)  # compiled parts are loaded
        rows: list[Row] = []
        for size in map(int, self.tuples.split(",")):
            found: dict[str, list[tuple[float, int, float]]] = {name: [] for name in names}
            for seed in map(int, self.seeds.split(",")):
                drawn = frame.sample(size, random_state=seed).reset_index(drop=True)
                problem = Problem(table=roles.table(drawn), policy=policy)
                for name in names:
                    began = time.process_time()
                    release = baselines()[name].run(problem, seed)
                    seconds = time.process_time() - began
                    broken = next(problem.check(release), None)
                    if broken is not None:
                        raise AssertionError(f"{name} broke what it is for: {broken.message}")
                    found[name].append((float(problem.objective(release)[0]), len(release.groups), seconds))
                    sys.stderr.write(f"{size}, seed {seed}, {name}: {found[name][-1]}\n")
            rows += sorted(
                (_row(size, name, runs) for name, runs in found.items()), key=lambda row: row["loss"]
            )
        return rows


def _row(size: int, name: str, runs: list[tuple[float, int, float]]) -> Row:
    losses = [loss for loss, _, _ in runs]
    return {
        "tuples": size,
        "heuristic": name,
        "loss": round(median(losses), 1),
        "from": round(min(losses), 1),
        "to": round(max(losses), 1),
        "groups": median(groups for _, groups, _ in runs),
        "CPU seconds": round(median(seconds for _, _, seconds in runs), 2),
    }
