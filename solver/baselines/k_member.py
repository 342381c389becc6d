r"""Greedy k-member clustering (Byun, Kamra, Bertino, Li, Efficient k-Anonymization Using Clustering).

While k records are left: the record furthest from the last seed starts a cluster, and k - 1 times the
record that raises the cluster's information loss least joins it. Records left over join, in random
order, the cluster whose loss they raise least. (The first seed is furthest from a random record.)

Published in Byun, Kamra, Bertino, Li, Efficient k-Anonymization Using Clustering Techniques, DASFAA
2007: "greedy k-member clustering" with find_best_record and find_best_cluster. Its text says
"furthest from" the record the last cluster began with, its pseudo-code reuses one variable for that
and for the record added last; the text is followed.

    distance(r, r') = sum of |v - v'| / |D| over numbers + sum of H(v, v') / H over categories
    IL(cluster) = |cluster| (sum of (max - min) / |D| + sum of H(all values) / H)

where H(values) is the height of the subtree below their lowest common ancestor and H that of the
whole taxonomy. Ordered categories count as numbers, their ranks. Of equally good records the one
with the smallest codes is taken, and of equal ones the first row.

Sensitive values are not looked at: `merged_until_admitted` keeps what else the policy asks of groups.
"""

from __future__ import annotations

from random import Random
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...models.categories import Categories
from ...models.domain import Domain
from ...models.problem import Problem
from ...models.release import Release
from ...models.requirements.k_c_anonymity import KCAnonymity
from ...models.whole_weights import whole_weights
from ..settings import Clock
from .parameters import parameters
from .repairing import merged_until_admitted
from .top_down import SharesWithin, refuse_whole
from .widths import Widths, nearest, widths_of

__all__ = ["k_member"]

Ints: TypeAlias = NDArray[np.int64]

MANY = 1000
"""From so many points on distances are compiled, which takes a moment the first time."""


def k_member(problem: Problem, seed: int = 0, clock: Clock | None = None) -> Release:
    """Cluster a table into groups of k to 2k - 1 tuples, or few more.

    Parameters
    ----------
    problem : Problem
        Its policy's `KCAnonymity` gives k; c and other requirements on groups are kept by merging.
    seed : int
        Chooses the first record and the order of those left over.
    clock : Clock, optional
        See `BaselineRun`.

    Raises
    ------
    EngineError
        If the table as one group is not (k, c).

    Notes
    -----
    O(n p d) for n tuples with p different points in d dimensions, compiled: 30,000 people in seconds.
    """
    asked = parameters(problem, KCAnonymity, "k_member")
    watch = clock or Clock()
    everybody = np.arange(len(problem.table), dtype=np.int64)
    refuse_whole(SharesWithin(problem, asked.k, asked.c), everybody, "k_member")
    clusters = [np.array(rows) for rows in _Clusters(problem, asked.k, Random(seed), watch).run()]
    return problem.assemble(merged_until_admitted(problem, clusters, watch))


class _Clusters:
    """Records by their points: those of equal points are alike and lie on one stack."""

    def __init__(self, problem: Problem, k: int, random: Random, clock: Clock) -> None:
        table = problem.table
        self.k, self.random, self.clock = k, random, clock
        self.points, home = np.unique(table.codes, axis=0, return_inverse=True)
        self.home: list[int] = home.reshape(-1).tolist()
        self.stacks: list[list[int]] = [[] for _ in self.points]
        for row in range(len(table) - 1, -1, -1):
            self.stacks[self.home[row]].append(row)  # the first row on top
        sides = [_Side(domain) for domain in table.domains]
        weights, _, _ = whole_weights([side.span for side in sides], [1] * len(sides), len(table))
        self.sides = list(zip(sides, weights, strict=True))
        self.widths: Widths | None = None
        if len(self.points) >= MANY:
            self.widths = widths_of(table.domains, weights, _heights)
        self.count = np.array([len(stack) for stack in self.stacks], dtype=np.int64)
        self.alive = np.arange(len(self.points), dtype=np.int64)  # points with records left
        self.gone = 0  # of these, points whose last tuple was taken
        self.left = len(table)

    def run(self) -> list[list[int]]:
        clusters: list[list[int]] = []
        boxes: list[Ints] = []
        seed = self.home[self.random.randrange(self.left)]
        while self.left >= self.k:
            self.clock.ask()
            self.alive, self.gone = self.alive[self.count[self.alive] > 0], 0
            seed = int(self.alive[np.argmax(self._width(self.points[seed], self.points[seed]))])
            cluster = [self._take(seed)]
            lo = hi = self.points[seed]
            while len(cluster) < self.k:
                # IL(c + r) - IL(c) = (|c| + 1) width(c + r) - |c| width(c): least where the width is
                best = self._nearest(lo, hi)
                cluster.append(self._take(best))
                lo, hi = np.minimum(lo, self.points[best]), np.maximum(hi, self.points[best])
            clusters.append(cluster)
            boxes.append(np.stack([lo, hi]))
        self._join(clusters, np.array(boxes))
        return clusters

    def _nearest(self, lo: Ints, hi: Ints) -> int:
        if self.widths is not None:
            return nearest(self.widths, self.points, self.alive, self.count, lo, hi)
        self.alive, self.gone = self.alive[self.count[self.alive] > 0], 0
        return int(self.alive[np.argmin(self._width(lo, hi))])

    def _take(self, point: int) -> int:
        row = self.stacks[point].pop()
        self.left -= 1
        self.count[point] -= 1
        if not self.count[point]:
            self.gone += 1
            if 8 * self.gone > len(self.alive):
                self.alive, self.gone = self.alive[self.count[self.alive] > 0], 0
        return row

    def _width(self, lo: Ints, hi: Ints) -> Ints:
        """Sum of the sides of a box with each of the points left."""
        points = self.points[self.alive]
        return self._sides(np.minimum(lo, points), np.maximum(hi, points))

    def _sides(self, lo: Ints, hi: Ints) -> Ints:
        total = np.zeros(len(lo), dtype=np.int64)
        for a, (side, weight) in enumerate(self.sides):
            total += weight * side.widths(lo[:, a], hi[:, a])
        return total

    def _join(self, clusters: list[list[int]], boxes: Ints) -> None:
        rest = sorted(row for stack in self.stacks for row in stack)
        self.random.shuffle(rest)
        sizes = np.array([len(cluster) for cluster in clusters], dtype=np.int64)
        for row in rest:
            point = self.points[self.home[row]]
            lo, hi = np.minimum(boxes[:, 0], point), np.maximum(boxes[:, 1], point)
            more = (sizes + 1) * self._sides(lo, hi) - sizes * self._sides(boxes[:, 0], boxes[:, 1])
            best = int(np.argmin(more))
            clusters[best].append(row)
            boxes[best] = lo[best], hi[best]
            sizes[best] += 1


def _heights(domain: Domain, lo: Ints, hi: Ints) -> Ints:
    return _Side(domain).widths(lo, hi)


class _Side:
    """One attribute's part of a distance, in units of 1 / `span`."""

    def __init__(self, domain: Domain) -> None:
        self._runs: list[Ints] = []
        if not isinstance(domain, Categories):
            self.span = domain.span
            return
        self.span = max(1, domain.hierarchy.height)
        self._runs = list(domain.hierarchy.ends[0][:-1])

    def widths(self, lo: Ints, hi: Ints) -> Ints:
        """Length of intervals of codes, or height of their lowest common ancestors."""
        if not self._runs:
            return hi - lo
        # In depth-first order all leaves between two lie below their common ancestor.
        heights = np.zeros(len(lo), dtype=np.int64)
        for run in self._runs:
            heights += run[lo] != run[hi]
        return heights
