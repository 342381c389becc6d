"""Values that somebody's new group has to publish: without one of them, others could be inferred.

A group that does not publish a value says that none of its members has it. Where the earlier groups, with
that much known besides, leave anybody too few values, every release that withstands has it in that member's
group: what else is published only takes worlds away. An example: 1 and 2 leave after ``{1a 2b 3a 4c}`` and
``{1a 2b 5a 6d}``, and 3 comes back. If 3 cannot have c, 4 has it; so 3's group publishes a c. Moves are
looked for among groups that do, before any is judged.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ....settings import Clock
from .arrays import NewGroups, PublishedPast
from .judge import SeriesJudge
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
    without a value has it required if they were not too many with it. A component is judged once, and once
    more for each value that the mask of one of its rows has besides its own.
    """
    people = len(past.value)
    met, found = np.zeros(people, dtype=np.int64), np.empty(people, dtype=np.int64)
    old, new = np.zeros(len(past.fakes), dtype=np.int64), np.zeros(len(nobody.size), dtype=np.int64)
    judge = SeriesJudge(past, needed, Fraction(1))
    for p in np.flatnonzero((past.place[:rows] >= 0).any(axis=1)).tolist():
        if met[p] or clock.over:
            continue
        together = np.sort(found[: linked(past, nobody, p, p + 1, met, old, new, found)])
        if len(judge.unsafe(nobody, together)):
            continue
        for q in together[together < rows].tolist():
            only, bit = int(past.only[q]), 1
            others = int(past.mask[q] & only) & ~(1 << int(past.value[q]))
            while bit <= others:
                if others & bit:
                    past.only[q] = only & ~bit
                    past.must[q] |= bit * bool(len(judge.unsafe(nobody, together)))
                bit <<= 1
            past.only[q] = only
