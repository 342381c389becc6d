"""People who tell of others are taken out of the release, and put back one by one where they do not.

Taking out whole groups comes to an end without anybody who can be inferred, if the earlier releases alone
give nobody away: a release without groups tells nothing. Single people who were published before are tried
first: they are what links groups. What was taken out last comes back first, as far as that tells nothing, the
others to groups nearby. Who finds no place makes room: the people of a group nearby are taken out, too, and
all look for places again, or two groups are made one that has a place. What is left then is left out, as far
as the policy allows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....settings import Clock
from .chain import SafeGroups
from .limits import WITHSTAND_LIMITS as LIMITS

__all__ = ["leave_out"]


def leave_out(chain: SafeGroups, clock: Clock) -> None:
    """Take out and put back until nobody can be inferred and no more are left out than may be."""
    taken = list[tuple[int, list[int]]]()
    while chain.inferred and not clock.over:
        group = _telling(chain)
        if not group:
            return
        g, linking = int(chain.groups.of[group[0]]), _linking(chain, group)
        gone = next((p for p in linking if chain.leaves([p])), None)
        if gone is None:
            chain.leaves(group, anyway=True)
        taken.append((g, list(group) if gone is None else [gone]))
    for g, people in reversed(taken):
        if not chain.inferred:
            _put_back(chain, g, people)
    idle = 0
    while not chain.inferred and len(chain.outside) and not clock.over:
        home, out = chain.groups.of.copy(), chain.outside
        if idle:
            # All around somebody may be left out; then it is one of the other groups, if there are any.
            near = _near(chain, int(chain.random.choice(out))) or np.flatnonzero(chain.groups.size).tolist()
            if not near:
                return
            g = near[int(chain.random.integers(len(near)))]
            chain.leaves(chain.groups.member[g, : chain.groups.size[g]].tolist(), anyway=True)
        for p in chain.random.permutation(chain.outside).tolist():
            near = _near(chain, p)
            if not chain.returns(p, near) and idle % LIMITS.joining == LIMITS.joining - 1:
                chain.joins(p, near[: LIMITS.joined])
        if chain.inferred or len(chain.outside) > len(out):
            chain.restore(home)
        idle = 1 if len(chain.outside) < len(out) else idle + 1
        if len(chain.outside) <= chain.allowed and idle > LIMITS.idle:
            return


def _linking(chain: SafeGroups, people: Sequence[int]) -> list[int]:
    """Those who were published before."""
    return [p for p in people if (chain.past.place[p] >= 0).any()]


def _put_back(chain: SafeGroups, g: int, people: Sequence[int]) -> None:
    """Put people back into their group: all, all but one of those who link groups, or who link none."""
    linking = _linking(chain, people)
    parts = [
        people,
        *([p for p in people if p != q] for q in linking),
        [p for p in people if p not in linking],
    ]
    any(part and chain.enter(part, g) for part in parts)


def _near(chain: SafeGroups, p: int) -> list[int]:
    """Groups that rows near a row are in."""
    near = chain.groups.of[chain.near[p]]
    return list(dict.fromkeys(near[near >= 0].tolist()))[: LIMITS.homes]


def _telling(chain: SafeGroups) -> Sequence[int]:
    """The people of a group that has to do with somebody who can be inferred; nobody if there is none."""
    groups = chain.groups
    for p in sorted(chain.inferred):
        g = int(groups.of[p])
        if g < 0:
            rows = chain.linked_rows(p)
            g = int(groups.of[rows[0]]) if len(rows) else -1
        if g >= 0:
            return groups.member[g, : groups.size[g]].tolist()
    return []
