"""Counterfeits as the last means of repair: in groups with people who can be inferred, as few as help.

A group says how many of its tuples are invented, not which: so a value that it publishes may be nobody's, and
whoever left it, or came, may have had any of them. A counterfeit is published where that leaves fewest people
who can be inferred; where none helps, two are looked for. In the end those are taken away without which
nobody can be inferred either.
"""

from __future__ import annotations

from itertools import combinations_with_replacement

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
        idle += 1
        linked = _linked(chain)
        if not len(linked):
            continue
        g = int(chain.random.choice(linked))
        for many in range(1, 1 + min(2, chain.invented - chain.fakes)):
            ways = list(combinations_with_replacement(values, many))
            fewer = [chain.fewer_with(g, way) for way in ways]
            if max(fewer) > 0 and chain.invents(g, ways[fewer.index(max(fewer))], 1):
                idle = 0
                break
    if chain.inferred:
        chain.begin(home)
        return
    for g, v in np.argwhere(chain.groups.faked).tolist():
        while chain.groups.faked[g, v] and chain.invents(g, [v], -1):
            pass


def _linked(chain: SafeGroups) -> Ints:
    """Groups that those of all releases link to one who can be inferred."""
    who = sorted(chain.inferred)
    chain.judge.inferred(chain.groups, [who[int(chain.random.integers(len(who)))]])
    return np.flatnonzero(chain.judge.met_groups[: len(chain.groups.size)] & (chain.groups.size > 0))
