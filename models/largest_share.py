"""The largest fraction with a small denominator that a bound allows, whatever the bound itself is."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from fractions import Fraction

__all__ = ["largest_share"]


def largest_share(fits: Callable[[int, int], bool], limit: int) -> Fraction:
    """The largest fraction from 0 to 1 with a denominator up to `limit` that fits.

    Parameters
    ----------
    fits : callable
        Takes numerator and denominator; 0 fits, and whatever is below a fraction that fits.
    limit : int
        At least 1.

    Notes
    -----
    Walks down the Stern-Brocot tree, many equal steps at a time: O(log(limit)^2) tests. The two
    ends of the walk are neighbours, so no other fraction with a denominator below the
    sum of theirs lies between them.
    """
    if fits(1, 1):
        return Fraction(1)
    (p, q), (r, s) = (0, 1), (1, 1)  # p/q fits, r/s does not

    def steps(p: int, q: int, r: int, s: int, *, fit: bool) -> int:
        """How often r/s may be added to p/q before the sum no longer fits (or begins to)."""
        room = range(1, (limit - q) // s + 1)
        return bisect_left(room, True, key=lambda j: fits(p + j * r, q + j * s) is not fit)

    while q + s <= limit:
        up = steps(p, q, r, s, fit=True)
        p, q = p + up * r, q + up * s
        down = steps(r, s, p, q, fit=False)
        r, s = r + down * p, s + down * q
    return Fraction(p, q)
