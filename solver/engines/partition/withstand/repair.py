"""The last people who can be inferred: groups near them change until nobody can be.

What is done is worth a price per person that is low at first, so that cheap changes come before dear ones,
and grows where nothing helps: moves and new groupings, then joining groups, because a release of fewer
groups tells less. At the highest price groups are joined whatever that costs. So this comes to an end, at the
latest with groups too large to be judged.
"""

from __future__ import annotations

from ....settings import Clock
from .anneal import SafeAnnealing
from .limits import WITHSTAND_LIMITS as LIMITS

__all__ = ["repair"]


def repair(chain: SafeAnnealing, clock: Clock) -> None:
    """Change groups until nobody can be inferred, nothing is left to join, or the clock is over."""
    mean = chain.cost / max(1, int((chain.groups.size > 0).sum()))
    factor, idle = LIMITS.modest, 0
    while chain.inferred and not clock.over:
        before, p, price = len(chain.inferred), chain.aimed_row(), max(1, int(factor * mean))
        chain.attempt(p, LIMITS.warm * factor * mean, price)
        idle = 0 if len(chain.inferred) < before else idle + 1
        if idle < LIMITS.idle:
            continue
        idle = 0
        if any(chain.join(chain.aimed_row(), price) for _ in range(min(LIMITS.idle, len(chain.inferred)))):
            continue
        factor = min(LIMITS.dearer * factor, LIMITS.dear)
        if factor == LIMITS.dear and not chain.join(chain.aimed_row(), int(factor * mean), anyway=True):
            return
