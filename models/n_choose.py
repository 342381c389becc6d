"""n-Choose: a policy helper that picks the degree n of hc-safety (Riboni and Bettini, sec. 3 and 4)."""

from __future__ import annotations

from fractions import Fraction

from .errors import PolicyError

__all__ = ["n_choose", "restriction_estimate"]


def restriction_estimate(*, p: Fraction | float, history: int, m: int, n: int) -> Fraction:
    """Estimate f(p, L, m, n) that a respondent's values are restricted to one (Fig. 3).

    ``p_ct = 1 - (1-p)**L``, ``p_hc = 1 - (1 - (p - p/m)**n)**(L * floor(m/n))`` and
    ``f = (1 - (1-p_ct)(1-p_hc))**(m-1)``. It is an *estimate, not a bound*: one compromised
    set of respondents drops all other values at once, so the true probability of a breach can
    be larger (two releases with one correlation of degree 1, m = 6, p = .04: f = .0005 for
    L = 1 and .0086 for L = 2, the exact probability is .04).

    Parameters
    ----------
    p : probability that a tuple is compromised, 0 to 1 (floats are read as decimals).
    history : largest number L of releases a tuple appears in, at least 1.
    m : size of the smallest signature, at least 1.
    n : degree of hc-safety, 1 to m.

    Returns
    -------
    Fraction
        Exact value of the formula, 0 to 1.
    """
    chance = p if isinstance(p, Fraction) else Fraction(str(p))
    if not 0 <= chance <= 1:
        raise PolicyError(f"n_choose: p must be a probability from 0 to 1, got {p}")
    if history < 1 or m < 1 or not 1 <= n <= m:
        raise PolicyError(f"n_choose: needs L >= 1 and 1 <= n <= m, got L = {history}, m = {m}, n = {n}")
    by_compromise = 1 - (1 - chance) ** history
    by_correlation = 1 - (1 - (chance - chance / m) ** n) ** (history * (m // n))
    return (1 - (1 - by_compromise) * (1 - by_correlation)) ** (m - 1)


def n_choose(*, p: Fraction | float, history: int, m: int, h: Fraction | float) -> int | None:
    """The smallest degree n in 1..m whose estimate is below `h`, or None: then do not publish.

    Parameters
    ----------
    p, history, m
        As in `restriction_estimate`.
    h : threshold, above 0, at most 1 (floats are read as decimals).

    Notes
    -----
    Read off exactly, p = .04, m = 6, h = .1 give n = 3 for L = 24 but n = 2 for L = 21.

    Examples
    --------
    >>> n_choose(p=0.04, history=24, m=6, h=0.1), n_choose(p=0.04, history=21, m=6, h=0.1)
    (3, 2)
    """
    threshold = h if isinstance(h, Fraction) else Fraction(str(h))
    if not 0 < threshold <= 1:
        raise PolicyError(f"n_choose: h must be above 0 and at most 1, got {h}")
    for n in range(1, m + 1):
        if restriction_estimate(p=p, history=history, m=m, n=n) < threshold:
            return n
    return None
