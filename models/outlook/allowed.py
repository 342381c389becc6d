"""How many expected counterfeits are allowed before fewer of them come before the loss.

The cheapest signatures are few and large, and their people far apart: on the tables of `bench outlook` the
last tenth of the expected counterfeits costs a third of the loss. So an outlook allows some, fixed before
the search: those that buckets of the past have made certain, and for everybody else a share
(`Outlook.allowed`) of what signatures cost that are dealt as m-invariance deals them. It looks at nothing but
values: as long as people are left, the m most frequent values are one signature, with as many groups as
leave no value more frequent than 1/m of those who remain.

A release's expected counterfeits are never counted as fewer than allowed, so the loss decides below.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction

from ..history import History
from ..table import Microdata
from .prices import SignaturePrices

__all__ = ["allowance", "dealt"]


def dealt(people: Iterable[int], least: int) -> list[int]:
    """Numbers of groups of the signatures that so many people with each value are dealt to.

    Each signature has `least` values. Those with a value too frequent for that are left to counterfeits.

    Complexity: O(n d) for n people and d values, if every value is rare.
    """
    counts, found = sorted((n for n in people if n), reverse=True), list[int]()
    while len(counts) >= least:
        after = counts[least] if len(counts) > least else 0
        groups = max(1, min(counts[least - 1], (sum(counts) - least * after) // least))
        found.append(groups)
        counts = sorted((n - groups * (i < least) for i, n in enumerate(counts)), reverse=True)
        counts = [n for n in counts if n]
    return [*found, counts[0]] if counts else found


def allowance(
    table: Microdata, history: History, prices: SignaturePrices, least: int, share: Fraction
) -> Fraction:
    """Expected counterfeits allowed, by who is in the table and what signatures they had.

    Parameters
    ----------
    least
        Fewest values of a signature.
    share
        Of what new people's signatures would cost, dealt as `dealt` does.
    """
    buckets, new = dict[tuple[str, ...], Counter[str]](), Counter[str]()
    for member in table.members:
        record = history.records.get(member.respondent)
        if record is None or record.signature is None:
            new[member.value] += 1
        else:
            buckets.setdefault(tuple(sorted(record.signature)), Counter())[member.value] += 1
    certain = Fraction(0)
    for signature, people in sorted(buckets.items()):
        groups = max(people.values())
        certain += prices.of(len(signature), groups)
        _fill(signature, people, groups, new)
    return certain + share * sum((prices.of(least, n) for n in dealt(new.values(), least)), Fraction(0))


def _fill(signature: Iterable[str], people: Mapping[str, int], groups: int, new: Counter[str]) -> None:
    """New people take the vacancies of a bucket."""
    for value in signature:
        new[value] -= min(new[value], groups - people[value])
