"""How many respondents six releases of Adult disclose, by set intersection, by propagation and exactly."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
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
    ResistsInference,
    WeakMInvariance,
)
from ..solver.baselines.registry import baselines
from ..solver.insight.audit.audit import AuditReport, audit
from ..solver.search import solve_problem
from .audit import rechecked
from .registry import Case, Row, case


@case
@dataclass(frozen=True, kw_only=True)
class Disclosed(Case):
    """Adult, growing series by four ways to release: respondents disclosed by three adversaries.

    Every series has six releases of a table that grows evenly to so many people, a prefix of one seeded
    shuffle; nobody's occupation changes. Mondrian is run as it is, with cuts through equal values, and with
    all checks of Byun et al.; loss is that of the last release, in the policy's last level.
    """

    name: ClassVar[str] = "disclosed"
    small_settings: ClassVar[dict[str, int]] = {
        "people": 60,
        "releases": 2,
        "time_limit": 2,
    }

    people: int = 30_000
    releases: int = 6
    k: int = 5
    c: str = "0.7"
    m: int = 3
    time_limit: int = 120
    """Seconds for each release of ours; large ones take longer, to build the model."""
    audit_limit: int = 600
    """Seconds for the audit; what it does not decide is unknown, or has no posterior."""
    ways: str = ""
    """Ways to release, with commas between; all if empty. ``theirs`` are all but ours."""

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

        def by(name: str) -> Callable[[Problem], Release]:
            return lambda problem: baselines()[name].run(problem, self.seed)

        safe = ResistsInference(max_posterior=share.c, min_values=2)
        return [
            self._row(name, policy, release)
            for name, policy, release in (
                ("Mondrian", plain, by("mondrian_static")),
                ("Mondrian relaxed", plain, by("mondrian_relaxed")),
                ("Mondrian checked", guarded, by("mondrian_checked")),
                ("Cor-Split", split, by("cor_split")),
                ("Cor-Split halving", split, by("cor_split_halving")),
                ("ours", plain, solved),
                ("ours checks of Byun et al.", guarded, solved),
                (f"ours weak {self.m}-invariance", Policy([invariant], losses), solved),
                ("ours resists_inference", Policy([share, safe]), solved),
            )
            if self._asked(name)
        ]

    def _asked(self, way: str) -> bool:
        asked = {name.strip() for name in self.ways.split(",")} - {""}
        return not asked or way in asked or ("theirs" in asked and not way.startswith("ours"))

    def _row(self, way: str, policy: Policy, release: Callable[[Problem], Release | None]) -> Row:
        data = adult()
        order = np.random.default_rng(self.seed).permutation(len(data.frame))
        history, lost = History(), Fraction(0)
        began = time.monotonic()
        for number in range(1, self.releases + 1):
            here = order[: self.people * number // self.releases]
            table = data.roles.table(data.frame.iloc[here].reset_index(drop=True))
            problem = Problem(table=table, policy=policy, history=history)
            made_now = release(problem)
            if made_now is None:  # none in time: the row says how many there are
                break
            history.append(made_now)
            lost = problem.objective(made_now)[-1]
        made = time.monotonic() - began
        began = time.monotonic()
        report = audit(history, explain=False, latest=1, time_limit=self.audit_limit)
        seconds = time.monotonic() - began
        checked, resting = rechecked(report.exclusions())
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
            "above 1/2": above(report, Fraction(1, 2)),
            "without posterior": found.without_posterior,
            "loss": float(lost),
            "unknown": found.unknown,
            "exclusions checked": checked,
            "rest on CP-SAT": resting,
            "seconds to make": round(made, 1),
            "to audit": round(seconds, 1),
        }
        sys.stderr.write(f"{row}\n")
        return row


def above(report: AuditReport, limit: Fraction) -> int:
    """People after the last release of whom some value is likelier, as far as there is a posterior."""
    counted = report.probabilities
    if counted is None:
        raise AssertionError("the audit counted nothing")
    system, likelier = counted.possible.population.system, set[int]()
    for cell, chance in zip(system.cell.tolist(), counted.probabilities, strict=True):
        if chance is not None and chance > limit:
            likelier.add(cell)
    return int(system.sizes[sorted(likelier)].sum()) if likelier else 0
