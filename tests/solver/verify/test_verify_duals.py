"""Duals and cuts as the verifier reads them: what they prove, and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracle.partition import random_problem

from optanon.models.errors import CertificateError
from optanon.models.requirements import KCAnonymity
from optanon.solver.verify.duals import ClaimedDuals, CutMultipliers, odd_sets
from optanon.solver.verify.parts import units_of
from optanon.solver.verify.rows import CheckedRows, row_of


@pytest.fixture(scope="module")
def rows() -> CheckedRows:
    """Twelve tuples, some of them alike."""
    problem = random_problem(5, 12, [KCAnonymity(k=2)])
    found = CheckedRows.of(problem.table, units_of(problem))
    assert 1 < len(found) < 12
    return found


def stated(rows: CheckedRows, **changes: Any) -> ClaimedDuals:
    known: dict[str, Any] = {
        "per_tuple": [int(r) for r in row_of(rows)],
        "cuts": [CutMultipliers(rows=(0, 1, 2), times=(1, 1, 1), over=2)],
        "per_cut": [-3],
        "scale": 4,
        "fake": -2,
    }
    return ClaimedDuals.of(rows, **(known | changes))


def test_the_bound_is_the_sum_over_tuples_counterfeits_and_cuts(rows: CheckedRows):
    duals = stated(rows)
    half = int(rows.count[:3].sum()) // 2
    value = int(sum(row_of(rows))) - 3 * half - 2 * 5
    assert duals.value(rows.count, 5) == value
    assert duals.bound(rows.count, 5) == -(-value // 4)


@pytest.mark.parametrize("most", range(14))
def test_suppressed_tuples_leave_the_best_total_that_any_dual_of_their_limit_allows(
    rows: CheckedRows, most: int
):
    duals, price = stated(rows, fake=0), 2
    found = duals.suppressing(price, most, rows.count)
    assert (found.rows <= duals.rows).all()
    assert (found.rows + found.fake <= price).all()
    cuts = duals.value(rows.count) - int(row_of(rows).sum())
    tried = (int(np.minimum(row_of(rows), price + m).sum()) - most * m for m in range(12))
    assert found.value(rows.count, most) - cuts == max(tried)


def test_a_cut_counts_by_its_multipliers():
    count = np.array([2, 1, 4], dtype=np.int64)
    assert CutMultipliers(rows=(0, 2), times=(2, 3), over=5).limit(count) == (2 * 2 + 3 * 4) // 5
    duals = ClaimedDuals(
        rows=count * 0, cuts=((CutMultipliers(rows=(0, 2), times=(2, 3), over=5), -7),), fake=0, scale=1
    )
    found = duals.penalties()
    assert found.start.tolist() == [0, 1, 1, 2]
    assert (found.cut.tolist(), found.times.tolist()) == ([0, 0], [2, 3])
    assert (found.over.tolist(), found.dual.tolist()) == ([5], [-7])


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"per_tuple": [0] * 11}, "another number"),
        ({"per_cut": [0, 0]}, "another number"),
        ({"scale": 0}, "another number"),
        ({"per_cut": [1]}, "above 0"),
        ({"fake": 1}, "above 0"),
        ({"per_tuple": list(range(12))}, "alike"),
        ({"per_tuple": [1 << 60] * 12}, "too large"),
        ({"scale": 1 << 60}, "too large"),
        ({"fake": -(1 << 60)}, "too large"),
        ({"per_cut": [-(1 << 60)]}, "too large"),
    ],
)
def test_what_is_no_dual_is_refused(rows: CheckedRows, changes: dict[str, Any], why: str):
    with pytest.raises(CertificateError, match=why):
        stated(rows, **changes)


@pytest.mark.parametrize(
    ("named", "why"), [([0, 12], "does not have"), ([-1, 0], "does not have"), ([3, 3], "twice")]
)
def test_a_cut_names_different_tuples_of_the_table(rows: CheckedRows, named: list[int], why: str):
    with pytest.raises(CertificateError, match=why):
        odd_sets(rows, [named])


def test_a_cut_over_tuples_that_are_alike_is_refused(rows: CheckedRows):
    alike = next(tuples for tuples in rows.tuples if len(tuples) > 1)
    with pytest.raises(CertificateError, match="twice"):
        odd_sets(rows, [alike[:2]])
