"""Verdicts on groups as arrays that compiled code reads: marks of histograms, and shares near given ones.

Where a group's shares have to be near the table's there are far more admissible histograms than can be listed
or looked up, but each is judged by one sum over values.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ....models.parameters import in_int64
from ....models.structure import SharesRule
from ..covering import Ints
from ..kernels.groups import BAD, GOOD, Marked, Marks, place
from ..primal.limits import ANNEALING as LIMITS
from .histograms import Judge

__all__ = ["Closeness", "MarkedVerdicts"]


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
        for number, requirement in enumerate(judge.requirements):
            rule = requirement.structure().values
            arrays = _arrays(judge, rule, largest) if isinstance(rule, SharesRule) else None
            if arrays is not None:
                return cls(close=arrays[0], within=arrays[1], others=judge.without(number))
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


class MarkedVerdicts:
    """What is known of the admissibility of groups of up to `wide` tuples, by marks (see `kernels.groups`).

    Compiled moves look it up; what they did not find is learnt between two calls.

    Parameters
    ----------
    judge : Judge
        Its verdicts depend on histograms only.
    close : Closeness or None
        What it asks of shares of values: that is counted, and marks stand for the rest.
    wide : int
    seed : int
        Of the random numbers that marks are sums of.

    Attributes
    ----------
    marked : Marked
    """

    def __init__(self, judge: Judge, close: Closeness | None, wide: int, seed: int) -> None:
        self._judge = judge if close is None else close.others
        values = judge.told_apart
        self.marked = self._begun(values, wide + 3, seed, close)

    def _begun(self, values: int, wide: int, seed: int, close: Closeness | None) -> Marked:
        """Marks of so many values, of which nothing is known yet."""
        blind = self._judge.blind
        kinds = 1 if self._judge.alike or blind else values
        terms = np.random.default_rng(seed).integers(1, 1 << 63, size=(kinds, wide), dtype=np.uint64)
        terms[:, 0] = 0
        if blind:
            # Groups of a size have one mark.
            terms[0] = terms[0, 1] * np.arange(wide, dtype=np.uint64)
        return Marked(
            term=np.repeat(terms, values, axis=0) if kinds == 1 else terms,
            key=np.zeros(1 << 12, dtype=np.uint64),
            good=np.zeros(1 << 12, dtype=np.int8),
            asked=np.zeros((LIMITS.asked, values), dtype=np.int64),
            number=np.zeros(1, dtype=np.int64),
            close=np.zeros((2, 0), dtype=np.int64) if close is None else close.close,
            within=np.zeros(0, dtype=np.int64) if close is None else close.within,
        )

    @property
    def counted(self) -> int:
        """Of how many values groups have to know how often they have them."""
        return self.marked.term.shape[0] if len(self.marked.within) else 0

    def learn(self) -> None:
        """Judge what was asked for."""
        asked = int(self.marked.number[0])
        if not asked:
            return
        counts = self.marked.asked[:asked]
        good = np.where(self._judge.verdicts(counts), GOOD, BAD).astype(np.int8)
        terms = self.marked.term[np.arange(counts.shape[1]), counts]
        self._know(terms.sum(axis=1, dtype=np.uint64), good)
        self.marked.number[0] = 0

    def admit(self, marks: Marks) -> None:
        """Take it that groups with these marks are admissible."""
        self._know(marks, np.full(len(marks), GOOD, dtype=np.int8))

    def _know(self, marks: Marks, good: NDArray[np.int8]) -> None:
        v = self.marked
        used = int((v.key != 0).sum()) + len(marks)
        if 2 * used > len(v.key):
            old = v.key != 0
            size = 1 << (4 * used).bit_length()
            keys, verdicts = v.key[old], v.good[old]
            self.marked = v._replace(key=np.zeros(size, dtype=np.uint64), good=np.zeros(size, dtype=np.int8))
            self._write(keys, verdicts)
        self._write(marks, good)

    def _write(self, marks: Marks, good: NDArray[np.int8]) -> None:
        v = self.marked
        for mark, verdict in zip(marks, good, strict=True):
            at = place(v.key, mark)
            v.key[at], v.good[at] = mark, verdict


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
