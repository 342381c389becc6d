"""What all sets of tuples cost at least, as groups and suppressed tuples: a program over sets of tuples.

With ``cost(G)`` what the set G costs as a group (never, if it may be none) and ``least(R)`` what the best
grouping of the tuples R costs, for the highest tuple t of R

    least(R) = min( price(t) + least(R - t),  min over G in R with t in G of cost(G) + least(R - G) )

where t is suppressed, or in the group G. Every grouping is met exactly once: at each R the group of its
highest tuple is chosen. About 3^(n-1) / 2 steps: half a second for 20 tuples, three times as long for each
one more.

Limits on suppressed tuples and on counterfeits are counted in the state, if they are asked for. One tuple is
always published: the highest one that is has all tuples above it suppressed.
"""

# pyright: reportReturnType=false, reportArgumentType=false

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...models.compiled import borrowing
from ..settings import Clock
from .costs import WORD, Packed
from .sets import BeyondReachError, Ints, size_of

__all__ = ["NEVER", "CheapestGrouping", "SubsetCosts", "Task", "compared"]

MOST_STATES = 1 << 26
"""Numbers that a table of least costs may have: half a gigabyte."""
STRIDE = 1 << 12
"""Sets between two looks at the clock."""
NEVER = 1 << 62


@dataclass(kw_only=True)
class Task:
    """What groupings are made of.

    Attributes
    ----------
    groups : int64 array
        Sets that may be groups.
    fakes : int16 array
        Counterfeits of each set.
    kept : bool array
        Which of `groups` are not left out.
    hidden : bool array
        Which tuples may be suppressed.
    """

    groups: Ints
    fakes: NDArray[np.int16]
    kept: NDArray[np.bool_]
    hidden: NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class CheapestGrouping:
    """Groups and suppressed tuples, with the cost of each level."""

    groups: tuple[int, ...]
    suppressed: tuple[int, ...]
    costs: tuple[int, ...]


class SubsetCosts:
    """Least costs of all sets.

    Parameters
    ----------
    packed : Packed
        Costs of all sets that may be groups, and of suppressed tuples.
    task : Task
    clock : Clock
    few, made : int or None
        Limits of suppressed tuples and counterfeits that are counted; None for none.
    """

    def __init__(
        self, packed: Packed, task: Task, clock: Clock, *, few: int | None = None, made: int | None = None
    ) -> None:
        self.packed, self.clock, self.fakes = packed, clock, task.fakes
        self.count = count = len(task.hidden)
        self._counted = few is not None, made is not None
        layers = 1 + (few or 0), 1 + (made or 0)
        words = packed.groups.shape[1]
        if (1 << count) * layers[0] * layers[1] * words > 2 * MOST_STATES:
            raise BeyondReachError("too many suppressed tuples and counterfeits would have to be counted")
        self.cost = np.full((1 << count, words), NEVER, dtype=np.int64)
        self.cost[task.groups[task.kept]] = packed.groups[task.kept]
        self.price = np.where(task.hidden[:, None], packed.tuples, NEVER)
        # The highest tuple is placed first: sets with it are never what is left.
        self.least = np.full((1 << (count - 1), *layers, words), NEVER, dtype=np.int64)
        self.least[0] = 0
        self._fill()

    def _fill(self) -> None:
        plain = self.least.size == len(self.least) and not any(self._counted)
        for top in range(self.count - 1):
            bit = 1 << top
            subs = np.flatnonzero(self.cost[bit : 2 * bit, 0] < NEVER)
            for begin in range(bit, 2 * bit, STRIDE):
                if self.clock.over:
                    raise BeyondReachError("the time limit ended the program over all sets of tuples")
                end = min(begin + STRIDE, 2 * bit)
                if plain:
                    price, cost, least = int(self.price[top, 0]), self.cost[:, 0], self.least[:, 0, 0, 0]
                    _fill_plain(cost, price, subs, bit, begin, end, least)
                else:
                    own, (hide, make) = self.price[top], self._counted
                    _fill_counted(self.cost, self.fakes, own, subs, hide, make, bit, begin, end, self.least)

    def best(self) -> CheapestGrouping | None:
        """The best grouping of all tuples with at least one group."""
        best: int | None = None
        begun = (0, 0, 0, 0)
        a, b = self.least.shape[1] - 1, self.least.shape[2] - 1
        above = 0
        # The highest published tuple: all tuples above it are suppressed.
        for top in range(self.count - 1, -1, -1):
            group, cost = self._split((2 << top) - 1, a, b)
            if group:
                whole = self.packed.number(cost) + above
                if best is None or whole < best:
                    best, begun = whole, (top, group, a, b)
            if self.price[top, 0] >= NEVER or (self._counted[0] and not a):
                break
            above += self.packed.number(self.price[top])
            a -= self._counted[0]
        if best is None:
            return None
        top, group, a, b = begun
        suppressed = list(range(top + 1, self.count))
        groups = [group]
        rest = ((2 << top) - 1) ^ group
        b -= int(self.fakes[group]) if self._counted[1] else 0
        while rest:
            top = rest.bit_length() - 1
            group, cost = self._split(rest, a, b)
            if not group or (cost != self.least[rest, a, b]).any():
                suppressed.append(top)
                rest ^= 1 << top
                a -= self._counted[0]
                continue
            groups.append(group)
            rest ^= group
            b -= int(self.fakes[group]) if self._counted[1] else 0
        costs = self.packed.costs(self.packed.words(best))
        return CheapestGrouping(groups=tuple(groups), suppressed=tuple(suppressed), costs=tuple(costs))

    def _split(self, rest: int, a: int, b: int) -> tuple[int, Ints]:
        """The best group of the highest tuple of a set (0 if there is none), and what the set then costs."""
        cost = np.full(self.least.shape[3], NEVER, dtype=np.int64)
        group = _split(self.cost, self.fakes, self._counted[1], rest, a, b, self.least, cost)
        return int(group), cost


@borrowing
def _fill_plain(cost: Ints, price: int, subs: Ints, bit: int, begin: int, end: int, least: Ints) -> None:
    """Least costs of the sets from `begin` to before `end`, whose highest tuple is `bit`.

    `subs` are the other members of all groups with that highest tuple, rising. Either these or all
    subsets are gone through, whichever are fewer.
    """
    for number in range(begin, end):
        rest = number ^ bit
        best = NEVER
        if price < NEVER and least[rest] < NEVER:
            best = price + least[rest]
        if (1 << size_of(rest)) <= len(subs):
            sub = rest
            while True:
                own = cost[bit | sub]
                if own < best:
                    best = min(best, own + least[rest ^ sub])
                if sub == 0:
                    break
                sub = (sub - 1) & rest
        else:
            for sub in subs:
                if sub > rest:
                    break
                if sub & ~rest:
                    continue
                own = cost[bit | sub]
                if own < best:
                    best = min(best, own + least[rest ^ sub])
        least[number] = best


@borrowing
def compared(one: Ints, other: Ints, target: Ints) -> tuple[int, int]:
    """Whether ``one + other`` is below (-1), equal to or above (1) `target`; and its most significant word.

    In words with a carry: the most significant word that differs decides, so carries must be known first.
    """
    carry, sign, word = 0, 0, 0
    for w in range(len(target) - 1, -1, -1):
        word = one[w] + other[w] + carry
        carry = 0
        if w and word >= 1 << WORD:
            word -= 1 << WORD
            carry = 1
        if word != target[w]:
            sign = -1 if word < target[w] else 1
    return sign, word


@borrowing
def _better(one: Ints, other: Ints, target: Ints) -> bool:
    """Put ``one + other`` into `target` if it is less; whether it was."""
    if one[0] >= NEVER or other[0] >= NEVER or compared(one, other, target)[0] >= 0:
        return False
    carry = 0
    for w in range(len(target) - 1, -1, -1):
        word = one[w] + other[w] + carry
        carry = 0
        if w and word >= 1 << WORD:
            word -= 1 << WORD
            carry = 1
        target[w] = word
    return True


@borrowing
def _fill_counted(
    cost: Ints,
    fakes: NDArray[np.int16],
    price: Ints,
    subs: Ints,
    hide: bool,
    make: bool,
    bit: int,
    begin: int,
    end: int,
    least: NDArray[np.int64],
) -> None:
    """The same with costs of several words, and at most so many suppressed tuples and counterfeits."""
    words = least.shape[3]
    for number in range(begin, end):
        rest = number ^ bit
        for a in range(least.shape[1]):
            for b in range(least.shape[2]):
                if not hide:
                    _better(price, least[rest, a, b], least[number, a, b])
                elif a:
                    _better(price, least[rest, a - 1, b], least[number, a, b])
        few = (1 << size_of(rest)) <= len(subs)
        sub, at = rest, 0
        while True:
            if not few:
                if at == len(subs) or subs[at] > rest:
                    break
                sub = subs[at]
                at += 1
            own = cost[bit | sub, 0]
            # Costs never fall with the limits: no group that is dearer than the dearest of them helps.
            if sub & ~rest == 0 and own < NEVER and own <= least[number, 0, 0, 0]:
                made = fakes[bit | sub] if make else 0
                for a in range(least.shape[1]):
                    for b in range(made, least.shape[2]):
                        if words > 1:
                            _better(cost[bit | sub], least[rest ^ sub, a, b - made], least[number, a, b])
                        else:
                            whole = own + least[rest ^ sub, a, b - made, 0]
                            least[number, a, b, 0] = min(least[number, a, b, 0], whole)
            if few:
                if sub == 0:
                    break
                sub = (sub - 1) & rest


@borrowing
def _split(
    cost: Ints,
    fakes: NDArray[np.int16],
    make: bool,
    number: int,
    a: int,
    b: int,
    least: NDArray[np.int64],
    target: Ints,
) -> int:
    """The first best group of a set's highest tuple; its cost with the rest is put into `target`."""
    bit = 1
    while bit << 1 <= number:
        bit <<= 1
    rest = number ^ bit
    best = 0
    sub = rest
    while True:
        if cost[bit | sub, 0] < NEVER:
            made = fakes[bit | sub] if make else 0
            if made <= b and _better(cost[bit | sub], least[rest ^ sub, a, b - made], target):
                best = bit | sub
        if sub == 0:
            break
        sub = (sub - 1) & rest
    return best
