"""Proofs by cases: what only whole numbers exclude, by branching over linear programs."""

from __future__ import annotations

import numpy as np

from ...models.adversary.proof import Case, Split
from ...models.adversary.rows import Integers
from ..settings import Clock
from .component_lp import NEAR, ComponentLP

__all__ = ["by_cases"]

NODES = 400
"""Most linear programs of one proof."""


def by_cases(lp: ComponentLP, pair: int, clock: Clock) -> Case | None:
    """A proof that a count is 0; None if it is not, or none was found within the limits.

    The most fractional count is split at each node. Bounds of the program are restored.
    """
    lower, upper = lp.lower, lp.upper
    left = [NODES]
    lp.by_dual(True)
    try:
        return _closed(lp, pair, lower, upper, clock, left)
    finally:
        lp.by_dual(False)
        lp.limit(lower, upper)


def _closed(
    lp: ComponentLP, pair: int, lower: Integers, upper: Integers, clock: Clock, left: list[int]
) -> Case | None:
    left[0] -= 1
    if left[0] < 0 or clock.over:
        return None
    lp.limit(lower, upper)
    if upper[pair] <= 0:
        return Case(())
    found = lp.maximize([pair], clock)
    if found is None:
        return None
    if found.value < 1 - NEAR:
        step = lp.excludes([pair], found)
        return None if step is None else Case((step,))
    if found.counts is None or found.whole is not None:
        return None
    column = int(np.argmax(np.abs(found.counts - np.rint(found.counts))))
    at = int(np.floor(found.counts[column]))
    down, up = upper.copy(), lower.copy()
    down[column], up[column] = at, at + 1
    below = _closed(lp, pair, lower, down, clock, left)
    above = None if below is None else _closed(lp, pair, up, upper, clock, left)
    if below is None or above is None:
        return None
    return Case((), Split(int(lp.component.pairs[column]), at, below, above))
