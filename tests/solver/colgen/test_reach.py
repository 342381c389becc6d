"""Duals at sight: what each tuple pays anyway, by hand; and the verifier sees the same by itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from oracle.partition import random_problem

from optanon.models.problem import Problem
from optanon.models.requirements import KCAnonymity
from optanon.solver.claims import PricedClaim
from optanon.solver.colgen.cuts import Cuts
from optanon.solver.colgen.reach import at_sight
from optanon.solver.colgen.table import Rows
from optanon.solver.engines.partition.proof import describe
from optanon.solver.settings import Clock
from optanon.solver.verify.duals import ClaimedDuals
from optanon.solver.verify.priced import Single, priced_loss
from optanon.solver.verify.reach import paid_anyway

K = 4


def asked(seed: int) -> tuple[Problem, Rows]:
    problem = random_problem(seed, 60, [KCAnonymity(k=K)])
    rows = Rows.of(problem, blind=True)
    # Cells of two rows, so that most are never looked at.
    return problem, replace(rows, cells=small_cells(rows))


def small_cells(rows: Rows):
    start = np.append(np.arange(0, len(rows), 2), len(rows)).astype(np.int64)
    codes = rows.geometry.codes
    lo, hi = (how.reduceat(codes, start[:-1], axis=0) for how in (np.minimum, np.maximum))
    return rows.cells._replace(start=start, lo=lo, hi=hi)


@pytest.mark.parametrize("seed", range(6))
def test_a_tuple_reaches_as_many_others_as_a_group_has(seed: int):
    _, rows = asked(seed)
    units = np.repeat(np.arange(len(rows)), rows.count)
    codes = rows.geometry.codes[units]
    pairs = rows.box_cost(
        np.minimum(codes[:, None], codes[None]),
        np.maximum(codes[:, None], codes[None]),
    )
    pairs[np.arange(len(units)), np.arange(len(units))] = -1  # itself
    found = at_sight(rows, K, 2, Clock())
    assert found is not None
    assert found.rows[units].tolist() == np.sort(pairs, axis=1)[:, K - 1].tolist()
    assert found.rows.any()


def test_nobody_reaches_anybody_without_time_and_alone_for_nothing():
    _, rows = asked(0)
    assert at_sight(rows, K, 1, Clock(0.0)) is None
    alone = at_sight(rows, 1, 1, Clock())
    assert alone is not None
    assert not alone.rows.any()


@pytest.mark.parametrize("seed", range(6))
def test_the_verifier_sees_that_tuples_pay_them_and_not_that_they_pay_more(seed: int):
    problem, rows = asked(seed)
    duals = at_sight(rows, K, 1, Clock())
    assert duals is not None
    claim = describe(rows, Cuts(rows), duals, None, level=0, part=())
    assert isinstance(claim, PricedClaim)
    single = Single.of(problem, ())
    stated = ClaimedDuals.of(single.rows, claim.root.duals, (), (), claim.root.scale)
    assert paid_anyway(single.rows, stated, K)
    assert not paid_anyway(single.rows, replace(stated, rows=stated.rows + 1), K)
    assert not paid_anyway(single.rows, stated, K - 1)
    assert priced_loss(problem, claim, None) == rows.loss(duals.bound(rows, Cuts(rows))) > 0
