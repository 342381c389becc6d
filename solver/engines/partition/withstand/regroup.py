"""People of a few near groups grouped anew, compiled: greedily from random rows, the best of some tries.

Either everybody is free to go anywhere, or who was always together stays together and only newcomers are
free. In the second case the cells of the series are those there are and the newcomers of each group: if a
group's newcomers keep the limits by themselves, all do where nobody has left (see `starts`).
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .....models.compiled import borrowing, compiled
from .....models.compiled_random import stepped
from ....baselines.widths import LARGEST, Ints, Widths, beside, widen
from .arrays import Board, NewGroups, PublishedPast, later_cost, put, short, weigh
from .moves import Rule

__all__ = ["Regrouping", "drawn", "members_of", "regrouped", "settle"]


class Regrouping(NamedTuple):
    """How people are grouped anew.

    Attributes
    ----------
    few : int
        Most people at a time, and of a group.
    tries : int
        Greedy ways, of which the best is taken.
    noise : float
        A row may seem so many times farther than it is.
    whole : float
        How often those stay together who always were.
    joined : int
        Near rows drawn,
    beside : float
        and the mean of their ranks.
    """

    few: int
    tries: int
    noise: float
    whole: float
    joined: int
    beside: float


class _Few(NamedTuple):
    """Groups that are being made of a few people.

    Attributes
    ----------
    lo, hi, counts, size, fresh : int64 arrays
        Per group: box, people by value, how many, and newcomers by value.
    people, atom, label : int64 arrays
        Who they are, who of them stays together, by number, and the group of each.
    together : bool
        Whether somebody stays together.
    wide_lo, wide_hi : int64 arrays
        Room for a box.
    """

    lo: Ints
    hi: Ints
    counts: Ints
    size: Ints
    fresh: Ints
    people: Ints
    atom: Ints
    label: Ints
    together: bool
    wide_lo: Ints
    wide_hi: Ints


@compiled
def members_of(groups: NewGroups, picked: Ints) -> Ints:
    """Everybody in some groups."""
    total = 0
    for g in picked:
        total += groups.size[g]
    found, count = np.empty(total, dtype=np.int64), 0
    for g in picked:
        for i in range(groups.size[g]):
            found[count] = groups.member[g, i]
            count += 1
    return found


@borrowing
def settle(board: Board, needed: int, picked: Ints, people: Ints, home: Ints) -> None:
    """Put all people of some groups into these groups anew."""
    past, groups, codes, sides, _ = board
    for p in people:
        put(past, groups, p, -1)
    for i in range(len(people)):
        put(past, groups, people[i], home[i])
    for g in picked:
        weigh(past, codes, sides, groups, g, needed)


@compiled
def regrouped(
    board: Board,
    rule: Rule,
    people: Ints,
    together: bool,
    most: int,
    way: Regrouping,
    random: Ints,
    best: Ints,
) -> int:
    """The cheapest grouping met of some people: groups, from 0 on, in `best`; what it costs, -1 if none.

    At most `most` groups. A person short of values costs the rule's price.
    """
    past, codes = board.past, board.codes
    few = _Few(
        lo=np.empty((most, codes.shape[1]), dtype=np.int64),
        hi=np.empty((most, codes.shape[1]), dtype=np.int64),
        counts=np.empty((most, past.counts.shape[1]), dtype=np.int64),
        size=np.empty(most, dtype=np.int64),
        fresh=np.empty((most, past.counts.shape[1]), dtype=np.int64),
        people=people,
        atom=_atoms(past, people, together),
        label=np.empty(len(people), dtype=np.int64),
        together=together,
        wide_lo=np.empty(codes.shape[1], dtype=np.int64),
        wide_hi=np.empty(codes.shape[1], dtype=np.int64),
    )
    least = -1
    for _ in range(way.tries):
        if not _built(board, rule, few, way, random):
            continue
        cost = _cost(past, board.sides, rule, few)
        if least < 0 or cost < least:
            least = cost
            best[:] = few.label
    return least


@borrowing
def drawn(random: Ints, below: int) -> int:
    """A number from 0 on."""
    return stepped(random) % below


@compiled
def _atoms(past: PublishedPast, people: Ints, together: bool) -> Ints:
    """Who stays together, by number; newcomers are alone."""
    atom, times = np.arange(len(people)), past.place.shape[1]
    if together and times > 0:
        for i in range(len(people)):
            for j in range(i):
                one, two = past.place[people[i]], past.place[people[j]]
                if (one >= 0).any() and (one == two).all():
                    atom[i] = atom[j]
                    break
    return atom


@borrowing
def _add(past: PublishedPast, codes: Ints, few: _Few, x: int, g: int) -> None:
    """Add an atom to a group."""
    for i in range(len(few.people)):
        if few.atom[i] == x:
            p, fresh = few.people[i], True
            widen(codes, p, few.lo[g], few.hi[g])
            few.counts[g, past.value[p]] += 1
            few.size[g] += 1
            for r in range(past.place.shape[1]):
                fresh = fresh and past.place[p, r] < 0
            if fresh:
                few.fresh[g, past.value[p]] += 1


@borrowing
def _open(few: _Few, g: int) -> None:
    few.lo[g], few.hi[g] = np.int64(LARGEST), -np.int64(LARGEST)
    few.counts[g], few.fresh[g], few.size[g] = 0, 0, 0


@compiled
def _shared(rule: Rule, few: _Few, g: int, together: bool) -> bool:
    """Whether a group is large enough, and no value too large a part of it, nor of its newcomers."""
    size = few.size[g]
    if size < rule.least or few.counts[g].max() * rule.whole > rule.part * size:
        return False
    return not together or few.fresh[g].max() * rule.whole <= rule.part * few.fresh[g].sum()


@borrowing
def _wider(codes: Ints, sides: Widths, few: _Few, x: int, g: int) -> int:
    """What a group costs more with an atom."""
    lo, hi, more = few.wide_lo, few.wide_hi, 0
    for a in range(len(lo)):
        lo[a], hi[a] = few.lo[g, a], few.hi[g, a]
    for i in range(len(few.people)):
        if few.atom[i] == x:
            widen(codes, few.people[i], lo, hi)
            more += 1
    far = np.int64(LARGEST)
    return (few.size[g] + more) * beside(sides, lo, hi, lo, far) - few.size[g] * beside(
        sides, few.lo[g], few.hi[g], few.lo[g], far
    )


@borrowing
def _labelled(few: _Few, x: int, g: int) -> None:
    """Say that an atom is in a group."""
    for i in range(len(few.label)):
        if few.atom[i] == x:
            few.label[i] = g


@compiled
def _built(board: Board, rule: Rule, few: _Few, way: Regrouping, random: Ints) -> bool:
    """Make groups one by one, each from a random atom and what is near; who is left joins the nearest."""
    past, codes, label, together = board.past, board.codes, few.label, few.together
    most, made = len(few.size), 0
    label[:] = -1
    left = (label < 0).sum()
    while left > 0 and made < most:
        _open(few, made)
        at = drawn(random, len(label))
        while label[at] != -1:
            at = (at + 1) % len(label)
        x = few.atom[at]
        while x >= 0 and few.size[made] < way.few:
            _add(past, codes, few, x, made)
            _labelled(few, x, made)
            if _shared(rule, few, made, together) and (
                not together or few.fresh[made].sum() > 0 or drawn(random, 2) == 0
            ):
                break
            x = _nearest(board, rule, few, made, way.noise, random)
        if few.size[made] <= way.few and _shared(rule, few, made, together):
            made += 1
        else:
            for i in range(len(label)):
                if label[i] == made:
                    label[i] = -2
        left = (label == -1).sum()
    for g in range(made, most):
        few.size[g] = 0
    for i in range(len(label)):
        if label[i] < 0 and not _joined(board, rule, few, way.few, few.atom[i]):
            return False
    for g in range(made):
        if not _shared(rule, few, g, together):
            return False
    return made > 0


@borrowing
def _nearest(board: Board, rule: Rule, few: _Few, g: int, noise: float, random: Ints) -> int:
    """The atom that widens a group about least, of a value that is not yet frequent there; -1 if none."""
    least, found = np.inf, -1
    size = max(few.size[g] + 1, rule.least)
    for i in range(len(few.label)):
        if few.label[i] != -1 or few.atom[i] != i:
            continue
        if (few.counts[g, board.past.value[few.people[i]]] + 1) * rule.whole > rule.part * size:
            continue
        wide = _wider(board.codes, board.sides, few, i, g)
        wide = wide * (1.0 + noise * drawn(random, 1024) / 1024)
        if wide < least:
            least, found = wide, i
    return found


@compiled
def _joined(board: Board, rule: Rule, few: _Few, room: int, x: int) -> bool:
    """Put an atom that is left where that costs least and is allowed; False if nowhere."""
    past, codes, least, found = board.past, board.codes, np.int64(1) << 62, -1
    for g in range(len(few.size)):
        if few.size[g] == 0:
            continue
        before = few.lo[g].copy(), few.hi[g].copy(), few.counts[g].copy(), few.fresh[g].copy(), few.size[g]
        wide = _wider(codes, board.sides, few, x, g)
        if wide >= least:
            continue
        _add(past, codes, few, x, g)
        if few.size[g] <= room and _shared(rule, few, g, False):
            least, found = wide, g
        few.lo[g], few.hi[g], few.counts[g], few.fresh[g], few.size[g] = before
    if found < 0:
        return False
    _add(past, codes, few, x, found)
    _labelled(few, x, found)
    return True


@compiled
def _cost(past: PublishedPast, sides: Widths, rule: Rule, few: _Few) -> int:
    """What groups cost, and people in them who are short of values."""
    total, far = np.int64(0), np.int64(LARGEST)
    mask = np.zeros(len(few.size), dtype=np.int64)
    for g in range(len(few.size)):
        if few.size[g] > 0:
            total += few.size[g] * beside(sides, few.lo[g], few.hi[g], few.lo[g], far)
            for v in range(few.counts.shape[1]):
                if few.counts[g, v] > 0:
                    mask[g] |= np.int64(1) << v
    for i in range(len(few.label)):
        total += rule.price * short(past, few.people[i], mask[few.label[i]], rule.needed)
        if len(past.later.cost):
            total += later_cost(past, few.people[i], mask[few.label[i]])
    return total
