"""How many respondents six releases of Adult disclose, by set intersection, by propagation and exactly."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..instances.adult import adult
from ..models.history import History
from ..models.policy import Policy
from ..models.problem import Problem
from ..models.release import Release
from ..models.requirements import (
    Difference,
    HcSafety,
    Intersection,
    KCAnonymity,
    RecordTracing,
    WeakMInvariance,
)
from ..solver.baselines.registry import baselines
from ..solver.insight.audit.audit import audit
from ..solver.search import solve_problem
from .registry import Case, Row, case


@case
@dataclass(frozen=True, kw_only=True)
class Disclosed(Case):
    """Adult, growing series by four ways to release: respondents disclosed by three adversaries.

    Every series has six releases of a table that grows evenly to so many people, a prefix of one seeded
    shuffle; nobody's occupation changes. Mondrian is run as it is and with all checks of Byun et al.
    """

    name: ClassVar[str] = "disclosed"
    small_settings: ClassVar[dict[str, int]] = {
        "people": 60,
        "releases": 2,
        "time_limit": 5,
    }

    people: int = 30_000
    releases: int = 6
    k: int = 5
    c: str = "0.7"
    m: int = 3
    time_limit: int = 120
    """Seconds for each release of ours; large ones take longer, to build the model."""

    def run(self) -> list[Row]:
        """One row per way, about the adversary who holds all releases that were made in time.

        Every exclusion is re-checked without a solver; `rest on CP-SAT` counts those that have no proof.
        """
        share = KCAnonymity(k=self.k, c=self.c)  # pyright: ignore[reportArgumentType] - read exactly
        plain = Policy([share])
        guarded = Policy(
            [
                share,
                Difference(k=self.k, c=share.c),
                Intersection(c=share.c),
                RecordTracing(k=self.k),
            ]
        )
        invariant = WeakMInvariance(m=self.m)
        losses = ["counterfeits", "information_loss"]
        split = Policy([invariant, HcSafety(n=2)], losses)

        def solved(problem: Problem) -> Release | None:
            found = solve_problem(problem, time_limit=self.time_limit, seed=self.seed, display=False)
            return found.release

        def static(problem: Problem) -> Release:
            return baselines()["mondrian_static"].run(problem, self.seed)

        def with_checks(problem: Problem) -> Release:
            return baselines()["mondrian_checked"].run(problem, self.seed)

        def cor_split(problem: Problem) -> Release:
            return baselines()["cor_split"].run(problem, self.seed)

        return [
            self._row(name, policy, release)
            for name, policy, release in (
                ("Mondrian", plain, static),
                ("Mondrian, checked", guarded, with_checks),
                ("Cor-Split", split, cor_split),
                (f"ours, weak {self.m}-invariance", Policy([invariant], losses), solved),
            )
        ]

    def _row(self, way: str, policy: Policy, release: Callable[[Problem], Release | None]) -> Row:
        data = adult()
        order = np.random.default_rng(self.seed).permutation(len(data.frame))
        history = History()
        began = time.monotonic()
        for number in range(1, self.releases + 1):
            here = order[: self.people * number // self.releases]
            table = data.roles.table(data.frame.iloc[here].reset_index(drop=True))
            made_now = release(Problem(table=table, policy=policy, history=history))
            if made_now is None:  # none in time: the row says how many there are
                break
            history.append(made_now)
        made = time.monotonic() - began
        began = time.monotonic()
        report = audit(history, posterior=False, explain=False)
        seconds = time.monotonic() - began
        checked = resting = 0
        for exclusion in report.exclusions():
            if exclusion.proof == "rests on CP-SAT":
                resting += 1
            else:
                exclusion.check()
                checked += 1
        found = report.releases[-1].persistent
        if found is None:
            raise AssertionError("the audit left out values that never change")
        row: Row = {
            "releases by": way,
            "people": self.people,
            "releases": len(history),
            "counterfeits": sum(release.counterfeits for release in history),
            "set intersection": found.set_intersection,
            "propagation": found.propagation,
            "exact": found.exact,
            "unknown": found.unknown,
            "exclusions checked": checked,
            "rest on CP-SAT": resting,
            "seconds to make": round(made, 1),
            "to audit": round(seconds, 1),
        }
        sys.stderr.write(f"{row}\n")
        return row
