"""Mondrian with (k, c)-anonymity for a table that grows: inference-checked, merge (Byun et al.).

checked  A cut is allowed if both sides are (k, c) and the release with it is not vulnerable to any
         inference attack (sec. 5.2, after Observation 5: "if either check fails, then we do not need to
         further partition the data"). Parts still to be cut count as groups. The source gives up a cut
         for which it would have to look at too many subsets of groups (sec. 6.2); no cut is given up here.
merge    New records are anonymized by themselves and put beside the last release (sec. 6.2, second
         paragraph). Groups stay apart even if their boxes are equal; `joined` joins those that meet.

The checked variant starts from the whole table as one group and gives up if that is vulnerable. It is
right to: merging groups makes no new difference and no record easier to trace, and one group of a
table that only grew leaves every intersection as it was. Further down it stops where a cut is
vulnerable (Observation 5), which is no proof for the multiset reading of intersection: a finer
partition may be safe again.
"""

from __future__ import annotations

import numpy as np

from ...models.errors import EngineError
from ...models.problem import Problem
from ...models.release import Release
from ..settings import Clock
from .growing import CutRelease
from .inferences import Inferences, merge_with_last, new_rows
from .mondrian import cut_rows, shares_within
from .top_down import group_of, needs_boxes, refuse_whole, tight_box_of, top_down

__all__ = ["mondrian_checked", "mondrian_merge"]


def mondrian_merge(problem: Problem, seed: int = 0, clock: Clock | None = None) -> Release:
    """Anonymize what is new, and publish the last release's groups again.

    Raises
    ------
    EngineError
        If the new records are not (k, c), and as `new_rows`.
    """
    needs_boxes(problem, "mondrian_merge")
    fresh = new_rows(problem, "mondrian_merge")
    groups = cut_rows(problem, fresh, "mondrian_merge", clock) if len(fresh) else []
    return merge_with_last(problem, groups, [tight_box_of(problem, rows) for rows in groups])


def mondrian_checked(problem: Problem, seed: int = 0, clock: Clock | None = None) -> Release:
    """Make only cuts that leave no inference attack.

    See `inferences` for the checks.

    Raises
    ------
    EngineError
        If the whole table as one group is not (k, c) or is vulnerable, or tables do not only grow.

    Notes
    -----
    Every cut that is (k, c) costs a check against each earlier release of what it changes; see `growing`.
    O(cuts x releases x tuples) at most, compiled.
    """
    needs_boxes(problem, "mondrian_checked")
    inferences = Inferences(problem, "mondrian_checked")
    shares = shares_within(problem, "mondrian_checked")
    everybody = np.arange(len(problem.table), dtype=np.int64)
    refuse_whole(shares, everybody, "mondrian_checked")
    found = inferences.first([group_of(problem, everybody)])
    if found is not None:
        raise EngineError(
            f"mondrian_checked: the whole table is vulnerable as one group ({found.requirement}: "
            f"{found.message})"
        )

    cuts = CutRelease(inferences, everybody)
    parts = top_down(problem, everybody, shares, clock, accept=cuts.made)
    return problem.assemble([rows.tolist() for rows in parts])
