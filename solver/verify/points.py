"""Bounds on squared error: no group of points costs less than its duals, and a tree over those nearly paid.

Releases are those of groups of k and more tuples; a group of 2k or more may be cut, which costs nothing. So
groups of k to 2k - 1 are tried, size by size. A group S of s has a profit above a floor only if

    sum of pairs of S:  (s - 1) scale cost(u, v) - s (dual(u) + dual(v)) + 2 (floor - scale)

and s (s - 1) times its penalties are below 0 (costs are rounded down: hence the last scale). Let T be S
without the member whose pairs sum up to most. That is no less than the mean member's, so the mean pair of T
is no more than that of S, and T has no more penalties: with t for s, T's sum is below 0, too. So every such
S is met if groups grow member by member while their sums are below 0; in one way only if each new member
has to be the one that would be taken out (of equal ones the last). Tuples at one point come in their order.

For k above `DEEPEST` sets of `FEW` tuples are tried, at F times their cost: if none costs less than its
duals, no group does (``F = (k - 1) m / (k (m - 1))`` for m = `FEW`; a group of s is covered by its sets of
m, each with weight ``1 / C(s - 1, m - 1)``, at (m - 1) s / (m (s - 1)) times its cost, which is at most 1 /
F).

With blocks of points, groups inside one of them may cost less than their duals, and all others do not. Let U
be the points of a block that are in groups inside it: these cost at least the best partition of U, and the
block's other points are in groups that cost at least their duals. So a release costs at least the sum over
blocks of the least, over all U, of both; and the duals of points in no block.

A tree's columns cost what they cost rounded down. If it is about releases that cost less than the one of the
certificate, whose groups' costs are rounded up and add up to its target, then those groups cost that instead:
a release that differs costs more than the certificate's by at least what the costs of the groups in which
they differ say, whatever the rounding.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...models.compiled import compiled
from ...models.errors import CertificateError
from ...models.losses.pair_costs import FINE, MOST_CODE, group_costs, pair_costs, places, squares
from ...models.losses.squared import squared_error_of
from ...models.problem import Problem
from ...models.problem_view import smallest_group
from .. import claims
from ..exact.program import covering
from .duals import ClaimedDuals, divided
from .given import Given
from .listing import Penalties
from .outcome import UndecidedError
from .priced import in_order, refuted
from .rows import Ints
from .trees import searched

__all__ = ["CheckedPoints", "proven_squares"]

DEEPEST, FEW = 6, 5
"""Of larger groups sets of so few are tried."""
MOST_BLOCK = 14
"""Points of a block: all their sets are gone through."""
MOST_POINTS = 8_000
MOST_GROUPS = 4_000_000
"""Groups that are listed, at most."""
MOST_TRIED = 40_000_000_000
"""Members that are tried, all in all."""
LIMIT = 1 << 62
"""No sum that is met may be larger."""
ROOM = 1_000_000
"""Of those with some first members."""
AT_ONCE = 16
"""First members between two looks at the clock."""


@dataclass(frozen=True, kw_only=True)
class CheckedPoints:
    """Points in the order in which the table names their first tuples; see `places`.

    Attributes
    ----------
    codes, prices
        See `SquaredError.steps`.
    pairs : shape (points, points)
        See `pair_costs`.
    count, tuples
        How many tuples are at each point, and which (by their row of the microdata, from 0).
    """

    codes: Ints
    prices: tuple[Fraction, ...]
    pairs: Ints
    count: Ints
    tuples: tuple[tuple[int, ...], ...]

    def __len__(self) -> int:
        return len(self.count)

    @property
    def most(self) -> int:
        """No release costs more."""
        return 100 * FINE + 1

    @property
    def row_of(self) -> Ints:
        """The point of each tuple."""
        found = np.empty(int(self.count.sum()), dtype=np.int64)
        for r, alike in enumerate(self.tuples):
            found[list(alike)] = r
        return found

    @classmethod
    def of(cls, problem: Problem) -> CheckedPoints:
        """Read a problem.

        Raises
        ------
        CertificateError
            If its objective is something else, or numbers are too fine.
        UndecidedError
            If there are too many points.
        """
        squared = squared_error_of(problem)
        if squared is None:
            raise CertificateError("a bound on squared error is stated for another objective")
        codes, prices = squared.steps(problem.table)
        if codes.size and int(codes.max()) > MOST_CODE:
            raise CertificateError("the numbers are too fine for a bound on squared error")
        alike = places(codes)
        if len(alike) > MOST_POINTS:
            raise UndecidedError("there are too many points to be gone through again")
        points = codes[[found[0] for found in alike]]
        return cls(
            codes=points,
            prices=prices,
            pairs=pair_costs(points, prices),
            count=np.array([len(found) for found in alike], dtype=np.int64),
            tuples=alike,
        )


class _SizeQuestion(NamedTuple):
    """One size: places of points, and the place of the same point that comes before, or -1.

    `pairs` are of places; groups inside one `block` (-1 for none) are left out; `sure` is the penalty of cuts
    over all points, the same for all groups of the size.
    """

    pairs: Ints
    point: Ints
    before: Ints
    dual: Ints
    size: int
    scale: int
    floor: int
    penalties: Penalties
    sure: int
    block: Ints


class _WalkDesk(NamedTuple):
    """By number of members: each place's sum with them, theirs with one another, the next place to try.

    And what their pairs and penalties add up to.
    """

    sums: Ints
    degree: Ints
    at: Ints
    member: Ints
    total: Ints
    penalty: Ints
    touched: Ints
    tried: Ints


def proven_squares(given: Given, claim: claims.PricedClaim | claims.ListedClaim) -> Fraction:
    """The squared error that duals, and a tree if there is one, prove necessary.

    Raises
    ------
    CertificateError
        If some statement does not hold.
    UndecidedError
        If that cannot be told in time.
    """
    problem, k = given.problem, smallest_group(given.problem)
    if claim.part is not None or problem.policy.suppression_limit(len(problem.table)) or k < 2:
        raise CertificateError("a bound on squared error is about all tuples, in groups of two and more")
    points, weight = CheckedPoints.of(problem), problem.policy.levels[0].weights[0][1]
    cuts = divided(points, claim.cuts, claim.divisors)
    root = claim.root
    duals = ClaimedDuals.of(points, root.duals, cuts, root.cut_duals, root.scale)
    bound = Fraction(duals.bound(points.count), FINE)
    if isinstance(claim, claims.PricedClaim) and claim.blocks:
        return weight * Fraction(_by_blocks(given, points, duals, k, claim.blocks), FINE)
    if isinstance(claim, claims.PricedClaim):
        listed(given, points, duals, k, 0)
        return weight * bound
    target = claim.tree.listed_for
    floor = duals.floor(duals.value(points.count), target, points.most)
    groups = in_order(listed(given, points, duals, k, floor))
    costs = group_costs(points.pairs, groups)
    up = _rounded_up(points, given, k)
    relative = bool(up) and sum(cost * times for cost, times in up.values()) == target
    if relative:
        for j, line in enumerate(groups.tolist()):
            known = up.get(tuple(row for row in line if row >= 0))
            costs[j] = costs[j] if known is None else known[0]
    program = covering(groups, costs, points.count)
    found = min(searched(program, claim.tree.proof, given.over), target)
    if relative:
        return max(weight * bound, given.values[0] - weight * Fraction(target - found, FINE))
    return weight * max(bound, Fraction(found, FINE))


def _by_blocks(
    given: Given, points: CheckedPoints, duals: ClaimedDuals, k: int, named: Sequence[Sequence[int]]
) -> int:
    """What duals prove that groups inside blocks need not keep; see the module."""
    block, value = np.full(len(points), -1, dtype=np.int64), int(duals.rows @ points.count)
    for number, tuples in enumerate(named):
        if any(not 0 <= t < len(points.row_of) for t in tuples) or len(tuples) > MOST_BLOCK:
            raise CertificateError("a block names a tuple that the table does not have, or too many")
        inside = np.unique(points.row_of[list(tuples)])
        if len(inside) != len(tuples) or (block[inside] >= 0).any() or (points.count[inside] > 1).any():
            raise CertificateError("a block names a tuple twice, one of another, or one of several alike")
        block[inside] = number
        pairs = points.pairs[np.ix_(inside, inside)]
        if 2 * duals.scale * (int(pairs.sum()) + 1) + int(np.abs(duals.rows[inside]).sum()) > LIMIT:
            raise CertificateError("the proof's numbers are too large to be checked in 64 bits")
        value += _of_block(pairs, duals.rows[inside], duals.scale, k) - int(duals.rows[inside].sum())
    if k > DEEPEST or duals.cuts:
        raise CertificateError("blocks are about groups that are all tried, without cuts")
    listed(given, points, duals, k, 0, block)
    return -(-value // duals.scale)


@compiled
def _of_block(pairs: Ints, dual: Ints, scale: int, k: int) -> int:
    """The least that a block's points cost: each in a group inside, or for its dual."""
    many = len(pairs)
    found, cost = np.zeros(1 << many, dtype=np.int64), np.full(1 << many, -1, dtype=np.int64)
    for chosen in range(1, 1 << many):
        size, total, last = 0, 0, 0
        for a in range(many):
            if chosen >> a & 1:
                size, last = size + 1, a
                for b in range(a):
                    if chosen >> b & 1:
                        total += pairs[b, a]
        if k <= size < 2 * k:
            cost[chosen] = scale * (total // size)
        others = chosen ^ (1 << last)
        found[chosen] = found[others] + dual[last]
        inside = others
        while inside:
            group = inside | (1 << last)
            if cost[group] >= 0:
                found[chosen] = min(found[chosen], cost[group] + found[chosen ^ group])
            inside = (inside - 1) & others
    return found[-1]


def _rounded_up(points: CheckedPoints, given: Given, k: int) -> dict[tuple[int, ...], tuple[int, int]]:
    """The release's groups as points: costs rounded up, and how often; none if one is too large."""
    found: dict[tuple[int, ...], tuple[int, int]] = {}
    release, table = given.release, given.problem.table
    if release is None or any(len(group.members) >= 2 * k for group in release.groups):
        return found
    home = {member.respondent: row for member, row in zip(table.members, points.row_of.tolist(), strict=True)}
    for group in release.groups:
        inside = tuple(sorted(home[who] for who in group.respondents))
        cost, times = found.get(inside, (-1, 0))
        if cost < 0:
            cost = ceil(squares(points.codes[list(inside)], points.prices) * FINE)
        found[inside] = cost, times + 1
    return found


def listed(
    given: Given, points: CheckedPoints, duals: ClaimedDuals, k: int, floor: int, block: Ints | None = None
) -> NDArray[np.int32]:
    """All groups, in no block, with a profit above a floor, which is at most 0; see the module.

    Raises
    ------
    CertificateError
        If a group costs less than its duals.
    UndecidedError
        If there are too many groups, or time is over.
    """
    pairs, sizes = points.pairs, range(k, 2 * k)
    if k > DEEPEST:
        if duals.cuts or floor < 0:
            raise CertificateError("sets of a few tuples stand for large groups without cuts only")
        pairs, sizes = pairs * ((k - 1) * FEW) // (k * (FEW - 1)), range(FEW, FEW + 1)
    point = np.repeat(np.arange(len(points)), np.minimum(points.count, sizes[-1]))
    again = np.append(False, point[1:] == point[:-1])
    before = np.where(again, np.arange(len(point)) - 1, -1)
    if again.any():
        pairs = pairs[np.ix_(point, point)]
    found, tried = [np.empty((0, sizes[-1]), dtype=np.int32)], 0
    parts = np.full(len(point), -1, dtype=np.int64) if block is None else block[point]
    everywhere = [found for found in duals.cuts if len(found[0].rows) == len(points)]
    others = replace(duals, cuts=tuple(cut for cut in duals.cuts if cut not in everywhere))
    for size in sizes:
        sure = -sum(dual * (size // cut.over) for cut, dual in everywhere)
        asked = _SizeQuestion(
            pairs, point, before, duals.rows[point], size, duals.scale, floor, others.penalties(), sure, parts
        )
        if _largest(asked) > LIMIT:
            raise CertificateError("the proof's numbers are too large to be checked in 64 bits")
        memory = _memory(asked, len(duals.cuts))
        for at in range(0, len(point), AT_ONCE):
            if given.over() and at:
                raise UndecidedError("not all groups of points could be gone through in time")
            room = np.empty((ROOM, sizes[-1]), dtype=np.int32)
            firsts = np.arange(at, min(at + AT_ONCE, len(point)))
            number = _walked(asked, memory, firsts, room)
            if number < 0:
                raise refuted(room[0])
            found.append(_rising(room[:number]))
            tried += int(memory.tried[0])
            if sum(map(len, found)) > MOST_GROUPS or number == ROOM or tried > MOST_TRIED:
                raise UndecidedError("there are too many groups of points to be gone through again")
    return np.concatenate(found)


def _rising(groups: NDArray[np.int32]) -> NDArray[np.int32]:
    """Members of each group in rising order, -1 last."""
    last = np.iinfo(np.int32).max
    ordered = np.sort(np.where(groups < 0, last, groups), axis=1)
    return np.where(ordered == last, -1, ordered).astype(np.int32)


def _largest(asked: _SizeQuestion) -> int:
    """No sum of a walk is further from 0."""
    size, many = asked.size, asked.size * (asked.size - 1)
    pair = (size - 1) * asked.scale * int(asked.pairs.max(initial=0))
    pair += 2 * size * int(np.abs(asked.dual).max(initial=0)) + 2 * (abs(asked.floor) + asked.scale)
    return many * (pair + asked.sure - size * sum(asked.penalties.dual.tolist()))


def _memory(asked: _SizeQuestion, cuts: int) -> _WalkDesk:
    places, deep = len(asked.point), asked.size + 1

    def zeros(*shape: int) -> Ints:
        return np.zeros(shape, dtype=np.int64)

    return _WalkDesk(
        zeros(deep, places),
        zeros(deep, deep),
        zeros(deep),
        zeros(deep),
        zeros(deep),
        zeros(deep),
        zeros(cuts),
        zeros(1),
    )


@compiled
def _met(q: _SizeQuestion, m: _WalkDesk, place: int, step: int) -> int:
    """Count a place in the cuts, or take it out again; how much more the penalties are with it."""
    more, p = 0, q.point[place]
    for e in range(q.penalties.start[p], q.penalties.start[p + 1]):
        c = q.penalties.cut[e]
        before = m.touched[c] // q.penalties.over[c]
        m.touched[c] += step * q.penalties.times[e]
        more -= q.penalties.dual[c] * (m.touched[c] // q.penalties.over[c] - before)
    return more


@compiled
def _entered(q: _SizeQuestion, m: _WalkDesk, size: int, place: int) -> None:
    """A place is member number `size`, counted from 1: add its pairs to the sums."""
    times, own = (q.size - 1) * q.scale, 2 * (q.floor - q.scale) - q.size * q.dual[place]
    line, above, sums = q.pairs[place], m.sums[size - 1], m.sums[size]
    for v in range(len(q.point)):
        sums[v] = above[v] + times * line[v] - q.size * q.dual[v] + own
    m.at[size] = 0
    m.tried[0] += len(q.point)


@compiled
def _last(q: _SizeQuestion, m: _WalkDesk, size: int, v: int) -> bool:
    """Whether of a group with one more place that is the one to be taken out; writes down their sums."""
    mine, in_order = m.sums[size, v], q.before[v] < 0
    for a in range(size):
        u = m.member[a]
        if u == v:
            return False
        in_order = in_order or u == q.before[v]
        sums = m.degree[size, a] + (q.size - 1) * q.scale * q.pairs[v, u]
        sums += 2 * (q.floor - q.scale) - q.size * (q.dual[u] + q.dual[v])
        if sums > mine or (sums == mine and u > v):
            return False
        m.degree[size + 1, a] = sums
    m.degree[size + 1, size] = mine
    return in_order


@compiled
def _profit(q: _SizeQuestion, m: _WalkDesk) -> int:
    dual, cost = 0, 0
    for a in range(q.size):
        dual += q.dual[m.member[a]]
        for b in range(a):
            cost += q.pairs[m.member[a], m.member[b]]
    return dual - m.penalty[q.size] - q.scale * (cost // q.size)


@compiled
def _enclosed(q: _SizeQuestion, m: _WalkDesk) -> bool:
    """Whether a group lies in a block."""
    own = q.block[m.member[0]]
    enclosed = own >= 0
    for a in range(1, q.size):
        enclosed = enclosed and q.block[m.member[a]] == own
    return enclosed


@compiled
def _walked(q: _SizeQuestion, m: _WalkDesk, firsts: Ints, room: NDArray[np.int32]) -> int:
    """Write down the groups that grow from some places; -1 if one pays, which is first in `room` then."""
    number = 0
    m.tried[0] = 0
    for i in firsts:
        if q.before[i] >= 0:
            continue
        m.member[0] = i
        m.penalty[1] = q.sure + _met(q, m, i, 1)
        _entered(q, m, 1, i)
        size = 1
        while size >= 1:
            v = m.at[size]
            limit = -m.total[size] - (size + 1) * size * m.penalty[size]
            while v < len(q.point) and (m.sums[size, v] >= limit or not _last(q, m, size, v)):
                v += 1
            m.at[size] = v + 1
            if v == len(q.point):
                size -= 1
                _met(q, m, m.member[size], -1)
                continue
            m.member[size] = v
            m.total[size + 1] = m.total[size] + m.sums[size, v]
            m.penalty[size + 1] = m.penalty[size] + _met(q, m, v, 1)
            if m.total[size + 1] + (size + 1) * size * m.penalty[size + 1] >= 0:
                _met(q, m, v, -1)
                continue
            if size + 1 < q.size:
                size += 1
                _entered(q, m, size, v)
                continue
            _met(q, m, v, -1)
            profit = _profit(q, m)
            if profit > q.floor and not _enclosed(q, m):
                at = 0 if profit > 0 else number
                for a in range(room.shape[1]):
                    room[at, a] = q.point[m.member[a]] if a < q.size else -1
                if profit > 0:
                    return -1
                number += 1
                if number == len(room):
                    return number
    return number
