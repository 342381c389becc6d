"""Duals in whole numbers."""

from __future__ import annotations

import numpy as np

from optanon.solver.colgen.duals import whole


def test_a_row_whose_group_pays_for_many_keeps_its_dual() -> None:
    cost = 1_676_080.0
    rows = np.array([27.0, -3.0, 0.25]) * cost
    found = whole(rows, np.zeros(0), 0.0, costly=7 * int(cost), places=1_000)
    assert np.abs(found.rows / found.scale - rows).max() <= 1 / found.scale
