"""Where to cut a fractional solution: rows of the simplex tableau rounded, and odd sets of rows.

A row of the basis' inverse combines rows of the program to one that says how a basic column depends on the
others; if that column is fractional, the rounded combination cuts the solution off (Gomory). Only rows
whose multipliers are fractions with a small common denominator are used, so that cuts are exact and easy on
the linear program. Odd sets of rows (`odd_sets`) find other cuts of the same family, half of some rows
rounded down.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, vstack

from ...models.compiled import compiled
from ..schedule import WORK
from ..work import spend
from .combining import Lines, apart
from .incidence import Members
from .limits import SEPARATION as LIMITS
from .odd_sets import separated
from .program import FREE, Floats, Ints, Program
from .rank1 import Combinations, RowStack

__all__ = ["Effort", "FoundCuts", "Partition", "violated"]


class Effort(NamedTuple):
    """Rows of the tableau that are looked at, and cuts that are taken, at most."""

    rows: int
    cuts: int


class FoundCuts(NamedTuple):
    """Cuts, and their coefficients and limits as `RowStack.rounded` gives them."""

    cuts: Combinations
    matrix: csr_array
    high: Ints


class Partition(NamedTuple):
    """The rows that columns cover, and for each column which: what odd sets are made of."""

    rows: Ints
    times: Ints
    members: Members

    @classmethod
    def of(cls, program: Program) -> Partition:
        """Read a program; equations with entries of at least 0 are covered."""
        rows = np.flatnonzero(program.cover)
        entries = csr_array(csr_array(program.matrix[rows]).T)
        entries.sort_indices()
        times = np.repeat(entries.indices, entries.data)
        line = np.repeat(np.repeat(np.arange(entries.shape[0]), np.diff(entries.indptr)), entries.data)
        long = np.bincount(line, minlength=entries.shape[0])
        members = np.full((entries.shape[0], int(long.max(initial=1))), -1, dtype=np.int32)
        members[line, np.arange(len(line)) - np.repeat(np.cumsum(long) - long, long)] = times
        return cls(rows, program.high[rows], members)


def violated(stack: RowStack, inverse: Floats, partition: Partition, amount: Floats, most: int) -> FoundCuts:
    """The deepest cuts that an optimum of a linear program violates, none nearly parallel to a deeper one.

    Parameters
    ----------
    inverse
        Rows of its basis' inverse whose basic columns are fractional.
    most
        Cuts that are taken, at most.
    """
    rounded, odd = _tableau(stack, inverse), _odd_sets(partition, amount, len(stack))
    times = csr_array(vstack([rounded.times, odd.times], format="csr"))
    both = Combinations(
        times, np.concatenate([rounded.over, odd.over]), np.concatenate([rounded.grid, odd.grid])
    )
    spend(WORK.separated.value * len(stack) ** 2)
    return _chosen(stack, both, amount, most)


def _odd_sets(partition: Partition, amount: Floats, rows: int) -> Combinations:
    found = separated(partition.members, amount, partition.times, ())
    line = np.repeat(np.arange(len(found)), [len(chosen) for chosen in found])
    row = partition.rows[[row for chosen in found for row in chosen]]
    times = csr_array((np.ones(len(row), dtype=np.int64), (line, row)), shape=(len(found), rows))
    one = np.ones(len(found), dtype=np.int64)
    return Combinations(times, 2 * one, one)


def _tableau(stack: RowStack, lines: Floats) -> Combinations:
    over = _denominators(lines, LIMITS.near, LIMITS.denominators)
    lines, over = lines[over > 1], over[over > 1]
    times = np.rint(lines * over[:, None]).astype(np.int64)
    # The same row with opposite signs rounds differently; whole multiples of equations change nothing.
    times, over = np.concatenate([times, -times]), np.concatenate([over, over])
    times = np.where(stack.low == stack.high, times % over[:, None], times)
    ends = np.where(stack.high < FREE, stack.high, stack.low)
    small = np.abs(times).astype(float) @ np.abs(ends).astype(float) < FREE
    times, over = times[small], over[small]
    rest = (times @ ends) % over
    times, over, rest = times[rest > 0], over[rest > 0], rest[rest > 0]
    return Combinations(csr_array(times), over, np.minimum(over - rest, LIMITS.grids))


@compiled
def _denominators(lines: Floats, near: float, most: int) -> Ints:
    """The least number that makes each line's entries whole but for `near`; 0 if it is more than `most`."""
    found = np.zeros(len(lines), dtype=np.int64)
    for line in range(len(lines)):
        over = 1
        while over:
            worst, entry = 0.0, 0.0
            for value in lines[line]:
                off = abs(value * over - np.rint(value * over))
                if off > worst:
                    worst, entry = off, value * over
            if worst <= near:
                break
            over *= _denominator(entry % 1, near, most)
            if over > most:
                over = 0
        found[line] = over
    return found


@compiled
def _denominator(entry: float, near: float, most: int) -> int:
    """Of a fraction between 0 and 1, by continued fractions; more than `most` if it is larger."""
    before, over, rest = 0.0, 1.0, entry
    while abs(entry * over - np.rint(entry * over)) > near and over <= most:
        inverse = 1 / max(rest, near * near)
        before, over, rest = over, np.floor(inverse) * over + before, inverse % 1
    return max(2, int(min(over, 2.0 * most)))


def _chosen(stack: RowStack, cuts: Combinations, amount: Floats, most: int) -> FoundCuts:
    # Columns that are not taken count for a cut's norm only, so first without them.
    taken = np.flatnonzero(amount)
    matrix, limit = stack.part(np.arange(len(stack)), taken).rounded(cuts)
    cuts = cuts.some(np.flatnonzero(matrix @ amount[taken] > limit + LIMITS.deep))
    matrix, limit = stack.rounded(cuts)
    norm = np.sqrt(matrix.astype(np.float64).power(2).sum(axis=1))
    depth = (matrix @ amount - limit) / np.maximum(norm, 1e-9)
    order = np.argsort(-depth, kind="stable")
    order = order[depth[order] > LIMITS.deep][: 4 * most]
    lines = Lines.of(csr_array(matrix[order]))
    picked = order[apart(lines, matrix.shape[1], norm[order], most, LIMITS.alike)]
    return FoundCuts(cuts.some(picked), csr_array(matrix[picked]), limit[picked])
