"""People of whom many are alike: ages, regions and sexes."""

from __future__ import annotations

import numpy as np
import pandas as pd
from oracle.partition import LEAVES, REGIONS

from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirement import Requirement
from optanon.models.requirements import KCAnonymity
from optanon.models.table import Microdata


def people(tuples: int, seed: int, *beside: Requirement, values: str = "ab") -> Problem:
    """Ages, regions and sexes, many of them alike."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "id": range(tuples),
            "age": random.integers(20, 50, tuples),
            "region": random.choice(LEAVES, tuples),
            "sex": random.choice(["f", "m"], tuples),
            "value": random.choice(list(values), tuples),
        }
    )
    table = Microdata.from_frame(
        frame,
        respondent="id",
        quasi_identifiers={"age": "numeric", "region": REGIONS, "sex": "flat"},
        sensitive="value",
    )
    return Problem(table=table, policy=Policy([KCAnonymity(k=3), *beside]))
