"""The best groups of boxes where values have to be near the table's, or mixed, at integer duals. Compiled.

A group of s tuples, n of them of a value, is *away* by ``max(0, weight[n] - s share)`` for each value, and
may be away by some budget in all (under t-closeness ``N n`` and T, if T tuples of the table's N have the
value). In a box all its tuples cost the same, so of a value it has those of the largest duals: the best
group is known by how many it has of each value. What the next tuple of a value brings falls, and what it is
away by does not; so at a price on being away the best counts are the largest gains of all (a bound, at any
price), and at the best price these are mostly close to the answer. Where they are not, counts are tried
value by value, as long as the bound of the rest at that price allows.

As in `scan`, all boxes are gone through once, and where a group pays, duals of those of its rows are lowered
that it has the largest part of: in the end none pays.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from ....models.compiled import borrowing, compiled
from ....models.copying import copy_row
from ..covering import Ints
from .desk import BestGroups, keep, lower_duals
from .ordered import at_price_in_order, tried_in_order
from .question import NONE
from .shares_question import SharesDesk, SharesForm, SharesInput

__all__ = ["walk_shares"]


@borrowing
def _put(q: SharesInput, d: SharesDesk, many: int, r: int) -> int:
    """Put the tuples of a row in their places; how many there are then."""
    x, v = q.dual[r], q.value[r]
    for _ in range(q.counts[r]):
        p = d.many[v]
        while p > 0 and q.dual[d.row[v, p - 1]] < x:
            d.row[v, p] = d.row[v, p - 1]
            p -= 1
        d.row[v, p] = r
        d.many[v] += 1
        p = many
        while p > 0 and d.order[p - 1] < x:
            d.order[p] = d.order[p - 1]
            p -= 1
        d.order[p] = x
        many += 1
    return many


@borrowing
def _joined(q: SharesInput, d: SharesDesk, r: int, most: int) -> None:
    """Raise what groups bring at most by what each tuple of a row may that was put in its place.

    The best group of a size may have it instead of the tuple that brought least. Then it has all others of
    its value with larger duals, too, and is further away by what one more than these is.
    """
    x, v = q.dual[r], q.value[r]
    last = d.many[v]
    while last > 0 and q.dual[d.row[v, last - 1]] < x:
        last -= 1
    for size in range(q.form.least, most + 1):
        if d.most[size] < -NONE:
            for times in range(last - q.counts[r] + 1, last + 1):
                further = _away(q.form, v, times, size) - _away(q.form, v, times - 1, size)
                d.most[size] += max(0, x - d.paid[size] * further - d.edge[size])


@borrowing
def _away(f: SharesForm, v: int, times: int, size: int) -> int:
    return max(0, f.weight[times] - size * f.share[v])


@borrowing
def _following(q: SharesInput, d: SharesDesk, v: int, size: int, price: int) -> int:
    """What the next tuple of a value brings at a price, after those held; `NONE` if there is none."""
    j = d.held[v]
    if j == d.many[v]:
        return NONE
    return q.dual[d.row[v, j]] - price * (_away(q.form, v, j + 1, size) - d.far[v])


@borrowing
def _at_price(q: SharesInput, d: SharesDesk, size: int, price: int) -> tuple[int, int]:
    """What a group of some size brings, at most, without its box; what the counts that say so are away by.

    These are in `held`.
    """
    if len(q.form.order):
        return at_price_in_order(q, d, size, price)
    f, values, total, far = q.form, len(d.many), 0, 0
    for v in range(values):
        d.held[v], d.far[v] = 0, 0
        d.gain[v] = _following(q, d, v, size, price)
    for _ in range(size):
        best = 0
        for v in range(1, values):
            best = v if d.gain[v] > d.gain[best] else best
        total += d.gain[best]
        d.edge[0] = d.gain[best]
        d.held[best] += 1
        d.far[best] = _away(f, best, d.held[best], size)
        d.gain[best] = _following(q, d, best, size, price)
    for v in range(values):
        far += d.far[v]
    d.tries[0] += (size + 1) * values
    return total + price * f.budget[size], far


@borrowing
def _weighed(q: SharesInput, d: SharesDesk, size: int, cost: int, prices: int) -> tuple[int, int]:
    """Profit of the best group of a size that some price shows; no group has more than the second number.

    Both are 0 if none pays. Its counts are in `best`, the best price in `price`.
    """
    lower, upper, best, least = 0, -1, 0, -NONE
    falls, low, rises, high = 0, 0, 0, 0
    price, budget = min(d.price[0], q.highest), q.form.budget[size]
    if d.most[size] < -NONE:
        price = max(1, d.paid[size])
    for _ in range(prices):
        value, far = _at_price(q, d, size, price)
        value -= size * cost
        if value < least:
            least, d.price[0] = value, max(1, price)
            if len(q.form.order) == 0:
                d.most[size], d.paid[size], d.edge[size] = value + size * cost, price, d.edge[0]
        if least <= 0:
            return 0, 0
        if far <= budget:
            own = value - price * (budget - far)
            if own > best:
                best = own
                copy_row(d.held, d.best)
            upper, rises, high = price, budget - far, value
        else:
            lower, falls, low = price, budget - far, value
        if least <= best or upper == 0 or lower == q.highest or (upper >= 0 and upper - lower <= 1):
            break
        if upper < 0:
            price = min(q.highest, 2 * price + 1)
        elif falls == 0:
            price = upper // 2
        else:
            # Between two prices what is brought is above both lines there, whose slopes are known.
            price = lower + (high - low - rises * (upper - lower)) // (falls - rises)
            if low + falls * (price + 1 - lower) > max(0, best):
                break  # no price shows more
            price = min(max(price, lower + 1), upper - 1)
    return best, least


@borrowing
def _merged(
    line: Ints, many: int, own: Ints, there: int, price: int, away: Ints, into: Ints, size: int
) -> int:
    """What the best tuples of two lots are worth together, so many of them; how many there are, up to `size`.

    Lots are given by sums over their best tuples; of the second these are less what a price takes.
    """
    i, j, total = 0, 0, 0
    into[0] = 0
    while i + j < size and (i < many or j < there):
        one = line[i + 1] - line[i] if i < many else NONE
        other = own[j + 1] - own[j] - price * (away[j + 1] - away[j]) if j < there else NONE
        if one >= other:
            total += one
            i += 1
        else:
            total += other
            j += 1
        into[i + j] = total
    return i + j


@borrowing
def _prepared(q: SharesInput, d: SharesDesk, size: int) -> None:
    """Sums over the best tuples of each value, and bounds on those of it and later ones together."""
    values, price = len(d.many), d.price[0]
    d.rest[values, 0] = d.near[values, 0] = d.room[values] = 0
    for v in range(values - 1, -1, -1):
        there = d.many[v]
        for j in range(there):
            d.sums[v, j + 1] = d.sums[v, j] + q.dual[d.row[v, j]]
            d.away[v, j + 1] = _away(q.form, v, j + 1, size)
        later = d.room[v + 1]
        d.room[v] = _merged(d.rest[v + 1], later, d.sums[v], there, price, d.away[v], d.rest[v], size)
        _merged(d.near[v + 1], later, d.none, there, 1, d.away[v], d.near[v], size)


@borrowing
def _tried(q: SharesInput, d: SharesDesk, size: int, cost: int, best: int) -> tuple[int, bool]:
    """The best profit beyond `best` of counts tried value by value, and whether that is sure."""
    values, price, budget = len(d.many), d.price[0], q.form.budget[size]
    v, gained, far, taken, nodes = 0, -size * cost, 0, 0, 0
    d.held[0] = -1
    while v >= 0:
        h = d.held[v]
        if h >= 0:
            gained, far, taken = gained - d.sums[v, h], far - d.away[v, h], taken - h
        h += 1
        if h > d.many[v] or taken + h > size or far + d.away[v, h] > budget or nodes > q.nodes:
            v -= 1
            continue
        d.held[v] = h
        gained, far, taken = gained + d.sums[v, h], far + d.away[v, h], taken + h
        left = size - taken
        if left > d.room[v + 1] or far - d.near[v + 1, left] > budget:
            continue
        if gained + d.rest[v + 1, left] + price * (budget - far) <= best:
            continue
        nodes += 1
        if v + 1 < values:
            v += 1
            d.held[v] = -1
        elif gained > best:
            best = gained
            copy_row(d.held, d.best)
    d.tries[1] += nodes
    return best, nodes <= q.nodes


@borrowing
def _best_of_size(q: SharesInput, d: SharesDesk, size: int, cost: int) -> tuple[int, int]:
    """Profit of a group of some size, 0 if none pays; at most as much as any has, 0 if that is sure.

    If the search was too long, the second is above 0, and no group's profit is above it.
    """
    best, most = _weighed(q, d, size, cost, q.prices)
    if most <= best:
        return best, 0
    if len(q.form.order):
        best, sure = tried_in_order(q, d, size, cost, best)
    else:
        _prepared(q, d, size)
        best, sure = _tried(q, d, size, cost, best)
    return best, 0 if sure else most


@borrowing
def _tops(q: SharesInput, d: SharesDesk, c: int) -> int:
    """What groups of a cell bring, by size; the largest size that could pay at what the cell costs."""
    many, total, most, cost = 0, 0, 0, q.scale * q.grid.cost[c]
    d.many[:] = 0
    for e in range(q.grid.start[c], q.grid.start[c + 1]):
        many = _put(q, d, many, q.grid.row[e])
    d.top[: many + 1] = NONE
    for size in range(1, many + 1):
        total += d.order[size - 1]
        if total <= size * cost:
            break  # further tuples bring less still
        if size < q.form.least:
            continue
        bring = _weighed(q, d, size, cost, q.prices_of_cell)[1]
        if bring > 0:
            d.top[size], most = bring + size * cost, size
    return most


@borrowing
def _hopeless(q: SharesInput, d: SharesDesk, most: int, cost: int) -> bool:
    """Whether no group of the cell could pay at a cost per tuple."""
    hopeless = True
    for size in range(q.form.least, most + 1):
        hopeless = hopeless and d.top[size] <= size * cost
    return hopeless


@borrowing
def _settled(q: SharesInput, d: SharesDesk, at: int, end: int, cost: int, found: BestGroups) -> int:
    """Lower duals until no group of an interval pays, and keep those that did; searches cut short."""
    g, short, size, total, many = q.grid, 0, 0, 0, 0
    for v in range(len(d.many)):
        many += d.many[v]
    while size < many:
        total += d.order[size]
        size += 1
        if total <= size * cost:
            break  # further tuples bring less still
        if size < q.form.least or min(d.top[size], d.most[size]) <= size * cost:
            continue
        profit, most = _best_of_size(q, d, size, cost)
        if profit > 0:
            held = 0
            for v in range(len(d.many)):
                for j in range(d.best[v]):
                    d.group[held] = d.row[v, j]
                    held += 1
            lower_duals(d.group, size, d.times, q.counts, profit, q.dual)
            if size <= found.member.shape[2]:
                keep(found, d.group, size, profit)
        elif most > 0:
            short += 1
            for e in range(at, end):
                q.dual[g.row[e]] -= -(-most // size)
        else:
            continue
        size, total, many = 0, 0, 0
        d.many[:] = 0
        for e in range(at, end):
            many = _put(q, d, many, g.row[e])
    return short


@compiled
def walk_shares(q: SharesInput, cells: Ints, d: SharesDesk, found: BestGroups) -> int:
    """Go through some cells, lowering the question's duals until no group pays; searches cut short.

    Groups that did pay are kept. O(intervals x sizes that could pay x tuples), but for counts that are tried.
    """
    g, short = q.grid, 0
    for c in cells:
        most, at, end = _tops(q, d, c), g.start[c], g.start[c + 1]
        while most > 0 and at < end:
            a, i, many, following = g.code[g.row[at]], at, 0, at
            while following < end and g.code[g.row[following]] == a:
                following += 1
            d.many[:] = 0
            d.most[: most + 1] = -NONE
            while i < end:
                b = g.code[g.row[i]]
                cost = q.scale * (g.cost[c] + g.weight * (b - a))
                if _hopeless(q, d, most, cost):
                    break
                while i < end and g.code[g.row[i]] == b:
                    many = _put(q, d, many, g.row[i])
                    _joined(q, d, g.row[i], most)
                    i += 1
                short += _settled(q, d, at, i, cost, found)
            at = following
    return short
