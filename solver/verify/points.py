"""Bounds on squared error: no group of points costs less than its duals, and a tree over those nearly paid.

Releases are those of groups of k and more tuples; a group of 2k or more may be cut, which costs nothing. So
groups of k to 2k - 1 are tried, size by size, member by member in the order of falling duals. With some
members T of s, those that follow bring at most their duals less their distances to T, since distances among
them are at least 0: s times the profit is at most

    s (duals of T) - (pairs of T) + the s - |T| largest of  s dual(v) - (distances of v to T)

and penalties of cuts only grow. For k above `DEEPEST` sets of `FEW` tuples are tried, at F times their cost:
if none costs less than its duals, no group does (``F = (k - 1) m / (k (m - 1))`` for m = `FEW`; a group of s
is covered by its sets of m, each with weight ``1 / C(s - 1, m - 1)``, at (m - 1) s / (m (s - 1)) times its
cost, which is at most 1 / F).

A tree's columns cost what they cost rounded down. If it is about releases that cost less than the one of the
certificate, whose groups' costs are rounded up and add up to its target, then those groups cost that instead:
a release that differs costs more than the certificate's by at least what the costs of the groups in which
they differ say, whatever the rounding.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...models.compiled import compiled
from ...models.errors import CertificateError
from ...models.losses.pair_costs import FINE, MOST_CODE, group_costs, pair_costs, squares
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
MOST_POINTS = 8_000
MOST_GROUPS = 4_000_000
"""Groups that are listed, at most."""
MOST_TRIED = 2_000_000_000
"""Members that are tried, all in all."""
ROOM = 1_000_000
"""Of those with some first members."""
AT_ONCE = 16
"""First members between two looks at the clock."""


@dataclass(frozen=True, kw_only=True)
class CheckedPoints:
    """Points in the order in which the table names their first tuples.

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
        points, first, number = np.unique(codes, axis=0, return_index=True, return_inverse=True)
        if len(points) > MOST_POINTS:
            raise UndecidedError("there are too many points to be gone through again")
        order = np.argsort(first)
        behind: list[list[int]] = [[] for _ in order]
        rank = np.argsort(order)
        for t, point in enumerate(rank[number.ravel()].tolist()):
            behind[point].append(t)
        return cls(
            codes=points[order],
            prices=prices,
            pairs=pair_costs(points[order], prices),
            count=np.array([len(found) for found in behind], dtype=np.int64),
            tuples=tuple(map(tuple, behind)),
        )


class _SizeQuestion(NamedTuple):
    """One size: places by falling dual, and the place of the same point that comes first, or -1.

    `sure` is the penalty of cuts over all points, the same for every group of the size.
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


class _WalkDesk(NamedTuple):
    """By number of members: candidates, their distances, how many, the next; and what members sum up to."""

    left: NDArray[np.int32]
    way: Ints
    many: Ints
    at: Ints
    member: Ints
    dual: Ints
    pairs: Ints
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


def listed(given: Given, points: CheckedPoints, duals: ClaimedDuals, k: int, floor: int) -> NDArray[np.int32]:
    """All groups with a profit above a floor, which is at most 0; see the module.

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
    falling = np.argsort(-duals.rows, kind="stable")
    point = np.repeat(falling, np.minimum(points.count[falling], sizes[-1]))
    again = np.append(False, point[1:] == point[:-1])
    before = np.where(again, np.arange(len(point)) - 1, -1)
    found, tried = [np.empty((0, sizes[-1]), dtype=np.int32)], 0
    everywhere = [found for found in duals.cuts if len(found[0].rows) == len(points)]
    others = replace(duals, cuts=tuple(cut for cut in duals.cuts if cut not in everywhere))
    for size in sizes:
        sure = -sum(dual * (size // cut.over) for cut, dual in everywhere)
        asked = _SizeQuestion(
            pairs, point, before, duals.rows[point], size, duals.scale, floor, others.penalties(), sure
        )
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


def _memory(asked: _SizeQuestion, cuts: int) -> _WalkDesk:
    places, deep = len(asked.point), asked.size + 1

    def zeros(*shape: int) -> Ints:
        return np.zeros(shape, dtype=np.int64)

    return _WalkDesk(
        np.zeros((deep, places), dtype=np.int32),
        zeros(deep, places),
        zeros(deep),
        zeros(deep),
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
def _opened(q: _SizeQuestion, m: _WalkDesk, size: int) -> None:
    """Keep those of the candidates above with which the last member's group could still pay."""
    place, rest = m.member[size - 1], q.size - size
    p, many = q.point[place], 0
    sure = q.size * (m.dual[size] - m.penalty[size]) - q.scale * (m.pairs[size] - q.size) - q.size * q.floor
    top = np.full(rest, -(1 << 62), dtype=np.int64)
    first = 0 if size == 1 else m.at[size - 1]
    last = len(q.point) - place - 1 if size == 1 else m.many[size - 1]
    for e in range(first, last):
        v = place + 1 + e if size == 1 else m.left[size - 1, e]
        way = q.pairs[p, q.point[v]] + (0 if size == 1 else m.way[size - 1, e])
        gain = q.size * q.dual[v] - q.scale * way
        m.left[size, many], m.way[size, many] = v, way
        many += 1
        if gain > top[rest - 1]:
            at = rest - 1
            while at > 0 and top[at - 1] < gain:
                top[at] = top[at - 1]
                at -= 1
            top[at] = gain
    if many >= rest:
        for at in range(rest - 1):
            sure += top[at]
        kept = 0
        if sure + top[rest - 1] > 0:
            for e in range(many):
                v, way = m.left[size, e], m.way[size, e]
                if sure + q.size * q.dual[v] - q.scale * way > 0:
                    m.left[size, kept], m.way[size, kept] = v, way
                    kept += 1
        many = kept
    else:
        many = 0
    m.many[size], m.at[size] = many, 0
    m.tried[0] += last - first


@compiled
def _walked(q: _SizeQuestion, m: _WalkDesk, firsts: Ints, room: NDArray[np.int32]) -> int:
    """Write down the groups that begin with some places; -1 if one pays, which is first in `room` then."""
    number = 0
    m.tried[0] = 0
    for i in firsts:
        if q.before[i] >= 0:
            continue
        m.member[0], m.dual[1], m.pairs[1] = i, q.dual[i], 0
        m.penalty[1] = q.sure + _met(q, m, i, 1)
        size = 1
        _opened(q, m, 1)
        while size >= 1:
            if m.at[size] == m.many[size] or number == len(room):
                size -= 1
                _met(q, m, m.member[size], -1)
                continue
            v, way = m.left[size, m.at[size]], m.way[size, m.at[size]]
            m.at[size] += 1
            if q.before[v] >= 0 and m.member[size - 1] != q.before[v]:
                continue
            m.member[size] = v
            m.dual[size + 1] = m.dual[size] + q.dual[v]
            m.pairs[size + 1] = m.pairs[size] + way
            m.penalty[size + 1] = m.penalty[size] + _met(q, m, v, 1)
            if size + 1 < q.size:
                size += 1
                _opened(q, m, size)
                continue
            _met(q, m, v, -1)
            profit = m.dual[q.size] - m.penalty[q.size] - q.scale * (m.pairs[q.size] // q.size)
            if profit > q.floor:
                at = 0 if profit > 0 else number
                for a in range(room.shape[1]):
                    room[at, a] = q.point[m.member[a]] if a < q.size else -1
                if profit > 0:
                    return -1
                number += 1
    return number
