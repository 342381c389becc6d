"""Which histograms groups may need to have, as columns of an integer program.

Two kinds. *Evened* (see `evened`): values are alike and evening out never breaks a requirement, so only
sorted counts matter, and of those only the least even ones; a column holds partial sums of sorted counts.
*Explicit* (see `explicit`): a column holds the counts of each value.

If losses never rise when a group is cut in two (`Loss.by_size`), a histogram that is the sum of two
admissible ones is not needed: parts without a real tuple are left out, which only helps.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .....models.problem import Problem
from .....models.problem_view import fake_cap
from ....colgen.covering import Ints
from .verdicts import CountVerdicts

__all__ = ["Shapes", "needed", "published_at_most", "splits_at"]


@dataclass(frozen=True, kw_only=True)
class Shapes:
    """Columns.

    Attributes
    ----------
    values : tuple of str
        Values in the order of rows: the most frequent of the table first.
    room : int array
        How many tuples of each value the table has.
    sizes : int array, shape (columns,)
        Published tuples.
    counts : int array, shape (columns, rows)
        Counts per value, or, if `evened`, sums of the 1, 2, ... largest counts.
    real : bool array, shape (columns,)
        Whether such groups are admissible; others only stand in for groups of that size in a bound.
    evened : bool
    blind : bool
        Whether sizes decide alone: then there is one row for all values.
    unit : int
        All values are published in multiples of it.
    beyond : int or None
        Groups larger than this are not among the columns; None if they are never needed.
    """

    values: tuple[str, ...]
    room: Ints
    sizes: Ints
    counts: Ints
    real: NDArray[np.bool_]
    evened: bool
    blind: bool = False
    unit: int = 1
    beyond: int | None = None

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def complete(self) -> bool:
        """Whether the columns stand for exactly the groups that can be needed."""
        return self.beyond is None and bool(self.real.all())


def published_at_most(problem: Problem, values: int) -> int:
    """Most published tuples of a release worth looking at."""
    limit = problem.policy.counterfeit_limit
    tuples = len(problem.table)
    if limit is not None:
        return tuples + limit
    return tuples + min(tuples, 1 << 20) * min(fake_cap(problem), 1 << 20) * values


def splits_at(verdicts: CountVerdicts) -> int | None:
    """A size from which every admissible histogram splits, if the only requirement knows one."""
    if len(verdicts.requirements) != 1:
        return None
    return verdicts.requirements[0].structure(verdicts.problem).decomposable_from


def needed(shapes: Shapes, deep: int = 12) -> Shapes:
    """Without columns that two others of the same total size can stand in for.

    Evened columns: a sum of two that majorizes a third can be dealt to two groups wherever the third can
    (`deal`). Explicit ones: the counts must be the sum. Only parts among the `deep` smallest sizes of evened
    columns are tried.
    """
    keep = np.ones(len(shapes), dtype=np.bool_)
    by_size = {size: shapes.counts[(shapes.sizes == size) & shapes.real] for size in _sizes(shapes)}
    keys = None if shapes.evened else _Keys.of(shapes)
    if not shapes.evened and keys is None:
        return shapes
    small = list(by_size)[:deep] if shapes.evened else list(by_size)
    for j, (size, counts) in enumerate(zip(shapes.sizes.tolist(), shapes.counts, strict=True)):
        for part in small:
            if 2 * part > size:
                break
            others = by_size.get(size - part)
            if others is None or not len(others):
                continue
            rest = counts - by_size[part]
            if keys is None:
                found = bool((others[:, None, :] >= rest[None, :, :]).all(axis=2).any())
            else:
                found = keys.any(rest[(rest >= 0).all(axis=1)])
            if found:
                keep[j] = False
                break
    return replace(shapes, sizes=shapes.sizes[keep], counts=shapes.counts[keep], real=shapes.real[keep])


def _sizes(shapes: Shapes) -> list[int]:
    """Sizes of real columns, rising; of explicit ones, those that are listed whole."""
    found = sorted(set(shapes.sizes[shapes.real].tolist()))
    listed = shapes.evened or shapes.beyond is None
    return found if listed else [size for size in found if size <= (shapes.beyond or 0)]


@dataclass(frozen=True)
class _Keys:
    """Explicit histograms as single numbers, to find them quickly."""

    base: int
    powers: Ints
    known: Ints

    @classmethod
    def of(cls, shapes: Shapes) -> _Keys | None:
        """Read the listed histograms; None if they do not fit into numbers."""
        sizes = _sizes(shapes)
        base, wide = max(sizes, default=0) + 1, shapes.counts.shape[1]
        if base**wide >= 1 << 62:
            return None
        powers = np.array([base**v for v in range(wide)], dtype=np.int64)
        return cls(base, powers, np.unique(shapes.counts[shapes.sizes < base] @ powers))

    def any(self, counts: Ints) -> bool:
        """Whether one of some histograms is listed."""
        small = counts[(counts < self.base).all(axis=1)]
        return bool(np.isin(small @ self.powers, self.known).any())
