"""Rigorous bounds on cover counts that are too large to write down.

The exact count for two views of ten thousand tuples has about a hundred million bits. The
*share* of all ``2 ** (m * n)`` edge sets that are covers needs few of them, and a share
known to 128 bits settles nearly every comparison with a threshold.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import comb

from ..errors import PolicyError
from .covers import covers_avoiding

__all__ = ["cover_share"]


def cover_share(m: int, n: int, s: int, t: int, *, bits: int | None = None) -> tuple[Fraction, Fraction]:
    r"""Bound ``covers_avoiding(m, n, s, t) / 2 ** (m * n)`` from below and above.

    Parameters
    ----------
    m, n, s, t
        As in :func:`~optanon.models.views.covers.covers_avoiding`.
    bits
        Working precision, at least 8; None counts exactly.

    Returns
    -------
    tuple of Fraction
        Lower and upper bound, equal if ``bits`` is None.

    Raises
    ------
    PolicyError
        If a count or the precision is out of its range.

    Notes
    -----
    With ``m <= n`` (the count is symmetric) and :math:`c` of the ``s`` marked left nodes
    isolated, the sum over the :math:`d` other isolated ones is itself the inclusion-exclusion
    of a count, and so is the sum over :math:`c`. The truth therefore lies between consecutive
    partial sums (Bonferroni). Terms shrink at least like :math:`m^d 2^{-dm} / d!`, so few of
    the ``(s+1)(m-s+1)`` are evaluated, in fixed-point arithmetic rounded outward.
    """
    if not (0 <= s <= m and 0 <= t <= n) or (bits is not None and bits < 8):
        raise PolicyError(
            f"cover_share({m}, {n}, {s}, {t}, bits={bits}): marked nodes must lie between 0 and the"
            " number of nodes on their side, and bits be at least 8"
        )
    if bits is None:
        share = Fraction(covers_avoiding(m, n, s, t), 1 << (m * n))
        return share, share
    if s > 0 and t == n:
        return Fraction(0), Fraction(0)  # a marked node would need a forbidden edge
    if m > n:
        m, n, s, t = n, m, t, s
        if s > 0 and t == n:
            return Fraction(0), Fraction(0)
    sums = ((comb(s, c), _alternating(_unmarked(m, n, s, t, c, bits))) for c in range(s + 1))
    low, high = _alternating((ways * one, ways * other) for ways, (one, other) in sums)
    scale = 1 << (s * t + bits)
    return Fraction(max(low, 0), scale), Fraction(max(high, 0), scale)


def _alternating(terms: Iterable[tuple[int, int]]) -> tuple[int, int]:
    """Bounds on a sum of terms of alternating signs, each bounded itself, that may end early."""
    low = high = 0
    for number, (term_low, term_high) in enumerate(terms):
        if term_high <= 1:
            # the truth lies between the partial sums before and after this term
            return (low, high + term_high) if number % 2 == 0 else (low - term_high, high)
        if number % 2:
            low, high = low - term_high, high - term_low
        else:
            low, high = low + term_low, high + term_high
    return low, high


def _unmarked(m: int, n: int, s: int, t: int, c: int, bits: int) -> Iterator[tuple[int, int]]:
    """Terms of the sum over the isolated unmarked nodes, in units of ``2 ** (m * n - s * t - bits)``."""
    for d in range(m - s + 1):
        binomial = comb(m - s, d)
        shift = d * n + c * (n - t)
        one = _power(m - s - d, t, bits)
        two = _power(m - c - d, n - t, bits)
        yield (
            (binomial * one[0] * two[0]) >> (bits + shift),
            -((-binomial * one[1] * two[1]) >> (bits + shift)),
        )


def _power(q: int, exponent: int, bits: int) -> tuple[int, int]:
    """Bound ``(1 - 2**-q) ** exponent`` in units of ``2**-bits``."""
    unit = 1 << bits
    if exponent == 0:
        return unit, unit
    exact = unit - (1 << (bits - q)) if q <= bits else unit
    base = (exact, exact) if q <= bits else (unit - 1, unit)
    result = (unit, unit)
    while exponent:
        if exponent & 1:
            result = _product(result, base, bits)
        base = _product(base, base, bits)
        exponent >>= 1
    return result


def _product(one: tuple[int, int], two: tuple[int, int], bits: int) -> tuple[int, int]:
    """Multiply two non-negative fixed-point intervals, rounding outward."""
    return (one[0] * two[0]) >> bits, -((-one[1] * two[1]) >> bits)
