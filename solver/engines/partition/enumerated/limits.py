"""How far the enumerated plan searches."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ENUMERATED_LIMITS", "EnumeratedLimits"]


@dataclass(frozen=True, kw_only=True)
class EnumeratedLimits:
    """Enumerated plan: listed groups."""

    small: int = 10
    """Up to so many tuples nothing is tried before the exact programs."""
    least_listed: int = 2_000
    """Groups of the first list that is guided by duals."""
    most_listed: int = 200_000
    """Groups of the longest one."""
    direct_rows: int = 40
    """Up to so many tuples the direct model is asked if no start is a release."""
    last_rows: int = 120
    """Up to so many if nothing else has found any: all the time that is left is for it."""
    coarse: int = 64
    """Finest unit of duals in the integer program, as a fraction of a cost."""
    near: int = 6
    """Groups around one that are tried with it."""
    tested: int = 12
    """Changes of one pair that are judged, the best first."""
    noted: float = 0.2
    """Seconds between two times that a release is judged while moves improve it."""
    largest: int = 60
    """Pairs with more tuples are only cut, not searched for moves and swaps."""
    cut: int = 200_000
    """Cuts of a pair along an attribute, times its tuples: of larger pairs evenly spaced cuts are tried,"""
    least_cuts: int = 16
    """but so many at least."""
    work: int = 2_000_000_000
    """Pairs looked at for one anchor: a second or two, in which the clock is not heard."""
    long: int = 5_000
    """Longer lists are not presolved to the last: parts of that hear no clock."""
    dealt: int = 200
    """Up to so many tuples groups of limited sizes begin from dealt ones, then from the best of any sizes."""
    seen: int = 12
    """Releases of one call that are looked at, the last ones."""


ENUMERATED_LIMITS = EnumeratedLimits()
