"""Counts of ordered values at a price on being away from the table's shares, at integer duals. Compiled.

Where values are ordered, a group of s tuples is away by ``|N H - s T|`` at each place between two values: H
of its tuples, and T of the table's N, have a value up to there. Then what counts bring at a price depends on
the counts before through H alone: the best ones are found value by value from the last one on, exactly.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from ....models.compiled import borrowing
from ....models.copying import copy_row
from .question import NONE
from .shares_question import SharesDesk, SharesForm, SharesInput

__all__ = ["at_price_in_order", "tried_in_order"]


@borrowing
def _away(f: SharesForm, place: int, upto: int, size: int) -> int:
    """By how much a group with so many tuples up to a place is away there."""
    return f.places[place] * abs(f.weight[upto] - size * f.share[place])


@borrowing
def _summed(q: SharesInput, d: SharesDesk, size: int) -> None:
    """What so many of the best tuples of each value bring."""
    for v in range(len(d.many)):
        for j in range(min(d.many[v], size)):
            d.sums[v, j + 1] = d.sums[v, j] + q.dual[d.row[v, j]]


@borrowing
def _best_from(
    q: SharesInput, d: SharesDesk, place: int, upto: int, size: int, price: int
) -> tuple[int, int]:
    """What the value at a place and later ones bring after so many tuples, and how many it has then."""
    v, best, taken = q.form.order[place], NONE, 0
    for h in range(min(d.many[v], size - upto) + 1):
        later = d.rest[place + 1, upto + h]
        if later > NONE:
            total = d.sums[v, h] + later - price * _away(q.form, place, upto + h, size)
            if total > best:
                best, taken = total, h
    return best, taken


@borrowing
def at_price_in_order(q: SharesInput, d: SharesDesk, size: int, price: int) -> tuple[int, int]:
    """As `at_price`; what later values bring at most, by place and tuples before, is in `rest`."""
    values, upto, far = len(d.many), 0, 0
    _summed(q, d, size)
    d.rest[values, : size + 1] = NONE
    d.rest[values, size] = 0
    for place in range(values - 1, -1, -1):
        for before in range(size + 1):
            d.rest[place, before] = _best_from(q, d, place, before, size, price)[0]
    for place in range(values):
        taken = _best_from(q, d, place, upto, size, price)[1]
        upto += taken
        d.held[q.form.order[place]] = taken
        far += _away(q.form, place, upto, size)
    d.tries[0] += values * size * 4
    return d.rest[0, 0] + price * q.form.budget[size], far


@borrowing
def tried_in_order(q: SharesInput, d: SharesDesk, size: int, cost: int, best: int) -> tuple[int, bool]:
    """The best profit beyond `best` of counts tried value by value, and whether that is sure."""
    values, budget, price = len(d.many), q.form.budget[size], d.price[0]
    at_price_in_order(q, d, size, price)
    place, gained, far, upto, nodes = 0, -size * cost, 0, 0, 0
    d.held[q.form.order[0]] = -1
    while place >= 0:
        v = q.form.order[place]
        h = d.held[v]
        if h >= 0:
            gained, far = gained - d.sums[v, h], far - _away(q.form, place, upto, size)
            upto -= h
        h += 1
        if h > d.many[v] or upto + h > size or nodes > q.nodes:
            place -= 1
            continue
        d.held[v] = h
        upto += h
        gained, far = gained + d.sums[v, h], far + _away(q.form, place, upto, size)
        later = d.rest[place + 1, upto]
        if far > budget or later <= NONE or gained + later + price * (budget - far) <= best:
            continue
        nodes += 1
        if place + 1 < values:
            place += 1
            d.held[q.form.order[place]] = -1
        elif gained > best:
            best = gained
            copy_row(d.held, d.best)
    d.tries[1] += nodes
    return best, nodes <= q.nodes
