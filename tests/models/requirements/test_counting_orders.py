"""Worlds are counted cell by cell; the order decides how many steps that takes, not what comes out."""

from __future__ import annotations

from collections import Counter
from itertools import product
from random import Random

import pytest

from optanon.models.adversary import counting
from optanon.models.adversary.counting import CountRow, Tableau
from optanon.models.errors import EngineError


def overlapping(random: Random, cells: int) -> Tableau:
    """Cells of two people with three values, in groups of three or four cells in two releases."""
    truth = [Counter(random.choices(range(3), k=2)) for _ in range(cells)]
    rows = [CountRow(pairs=(3 * c, 3 * c + 1, 3 * c + 2), low=2, high=2, is_cell=True) for c in range(cells)]
    for _ in range(2):
        order = random.sample(range(cells), cells)
        for together, v in product([order[at::5] for at in range(5)], range(3)):
            there = sum(truth[c][v] for c in together)
            pairs = tuple(sorted(3 * c + v for c in together))
            rows.append(CountRow(pairs=pairs, low=there, high=there, is_cell=False))
    many = 3 * cells
    cell = tuple(j // 3 for j in range(many))
    return Tableau(cell=cell, sizes=(2,) * cells, lower=(0,) * many, upper=(2,) * many, rows=tuple(rows))


def test_what_one_order_cannot_count_another_may(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = [overlapping(Random(seed), 16) for seed in range(40)]
    exact = [block.expected() for block in blocks]

    def known(limit: int) -> list[int]:
        found = list[int]()
        for number, block in enumerate(blocks):
            try:
                assert block.expected(limit) == exact[number]
                found.append(number)
            except EngineError:
                continue
        return found

    several = {limit: known(limit) for limit in (100, 300, 1_000)}
    sweep = vars(counting)["_Sweep"]
    monkeypatch.setattr(counting, "_Sweep", lambda whole, part, limit, _: sweep(whole, part, limit))
    more = 0
    for limit, found in several.items():
        one = known(limit - 1)  # nothing is counted twice: another limit is another question
        assert set(one) <= set(found)
        more += len(found) - len(one)
    assert more > 5
