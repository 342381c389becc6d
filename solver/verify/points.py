"""Bounds on squared error: no group of points costs less than its duals, and a tree over those nearly paid.

Releases are those of groups of k and more tuples; a group of 2k or more may be cut, which costs nothing. So
groups of k to 2k - 1 are tried, size by size (`point_groups`).

For k above `DEEPEST` sets of `FEW` tuples are tried, at F times their cost: if none costs less than its
duals, no group does (``F = (k - 1) m / (k (m - 1))`` for m = `FEW`; a group of s is covered by its sets of
m, each with weight ``1 / C(s - 1, m - 1)``, at (m - 1) s / (m (s - 1)) times its cost, which is at most 1 /
F).

With blocks of points, groups inside one of them may cost less than their duals, and all others do not. Let U
be the points of a block that are in groups inside it: these cost at least the best partition of U, and the
block's other points are in groups that cost at least their duals. So a release costs at least the sum over
blocks of the least, over all U, of both; and the duals of points in no block. Cuts count all groups, wherever
they lie: a group inside a block costs its penalties beside its cost, as the others do.

A tree's columns cost what they cost rounded down. If it is about releases that cost less than the one of the
certificate, whose groups' costs are rounded up and add up to its target, then those groups cost that instead:
a release that differs costs more than the certificate's by at least what the costs of the groups in which
they differ say, whatever the rounding.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil

import numpy as np
from numpy.typing import NDArray

from ...models.compiled import compiled
from ...models.errors import CertificateError
from ...models.losses.pair_costs import FINE, group_costs, squares
from ...models.losses.squared import squared_error_of
from ...models.problem_view import smallest_group
from .. import claims
from ..exact.program import covering
from .duals import ClaimedDuals, divided
from .given import Given
from .listing import refuted
from .outcome import UndecidedError
from .point_groups import SizeQuestion, largest, walk_memory, walked
from .point_rows import CheckedPoints
from .priced import in_order
from .rows import Ints, row_of
from .trees import searched

__all__ = ["listed", "proven_squares"]

DEEPEST, FEW = 6, 5
"""Of larger groups sets of so few are tried."""
MOST_GROUPS = 4_000_000
"""Groups that are listed, at most."""
MOST_TRIED = 40_000_000_000
"""Members that are tried, all in all."""
LIMIT = 1 << 62
"""No sum that is met may be larger."""
ROOM = 1_000_000
"""Of those with some first members."""
LATE_TRIED = 200_000_000
"""So many are tried in a moment: however late it is, and whatever ended the search."""
AT_ONCE = 16
"""First members between two looks at the clock."""
MOST_BLOCK = 14
"""Points of a block: all their sets are gone through."""


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
    if claim.part is not None or k < 2:
        raise CertificateError("a bound on squared error is about groups of two and more")
    hidden = problem.policy.suppression_limit(len(problem.table)) > 0
    if hidden and (isinstance(claim, claims.ListedClaim) or claim.blocks):
        raise CertificateError("a bound on squared error is about all tuples, unless duals state it alone")
    points, weight = CheckedPoints.of(problem), problem.policy.levels[0].weights[0][1]
    cuts = divided(points, claim.cuts, claim.divisors)
    root = claim.root
    duals = ClaimedDuals.of(points, root.duals, cuts, root.cut_duals, root.scale)
    bound = Fraction(duals.bound(points.count), FINE)
    if hidden:
        return weight * _where_hidden(given, points, duals, k)
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
    if relative and given.release is not None:
        # Its own squared error: as a part of a level it is not the level's value.
        (own,) = problem.objective(given.release)
        return max(weight * bound, own - weight * Fraction(target - found, FINE))
    return weight * max(bound, Fraction(found, FINE))


def _where_hidden(given: Given, points: CheckedPoints, duals: ClaimedDuals, k: int) -> Fraction:
    """What duals prove where tuples may be suppressed: no dual stays above what its tuple costs left out.

    With lower ones no group costs less than its duals either, and whoever is left out costs his own.
    """
    table, loss = given.problem.table, squared_error_of(given.problem)
    assert loss is not None
    listed(given, points, duals, k, 0)
    lower = duals.rows.copy()
    for row, alike in enumerate(points.tuples):
        own = loss.of_suppressed(table.members[alike[0]], table) * FINE * duals.scale
        lower[row] = min(int(lower[row]), own.numerator // own.denominator)
    return Fraction(replace(duals, rows=lower).value(points.count), duals.scale * FINE)


def _by_blocks(
    given: Given, points: CheckedPoints, duals: ClaimedDuals, k: int, named: Sequence[Sequence[int]]
) -> int:
    """What duals prove that groups inside blocks need not keep; see the module."""
    block, home = np.full(len(points), -1, dtype=np.int64), row_of(points)
    value, penalties = duals.value(points.count), np.array([dual for _, dual in duals.cuts], dtype=np.int64)
    over = np.array([cut.over for cut, _ in duals.cuts], dtype=np.int64)
    named_by: list[list[int]] = [[] for _ in range(len(points))]
    for c, (cut, _) in enumerate(duals.cuts):
        for row in cut.rows:
            named_by[row].append(c)
    for number, tuples in enumerate(named):
        if any(not 0 <= t < len(home) for t in tuples) or len(tuples) > MOST_BLOCK:
            raise CertificateError("a block names a tuple that the table does not have, or too many")
        inside = np.unique(home[list(tuples)])
        if len(inside) != len(tuples) or (block[inside] >= 0).any() or (points.count[inside] > 1).any():
            raise CertificateError("a block names a tuple twice, one of another, or one of several alike")
        block[inside] = number
        pairs, dual = points.pairs[np.ix_(inside, inside)], duals.rows[inside]
        most = 2 * duals.scale * (int(pairs.sum()) + 1) + int(np.abs(dual).sum())
        if most - len(inside) * int(penalties.sum()) > LIMIT:
            raise CertificateError("the proof's numbers are too large to be checked in 64 bits")
        masked: dict[int, int] = {}
        for place, row in enumerate(inside.tolist()):
            for c in named_by[row]:
                masked[c] = masked.get(c, 0) | 1 << place
        # Of the others, no group inside has members enough to be counted.
        met = np.array([c for c in sorted(masked) if masked[c].bit_count() >= over[c]], dtype=np.int64)
        masks = np.array([masked[c] for c in met.tolist()], dtype=np.int64)
        value -= int(dual.sum())
        value += int(_of_block(pairs, dual, duals.scale, k, masks, penalties[met], over[met]))
    if k > DEEPEST:
        raise CertificateError("blocks are about groups that are all tried")
    listed(given, points, duals, k, 0, block)
    return -(-value // duals.scale)


@compiled
def _of_block(pairs: Ints, dual: Ints, scale: int, k: int, met: Ints, penalties: Ints, over: Ints) -> int:
    """The least that a block's points cost: each in a group inside, or for its dual.

    A group pays the penalties of cuts, whose points in the block are those of `met`.
    """
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
            for c in range(len(met)):
                times = 0
                for a in range(many):
                    times += (chosen & met[c]) >> a & 1
                cost[chosen] -= penalties[c] * (times // over[c])
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
    home = {
        member.respondent: row for member, row in zip(table.members, row_of(points).tolist(), strict=True)
    }
    for group in release.groups:
        inside = tuple(sorted(home[one] for one in group.respondents))
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
    others = replace(duals, cuts=tuple(cut for cut in duals.cuts if len(cut[0].rows) < len(points)))
    for size in sizes:
        sure = -sum(dual * (size // cut.over) for cut, dual in everywhere)
        asked = SizeQuestion(
            pairs, point, before, duals.rows[point], size, duals.scale, floor, others.penalties(), sure, parts
        )
        if largest(asked) > LIMIT:
            raise CertificateError("the proof's numbers are too large to be checked in 64 bits")
        memory = walk_memory(asked, len(duals.cuts))
        for at in range(0, len(point), AT_ONCE):
            if tried > LATE_TRIED and given.over():
                raise UndecidedError("not all groups of points could be gone through in time")
            room = np.empty((ROOM, sizes[-1]), dtype=np.int32)
            firsts = np.arange(at, min(at + AT_ONCE, len(point)))
            number = walked(asked, memory, firsts, room)
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
