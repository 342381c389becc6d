"""A family without search, for tables too large for programs: as m-invariance deals values.

New tuples take vacancies of the buckets, or join them as the program of the fewest counterfeits says. Those
who are left are dealt: as long as there are any, the m most frequent values are one signature, with as many
groups as leave no value more frequent than 1/m of those who remain. If no value of theirs is more frequent
than that in the beginning, nobody needs a counterfeit; otherwise as many are made as it takes, and dealt.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from ....colgen.covering import Ints
from ..signature.minimum_counterfeits import Fewest
from .family import Charges, Family, Gathering, Signature
from .people import Crowd

__all__ = ["dealt_family", "signatures_dealt"]


def signatures_dealt(people: Ints, least: int) -> dict[Signature, int]:
    """Signatures of at least so many values, and numbers of groups: everybody has a seat.

    Counterfeits are the fewest: none, or what the most frequent value lacks to be 1/m of all.
    """
    left, found = _eligible(people, least), Counter[Signature]()
    while left.any():
        order = np.lexsort((np.arange(len(left)), -left))
        after = int(left[order[least]]) if least < len(left) else 0
        groups = min(int(left[order[least - 1]]), int(left.sum()) // least - after)
        # With more than m values at the top, each as frequent as it may be, all of them lose one.
        size = least if groups else int((left == left[order[0]]).sum())
        groups = max(1, groups)
        found[tuple(sorted(order[:size].tolist()))] += groups
        left[order[:size]] -= groups
    return dict(found)


def _eligible(people: Ints, least: int) -> Ints:
    """With counterfeits of the most frequent of the other values, until no value is more than 1/m of all."""
    found = people.copy()
    most = int(found.max(initial=0))
    missing = least * most - int(found.sum())
    for v in np.lexsort((np.arange(len(found)), -found)).tolist():
        more = max(0, min(missing, most - int(found[v])))
        found[v] += more
        missing -= more
    return found


def dealt_family(crowd: Crowd, needed: Ints, counts: Fewest, prices: Charges) -> Family | None:
    """The one with fewer counterfeits of two: all vacancies filled, or some by a program.

    Parameters
    ----------
    needed : int array, shape (buckets,)
        Groups that are enough for each bucket.
    counts : Fewest
        The program of the fewest counterfeits, and who joins each bucket by it.
    """
    rules = crowd.types.rules
    if crowd.new.any() and len(crowd.new) < rules.least:
        return None
    left, filling = crowd.new.copy(), np.zeros_like(counts.joined)
    for b, signature in enumerate(rules.signatures):
        held = list(signature)
        filling[b, held] = np.minimum(left[held], np.maximum(0, needed[b] - crowd.back[b, held]))
        left -= filling[b]
    found = _family(crowd, needed, filling, prices)
    if found.fakes <= counts.bound:
        return found
    return found.better(_family(crowd, np.maximum(needed, counts.each), counts.joined, prices))


def _family(crowd: Crowd, needed: Ints, joined: Ints, prices: Charges) -> Family:
    """Buckets with those who join, and the others dealt."""
    rules, gathered = crowd.types.rules, Gathering()
    for b, signature in enumerate(rules.signatures):
        number = max(int(needed[b]), int((crowd.back[b] + joined[b]).max()))
        gathered.put(signature, number, {v: int(joined[b, v]) for v in signature})
    left = crowd.new - joined.sum(axis=0)
    for signature, number in signatures_dealt(left, rules.least).items():
        held = list(signature)
        coming = np.minimum(left[held], number)
        gathered.put(signature, number, dict(zip(signature, coming.tolist(), strict=True)))
        left[held] -= coming
    return gathered.family(crowd, prices)
