"""Which groups boxes are searched for: sizes, and how often a value may be in a group of each size.

Of the needed histograms of each size, the largest count of a value. Groups that keep to it include all that
are needed. Where the most uneven of them is needed, too, more even ones are admissible, if not needed.

Or groups of any size, from the least one on, with at least so many different values.
"""

from __future__ import annotations

import numpy as np

from ..limits import PRICING
from ..structure.histograms import NEVER, Histograms
from .question import BoxForm

__all__ = ["form_of"]


def form_of(histograms: Histograms) -> BoxForm | None:
    """The form of needed groups; None if values differ, more than that matters, or any size is needed."""
    steps = histograms.steps
    if histograms.distinct is not None:
        return _of_distinct(histograms)
    if steps.beyond or not steps.alike:
        return None
    cap: dict[int, int] = {}
    needed = [state for state, flag in zip(histograms.states, steps.needed.tolist(), strict=True) if flag]
    for state in needed:
        cap[sum(state)] = max(cap.get(sum(state), 0), *state)
    uneven = {tuple(min(often, size - v) for v in range(0, size, often)) for size, often in cap.items()}
    if not cap or not uneven & set(histograms.states) <= set(needed):
        return None
    # Where all may be of one value, nothing is to be counted.
    runs: list[tuple[int, int, int]] = []
    for size, often in sorted(cap.items()):
        known = NEVER if often == size else often
        if runs and runs[-1][1] == size - 1 and runs[-1][2] == known:
            runs[-1] = (runs[-1][0], size, known)
        else:
            runs.append((size, size, known))
    low, high, caps = np.array(runs, dtype=np.int64).T.copy()
    most = int(high.max())
    often = min(most, int(caps.max()))
    return BoxForm(low, high, caps, int(low.min()), most, often, 1, often, False)


def _of_distinct(histograms: Histograms) -> BoxForm:
    """At least so many different values, as many tuples as that needs or sizes ask for, and any more."""
    assert histograms.distinct is not None
    needed = zip(histograms.states, histograms.steps.needed.tolist(), strict=True)
    least = min(sum(state) for state, flag in needed if flag)
    endless = np.full(1, NEVER, dtype=np.int64)
    most = max(PRICING.box_members, 2 * least)
    size = np.array([least], dtype=np.int64)
    return BoxForm(size, endless, endless, least, most, NEVER, histograms.distinct, least, True)
