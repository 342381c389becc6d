"""Mondrian's strict multidimensional cuts (LeFevre, DeWitt, Ramakrishnan), under any test.

A part is cut at the median of one quasi-identifier: tuples up to the median to the left, the others
to the right. The quasi-identifier with the widest range (as a share of its domain) that has an
allowed cut is taken. Parts without one are groups. This is the greedy algorithm "Anonymize" for strict
partitioning of LeFevre, DeWitt and Ramakrishnan, Mondrian Multidimensional k-Anonymity, ICDE 2006
(choose dimension, find median, left ``<=``, right ``>``), with their heuristic of the widest normalized
range; Byun et al. (sec. 5.2) describe it in the same words. The test is a parameter here.

Readings. The median of an even number of codes is the lower one; a cut with an empty right side is
none. Categories are cut in the order of their codes (leaves of a hierarchy in depth-first order);
their range is that of the published cell. Of equal ranges the first attribute is taken.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...models.box import Box
from ...models.errors import EngineError
from ...models.problem import Problem
from ...models.release import QIGroup
from ..settings import Clock
from .parameters import Perimeter

__all__ = ["Accept", "Rows", "SharesWithin", "group_of", "needs_boxes", "tight_box_of", "top_down"]

Rows: TypeAlias = NDArray[np.int64]

Accept: TypeAlias = Callable[[Rows, Rows, Rows], bool]
"""Whether a part may be cut into a left and a right one; after a yes the cut is made."""


def top_down(problem: Problem, rows: Rows, accept: Accept, clock: Clock | None = None) -> list[Rows]:
    """Cut some rows until no cut is allowed; the clock is asked at every part.

    O(d n log n) for d quasi-identifiers and balanced cuts, plus the verdicts.
    """
    codes, perimeter = problem.table.codes, Perimeter(problem.table.domains)
    clock = clock or Clock()
    done: list[Rows] = []
    pending = [rows]
    while pending:
        clock.ask()
        part = pending.pop()
        ends = zip(codes[part].min(axis=0).tolist(), codes[part].max(axis=0).tolist(), strict=True)
        widths = [perimeter.side(a, lo, hi) for a, (lo, hi) in enumerate(ends)]
        for a in sorted(range(len(widths)), key=lambda a: -widths[a]):
            column = codes[part, a]
            at = (len(part) - 1) // 2
            low = column <= np.partition(column, at)[at]
            left, right = part[low], part[~low]
            if len(right) and accept(part, left, right):
                pending += [right, left]
                break
        else:
            done.append(part)
    return done


class SharesWithin:
    """The (k, c) test of sets of rows: at least k, and no value with a larger share than c.

    Parameters
    ----------
    problem : Problem
    k : int
    c : Fraction
    """

    def __init__(self, problem: Problem, k: int, c: Fraction = Fraction(1)) -> None:
        self.k, self.c = k, c
        _, self.values = np.unique([m.value for m in problem.table.members], return_inverse=True)

    def holds(self, rows: Rows) -> bool:
        """Whether the rows could be a group."""
        if len(rows) < self.k:
            return False
        largest = int(np.bincount(self.values[rows]).max())
        return largest <= self.c * len(rows)


def tight_box_of(problem: Problem, rows: Rows) -> Box:
    """The tightest box over some rows."""
    codes = problem.table.codes[rows]
    ends = zip(codes.min(axis=0).tolist(), codes.max(axis=0).tolist(), strict=True)
    return tuple(d.cell(lo, hi) for d, (lo, hi) in zip(problem.table.domains, ends, strict=True))


def group_of(problem: Problem, rows: Rows, box: Box | None = None) -> QIGroup:
    """Some rows as a group, in the tightest box unless one is given."""
    boxed = problem.policy.form == "generalized"
    return QIGroup(
        members=tuple(problem.table.members[row] for row in rows.tolist()),
        box=(box or tight_box_of(problem, rows)) if boxed else None,
    )


def needs_boxes(problem: Problem, baseline: str) -> None:
    """Refuse a policy that publishes no boxes."""
    if problem.policy.form != "generalized":
        raise EngineError(f"{baseline} generalizes: use form 'generalized' with it")
