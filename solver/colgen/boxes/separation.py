"""Separation of rank-1 cuts of any divisor, by tabu search over sets of rows.

The equations of the rows of a set S, divided by q and rounded down, are broken by a fractional solution by
``(m(S) mod q) / q`` less the sum over its groups of amount times ``(members in S mod q) / q``. From some rows
of a fractional group, the row whose move into or out of the set helps most is moved, again and again; a row
that was moved stays for a few steps.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....models.compiled import borrowing, compiled
from ...exact.incidence import Members, Sparse, by_member
from ...schedule import WORK
from ...work import spend
from ..covering import Ints

__all__ = ["TabuEffort", "rank_one"]


@dataclass(frozen=True, kw_only=True)
class TabuEffort:
    """How much is tried.

    Attributes
    ----------
    starts, steps : int
        Searches, and moves in each.
    least : float
        Violation of a cut that is taken.
    kept : float
        Part of the first group's rows that a search starts from.
    most, part : int
        Cuts at a time: so many, or one for so many rows if these are more.
    per_row : int
        New cuts that a row is in.
    rest : int
        Steps for which a moved row stays, at least; at most twice as many.
    """

    starts: int = 1_500
    steps: int = 50
    least: float = 0.02
    kept: float = 0.8
    most: int = 60
    part: int = 10
    per_row: int = 3
    rest: int = 4


class _Drawn(NamedTuple):
    """Random numbers of each search: its divisor, first group, rows that are kept, rests."""

    divisor: Ints
    group: Ints
    kept: NDArray[np.bool_]
    rest: Ints


def rank_one(
    lines: Members,
    amount: NDArray[np.float64],
    count: Ints,
    known: Collection[tuple[tuple[int, ...], int]],
    divisors: Sequence[int],
    effort: TabuEffort,
    seed: int,
) -> list[tuple[tuple[int, ...], int]]:
    """Sets of rows and divisors of cuts that a solution breaks, the worst first; none that is known."""
    fractional = np.flatnonzero((amount > effort.least) & (np.abs(amount - np.rint(amount)) > effort.least))
    if not len(fractional):
        return []
    random, starts = np.random.default_rng(seed), effort.starts
    drawn = _Drawn(
        np.resize(np.array(divisors, dtype=np.int64), starts),
        random.choice(fractional, starts),
        random.random((starts, lines.shape[1])) < effort.kept,
        random.integers(effort.rest, 2 * effort.rest + 1, (starts, effort.steps)),
    )
    found = np.zeros((starts, len(count)), dtype=np.bool_)
    spend(WORK.tabu.value * starts * effort.steps)
    broken = _sought(lines, amount, by_member(lines, len(count)), count, drawn, found)
    old, used = set(known), np.zeros(len(count), dtype=np.int64)
    picked: list[tuple[tuple[int, ...], int]] = []
    for line in np.argsort(-broken, kind="stable").tolist():
        if broken[line] < effort.least or len(picked) >= max(effort.most, len(count) // effort.part):
            break
        rows, divisor = np.flatnonzero(found[line]), int(drawn.divisor[line])
        cut = tuple(rows.tolist()), divisor
        if cut not in old and used[rows].max(initial=0) < effort.per_row:
            old.add(cut)
            used[rows] += 1
            picked.append(cut)
    return picked


@borrowing
def _moved(
    by_row: Sparse, amount: NDArray[np.float64], inside: Ints, r: int, sign: int, q: int, move: bool
) -> float:
    """By how much the groups' part grows when a row is moved in (sign 1) or out (-1); `move` does it."""
    total, e, end = 0.0, by_row.start[r], by_row.start[r + 1]
    while e < end:
        j, times = by_row.place[e], 0
        while e < end and by_row.place[e] == j:
            times, e = times + 1, e + 1
        after = inside[j] + sign * times
        total += amount[j] * (after % q - inside[j] % q) / q
        if move:
            inside[j] = after
    return total


@borrowing
def _beside(
    lines: Members, by_row: Sparse, chosen: NDArray[np.bool_], noted: NDArray[np.bool_], near: Ints
) -> int:
    """How many rows share a group with one of the set: they are noted, and put into `near`."""
    size = 0
    for r in range(len(chosen)):
        if not chosen[r]:
            continue
        for e in range(by_row.start[r], by_row.start[r + 1]):
            for k in range(lines.shape[1]):
                other = lines[by_row.place[e], k]
                if other >= 0 and not noted[other]:
                    noted[other] = True
                    near[size] = other
                    size += 1
    return size


@compiled
def _sought(
    lines: Members,
    amount: NDArray[np.float64],
    by_row: Sparse,
    count: Ints,
    drawn: _Drawn,
    found: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """The most violated set of each search, and by how much it is broken."""
    number, rows = len(drawn.group), len(count)
    broken = np.zeros(number)
    inside, free = np.zeros(len(lines), dtype=np.int64), np.zeros(rows, dtype=np.int64)
    near, noted = np.empty(rows, dtype=np.int64), np.zeros(rows, dtype=np.bool_)
    chosen = np.zeros(rows, dtype=np.bool_)
    for s in range(number):
        q, total, part = drawn.divisor[s], 0, 0.0
        for k in range(lines.shape[1]):
            r = lines[drawn.group[s], k]
            if r >= 0 and drawn.kept[s, k] and not chosen[r]:
                part += _moved(by_row, amount, inside, r, 1, q, True)
                chosen[r], total = True, total + count[r]
        for step in range(drawn.rest.shape[1]):
            best, gain = -1, -1e9
            for x in range(_beside(lines, by_row, chosen, noted, near)):
                r = near[x]
                noted[r] = False
                if free[r] > step:
                    continue
                sign = -1 if chosen[r] else 1
                right = ((total + sign * count[r]) % q - total % q) / q
                more = right - _moved(by_row, amount, inside, r, sign, q, False)
                if more > gain:
                    best, gain = r, more
            if best < 0:
                break
            sign = -1 if chosen[best] else 1
            part += _moved(by_row, amount, inside, best, sign, q, True)
            total += sign * count[best]
            chosen[best] = not chosen[best]
            free[best] = step + drawn.rest[s, step]
            violated = (total % q) / q - part
            if violated > broken[s] + 1e-9:
                broken[s] = violated
                found[s] = chosen
        for r in range(rows):
            if chosen[r]:
                _moved(by_row, amount, inside, r, -1, q, True)
            chosen[r], free[r] = False, 0
    return broken
