"""Which rows can be in a paying group with an anchor, compiled."""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from ....models.compiled import borrowing
from ..covering import Ints
from .boxes import LOW, pair_cost, to_cell

__all__ = ["candidates"]


@borrowing
def _pays(both: int, best: int, box: int, least: int, most: int, floor: int) -> bool:
    """Whether two members and up to most - 2 others of dual `best` can come above `floor`."""
    others = most - 2 if best > box else max(0, least - 2)
    return both + others * best - (others + 2) * box > floor


@borrowing
def candidates(
    codes: Ints,
    weight: Ints,
    tree: Ints,
    side: Ints,
    table: Ints,
    start: Ints,
    cell_lo: Ints,
    cell_hi: Ints,
    cell_best: Ints,
    tail_best: Ints,
    dual: Ints,
    rank: Ints,
    scale: int,
    i: int,
    home: int,
    least: int,
    most: int,
    floor: int,
    active: Ints,
    away: Ints,
    near: Ints,
    way: Ints,
) -> int:
    """Ranks of the rows from i on that can be in a paying group with it, into `near`; how many.

    Whole cells are skipped first. The best dual among what is left tightens the test, so it is
    repeated a few times.
    """
    best, new, kept = tail_best[home], LOW, 0
    for c in range(home, len(cell_best)):
        far = 0
        if c > home:
            far = to_cell(codes, weight, tree, side, table, i, cell_lo, cell_hi, c) * scale
        if _pays(dual[i] + cell_best[c], best, far, least, most, floor):
            active[kept], away[kept] = c, far
            kept += 1
            new = max(new, cell_best[c])
    for _ in range(3):
        if new >= best or kept == 0:
            break
        best, new, left = new, LOW, 0
        for k in range(kept):
            c = active[k]
            if _pays(dual[i] + cell_best[c], best, away[k], least, most, floor):
                active[left], away[left] = c, away[k]
                left += 1
                new = max(new, cell_best[c])
        kept = left
    best, new, found = min(best, new), LOW, 0
    for k in range(kept):
        c = active[k]
        for u in range(max(i, start[c]), start[c + 1]):
            box = pair_cost(codes, weight, tree, side, table, i, u) * scale
            if _pays(dual[i] + dual[u], best, box, least, most, floor):
                near[found], way[found] = u, box
                found += 1
                new = max(new, dual[u])
    for _ in range(3):
        if new >= best or found == 0:
            break
        best, new, left = new, LOW, 0
        for k in range(found):
            u = near[k]
            if _pays(dual[i] + dual[u], best, way[k], least, most, floor):
                near[left], way[left] = u, way[k]
                left += 1
                new = max(new, dual[u])
        found = left
    for k in range(found):
        near[k] = rank[near[k]]
    return found
