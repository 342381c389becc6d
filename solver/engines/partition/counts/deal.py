"""A release made of a solution: counts for every group, then tuples and counterfeits.

Boxes do not matter here, but where they do in what is asked besides it is a start: tuples are dealt out in
their order along a curve, so that near ones are together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import networkx as nx
import numpy as np

from .....models.problem import Problem
from .....models.release import Release
from ....baselines.hilbert import curve_order
from ....colgen.covering import Ints
from .program import Frame
from .shapes import Shapes

__all__ = ["dealt", "lacking", "release_of"]


def release_of(problem: Problem, frame: Frame, x: Ints) -> Release | None:
    """The release a solution stands for; None if the solution only bounds releases."""
    shapes, parts = frame.shapes, frame.parts
    made = x[parts["groups"]]
    if frame.stands_in(x):
        return None
    hidden, fakes = _of_values(frame, x, "suppressed"), _of_values(frame, x, "fakes")
    columns = [j for j in np.argsort(-shapes.sizes, kind="stable").tolist() for _ in range(int(made[j]))]
    order = curve_order(problem).tolist()
    if shapes.blind and not hidden.any() and not fakes.any():
        ends = np.cumsum([0, *(int(shapes.sizes[j]) for j in columns)]).tolist()
        return problem.assemble([order[begin:end] for begin, end in pairwise(ends)])
    groups = dealt(shapes, columns, shapes.room - hidden + fakes)
    return _assembled(problem, shapes.values, shapes.room - hidden, groups, order)


def lacking(frame: Frame, x: Ints) -> tuple[int, ...]:
    """Values of which a solution leaves too few tuples for the groups that publish nothing else.

    Empty if every group can have a real tuple, and for evened shapes, where groups are made later.
    """
    shapes = frame.shapes
    if shapes.evened or frame.stands_in(x):
        return ()
    made = x[frame.parts["groups"]]
    groups = np.repeat(shapes.counts, made, axis=0)
    real = shapes.room - _of_values(frame, x, "suppressed")
    first = _one_each(groups, real)
    if all(v >= 0 for v in first):
        return ()
    found = set(np.flatnonzero(groups[first.index(-1)]).tolist())
    while True:
        # Whoever has a value of the set as its own may want another one instead.
        more = {int(v) for g, own in enumerate(first) if own in found for v in np.flatnonzero(groups[g])}
        if more <= found:
            return tuple(sorted(found))
        found |= more


def _of_values(frame: Frame, x: Ints, name: str) -> Ints:
    """Suppressed tuples or counterfeits of each value; where values do not matter, of any."""
    shapes, found = frame.shapes, x[frame.parts[name]]
    if not len(found):
        return np.zeros(len(shapes.room), dtype=np.int64)
    if not shapes.blind:
        return found
    spread = np.zeros(len(shapes.room), dtype=np.int64)
    left = int(found[0])
    if name == "fakes":
        spread[0] = left
        return spread
    for v, count in enumerate(shapes.room.tolist()):
        spread[v] = min(count, left)
        left -= int(spread[v])
    return spread


def dealt(shapes: Shapes, columns: Sequence[int], totals: Ints) -> list[Ints]:
    """Counts per value of every group: as in the columns, or more even ones if only sorted counts matter.

    Evened columns, in turn: of all counts that a column majorizes, take those that leave the most
    even rest. They are found by giving one tuple after the other to the value of which most are left, as
    far as sums of the largest counts allow: greedy is exact for convex costs over polymatroids (Federgruen
    and Groenevelt), so the rest is majorized by all other rests and can be dealt if any of them can.
    """
    if not shapes.evened:
        return [shapes.counts[j] for j in columns]
    left = totals.copy()
    found: list[Ints] = []
    for j in columns:
        if shapes.blind:
            taken = _first(left, int(shapes.sizes[j]))
        else:
            taken = _evenly(left, shapes.counts[j], shapes.unit)
        left = left - taken
        found.append(taken)
    return found


def _first(left: Ints, size: int) -> Ints:
    """So many tuples of the first values."""
    until = np.minimum(left.cumsum(), size)
    return np.diff(until, prepend=0)


def _evenly(left: Ints, sums: Ints, unit: int) -> Ints:
    """The counts that leave the most even rest; `unit` tuples are given at a time."""
    taken = np.zeros(len(left), dtype=np.int64)
    largest = int(sums[0])
    closed = left <= 0
    for _ in range(int(sums[-1]) // unit):
        while True:
            v = int(np.where(closed, -1, left - taken).argmax())
            assert not closed[v]
            taken[v] += unit
            if taken[v] <= largest and (np.sort(taken)[::-1].cumsum() <= sums).all():
                break
            taken[v] -= unit
            closed[v] = True
        closed[v] |= taken[v] >= left[v]
    return taken


def _assembled(
    problem: Problem, values: Sequence[str], real: Ints, groups: list[Ints], order: Sequence[int]
) -> Release:
    """Give groups their tuples in this order; counterfeits fill up, and who has no real tuple is left out."""
    people = problem.table.members
    behind: dict[str, Iterator[int]] = {v: iter([t for t in order if people[t].value == v]) for v in values}
    published = np.array(groups, dtype=np.int64).reshape(len(groups), len(values))
    fakes = published.sum(axis=0) - real
    first = _one_each(published, real) if fakes.any() else [-1] * len(groups)
    members: list[list[int]] = []
    invented: list[dict[str, int]] = []
    spare = real.copy()
    for v in first:
        if v >= 0:
            spare[v] -= 1
    for counts, own in zip(published.tolist(), first, strict=True):
        rows, more = list[int](), dict[str, int]()
        for v, count in enumerate(counts):
            mine = int(own == v)
            there = mine + min(count - mine, int(spare[v]))
            spare[v] -= there - mine
            rows += [next(behind[values[v]]) for _ in range(there)]
            if count > there:
                more[values[v]] = count - there
        if rows:
            members.append(rows)
            invented.append(more)
    return problem.assemble(members, invented)


def _one_each(published: Ints, real: Ints) -> list[int]:
    """A value per group of which it gets a real tuple, for as many groups as possible; -1 for the others."""
    graph = nx.DiGraph()
    for g, counts in enumerate(published):
        graph.add_edge("from", ("group", g), capacity=1)
        for v in np.flatnonzero(counts).tolist():
            graph.add_edge(("group", g), ("value", v), capacity=1)
    for v, count in enumerate(real.tolist()):
        graph.add_edge(("value", v), "to", capacity=count)
    if "from" not in graph:
        return []
    _, flow = nx.maximum_flow(graph, "from", "to")
    return [
        next((v for (_, v), amount in flow[("group", g)].items() if amount), -1)
        for g in range(len(published))
    ]
