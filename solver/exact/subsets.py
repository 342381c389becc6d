"""The best grouping of a small table, by a program over all sets of its tuples: exact, and no solver.

With ``cost(G)`` what the set G costs as a group (never, if it may be none) and ``least(R)`` what the best
grouping of the tuples R costs, for the highest tuple t of R

    least(R) = min( price(t) + least(R - t),  min over G in R with t in G of cost(G) + least(R - G) )

where t is suppressed, or in the group G. Every grouping is met exactly once: at each R the group of its
highest tuple is chosen. So ``least`` of the whole table is the optimum over all releases, for every
requirement on groups (`Admissible` asks them) and every loss that is a sum over groups (`costs`), level by
level. About 3^(n-1) / 2 steps: half a second for 20 tuples, three times as long for each one more.

Limits on suppressed tuples and on counterfeits are counted in the state, but only if the best grouping
without them breaks one. A level that is a maximum over groups is met by leaving out all groups above the
least maximum with which the levels before it are still as good. One tuple is always published: the highest
one that is has all tuples above it suppressed.

Requirements on whole releases and series are left out: then the optimum is a bound (`SubsetOptimum.exact`
says which), and `Subsets.least` is what `groupings` prunes with.
"""

# pyright: reportReturnType=false, reportArgumentType=false

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ...models.compiled import compiled
from ...models.problem import Problem
from ...models.release import Release
from ...models.requirement import GroupRequirement
from ..settings import Clock
from . import costs
from .admissible import Admissible, BeyondReachError
from .costs import WORD, LevelCosts, Packed, level_costs
from .sets import Ints, Sets, members

__all__ = ["MOST_TUPLES", "BeyondReachError", "SubsetCosts", "SubsetOptimum", "Subsets", "Task", "refusal"]

MOST_TUPLES = 20
"""Tables of more tuples have too many pairs of sets."""
MOST_STATES = 1 << 26
"""Numbers that a table of least costs may have: half a gigabyte."""
STRIDE = 1 << 12
"""Sets between two looks at the clock."""
NEVER = 1 << 62


def refusal(problem: Problem) -> str | None:
    """Why a problem is beyond the exact program, in words; None if it is not (as far as is plain)."""
    if problem.policy.recoding != "multidimensional":
        return "the program over all sets of tuples groups freely: ask for recoding 'multidimensional'"
    if len(problem.table) > MOST_TUPLES:
        return (
            f"the program over all sets of tuples takes up to {MOST_TUPLES} tuples, the table has "
            f"{len(problem.table)}"
        )
    return costs.refusal(problem)


@dataclass(frozen=True, kw_only=True)
class SubsetOptimum:
    """What the program found.

    Attributes
    ----------
    release : Release or None
        A best release, as far as requirements on groups and limits go; None if there is none.
    values : tuple of Fraction
        Its losses, level by level; empty without a release.
    exact : bool
        Whether all requirements judge groups: the release is then optimal. Otherwise no release that keeps
        the policy is better, and if there is no release here, there is none that keeps the policy.
    """

    release: Release | None
    values: tuple[Fraction, ...]
    exact: bool


class Subsets:
    """All sets of tuples of one problem's table as groups.

    Parameters
    ----------
    problem : Problem
    clock : Clock

    Raises
    ------
    BeyondReachError
        If `refusal` says so; all methods raise it if the work or the time runs out.
    """

    def __init__(self, problem: Problem, clock: Clock | None = None) -> None:
        why = refusal(problem)
        if why is not None:
            raise BeyondReachError(why)
        self.problem = problem
        self.clock = clock or Clock()
        self.sets = Sets(problem)
        self.admissible = Admissible(self.sets, self.clock)
        self.suppressed = problem.policy.suppression_limit(len(problem.table))
        self.exact = all(isinstance(r, GroupRequirement) for r in problem.policy.requirements)

    def optimum(self) -> SubsetOptimum:
        """The best release; as many counterfeits as it may take are looked at (see `_settled`)."""
        steps = 1
        while True:
            for _ in range(steps):
                if not self.admissible.complete:
                    self.admissible.deepen()
            found = self._best(self.admissible.fewest)
            if self._settled(found):
                return found
            steps = max(1, self.admissible.known)

    def _settled(self, found: SubsetOptimum) -> bool:
        """Whether groups with more counterfeits than were looked at can make nothing better.

        They cannot if even one more for each would be too dear; the first level says so at once, or the
        program in which every set that is no group yet is one, with one counterfeit more.
        """
        if self.admissible.complete:
            return True
        first = self.level(0, self.admissible.fewest)
        dear = first.fake * (self.admissible.known + 1)
        if found.release is not None and first.kind == "sum" and dear > found.values[0]:
            return True
        fewest = self.admissible.fewest.copy()
        fewest[1:][fewest[1:] < 0] = self.admissible.known + 1
        return self._best(fewest).values == found.values

    def level(self, index: int, fewest: NDArray[np.int16]) -> LevelCosts:
        """Costs of one level for groups with so many counterfeits."""
        return level_costs(self.problem.policy.levels[index], self.sets, fewest, self.clock)

    def _best(self, fewest: NDArray[np.int16]) -> SubsetOptimum:
        """The best release of groups with so many counterfeits."""
        groups = np.flatnonzero(fewest >= 0)
        levels = [self.level(index, fewest) for index in range(len(self.problem.policy.levels))]
        kept = np.ones(len(groups), dtype=np.bool_)
        hidden = np.full(self.sets.count, self.suppressed > 0)
        task = Task(groups=groups, fakes=fewest, kept=kept, hidden=hidden)
        for index, level in enumerate(levels):
            if level.kind == "max" and not self._limit(levels[:index], level, task):
                return SubsetOptimum(release=None, values=(), exact=self.exact)
        found = self._solved([level for level in levels if level.kind != "max"], task)
        if found is None:
            return SubsetOptimum(release=None, values=(), exact=self.exact)
        made = [self.admissible.fakes(number, int(fewest[number])) for number in found.groups]
        release = self.problem.assemble([members(number) for number in found.groups], made)
        return SubsetOptimum(release=release, values=self.problem.objective(release), exact=self.exact)

    def _limit(self, before: Sequence[LevelCosts], level: LevelCosts, task: Task) -> bool:
        """Leave out groups (and suppressed tuples) above the least maximum; False if nothing is left."""
        summed = [each for each in before if each.kind != "max"]
        best = self._solved(summed, task)
        if best is None:
            return False
        single = np.array(level.tuples, dtype=level.groups.dtype)
        steps = sorted({*level.groups[task.kept].tolist(), *single[task.hidden].tolist()})
        kept, hidden = task.kept.copy(), task.hidden.copy()
        low, high = 0, len(steps) - 1
        while low < high:
            middle = (low + high) // 2
            task.kept = kept & (level.groups <= steps[middle])
            task.hidden = hidden & (single <= steps[middle])
            found = self._solved(summed, task)
            if found is not None and found.costs == best.costs:
                high = middle
            else:
                low = middle + 1
        task.kept, task.hidden = kept & (level.groups <= steps[low]), hidden & (single <= steps[low])
        return True

    def _solved(self, levels: Sequence[LevelCosts], task: Task) -> _Grouping | None:
        """The best grouping by some levels, within the policy's limits."""
        packed = Packed.of(levels, len(task.groups), self.sets.count)
        found = SubsetCosts(packed, task, self.clock).best()
        limit = self.problem.policy.counterfeit_limit
        if found is None or (
            len(found.suppressed) <= self.suppressed
            and (limit is None or sum(int(task.fakes[g]) for g in found.groups) <= limit)
        ):
            return found
        few = self.suppressed if task.hidden.any() and self.suppressed < self.sets.count - 1 else None
        made = limit if limit is not None and task.fakes.max() > 0 else None
        return SubsetCosts(packed, task, self.clock, few=few, made=made).best()


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
class _Grouping:
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

    def best(self) -> _Grouping | None:
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
        return _Grouping(groups=tuple(groups), suppressed=tuple(suppressed), costs=tuple(costs))

    def _split(self, rest: int, a: int, b: int) -> tuple[int, Ints]:
        """The best group of the highest tuple of a set (0 if there is none), and what the set then costs."""
        cost = np.full(self.least.shape[3], NEVER, dtype=np.int64)
        group = _split(self.cost, self.fakes, self._counted[1], rest, a, b, self.least, cost)
        return int(group), cost


@compiled
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
        count, left = 0, rest
        while left:
            left &= left - 1
            count += 1
        if (1 << count) <= len(subs):
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


@compiled
def _better(one: Ints, other: Ints, target: Ints) -> bool:
    """Put ``one + other`` into `target` if it is less, in words with a carry; whether it was."""
    words = len(target)
    if one[0] >= NEVER or other[0] >= NEVER:
        return False
    carry, less, decided = 0, False, False
    # The most significant word that differs decides, so carries must be known first.
    for w in range(words - 1, -1, -1):
        word = one[w] + other[w] + carry
        carry = 0
        if w and word >= 1 << WORD:
            word -= 1 << WORD
            carry = 1
        if word != target[w]:
            less, decided = word < target[w], True
    if not decided or not less:
        return False
    carry = 0
    for w in range(words - 1, -1, -1):
        word = one[w] + other[w] + carry
        carry = 0
        if w and word >= 1 << WORD:
            word -= 1 << WORD
            carry = 1
        target[w] = word
    return True


@compiled
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
        count, left = 0, rest
        while left:
            left &= left - 1
            count += 1
        few = (1 << count) <= len(subs)
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


@compiled
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
