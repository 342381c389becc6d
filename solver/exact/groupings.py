"""All groupings of a small table that are better than a value, each put to the plain check.

For requirements on whole releases and series there is no verdict on a single group. But every release that
keeps the policy keeps what it says of groups, so ``least`` of `subsets` bounds what is left of a release
once some groups are chosen. Depth first, the group of the highest tuple that is left is chosen next, if
what is chosen and the least that the rest can cost stay below the value. Without limits on suppressed
tuples and counterfeits, and with one way to publish a group, no branch is dead: each ends in a grouping
that is better than the value. If all of these fail the check, nothing is better than the value; if all
groupings there are fail it, no release keeps the policy.

What a set of groups breaks by itself, every release with these groups breaks, if requirements say so
(`Structure.closed_under_suppression`): then a beginning of a grouping is put to their check, and stands
for all groupings that begin so.

Groups with the same members and different counterfeits are different groups here: all that keep what the
policy says of groups are tried, up to the limit, or what the first level leaves room for.
"""

# pyright: reportReturnType=false, reportArgumentType=false

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np

from ...models.compiled import compiled
from ...models.losses.base import loss
from ...models.problem import Problem
from ...models.problem_view import fake_cap
from ...models.release import QIGroup, Release
from .costs import WORD, LevelCosts, Packed
from .least_costs import NEVER, SubsetCosts, Task, compared
from .sets import BeyondReachError, Ints, members
from .subsets import Subsets

__all__ = ["MOST_COUNTED", "MOST_GROUPINGS", "SECONDS", "Groupings", "refusal"]

MOST_GROUPINGS = 100_000
"""Groupings and beginnings of groupings that are put to the check: a minute or two."""
MOST_COUNTED, SECONDS = 20_000, 30.0
"""How many of them, and how long, where it is not known before that they are few enough."""


def refusal(problem: Problem) -> str | None:
    """Why the groupings of a problem are not all its releases, in words; None if they are."""
    if problem.policy.counts("hidden_cells"):
        return "cells to be hidden are chosen beside the groups: releases are more than groupings"
    return None


@dataclass(frozen=True)
class _Chosen:
    """The beginning of a grouping."""

    groups: tuple[QIGroup, ...] = ()
    suppressed: tuple[int, ...] = ()
    fakes: int = 0
    costs: tuple[int, ...] = ()


@dataclass(kw_only=True)
class Groupings:
    """Groupings of one problem's table, cheapest continuations first.

    Parameters
    ----------
    subsets : Subsets
        Of the problem; its groups are looked for as far as needed.
    most : int
        Groupings that may be put to the check.

    Attributes
    ----------
    number : int
        Groupings, and beginnings that stand for all that begin so, put to the check so far: all failed,
        but the ones that were yielded.

    Raises
    ------
    BeyondReachError
        If there are too many, or time is over.
    """

    subsets: Subsets
    most: int = MOST_GROUPINGS
    number: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.problem, sets = self.subsets.problem, self.subsets.sets
        why = refusal(self.problem)
        if why is not None:
            raise BeyondReachError(why)
        admissible = self.subsets.admissible
        if admissible.known < 0:
            admissible.deepen()
        # What is no group yet may be one with more counterfeits.
        fewest = admissible.fewest.copy()
        if not admissible.complete:
            fewest[1:][fewest[1:] < 0] = admissible.known + 1
        groups = np.flatnonzero(fewest >= 0)
        self._levels: list[LevelCosts] = []
        for index in range(len(self.problem.policy.levels)):
            level = self.subsets.level(index, fewest)
            if level.kind == "max":
                break
            self._levels.append(level)
        self._packed = Packed.of(self._levels, len(groups), sets.count)
        task = Task(
            groups=groups,
            fakes=fewest,
            kept=np.ones(len(groups), dtype=np.bool_),
            hidden=np.full(sets.count, self.subsets.suppressed > 0),
        )
        self._program = SubsetCosts(self._packed, task, self.subsets.clock)
        self._faked = self.problem.policy.counterfeit_limit != 0
        self._groupwise = self.problem.policy.group_requirements
        others = self.problem.policy.joint_requirements
        self._closed = [r for r in others if r.structure(self.problem).closed_under_suppression]
        self._ways: dict[tuple[int, int], list[tuple[QIGroup, tuple[int, ...]]]] = {}
        self._alone: dict[tuple[int, tuple[tuple[str, int], ...]], bool] = {}
        self._values: tuple[Fraction, ...] | None = None

    def better(self, values: Sequence[Fraction] | None) -> Iterator[Release]:
        """Yield releases that keep the policy, each better than the one before, the first than `values`.

        When nothing more is yielded, no release is better than the last one (or than `values`; if these are
        None, no release keeps the policy).
        """
        self._values = None if values is None else tuple(values)
        start = _Chosen(costs=(0,) * len(self._levels))
        yield from self._descend(self.subsets.sets.whole, start)

    # -- the search ----------------------------------------------------------------------

    def _descend(self, rest: int, chosen: _Chosen) -> Iterator[Release]:
        if self.subsets.clock.over:
            raise BeyondReachError("the time limit ended the list of groupings")
        if not rest:
            yield from self._finished(chosen)
            return
        top = rest.bit_length() - 1
        for group in self._children(rest, chosen):
            if not group:
                yield from self._without(rest, top, chosen)
                continue
            for made, costs in self._published(group, chosen):
                further = _Chosen((*chosen.groups, made), chosen.suppressed, chosen.fakes + made.fakes, costs)
                if self._room(costs) > self._left(rest ^ group) and self._may_begin(group, further):
                    yield from self._descend(rest ^ group, further)

    def _without(self, rest: int, top: int, chosen: _Chosen) -> Iterator[Release]:
        """The highest tuple is suppressed."""
        if len(chosen.suppressed) == self.subsets.suppressed:
            return
        price = tuple(level.tuples[top] for level in self._levels)
        costs = tuple(map(sum, zip(chosen.costs, price, strict=True)))
        further = _Chosen(chosen.groups, (*chosen.suppressed, top), chosen.fakes, costs)
        if self._room(costs) > self._left(rest ^ 1 << top):
            yield from self._descend(rest ^ 1 << top, further)

    def _finished(self, chosen: _Chosen) -> Iterator[Release]:
        if not chosen.groups:
            return
        release = self._release(chosen)
        values = self.problem.objective(release)
        if self._values is not None and values >= self._values:
            return
        if self._count() and next(self.problem.check(release), None) is None:
            self.number -= 1
            self._values = values
            yield release

    def _count(self) -> bool:
        self.number += 1
        if self.number > self.most:
            raise BeyondReachError(f"more than {self.most} groupings would have to be checked")
        return True

    def _may_begin(self, number: int, chosen: _Chosen) -> bool:
        """Whether requirements closed under suppression allow these groups, whatever the others are."""
        if not self._closed:
            return True
        last = chosen.groups[-1]
        key = (number, last.counterfeits)
        if key not in self._alone:
            self._alone[key] = self._kept(_Chosen((last,)))
        if not self._alone[key]:
            return False
        return len(chosen.groups) == 1 or self._kept(chosen)

    def _kept(self, chosen: _Chosen) -> bool:
        release, history = self._release(chosen), self.problem.history
        good = all(next(r.check(release, history), None) is None for r in self._closed)
        if not good:
            self._count()
        return good

    def _release(self, chosen: _Chosen) -> Release:
        table = self.problem.table
        inside = {who for group in chosen.groups for who in group.respondents}
        return Release(
            groups=chosen.groups,
            suppressed=tuple(m for m in table.members if m.respondent not in inside),
            attributes=table.attributes,
            sensitive=table.sensitive.name,
            form=self.problem.policy.form,
        )

    # -- costs ---------------------------------------------------------------------------

    def _room(self, costs: Sequence[int]) -> int:
        """What the rest must stay below, packed, if these costs were chosen already."""
        if self._values is None:
            return 1 << (WORD * self._packed.groups.shape[1])
        total = 0
        levels = zip(self._packed.bases, self._levels, costs, self._values, strict=False)
        for base, level, cost, value in levels:
            limit = level.reached(value, self.problem)
            left = limit - cost
            if left < 0:
                return total
            if left > level.most:
                return total + base * (level.most + 1)
            total += base * left
            if level.value(limit, self.problem) != value:
                # Costs below the limit are below the value, and the limit is above it.
                return total
        # What is equal in all these levels may still be better in the next one, if that is no sum.
        return total + (len(self._levels) < len(self._values))

    def _left(self, rest: int) -> int:
        """The least that a set can cost, packed; above all room if it cannot be grouped."""
        words = self._program.least[rest, 0, 0]
        return 1 << 62 * len(words) if words[0] >= NEVER else self._packed.number(words)

    def _children(self, rest: int, chosen: _Chosen) -> list[int]:
        """Groups of the highest tuple of a set that may lead to something better; 0 if it is suppressed."""
        below = self._room(chosen.costs)
        if not below:
            return []
        room, program = self._packed.words(below - 1), self._program
        found = _within(program.cost, program.least[:, 0, 0], program.price, rest, room)
        groups = sorted(zip(*found, strict=True), key=lambda pair: pair[::-1])
        return [int(group) for group, _ in groups]

    # -- groups --------------------------------------------------------------------------

    def _published(self, number: int, chosen: _Chosen) -> Iterator[tuple[QIGroup, tuple[int, ...]]]:
        """The ways to publish a set, with the costs of all that is chosen then."""
        room = self._fakes_left(chosen) if self._faked else 0
        for group, costs in self._of(number, room):
            yield group, tuple(map(sum, zip(chosen.costs, costs, strict=True)))

    def _fakes_left(self, chosen: _Chosen) -> int:
        limit = self.problem.policy.counterfeit_limit
        rooms = [] if limit is None else [limit - chosen.fakes]
        if self._levels and self._levels[0].fake > 0 and self._values is not None:
            spent = Fraction(chosen.costs[0], self._levels[0].scale)
            rooms.append(max(0, int((self._values[0] - spent) / self._levels[0].fake)))
        if not rooms:
            raise BeyondReachError("any number of counterfeits may be added")
        return min(rooms)

    def _of(self, number: int, room: int) -> list[tuple[QIGroup, tuple[int, ...]]]:
        """Groups with these members and at most so many counterfeits that keep what is said of groups."""
        known = self._ways.get((number, room))
        if known is not None:
            return known
        found: list[tuple[QIGroup, tuple[int, ...]]] = []
        values, cap = self.problem.values, fake_cap(self.problem)
        for fakes in range(room + 1):
            for chosen in combinations_with_replacement(values, fakes):
                extra = {value: chosen.count(value) for value in chosen}
                if max(extra.values(), default=0) > cap:
                    continue
                if self.subsets.clock.over:
                    raise BeyondReachError("the time limit ended the list of groupings")
                (group,) = self.problem.assemble([members(number)], [extra]).groups
                if not self._faked or all(r.admits(group, self.problem.context) for r in self._groupwise):
                    found.append((group, self._costs(group)))
        self._ways[number, room] = found
        return found

    def _costs(self, group: QIGroup) -> tuple[int, ...]:
        table = self.problem.table
        return tuple(
            len(group.members) - 1
            if each.kind == "ratio"
            else int(
                each.scale
                * sum((w * loss(name).of_group(group, table) for name, w in each.level.weights), Fraction(0))
            )
            for each in self._levels
        )


@compiled
def _within(cost: Ints, least: Ints, price: Ints, number: int, room: Ints) -> tuple[Ints, Ints]:
    """Groups of a set's highest tuple that cost, with the rest, at most `room`; 0 stands for none.

    With each its order: the most significant word of that cost.
    """
    bit = 1
    top = 0
    while bit << 1 <= number:
        bit <<= 1
        top += 1
    rest = number ^ bit
    groups, order = np.empty(16, dtype=np.int64), np.empty(16, dtype=np.int64)
    found = 0
    sub = rest
    hide = True
    while True:
        if hide:
            own, beside = price[top], least[rest]
        else:
            own, beside = cost[bit | sub], least[rest ^ sub]
        if own[0] < NEVER and beside[0] < NEVER:
            sign, first = compared(own, beside, room)
            if sign <= 0:
                if found == len(groups):
                    groups = np.concatenate((groups, np.empty_like(groups)))
                    order = np.concatenate((order, np.empty_like(order)))
                groups[found] = 0 if hide else bit | sub
                order[found] = first
                found += 1
        if hide:
            hide = False
            continue
        if sub == 0:
            break
        sub = (sub - 1) & rest
    return groups[:found], order[:found]
