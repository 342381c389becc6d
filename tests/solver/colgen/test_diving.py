"""What a dive is surest of is taken as often as it fits, whatever amount the linear program was left with."""

from __future__ import annotations

import numpy as np

from optanon.solver.colgen.primal.diving import _surest  # pyright: ignore[reportPrivateUsage]


def test_a_column_is_taken_while_it_fits_even_if_its_amount_is_out_of_all_bounds():
    members, left = np.array([[0, 0], [0, 1]], dtype=np.int32), np.array([5, 2])
    amount = np.array([1e12, 2.0])
    assert _surest(members, amount, np.zeros(2), left) == [0, 0, 1]
    assert left.tolist() == [0, 1]
