"""Blocks of a component, whose worlds are counted one by one, and the order their cells are taken up in."""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

import numpy as np

from .....models.compiled import compiled
from ....baselines.widths import Ints
from .component import LinkedCells

__all__ = ["blocks_of", "inside", "order_of"]


@compiled
def blocks_of(found: LinkedCells) -> tuple[Ints, int]:
    """Block of each open pair, -1 for fixed ones; and how many there are."""
    label = np.full(len(found.cell), -1, dtype=np.int64)
    met = np.zeros(len(found.low), dtype=np.bool_)
    queue = np.empty_like(label)
    blocks = 0
    for j in range(len(label)):
        if label[j] >= 0 or found.lower[j] == found.upper[j]:
            continue
        label[j], queue[0], head, count = blocks, j, 0, 1
        while head < count:
            i = queue[head]
            head += 1
            for z in range(found.first[i], found.first[i + 1]):
                r = found.row[z]
                if met[r]:
                    continue
                met[r] = True
                for y in range(found.start[r], found.start[r + 1]):
                    other = found.column[y]
                    if label[other] < 0 and found.lower[other] < found.upper[other]:
                        label[other] = blocks
                        queue[count] = other
                        count += 1
        blocks += 1
    return label, blocks


@compiled
def inside(ends: Ints, label: Ints, block: int, c: int) -> Ints:
    """Pairs of a cell that are in a block."""
    own = np.arange(ends[c], ends[c + 1])
    return own[label[own] == block]


@compiled
def order_of(found: LinkedCells, ends: Ints, label: Ints, block: int) -> Ints:
    """Cells of a block one by one; the next one opens fewest rows and closes most."""
    cells, height = len(found.size), len(found.low)
    left, opened = np.zeros(height, dtype=np.int64), np.zeros(height, dtype=np.bool_)
    stage, pairs = np.zeros(cells, dtype=np.int64), np.zeros(cells, dtype=np.int64)
    for j in range(len(label)):
        if label[j] == block:
            stage[found.cell[j]] = 1
            pairs[found.cell[j]] += 1
            for z in range(found.first[j] + 1, found.first[j + 1]):
                left[found.row[z]] += 1
    order = np.empty((stage > 0).sum(), dtype=np.int64)
    for n in range(len(order)):
        least, chosen, near = np.int64(1) << 40, -1, (stage == 2).any()
        for c in range(cells):
            if stage[c] != (2 if near else 1):
                continue
            cost = pairs[c]
            for j in range(ends[c], ends[c + 1]):
                if label[j] == block:
                    for z in range(found.first[j] + 1, found.first[j + 1]):
                        r = found.row[z]
                        if opened[r]:
                            cost -= 64 * (left[r] == 1)
                        else:
                            cost += 64 * (left[r] > 1)
            if cost < least:
                least, chosen = cost, c
        order[n], stage[chosen] = chosen, 3
        for j in inside(ends, label, block, chosen):
            for z in range(found.first[j] + 1, found.first[j + 1]):
                r = found.row[z]
                left[r] -= 1
                opened[r] = True
                for y in range(found.start[r], found.start[r + 1]):
                    c = found.cell[found.column[y]]
                    if label[found.column[y]] == block and stage[c] == 1:
                        stage[c] = 2
    return order
