"""Groups that are changed in place, each change judged: what may stay, and the cheapest safe ones met."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ....baselines.widths import Ints
from .arrays import Board, exchange
from .batches import alike
from .judge import Judging
from .limits import WITHSTAND_LIMITS as LIMITS
from .moves import MovesFound, Rule, linked_to
from .regroup import members_of, settle

__all__ = ["SafeGroups"]


class SafeGroups:
    """Groups, who can be inferred from them, and the cheapest safe ones met.

    Parameters
    ----------
    board : Board
        Its groups are the start.
    rule : Rule
        Its price is set here.
    judge : Judging
    admits : callable
        Whether requirements on groups allow a histogram.
    seed : int
    allowed : int
        So many rows may be left out.
    invented : int
        So many counterfeits may be published.

    Attributes
    ----------
    cost : int
        Of the groups as they are.
    inferred : set of int
        People who can be inferred.
    best : int64 array or None
        Group of each row in the cheapest safe release met.
    with_best : int64 array
        Counterfeits of its groups by value.
    tried, made : int
        Moves judged, and made.
    """

    def __init__(
        self,
        board: Board,
        rule: Rule,
        judge: Judging,
        admits: Callable[[tuple[int, ...]], bool],
        seed: int,
        allowed: int = 0,
        invented: int = 0,
    ) -> None:
        self.board, self.rule, self.judge, self.admits = board, rule, judge, admits
        past, groups, _, _, near = board
        self.past, self.groups, self.codes, self.near = past, groups, board.codes, near
        self.allowed, self.invented = allowed, invented
        self.random = np.random.default_rng(seed)
        self._state = np.array([seed % 2**16 + 1], dtype=np.int64)
        self._moves_found = MovesFound(
            lines=np.empty((2 * near.shape[1], 5), dtype=np.int64),
            tried=np.empty(len(groups.size), dtype=np.int64),
            refused=np.full(near.shape, -1, dtype=np.int64),
            closed=np.full(near.shape, -1, dtype=np.int64),
        )
        self.inferred = set(judge.inferred(groups, range(len(past.value))) or ())
        self.cost = int(groups.cost.sum())
        self.tried = self.made = 0
        self.best: Ints | None = None
        self.with_best = groups.faked.copy()
        self.least = 0, 0, 0
        self._keep()

    def back(self) -> None:
        """Return to the cheapest safe release met, if there is one."""
        if self.best is not None:
            self.restore(self.best, self.with_best)

    def restore(self, home: Ints, faked: Ints | None = None) -> None:
        """Return to groups, and their counterfeits, with which nobody can be inferred."""
        if faked is not None:
            self.groups.counts[:] += faked - self.groups.faked
            self.groups.faked[:] = faked
        people = np.flatnonzero(self.groups.of != home)
        self._settle(np.arange(len(self.groups.size)), people, home[people])
        self.cost, self.inferred = int(self.groups.cost.sum()), set[int]()
        self.made += 1
        self.groups.since[:] = self.made

    def begin(self, home: Ints) -> None:
        """Go to groups without counterfeits, whoever can be inferred from them."""
        self.restore(home, np.zeros_like(self.groups.faked))
        self.inferred = set(self.judge.inferred(self.groups, range(len(self.past.value))) or ())
        self._keep()

    def judged_by(self, judge: Judging) -> None:
        """Go on with another judge: nothing that was refused or kept before holds by it."""
        self.judge, self.best = judge, None
        self.inferred = set(judge.inferred(self.groups, range(len(self.past.value))) or ())
        self.made += 1
        self.groups.since[:] = self.made
        self._keep()

    def join(self, p: int, price: int, *, anyway: bool = False) -> bool:
        """Join a row's group with others in the way that costs least, with a price for who can be inferred.

        Whether it was done: only if fewer people can be inferred and that is worth it, unless `anyway`.
        """
        groups = self.groups
        found: list[tuple[int, int, int, tuple[int, ...]]] = []
        for joint in self._joinable(p):
            slots = np.array(joint)
            people, cost = members_of(groups, slots), int(groups.cost[slots].sum())
            old, before = groups.of[people], self._known(people.tolist())
            self._settle(slots, people, np.full_like(people, joint[0]))
            if self.admits(tuple(groups.counts[joint[0]].tolist())):
                more = len(self.judge.inferred(groups, people.tolist()) or ()) - len(before)
                dearer = int(groups.cost[slots].sum()) - cost
                found.append((dearer + price * more, more, dearer, joint))
            self._settle(slots, people, old)
        fewer = [joined for joined in found if joined[1] < 0 and joined[0] < 0]
        if not fewer and not (anyway and found):
            return False
        _, more, dearer, joint = min(fewer or found)
        slots = np.array(joint)
        people = members_of(groups, slots)
        before = self._known(people.tolist())
        self._settle(slots, people, np.full_like(people, joint[0]))
        return self._stays(joint, people.tolist(), before, dearer + max(0, more), dearer, 1)

    def leaves(self, people: Sequence[int], *, anyway: bool = False) -> bool:
        """Leave people of one group out; whether it was done: only if fewer can be inferred, or `anyway`."""
        groups, g = self.groups, int(self.groups.of[people[0]])
        involved, cost = groups.member[g, : groups.size[g]].tolist(), int(groups.cost[g])
        before, gone, slots = self._known(involved), np.array(people), np.array([g])
        self._settle(slots, gone, np.full_like(gone, -1))
        cost = int(groups.cost[g]) - cost
        if self._stays((g,), involved, before, cost + (LIMITS.beyond if anyway else -1), cost, 1):
            return True
        self._settle(slots, gone, np.full_like(gone, g))
        return False

    def returns(self, p: int, homes: Sequence[int]) -> bool:
        """Put somebody who was left out where that costs least and nobody can be inferred."""
        groups, back, dearer = self.groups, np.array([p]), list[tuple[int, int]]()
        for g in homes:
            if groups.size[g] < groups.member.shape[1]:
                before, slots = int(groups.cost[g]), np.array([g])
                self._settle(slots, back, slots)
                dearer.append((int(groups.cost[g]) - before, g))
                self._settle(slots, back, np.full_like(back, -1))
        return any(self.enter([p], g) for _, g in sorted(dearer))

    def joins(self, p: int, homes: Sequence[int]) -> bool:
        """Put somebody who was left out into two groups made one, the cheapest that tell of nobody."""
        groups, found = self.groups, list[tuple[int, int, int]]()
        for at, a in enumerate(homes):
            for b in homes[:at]:
                if groups.size[a] + groups.size[b] < groups.member.shape[1]:
                    slots = np.array([a, b])
                    people = np.append(members_of(groups, slots[1:]), p)
                    old, cost = groups.of[people], int(groups.cost[slots].sum())
                    self._settle(slots, people, np.full_like(people, a))
                    found.append((int(groups.cost[a]) - cost, a, b))
                    self._settle(slots, people, old)
        for dearer, a, b in sorted(found):
            people = np.append(members_of(groups, np.array([b])), p)
            if self.settled(np.array([a, b]), people, np.full_like(people, a), dearer, 1, 0):
                return True
        return False

    def enter(self, people: Sequence[int], g: int) -> bool:
        """Put people who were left out into a group, if nobody can be inferred then; whether it was done."""
        groups, back, slots = self.groups, np.array(people), np.array([g])
        if groups.size[g] + len(people) > groups.member.shape[1]:
            return False
        cost = int(groups.cost[g])
        self._settle(slots, back, np.full_like(back, g))
        cost = int(groups.cost[g]) - cost
        if self._stays((g,), list(people), [], cost, cost, 1):
            return True
        self._settle(slots, back, np.full_like(back, -1))
        return False

    def fewer_with(self, g: int, values: Sequence[int]) -> int:
        """How many fewer people can be inferred with counterfeits of some values in a group."""
        groups = self.groups
        involved = groups.member[g, : groups.size[g]].tolist()
        before = len(self._known(involved))
        self._fake(g, values, 1)
        admitted = self.admits(tuple(groups.counts[g].tolist()))
        after = len(self.judge.inferred(groups, involved) or ()) if admitted else before
        self._fake(g, values, -1)
        return before - after

    def invents(self, g: int, values: Sequence[int], many: int) -> bool:
        """Publish so many counterfeits more of each value in a group, if no more people can be inferred."""
        involved = self.groups.member[g, : self.groups.size[g]].tolist()
        before = self._known(involved)
        self._fake(g, values, many)
        if self._stays((g,), involved, before, 0, 0, 1):
            return True
        self._fake(g, values, -many)
        return False

    def _fake(self, g: int, values: Sequence[int], many: int) -> None:
        for v in values:
            self.groups.faked[g, v] += many
            self.groups.counts[g, v] += many
        self._settle(np.array([g]), *(np.empty((2, 0), dtype=np.int64)))

    @property
    def fakes(self) -> int:
        """Counterfeits of groups that have people."""
        return int(self.groups.faked[self.groups.size > 0].sum())

    def _joinable(self, p: int) -> list[tuple[int, ...]]:
        """A row's group with one near it, those of people once in a group with it, both, or a component's."""
        groups, a = self.groups, int(self.groups.of[p])
        mates = [x for x in groups.member[a, : groups.size[a]].tolist() if x in self.inferred] or [p]
        near = {int(g) for x in mates for g in groups.of[self.near[x, : LIMITS.joined]]} - {a, -1}
        tied = [tuple(self._tied_groups(x).tolist()) for x in mates]
        found: list[tuple[int, ...]] = [*((a, b) for b in sorted(near)), *tied]
        found += [(*joint, b) for joint in tied for b in sorted(near - set(joint))]
        self.judge.inferred(groups, [p])
        found.append(tuple([int(g) for g in np.flatnonzero(self.judge.met_groups) if groups.size[g]]))
        room = groups.member.shape[1]
        known = [joint for joint in dict.fromkeys(found) if len(joint) > 1]
        return [joint for joint in known if groups.size[list(joint)].sum() <= room]

    def linked_rows(self, p: int) -> Ints:
        """Rows in groups that are linked to a person, by fewest links."""
        found = linked_to(self.past, self.groups, p)
        return found[self.groups.of[found] >= 0]

    def _tied_groups(self, p: int) -> Ints:
        """The group of a row, and those of people who were in a group with it."""
        past = self.past
        beside = [q for o in past.place[p] if o >= 0 for q in past.member[past.start[o] : past.start[o + 1]]]
        found = dict.fromkeys(int(self.groups.of[q]) for q in [p, *beside])
        return np.array([g for g in found if g >= 0], dtype=np.int64)

    def settled(self, slots: Ints, people: Ints, home: Ints, bar: int, price: int, least: int) -> bool:
        """Put people into other groups, at `least` or more, if that may be done; whether it was."""
        groups = self.groups
        old, cost = groups.of[people], int(groups.cost[slots].sum())
        before = self._known(people.tolist())
        if least - cost - price * len(before) > bar or alike(old, home):
            return False
        self._settle(slots, people, home)
        cost = int(groups.cost[slots].sum()) - cost
        if self._stays(slots.tolist(), people.tolist(), before, bar, cost, price):
            return True
        self._settle(slots, people, old)
        return False

    def _known(self, people: Sequence[int]) -> list[int]:
        """Who can be inferred in the components of people, as groups are."""
        found = self.judge.inferred(self.groups, people) if self.inferred else []
        assert found is not None
        return found

    def _stays(
        self, slots: Sequence[int], people: list[int], before: list[int], bar: int, cost: int, price: int
    ) -> bool:
        """Whether groups may stay as they were just changed."""
        groups, room = self.groups, bar - cost + price * len(before)
        self.tried += 1
        if not all(not groups.size[g] or self.admits(tuple(groups.counts[g].tolist())) for g in slots):
            return False
        after = self.judge.inferred(groups, people, room // price)
        if after is None:
            return False
        self.made += 1
        self.cost += cost
        self.inferred.difference_update(before)
        self.inferred.update(after)
        self.groups.since[self.judge.met_groups[: len(groups.size)]] = self.made
        self._keep()
        return True

    def _exchange(self, p: int, q: int, b: int) -> None:
        exchange(self.board, p, q, b, self.rule.needed)

    def _settle(self, slots: Ints, people: Ints, home: Ints) -> None:
        settle(self.board, self.rule.needed, slots, people, home)

    @property
    def outside(self) -> Ints:
        """Rows that are left out."""
        return np.flatnonzero(self.groups.of[: len(self.codes)] < 0)

    def _keep(self) -> None:
        if self.inferred:
            return
        # Asked after every move: what takes longer the more groups there are is asked only where it matters.
        found = len(self.codes) - int(self.groups.size.sum()), self.fakes if self.invented else 0, self.cost
        if found[0] > self.allowed or found[1] > self.invented:
            return
        if self.best is None or found < self.least:
            self.best, self.least = self.groups.of.copy(), found
            if self.invented:
                self.with_best = self.groups.faked.copy()
