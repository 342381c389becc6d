"""Where to cut a fractional solution: rows of the simplex tableau rounded, and odd sets of rows.

A row of the basis' inverse combines rows of the program to one that says how a basic column depends on the
others; if that column is fractional, the rounded combination cuts the solution off (Gomory). Only rows
whose multipliers are fractions with a small common denominator are used, so that cuts are exact and easy on
the linear program. Odd sets of rows (`odd_sets`) find other cuts of the same family, half of some rows
rounded down.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, vstack

from .incidence import Members
from .limits import SEPARATION as LIMITS
from .odd_sets import separated
from .program import FREE, Ints, Program
from .rank1 import Combinations, RowStack
from .relaxation import BoxRelaxation, Floats

__all__ = ["Effort", "Partition", "violated"]


class Effort(NamedTuple):
    """Rows of the tableau that are looked at, and cuts that are taken, at most."""

    rows: int
    cuts: int


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


def violated(relaxation: BoxRelaxation, partition: Partition, amount: Floats, effort: Effort) -> Combinations:
    """The deepest cuts that an optimum of a linear program violates, none nearly parallel to a deeper one."""
    stack = relaxation.stack
    rounded = _tableau(relaxation, amount, effort.rows)
    odd = _odd_sets(partition, amount, len(stack))
    times = csr_array(vstack([rounded.times, odd.times], format="csr"))
    both = Combinations(
        times, np.concatenate([rounded.over, odd.over]), np.concatenate([rounded.grid, odd.grid])
    )
    return _chosen(stack, both, amount, effort.cuts) if len(both.over) else both


def _odd_sets(partition: Partition, amount: Floats, rows: int) -> Combinations:
    found = separated(partition.members, amount, partition.times, ())
    line = np.repeat(np.arange(len(found)), [len(chosen) for chosen in found])
    row = partition.rows[[row for chosen in found for row in chosen]]
    times = csr_array((np.ones(len(row), dtype=np.int64), (line, row)), shape=(len(found), rows))
    one = np.ones(len(found), dtype=np.int64)
    return Combinations(times, 2 * one, one)


def _tableau(relaxation: BoxRelaxation, amount: Floats, most: int) -> Combinations:
    stack = relaxation.stack
    lines = relaxation.inverse(amount, most, LIMITS.least_part)
    over = _denominators(lines)
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


def _denominators(lines: Floats) -> Ints:
    """The least common denominator of each line's entries; 0 if it is not small."""
    over = np.ones(len(lines), dtype=np.int64)
    pending = np.arange(len(lines))
    while len(pending):
        scaled = lines[pending] * over[pending, None]
        off = np.abs(scaled - np.rint(scaled))
        worst = off.argmax(axis=1)
        which = np.flatnonzero(off[np.arange(len(pending)), worst] > LIMITS.near)
        pending = pending[which]
        over[pending] *= _denominator(scaled[which, worst[which]] % 1)
        over[pending[over[pending] > LIMITS.denominators]] = 0
        pending = pending[over[pending] > 0]
    return over


def _denominator(entry: Floats) -> Ints:
    """Of fractions between 0 and 1, by continued fractions."""
    before, over, rest = np.zeros(len(entry)), np.ones(len(entry)), entry
    while True:
        off = (np.abs(entry * over - np.rint(entry * over)) > LIMITS.near) & (over <= LIMITS.denominators)
        if not off.any():
            return np.maximum(2, np.minimum(over, 2 * LIMITS.denominators)).astype(np.int64)
        inverse = 1 / np.where(off, np.maximum(rest, LIMITS.near * LIMITS.near), 1.0)
        before, over = np.where(off, over, before), np.where(off, np.floor(inverse) * over + before, over)
        rest = np.where(off, inverse % 1, rest)


def _chosen(stack: RowStack, cuts: Combinations, amount: Floats, most: int) -> Combinations:
    # Columns that are not taken count for a cut's norm only, so first without them.
    taken = np.flatnonzero(amount)
    matrix, limit = RowStack(csr_array(stack.matrix[:, taken]), stack.low, stack.high).rounded(cuts)
    cuts = cuts.some(np.flatnonzero(matrix @ amount[taken] > limit + LIMITS.deep))
    if not len(cuts.over):
        return cuts
    matrix, limit = stack.rounded(cuts)
    real = matrix.astype(np.float64)
    norm = np.sqrt(np.asarray(real.multiply(real).sum(axis=1)).ravel())
    depth = (real @ amount - limit) / np.maximum(norm, 1e-9)
    order = np.argsort(-depth, kind="stable")
    order = order[depth[order] > LIMITS.deep][: 4 * most]
    unit = csr_array(real[order])
    cosine = (unit @ unit.T).toarray() / np.maximum(np.outer(norm[order], norm[order]), 1e-9)
    picked: list[int] = []
    for i in range(len(order)):
        if len(picked) < most and (not picked or cosine[i, picked].max() < LIMITS.alike):
            picked.append(i)
    return cuts.some(order[picked])
