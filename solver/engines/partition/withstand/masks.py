"""Who is left too few values by each person's groups alone: a judge for the way to a start that is repaired.

A member of a new group has a mask: the values that all earlier groups of that person publish. The group is
admissible if it meets the masks of all its members in as many values as are needed, and publishes what is
required of them (`required`). This sees no other conclusion that takes several people, so it decides nothing;
but it is judged within the groups that change, without a component, and more than half of what a release
without the demand gives away is of this kind.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .....models.compiled import compiled
from ....baselines.widths import Ints
from .arrays import NewGroups, PublishedPast, short

__all__ = ["MaskJudge"]


class MaskJudge:
    """Members of groups that meet their masks in too few values.

    Parameters
    ----------
    past : PublishedPast
    needed : int
        Values that everybody keeps.
    """

    def __init__(self, past: PublishedPast, needed: int) -> None:
        self.past, self.needed = past, needed
        self._met = np.zeros(0, dtype=np.bool_)

    @property
    def met_groups(self) -> np.ndarray:
        """Which groups of the new release were asked for last."""
        return self._met

    def inferred(self, groups: NewGroups, seeds: Sequence[int], most: int | None = None) -> list[int] | None:
        """Who is short of values in the groups of some people; None once there are more than `most`."""
        self._met = np.zeros(len(groups.size), dtype=np.bool_)
        found = _short(self.past, groups, np.array(seeds, dtype=np.int64), self.needed, self._met)
        return None if most is not None and len(found) > most else found.tolist()


@compiled
def _short(past: PublishedPast, groups: NewGroups, seeds: Ints, needed: int, met: np.ndarray) -> Ints:
    """The people short of values in groups of others; `met` is set for these groups."""
    found, count = np.empty(len(past.value), dtype=np.int64), 0
    for p in seeds:
        g = groups.of[p]
        if g < 0 or met[g]:
            continue
        met[g] = True
        for i in range(groups.size[g] if groups.short[g] > 0 else 0):
            q = groups.member[g, i]
            if short(past, q, groups.mask[g], needed) > 0:
                found[count] = q
                count += 1
    return found[:count]
