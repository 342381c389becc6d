"""Mondrian with (k, c)-anonymity for a table that grows: static, inference-checked, merge (Byun et al.).

static   Every release by itself: a cut is allowed if both sides are (k, c) (sec. 6.2, first paragraph:
         Mondrian "modified" to be a static (k, c)-anonymization algorithm).
checked  A cut is allowed if, besides, the release with it is not vulnerable to any inference
         attack (sec. 5.2, after Observation 5: "if either check fails, then we do not need to further
         partition the data"). Parts still to be cut count as groups. The source gives up a cut
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
from ...models.requirements.k_c_anonymity import KCAnonymity
from ..settings import Clock
from .growing import CutRelease
from .inferences import Inferences, merge_with_last, new_rows
from .parameters import parameters
from .top_down import Rows, SharesWithin, group_of, needs_boxes, refuse_whole, tight_box_of, top_down

__all__ = ["cut_rows", "mondrian_checked", "mondrian_merge", "mondrian_relaxed", "mondrian_static"]


def mondrian_static(problem: Problem, seed: int = 0, clock: Clock | None = None) -> Release:
    """Anonymize the whole table without regard to the history.

    The policy's `KCAnonymity` gives k and c.

    Raises
    ------
    EngineError
        If the whole table is not (k, c).
    """
    everybody = np.arange(len(problem.table), dtype=np.int64)
    return problem.assemble(
        [rows.tolist() for rows in cut_rows(problem, everybody, "mondrian_static", clock)]
    )


def mondrian_relaxed(problem: Problem, seed: int = 0, clock: Clock | None = None) -> Release:
    """Anonymize the whole table without regard to the history, parting equal tuples where it helps.

    Raises
    ------
    EngineError
        If the whole table is not (k, c).
    """
    everybody = np.arange(len(problem.table), dtype=np.int64)
    parts = cut_rows(problem, everybody, "mondrian_relaxed", clock, relaxed=True)
    return problem.assemble([rows.tolist() for rows in parts])


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
    shares = _shares(problem, "mondrian_checked")
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


def cut_rows(
    problem: Problem, rows: Rows, baseline: str, clock: Clock | None, *, relaxed: bool = False
) -> list[Rows]:
    """Mondrian's parts of some rows.

    Raises
    ------
    EngineError
        If the rows are not (k, c) together.
    """
    shares = _shares(problem, baseline)
    refuse_whole(shares, rows, baseline)
    return top_down(problem, rows, shares, clock, relaxed=relaxed)


def _shares(problem: Problem, baseline: str) -> SharesWithin:
    asked = parameters(problem, KCAnonymity, baseline)
    return SharesWithin(problem, asked.k, asked.c)
