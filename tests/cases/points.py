"""Tables of points, to be put in groups with little squared error."""

from __future__ import annotations

import numpy as np
import pandas as pd

from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirements import KCAnonymity
from optanon.models.table import Microdata

__all__ = ["asked", "drawn"]


def asked(points: list[list[int]], k: int, loss: str = "squared_error") -> Problem:
    """Groups of k or more points that lose as little as possible."""
    columns = [f"x{a}" for a in range(len(points[0]))]
    frame = pd.DataFrame(points, columns=columns).assign(id=[f"r{i}" for i in range(len(points))], v="a")
    table = Microdata.from_frame(
        frame, respondent="id", quasi_identifiers=dict.fromkeys(columns, "numeric"), sensitive="v"
    )
    return Problem(table=table, policy=Policy([KCAnonymity(k=k)], [loss]))


def drawn(kind: str) -> Problem:
    """Points all over the place (`few` for small groups, `plain`, or `deep` for large ones), or in blocks.

    The latter are far clusters.
    """
    random = np.random.default_rng(5)
    if kind == "plain":
        return asked(random.integers(0, 1000, (90, 2)).tolist(), 3)
    if kind == "many":
        return asked(random.integers(0, 1000, (60, 8)).tolist(), 4)
    if kind == "deep":
        return asked(random.integers(0, 1000, (120, 3)).tolist(), 8)
    centers = random.integers(0, 5000, (12, 2))
    return asked([(center + random.integers(0, 40, 2)).tolist() for center in centers for _ in range(7)], 5)
