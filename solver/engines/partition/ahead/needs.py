"""How many groups each bucket needs so that its people can be seated as earlier groups allow.

At least as many as its most frequent value; then people exchange seats until no rule is broken, and
where that does not succeed there is one more group. What is found is enough, it need not be least.
"""

from __future__ import annotations

import numpy as np

from ....colgen.covering import Geometry, Ints
from ....colgen.primal.seating import annealed, broken_rules
from ....settings import Clock
from .limits import AHEAD as LIMITS
from .people import Crowd
from .seated import seats_of

__all__ = ["needs"]


def needs(crowd: Crowd, seed: int, clock: Clock) -> Ints:
    """Groups that are enough for each bucket, vacancies filled by people without a past."""
    rules = crowd.types.rules
    found = rules.fewest.copy()
    old = crowd.types.rows.geometry
    flat = Geometry(old.codes[:, :0], old.weight[:0], old.tree[:0], old.side[:0], old.table)
    for b, signature in enumerate(rules.signatures):
        columns = [np.flatnonzero((rules.home == b) & (crowd.value == v)).tolist() for v in signature]
        while found[b] < LIMITS.most_groups * max(1, max(map(len, columns))) and not clock.over:
            groups = [
                [column[g] if g < len(column) else -1 for column in columns] for g in range(int(found[b]))
            ]
            seats = seats_of(groups, [b] * len(groups), [signature])
            moves = LIMITS.need_moves * len(groups)
            annealed(flat, crowd.people, seats, moves, 0.3, 0.1, 1.0, seed)
            if not broken_rules(crowd.people, seats).any():
                break
            found[b] += 1
    return found
