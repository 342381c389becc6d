"""Time at the end of a search: kept for proofs, which the verifier derives again; used up by regions."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np
import pandas as pd
import pytest
from cases.programs import partition_program

import optanon as oa
from optanon.solver.colgen.finish import Finish, Reached
from optanon.solver.colgen.limits import GapLimits
from optanon.solver.colgen.pricing import ColumnSource
from optanon.solver.colgen.primal.regions import Regions
from optanon.solver.colgen.structure.types import Types
from optanon.solver.engines.partition.plan import Plan
from optanon.solver.exact.tree import Tree
from optanon.solver.limits import SIGNATURE_LIMITS
from optanon.solver.schedule import GAP
from optanon.solver.settings import Clock
from tests.clocks import faked


def finish(clock: Clock) -> Finish:
    source = cast(ColumnSource, SimpleNamespace(rows=range(10), lists_all=True))
    return Finish(source, cast(Reached, None), clock, 0, GapLimits())


def found() -> Tree:
    tree = Tree(partition_program(4), 10_000)
    assert tree.run()
    return tree


def test_as_much_time_is_left_as_the_longest_list_needs(monkeypatch: pytest.MonkeyPatch):
    faked(monkeypatch)
    clock = Clock(10.0)
    end = finish(clock)
    for took, longest in ((2.0, 2.0), (1.0, 2.0), (2.5, 2.5)):
        end._took = took
        assert end._checked(found())
        assert clock.limit == pytest.approx(10.0 - longest * GAP.check.value)


def test_a_proof_that_there_is_no_time_for_does_not_replace_another(monkeypatch: pytest.MonkeyPatch):
    seconds = faked(monkeypatch)
    clock = Clock(10.0)
    end = finish(clock)
    end._took = 1.0
    seconds[0] += 9.0
    assert not end._checked(found())
    assert clock.limit == 10.0
    endless = finish(Clock())
    endless._took = 1e9
    assert endless._checked(found())


def test_a_tree_that_cannot_be_checked_proves_nothing():
    tree = found()
    tree.target += 1
    end = finish(Clock())
    assert not end._checked(tree)
    assert end.exhausted


@pytest.mark.parametrize(("limit", "grown"), [(5.0, [180]), (None, [])])
def test_under_a_limit_the_last_regions_grow_where_no_small_one_gains(
    monkeypatch: pytest.MonkeyPatch, limit: float | None, grown: list[int]
):
    faked(monkeypatch)
    frame = pd.DataFrame({"id": range(200), "a": np.arange(200) * 7 % 31, "v": np.arange(200) % 5})
    table = oa.Microdata.from_frame(frame, respondent="id", quasi_identifiers={"a": "numeric"}, sensitive="v")
    policy = oa.Policy([oa.WeakMInvariance(m=3)], ["counterfeits", "information_loss"])
    problem = oa.Problem(table=table, policy=policy)
    plan = Plan.of(problem)
    assert isinstance(plan, Plan)
    assert plan.rules is not None
    regions, sizes = Regions(Types.of(problem, plan.rules), 0, 0, Clock(limit)), list[int]()

    def apart(columns: object, tuples: int) -> list[list[int]]:
        sizes.append(tuples)
        return []

    monkeypatch.setattr(regions, "_apart", apart)
    regions.run([], [], None, lambda columns: None, last=True)
    assert sorted(set(sizes)) == [SIGNATURE_LIMITS.region, *grown]
