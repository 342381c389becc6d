"""The m-invariance algorithm (Xiao and Tao, m-Invariance): division, balancing, assignment, split.

Phases 1 to 3 make balanced buckets (see `buckets`). Phase 4 halves each bucket until every part
holds one tuple per value of the signature: for every quasi-identifier, the tuples of each value are
sorted by it, and the first half of each value's tuples goes to one part, the other half to the
other; the quasi-identifier whose two parts have the smallest sum of perimeters is taken.

Published in Xiao and Tao, m-Invariance: Towards Privacy Preserving Re-publication of Dynamic Datasets,
SIGMOD 2007, the section on the generalization algorithm. Riboni and Bettini (sec. 4.2) cite it and
describe phases 1 to 3; phase 4 is taken from Xiao and Tao alone.

Readings. Phases 1 to 3 are read as in `buckets`. "Perimeter" is the sum of the sides of a part's box, each
a share of its domain. An odd bucket gives the smaller half to the first part. Counterfeits have
no quasi-identifiers: they come last in each order and do not widen boxes. Equal codes keep their
random order.
"""

from __future__ import annotations

from collections import Counter
from random import Random

import numpy as np
from numpy.typing import NDArray

from ...models.errors import EngineError
from ...models.problem import Problem
from ...models.release import Release
from ...models.requirements.weak_m_invariance import WeakMInvariance
from ..settings import Clock
from .buckets import Bucket, balanced_buckets
from .parameters import Perimeter, parameters

__all__ = ["FAKE", "Halving", "bucket_matrix", "m_invariance"]

Rows = NDArray[np.int64]

FAKE = -1
"""Stands for a counterfeit among row numbers."""


def m_invariance(problem: Problem, seed: int = 0, clock: Clock | None = None) -> Release:
    """Publish every tuple under its old signature, each value once per group.

    The policy's `WeakMInvariance` gives m. The seed decides which new tuples balance a bucket, and the order
    of equal ones.

    Raises
    ------
    EngineError
        If a multiplicity other than 1 is asked for, and as `balanced_buckets`.

    Notes
    -----
    O(d n log(n)**2) for n tuples and d quasi-identifiers.
    """
    asked = parameters(problem, WeakMInvariance, "m_invariance")
    if asked.multiplicity not in (None, 1):
        raise EngineError(
            f"m_invariance publishes each value once per group, not {asked.multiplicity} times: "
            "leave multiplicity out"
        )
    random = Random(seed)
    groups: list[list[int]] = []
    fakes: list[dict[str, int]] = []
    splitter = Halving(problem, clock or Clock())
    for bucket in balanced_buckets(problem, asked.m, random, "m_invariance"):
        for part in splitter.split(bucket_matrix(bucket, random)):
            groups.append([row for row in part if row != FAKE])
            fakes.append(
                Counter(value for value, row in zip(bucket.signature, part, strict=True) if row == FAKE)
            )
    return problem.assemble(groups, fakes)


def bucket_matrix(bucket: Bucket, random: Random) -> Rows:
    """Rows of a bucket, one line per value, counterfeits last."""
    lines: list[list[int]] = []
    for value in bucket.signature:
        line = sorted(bucket.rows[value])
        random.shuffle(line)
        lines.append(line + [FAKE] * bucket.fakes[value])
    return np.array(lines, dtype=np.int64)


class Halving:
    """Phase 4 for the buckets of one problem."""

    def __init__(self, problem: Problem, clock: Clock) -> None:
        table, self.clock = problem.table, clock
        self.perimeter = Perimeter(table.domains)
        # A last line of codes above all others is what a counterfeit is sorted by.
        last = np.full((1, table.codes.shape[1]), np.iinfo(np.int64).max)
        self.codes = np.concatenate([table.codes, last])

    def split(self, bucket: Rows) -> list[list[int]]:
        """Cut a balanced bucket into groups with one tuple per value."""
        done: list[list[int]] = []
        pending = [bucket]
        while pending:
            self.clock.ask()
            part = pending.pop()
            if part.shape[1] == 1:
                done.append(part[:, 0].tolist())
            else:
                pending += self._halves(part)
        return done

    def _halves(self, part: Rows) -> tuple[Rows, Rows]:
        middle = part.shape[1] // 2
        best: tuple[int, Rows] | None = None
        for a in range(self.codes.shape[1]):
            order = np.argsort(self.codes[part, a], axis=1, kind="stable")
            ordered = np.take_along_axis(part, order, axis=1)
            cost = self._cost(ordered[:, :middle]) + self._cost(ordered[:, middle:])
            if best is None or cost < best[0]:
                best = cost, ordered
        assert best is not None, "a table has at least one quasi-identifier"
        return best[1][:, :middle], best[1][:, middle:]

    def _cost(self, part: Rows) -> int:
        codes = self.codes[part[part != FAKE]]
        return self.perimeter.of(codes.min(axis=0).tolist(), codes.max(axis=0).tolist())
