"""Shares of values near given ones, as arrays that compiled code reads.

Where a group's shares have to be near the table's there are far more admissible histograms than can be listed
or looked up, but each is judged by one sum over values.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....models.parameters import in_int64
from ....models.structure import SharesRule
from ..covering import Ints
from .histograms import Judge

__all__ = ["Closeness"]


@dataclass(frozen=True, kw_only=True)
class Closeness:
    """One requirement of a policy that has the form of t-closeness, and the others.

    With s tuples in a group, n of each value, and N of T in the table, it is admissible if it keeps the
    others and ``within[1] * sum |T n - s N| <= within[2] * s``.

    Attributes
    ----------
    close : int array, shape (2, values)
        Of each value its number (-1 for one that the table lacks), and how often the table has it.
    within : int array, shape (4,)
        T, then as above; at last, whether sums of all values up to each take the place of single ones.
    others : Judge
    """

    close: Ints
    within: Ints
    others: Judge

    @classmethod
    def of(cls, judge: Judge, largest: int) -> Closeness | None:
        """The first such requirement, for groups of up to so many tuples; None if there is none."""
        for place, requirement in enumerate(judge.requirements):
            rule = requirement.structure().shares
            arrays = None if rule is None else _arrays(judge, rule, largest)
            if arrays is not None:
                return cls(close=arrays[0], within=arrays[1], others=judge.without(place))
        return None

    def smallest(self, judge: Judge) -> int:
        """About how small groups can be: the least size of which some such group is admissible."""
        sizes = range(judge.least, int(self.within[0]))
        return next((size for size in sizes if judge.admits(tuple(self.evenest(size).tolist()))), judge.least)

    def evenest(self, size: int) -> Ints:
        """Counts of each of the judge's values in a group of some size that is about as near as can be."""
        numbers, known = self.close
        total = int(self.within[0])
        reached = (2 * size * np.cumsum(known) + total) // (2 * total)
        each = np.diff(reached, prepend=0)
        if not self.within[3]:
            each = size * known // total
            rest = size * known - each * total
            each[np.argsort(-rest, kind="stable")[: size - int(each.sum())]] += 1
        found = np.zeros(len(self.others.names), dtype=np.int64)
        there = numbers >= 0
        found[numbers[there]] = each[there]
        return found


def _arrays(judge: Judge, rule: SharesRule, largest: int) -> tuple[Ints, Ints] | None:
    """What compiled code reads of a rule; None if the judge has other values, or numbers are too large."""
    number = {value: at for at, value in enumerate(judge.names)}
    order, counts = judge.names if rule.order is None else rule.order, judge.context.reference
    if not {*judge.names, *counts} <= set(order):
        return None
    total, most = sum(counts.values()), rule.most
    highest = 2 * total * largest * len(order) ** 2 * max(most.numerator, most.denominator)
    if not in_int64(highest):
        return None
    close = np.array(
        [[number.get(value, -1) for value in order], [counts.get(value, 0) for value in order]],
        dtype=np.int64,
    )
    within = np.array(
        [total, most.denominator, most.numerator * total, rule.order is not None], dtype=np.int64
    )
    return close, within
