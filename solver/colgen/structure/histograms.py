"""Which histograms of sensitive values a group may need to have.

If verdicts depend on published values alone and a group's histogram is the sum of two
admissible ones, its members can be split into two admissible groups. Their boxes lie in the old
one, so information loss cannot rise: the group never needs to exist. Only *indecomposable*
admissible histograms are left, and all of them are small if the requirement knows a size from
which every histogram splits. The reasoning needs no monotonicity, only both parts admissible.

They are stored as an automaton that reads a group tuple by tuple, so that a search knows at each
step what is still missing and stops where nothing needed can come. Where values are
alike, a state is the sorted list of counts and a step raises one count; otherwise a state is the
count of each value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ....models.history import History
from ....models.memo import memoized
from ....models.problem_view import ProblemView
from ....models.structure import DependsOn
from ....models.verdicts import Context, GroupJudge, admitted, group_judges, of_histogram
from ..covering import Steps
from ..limits import PRICING as LIMITS

__all__ = ["Histograms", "Judge", "by_sizes_alone"]

Counts: TypeAlias = tuple[int, ...]

NEVER = 1 << 30


class Judge:
    """Verdicts of a policy on histograms; values are numbered in sorted order."""

    def __init__(self, problem: ProblemView, requirements: list[GroupJudge] | None = None) -> None:
        self.problem, self.context = problem, Context.before(problem)
        self.requirements = [*group_judges(problem)] if requirements is None else requirements
        self.names = sorted(problem.table.histogram)
        declared = [r.structure(problem) for r in self.requirements]
        self._alike = [structure.exchangeable for structure in declared]
        self._blind = [structure.depends_on is DependsOn.SIZE for structure in declared]
        self.alike, self.blind = all(self._alike), all(self._blind)
        self._known: dict[Counts, bool] = {}

    @cached_property
    def least(self) -> int:
        """No smaller group is admissible."""
        return max((r.bounds(self.problem).smallest for r in self.requirements), default=1)

    @cached_property
    def most_alike(self) -> int:
        """How often one value may be in a smallest group whose others are all different.

        No limit, if values are told apart or no such group is admissible.
        """
        least = self.least
        if self.blind or not self.alike or least > len(self.names):
            return least
        tried = range(least, 0, -1)
        return next((often for often in tried if self.admits((often, *[1] * (least - often)))), least)

    @property
    def told_apart(self) -> int:
        """How many values are told apart: one where only sizes matter."""
        return 1 if self.blind else len(self.names)

    def seen(self, value: NDArray[np.int64]) -> NDArray[np.int64]:
        """Values, all one where they are not told apart."""
        return np.zeros_like(value) if self.blind else value

    def admits(self, counts: Counts) -> bool:
        """Whether a group with these counts of values keeps every requirement."""
        key = tuple(sorted(filter(None, counts), reverse=True)) if self.alike or self.blind else counts
        if key not in self._known:
            self.learn([key])
        return self._known[key]

    @property
    def admits_all(self) -> bool:
        """Whether all tuples of the table together would keep every requirement."""
        return self.admits(tuple(self.problem.table.histogram[name] for name in self.names))

    def learn(self, states: Sequence[Counts]) -> None:
        """Find the verdicts on many histograms at once; counts fall if values are alike."""
        counts = np.zeros((len(states), len(self.names)), dtype=np.int64)
        for line, state in enumerate(states):
            counts[line, : len(state)] = state
        good = self.verdicts(counts)
        self._known |= zip(states, good.tolist(), strict=True)

    def verdicts(self, counts: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether groups with these counts of values, one per line, keep every requirement; nothing is kept.

        Where only sizes matter, they may come as one column.
        """
        names, context = tuple(self.names), self.context
        counts = np.pad(counts, ((0, 0), (0, len(names) - counts.shape[1])))
        shown = names[:1] * len(names) if self.blind else names
        return admitted(
            self.requirements, counts, names, context, lambda line: of_histogram(shown, counts[line].tolist())
        )

    @cached_property
    def different(self) -> bool:
        """Whether one group of everybody may not do, but any smallest ones of different values do."""
        sizes = range(self.least, min(2 * self.least, len(self.names) + 1))
        monotone = all(r.structure(self.problem).monotone for r in self.requirements)
        if monotone or self.blind or not (self.alike and sizes):
            return False
        return all(self.admits((1,) * size) for size in sizes)

    def divisible(self, counts: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether tuples with these counts, one line each, are known to make admissible groups.

        All together, or dealt to as many groups as there may be, so that each has different values.
        """
        found = self.verdicts(counts)
        return found | self._dealt(counts) if self.different else found

    def divides(self, counts: NDArray[np.int64]) -> bool:
        """The same of a single line, with verdicts that are remembered."""
        dealt = self.different and bool(self._dealt(counts))
        return dealt or self.admits(tuple(counts.tolist()))

    def _dealt(self, counts: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether no value is more frequent than there may be groups."""
        return counts.max(axis=-1) <= counts.sum(axis=-1) // self.least

    def alone(self) -> Judge:
        """The same verdicts with nothing of the problem but requirements and the table's histogram."""
        found = Judge.__new__(Judge)
        found.context = replace(self.context, history=History())
        found.requirements = [replace(r) for r in self.requirements]  # without what they remember
        found.names, found.alike, found.blind = self.names, self.alike, self.blind
        found._alike, found._blind = list(self._alike), list(self._blind)
        found.least, found.most_alike = self.least, self.most_alike
        found.different = self.different
        found._known = {}
        return found

    def without(self, place: int) -> Judge:
        """The verdicts of all requirements but one, on groups of at least the same size."""
        found = self.alone()
        for of_each in (found.requirements, found._alike, found._blind):
            del of_each[place]
        found.alike, found.blind = all(found._alike), all(found._blind)
        return found


def by_sizes_alone(judge: Judge) -> bool:
    """Whether a least size is all that is asked of groups."""
    return judge.blind and all(r.structure(judge.problem).monotone for r in judge.requirements)


@dataclass(frozen=True, kw_only=True)
class Histograms:
    """Needed histograms as an automaton.

    Attributes
    ----------
    steps : Steps
        The form compiled code reads.
    states : tuple of tuple of int
    distinct : int or None
        If admissible are exactly the groups of at least so many different values, and as many tuples as the
        smallest of them has: any further ones may join.
    """

    steps: Steps
    states: tuple[Counts, ...]
    distinct: int | None = None

    def upto(self, size: int) -> Histograms:
        """As if only groups of up to `size` tuples were needed."""
        states = tuple(state for state in self.states if sum(state) <= size)
        needed = {
            state
            for state, flag in zip(self.states, self.steps.needed, strict=True)
            if flag and sum(state) <= size
        }
        values = max(len(state) for state in self.states)
        steps = _steps(states, needed, size, beyond=False, alike=self.steps.alike, values=values)
        return Histograms(steps=steps, states=states)

    def one_of_each(self, values: int) -> bool:
        """Whether the only needed histogram has each of `values` values once."""
        needed = [state for state, flag in zip(self.states, self.steps.needed, strict=True) if flag]
        return not self.steps.beyond and needed == [(1,) * values]

    @classmethod
    def of(cls, problem: ProblemView) -> Histograms | str:
        """Find the needed histograms, or say why that is out of reach.

        Complexity: at most `LIMITS.states` states, and for each admissible one its ways to split.
        """
        return _histograms(problem)

    @classmethod
    def _of(cls, problem: ProblemView) -> Histograms | str:
        judge = Judge(problem)
        found = sorted(problem.table.histogram.items())
        room = (len(problem.table),) if judge.blind else tuple(count for _, count in found)
        binding = list(judge.requirements)
        for requirement in judge.requirements:
            # One after the other: two that imply one another must not both go.
            if _implied(requirement, [r for r in binding if r is not requirement], judge):
                binding.remove(requirement)
        alike = judge.alike or judge.blind
        known = _splits_from(binding, judge, room, alike=alike)
        limit = min(len(problem.table), LIMITS.read if known is None else known - 1)
        beyond = known is None and limit < len(problem.table)
        levels = _reachable(room, limit, alike=alike)
        if len(levels) <= limit:
            if known is not None:
                return f"groups of up to {limit} tuples may be needed, with too many histograms to list"
            limit, beyond = len(levels) - 1, True
        states = tuple(state for level in levels[: limit + 1] for state in level)
        judge.learn(states)
        admissible = {state for state in states if judge.admits(state)}
        if not admissible and beyond:
            return f"no histogram of up to {limit} tuples is admissible, and larger ones are too many to list"
        least = min((sum(state) for state in admissible), default=0)
        needed = {state for state in admissible if not _splits(state, judge, least, alike=alike)}
        if not beyond:
            limit = max((sum(state) for state in needed), default=0)
            states = tuple(state for state in states if sum(state) <= limit)
        return cls(
            steps=_steps(states, needed, limit, beyond=beyond, alike=alike, values=len(room)),
            states=states,
            distinct=_distinct(judge) if beyond else None,
        )


@memoized
def _histograms(problem: ProblemView) -> Histograms | str:
    return Histograms._of(problem)  # pyright: ignore[reportPrivateUsage]


def _implied(requirement: GroupJudge, beside: list[GroupJudge], judge: Judge) -> bool:
    """Whether a requirement on sizes holds for every group that the smallest sizes of others allow."""
    problem, value = judge.problem, judge.names[0]
    others, structure = [r.bounds(problem).smallest for r in beside], requirement.structure(problem)
    if not others or structure.depends_on is not DependsOn.SIZE:
        return False
    if structure.overlap is not None:
        return True  # if it looks at sizes only, nobody meets an earlier group
    first, most = max(others), len(problem.table)
    counts = np.zeros((max(0, most - first + 1), len(judge.names)), dtype=np.int64)
    counts[:, 0] = np.arange(first, first + len(counts))
    verdicts = requirement.admits_counts(counts, tuple(judge.names), judge.context) if len(counts) else None
    if verdicts is not None:
        return bool(verdicts.all())
    return all(
        requirement.admits(of_histogram([value], [size]), judge.context) for size in range(first, most + 1)
    )


def _distinct(judge: Judge) -> int | None:
    """How many different values groups must have, if nothing but that and a least size is asked of them."""
    known, size = list[int](), np.zeros((len(judge.problem.table), len(judge.names)), dtype=np.int64)
    size[:, 0] = np.arange(1, len(size) + 1)
    for requirement in judge.requirements:
        structure = requirement.structure(judge.problem)
        if structure.distinct is not None:
            known.append(structure.distinct)
        elif structure.depends_on is not DependsOn.SIZE or structure.overlap is not None:
            return None
        else:
            verdicts = requirement.admits_counts(size, tuple(judge.names), judge.context)
            if verdicts is None or (np.diff(verdicts.astype(np.int8)) < 0).any():
                return None
    return max(known, default=None)


def _splits_from(binding: list[GroupJudge], judge: Judge, room: Counts, *, alike: bool) -> int | None:
    """A size from which every admissible histogram splits into two admissible ones, if one is known.

    Of several requirements one will do whose admissible histograms below its size keep all the others
    as well: whatever is admissible splits, by that one requirement, into such histograms.
    """
    for requirement in binding:
        size = requirement.structure(judge.problem).decomposable_from
        if len(binding) == 1:
            return size
        if size is None:
            continue
        levels = _reachable(room, size - 1, alike=alike)
        own = Judge(judge.problem, [requirement])
        listed = [state for level in levels for state in level]
        own.learn(listed)
        small = [state for state in listed if own.admits(state)]
        judge.learn(small)
        if len(levels) == size and all(judge.admits(state) for state in small):
            return size
    return None


def _reachable(room: Counts, limit: int, *, alike: bool) -> list[list[Counts]]:
    """Histograms that fit into the table, by size; stops before there are too many."""
    sorted_room = tuple(sorted(room, reverse=True))
    levels: list[list[Counts]] = [[() if alike else (0,) * len(room)]]
    total = 1
    for _ in range(limit):
        grown: set[Counts] = set()
        for state in levels[-1]:
            grown |= {after for after, _ in _grown(state, sorted_room if alike else room, alike=alike)}
        total += len(grown)
        if total > LIMITS.states:
            break
        levels.append(sorted(grown))
    return levels


def _grown(state: Counts, room: Counts, *, alike: bool) -> Iterator[tuple[Counts, int]]:
    """Histograms with one more tuple, and the label of that step."""
    if not alike:
        for v, count in enumerate(state):
            if count < room[v]:
                yield (*state[:v], count + 1, *state[v + 1 :]), v
        return
    for count in {*state, 0}:
        at = state.index(count) if count else len(state)
        if at < len(room) and count < room[at]:
            yield (*state[:at], count + 1, *state[at + 1 :]), count


def _splits(state: Counts, judge: Judge, least: int, *, alike: bool) -> bool:
    """Whether an admissible histogram is the sum of two admissible ones."""
    if sum(state) < 2 * least:
        return False
    return any(
        least <= sum(part) <= sum(state) - least
        and judge.admits(part)
        and judge.admits(tuple(whole - taken for whole, taken in zip(state, part, strict=True)))
        for part in _parts(state, alike=alike)
    )


def _parts(state: Counts, *, alike: bool) -> Iterator[Counts]:
    """Sub-histograms; where values are alike, equal counts are taken in falling order only."""

    def extend(at: int, taken: Counts) -> Iterator[Counts]:
        if at == len(state):
            yield taken
            return
        top = state[at]
        if alike and at and state[at - 1] == top:
            top = taken[-1]
        half = state[at] // 2
        for amount in sorted(range(top + 1), key=lambda a: abs(a - half)):
            yield from extend(at + 1, (*taken, amount))

    return extend(0, ())


def _steps(
    states: tuple[Counts, ...], needed: set[Counts], limit: int, *, beyond: bool, alike: bool, values: int
) -> Steps:
    number = {state: i for i, state in enumerate(states)}
    labels = limit if alike else values
    step = np.full((len(states), max(1, labels)), -1, dtype=np.int32)
    missing = np.full(len(states), NEVER, dtype=np.int64)
    for i in range(len(states) - 1, -1, -1):
        state = states[i]
        if state in needed:
            missing[i] = 0
        elif beyond and sum(state) == limit:
            missing[i] = 1
        for after, label in _grown(state, (NEVER,) * values, alike=alike):
            j = number.get(after, -1)
            if j >= 0 and missing[j] < NEVER:
                step[i, label] = j
                missing[i] = min(missing[i], missing[j] + 1)
    flags = np.array([state in needed for state in states])
    most = limit + 1 if beyond else max((max(state) for state in needed), default=0)
    return Steps(step, missing, flags, alike, limit, beyond, most)
