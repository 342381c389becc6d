"""The last people who can be inferred: groups near them change until nobody can be.

Moves and new groupings that leave fewer people are made, first those that cost little; the price of a person
is doubled where none is found. At the end of that, a group is joined with a near one: a release of fewer
groups tells less. So this comes to an end, at the latest with groups too large to be judged.
"""

from __future__ import annotations

from ....settings import Clock
from .anneal import SafeAnnealing
from .limits import WITHSTAND_LIMITS as LIMITS

__all__ = ["repair"]


def repair(chain: SafeAnnealing, clock: Clock) -> None:
    """Change groups until nobody can be inferred, nothing is left to join, or the clock is over."""
    mean = chain.cost / max(1, int((chain.groups.size > 0).sum()))
    factor, idle = LIMITS.heavy, 0
    while chain.inferred and not clock.over:
        before, p = len(chain.inferred), chain.aimed_row()
        chain.attempt(p, LIMITS.warm * factor * mean, int(factor * mean))
        idle = 0 if len(chain.inferred) < before else idle + 1
        if idle < LIMITS.idle:
            continue
        idle = 0
        if chain.join(p):
            continue
        factor = min(2 * factor, LIMITS.dear)
        if factor == LIMITS.dear and not chain.join(chain.aimed_row(), anyway=True):
            return
