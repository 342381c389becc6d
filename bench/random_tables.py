"""How far the assignment engine proves optima on random tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd

from optanon import KCAnonymity, Microdata, Policy, WeakMInvariance, solve

from .registry import Case, Row, case


@case
@dataclass(frozen=True, kw_only=True)
class RandomTables(Case):
    """Assignment engine on uniform random tables: status, loss, bound, gap, time."""

    name: ClassVar[str] = "random-tables"
    small_settings: ClassVar[dict[str, int]] = {"largest": 8, "time_limit": 10}

    largest: int = 20
    time_limit: int = 30

    def run(self) -> list[Row]:
        policies = {
            "(3,.5)": Policy([KCAnonymity(k=3, c="1/2")]),
            "m=3": Policy([WeakMInvariance(m=3)], ["counterfeits", "information_loss"]),
        }
        rows: list[Row] = []
        for tuples in range(8, self.largest + 1, 4):
            for name, policy in policies.items():
                result = solve(self._table(tuples), policy, time_limit=self.time_limit, seed=self.seed)
                last = result.levels[-1] if result.levels else None
                rows.append(
                    {
                        "tuples": tuples,
                        "policy": name,
                        "status": result.status.value,
                        "loss": None if last is None else float(last.value),
                        "bound": None if last is None or last.bound is None else float(last.bound),
                        "gap": None if result.gap is None else float(result.gap),
                        "seconds": round(result.seconds, 2),
                    }
                )
        return rows

    def _table(self, tuples: int) -> Microdata:
        random = np.random.default_rng(self.seed)
        frame = pd.DataFrame(
            {
                "id": [f"r{i}" for i in range(tuples)],
                "age": random.integers(20, 60, tuples),
                "zip": random.integers(0, 30, tuples),
                "sex": random.choice(["F", "M"], tuples),
                "disease": random.choice(list("abcde"), tuples),
            }
        )
        return Microdata.from_frame(
            frame, respondent="id", quasi_identifiers=["age", "zip", "sex"], sensitive="disease"
        )
