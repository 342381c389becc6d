"""The proof of a bound: what is written down, and how it is confirmed with integers alone.

The root: integer duals of tuples and cuts. If no needed group's duals and penalties add up to more
than its cost, their total bounds every release (`Duals` says why). The confirmation lists all
groups above a floor again, by another search than the engine's: breadth first, in arrays,
without compiled code.

The tree, if the root alone does not reach the claimed bound: all groups a release below the
target may hold are listed in the same way with the floor that the target leaves; each node's
duals strike out groups or close the node, and each branch has both sides. No linear or integer
program is solved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from ....models.errors import CertificateError
from ....models.problem import Problem
from ... import claims
from .cuts import Cuts
from .histograms import Histograms, Judge
from .loosened import Part, part_of, part_rows
from .master import FREE, Group
from .pricing import Duals, ceil_div
from .rows import Ints, Rows
from .series.leaves import MOST_NUMBERS
from .tree import Branch, Listed, Tree

__all__ = ["describe", "groups_above", "rows_of", "verify_bound"]

LIMIT = 1 << 61


def describe(
    rows: Rows, cuts: Cuts, duals: Duals, tree: Tree | None, *, level: int, part: Part | None
) -> claims.Priced | claims.Listed:
    """Write a proof down; tuples are named by their row of the microdata (from 0).

    A tree too long to be written down is left out.
    """
    first = [behind[0] for behind in rows.tuples]
    row_of = np.empty(int(rows.count.sum()), dtype=np.int64)
    for r, behind in enumerate(rows.tuples):
        row_of[list(behind)] = r

    def numbers(found: Duals) -> dict[str, Any]:
        return {
            "scale": found.scale,
            "duals": tuple(found.rows[row_of].tolist()),
            "cut_duals": tuple(found.cuts.tolist()),
        }

    known: dict[str, Any] = {
        "level": level,
        "root": claims.Duals(**numbers(duals)),
        "cuts": tuple(tuple(first[row] for row in rows_of_cut) for rows_of_cut in cuts.sets),
        "part": part,
    }
    if tree is None or len(tree.nodes) * len(row_of) > MOST_NUMBERS:
        return claims.Priced(**known)
    nodes = tuple(
        claims.TreeNode(
            **numbers(node.duals),
            parent=node.parent,
            side=node.side,
            pair=None
            if node.branch is None or node.branch.pair is None
            else (first[node.branch.pair[0]], first[node.branch.pair[1]]),
            group=None
            if node.branch is None or node.branch.group is None
            else tuple(first[row] for row in node.branch.group),
            times=0 if node.branch is None else node.branch.times,
        )
        for node in tree.nodes
    )
    return claims.Listed(**known, tree=claims.Tree(target=tree.target, nodes=nodes))


def verify_bound(
    problem: Problem, claim: claims.Priced | claims.Listed, most: Fraction | None = None
) -> Fraction:
    """Confirm a proof and return the bound on the information loss that it proves.

    Parameters
    ----------
    problem, claim
        The root's duals are for the policy, or for the part of it that the claim names: requirements by
        their index from 0, and the least group size that all of them imply.
    most : Fraction, optional
        Tuples may also be suppressed, at this loss each: duals are lowered to it, and only the root counts.

    Raises
    ------
    CertificateError
        If some statement does not hold: duals that a group exceeds, a node that does not close.

    Notes
    -----
    Takes seconds for hundreds of tuples. The result is a bound on total information loss; divide by
    the number of tuples for the average.
    """
    judge = Judge(problem)
    rows, histograms = Rows.of(problem, blind=judge.blind), Histograms.of(problem)
    if isinstance(histograms, str):
        raise CertificateError(f"the bound cannot be confirmed: {histograms}")
    row_of = {t: r for r, behind in enumerate(rows.tuples) for t in behind}
    cuts = Cuts(rows)
    for named in claim.cuts:
        cuts.add([rows_of(row_of, named)])
    duals = _duals(rows, cuts, claim.root)
    paying = _paying(problem, rows, histograms, cuts, duals, claim.part)
    if paying:
        raise CertificateError(
            f"the duals prove nothing: {len(paying)} groups have less cost than their duals, the first of "
            f"{len(paying[0])} tuples"
        )
    if most is not None:
        lowered = np.minimum(duals.rows, int(most * rows.scale * duals.scale))
        duals = Duals(rows=lowered, cuts=duals.cuts, scale=duals.scale)
    bound = duals.bound(rows, cuts)
    if isinstance(claim, claims.Listed) and most is None:
        target = claim.tree.target
        slack = (target - 1) * duals.scale - duals.value(rows, cuts)
        groups = groups_above(rows, histograms, cuts, duals, -slack - 1)
        _replay(rows, cuts, groups, target, claim.tree.nodes, row_of)
        bound = max(bound, target)
    return rows.loss(bound)


def rows_of(row_of: Mapping[int, int], named: Sequence[int]) -> tuple[int, ...]:
    """Different rows of named tuples."""
    if any(t not in row_of for t in named):
        raise CertificateError("the proof names a tuple that the table does not have")
    found = tuple(sorted({row_of[t] for t in named}))
    if len(found) != len(named):
        raise CertificateError("a cut names a tuple twice")
    return found


def _duals(rows: Rows, cuts: Cuts, stated: claims.Duals) -> Duals:
    """Read duals back; equal tuples have equal ones."""
    per_tuple, per_cut, scale = stated.duals, stated.cut_duals, stated.scale
    if len(per_tuple) != int(rows.count.sum()) or len(per_cut) > len(cuts):
        raise CertificateError("the proof has another number of tuples or cuts")
    if any(len({per_tuple[t] for t in behind}) > 1 for behind in rows.tuples):
        raise CertificateError("tuples that are alike have different duals")
    if sum(map(abs, per_tuple)) + sum(map(abs, per_cut)) + scale * rows.most > LIMIT:
        raise CertificateError("the proof's numbers are too large to be checked in 64 bits")
    return Duals(
        rows=np.array([per_tuple[behind[0]] for behind in rows.tuples], dtype=np.int64),
        cuts=np.array(per_cut, dtype=np.int64),
        scale=scale,
    )


def _paying(
    problem: Problem,
    rows: Rows,
    histograms: Histograms,
    cuts: Cuts,
    duals: Duals,
    part: Sequence[int] | None,
) -> list[Group]:
    """Groups that cost less than their duals, of those needed by the policy or by a part of it."""
    if part is None:
        return groups_above(rows, histograms, cuts, duals, 0)
    if any(i not in range(len(problem.policy.requirements)) for i in part):
        raise CertificateError("the bound's proof names requirements that the policy does not have")
    easier = part_of(problem, part)
    known = Histograms.of(easier)
    if isinstance(known, str):
        raise CertificateError(f"the bound cannot be confirmed: {known}")
    return groups_above(part_rows(rows, easier), known, cuts, duals, 0)


# -- the other search -------------------------------------------------------------------


def groups_above(rows: Rows, histograms: Histograms, cuts: Cuts, duals: Duals, floor: int) -> list[Group]:
    """All needed groups whose scaled profit is above `floor`, breadth first from each lowest row."""
    found: list[Group] = []
    for anchor in range(len(rows)):
        found += _from_anchor(rows, histograms, cuts, duals, floor, anchor)
    return found


def _from_anchor(
    rows: Rows, histograms: Histograms, cuts: Cuts, duals: Duals, floor: int, anchor: int
) -> list[Group]:
    steps, geometry = histograms.steps, rows.geometry
    order = np.argsort(-duals.rows[anchor:], kind="stable") + anchor
    copies = rows.count[order] - (order == anchor)
    if not steps.beyond:
        copies = np.minimum(copies, steps.largest)
    listed = np.repeat(order, copies)
    copy = np.concatenate([np.arange(c) for c in copies.tolist()]) if len(copies) else np.zeros(0, np.int64)
    gain = duals.rows[listed]
    met = [c for c in range(len(duals.cuts)) if duals.cuts[c]]
    inside = np.zeros((len(rows), len(met)), dtype=np.int64)
    for at, c in enumerate(met):
        inside[list(cuts.sets[c]), at] = 1
    penalty = duals.cuts[met]
    label = 0 if steps.alike else int(rows.value[anchor])
    first = int(steps.step[0, label])
    if first < 0:
        return []
    members = np.array([[-1]], dtype=np.int64)
    lo = hi = geometry.codes[[anchor]]
    sure, state, touched = duals.rows[[anchor]], np.array([first]), inside[[anchor]]
    found: list[Group] = []
    size = 1
    while len(state):
        done = steps.needed[state] & (sure - size * rows.box_cost(lo, hi) * duals.scale > floor)
        found += [
            tuple(sorted([anchor, *(int(listed[j]) for j in line if j >= 0)]))
            for line in members[done].tolist()
        ]
        pairs = _pairs(steps, rows, duals, floor, listed, gain, copy, members, lo, hi, sure, state, size)
        if size == steps.largest:
            if steps.beyond and len(pairs[0]):
                raise CertificateError("a group larger than the listed histograms cannot be ruled out")
            break
        line, new = pairs
        who = listed[new]
        times = _seen(rows, listed, members[line], anchor, who)
        state = steps.step[state[line], times if steps.alike else rows.value[who]].astype(np.int64)
        keep = state >= 0
        line, new, who, state = line[keep], new[keep], who[keep], state[keep]
        touched = touched[line] + inside[who]
        sure = sure[line] + gain[new] + (((touched % 2 == 0) & (inside[who] > 0)) * penalty).sum(axis=1)
        lo, hi = np.minimum(lo[line], geometry.codes[who]), np.maximum(hi[line], geometry.codes[who])
        members = np.concatenate([members[line], new[:, None]], axis=1)
        size += 1
    return found


def _pairs(
    steps: Any,
    rows: Rows,
    duals: Duals,
    floor: int,
    listed: Ints,
    gain: Ints,
    copy: Ints,
    members: Ints,
    lo: Ints,
    hi: Ints,
    sure: Ints,
    state: Ints,
    size: int,
) -> tuple[Ints, Ints]:
    """Which partial group can go on with which candidate: (line, place in the list)."""
    codes = rows.geometry.codes[listed]
    most = len(listed) if steps.beyond else steps.largest - size - 1
    lines, places = list[Ints](), list[Ints]()
    total = np.concatenate([[0], np.cumsum(gain)])
    for line in range(len(state)):
        last = int(members[line, -1])
        place = np.arange(last + 1, len(listed))
        # A further copy of a row only after the copy before it.
        place = place[(copy[place] == 0) | (place == last + 1) & (copy[place] > 0)]
        box = (
            rows.box_cost(np.minimum(lo[line], codes[place]), np.maximum(hi[line], codes[place]))
            * duals.scale
        )
        reach = np.full(len(place), -LIMIT, dtype=np.int64)
        for k in range(max(0, int(steps.missing[state[line]]) - 1), most + 1):
            there = place + k < len(listed)
            if not there.any():
                break
            end = np.minimum(place + 1 + k, len(listed))
            profit = sure[line] + total[end] - total[place] - (size + 1 + k) * box
            reach = np.maximum(reach, np.where(there, profit, -LIMIT))
            if (
                k > steps.missing[state[line]]
                and (profit[there] <= floor).all()
                and (gain[np.minimum(place + k, len(listed) - 1)][there] <= box[there]).all()
            ):
                break
        good = reach > floor
        places.append(place[good])
        lines.append(np.full(int(good.sum()), line, dtype=np.int64))
    return np.concatenate(lines), np.concatenate(places)


def _seen(rows: Rows, listed: Ints, members: Ints, anchor: int, who: Ints) -> Ints:
    """How often each new row's value is in its group already."""
    value = rows.value[who][:, None]
    there = np.where(members >= 0, rows.value[listed[np.maximum(members, 0)]], -1)
    return (there == value).sum(axis=1) + (rows.value[anchor] == value[:, 0])


# -- the tree -----------------------------------------------------------------------------


def _replay(
    rows: Rows,
    cuts: Cuts,
    groups: Sequence[Group],
    target: int,
    nodes: Sequence[claims.TreeNode],
    row_of: Mapping[int, int],
) -> None:
    """Check that every node closes or branches, and that no branch misses a side."""
    listed = Listed(rows, cuts, groups)
    zeros = np.zeros(len(groups), dtype=np.int64)
    bounds: dict[int, tuple[Ints, Ints, Branch]] = {}
    sides: set[tuple[int, int]] = set()
    for number, node in enumerate(nodes):
        if number == 0:
            lower, upper = zeros, zeros + FREE
        elif node.parent in bounds:
            above, below, branch = bounds[node.parent]
            lower, upper = listed.divide(branch, above, below, node.side)
            sides.add((node.parent, node.side))
        else:
            raise CertificateError(f"node {number + 1} of the tree has no parent that branches")
        duals, value, reduced = listed.proves(_duals(rows, cuts, node), lower, upper)
        if node.pair is None and node.group is None:
            if ceil_div(value, duals.scale) < target:
                raise CertificateError(f"node {number + 1} of the tree does not reach the bound")
            continue
        upper = np.where((reduced > (target - 1) * duals.scale - value) & (lower == 0), 0, upper)
        bounds[number] = lower, upper, _branch(rows, groups, node, row_of, number)
    if not nodes or any((number, side) not in sides for number in bounds for side in (0, 1)):
        raise CertificateError("a branch of the tree lacks a side")


def _branch(
    rows: Rows, groups: Sequence[Group], node: claims.TreeNode, row_of: Mapping[int, int], number: int
) -> Branch:
    """How a node divides: a pair of rows without equals, or a listed group."""
    if any(t not in row_of for t in (*(node.pair or ()), *(node.group or ()))):
        raise CertificateError(f"node {number + 1} of the tree names a tuple that the table does not have")
    if node.pair is not None:
        one, other = (row_of[t] for t in node.pair)
        if rows.count[one] != 1 or rows.count[other] != 1:
            raise CertificateError(f"node {number + 1} of the tree branches on tuples that have equals")
        return Branch(pair=(one, other))
    group = tuple(sorted(row_of[t] for t in node.group or ()))
    if group not in groups or node.times < 1:
        raise CertificateError(f"node {number + 1} of the tree branches on a group that is not listed")
    return Branch(group=group, times=node.times)
