"""Microaggregation: MDAV and variable-size MDAV, groups of k near tuples around the extremes.

MDAV (Domingo-Ferrer and Torra, Ordinal, Continuous and Heterogeneous k-Anonymity Through
Microaggregation, DMKD 2005: "MDAV-generic"): while 3k tuples are left, the one furthest from the average of
those left and its k - 1 nearest are a group, and so are the one furthest from it and its k - 1 nearest; of
2k or more one group is taken in the same way, and the rest are one.

V-MDAV (Solanas and Martinez-Balleste, V-MDAV: A Multivariate Microaggregation with Variable Group Size,
COMPSTAT 2006): groups of k around the tuple furthest from the average of all, which take up to k - 1 more
while the nearest tuple left is nearer to the group than `GAMMA` times its distance from any other tuple
left; tuples left over join the group whose average is nearest.

Distances are Euclidean, of codes as shares of their domains (leaves of a hierarchy in depth-first order);
where the policy minimizes squared error alone, as that measures them: of z-scores, as in the publications.
Other requirements on groups, c among them, are kept by merging (`repairing`).
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...models.compiled import compiled
from ...models.losses.squared import squared_error_of
from ...models.problem import Problem
from ...models.release import Release
from ...models.requirements.k_c_anonymity import KCAnonymity
from ..settings import Clock
from .parameters import parameters
from .repairing import merged_until_admitted
from .top_down import Rows, SharesWithin, refuse_whole

__all__ = ["mdav", "variable_mdav"]

Floats = NDArray[np.float64]

GAMMA = 0.2
"""The source's choice where tuples are scattered."""
MANY = 1000
"""From so many tuples on distances are compiled, which takes a moment the first time."""


def mdav(problem: Problem, seed: int = 0, clock: Clock | None = None) -> Release:
    """Group k tuples around each extreme in turn.

    Parameters
    ----------
    problem : Problem
        Its policy's `KCAnonymity` gives k; c and other requirements on groups are kept by merging.
    seed : int
        Not used: nothing is random.
    clock : Clock, optional
        See `BaselineRun`.

    Raises
    ------
    EngineError
        If the table as one group is not (k, c).

    Notes
    -----
    O(n**2 d / k) for n tuples and d quasi-identifiers.
    """
    points, k, watch = _asked(problem, "mdav", clock)
    left = np.arange(len(points), dtype=np.int64)
    groups: list[Rows] = []
    while len(left) >= 3 * k:
        watch.ask()
        first = _furthest(points, left, points[left].mean(axis=0))
        other = _furthest(points, left, points[first])
        for extreme in (first, other):
            group = _nearest(points, left, points[extreme], k)
            groups.append(group)
            left = left[~np.isin(left, group, assume_unique=True)]
    if len(left) >= 2 * k:
        group = _nearest(points, left, points[_furthest(points, left, points[left].mean(axis=0))], k)
        groups.append(group)
        left = left[~np.isin(left, group, assume_unique=True)]
    groups.append(left)  # k to 2k - 1
    return problem.assemble(merged_until_admitted(problem, groups, watch))


def variable_mdav(problem: Problem, seed: int = 0, clock: Clock | None = None) -> Release:
    """Group k to 2k - 1 tuples around each extreme in turn.

    Parameters
    ----------
    problem, seed, clock
        As for `mdav`.

    Raises
    ------
    EngineError
        If the table as one group is not (k, c).

    Notes
    -----
    O(n**2 d / k) for n tuples and d quasi-identifiers.
    """
    points, k, watch = _asked(problem, "variable_mdav", clock)
    left, middle = np.arange(len(points), dtype=np.int64), points.mean(axis=0)
    groups: list[Rows] = []
    while len(left) >= k:
        watch.ask()
        group = _nearest(points, left, points[_furthest(points, left, middle)], k)
        left = left[~np.isin(left, group, assume_unique=True)]
        while len(group) < 2 * k - 1 and len(left) > 1:
            gaps = _gaps(points, left, points[group])
            at = int(np.argmin(gaps))
            others = np.delete(left, at)
            if gaps[at] >= GAMMA**2 * _gaps(points, others, points[left[at] : left[at] + 1]).min():
                break
            group, left = np.append(group, left[at]), others
        groups.append(group)
    averages = np.array([points[group].mean(axis=0) for group in groups])
    for row in left.tolist():
        home = int(np.argmin(((averages - points[row]) ** 2).sum(axis=1)))
        groups[home] = np.append(groups[home], row)
    return problem.assemble(merged_until_admitted(problem, groups, watch))


def _asked(problem: Problem, baseline: str, clock: Clock | None) -> tuple[Floats, int, Clock]:
    asked = parameters(problem, KCAnonymity, baseline)
    everybody = np.arange(len(problem.table), dtype=np.int64)
    refuse_whole(SharesWithin(problem, asked.k, asked.c), everybody, baseline)
    watch = clock or Clock()
    watch.ask()
    return _points(problem), asked.k, watch


def _points(problem: Problem) -> Floats:
    squared = squared_error_of(problem)
    if squared is None:
        spans = np.array([domain.span for domain in problem.table.domains], dtype=np.float64)
        return problem.table.codes / spans
    codes, prices = squared.steps(problem.table)
    return codes * np.sqrt(np.array([float(price) for price in prices]))


def _furthest(points: Floats, left: Rows, point: Floats) -> int:
    """The first row furthest from a point."""
    return int(left[np.argmax(_gaps(points, left, point[None, :]))])


def _nearest(points: Floats, left: Rows, point: Floats, count: int) -> Rows:
    """So many nearest rows; of equally near ones the first."""
    gaps = _gaps(points, left, point[None, :])
    last = np.partition(gaps, count - 1)[count - 1]
    sure, even = left[gaps < last], left[gaps <= last]
    more = even[~np.isin(even, sure, assume_unique=True)][: count - len(sure)]
    return np.concatenate([sure, more])


def _gaps(points: Floats, left: Rows, others: Floats) -> Floats:
    """Squared distance of each row from the nearest of some points."""
    if len(points) >= MANY:
        return _compiled_gaps(points, left, others)
    return ((points[left, None] - others[None]) ** 2).sum(axis=2).min(axis=1)


@compiled
def _compiled_gaps(points: Floats, left: Rows, others: Floats) -> Floats:
    found = np.empty(len(left), dtype=np.float64)
    for i in range(len(left)):
        least = np.inf
        for j in range(len(others)):
            total = 0.0
            for a in range(points.shape[1]):
                gap = points[left[i], a] - others[j, a]
                total += gap * gap
            least = min(least, total)
        found[i] = least
    return found
