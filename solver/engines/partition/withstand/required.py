"""Values that somebody's new group has to publish: without one of them, others could be inferred.

A group that does not publish a value says that none of its members has it. Where the earlier groups, with
that much known besides, leave anybody too few values, every release that withstands has it in that member's
group: what else is published only takes worlds away. An example: 1 and 2 leave after ``{1a 2b 3a 4c}`` and
``{1a 2b 5a 6d}``, and 3 comes back. If 3 cannot have c, 4 has it; so 3's group publishes a c. Moves are
looked for among groups that do, before any is judged.
"""

from __future__ import annotations

import numpy as np

from ....baselines.widths import Ints
from ....settings import Clock
from .arrays import NewGroups, PublishedPast
from .component import LinkedCells, linked_cells, told
from .counting import counted, room_for
from .limits import WITHSTAND_LIMITS as LIMITS
from .moves import linked

__all__ = ["require"]


def require(past: PublishedPast, nobody: NewGroups, rows: int, needed: int, clock: Clock) -> None:
    """Fill in `past.must` for rows, component by component, until the clock is over.

    Parameters
    ----------
    past : PublishedPast
        Changed in place.
    nobody : NewGroups
        Without members.
    rows, needed : int
        Rows of the table, and values that everybody keeps.
    clock : Clock

    Notes
    -----
    As in the judge, what is not known counts as unsafe: a component with too many worlds to be counted
    without a value has it required if they were not too many with it.
    """
    people = len(past.value)
    met, found = np.zeros(people, dtype=np.int64), np.empty(people, dtype=np.int64)
    old, new = np.zeros(len(past.fakes), dtype=np.int64), np.zeros(len(nobody.size), dtype=np.int64)
    number = np.full(len(past.fakes) + people, -1, dtype=np.int64)
    room = room_for(LIMITS.steps_counted, LIMITS.slots, past.counts.shape[1])

    def unsafe(together: Ints) -> bool:
        cells: LinkedCells = linked_cells(past, nobody, together, number)
        bad = told(cells, needed, 1, 1)
        if not bad.any() and (cells.lower < cells.upper).any():
            bad = counted(cells, needed, 1, 1, room)
        return bool(bad.any())

    for p in np.flatnonzero((past.place[:rows] >= 0).any(axis=1)).tolist():
        if met[p] or clock.over:
            continue
        together = np.sort(found[: linked(past, nobody, p, p + 1, met, old, new, found)])
        if len(together) > LIMITS.people[1] or unsafe(together):
            continue
        for q in together[together < rows].tolist():
            only, bit = int(past.only[q]), 1
            others = int(past.mask[q] & only) & ~(1 << int(past.value[q]))
            while bit <= others:
                if others & bit:
                    past.only[q] = only & ~bit
                    past.must[q] |= bit * unsafe(together)
                bit <<= 1
            past.only[q] = only
