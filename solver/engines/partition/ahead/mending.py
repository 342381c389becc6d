"""Groups that meet earlier ones too often, although penalties rose: few people are seated anew."""

from __future__ import annotations

import numpy as np

from ....colgen.covering import Geometry, Ints
from ....colgen.primal.seating import annealed, broken_rules
from ....colgen.primal.seats import People, Seats
from ....colgen.primal.switching import Columns
from .limits import AHEAD as LIMITS
from .seats import no_columns, part_of, put_back, without_boxes

__all__ = ["mended"]


def mended(
    geometry: Geometry, people: People, seats: Seats, columns: Columns, moves: int, start: float, seed: int
) -> bool:
    """Whether nothing is forbidden any more, after exchanges that look at nothing else, and then at both.

    A family has as many groups of each bucket as `needs` found to be enough, so mostly there is a way. Inside
    the buckets that are forbidden first, all others keep their seats; then with some others, and more. With
    all of them only if they are few: of many exchanges hardly one would be of a group that is forbidden.
    """
    wrong = broken_rules(people, seats) > 0
    chosen = np.isin(seats.bucket, seats.bucket[wrong])
    order = np.random.default_rng(seed).permutation(np.unique(seats.bucket))
    while not chosen.all():
        part, share = part_of(seats, chosen), float(chosen.mean())
        if _anew(geometry, people, part, no_columns(), int(moves * share), start, seed):
            put_back(seats, chosen, part)
            return True
        wider = LIMITS.mend_wider * int(chosen.sum())
        if len(chosen) > LIMITS.mend_groups < wider:
            return False
        chosen |= np.isin(seats.bucket, _first(seats.bucket, order, wider))
    return _anew(geometry, people, seats, columns, moves, start, seed)


def _first(bucket: Ints, order: Ints, groups: int) -> Ints:
    """As many buckets, in an order, as have so many groups."""
    sizes = np.bincount(bucket)[order]
    return order[: int(np.searchsorted(np.cumsum(sizes), groups)) + 1]


def _anew(
    geometry: Geometry, people: People, seats: Seats, columns: Columns, moves: int, start: float, seed: int
) -> bool:
    """Whether exchanges that look at what is forbidden alone end it, and keep it so with boxes."""
    flat, number = without_boxes(geometry), len(seats.who) * LIMITS.need_moves
    annealed(flat, people, seats, no_columns(), number, LIMITS.need_hot, LIMITS.need_cold, 1.0, seed)
    if broken_rules(people, seats).any():
        return False
    heat, cold = start * LIMITS.warm, start * LIMITS.cold
    annealed(geometry, people, seats, columns, moves // 2, heat, cold, start * LIMITS.dear, seed)
    return not broken_rules(people, seats).any()
