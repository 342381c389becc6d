"""Columns with the counts of each value, listed by size as far as they are few."""

from __future__ import annotations

import numpy as np

from .....models.problem import Problem
from ....colgen.covering import Ints
from .limits import COUNTS_LIMITS as LIMITS
from .shapes import Shapes, needed, published_at_most, splits_at
from .verdicts import CountVerdicts

__all__ = ["explicit"]


def explicit(problem: Problem, top: int) -> Shapes:
    """List the columns."""
    verdicts = CountVerdicts(problem)
    there, limit = problem.table.histogram, problem.policy.counterfeit_limit
    values = verdicts.values
    room = np.array([there.get(v, 0) for v in values], dtype=np.int64)
    most, splits = published_at_most(problem, len(values)), splits_at(verdicts)
    extra = most if limit is None else limit
    reach = most if splits is None else min(most, splits - 1)
    found, last = _listed(room + extra, min(reach, top))
    found = found[verdicts.admit(found)]
    beyond = None if last == reach else last
    if beyond is not None:
        found = np.concatenate([found, _alike(verdicts, room, last)])
    shapes = Shapes(
        values=values,
        room=room,
        sizes=found.sum(axis=1),
        counts=found,
        real=np.ones(len(found), dtype=np.bool_),
        evened=False,
        beyond=beyond,
    )
    return needed(shapes) if len(shapes) <= LIMITS.most_needed else shapes


def _listed(room: Ints, reach: int) -> tuple[Ints, int]:
    """All histograms within the room by size, and the last size that is complete."""
    level = np.zeros((1, len(room)), dtype=np.int64)
    levels, total = [level[:0]], 0
    for size in range(1, reach + 1):
        # One more tuple of the last value that is there, or of a later one: each histogram once.
        grown = list[Ints]()
        last = np.where(level.any(axis=1), len(room) - 1 - (level[:, ::-1] > 0).argmax(axis=1), 0)
        for v in range(len(room)):
            more = level[(last <= v) & (level[:, v] < room[v])].copy()
            more[:, v] += 1
            grown.append(more)
        level = np.concatenate(grown)
        total += len(level)
        if total > LIMITS.most_listed:
            return np.concatenate(levels), size - 1
        levels.append(level)
        if not len(level):
            return np.concatenate(levels), reach
    return np.concatenate(levels), reach


def _alike(verdicts: CountVerdicts, room: Ints, top: int) -> Ints:
    """The whole table, its halves, their halves and so on, and others with nearly its shares."""
    total = int(room.sum())
    made = [room]
    for size in sorted({min(total, (top + 1) * 2**i // 2) for i in range(2, LIMITS.sizes)}):
        shares = room * size
        counts = shares // total
        rest = np.argsort(-(shares % total), kind="stable")[: size - int(counts.sum())]
        counts[rest] += 1
        made.append(counts)
    level, halves = room[None, :], 0
    while len(level) and halves < LIMITS.most_halves:
        # Single tuples go to either half in turn.
        turn = (level % 2 > 0) & ((level % 2).cumsum(axis=1) % 2 > 0)
        half = level // 2 + turn
        level = np.unique(np.concatenate([half, level - half]), axis=0)
        level = level[verdicts.admit(level)]
        halves += len(level)
        made += list(level)
    found = np.unique(np.array(made, dtype=np.int64), axis=0)
    found = found[found.sum(axis=1) > top]
    return found[verdicts.admit(found)]
