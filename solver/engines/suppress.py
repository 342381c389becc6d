"""How few cells of one value must be hidden in a given grouping to make its correlations safe.

One problem per quasi-identifier value v (al Bouna, Clifton, Malluhi, sec. 6.1; notation of
`models.exposure`). `suppress` solves it in whole cells with a proof. `suppress_linear` is the linear
program as the authors state it, in floating point: it publishes fractions of cells and bounds the estimates
by c(v)/l instead of (published cells)/l, so it is no sanitization, only a yardstick.

In whole cells, over integers (L a common denominator of all shares)::

    max  sum_j x_j                      0 <= x_j <= c_j
    low <= sum_j L p_jk x_j <= low + floor(L epsilon)           for k in S(v)
    l sum_j L p_jk x_j <= L sum_j x_j                           for k in S(v)

The last line is the bound on the published probability. For uniform shares in groups whose
values have shares of at most 1/l it holds by itself; for other shares the authors' bound
``est_k <= c(v)/l`` does not imply it. x = 0 is always feasible. Shares with a large common
denominator are rounded to the safe side, and the bound is that of the other side (`whole_shares`).

Groups in which the significant values have the same shares are interchangeable, so the
model holds their cells in one variable; large tables have few different shares.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from ortools.sat.python import cp_model
from scipy.sparse import csc_array

from ...models.errors import EngineError, PolicyError
from ...models.exposure import ValueExposure
from ...models.requirement import as_fraction, whole
from ..backends.cpsat import solved
from ..backends.highs import LinearProgram, LPStatus
from ..schedule import SANITIZING
from ..status import Status
from .whole_shares import WholeShares

__all__ = ["Suppression", "suppress", "suppress_linear"]


@dataclass(frozen=True, kw_only=True)
class Suppression:
    """How many cells of one value to publish, in whole cells.

    Attributes
    ----------
    status : Status
        OPTIMAL, or FEASIBLE if the time limit came first.
    objective : int
        Published cells, ``sum_j x_j``.
    bound : int
        Proven: no safe choice publishes more.
    kept : tuple of int
        x_j, in the order of the exposure's groups.
    """

    status: Status
    objective: int
    bound: int
    kept: tuple[int, ...] = field(repr=False)


@dataclass(frozen=True)
class _Kind:
    """Groups in which the significant values have the same shares."""

    shares: tuple[Fraction, ...]
    members: tuple[int, ...]
    cells: int


def _kinds(exposure: ValueExposure) -> list[_Kind]:
    values = sorted(exposure.significant)
    found: dict[tuple[Fraction, ...], list[int]] = {}
    for j, share in enumerate(exposure.shares):
        found.setdefault(tuple(share.get(k, Fraction(0)) for k in values), []).append(j)
    return [
        _Kind(shares, tuple(members), sum(exposure.counts[j] for j in members))
        for shares, members in found.items()
    ]


def _parameters(l: int, epsilon: Fraction | int | float | str) -> tuple[int, Fraction]:  # noqa: E741
    l = whole("suppression", "l", l, 1)  # noqa: E741
    limit = as_fraction("suppression", "epsilon", epsilon)
    if limit < 0:
        raise PolicyError(f"suppression: epsilon must be at least 0 tuples, got {limit}")
    return l, limit


def suppress(
    exposure: ValueExposure,
    l: int,  # noqa: E741
    epsilon: Fraction | int | float | str = 0,
    *,
    time_limit: float | None = None,
    seed: int = 0,
    workers: int = 1,
    precision: int = 10**6,
) -> Suppression:
    """Publish as many cells of one value as is safe, with a proof.

    Parameters
    ----------
    exposure : ValueExposure
        Cells and shares per group.
    l : int
        No significant value may be more likely than 1/l; at least 1.
    epsilon : rational
        By how many tuples estimates may differ, at least 0.
    time_limit : float, optional
        Seconds of wall time.
    seed, workers : int
        Of CP-SAT.
    precision : int, default 1000000
        Parts of a tuple where the shares' common denominator does not fit 64-bit integers. What is
        found is safe all the same; half the time is the bound's then.

    Raises
    ------
    PolicyError
        If a parameter is out of its range.
    EngineError
        If so many parts do not fit 64-bit integers.

    Notes
    -----
    One integer variable per kind of group, two constraints per significant value.
    """
    (l, limit), total = _parameters(l, epsilon), sum(exposure.counts)  # noqa: E741
    if not exposure.significant:
        return Suppression(status=Status.OPTIMAL, objective=total, bound=total, kept=exposure.counts)
    kinds = _kinds(exposure)
    shares = (share for kind in kinds for share in kind.shares)
    scale = WholeShares.of(shares, cells=total, l=l, epsilon=limit, precision=precision)
    seconds = time_limit if scale.exact or time_limit is None else SANITIZING.cells.seconds(time_limit, 0)
    model, variables = _program(kinds, scale)
    run = solved(model, seconds=seconds, seed=seed, workers=workers)
    if run.status is Status.INFEASIBLE:
        raise EngineError(f"cells of {exposure.value!r}: CP-SAT finds no solution although hiding all is one")
    kept = [run.value(x) for x in variables] if run.found else [0] * len(kinds)
    if not scale.exact:
        run = solved(_program(kinds, scale, generous=True)[0], seconds=seconds, seed=seed, workers=workers)
    bound = run.bound if run.found and run.bound is not None else total
    return Suppression(
        status=Status.OPTIMAL if sum(kept) == bound else Status.FEASIBLE,
        objective=sum(kept),
        bound=bound,
        kept=_shared_out(exposure, kinds, kept),
    )


def _program(
    kinds: Sequence[_Kind], scale: WholeShares, *, generous: bool = False
) -> tuple[cp_model.CpModel, list[cp_model.IntVar]]:
    """Maximize kept cells: one variable per kind of group."""
    model = cp_model.CpModel()
    kept = [model.new_int_var(0, kind.cells, f"x{i}") for i, kind in enumerate(kinds)]
    scale.keep_even(
        model,
        kept,
        [kind.shares for kind in kinds],
        most=sum(kind.cells for kind in kinds),
        generous=generous,
    )
    model.maximize(sum(kept))
    for variable in kept:
        model.add_hint(variable, 0)
    return model, kept


def suppress_linear(
    exposure: ValueExposure,
    l: int,  # noqa: E741
    epsilon: Fraction | int | float | str = 0,
) -> float:
    """Solve the authors' linear program for one value (HiGHS, floating point): a yardstick.

    ::

        max  sum_j x_j      0 <= x_j <= c_j     0 <= x_i <= c(v)/l
        0 <= sum_j p_jk x_j - x_i <= epsilon    for k in S(v)

    with both sides of every row, as stated in the text (their algorithm lists the upper sides
    only). The bounds for other values, ``sum_j p_jk x_j <= c(v : k)``, are left out: c(v : k) is
    taken from the grouped table, so they follow from ``x_j <= c_j``.

    Returns
    -------
    float
        ``sum_j x_j``; up to rounding never below the optimum in whole cells.

    Raises
    ------
    PolicyError
        If a parameter is out of its range.
    EngineError
        If HiGHS fails.
    """
    l, limit = _parameters(l, epsilon)  # noqa: E741
    if not exposure.significant:
        return float(sum(exposure.counts))
    kinds = _kinds(exposure)
    shares = np.array([[float(share) for share in kind.shares] for kind in kinds]).T
    program = LinearProgram()
    program.load(
        np.array([*[-1.0] * len(kinds), 0.0]),
        np.zeros(len(kinds) + 1),
        np.array([*(float(kind.cells) for kind in kinds), sum(exposure.counts) / l]),
        csc_array(np.hstack([shares, np.full((len(shares), 1), -1.0)])),
        np.zeros(len(shares)),
        np.full(len(shares), float(limit)),
    )
    if program.run() is not LPStatus.OPTIMAL:
        raise EngineError(f"cells of {exposure.value!r}: the linear program failed")
    return float(sum(program.amount.tolist()[:-1]))


def _shared_out(exposure: ValueExposure, kinds: Sequence[_Kind], found: Sequence[int]) -> tuple[int, ...]:
    """Split what is kept of each kind among its groups, first come first served."""
    kept = [0] * len(exposure.groups)
    for kind, left in zip(kinds, found, strict=True):
        for j in kind.members:
            kept[j] = min(left, exposure.counts[j])
            left -= kept[j]
    return tuple(kept)
