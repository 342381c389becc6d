"""The policy that a series of releases starts with, wherever it is started: `init`, the page, the README.

Weak m-invariance keeps everybody's values at 1/m for whoever holds all releases, and hc-safety of degree 2
keeps it so for whoever knows one person's value besides. Both need counterfeits where somebody left, or
where a value is more frequent than 1/m: counts in a group must be equal. With m values in all groups, a
value that c of t tuples have takes at least m c - t counterfeits, so m is 3 if no value is more frequent
than that, else 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["MINIMIZE", "fewest_counterfeits", "series_requirements"]

MINIMIZE = ("counterfeits", "information_loss")


def series_requirements(counts: Mapping[str, int] | None = None) -> dict[str, dict[str, Any]]:
    """Requirements by name with their settings, as a problem file gives them.

    Parameters
    ----------
    counts : Mapping of str to int, optional
        How many tuples of the first table have each sensitive value; without it m is 3.
    """
    fits = counts is None or 3 * max(counts.values()) <= sum(counts.values())
    return {"weak_m_invariance": {"m": 3 if fits else 2}, "hc_safety": {"n": 2}}


def fewest_counterfeits(counts: Mapping[str, int], m: int) -> int:
    """How many counterfeits the first release of such a table needs at least under weak m-invariance."""
    return max(0, m * max(counts.values()) - sum(counts.values()))
