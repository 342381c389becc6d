"""Near groups taken apart and put together in the best way, in the time that a search has left.

An engine that has nothing left to try, and no proof, leaves time that may better its release. A group is
drawn, and groups near it; of all ways to group their tuples anew the one that loses least is taken: all sets
of up to `LIMITS.together` tuples are judged and measured one by one, and as many tuples are suppressed among
them as before, or fewer. Where groups are too large for that, two of them exchange tuples. A way that loses
the same is taken, too: it leads on. Groups with counterfeits stay as they are.

What a loss or a requirement makes of the whole release is asked when it is offered, and a change that is
not kept is taken back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from math import lcm
from random import Random
from typing import TypeAlias

import numpy as np

from ...models.losses.base import Loss, loss
from ...models.problem import Problem
from ...models.problem_view import smallest_group
from ..ending import concluded, search_clock
from ..incumbent import BestRelease
from ..settings import Answer, Clock, Settings, Watch
from ..status import Status, Termination
from .partition.enumerated.columns import NamedColumn, column_of, group_of, released
from .partition.enumerated.judge import GroupVerdicts

__all__ = ["rearranged"]

Rows: TypeAlias = tuple[int, ...]
Costs: TypeAlias = tuple[Fraction, ...]


@dataclass(frozen=True, kw_only=True)
class RearrangingLimits:
    """How far groups are taken apart."""

    together: int = 10
    """Tuples of which all sets are looked at."""
    near: int = 6
    """Groups around one that may be chosen with it."""
    pairs: int = 200
    """Exchanges of two groups, or cuts of one, that are tried."""
    known: int = 200_000
    """Groups whose costs are remembered."""
    cut: float = 0.3
    """How often a group that is large enough is cut instead."""
    aside: int = 2
    """Suppressed tuples that are looked at in one step."""


LIMITS = RearrangingLimits()


def rearranged(problem: Problem, answer: Answer, settings: Settings, watch: Watch) -> Answer:
    """The answer of a search, with a better release if there is time left and one is found.

    Parameters
    ----------
    problem : Problem
    answer : Answer
        As it is if its search was ended by anything but itself, or found no release.
    settings, watch
        Of the search: its limit.
    """
    early = (answer.status, answer.termination) == (Status.FEASIBLE, Termination.ITERATION_LIMIT)
    asked = settings.time_limit is not None and settings.extend is None and not settings.first
    if (
        not (early and asked)
        or answer.interrupted
        or answer.release is None
        or problem.policy.recoding != "multidimensional"
    ):
        return answer
    if answer.release.hidden_cells:  # nothing here says which cells to hide
        return answer
    clock = search_clock(problem, settings, watch)
    best = BestRelease(problem, watch, clock)
    best.offer(answer.release, checked=True)
    best.raise_bounds(answer.bounds)
    interrupted = False
    try:
        RearrangingSearch(problem, best, settings.seed, clock).run()
    except KeyboardInterrupt:
        interrupted = True

    def found() -> Answer:
        ended = best.answer(interrupted=interrupted, late=clock.ended)
        return replace(
            answer,
            release=ended.release,
            bounds=ended.bounds,
            status=ended.status,
            termination=ended.termination,
            interrupted=ended.interrupted,
        )

    return concluded(found)


class RearrangingSearch:
    """State of one search.

    Parameters
    ----------
    problem : Problem
    best : BestRelease
        Has a release.
    seed : int
    clock : Clock
    """

    def __init__(self, problem: Problem, best: BestRelease, seed: int, clock: Clock) -> None:
        self.problem, self.best, self.clock = problem, best, clock
        self._draw = Random(seed)
        self._judge, self._least = GroupVerdicts(problem), max(1, smallest_group(problem))
        self._levels = problem.policy.levels
        self._kinds = [loss(level.weights[0][0]).combine for level in self._levels]
        # Only then a way that costs the same is as good.
        self._alike = {*self._kinds} <= {"sum", "ratio"} and not problem.policy.joint_requirements
        self._known: dict[Rows, Costs | None] = {}
        assert best.best is not None
        row = problem.table.row
        columns = [column_of(group, row) for group in best.best.groups]
        self._stay = [column for column in columns if column.made]
        self._groups = [column.rows for column in columns if not column.made]
        self._hidden = [row[member.respondent] for member in best.best.suppressed]
        self._spare = problem.policy.suppression_limit(len(problem.table)) - len(self._hidden)
        spans = np.maximum(1, np.ptp(problem.table.codes, axis=0))
        self._places = problem.table.codes / spans

    def run(self) -> None:
        """Change groups until time is over, or the release is proven best."""
        free = [t for group in self._groups for t in group]
        if len(free) + len(self._hidden) <= LIMITS.together and len(self._hidden) <= LIMITS.aside:
            # All ways at once.
            way = self._best_way([*free, *self._hidden], len(self._hidden))
            self._change(self._groups, self._hidden, way)
            return
        while self._groups and not (self.clock.over or self.best.closed):
            self._step()

    def _step(self) -> None:
        """Take some near groups apart."""
        groups, hidden = self._chosen()
        if sum(map(len, groups)) + len(hidden) <= LIMITS.together:
            self._change(groups, hidden, self._best_way([t for g in groups for t in g] + hidden, len(hidden)))
        elif len(groups) < 2 or (len(groups[0]) >= 2 * self._least and self._draw.random() < LIMITS.cut):
            self._change(groups[:1], [], self._cut(groups[0]))
        else:
            self._change(groups[:2], [], self._exchanged(groups[0], groups[1]))

    def _chosen(self) -> tuple[list[Rows], list[int]]:
        """A group and others near it, as many as can be looked at together, or one; suppressed tuples."""
        first = self._draw.choice(self._groups)
        middle = self._places[list(first)].mean(axis=0)
        centres = np.array([self._places[list(group)].mean(axis=0) for group in self._groups])
        far = np.abs(centres - middle).sum(axis=1)
        order = [self._groups[i] for i in np.argsort(far, kind="stable").tolist()]
        near = [group for group in order if group is not first][: LIMITS.near]
        self._draw.shuffle(near)
        hidden = self._draw.sample(self._hidden, min(len(self._hidden), self._draw.randint(0, LIMITS.aside)))
        found, room = [first], LIMITS.together - len(first) - len(hidden)
        for group in near:
            if len(group) <= room:
                found.append(group)
                room -= len(group)
        return found if len(found) > 1 or hidden or not near else [first, near[0]], hidden

    def _change(
        self, old: Sequence[Rows], hidden: Sequence[int], new: tuple[list[Rows], list[int]] | None
    ) -> None:
        """Replace groups and suppressed tuples, if the release is as good."""
        if new is None:
            return
        groups, aside = new
        before = self._total(old, hidden), self._groups, self._hidden, self._spare
        now = self._total(groups, aside)
        if now > before[0] or (now == before[0] and not self._alike):
            return
        gone = set(old)
        self._groups = [group for group in self._groups if group not in gone] + groups
        self._hidden = [t for t in self._hidden if t not in hidden] + aside
        self._spare += len(hidden) - len(aside)
        if now < before[0]:
            columns = [*self._stay, *(NamedColumn(group) for group in self._groups)]
            if not self.best.offer(released(self.problem, columns), "groups put together anew"):
                _, self._groups, self._hidden, self._spare = before

    # -- ways to group some tuples ----------------------------------------------------------

    def _best_way(self, tuples: list[int], hidden: int) -> tuple[list[Rows], list[int]] | None:
        """The best groups of some tuples, of all; as many are suppressed as were, or as many as may be.

        Complexity: O(3^n) sums for n tuples, after 2^n groups were measured.
        """
        self._draw.shuffle(tuples)  # of ways that cost the same it is not always one
        count = len(tuples)
        costs: dict[int, Costs] = {}
        for number in range(1, 1 << count):
            if number.bit_count() >= self._least:
                if self.clock.over:
                    return None
                found = self._cost(tuple(sorted(t for i, t in enumerate(tuples) if number >> i & 1)))
                if found is not None:
                    costs[number] = found
        aside = min(hidden + max(0, self._spare), LIMITS.aside)
        single = [self._cost_of_suppressed(t) for t in tuples] if aside else []
        units = _packed([*costs.values(), *single], count)
        least, last = _least({n: units(cost) for n, cost in costs.items()}, count)
        whole, best = (1 << count) - 1, None
        for number in range(aside + 1):
            for left in combinations(range(count), number):
                rest = whole - sum(1 << i for i in left)
                if rest in least:
                    total = least[rest] + sum(units(single[i]) for i in left)
                    if best is None or total < best[0]:
                        best = total, rest, left
        if best is None:
            return None
        _, rest, left = best
        groups = list[Rows]()
        while rest:
            number = last[rest]
            groups.append(tuple(sorted(t for i, t in enumerate(tuples) if number >> i & 1)))
            rest ^= number
        return groups, [tuples[i] for i in left]

    def _exchanged(self, one: Rows, other: Rows) -> tuple[list[Rows], list[int]] | None:
        """Two groups after a tuple moved, or two changed places, in the first way found that loses less."""
        before = self._total([one, other], [])
        ways: list[tuple[int | None, int | None]] = [(t, u) for t in (*one, None) for u in (*other, None)]
        self._draw.shuffle(ways)
        for t, u in ways[: LIMITS.pairs]:
            if self.clock.over:
                return None
            groups = [_without(one, t, u), _without(other, u, t)]
            small = any(len(group) < self._least for group in groups)
            if t is u or small or any(self._cost(group) is None for group in groups):
                continue
            if self._total(groups, []) < before:
                return groups, []
        return None

    def _cut(self, group: Rows) -> tuple[list[Rows], list[int]] | None:
        """A group cut along an attribute, in the first way found that loses less."""
        before = self._total([group], [])
        ways = [
            (a, size)
            for a in range(self._places.shape[1])
            for size in range(self._least, len(group) - self._least + 1)
        ]
        self._draw.shuffle(ways)
        for a, size in ways[: LIMITS.pairs]:
            if self.clock.over:
                return None
            order = sorted(group, key=lambda t, a=a: (self._places[t, a], self._draw.random()))
            parts = [tuple(sorted(order[:size])), tuple(sorted(order[size:]))]
            if all(self._cost(part) is not None for part in parts) and self._total(parts, []) < before:
                return parts, []
        return None

    # -- costs --------------------------------------------------------------------------------

    def _total(self, groups: Sequence[Rows], hidden: Sequence[int]) -> Costs:
        """What groups and suppressed tuples cost, level by level, as far as that is a sum."""
        found = [cost for group in groups if (cost := self._cost(group)) is not None]
        found += [self._cost_of_suppressed(t) for t in hidden]
        return tuple(sum(level, Fraction(0)) for level in zip(*found, strict=True))

    def _cost(self, rows: Rows) -> Costs | None:
        """What a group costs, level by level; None if it may not be published."""
        if rows not in self._known:
            if len(self._known) >= LIMITS.known:
                self._known.clear()
            column = NamedColumn(rows)
            self._known[rows] = self._measured(column) if self._judge.admits(column) else None
        return self._known[rows]

    def _measured(self, column: NamedColumn) -> Costs:
        group, table = group_of(self.problem, column), self.problem.table
        return self._by_level(lambda kind: kind.of_group(group, table), len(column.rows) - 1)

    def _cost_of_suppressed(self, t: int) -> Costs:
        member, table = self.problem.table.members[t], self.problem.table
        return self._by_level(lambda kind: kind.of_suppressed(member, table), 1)

    def _by_level(self, of: Callable[[Loss], Fraction], closed: int) -> Costs:
        """Sums of losses; `closed` where only tuples that open no group count, 0 where nothing is summed."""
        found = list[Fraction]()
        for level, kind in zip(self._levels, self._kinds, strict=True):
            summed = level.weights if kind == "sum" else ()
            found.append(sum((weight * of(loss(name)) for name, weight in summed), Fraction(0)))
            if kind == "ratio":
                found[-1] = Fraction(closed)
        return tuple(found)


def _without(group: Rows, gone: int | None, come: int | None) -> Rows:
    """A group after a tuple left it, or came, or both."""
    return tuple(sorted([*(t for t in group if t != gone), *(() if come is None else (come,))]))


def _packed(costs: Sequence[Costs], most: int) -> Callable[[Costs], int]:
    """Levels as one integer, the first ones before all that so many costs of the others can be."""
    units, base = list[Fraction](), 1
    for level in reversed(list(zip(*costs, strict=True))):
        scale = lcm(*{cost.denominator for cost in level})
        units.insert(0, Fraction(scale * base))
        base *= int(max(level) * scale) * most + 1
    return lambda cost: int(sum((unit * part for unit, part in zip(units, cost, strict=True)), Fraction(0)))


def _least(costs: dict[int, int], count: int) -> tuple[dict[int, int], dict[int, int]]:
    """What each set of tuples costs at least in groups, if it can be grouped, and a group of it then."""
    least, last = {0: 0}, dict[int, int]()
    for whole in range(1, 1 << count):
        low = whole & -whole
        rest = others = whole ^ low
        while True:
            group = low | others
            left = least.get(whole ^ group)
            if left is not None and group in costs:
                total = left + costs[group]
                if whole not in least or total < least[whole]:
                    least[whole], last[whole] = total, group
            if not others:
                break
            others = (others - 1) & rest
    return least, last
