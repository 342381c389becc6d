"""Values that suit one another: families that cost the same, whose signatures hold people who are alike.

Two signatures that nobody is bound to exchange a value of one for a value of the other, if as many new
tuples join both. Neither the number of groups of any signature nor the counterfeits change, so neither does
what the family will cost; but a group's box spans people of all its values, and some values are had by
people of similar age or schooling. How well two values suit is measured by the distance from each new person
with one to the nearest with the other; exchanges are annealed by the sum of it over each signature's pairs.
"""

from __future__ import annotations

from dataclasses import replace
from math import exp
from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .family import Family
from .limits import AHEAD as LIMITS
from .people import Crowd

__all__ = ["distances", "kindred"]

Floats = NDArray[np.float64]


def distances(crowd: Crowd) -> Floats | None:
    """Between new people of two values, as shares of each attribute's range; None for too many values."""
    present = np.flatnonzero(crowd.new)
    if len(present) > LIMITS.kindred_values:
        return None
    codes = crowd.geometry.codes.astype(np.float64)
    points = codes / np.maximum(1.0, np.ptp(codes, axis=0))
    fresh = crowd.people.home < 0
    people = {v: points[fresh & (crowd.value == v)][: LIMITS.kindred_people] for v in present.tolist()}
    found = np.zeros((len(crowd.new), len(crowd.new)))
    for v, ours in people.items():
        for u, theirs in people.items():
            if u < v:
                apart = np.abs(ours[:, None] - theirs[None]).sum(axis=2)
                found[v, u] = found[u, v] = (apart.min(axis=0).mean() + apart.min(axis=1).mean()) / 2
    return found


class _Seat(NamedTuple):
    signature: int
    place: int


def kindred(family: Family, apart: Floats, random: Random) -> Family:
    """A family with as many groups of each signature's size, as many counterfeits, and the same price."""
    signatures, joined = [list(s) for s in family.signatures], [dict(j) for j in family.joined]
    seats = [
        _Seat(s, i)
        for s, bucket in enumerate(family.buckets)
        if bucket < 0
        for i in range(len(signatures[s]))
    ]
    used = {frozenset(signature) for signature in signatures}
    if len(used) < 2 or len(seats) < 2:
        return family
    for move in range(LIMITS.kindred_moves):
        one, other = random.sample(seats, 2)
        s, t = one.signature, other.signature
        v, u = signatures[s][one.place], signatures[t][other.place]
        number = joined[s].get(v, 0)
        if s == t or u in signatures[s] or v in signatures[t] or number != joined[t].get(u, 0):
            continue
        gain = _change(signatures[s], joined[s], v, u, apart) + _change(signatures[t], joined[t], u, v, apart)
        heat = max(LIMITS.kindred_cold, LIMITS.kindred_hot * (1 - move / LIMITS.kindred_moves))
        if gain > 0 and random.random() >= exp(-gain / heat):
            continue
        old = {frozenset(signatures[s]), frozenset(signatures[t])}
        new = {frozenset({*signatures[s], u} - {v}), frozenset({*signatures[t], v} - {u})}
        if len(new) < 2 or new & (used - old):
            continue  # two signatures would become one, which costs something else
        used = (used - old) | new
        for place, out, into in ((one, v, u), (other, u, v)):
            signatures[place.signature][place.place] = into
            if number:
                del joined[place.signature][out]
                joined[place.signature][into] = number
    return replace(
        family, signatures=tuple(tuple(sorted(signature)) for signature in signatures), joined=tuple(joined)
    )


def _change(signature: list[int], joined: dict[int, int], out: int, into: int, apart: Floats) -> float:
    """By how much a signature's values suit less if one is exchanged, for each group that has both."""
    number = joined.get(out, 0)
    return sum(
        min(number, joined.get(w, 0)) * float(apart[into, w] - apart[out, w]) for w in signature if w != out
    )
