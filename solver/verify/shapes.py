"""Which histograms groups can need where boxes do not matter; found for proofs alone.

People with the same value are interchangeable then, and a release is a multiset of histograms of what is
published. If cutting a group in two never costs (`Loss.by_size`), a group whose histogram is the sum of two
admissible ones is not needed: a part without a real tuple is dropped, which only helps.

*By values*: a shape is a histogram. *By sums*: values are alike and making counts more even never breaks a
requirement. Then only the counts in falling order matter, and of them their sums p1, p1 + p2, ... For any
release and each k, the sums of its groups add up to at least the totals of any k values, because each group
has no more of these than its k largest counts: rows of sums say so of the k most frequent values, and totals
may be taken to fall like the table's. A shape whose sums are nowhere below another's of the same size can
stand for it. The largest sum of k counts in a group of some size is found among the histograms that have it
spread evenly over k values and the rest over the others: no admissible one has a larger sum, as its counts
could be evened. If the differences of these sums are admissible themselves, one shape stands for all of that
size; if not, all counts of the size are tried where they are few, and otherwise the sums stand for them: a
bound all the same.

Groups with each value equally often are needed with each value once, or as often as a requirement fixes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...models.errors import CertificateError
from ...models.problem import Problem
from ...models.structure import DependsOn
from .histograms import said
from .parts import most_published
from .rows import Ints

__all__ = ["CheckedShapes", "shapes_of"]

TOP = 4_000
"""Largest size up to which groups may be looked at."""
SPLIT = 1_000
"""All sizes below one from which all histograms are sums of two are looked at, up to this one."""
MOST_JUDGED = 40_000_000
"""Numbers that are judged at once for sums."""
MOST_SIZES = 4_000
MOST_PARTS = 3_000
"""Histograms of one size that are tried."""
MOST_LISTED = 40_000
"""Histograms by values."""
MOST_COMPARED = 2_500
"""Shapes for each of which all sums of two others are tried."""
SMALL = 12
"""Sizes of the smaller part that are tried for shapes by sums."""


@dataclass(frozen=True, kw_only=True)
class CheckedShapes:
    """Shapes, one per line of `entries`.

    Attributes
    ----------
    names : tuple of str
        Values that may be published, the most frequent of the table first.
    tuples : int array
        Tuples of the table per row: per value, or all together if only sizes matter.
    entries : int array, shape (shapes, rows)
        Counts, or sums of the 1, 2, ... largest.
    sizes : int array
    sums : bool
    unit : int
        All totals of values are multiples of it.
    beyond : int or None
        Larger groups are not among the shapes, but may be needed.
    """

    names: tuple[str, ...]
    tuples: Ints
    entries: Ints
    sizes: Ints
    sums: bool
    unit: int = 1
    beyond: int | None = None


class _ShapeJudge:
    """Verdicts on histograms of all values that may be published."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.requirements = problem.policy.group_requirements
        decided = problem.policy.decided_by_histograms(problem)
        for index, r in enumerate(problem.policy.requirements):
            if index not in decided:
                raise CertificateError(f"{r.name} looks at more than what is published of a group")
        there = problem.table.histogram
        known = set(there) | (set(problem.values) if problem.policy.counterfeit_limit != 0 else set())
        self.names = tuple(sorted(known, key=lambda name: (-there.get(name, 0), name)))
        self.tuples = np.array([there.get(name, 0) for name in self.names], dtype=np.int64)
        self.most = most_published(problem, len(self.names))

    def __call__(self, counts: Ints) -> NDArray[np.bool_]:
        good, context = counts.sum(axis=1) > 0, self.problem.context
        for r in self.requirements:
            good[good] = said(r, counts[good], self.names, context)
        return good


def shapes_of(problem: Problem, top: int) -> CheckedShapes:
    """Find the shapes of groups up to `top` tuples, or of all if larger ones are never needed.

    Raises
    ------
    CertificateError
        If histograms do not decide what groups are admissible.
    """
    if not 1 <= top <= TOP:
        raise CertificateError(f"the proof is about groups of up to {top} tuples")
    judge = _ShapeJudge(problem)
    structures = [r.structure(problem) for r in judge.requirements]
    rules = [s.signature for s in structures if s.signature is not None]
    others = [s for s in structures if s.signature is None]
    if all(s.depends_on is DependsOn.SIZE for s in structures):
        return _by_size(judge, top)
    if all((s.schur_concave and s.symmetric) or s.depends_on is DependsOn.SIZE for s in others):
        times = {rule.multiplicity for rule in rules if rule.multiplicity is not None}
        if not rules:
            return _by_sums(judge, top)
        equal = _equal(judge, max(rule.min_values for rule in rules), times)
        if equal is not None:
            return equal
    return _by_values(judge, top)


def _reach(judge: _ShapeJudge, top: int) -> tuple[int, int | None]:
    """Largest size to look at, and again if there may be needed groups beyond."""
    most, known = judge.most, None
    if len(judge.requirements) == 1:
        known = judge.requirements[0].structure(judge.problem).decomposable_from
    if known is not None:
        most, top = min(most, known - 1), max(top, SPLIT)
    top = min(most, top, max(64, MOST_JUDGED // len(judge.names) ** 2))
    return top, None if top == most else top


def _by_size(judge: _ShapeJudge, top: int) -> CheckedShapes:
    last, beyond = _reach(judge, top)
    counts = np.zeros((last, len(judge.names)), dtype=np.int64)
    counts[:, 0] = np.arange(1, last + 1)
    sizes = counts[judge(counts), 0]
    kept = _undivided(sizes[:, None], sizes, np.ones(len(sizes), dtype=np.bool_))
    return CheckedShapes(
        names=judge.names,
        tuples=np.array([judge.tuples.sum()]),
        entries=sizes[kept][:, None],
        sizes=sizes[kept],
        sums=True,
        beyond=beyond,
    )


# -- by sums ----------------------------------------------------------------------------


def _equal(judge: _ShapeJudge, least: int, times: set[int]) -> CheckedShapes | None:
    """Groups with each of their values equally often; None if some are needed with values more often."""
    values, unit = len(judge.names), min(times, default=1)
    made: list[Ints] = []
    for wide in range(least, values + 1) if len(times) < 2 else ():
        pattern = np.array([[unit] * wide + [0] * (values - wide)], dtype=np.int64)
        if judge(pattern)[0]:
            made.append(pattern[0].cumsum())
        elif not times:
            often = np.arange(2, min(judge.most, MOST_SIZES) // wide + 1, dtype=np.int64)
            if (often.max(initial=1) + 1) * wide < judge.most or judge(often[:, None] * pattern).any():
                return None
    entries = np.array(made, dtype=np.int64).reshape(len(made), values)
    kept = _undivided(entries, entries[:, -1], np.ones(len(made), dtype=np.bool_))
    return CheckedShapes(
        names=judge.names,
        tuples=judge.tuples,
        entries=entries[kept],
        sizes=entries[kept, -1],
        sums=True,
        unit=unit,
    )


def _by_sums(judge: _ShapeJudge, top: int) -> CheckedShapes:
    last, beyond = _reach(judge, top)
    entries, real = list[Ints](), list[bool]()
    for sums in _largest_sums(judge, last):
        counts = np.diff(sums, prepend=0)
        if (counts >= 0).all() and (np.diff(counts) <= 0).all() and judge(counts[None, :])[0]:
            entries.append(sums)
            real.append(True)
            continue
        tried = _tried(judge, sums) if len(entries) < MOST_LISTED else None
        entries += [sums] if tried is None else tried
        real += [False] if tried is None else [True] * len(tried)
    table = np.array(entries, dtype=np.int64).reshape(len(entries), len(judge.names))
    kept = _undivided(table, table[:, -1], np.array(real, dtype=np.bool_))
    return CheckedShapes(
        names=judge.names,
        tuples=judge.tuples,
        entries=table[kept],
        sizes=table[kept, -1],
        sums=True,
        beyond=beyond,
    )


def _largest_sums(judge: _ShapeJudge, last: int) -> Iterator[Ints]:
    """For every size that groups can have, the largest sums of 1, 2, ... counts."""
    values = len(judge.names)
    sizes = np.arange(1, last + 1, dtype=np.int64)
    sizes = sizes[judge(_spread(sizes, sizes, values, values))]
    found = np.repeat(sizes[:, None], values, axis=1)
    for k in range(1, values):
        # Halving: `low` is possible, nothing above `high` is.
        low, high = _spread(sizes, sizes, values, values)[:, :k].sum(axis=1), sizes.copy()
        while (open_ := np.flatnonzero(low < high)).size:
            middle = (low[open_] + high[open_] + 1) // 2
            good = judge(_spread(sizes[open_], middle, k, values))
            low[open_[good]], high[open_[~good]] = middle[good], middle[~good] - 1
        found[:, k - 1] = low
    yield from found


def _spread(sizes: Ints, sums: Ints, k: int, values: int) -> Ints:
    """Histograms with a sum spread over the first k values, and the rest over the others."""
    counts = np.zeros((len(sizes), values), dtype=np.int64)
    for first, end, total in ((0, k, sums), (k, values, sizes - sums)):
        if end > first:
            each, over = np.divmod(total, end - first)
            counts[:, first:end] = each[:, None] + (np.arange(end - first) < over[:, None])
    return counts


def _tried(judge: _ShapeJudge, sums: Ints) -> list[Ints] | None:
    """Sums of all admissible counts of a size that no others' are at least as large as; None if too many."""
    listed: list[tuple[int, ...]] = []
    for counts in _counts_within(sums.tolist(), 0, 0, int(sums[-1])):
        listed.append(counts)
        if len(listed) > MOST_PARTS:
            return None
    table = np.array(listed, dtype=np.int64).reshape(len(listed), len(sums))
    kept: list[Ints] = []
    for line in table[judge(table)].cumsum(axis=1):
        # They come in falling order: nothing later is nowhere below an earlier one.
        if not any((other >= line).all() for other in kept):
            kept.append(line)
    return kept


def _counts_within(sums: Sequence[int], at: int, taken: int, last: int) -> Iterator[tuple[int, ...]]:
    """Falling counts within sums, that add up to the last one; the largest first."""
    left, places = sums[-1] - taken, len(sums) - at
    if not places:
        yield ()
        return
    for count in range(min(last, left, sums[at] - taken), -1, -1):
        if count * places < left:
            return
        for rest in _counts_within(sums, at + 1, taken + count, count):
            yield (count, *rest)


def _undivided(entries: Ints, sizes: Ints, real: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Without shapes by sums for which two real ones can stand, the smaller of few sizes."""
    keep = np.ones(len(entries), dtype=np.bool_)
    by_size = {size: entries[real & (sizes == size)] for size in sorted(set(sizes[real].tolist()))}
    for j, size in enumerate(sizes.tolist()):
        for small in list(by_size)[:SMALL]:
            rest = by_size.get(size - small)
            if 2 * small > size or not keep[j]:
                break
            if rest is not None:
                both = by_size[small][:, None, :] + rest[None, :, :]
                keep[j] = not (both >= entries[j]).all(axis=2).any()
    return keep


# -- by values --------------------------------------------------------------------------


def _by_values(judge: _ShapeJudge, top: int) -> CheckedShapes:
    limit, known = judge.problem.policy.counterfeit_limit, None
    if len(judge.requirements) == 1:
        known = judge.requirements[0].structure(judge.problem).decomposable_from
    reach = judge.most if known is None else min(judge.most, known - 1)
    room = judge.tuples + (judge.most if limit is None else limit)
    level, levels, size = np.zeros((1, len(room)), dtype=np.int64), list[Ints](), 0
    while size < min(reach, top) and len(level):
        grown = _grown(level, room)
        if sum(map(len, levels)) + len(grown) > MOST_LISTED:
            break
        level, size = grown, size + 1
        levels.append(level)
    listed = np.concatenate([np.zeros((0, len(room)), dtype=np.int64), *levels])
    good = listed[judge(listed)]
    if len(good) <= MOST_COMPARED:
        good = good[_unsplit(good)]
    return CheckedShapes(
        names=judge.names,
        tuples=judge.tuples,
        entries=good,
        sizes=good.sum(axis=1),
        sums=False,
        beyond=None if size == reach or not len(level) else size,
    )


def _grown(level: Ints, room: Ints) -> Ints:
    """All histograms with one tuple more: of the last value that is there, or of a later one."""
    last = np.where(level.any(axis=1), len(room) - 1 - (level[:, ::-1] > 0).argmax(axis=1), 0)
    made = [level[:0]]
    for v in range(len(room)):
        more = level[(last <= v) & (level[:, v] < room[v])].copy()
        more[:, v] += 1
        made.append(more)
    return np.concatenate(made)


def _unsplit(good: Ints) -> NDArray[np.bool_]:
    """Without histograms that are the sum of two."""
    known = {tuple(line) for line in good.tolist()}
    keep = np.ones(len(good), dtype=np.bool_)
    for j, line in enumerate(good):
        parts = good[(good <= line).all(axis=1)]
        keep[j] = not any(tuple(rest) in known for rest in (line - parts).tolist())
    return keep
