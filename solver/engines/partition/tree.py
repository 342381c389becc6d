"""Exact branch and bound over an explicit list of groups.

Every node carries integer duals. They prove that a release made of the node's groups costs
at least so much, and strike out the groups that cannot be part of a better one. A node ends when
what it proves reaches the best cost known. So the whole tree is a proof that anyone can replay
with integer arithmetic (`proof.replay`); the linear programs only propose duals and where to branch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ...exact.odd_sets import separated
from ...settings import Clock
from .columns import padded
from .cuts import Cuts
from .master import FREE, Group, Master, Proposal, group_costs
from .pricing import Duals, Pricing
from .rows import Ints, Rows

__all__ = ["Branch", "Listed", "Node", "Tree"]

WHOLE = 1e-6
"""How far an amount may be from a whole number."""
PROBED, PROBE = 8, 60
"""How many branches are probed, and for how many iterations each."""


@dataclass(frozen=True)
class Branch:
    """How a node's groups are divided among two children.

    Two rows of count 1: groups with both or neither, against groups with one of them or
    neither. Or one group, taken at least `times`, against less often.
    """

    pair: tuple[int, int] | None = None
    group: Group | None = None
    times: int = 1


@dataclass
class Node:
    """Duals that bound a node; `branch` if they do not close it, with both its children later in the list."""

    duals: Duals
    parent: int
    side: int
    branch: Branch | None = None


class Listed:
    """An explicit list of groups, with what integer duals prove about them."""

    def __init__(self, rows: Rows, cuts: Cuts, groups: Sequence[Group]) -> None:
        self.rows, self.cuts, self.groups = rows, cuts, list(groups)
        self.costs = np.array(group_costs(rows, self.groups), dtype=np.int64)
        self.anchors = np.array([min(group) for group in self.groups], dtype=np.int64)
        lines = np.repeat(np.arange(len(self.groups)), [len(group) for group in self.groups])
        flat = np.array([row for group in self.groups for row in group], dtype=np.int64)
        self._members = csr_array(
            (np.ones(len(flat), dtype=np.int64), (lines, flat)), shape=(len(self.groups), len(rows))
        )
        self._met: csr_array | None = None
        self._for = -1

    def holds(self, row: int) -> NDArray[np.bool_]:
        """Which groups have a row."""
        return np.asarray(self._members[:, [row]].todense())[:, 0] > 0

    def reduced(self, duals: Duals) -> Ints:
        """Scaled reduced cost of each group."""
        left = self.costs * duals.scale - self._members @ duals.rows
        if len(duals.cuts):
            left -= self._coefficients() @ np.concatenate(
                [duals.cuts, np.zeros(len(self.cuts) - len(duals.cuts), dtype=np.int64)]
            )
        return np.asarray(left, dtype=np.int64)

    def _coefficients(self) -> csr_array:
        if self._met is None or self._for != len(self.cuts):
            entries = [
                (line, cut, times)
                for line, group in enumerate(self.groups)
                for cut, times in self.cuts.coefficients(group).items()
            ]
            table = np.array(entries, dtype=np.int64).reshape(-1, 3)
            self._met = csr_array(
                (table[:, 2], (table[:, 0], table[:, 1])), shape=(len(self.groups), len(self.cuts))
            )
            self._for = len(self.cuts)
        return self._met

    def proves(self, duals: Duals, lower: Ints, upper: Ints) -> tuple[Duals, int, Ints]:
        """Make duals feasible for the groups within bounds; the scaled bound they prove; reduced costs.

        A group taken x times with lower <= x <= upper adds at least ``reduced * lower`` if its
        reduced cost is positive. Negative ones are repaired at the anchor, except where upper is finite.
        """
        reduced = self.reduced(duals)
        short = np.zeros(len(self.rows), dtype=np.int64)
        np.maximum.at(short, self.anchors, np.where(upper >= FREE, -reduced, 0))
        if short.any():
            duals = duals.lowered(short)
            reduced = reduced + short[self.anchors] * self._count_of_anchor()
        ends = np.where(reduced > 0, lower, np.minimum(upper, FREE - 1)) * np.where(
            (reduced < 0) & (upper >= FREE), 0, reduced
        )
        return duals, duals.value(self.rows, self.cuts) + int(ends.sum()), reduced

    def _count_of_anchor(self) -> Ints:
        return np.asarray(self._members[np.arange(len(self.groups)), self.anchors]).ravel().astype(np.int64)

    def divide(self, branch: Branch, lower: Ints, upper: Ints, side: int) -> tuple[Ints, Ints]:
        """Bounds of a child: side 0 has the pair together or takes the group, side 1 does not."""
        lower, upper = lower.copy(), upper.copy()
        if branch.pair is not None:
            one, other = (self.holds(row) for row in branch.pair)
            upper[(one ^ other) if side == 0 else (one & other)] = 0
        elif branch.group is not None:
            at = self.groups.index(branch.group)
            if side == 0:
                lower[at] = max(lower[at], branch.times)
            else:
                upper[at] = min(upper[at], branch.times - 1)
        return lower, upper


class Tree:
    """Search for a release of listed groups that costs less than `target`.

    Attributes
    ----------
    target : int
        Only cheaper releases are sought; falls with every one found.
    best : tuple of Group or None
        The cheapest release found, of cost `target`.
    nodes : list of Node
        The proof so far, every node after its parent.
    """

    def __init__(
        self, pricing: Pricing, groups: Sequence[Group], target: int, unit: float, clock: Clock
    ) -> None:
        self.pricing, self.rows, self.clock = pricing, pricing.rows, clock
        self.listed = Listed(pricing.rows, pricing.cuts, groups)
        self.target = target
        self.best: tuple[Group, ...] | None = None
        self.nodes: list[Node] = []
        self._penalty = float(self.rows.scale * len(self.rows.geometry.weight))
        self._master = Master(self.rows, pricing.cuts, unit, self._penalty)
        self._master.extend()
        self._master.add(self.listed.groups)

    def run(self, most_nodes: int) -> bool:
        """Search depth first; True if the tree is complete: nothing cheaper than `target` is left."""
        zeros = np.zeros(len(self.listed.groups), dtype=np.int64)
        pending: list[tuple[Ints, Ints, int, int]] = [(zeros, zeros + FREE, -1, 0)]
        while pending:
            if len(self.nodes) >= most_nodes or self.clock.over:
                return False
            lower, upper, parent, side = pending.pop()
            answer = self._node(lower, upper, cut=parent < 0)
            if answer is None:
                return False
            duals, branch = answer
            self.nodes.append(Node(duals, parent, side, branch))
            if branch is not None:
                here = len(self.nodes) - 1
                pending += [(*self.listed.divide(branch, lower, upper, side), here, side) for side in (1, 0)]
        return True

    def _node(self, lower: Ints, upper: Ints, *, cut: bool) -> tuple[Duals, Branch | None] | None:
        """Bound a node, strike out groups (in `upper`, in place), and say how to branch on."""
        while True:
            self._master.limit(lower, upper)
            proposal = self._master.solve(self.clock.left)
            if proposal is None:
                return None
            duals, value, reduced = self.listed.proves(
                self.pricing.duals(proposal.rows, proposal.cuts), lower, upper
            )
            if value > (self.target - 1) * duals.scale:
                return duals, None
            if proposal.missing > WHOLE:
                self._penalty *= 10
                self._master.penalize(self._penalty)
                if self._penalty > 1e3 * max(1, self.rows.most):
                    return None
                continue
            near = np.rint(proposal.amount)
            if np.abs(proposal.amount - near).max(initial=0.0) < WHOLE:
                self._found(near)
                if value > (self.target - 1) * duals.scale:
                    return duals, None
                return None
            if cut and self._cut(proposal):
                continue
            # Only duals that are kept may strike groups out, so that the proof can be replayed.
            upper[(reduced > (self.target - 1) * duals.scale - value) & (lower == 0)] = 0
            return duals, self._choose(proposal, lower, upper)

    def _cut(self, proposal: Proposal) -> bool:
        members = padded(self.listed.groups, max(map(len, self.listed.groups), default=1))
        fresh = separated(members, proposal.amount, self.rows.count, self.pricing.cuts.sets)
        self.pricing.cuts.add(fresh)
        self._master.extend()
        return bool(fresh)

    def _found(self, amount: NDArray[np.float64]) -> None:
        taken = tuple(self.listed.groups[j] for j in np.flatnonzero(amount) for _ in range(int(amount[j])))
        cost = sum(group_costs(self.rows, taken))
        covered = np.bincount([row for group in taken for row in group], minlength=len(self.rows))
        if cost < self.target and (covered == self.rows.count).all():
            self.target, self.best = cost, taken

    def _choose(self, proposal: Proposal, lower: Ints, upper: Ints) -> Branch:
        """Branch on the two rows, of a few undecided ones, that raise the bound most; else on a group."""
        pairs: dict[tuple[int, int], float] = {}
        part = np.flatnonzero(np.abs(proposal.amount - np.rint(proposal.amount)) > WHOLE)
        for j in part:
            single = [row for row in self.listed.groups[j] if self.rows.count[row] == 1]
            for a, i in enumerate(single):
                for k in single[a + 1 :]:
                    pairs[i, k] = pairs.get((i, k), 0.0) + float(proposal.amount[j])
        undecided = sorted(
            (abs(share - 0.6), pair) for pair, share in pairs.items() if WHOLE < share < 1 - WHOLE
        )
        if undecided:
            branches = [Branch(pair=pair) for _, pair in undecided[:PROBED]]
            return max(branches, key=lambda branch: self._gain(branch, proposal.value, lower, upper))
        j = max(part, key=lambda j: (min(proposal.amount[j] % 1, -proposal.amount[j] % 1), -j))
        return Branch(group=self.listed.groups[j], times=int(np.ceil(proposal.amount[j])))

    def _gain(self, branch: Branch, value: float, lower: Ints, upper: Ints) -> float:
        """How promising a branch is: the product of what a few iterations gain on both sides."""
        gains: list[float] = []
        for side in (0, 1):
            self._master.limit(*self.listed.divide(branch, lower, upper, side))
            gains.append(max(1e-3 * self._master.unit, self._master.probe(PROBE) - value))
        return gains[0] * gains[1]
