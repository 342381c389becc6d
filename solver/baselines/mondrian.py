"""Mondrian with (k, c)-anonymity, every release by itself (static: Byun et al.).

A cut is allowed if both sides are (k, c) (sec. 6.2, first paragraph: Mondrian "modified" to be a static
(k, c)-anonymization algorithm).
"""

from __future__ import annotations

import numpy as np

from ...models.problem import Problem
from ...models.release import Release
from ...models.requirements.k_c_anonymity import KCAnonymity
from ..settings import Clock
from .parameters import parameters
from .top_down import Rows, SharesWithin, refuse_whole, top_down

__all__ = ["cut_rows", "mondrian_relaxed", "mondrian_static", "shares_within"]


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


def cut_rows(
    problem: Problem, rows: Rows, baseline: str, clock: Clock | None, *, relaxed: bool = False
) -> list[Rows]:
    """Mondrian's parts of some rows.

    Raises
    ------
    EngineError
        If the rows are not (k, c) together.
    """
    shares = shares_within(problem, baseline)
    refuse_whole(shares, rows, baseline)
    return top_down(problem, rows, shares, clock, relaxed=relaxed)


def shares_within(problem: Problem, baseline: str) -> SharesWithin:
    """Counts of sides of cuts, judged by the policy's `KCAnonymity`."""
    asked = parameters(problem, KCAnonymity, baseline)
    return SharesWithin(problem, asked.k, asked.c)
