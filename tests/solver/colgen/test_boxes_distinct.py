"""Groups of any size with so many different values: the best one of a box, by the search and the verifier."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from optanon.solver.colgen.boxes.best import filled, put_in
from optanon.solver.colgen.boxes.question import NONE, BoxForm, BoxGrid, ScanInput
from optanon.solver.colgen.boxes.scan import desk
from optanon.solver.colgen.kernels.question import CutIndex
from optanon.solver.verify import box_groups
from optanon.solver.verify.box_groups import BoxNodes, BoxQuestion, Sizes
from optanon.solver.verify.listing_state import Penalties

EMPTY = np.zeros(0, dtype=np.int64)
ENDLESS = 1 << 30


def one(number: int) -> np.ndarray:
    return np.array([number], dtype=np.int64)


@pytest.mark.parametrize("seed", range(4))
def test_the_best_group_of_a_box_is_that_of_all_choices(seed: int):
    random, found = np.random.default_rng(seed), 0
    for _ in range(150):
        rows, values = int(random.integers(2, 8)), int(random.integers(1, 5))
        different, cost = int(random.integers(2, 4)), int(random.integers(0, 9))
        least = max(different, int(random.integers(1, 5)))
        value, counts = random.integers(0, values, rows), random.integers(1, 3, rows)
        dual = random.integers(-3, 12, rows)
        best = NONE
        for taken in product(*(range(count + 1) for count in counts)):
            held = {v for v, times in zip(value.tolist(), taken, strict=True) if times}
            if sum(taken) >= least and len(held) >= different:
                best = max(best, int((np.array(taken) * (dual - cost)).sum()))
        form = BoxForm(one(least), one(ENDLESS), one(ENDLESS), least, 24, ENDLESS, different, least, True)
        start = np.zeros(rows + 1, dtype=np.int64)
        grid = BoxGrid(
            np.array([0, rows]), np.arange(rows, dtype=np.int32), one(0), np.zeros(rows, dtype=np.int64), 0
        )
        cuts = CutIndex(start, EMPTY, EMPTY, EMPTY)
        asked = ScanInput(grid, value, counts, dual, 1, form, cuts, 1000)
        memory, size = desk(asked), 0
        for row in range(rows):
            size = put_in(asked, memory, size, row, form.kept, cost)
        profit, many = filled(asked, memory, size, cost, 0, 0, 0)
        assert profit == best
        group = memory.tried[:many]
        if many:
            found += 1
            assert (dual[group] - cost).sum() == best
            assert len(set(value[group].tolist())) >= different
            assert (np.bincount(group, minlength=rows) <= counts).all()
        again = BoxQuestion(
            np.zeros((rows, 1), dtype=np.int64),
            BoxNodes(one(0), EMPTY, EMPTY, EMPTY, np.zeros(0, dtype=np.bool_)),
            0,
            value,
            counts,
            dual,
            1,
            Sizes(one(least), one(ENDLESS), one(ENDLESS), different, True),
            least,
            ENDLESS,
            ENDLESS,
            Penalties(*(start if name == "start" else EMPTY for name in Penalties._fields)),
        )
        room, size = box_groups.memory_of(0, again, 0), 0
        for row in range(rows):
            size = box_groups.put(again, room, size, row, cost)
        assert box_groups.shown_to_pay(again, room, size, cost) == (best > 0)
    assert found > 20
