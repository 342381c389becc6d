"""Branch and bound with cuts over an explicit integer program, as a proof in whole numbers.

Linear programs in floating point only propose: duals (rounded to integers, they prove what they prove),
where to cut and where to branch. What is kept is a `tree_check.TreeProof`.

The root is cut until that moves little; columns that no better solution can have are struck out by integer
reduced costs, and whenever many are gone the linear program is set up anew over the rest, with the cuts
that matter. The same happens in every node, with fewer rounds. If what is left falls apart into programs
without a common row, each is solved for itself. A node that stays open otherwise is divided (`branching`).
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from ..settings import Clock
from .branching import chosen
from .limits import BRANCHING, DUALS, TREE as LIMITS
from .program import FREE, Box, Floats, Ints, Program
from .rank1 import Rank1Cut
from .relaxation import BoxProposal
from .remaining import Remaining, closure
from .separation import Effort
from .tree_check import Branch, CutSystem, Node, NodeDuals, ProofPart, TreeProof

__all__ = ["Tree"]

ROOT, INNER = Effort(rows=200, cuts=100), Effort(rows=60, cuts=60)


@dataclass(frozen=True, slots=True, eq=False)
class _NodeDraft:
    """A node as long as cuts are numbered in the order they were found; `duals` names them so.

    `bound` is what it proves alone, None if that is the target.
    """

    parent: int
    side: int
    duals: NodeDuals
    branch: Branch | None = None
    parts: tuple[ProofPart, ...] = ()
    bound: int | None = None


@dataclass(slots=True, eq=False)
class _OpenNode:
    """A node to be looked at; `rest` is its parent's."""

    box: Box
    parent: int
    side: int
    rest: Remaining | None


class Tree:
    """Search for a solution that costs less than `target`.

    Parameters
    ----------
    program, target
    clock : Clock, optional
        No limit by default.
    first : slice
        Columns to branch on before all others.
    cuts : sequence of Rank1Cut
        Of the program's rows, to begin with.

    Attributes
    ----------
    target : int
        Only cheaper solutions are sought; falls with every one found.
    best : int array or None
        The cheapest solution found, of cost `target`.
    stuck : bool
        A node could be neither bounded nor divided, though there was time: the search cannot go on.
    """

    def __init__(
        self,
        program: Program,
        target: int,
        clock: Clock | None = None,
        first: slice = slice(0, 0),
        cuts: Sequence[Rank1Cut] = (),
    ) -> None:
        self.program, self.target, self.first = program, target, first
        self.clock = Clock() if clock is None else clock
        self.best: Ints | None = None
        self.stuck = False
        self._rows = len(program.low)
        self._system = CutSystem(program)
        self._cuts, self._given = list(cuts), range(len(cuts))
        self._drafts: list[_NodeDraft] = []
        self._pending = [_OpenNode(Box(program.lower, program.upper), -1, 0, None)]

    @property
    def nodes(self) -> int:
        """How many nodes are done."""
        return len(self._drafts)

    @property
    def bound(self) -> int | None:
        """No solution costs less, finished or not; None if nothing is known yet."""
        return None if not self._drafts else min([self.target, *self._ends().values()])

    def run(self, most_nodes: int | None = None) -> bool:
        """Search depth first; True if nothing cheaper than `target` is left. Run again, it goes on."""
        while self._pending:
            if self.stuck or self.clock.over or (most_nodes is not None and self.nodes >= most_nodes):
                return False
            children = self._node(self._pending.pop())
            if children is None:
                return False
            self._pending += reversed(children)
        return True

    def frozen(self) -> Tree:
        """As it is now: what it proves while it goes on may be less until it ends."""
        found = copy(self)
        found._drafts = list(self._drafts)
        return found

    def proof(self) -> TreeProof:
        """That no solution costs less than `bound`; a search that is not finished has open ends as leaves."""
        kept, ends = self._kept(), self._ends()
        drafts = [(k, self._drafts[k]) for k in kept]
        used = closure(self._cuts, [cut for _, draft in drafts for cut, _ in draft.duals.cuts], self._rows)
        at = {k: number for number, k in enumerate(kept)}
        number = {self._rows + cut: self._rows + k for k, cut in enumerate(used)}
        place = {cut: k for k, cut in enumerate(used)}
        return TreeProof(
            target=min([self.target, *ends.values()]),
            cuts=tuple(self._cuts[cut].renamed(lambda row: number.get(row, row)) for cut in used),
            nodes=tuple(
                Node(
                    at.get(draft.parent, -1),
                    draft.side,
                    NodeDuals(
                        draft.duals.scale,
                        draft.duals.rows,
                        tuple(sorted((place[cut], dual) for cut, dual in draft.duals.cuts)),
                    ),
                    None if k in ends else draft.branch,
                    draft.parts,
                )
                for k, draft in drafts
            ),
        )

    def _ends(self) -> dict[int, int]:
        """Nodes with a side that was not looked at, and what they prove."""
        seen = {(draft.parent, draft.side) for draft in self._drafts}
        return {
            k: draft.bound
            for k, draft in enumerate(self._drafts)
            if draft.branch is not None
            and draft.bound is not None
            and any((k, side) not in seen for side in draft.branch.sides)
        }

    def _kept(self) -> list[int]:
        """Nodes that are not below such a node."""
        ends, kept = self._ends(), set[int]()
        for k, draft in enumerate(self._drafts):
            if draft.parent < 0 or (draft.parent in kept and draft.parent not in ends):
                kept.add(k)
        return sorted(kept)

    # -- one node ------------------------------------------------------------------------

    def _node(self, node: _OpenNode) -> list[_OpenNode] | None:
        """Bound a node; its children in order, none if it is closed. None if time ends or it is stuck."""
        if node.box.empty:
            self._keep(node, NodeDuals(1, np.zeros(self._rows, dtype=np.int64)))
            return []
        rest = self._program(node)
        inherited = rest is node.rest
        root, values, margin = node.parent < 0, list[float](), DUALS.margin
        last: NodeDuals | None = None
        rounds = LIMITS.root_rounds if root else LIMITS.rounds
        rest.relaxation.aim(self.target)
        while not self.clock.over:
            rest.relaxation.limit(rest.inside(node.box))
            proposal = rest.relaxation.solve(self.clock.rest)
            if proposal is None:
                break
            if self._closed(node, rest, proposal):
                return []
            amount = proposal.amount
            if amount is None:
                # The simplex method perturbs costs: on, until true costs and rounded duals say it, too.
                margin *= 8
                if margin > LIMITS.farthest:
                    break
                rest.relaxation.aim(self.target, margin)
                continue
            if np.abs(amount - np.rint(amount)).max(initial=0.0) < BRANCHING.whole:
                if not self._offer(np.rint(rest.spread(amount)).astype(np.int64)):
                    break
                rest.relaxation.aim(self.target)
                continue
            duals = last = rest.duals(proposal.duals, LIMITS.kept)
            left = self._left(rest, duals, node.box)
            if left is None:
                self._keep(node, _named(duals, rest))
                return []
            if rest.shrunk(left, LIMITS.restart):
                self._keep_open(node, rest, duals, Branch())
                last = None
                node = _OpenNode(left, self.nodes - 1, 0, None)
                rest, inherited = self._remaining(node, rest), False
                values.clear()
                continue
            values.append(proposal.value)
            gain = values[-1] - values[max(0, len(values) - 1 - LIMITS.last)]
            stalled = len(values) > LIMITS.last and gain < LIMITS.stalled * (self.target - values[-1])
            if stalled or len(values) > rounds or not self._cut(rest, amount, root=root):
                return self._divided(node, rest, proposal, amount, duals, left)
        if last is not None:
            # What is known so far bounds the whole search.
            self._keep_open(node, rest, last, Branch())
            node = _OpenNode(node.box, self.nodes - 1, 0, None)
        if not self.clock.over:
            if inherited:
                # Linear programs that are warm from other nodes may fail: once more, set up anew.
                return [_OpenNode(node.box, node.parent, node.side, None)]
            self.stuck = True
        self._pending.append(node)
        return None

    def _program(self, node: _OpenNode) -> Remaining:
        """The linear program of a node: its parent's, unless few of its columns are left or cuts are many."""
        rest = node.rest
        if not rest or rest.shrunk(node.box, LIMITS.restart) or len(rest.names) > rest.first + LIMITS.many:
            return self._remaining(node, rest)
        return rest

    def _remaining(self, node: _OpenNode, above: Remaining | None) -> Remaining:
        """The linear program over the columns that a node leaves, with the cuts that matter above it."""
        names = [cut for cut, _ in self._drafts[node.parent].duals.cuts] if node.parent >= 0 else self._given
        used = closure(self._cuts, names, self._rows)
        return Remaining(self.program, node.box, self._cuts, used, self.target, above)

    def _keep(self, node: _OpenNode, duals: NodeDuals, parts: tuple[ProofPart, ...] = ()) -> None:
        """Keep a closed node."""
        self._drafts.append(_NodeDraft(node.parent, node.side, duals, parts=parts))

    def _keep_open(self, node: _OpenNode, rest: Remaining, duals: NodeDuals, branch: Branch) -> None:
        """Keep a node that is divided, with what it proves alone."""
        try:
            value = rest.system.value(duals, rest.inside(node.box))[0]
        except OverflowError:
            duals, value = NodeDuals(1, np.zeros(self._rows, dtype=np.int64)), -FREE
        bound = -(-value // duals.scale)
        self._drafts.append(_NodeDraft(node.parent, node.side, _named(duals, rest), branch, bound=bound))

    def _closed(self, node: _OpenNode, rest: Remaining, proposal: BoxProposal) -> bool:
        """Whether duals close a node; they are kept then."""
        if proposal.value <= self.target - 1:
            return False
        for scale in LIMITS.scales:
            for down in (True, False):
                duals = rest.duals(proposal.duals, scale, down=down)
                if self._left(rest, duals, node.box) is None:
                    self._keep(node, _named(duals, rest))
                    return True
        return False

    def _left(self, rest: Remaining, duals: NodeDuals, box: Box) -> Box | None:
        """What duals leave of a box."""
        try:
            left = rest.system.left(duals, rest.inside(box), self.target)
        except OverflowError:
            return box
        return None if left is None else rest.outside(left)

    def _offer(self, x: Ints) -> bool:
        """Keep a solution if it is better."""
        cost = int(self.program.cost @ x)
        if cost >= self.target or not self.program.holds(x):
            return False
        self.target, self.best = cost, x
        return True

    def _cut(self, rest: Remaining, amount: Floats, *, root: bool) -> bool:
        fresh = rest.cut(amount, ROOT if root else INNER, len(self._cuts))
        self._cuts += fresh
        return bool(fresh)

    def _divided(
        self,
        node: _OpenNode,
        rest: Remaining,
        proposal: BoxProposal,
        amount: Floats,
        duals: NodeDuals,
        left: Box,
    ) -> list[_OpenNode]:
        """Children of a node that stays open; none if its parts close it."""
        parts = self._parts(left, rest.spread(amount))
        if parts:
            self._keep(node, _named(duals, rest), parts=parts)
            return []
        gap = self.target - 1 - proposal.value
        branch = chosen(
            rest,
            lambda branch, side: self._system.divided(branch, left, side),
            proposal,
            amount,
            gap,
            self.first,
        )
        self._keep_open(node, rest, duals, branch)
        here = self.nodes - 1
        return [
            _OpenNode(self._system.divided(branch, left, side), here, side, rest) for side in branch.sides
        ]

    # -- parts ---------------------------------------------------------------------------

    def _parts(self, box: Box, amount: Floats) -> tuple[ProofPart, ...]:
        """Proofs of parts without a common row that close a node together; none if it does not fall apart."""
        groups = self._apart(box, amount)
        if len(groups) < 2:
            return ()
        trees: list[Tree | None] = [None] * len(groups)
        # What each part costs: by the linear program, until its own tree says it.
        known = [
            int(np.ceil(self.program.cost[columns] @ amount[columns] - BRANCHING.whole))
            for _, columns in groups
        ]
        while True:
            total = sum(known)
            if total < self.target and all(tree is not None and tree.best is not None for tree in trees):
                x = np.zeros(len(self.program.cost), dtype=np.int64)
                for (_, columns), tree in zip(groups, trees, strict=True):
                    x[columns] = 0 if tree is None or tree.best is None else tree.best
                if not self._offer(x):
                    return ()
            if total >= self.target and all(trees):
                return tuple(
                    ProofPart(tuple(rows.tolist()), tree.proof())
                    for (rows, _), tree in zip(groups, trees, strict=True)
                    if tree is not None
                )
            short = total < self.target
            at = next(i for i, tree in enumerate(trees) if tree is None or (short and tree.best is None))
            rows, columns = groups[at]
            least = max(known[at], self.target - total + known[at])
            tree = trees[at] = Tree(self.program.part(rows, columns, box.lower, box.upper), least, self.clock)
            if not tree.run():
                return ()
            known[at] = tree.target

    def _apart(self, box: Box, amount: Floats) -> list[tuple[Ints, Ints]]:
        """Rows and columns of what a box falls apart into; what is whole already is one part."""
        columns = np.flatnonzero(box.upper > 0)
        matrix = csr_array(self.program.matrix[:, columns]).astype(bool).astype(np.int64)
        number, label = connected_components(matrix @ matrix.T, directed=False)
        split = np.abs(amount - np.rint(amount)) > BRANCHING.whole
        broken = np.unique(self.program.homes(label.astype(np.int64))[columns[split[columns]]])
        if number < 2 or len(broken) < 2:
            return []
        place = np.full(number, len(broken), dtype=np.int64)
        place[broken] = np.arange(len(broken))
        home = place[label]
        inside = self.program.homes(home)
        if (inside[columns] < 0).any():
            return []
        # Rows that no column is left for are with those that are whole.
        parts = [i for i in range(len(broken) + 1) if (inside[columns] == i).any()]
        groups = [(np.flatnonzero(home == i), np.flatnonzero(inside == i)) for i in parts]
        return sorted(groups, key=lambda found: len(found[1]))


def _named(duals: NodeDuals, rest: Remaining) -> NodeDuals:
    """The same duals with cuts' numbers in the whole tree."""
    return NodeDuals(duals.scale, duals.rows, tuple((rest.names[cut], dual) for cut, dual in duals.cuts))
