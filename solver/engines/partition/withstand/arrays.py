"""A series as arrays: what was published, and groups of the new release, of which a move changes two rows."""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .....models.adversary.knowledge import Knowledge
from .....models.compiled import borrowing, compiled
from .....models.problem_view import ProblemView
from ....baselines.widths import LARGEST, Ints, Widths, beside, widen

__all__ = [
    "Board",
    "Later",
    "NewGroups",
    "PublishedPast",
    "exchange",
    "groups_of",
    "later_cost",
    "looking_ahead",
    "past_from",
    "past_of",
    "put",
    "short",
    "tell",
    "weigh",
]


class Later(NamedTuple):
    """What open values will probably cost in later releases (`expected_widening`); empty if nobody asks.

    Attributes
    ----------
    others : int64 array
        Values besides its own that all earlier groups of each row publish, as bits, whatever is known.
    often : int64 array
        Tuples of the table with each value.
    step : int64 array
        Column of `cost` by how many tuples have one of the values that stay open.
    cost : int64 array, shape (rows, columns)
        Of each row, in what sides cost.
    """

    others: Ints
    often: Ints
    step: Ints
    cost: Ints


class PublishedPast(NamedTuple):
    """Everybody who was ever published or is in the table, whose rows come first.

    Attributes
    ----------
    value : int64 array
        Code of each person's value.
    place : int64 array, shape (people, releases)
        Group in each earlier release, -1 where there is none. Groups of all releases are numbered jointly.
    start, member : int64 arrays
        People of earlier group g: ``member[start[g] : start[g + 1]]``.
    counts, fakes : int64 arrays
        What each earlier group publishes by value, and how many of its tuples are counterfeits.
    mask : int64 array
        Values that all earlier groups of a person publish and knowledge leaves open, as bits.
    given : bool array
        People whose value knowledge alone tells. Nothing is asked for them, so knowledge is not in their
        masks: `only` has what they may have.
    only : int64 array
        Values that knowledge leaves open, as bits.
    must : int64 array
        Values that a new group of a person has to publish, as bits; see `required`.
    later : Later
    """

    value: Ints
    place: Ints
    start: Ints
    member: Ints
    counts: Ints
    fakes: Ints
    mask: Ints
    given: np.ndarray
    only: Ints
    must: Ints
    later: Later


class NewGroups(NamedTuple):
    """Groups of the new release while they change.

    Attributes
    ----------
    of : int64 array
        Group of each person, -1 for those in none.
    member, size, counts, cost, mask : int64 arrays
        Per group: people, how many, by value, cost, and the values as bits.
    short : int64 array
        Per group: members whom set intersection alone leaves too few values.
    since : int64 array
        Per group: the move that last changed its component.
    faked : int64 array
        Per group: counterfeits by value; they are among `counts`, not in `size`.
    """

    of: Ints
    member: Ints
    size: Ints
    counts: Ints
    cost: Ints
    mask: Ints
    short: Ints
    since: Ints
    faked: Ints


class Board(NamedTuple):
    """What moves are looked for on.

    Attributes
    ----------
    past, groups
        What was published, and what changes.
    codes : int64 array
        Of the rows.
    sides : Widths
        What widths cost.
    near : int64 array
        See `nearest_rows`.
    """

    past: PublishedPast
    groups: NewGroups
    codes: Ints
    sides: Widths
    near: Ints


def past_of(problem: ProblemView, knowledge: Knowledge | None = None) -> PublishedPast:
    """Read a history, and what is known besides."""
    history, table = problem.history, problem.table
    people = [m.respondent for m in table.members]
    people += [who for who in history.records if who not in table.row]
    number = {who: p for p, who in enumerate(people)}
    code = {value: v for v, value in enumerate(problem.values)}
    value = [code[m.value] for m in table.members]
    value += [code[history.records[who].member.value] for who in people[len(table) :]]
    published = [(r, group) for r, release in enumerate(history) for group in release.groups]
    counts = np.zeros((len(published), len(code)), dtype=np.int64)
    place = np.full((len(people), len(history)), -1, dtype=np.int64)
    for g, (r, group) in enumerate(published):
        for name, count in group.histogram.items():
            counts[g, code[name]] = count
        place[[number[who] for who in group.respondents], r] = g
    fakes = np.array([group.fakes for _, group in published], dtype=np.int64)
    past = past_from(np.array(value, dtype=np.int64), place, counts, fakes)
    known = Knowledge() if knowledge is None else knowledge
    for who in known.about & number.keys():
        bits = sum(1 << v for name, v in code.items() if known.allows(who, name))
        tell(past, number[who], bits, given=known.gives(who))
    return past


def tell(past: PublishedPast, p: int, only: int, *, given: bool) -> None:
    """Somebody is known to have one of some values (bits), and maybe given by that."""
    past.only[p], past.given[p] = only, given
    if not given:
        past.mask[p] &= only


def past_from(value: Ints, place: Ints, counts: Ints, fakes: Ints) -> PublishedPast:
    """Put a past together from what `PublishedPast` says of them; nothing is known besides."""
    people, times = np.nonzero(place >= 0)
    groups = place[people, times]
    order = np.argsort(groups, kind="stable")
    width = counts.shape[1]
    bits = (counts > 0) @ (1 << np.arange(width, dtype=np.int64))
    mask = np.full(len(value), (1 << width) - 1, dtype=np.int64)
    for r in range(place.shape[1]):
        here = place[:, r] >= 0
        mask[here] &= bits[place[here, r]]
    none = np.zeros(0, dtype=np.int64)
    return PublishedPast(
        value=value,
        place=place,
        start=np.searchsorted(groups[order], np.arange(len(counts) + 1)).astype(np.int64),
        member=people[order].astype(np.int64),
        counts=counts,
        fakes=fakes,
        mask=mask,
        given=np.zeros(len(value), dtype=np.bool_),
        only=np.full(len(value), -1, dtype=np.int64),
        must=np.zeros(len(value), dtype=np.int64),
        later=Later(others=none, often=none, step=none, cost=none.reshape(0, 0)),
    )


def looking_ahead(past: PublishedPast, problem: ProblemView, weight: float) -> PublishedPast:
    """The past with what open values will probably cost, times a weight."""
    widening, often = problem.widening, problem.table.histogram
    bit = {value: 1 << v for v, value in enumerate(problem.values)}
    rows = range(len(problem.table))
    others = [sum(bit[value] for value in widening.others(row, problem.values)) for row in rows]
    later = Later(
        others=np.array(others, dtype=np.int64),
        often=np.array([often.get(value, 0) for value in problem.values], dtype=np.int64),
        step=np.array([widening.step(n) for n in range(len(problem.table) + 1)], dtype=np.int64),
        cost=np.rint(weight * widening.costs).astype(np.int64),
    )
    return past._replace(later=later)


def groups_of(
    past: PublishedPast,
    codes: Ints,
    sides: Widths,
    needed: int,
    groups: Sequence[Sequence[int]],
    room: int,
    spare: int = 0,
) -> NewGroups:
    """Groups of rows, with room for so many members each, and so many empty ones after them."""
    width, slots = past.counts.shape[1], len(groups) + spare
    found = NewGroups(
        of=np.full(len(past.value), -1, dtype=np.int64),
        member=np.full((slots, room), -1, dtype=np.int64),
        size=np.zeros(slots, dtype=np.int64),
        counts=np.zeros((slots, width), dtype=np.int64),
        cost=np.zeros(slots, dtype=np.int64),
        mask=np.zeros(slots, dtype=np.int64),
        short=np.zeros(slots, dtype=np.int64),
        since=np.zeros(slots, dtype=np.int64),
        faked=np.zeros((slots, width), dtype=np.int64),
    )
    for g, rows in enumerate(groups):
        found.member[g, : len(rows)] = rows
        found.size[g] = len(rows)
        found.of[list(rows)] = g
        found.counts[g] = np.bincount(past.value[list(rows)], minlength=width)
        weigh(past, codes, sides, found, g, needed)
    return found


@compiled
def weigh(past: PublishedPast, codes: Ints, sides: Widths, groups: NewGroups, g: int, needed: int) -> None:
    """Work out a group's cost and masks again."""
    size = groups.size[g]
    mask = np.int64(0)
    for v in range(groups.counts.shape[1]):
        if groups.counts[g, v] > 0:
            mask |= np.int64(1) << v
    groups.mask[g] = mask
    groups.short[g] = 0
    groups.cost[g] = 0
    if size == 0:
        return
    lo, hi = codes[groups.member[g, 0]].copy(), codes[groups.member[g, 0]].copy()
    for i in range(size):
        p = groups.member[g, i]
        groups.short[g] += short(past, p, mask, needed)
        widen(codes, p, lo, hi)
    groups.cost[g] = size * beside(sides, lo, hi, lo, np.int64(LARGEST))
    if len(past.later.cost):
        for i in range(size):
            groups.cost[g] += later_cost(past, groups.member[g, i], mask)


@borrowing
def later_cost(past: PublishedPast, p: int, values: int) -> int:
    """What a row will probably cost in later releases if its group publishes some values (bits)."""
    later, count, v = past.later, np.int64(0), 0
    others = later.others[p] & values
    while others != 0:
        if others & 1:
            count += later.often[v]
        v += 1
        others >>= 1
    return later.cost[p, later.step[count]]


@borrowing
def short(past: PublishedPast, p: int, values: int, needed: int) -> int:
    """1 if a group that publishes some values (bits) leaves a member too few, or others, else 0."""
    if past.must[p] & ~values:
        return 1
    count, mask = 0, past.mask[p] & values
    while mask != 0 and count < needed:
        mask &= mask - 1
        count += 1
    return 1 if count < needed else 0


@borrowing
def exchange(board: Board, p: int, q: int, b: int, needed: int) -> None:
    """Move p to group b, and q (or nobody: -1) from there to p's group."""
    past, groups, codes, sides, _ = board
    a = groups.of[p]
    put(past, groups, p, -1)
    if q >= 0:
        put(past, groups, q, a)
    put(past, groups, p, b)
    weigh(past, codes, sides, groups, a, needed)
    weigh(past, codes, sides, groups, b, needed)


@borrowing
def put(past: PublishedPast, groups: NewGroups, p: int, g: int) -> None:
    """Move a person to a group, or out of all (-1); costs and masks are left as they were."""
    a = groups.of[p]
    if a >= 0:
        last = groups.size[a] - 1
        for i in range(last + 1):
            if groups.member[a, i] == p:
                groups.member[a, i] = groups.member[a, last]
                break
        groups.size[a] = last
        groups.counts[a, past.value[p]] -= 1
    if g >= 0:
        groups.member[g, groups.size[g]] = p
        groups.size[g] += 1
        groups.counts[g, past.value[p]] += 1
    groups.of[p] = g
