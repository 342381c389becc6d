"""Bounds on squared error, as a certificate of unknown origin may state them."""

from __future__ import annotations

import tracemalloc
from fractions import Fraction
from itertools import combinations

import pandas as pd
import pytest

import optanon as oa
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirements import KCAnonymity
from optanon.solver import claims
from optanon.solver.verify import points
from optanon.solver.verify.given import Given


def test_cuts_are_not_written_down_for_every_point(monkeypatch: pytest.MonkeyPatch):
    """As many as fit into a file would take the memory of a large machine, point by point."""
    monkeypatch.setattr(points, "ROOM", 1_000)
    people = range(200)
    frame = pd.DataFrame({"id": [f"p{i}" for i in people], "age": people, "value": ["a"] * len(people)})
    table = oa.Microdata.from_frame(
        frame, respondent="id", quasi_identifiers={"age": "numeric"}, sensitive="value"
    )
    problem = Problem(table=table, policy=Policy([KCAnonymity(k=2)], ["squared_error"]))
    cuts = tuple(combinations(people, 2))[:4_000]
    root = claims.WrittenDuals(scale=1, duals=(-1,) * len(people), cut_duals=(-1,) * len(cuts))
    claim = claims.PricedClaim(level=0, root=root, cuts=cuts, part=None, blocks=((0, 1, 2),))
    given = Given(problem=problem, values=(Fraction(100),))
    points.proven_squares(given, claim)  # what is compiled takes memory, too
    tracemalloc.start()
    bound = points.proven_squares(given, claim)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert bound < 0
    assert peak < 8 * len(cuts) * len(people)
