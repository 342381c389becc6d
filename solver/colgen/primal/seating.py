"""People on seats, compiled: groups with given signatures, improved by exchanging people of one value.

A group has one seat for each value of its signature; a seat that stays empty is a counterfeit. Two seats of
the same value exchange who sits on them: inside a bucket (groups of one signature) always, across buckets if
neither holds somebody whose signature is given by the past. So every state has the same signatures, the same
groups and the same counterfeits, and simulated annealing looks at two numbers alone: what boxes cost, and how
many earlier groups a group shares too many people with, each at a penalty.

Two groups of a bucket may also *join*, and part again: they are published as one, with each value twice. A
larger group may share more people with earlier ones, so this saves counterfeits, and costs a larger box.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

import numpy as np

from ....models.compiled import compiled
from ....models.copying import copy_row, copy_rows
from ..covering import Geometry, Ints
from .best_seats import best_seats, changed, changed_all, kept
from .seats import People, Seats, box_of, broken_by
from .switching import Columns, switched

__all__ = ["annealed", "broken_rules"]


@compiled
def broken_rules(people: People, seats: Seats) -> Ints:
    """For each group: with how many earlier groups it, joined or not, has too many people in common."""
    found = np.zeros(len(seats.who), dtype=np.int64)
    for q in range(len(found)):
        found[q] = broken_by(people, seats.who, q, seats.mate[q])
    return found


@compiled
def annealed(
    g: Geometry,
    people: People,
    seats: Seats,
    columns: Columns,
    moves: int,
    hot: float,
    cold: float,
    penalty: float,
    seed: int,
) -> float:
    """Exchange people; `seats` and `columns` end as the best state, whose cost is returned.

    Parameters
    ----------
    columns
        Values that may change signatures, if any.
    moves
        Exchanges that are tried; it ends early where nothing is left to gain.
    hot, cold
        Temperatures in the beginning and at the end.
    penalty
        For each earlier group that shares too many.
    """
    np.random.seed(seed)
    who, mate, wide, number = seats.who, seats.mate, seats.who.shape[1], len(seats.order)
    joins = len(people.safe) > 1
    # Of joined groups the first one keeps what both cost.
    cost, wrong = np.zeros(len(who), dtype=np.int64), np.zeros(len(who), dtype=np.int64)
    now = 0.0
    for q in range(len(who)):
        if mate[q] < q and mate[q] >= 0:
            continue
        cost[q], wrong[q] = box_of(g, who, q, mate[q]), broken_by(people, who, q, mate[q])
        now += cost[q] + penalty * wrong[q]
    best, state = now, best_seats(who, mate)
    order, home, key = seats.order.copy(), columns.home.copy(), columns.key.copy()
    heat, cooling = hot, (cold / hot) ** (1.0 / max(1, moves // 256))
    for move in range(moves):
        if move % 256 == 255:
            heat *= cooling
            if best < 0.5:
                break
        change = 0.0
        if len(columns.home) and move % columns.often == 0:
            done, change = switched(g, who, seats.order, columns, cost, heat)
            if done:
                changed_all(state)
        else:
            at = np.random.randint(number)
            v, near = seats.own[at], np.random.random()
            if near < 0.5:
                other = seats.own_start[at] + np.random.randint(seats.own_end[at] - seats.own_start[at])
            else:
                other = seats.start[v] + np.random.randint(seats.start[v + 1] - seats.start[v])
            q, r = seats.order[at] // wide, seats.order[other] // wide
            if q == r or mate[q] == r:
                if not joins or mate[q] < 0 or near > 0.5:
                    continue
                first, second = min(q, mate[q]), max(q, mate[q])
                cost_q, cost_r = box_of(g, who, first, -1), box_of(g, who, second, -1)
                wrong_q, wrong_r = broken_by(people, who, first, -1), broken_by(people, who, second, -1)
                change = cost_q + cost_r - cost[first] + penalty * (wrong_q + wrong_r - wrong[first])
                if change > 0.0 and np.random.random() >= np.exp(-change / heat):
                    continue
                mate[first], mate[second] = -1, -1
                cost[first], cost[second], wrong[first], wrong[second] = cost_q, cost_r, wrong_q, wrong_r
                changed(state, first, second)
            elif joins and near < 0.05 and mate[q] < 0 and mate[r] < 0 and seats.bucket[q] == seats.bucket[r]:
                first, second = min(q, r), max(q, r)
                if wrong[first] + wrong[second] == 0:
                    continue
                cost_q, wrong_q = box_of(g, who, first, second), broken_by(people, who, first, second)
                change = cost_q - cost[first] - cost[second]
                change += penalty * (wrong_q - wrong[first] - wrong[second])
                if change > 0.0 and np.random.random() >= np.exp(-change / heat):
                    continue
                mate[first], mate[second] = second, first
                cost[first], cost[second], wrong[first], wrong[second] = cost_q, 0, wrong_q, 0
                changed(state, first, second)
            else:
                i, j = seats.order[at] % wide, seats.order[other] % wide
                one, two = who[q, i], who[r, j]
                bound = (one >= 0 and people.home[one] >= 0) or (two >= 0 and people.home[two] >= 0)
                if one == two or (bound and seats.bucket[q] != seats.bucket[r]):
                    continue
                who[q, i], who[r, j] = two, one
                x, y = q if mate[q] < 0 else min(q, mate[q]), r if mate[r] < 0 else min(r, mate[r])
                cost_q, cost_r = box_of(g, who, x, mate[x]), box_of(g, who, y, mate[y])
                change = float(cost_q + cost_r - cost[x] - cost[y])
                # What breaks no rule can only gain so much: most exchanges are refused by their boxes alone.
                if change - penalty * (wrong[x] + wrong[y]) > 20.0 * heat:
                    who[q, i], who[r, j] = one, two
                    continue
                wrong_q, wrong_r = broken_by(people, who, x, mate[x]), broken_by(people, who, y, mate[y])
                change += penalty * (wrong_q + wrong_r - wrong[x] - wrong[y])
                if change > 0.0 and np.random.random() >= np.exp(-change / heat):
                    who[q, i], who[r, j] = one, two
                    continue
                cost[x], cost[y], wrong[x], wrong[y] = cost_q, cost_r, wrong_q, wrong_r
                changed(state, q, r)
        now += change
        if now < best - 0.5:
            best = now
            if kept(state, who, mate):
                copy_row(seats.order, order)
                copy_row(columns.home, home)
                copy_row(columns.key, key)
    copy_rows(state.who, who)
    copy_row(state.mate, mate)
    copy_row(order, seats.order)
    copy_row(home, columns.home)
    copy_row(key, columns.key)
    return best
