"""All sets of tuples of a small table at once: bit t of a set's number stands for tuple t.

What a set has in all (members, code of its histogram, ends of its box) is had for all of them by
doubling: the sets with tuple t are those without it, each with tuple t added.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...models.compiled import borrowing
from ...models.problem_view import ProblemView
from ...models.verdicts import Context

__all__ = ["BeyondReachError", "Ints", "Sets", "members", "size_of"]

Ints = NDArray[np.int64]


def members(number: int) -> list[int]:
    """The tuples of a set."""
    return [t for t in range(number.bit_length()) if number >> t & 1]


@borrowing
def size_of(number: int) -> int:
    """How many tuples a set has."""
    found = 0
    while number:
        number &= number - 1
        found += 1
    return found


class BeyondReachError(Exception):
    """The exact program cannot be carried out: too much work, or no time left. Says which."""


class Sets:
    """All sets of tuples of a problem's table.

    Parameters
    ----------
    problem : ProblemView

    Attributes
    ----------
    count : int
        Tuples of the table.
    values : tuple of str
        Values that may be published.
    """

    def __init__(self, problem: ProblemView) -> None:
        self.problem = problem
        self.count = len(problem.table)
        self.values = problem.values
        number = {value: at for at, value in enumerate(self.values)}
        self.value_of = [number[member.value] for member in problem.table.members]

    @cached_property
    def context(self) -> Context:
        """What groups of the table are judged against."""
        return Context.before(self.problem)

    @property
    def whole(self) -> int:
        """The number of the set of all tuples."""
        return (1 << self.count) - 1

    @cached_property
    def sizes(self) -> NDArray[np.int8]:
        """Tuples of each set."""
        found = np.zeros(1, dtype=np.int8)
        for _ in range(self.count):
            found = np.concatenate([found, found + np.int8(1)])
        return found

    def totals(self, numbers: Ints) -> Ints:
        """Sums of one number per tuple over each set."""
        found = np.zeros(1, dtype=np.int64)
        for number in numbers:
            found = np.concatenate([found, found + number])
        return found

    # -- histograms --------------------------------------------------------------------

    @cached_property
    def _radix(self) -> list[int]:
        """Different counts of each value that a set can have."""
        return [self.value_of.count(v) + 1 for v in range(len(self.values))]

    @cached_property
    def _strides(self) -> Ints:
        return np.concatenate([[1], np.cumprod(self._radix)[:-1]]).astype(np.int64)

    @property
    def histograms(self) -> int:
        """How many histograms sets have, the empty one included; at most the number of sets."""
        return int(np.prod(self._radix))

    @cached_property
    def histogram_of(self) -> NDArray[np.int32]:
        """The number of each set's histogram."""
        found = np.zeros(1, dtype=np.int32)
        for t in range(self.count):
            step = np.int32(self._strides[self.value_of[t]])
            found = np.concatenate([found, found + step])
        return found

    def counts(self, histograms: Ints) -> Ints:
        """Tuples of each value, shape (histograms, values), by the histograms' numbers."""
        radix = np.array(self._radix, dtype=np.int64)
        return histograms[:, None] // self._strides[None, :] % radix[None, :]

    def some(self, counts: Ints) -> list[int]:
        """Tuples of one set with these counts."""
        left, found = list(counts), list[int]()
        for t, v in enumerate(self.value_of):
            if left[v] > 0:
                left[v] -= 1
                found.append(t)
        return found

    # -- boxes -------------------------------------------------------------------------

    def ends(self, attribute: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8], list[int]]:
        """Lowest and highest code of each set in one attribute, as places among its codes, and the codes."""
        codes = self.problem.table.codes[:, attribute]
        found, place = np.unique(codes, return_inverse=True)
        low, high = np.full(1, 255, dtype=np.uint8), np.zeros(1, dtype=np.uint8)
        for t in range(self.count):
            here = np.uint8(place[t])
            low = np.concatenate([low, np.minimum(low, here)])
            high = np.concatenate([high, np.maximum(high, here)])
        return low, high, found.tolist()
