"""A release from fractional amounts: take groups by falling amount, then place the tuples left over."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from ...settings import Clock
from ..column import Group
from ..covering import Ints
from ..pool import Pool
from ..structure.histograms import Judge
from ..table import Rows
from .left_over import gathered, joined
from .limits import ROUNDING as LIMITS

__all__ = ["balanced", "completed", "fitting", "rounded"]


def rounded(
    rows: Rows,
    judge: Judge,
    columns: Pool,
    amount: NDArray[np.float64],
    reduced: NDArray[np.float64],
    *,
    buckets: bool,
    clock: Clock | None = None,
) -> list[Group] | None:
    """Groups of `columns` by falling amount (then rising reduced cost) as long as they fit, completed."""
    groups, units = fitting(rows, columns, amount, reduced)
    return completed(rows, judge, groups, units, buckets=buckets, clock=clock)


def fitting(
    rows: Rows,
    columns: Pool,
    amount: NDArray[np.float64],
    reduced: NDArray[np.float64],
    copies: Ints | None = None,
) -> tuple[list[Group], Ints]:
    """Groups by falling amount (then rising reduced cost) as long as they fit, and the tuples left over.

    Each at most once, or as often as `copies` says.
    """
    groups: list[Group] = []
    order = np.lexsort((reduced, -np.round(amount, 2)))
    if copies is not None:
        order = np.repeat(order, copies[order])
    free, spare = rows.count.tolist(), rows.spare
    for line in columns.lines[order].tolist():
        group = [u for u in line if u >= 0]
        if len(group) == 1 and rows.spare:
            spare -= 1
            if spare < 0:
                continue
        for place, u in enumerate(group):
            free[u] -= 1
            if free[u] < 0:
                for w in group[: place + 1]:
                    free[w] += 1
                break
        else:
            groups.append(tuple(group))
    return groups, np.repeat(np.arange(len(rows)), free)


def balanced(judge: Judge, value: Ints, groups: Sequence[Group], left: Ints) -> tuple[list[Group], Ints]:
    """Give up the last groups without the value that most tuples left over have, until these can be dealt.

    Parameters
    ----------
    judge
        Of groups of different values.
    value : int array
        Of each row.
    groups
        Of rows; those worth most first.
    left : int array
        Rows of the tuples in none, with repeats.

    Returns
    -------
    tuple
        The groups that are left, and the tuples in none. If these cannot be dealt still, nothing is given up.
    """
    counts = np.bincount(value[left], minlength=len(judge.names))
    given, at = set[int](), len(groups) - 1
    most = int(counts.argmax())
    while counts[most] > counts.sum() // judge.least:
        while at >= 0 and most in value[list(groups[at])]:
            at -= 1
        if at < 0:
            return list(groups), left
        given.add(at)
        counts += np.bincount(value[list(groups[at])], minlength=len(counts))
        at -= 1
        most = int(counts.argmax())
    kept = [group for g, group in enumerate(groups) if g not in given]
    return kept, np.concatenate([left, *(np.array(groups[g], dtype=np.int64) for g in sorted(given))])


def completed(
    rows: Rows,
    judge: Judge,
    groups: Sequence[Group],
    left: Ints,
    *,
    buckets: bool,
    clock: Clock | None = None,
) -> list[Group] | None:
    """Admissible groups and tuples left over made into a release; None if that failed or time was over.

    `buckets` says that every group needs one tuple of each value: then the left-over ones are matched
    among each other. Otherwise each goes where it costs least and the group stays admissible; those that
    fit nowhere become groups of their own, as many as they can.
    """
    if buckets:
        counts = np.bincount(rows.value[left], minlength=len(judge.names))
        if counts.min() != counts.max():
            return None
        matched = _matched(rows, left, clock)
        return None if matched is None else [*groups, *matched]
    grown = [list(group) for group in groups]
    value = judge.seen(rows.value)
    over = joined(rows, judge, grown, left.tolist(), value, clock)
    if over:
        more, over = gathered(rows, judge, over, value, clock)
        grown += more
    if over and joined(rows, judge, grown, over, value, clock):
        return None
    return [tuple(sorted(group)) for group in grown]


def _matched(rows: Rows, left: Ints, clock: Clock | None) -> list[Group] | None:
    """Groups of one tuple of each value: value by value, the assignment that widens boxes least."""
    weight = np.where(rows.geometry.tree < 0, rows.geometry.weight, 1)
    pending = [[left[rows.value[left] == v] for v in range(int(rows.value.max()) + 1)]]
    done: list[Group] = []
    codes = rows.geometry.codes
    while pending:
        block = pending.pop()
        if len(block[0]) == 0:
            continue
        if clock is not None and clock.over:
            return None
        if len(block[0]) > LIMITS.matched:
            every = np.concatenate(block)
            a = int(np.argmax((codes[every] * weight).std(axis=0)))
            sorted_ = [part[np.argsort(codes[part, a], kind="stable")] for part in block]
            half = len(block[0]) // 2
            pending += [[part[half:] for part in sorted_], [part[:half] for part in sorted_]]
            continue
        members = block[0][:, None]
        lo = hi = codes[block[0]]
        for part in block[1:]:
            wide = rows.box_cost(
                np.minimum(lo[:, None], codes[part][None]), np.maximum(hi[:, None], codes[part][None])
            )
            chosen = part[linear_sum_assignment(wide)[1]]
            members = np.concatenate([members, chosen[:, None]], axis=1)
            lo, hi = np.minimum(lo, codes[chosen]), np.maximum(hi, codes[chosen])
        done += [tuple(sorted(line)) for line in members.tolist()]
    return done
