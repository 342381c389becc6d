"""New tuples put into groups that lack their values, compiled: each into the cheapest one near by."""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from random import Random

import numpy as np
from numpy.typing import NDArray

from ....models.compiled import compiled
from ..covering import Geometry, Ints
from ..kernels.boxes import box_with
from ..structure.types import Types
from .free import Free, near_rows
from .shuffling import shuffled, state_of

__all__ = ["joined"]


def joined(
    types: Types, free: Free, groups: list[list[int]], bucket: Ints, wanted: Ints, random: Random
) -> None:
    """Put new tuples into groups of a bucket that lack their values, each the cheapest one near by.

    Parameters
    ----------
    groups
        Rows of each group, groups of a bucket one after the other; they grow.
    bucket
        Of each group.
    wanted : int array, shape (buckets, values)
        How many new tuples of each value join each bucket.
    """
    sizes = np.array([len(group) for group in groups], dtype=np.int64)
    flat = np.array([r for group in groups for r in group], dtype=np.int64)
    owner = np.repeat(np.arange(len(groups)), sizes)
    asked = np.flatnonzero(wanted.any(axis=1))
    total = int(wanted.sum())
    if not total:
        return
    where, what = np.empty(total, dtype=np.int64), np.empty(total, dtype=np.int64)
    lacking = np.ones((len(groups), free.values), dtype=np.bool_)
    lacking[owner, types.rows.value[flat]] = False
    first = np.searchsorted(bucket, np.arange(len(wanted) + 1)).astype(np.int64)
    codes = types.rows.geometry.codes
    lo = np.zeros((len(groups), codes.shape[1]), dtype=np.int64)
    hi = np.zeros_like(lo)
    begins = np.concatenate([[0], np.cumsum(sizes)])[:-1]
    some = sizes > 0
    if len(flat):
        lo[some] = np.minimum.reduceat(codes[flat], begins[some], axis=0)
        hi[some] = np.maximum.reduceat(codes[flat], begins[some], axis=0)
    centre = np.where(some, np.append(flat, 0)[np.minimum(begins, len(flat))], -1)
    made = _join(
        types.rows.geometry,
        free.left,
        free.rows,
        free.start,
        free.after,
        free.before,
        asked,
        wanted,
        first,
        lacking,
        sizes,
        lo,
        hi,
        centre,
        free.reach(types, total, 1),
        state_of(random),
        where,
        what,
    )
    for q, r in zip(where[:made].tolist(), what[:made].tolist(), strict=True):
        groups[q].append(r)


@compiled
def _join(
    g: Geometry,
    left: Ints,
    rows: Ints,
    start: Ints,
    after: Ints,
    before: Ints,
    asked: Ints,
    wanted: Ints,
    first: Ints,
    lacking: NDArray[np.bool_],
    sizes: Ints,
    lo: Ints,
    hi: Ints,
    centre: Ints,
    reach: int,
    state: Ints,
    where: Ints,
    what: Ints,
) -> int:
    """Choose a new tuple for groups that lack its value; how many were chosen."""
    made, most = 0, np.diff(first).max()
    some, near = np.empty(most, dtype=np.int64), np.empty(2 * reach, dtype=np.int64)
    for b in asked:
        for v in range(wanted.shape[1]):
            if wanted[b, v] == 0:
                continue
            number = 0
            for q in range(first[b], first[b + 1]):
                if lacking[q, v]:
                    some[number] = q
                    number += 1
            shuffled(some, number, state)
            begin, end = start[v], start[v + 1]
            for j in range(min(number, wanted[b, v])):
                q = some[j]
                middle = begin + np.searchsorted(rows[begin:end], max(0, centre[q]))
                best, least = -1, 0
                # An empty group takes the first one.
                wide = reach if sizes[q] else 1
                for k in range(near_rows(after, before, left, rows, begin, middle, end, wide, near)):
                    cost = 0
                    if sizes[q]:
                        cost = box_with(g.codes, g.weight, g.tree, g.side, g.table, near[k], lo, hi, q)
                    if best < 0 or cost < least:
                        best, least = near[k], cost
                if best < 0:
                    break
                left[best] -= 1
                lacking[q, v] = False
                where[made], what[made] = q, best
                made += 1
                for a in range(g.codes.shape[1]):
                    x = g.codes[best, a]
                    lo[q, a] = x if sizes[q] == 0 else min(lo[q, a], x)
                    hi[q, a] = x if sizes[q] == 0 else max(hi[q, a], x)
                if sizes[q] == 0:
                    centre[q] = best
                sizes[q] += 1
    return made
