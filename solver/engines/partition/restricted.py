"""HiGHS' branch and bound over listed groups: good releases, and a bound as good as floating point."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, isfinite
from typing import Any, cast

import highspy  # pyright: ignore[reportMissingTypeStubs]
import numpy as np

from .cuts import Cuts
from .master import Group, group_costs, quiet_solver
from .rows import Rows

__all__ = ["best_of"]

TOLERANCE = 1e-6
"""Relative."""


def best_of(
    rows: Rows,
    cuts: Cuts,
    groups: Sequence[Group],
    start: Sequence[Group] | None,
    *,
    nodes: int,
    seed: int,
    seconds: float | None,
) -> tuple[tuple[Group, ...] | None, int]:
    """The cheapest release of some groups that was found (or None), and the solver's bound on all of them.

    Parameters
    ----------
    groups
        To choose from; those of `start` are added.
    start
        A release to improve on.
    nodes, seed, seconds
        Limits and seed of the solver; the same limits give the same answer unless time runs out.

    Notes
    -----
    The bound is taken `TOLERANCE` lower than stated, the solver's own precision. It is not a proof.
    """
    known = list(dict.fromkeys([*groups, *(start or ())]))
    costs = np.array(group_costs(rows, known), dtype=float)
    unit = max(1.0, costs.sum() / max(1, len(known)))
    columns = [
        ([*set(group), *(len(rows) + c for c in met)], [*(group.count(r) for r in set(group)), *met.values()])
        for group in known
        for met in [cuts.coefficients(group)]
    ]
    solver = quiet_solver()
    for option, value in (
        ("mip_max_nodes", nodes),
        ("random_seed", seed),
        ("mip_rel_gap", 0.0),
        ("time_limit", 1e9 if seconds is None else max(0.1, seconds)),
    ):
        solver.setOptionValue(option, value)
    lp = cast("Any", highspy.HighsLp())
    lp.num_col_, lp.num_row_ = len(known), len(rows) + len(cuts)
    lp.col_cost_ = costs / unit
    lp.col_lower_, lp.col_upper_ = np.zeros(len(known)), np.full(len(known), float(rows.count.max()))
    exactly, limit = rows.count.astype(float), cuts.limit.astype(float)
    lp.row_lower_ = np.concatenate([exactly, np.full(len(cuts), -highspy.kHighsInf)])
    lp.row_upper_ = np.concatenate([exactly, limit])
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.num_col_, lp.a_matrix_.num_row_ = lp.num_col_, lp.num_row_
    lp.a_matrix_.start_ = np.concatenate([[0], np.cumsum([len(index) for index, _ in columns])]).astype(
        np.int32
    )
    lp.a_matrix_.index_ = np.array([i for index, _ in columns for i in index], dtype=np.int32)
    lp.a_matrix_.value_ = np.array([v for _, value in columns for v in value], dtype=float)
    lp.integrality_ = [highspy.HighsVarType.kInteger] * len(known)
    solver.passModel(lp)
    if start:
        first, number = cast("Any", highspy.HighsSolution()), {group: j for j, group in enumerate(known)}
        taken = np.zeros(len(known))
        for group in start:
            taken[number[group]] += 1
        first.col_value = taken
        solver.setSolution(first)
    solver.run()
    info = solver.getInfo()
    stated = float(info.mip_dual_bound) * unit
    bound = ceil(stated - TOLERANCE * abs(stated)) if isfinite(stated) else 0
    if info.primal_solution_status != int(highspy.SolutionStatus.kSolutionStatusFeasible):
        return None, bound
    amount = np.rint(np.array(solver.getSolution().col_value)).astype(int)
    chosen = tuple(known[j] for j in np.flatnonzero(amount) for _ in range(amount[j]))
    covered = np.bincount([row for group in chosen for row in group], minlength=len(rows))
    return chosen if (covered == rows.count).all() else None, bound
