"""A first release where not everybody can be in one group."""

from __future__ import annotations

import numpy as np
import pandas as pd

from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirements import KAnonymity, WeakMInvariance
from optanon.models.table import Microdata
from optanon.solver.engines.partition.histogram import HistogramSearch
from optanon.solver.engines.partition.plan import Plan
from optanon.solver.search import partition_engine
from optanon.solver.settings import Settings, Watch


def begun(values: str) -> HistogramSearch:
    """A search that has not begun."""
    places = np.random.default_rng(1).permutation(len(values))
    frame = pd.DataFrame({"id": range(len(values)), "x": places, "v": list(values)})
    table = Microdata.from_frame(frame, respondent="id", quasi_identifiers=["x"], sensitive="v")
    problem = Problem(table=table, policy=Policy([WeakMInvariance(m=2), KAnonymity(k=3)]))
    plan = Plan.of(problem)
    assert isinstance(plan, Plan)
    search = partition_engine().plans.own(problem, Settings(), Watch(), plan)
    assert isinstance(search, HistogramSearch)
    return search


def test_values_of_other_frequencies_are_shared_out_by_counts():
    search = begun("a" * 8 + "b" * 7 + "c" * 7)
    release = search.settings.known
    assert release is not None
    assert next(search.problem.check(release), None) is None
    search.starting.begin(release)
    assert search.progress.groups is not None


def test_where_everybody_may_be_in_one_group_nothing_is_counted():
    assert begun("abc" * 4).settings.known is None
