"""How likely a transient value was ever a respondent's own, over all releases (Fu, Wang, Wong, Wang).

Values may change freely between releases, so releases are independent. A respondent in a
group of ``|A|`` published tuples, n of which carry the value s, has s there with probability
``n / |A|`` (counterfeits are exchangeable slots like any other and count). Hence

    P(o, s) = 1 - prod over releases i that hold o of (1 - n_i / |A_i|)

(their Lemma 4.2). Releases without o, or whose group does not *link* o to s (n_i = 0), have
the factor 1. Everything here is an exact rational.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from weakref import WeakKeyDictionary

from .history import History

__all__ = ["NOT_LINKED", "Exposure", "breach_probability", "exposure", "minimum_ratio"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Exposure:
    """What releases say about one respondent and one value.

    Attributes
    ----------
    links : int
        Releases whose group links the respondent to the value.
    never : Fraction
        Probability, 0 to 1, that the respondent had the value in none of them.
    """

    links: int = 0
    never: Fraction = Fraction(1)

    @property
    def probability(self) -> Fraction:
        """Probability that the respondent had the value at least once."""
        return 1 - self.never

    def linked(self, count: int, size: int) -> Exposure:
        """The exposure after one more group, with `count` of `size` tuples carrying the value."""
        if count == 0:
            return self
        return Exposure(links=self.links + 1, never=self.never * Fraction(size - count, size))


NOT_LINKED = Exposure()
"""The exposure to a value that was never published beside the respondent."""

_Path = tuple[tuple[int, int], ...]
_known: WeakKeyDictionary[History, dict[_Path, Mapping[str, Exposure]]] = WeakKeyDictionary()
# By the groups a respondent was in: published groups never change, so nothing here grows old.


def exposure(history: History, respondent: str) -> Mapping[str, Exposure]:
    """Exposure to every value the respondent was ever linked to; all others are `NOT_LINKED`.

    O(different values in the respondent's groups), and once only for all respondents who
    shared all their groups.
    """
    record = history.records.get(respondent)
    if record is None:
        return MappingProxyType({})
    known = _known.setdefault(history, {})
    if record.groups not in known:
        found: dict[str, Exposure] = {}
        for at in record.groups:
            group = history.group(*at)
            for value, count in group.histogram.items():
                found[value] = found.get(value, NOT_LINKED).linked(count, group.size)
        known[record.groups] = MappingProxyType(found)
    return known[record.groups]


def breach_probability(history: History, respondent: str, value: str) -> Fraction:
    """Probability that the respondent ever had the value, from all releases (Lemma 4.2).

    Parameters
    ----------
    history : History
        All releases.
    respondent, value : str

    Returns
    -------
    Fraction
        0 for a respondent or a value that was never published.
    """
    return exposure(history, respondent).get(value, NOT_LINKED).probability


def minimum_ratio(l: Fraction | int, spent: Fraction | int = 0) -> Fraction | None:  # noqa: E741
    """Least ratio ``|A| / n`` of the next group that keeps ``P <= 1 / l`` (Theorem 5.1).

    Parameters
    ----------
    l : rational
        Above 1.
    spent : rational
        Breach probability P' of all earlier releases, 0 to 1.

    Returns
    -------
    Fraction or None
        ``l (1 - P') / (1 - l P')``, that is l for a first link; None if ``P' >= 1 / l``:
        then no group may link the respondent to the value again.
    """
    if l * spent >= 1:
        return None
    return Fraction(l * (1 - spent)) / Fraction(1 - l * spent)
