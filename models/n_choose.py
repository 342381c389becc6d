"""n-Choose: a policy helper that picks the degree n of hc-safety (Riboni and Bettini, sec. 3 and 4)."""

from __future__ import annotations

from fractions import Fraction

from .errors import PolicyError
from .parameters import as_fraction, whole

__all__ = ["compromise_probability", "correlation_probability", "n_choose", "restriction_estimate"]


def compromise_probability(*, p: Fraction | float, history: int) -> Fraction:
    """Probability ``p_ct = 1 - (1-p)**L`` that compromised tuples exclude a value (Lemma 1).

    For a respondent in L releases that keep m-invariance: each group has one tuple with the value, and the
    source assumes that it belongs to a different respondent in each release.

    Parameters
    ----------
    p : rational
        Probability that a tuple is compromised, 0 to 1 (floats are read as decimals).
    history : int
        Number L of releases the respondent is in, at least 1.

    Returns
    -------
    Fraction
        Exact value of the formula.

    Examples
    --------
    >>> compromise_probability(p=0.5, history=2)
    Fraction(3, 4)
    """
    chance = _chance(p)
    return 1 - (1 - chance) ** whole("n_choose", "history", history, 1)


def correlation_probability(*, p: Fraction | float, history: int, m: int, n: int) -> Fraction:
    """Probability that historical correlations exclude a value (Lemma 2).

    ``p_hc = 1 - (1 - (p - p/m)**n)**(L * floor(m/n))``:
    n known persons of a correlated set, none of whom has the value.

    Parameters
    ----------
    p, history
        As in `compromise_probability`.
    m : int
        Size of the smallest signature, at least 1.
    n : int
        Degree of hc-safety, 1 to m.

    Returns
    -------
    Fraction
        Exact value of the formula.

    Notes
    -----
    The lemma takes ``1 - 1/m`` as the chance that a known person does not have the value. It is an estimate,
    like `restriction_estimate`.

    Examples
    --------
    >>> correlation_probability(p=0.5, history=1, m=2, n=2)
    Fraction(1, 16)
    """
    chance = _chance(p)
    history, m, n = (
        whole("n_choose", name, number, 1) for name, number in {"history": history, "m": m, "n": n}.items()
    )
    if n > m:
        raise PolicyError(f"n_choose: n must be at most m, got m = {m}, n = {n}")
    return 1 - (1 - (chance - chance / m) ** n) ** (history * (m // n))


def _chance(p: Fraction | float) -> Fraction:
    chance = as_fraction("n_choose", "p", p)
    if not 0 <= chance <= 1:
        raise PolicyError(f"n_choose: p must be a probability from 0 to 1, got {p}")
    return chance


def restriction_estimate(*, p: Fraction | float, history: int, m: int, n: int) -> Fraction:
    """Estimate f(p, L, m, n) that a respondent's values are restricted to one (Theorem 2, Fig. 3).

    ``f = (1 - (1-p_ct)(1-p_hc))**(m-1)`` of Lemmas 1 and 2. It is an *estimate, not a bound*: one compromised
    set of respondents drops all other values at once, so the true probability of a breach can
    be larger (two releases with one correlation of degree 1, m = 6, p = .04: f = .0005 for
    L = 1 and .0086 for L = 2, the exact probability is .04).

    Parameters
    ----------
    p, history, m, n
        As in `correlation_probability`; `history` is the largest number L of releases a tuple appears in.

    Returns
    -------
    Fraction
        Exact value of the formula, 0 to 1.
    """
    by_correlation = correlation_probability(p=p, history=history, m=m, n=n)
    by_compromise = compromise_probability(p=p, history=history)
    return (1 - (1 - by_compromise) * (1 - by_correlation)) ** (int(m) - 1)


def n_choose(*, p: Fraction | float, history: int, m: int, h: Fraction | float) -> int | None:
    """The smallest degree n of hc-safety whose estimate is below a threshold.

    Parameters
    ----------
    p, history, m
        As in `restriction_estimate`.
    h : rational
        The threshold, above 0, at most 1 (floats are read as decimals).

    Returns
    -------
    int or None
        From 1 to m; None if no degree will do: then do not publish.

    Notes
    -----
    Read off exactly, p = .04, m = 6, h = .1 give n = 3 for L = 24 but n = 2 for L = 21.

    Examples
    --------
    >>> n_choose(p=0.04, history=24, m=6, h=0.1), n_choose(p=0.04, history=21, m=6, h=0.1)
    (3, 2)
    """
    threshold = as_fraction("n_choose", "h", h)
    if not 0 < threshold <= 1:
        raise PolicyError(f"n_choose: h must be above 0 and at most 1, got {h}")
    for n in range(1, whole("n_choose", "m", m, 1) + 1):
        if restriction_estimate(p=p, history=history, m=m, n=n) < threshold:
            return n
    return None
