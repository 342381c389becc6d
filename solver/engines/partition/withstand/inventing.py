"""Counterfeits as the last means of repair: in groups with people who can be inferred, as few as help.

A group says how many of its tuples are invented, not which: so a value that it publishes may be nobody's, and
whoever left it, or came, may have had any of them. A counterfeit is published where that leaves fewest people
who can be inferred. In the end those are taken away without which nobody can be inferred either.
"""

from __future__ import annotations

import numpy as np

from ....baselines.widths import Ints
from ....settings import Clock
from .chain import SafeGroups
from .limits import WITHSTAND_LIMITS as LIMITS

__all__ = ["invent"]


def invent(chain: SafeGroups, clock: Clock) -> None:
    """Add counterfeits until nobody can be inferred, no more are allowed, none helps, or the clock is over.

    If that fails all are taken away again.
    """
    home, values, idle = chain.groups.of.copy(), np.unique(chain.past.value).tolist(), 0
    while chain.inferred and chain.fakes < chain.invented and idle < LIMITS.idle and not clock.over:
        linked = _linked(chain)
        g = int(chain.random.choice(linked)) if len(linked) else -1
        fewer, v = max((chain.fewer_with(g, v), -v) for v in values) if g >= 0 else (0, 0)
        idle = 0 if fewer > 0 and chain.invents(g, -v, 1) else idle + 1
    if chain.inferred:
        chain.begin(home)
        return
    for g, v in np.argwhere(chain.groups.faked).tolist():
        while chain.groups.faked[g, v] and chain.invents(g, v, -1):
            pass


def _linked(chain: SafeGroups) -> Ints:
    """Groups that those of all releases link to one who can be inferred."""
    who = sorted(chain.inferred)
    chain.judge.inferred(chain.groups, [who[int(chain.random.integers(len(who)))]])
    return np.flatnonzero(chain.judge.met_groups[: len(chain.groups.size)] & (chain.groups.size > 0))
