"""Which groups boxes are searched for: sizes, and how often a value may be in a group of each size.

Of the needed histograms of each size, the largest count of a value. Groups that keep to it include all that
are needed. Where the most uneven of them is needed, too, more even ones are admissible, if not needed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..covering import Ints
from ..structure.histograms import NEVER, Histograms

__all__ = ["BoxForm", "form_of"]


class BoxForm(NamedTuple):
    """Groups of ``low[x]`` to ``high[x]`` tuples, no value more than ``cap[x]`` times, for some x.

    `least` and `most` are the smallest and the largest size, `often` is the largest cap, or `most`.
    """

    low: Ints
    high: Ints
    cap: Ints
    least: int
    most: int
    often: int


def form_of(histograms: Histograms) -> BoxForm | None:
    """The form of needed groups; None if values differ, more than that matters, or any size is needed."""
    steps = histograms.steps
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
    return BoxForm(low, high, caps, int(low.min()), most, min(most, int(caps.max())))
