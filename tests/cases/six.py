"""Six people, for tests of engines that know a release or two."""

from __future__ import annotations

import pandas as pd

from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirements import KAnonymity
from optanon.models.table import Microdata

__all__ = ["PROBLEM", "TABLE"]

TABLE = Microdata.from_frame(
    pd.DataFrame({"id": range(6), "age": [1, 2, 3, 5, 8, 13], "disease": list("ababab")}),
    respondent="id",
    quasi_identifiers=["age"],
    sensitive="disease",
)
PROBLEM = Problem(table=TABLE, policy=Policy([KAnonymity(k=2)]))
