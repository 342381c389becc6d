"""Problems of a series of which Cor-Split published all earlier releases."""

from __future__ import annotations

from optanon.instances.generators import generated_roles, series, skewed_table, uniform_table
from optanon.models.errors import EngineError
from optanon.models.history import History
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirements import HcSafety, WeakMInvariance
from optanon.solver.baselines.registry import baselines

__all__ = ["drawn"]


def drawn(kind: str, tuples: int, releases: int, seed: int, n: int = 2) -> Problem | None:
    """The problem of the last release of a series that Cor-Split published before; None if it could not."""
    policy = Policy([WeakMInvariance(m=3), HcSafety(n=n)], ["counterfeits", "information_loss"])
    draw, values = {"skewed": (skewed_table, 10), "uniform": (uniform_table, 12)}[kind]
    roles, history, moved = generated_roles(values=values), History(), tuples // 10
    tables = series(
        draw(2 * tuples, seed=seed, values=values),
        first=tuples,
        releases=releases,
        insertions=moved,
        deletions=moved,
        seed=seed,
    )
    for number, frame in enumerate(tables, start=1):
        problem = Problem(table=roles.table(frame), policy=policy, history=history)
        if number == releases:
            return problem
        try:
            history.append(baselines()["cor_split"].run(problem, seed))
        except EngineError:
            return None
    return None
