"""Steps of the first-order method (`first_order`), over some columns or some places at a time.

Threads may each take a part: what a step gives does not depend on how columns and places are dealt out, as
residuals are summed chunk by chunk, whoever has a chunk.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....models.compiled import borrowing, compiled
from ..limits import FIRST_ORDER as LIMITS

__all__ = [
    "CHUNK",
    "Equations",
    "Place",
    "Stride",
    "Unsigned",
    "ended",
    "iterated",
    "move_columns",
    "move_places",
]

Floats = NDArray[np.float64]

CHUNK = LIMITS.chunk
ENOUGH, FEW, LONGEST = LIMITS.enough, LIMITS.few, LIMITS.longest
LEAST_WEIGHT, MOST_WEIGHT = LIMITS.least_weight, LIMITS.most_weight


class Unsigned(NamedTuple):
    """As `Sparse`. Compiled code need not ask whether such a number counts from the end: a quarter faster."""

    start: NDArray[np.uint32]
    place: NDArray[np.uint32]


class Equations(NamedTuple):
    """The linear program: entries by column and by place, costs, right sides, ends of the duals.

    `wide` and `tall` are how many entries a column and a place have, at least 1.
    """

    columns: Unsigned
    places: Unsigned
    cost: Floats
    right: Floats
    low: Floats
    high: Floats
    wide: Floats
    tall: Floats


class Place(NamedTuple):
    """Amounts x and duals y, those at the last restart, the mirrored step, and residuals by chunk."""

    x: Floats
    y: Floats
    first_x: Floats
    first_y: Floats
    mirrored: Floats
    gone_x: Floats
    gone_y: Floats


class Stride(NamedTuple):
    """The weight of dual against primal steps; steps since a restart, their first and last residual."""

    weight: float
    since: int = 0
    first: float = -1.0
    last: float = -1.0


@borrowing
def move_columns(program: Equations, at: Place, stride: Stride, begin: int, end: int) -> None:
    """Move the amounts of chunks `begin` to `end`."""
    start, place = program.columns.start, program.columns.place
    x, y, weight = at.x, at.y, stride.weight
    share = (stride.since + 1.0) / (stride.since + 2.0)
    for chunk in range(begin, end):
        residual = 0.0
        for j in range(chunk * CHUNK, min(len(x), (chunk + 1) * CHUNK)):
            slope = program.cost[j]
            for e in range(start[j], start[j + 1]):
                slope -= y[place[e]]
            moved = max(0.0, x[j] - slope / (weight * program.wide[j]))
            gone = moved - x[j]
            residual += gone * gone * weight * program.wide[j]
            at.mirrored[j] = moved + gone
            x[j] = share * (moved + gone) + (1 - share) * at.first_x[j]
        at.gone_x[chunk] = residual


@borrowing
def move_places(program: Equations, at: Place, stride: Stride, begin: int, end: int) -> None:
    """Move the duals of chunks `begin` to `end`, after all columns."""
    start, column = program.places.start, program.places.place
    y, weight = at.y, stride.weight
    share = (stride.since + 1.0) / (stride.since + 2.0)
    for chunk in range(begin, end):
        residual = 0.0
        for t in range(chunk * CHUNK, min(len(y), (chunk + 1) * CHUNK)):
            taken = 0.0
            for e in range(start[t], start[t + 1]):
                taken += at.mirrored[column[e]]
            asked = y[t] + weight / program.tall[t] * (program.right[t] - taken)
            moved = min(program.high[t], max(program.low[t], asked))
            gone = moved - y[t]
            residual += gone * gone * program.tall[t] / weight
            y[t] = share * (moved + gone) + (1 - share) * at.first_y[t]
        at.gone_y[chunk] = residual


@compiled
def ended(program: Equations, at: Place, stride: Stride, done: int) -> Stride:
    """The stride after a step, `done` steps having been before it: perhaps a restart."""
    residual = np.sqrt(at.gone_x.sum() + at.gone_y.sum())
    first = residual if stride.first < 0 else stride.first
    since = stride.since + 1
    if since > 5 and (
        residual <= ENOUGH * first
        or (residual <= FEW * first and 0 <= stride.last < residual)
        or since >= LONGEST * max(done, 100)
    ):
        return Stride(_restarted(program, at, stride.weight), 0, -1.0, -1.0)
    return Stride(stride.weight, since, first, residual)


@compiled
def _restarted(program: Equations, at: Place, weight: float) -> float:
    """Begin anew at x and y; the weight of dual against primal steps, from the ways since the last time."""
    way_x, way_y = 0.0, 0.0
    for j in range(len(at.x)):
        way_x += (at.x[j] - at.first_x[j]) ** 2 * program.wide[j]
        at.x[j] = max(0.0, at.x[j])
        at.first_x[j] = at.x[j]
    for t in range(len(at.y)):
        way_y += (at.y[t] - at.first_y[t]) ** 2 * program.tall[t]
        at.first_y[t] = at.y[t]
    if way_x <= 1e-18 or way_y <= 1e-18:
        return weight
    return min(MOST_WEIGHT, max(LEAST_WEIGHT, np.sqrt(weight * np.sqrt(way_y / way_x))))


@compiled
def iterated(program: Equations, at: Place, weight: float, iterations: int) -> float:
    """So many steps; the weight after them."""
    stride = Stride(weight, 0, -1.0, -1.0)
    for done in range(iterations):
        move_columns(program, at, stride, 0, len(at.gone_x))
        move_places(program, at, stride, 0, len(at.gone_y))
        stride = ended(program, at, stride, done)
    return stride.weight
