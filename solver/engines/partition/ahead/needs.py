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
from .seats import no_columns, seats_of, without_boxes

__all__ = ["needs"]


def needs(crowd: Crowd, seed: int, clock: Clock) -> Ints:
    """Groups that are enough for each bucket, vacancies filled by people without a past."""
    rules = crowd.types.rules
    found = rules.fewest.copy()
    flat = without_boxes(crowd.geometry)
    for b, signature in enumerate(rules.signatures):
        columns = [np.flatnonzero((rules.home == b) & (crowd.value == v)).tolist() for v in signature]
        while found[b] < LIMITS.most_groups * max(1, max(map(len, columns))) and not clock.over:
            if _may_sit(crowd, flat, columns, b, int(found[b]), seed):
                break
            found[b] += 1
    return found


def _may_sit(
    crowd: Crowd, flat: Geometry, columns: list[list[int]], bucket: int, number: int, seed: int
) -> bool:
    """Whether the bucket's people are found to fit into so many groups; more exchanges each time."""
    signature = crowd.types.rules.signatures[bucket]
    groups = [[column[g] if g < len(column) else -1 for column in columns] for g in range(number)]
    hot, cold = LIMITS.need_hot, LIMITS.need_cold
    for attempt in range(LIMITS.need_tries if number > 1 else 1):
        seats, moves = seats_of(groups, [bucket] * number, [signature]), LIMITS.need_moves * number << attempt
        annealed(flat, crowd.people, seats, no_columns(), moves, hot, cold, 1.0, seed + attempt)
        if not broken_rules(crowd.people, seats).any():
            return True
    return False
