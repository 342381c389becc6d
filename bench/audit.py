"""What a series of plain Mondrian releases of Adult gives away, and how long the exact audit takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..instances.adult import adult
from ..models.history import History
from ..models.policy import Policy
from ..models.problem import Problem
from ..models.requirements import KCAnonymity
from ..solver.baselines.mondrian_series import mondrian_static
from ..solver.insight.audit import audit
from .registry import Case, Row, case


@case
@dataclass(frozen=True, kw_only=True)
class Audit(Case):
    """Adult, each release a Mondrian partition by itself: disclosed by three adversaries, seconds."""

    name: ClassVar[str] = "audit"
    small_settings: ClassVar[dict[str, int]] = {"respondents": 200, "releases": 3}

    respondents: int = 1000
    releases: int = 5
    k: int = 5
    c: str = "0.7"
    churn: str = "0"
    """Share of each release that leaves, and is replaced, before the next."""
    time_limit: int = 120

    def run(self) -> list[Row]:
        """One row per release: the adversary who holds it and all before it.

        Without churn the table grows evenly to `respondents`; with churn every release has
        `respondents`. Nobody's occupation changes; those who left do not return.
        """
        report = audit(self._history(), time_limit=self.time_limit, explain=False)
        rows: list[Row] = []
        for entry in report.releases:
            found = entry.persistent
            if found is None:
                raise AssertionError("the audit left out values that never change")
            rows.append(
                {
                    "release": entry.release,
                    "respondents": entry.respondents,
                    "set intersection": found.set_intersection,
                    "propagation": found.propagation,
                    "exact": found.exact,
                    "unknown": found.unknown,
                    "worst posterior": None if found.worst is None else float(found.worst),
                    "no posterior": found.without_posterior,
                    "searched": found.searched,
                    "largest": found.open_pairs,
                    "seconds": entry.seconds,
                }
            )
        return rows

    def _history(self) -> History:
        data = adult()
        random = np.random.default_rng(self.seed)
        order = random.permutation(len(data.frame))
        policy = Policy([KCAnonymity(k=self.k, c=self.c)])  # pyright: ignore[reportArgumentType] - read exactly
        share = float(self.churn)
        size = self.respondents
        here = order[:size]
        fresh = size
        history = History()
        for number in range(1, self.releases + 1):
            if share:
                if number > 1:
                    leaving = int(share * size)
                    stays = random.permutation(here)[leaving:]
                    here = np.concatenate([stays, order[fresh : fresh + leaving]])
                    fresh += leaving
            else:
                here = order[: size * number // self.releases]
            table = data.roles.table(data.frame.iloc[here].reset_index(drop=True))
            history.append(mondrian_static(Problem(table=table, policy=policy)))
        return history
