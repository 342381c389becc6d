"""Who will stay, come and return, in whole numbers: measured in the releases so far, or as the policy says.

A vacancy that somebody with value v leaves is filled if somebody new with v comes. With D people leaving and
A coming, min(A, D) vacancies are filled; D is binomial, A as good as Poisson. So a vacancy is filled with
probability ``E min(A, D) / E D``, and ``E min(A, D)`` is the sum of ``P(A >= j) P(D >= j)`` over j >= 1. The
sums take nothing but the four operations of floating point, so that they are the same on every machine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from typing import TYPE_CHECKING, NamedTuple

from ..compiled_random import ONE
from ..table import Microdata
from .asked import MEASURED, Outlook

if TYPE_CHECKING:
    from ..history import History
    from ..release import Release

__all__ = ["Forecast", "forecast", "turnover"]

USUAL = Fraction(9, 10)
"""Survival where nothing can be measured."""


@dataclass(frozen=True, kw_only=True)
class Forecast:
    """Probabilities in units of 1 / `ONE`, per value of the table.

    Attributes
    ----------
    values : tuple of str
    people : tuple of int
        How many have each value now.
    survival, refill : tuple of int
        That somebody stays; that a vacancy is filled.
    returns : int
        That somebody who is gone is back at the next release.
    trials, chance : tuple of int
        New people of each value at a release: so many trials with this probability.
    """

    values: tuple[str, ...]
    people: tuple[int, ...]
    survival: tuple[int, ...]
    refill: tuple[int, ...]
    returns: int
    trials: tuple[int, ...]
    chance: tuple[int, ...]


def forecast(table: Microdata, history: History, outlook: Outlook) -> Forecast:
    """Read survival, arrivals and returns off the past, as far as the outlook does not say them."""
    values = tuple(sorted(table.histogram))
    people = tuple(table.histogram[v] for v in values)
    rates = _rates(table, history, outlook)
    coming = [rates.coming.get(v, Fraction(0)) for v in values]
    trials = tuple(max(8, ceil(16 * mean)) for mean in coming)
    return Forecast(
        values=values,
        people=people,
        survival=tuple(int(rates.stays[v] * ONE) for v in values),
        refill=tuple(
            int(ONE * _filled(n, float(1 - rates.stays[v]), float(rates.coming.get(v, Fraction(0)))))
            for v, n in zip(values, people, strict=True)
        ),
        returns=int(rates.returns * ONE),
        trials=trials,
        chance=tuple(int(mean / often * ONE) for mean, often in zip(coming, trials, strict=True)),
    )


def turnover(table: Microdata, history: History, outlook: Outlook) -> tuple[Fraction, Fraction]:
    """Which share of the table leaves, and how many come, as a share of it."""
    rates, rows = _rates(table, history, outlook), max(1, len(table))
    stay = sum((n * rates.stays[v] for v, n in table.histogram.items()), Fraction(0))
    return 1 - stay / rows, sum(rates.coming.values(), Fraction(0)) / rows


class _Rates(NamedTuple):
    """Shares that stay, by value of the table; how many come, by value; the share that returns."""

    stays: Mapping[str, Fraction]
    coming: Mapping[str, Fraction]
    returns: Fraction


def _rates(table: Microdata, history: History, outlook: Outlook) -> _Rates:
    seen = [_present(release) for release in history]
    seen.append({member.respondent: member.value for member in table.members})
    named = outlook.survival if isinstance(outlook.survival, Mapping) else {}
    usual = outlook.survival if isinstance(outlook.survival, Fraction) else _survival(seen)
    stays = {v: named.get(v, usual) for v in table.histogram}
    leaving = sum((n * (1 - stays[v]) for v, n in table.histogram.items()), Fraction(0))
    returns = _returns(seen) if isinstance(outlook.returns, str) else outlook.returns
    return _Rates(stays, _arrivals(seen, outlook, table, leaving), returns)


def _present(release: Release) -> dict[str, str]:
    return {member.respondent: member.value for group in release.groups for member in group.members}


def _survival(seen: Sequence[Mapping[str, str]]) -> Fraction:
    before = sum(len(people) for people in seen[:-1])
    stayed = sum(len(one.keys() & other.keys()) for one, other in pairwise(seen))
    return Fraction(stayed, before) if before else USUAL


def _returns(seen: Sequence[Mapping[str, str]]) -> Fraction:
    known, away, back = set[str](), 0, 0
    for before, now in pairwise(seen):
        known |= before.keys()
        gone = known - before.keys()
        away += len(gone)
        back += len(gone & now.keys())
    return Fraction(back, away) if away else Fraction(0)


def _arrivals(
    seen: Sequence[Mapping[str, str]], outlook: Outlook, table: Microdata, leaving: Fraction
) -> Mapping[str, Fraction]:
    """How many come to a release, by value."""
    if isinstance(outlook.arrivals, Mapping):
        return outlook.arrivals
    if outlook.arrivals == MEASURED and len(seen) > 1:
        known, new = set(seen[0]), Counter[str]()
        for people in seen[1:]:
            new.update(value for who, value in people.items() if who not in known)
            known |= people.keys()
        return {value: Fraction(count, len(seen) - 1) for value, count in new.items()}
    return {v: leaving * count / len(table) for v, count in table.histogram.items()}


def _filled(people: int, leaves: float, arrivals: float) -> float:
    """The share of vacancies that is filled: ``E min(A, D) / E D``."""
    if leaves <= 0.0 or arrivals <= 0.0:
        return 0.0
    trials = max(8, ceil(16 * arrivals))
    gone, come = _tail(people, leaves), _tail(trials, arrivals / trials)
    both = 0.0
    for one, other in zip(gone, come, strict=False):
        both += one * other
    return min(1.0, both / (people * leaves))


def _tail(trials: int, chance: float) -> list[float]:
    """``P(X >= j)`` for j = 1, 2, ... of a binomial, summed from its mode outwards."""
    if chance >= 1.0:
        return [1.0] * trials
    odds, mode = chance / (1.0 - chance), min(trials, floor((trials + 1) * chance))
    weight = [0.0] * (trials + 1)
    weight[mode] = 1.0
    for j in range(mode, trials):
        weight[j + 1] = weight[j] * odds * (trials - j) / (j + 1)
    for j in range(mode, 0, -1):
        weight[j - 1] = weight[j] * j / (odds * (trials - j + 1))
    total, found = 0.0, list[float]()
    for j in range(trials, 0, -1):
        total += weight[j]
        found.append(total)
    whole = total + weight[0]
    return [part / whole for part in reversed(found)]
