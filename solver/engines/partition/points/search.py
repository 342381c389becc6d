"""Points plan, in stages: groups of near points, bounds by column generation, both of them certified."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import numpy as np

from .....models.problem import Problem
from .....models.problem_view import smallest_group
from .....models.release import Release
from ....backends.highs import MADE_BY
from ....claims import Claim, ListedClaim, Trusted
from ....colgen.column import Column, Group
from ....colgen.covering import home_of
from ....colgen.duals import DualBound
from ....colgen.master import RestrictedMaster
from ....colgen.points.annealing import annealed
from ....colgen.points.block_bound import BlockBound, BlockDuals
from ....colgen.points.blocks import PointBlock, clusters
from ....colgen.points.limits import POINT_BLOCKS as BLOCKS, POINTS as LIMITS
from ....colgen.points.pricing import PointPricing, inner
from ....colgen.points.table import FINE, PointRows
from ....colgen.structure.histograms import Judge, by_sizes_alone
from ....ending import concluded, search_clock
from ....schedule import LONG_STAGES, POINTS, STAGES
from ....settings import Answer, Clock, Settings, Watch
from ....shares import Share
from ..proof import describe
from ..stages import in_stages
from .generating import PointFinish, PointGeneration, cut_down, near_groups
from .parts import BlockParts
from .progress import PointProgress

__all__ = ["PointsSearch"]


class PointsSearch:
    """State of one solve by points; `Plan` says when that is possible."""

    def __init__(self, problem: Problem, settings: Settings, watch: Watch, rows: PointRows) -> None:
        self.problem, self.settings, self.rows = problem, settings, rows
        self.clock = search_clock(problem, settings, watch)
        self.k = max(1, smallest_group(problem))
        judge = Judge(problem)
        self.judge = None if by_sizes_alone(judge) else judge
        self.points = rows if self.judge is None else rows.singly(problem)
        self.progress = PointProgress(problem, self.points, watch, self.judge)
        few = LIMITS.few if self.k > LIMITS.deepest else self.k
        sizes = range(few, few + 1) if few < self.k else range(self.k, 2 * self.k)
        asked = rows if few == self.k else inner(rows, self.k, few)
        self.whole = few == self.k
        self.pricing = PointPricing(asked, sizes, settings.workers, self.clock)
        self.root = DualBound(self.pricing)
        self.finish = PointFinish(self.pricing, self.progress, self.clock, settings.seed, LIMITS.gap)
        self.interrupted = False
        self.blocks = self._blocks()
        self.by_blocks: BlockDuals | None = None
        self._beside: BlockBound | None = None
        self._linear: PointGeneration | None = None
        self._stages, self._kept = 0, 0.0

    def run(self) -> Answer:
        """Everything in order; Ctrl-C keeps what there is."""
        try:
            self.root.offer(self.pricing.at_sight())
            # Without blocks moves and windows need long stages.
            course = STAGES if self.blocks else LONG_STAGES
            in_stages(self.problem, self.settings, self.clock, self._stage, self._ended, course)
        except KeyboardInterrupt:
            self.interrupted = True
        return concluded(self._answer)

    def _answer(self) -> Answer:
        progress, ended = self.progress, not (self.interrupted or self.clock.ended)
        return progress.answer(
            self._claims(),
            solved=progress.bound >= progress.cost if progress.tied else ended and progress.rounded,
            interrupted=self.interrupted,
            late=self.clock.ended,
            rounds=self.root.rounds,
        )

    def _stage(self) -> bool:
        """All steps in the time of the clock; called again with more of it, they go on.

        Returns
        -------
        bool
            True: moves, programs and lists may find more in more time.
        """
        self._starts()
        self.progress.lift(self.root.bound, "at sight")
        if self.blocks:
            self._by_blocks()
        else:
            self.generated()
        duals = self.root.duals
        if self.whole and self.judge is None:
            if duals is not None:  # at sight they may prove nothing, and there may be no time for others
                self.finish.again()
                self.finish.improve(duals)
                self.finish.run(duals)
        else:
            self._anneal(POINTS.again, self._seed + 1)
        self._stages += 1
        return True

    # -- releases --------------------------------------------------------------------

    @property
    def _seed(self) -> int:
        """Of a stage: each has moves of its own."""
        return self.settings.seed + 2 * LIMITS.parts * self._stages

    def _starts(self) -> None:
        """Known releases, and one that annealing makes of the best, unless it is as good as proven to be."""
        progress = self.progress
        if progress.best is None:
            for release in (self.settings.initial, self.settings.known):
                if release is not None:
                    progress.offer(self._groups(release), "start")
        if progress.best is None:
            everybody = np.repeat(np.arange(len(self.points)), self.points.count)
            progress.offer(self._cut(tuple(everybody.tolist())), "start")
        if progress.cost - progress.bound <= LIMITS.annealed * progress.bound:
            return
        self._anneal(POINTS.annealing, self._seed)
        if self.blocks and progress.offer(self._each_block(), "blocks"):
            self._anneal(POINTS.annealing, self._seed, LIMITS.lukewarm)

    def _anneal(self, share: Share, seed: int, warm: float = 1.0) -> None:
        """Let the best release be moved about for a share of the time."""
        assert self.progress.best is not None
        largest = max(map(len, self.progress.best))
        if len(self.progress.best) < 2 if self.judge is None else largest > LIMITS.widest:
            return
        seconds, moves = self.clock.allowed(share), LIMITS.moves * int(self.rows.count.sum())
        if seconds is not None:
            moves = min(moves, int(seconds / POINTS.move.value))
        clock = self.clock.share(share)
        found = annealed(
            self.points,
            self.progress.best,
            self.k,
            moves=moves,
            seed=seed,
            clock=clock,
            warm=warm if self.judge is None else LIMITS.judged_hot * warm,
            judge=self.judge,
        )
        for better in found:
            self.progress.offer(better, "annealing")

    def _groups(self, release: Release) -> list[Group]:
        """A release's groups as rows, none larger than needed.

        Whoever is new, was suppressed, or is in a group that is too small now, is in one more, or the last.
        """
        home, row, found = home_of(self.points).tolist(), self.problem.table.row, list[Group]()
        left = self.points.count.copy()
        for group in release.groups:
            inside = tuple(home[row[who]] for who in group.respondents if who in row)
            if len(inside) >= self.k:
                np.subtract.at(left, list(inside), 1)
                found += self._cut(inside)
        others = tuple(np.repeat(np.arange(len(left)), left).tolist())
        if found and 0 < len(others) < self.k:
            others += found.pop()
        return [*found, *(self._cut(others) if others else ())]

    def _cut(self, group: Group) -> list[Group]:
        """A group cut into small ones where these are admissible, whatever their members."""
        return halved(self.rows, group, self.k) if self.judge is None else [tuple(sorted(group))]

    def _blocks(self) -> list[PointBlock]:
        """Clusters whose sizes k does not divide, and others, if the former hold much of the table."""
        found = clusters(self.rows, self.k) if self.whole and self.judge is None else []
        odd = sum(len(inside) for inside in found if len(inside) % self.k)
        if odd < BLOCKS.least_part * len(self.rows):
            return []
        return [PointBlock.of(self.rows, inside, self.k) for inside in found]

    def _each_block(self) -> list[Group]:
        """Each block by itself, and what is in none annealed."""
        groups = [group for block in self.blocks for group in block.groups(block.whole)]
        taken = {row for block in self.blocks for row in block.rows}
        left = np.array([row for row in range(len(self.rows)) if row not in taken], dtype=np.int64)
        if not len(left):
            return groups
        if len(left) < self.k:
            return [*groups[:-1], *halved(self.rows, (*groups[-1], *left.tolist()), self.k)]
        part = self.rows.some(left)
        rest = tuple(halved(part, tuple(range(len(left))), self.k))
        clock, moves = self.clock.share(POINTS.annealing), LIMITS.moves * len(left)
        if len(rest) > 1:
            found = annealed(part, rest, self.k, moves=moves, seed=self._seed, clock=clock)
            for better in found:
                rest = better
        return [*groups, *(tuple(left[list(group)].tolist()) for group in rest)]

    # -- bounds ------------------------------------------------------------------------

    def _by_blocks(self) -> None:
        """Solve the linear program of blocks; then duals that no group breaks, to list groups by."""
        pricing, progress, clock = self.pricing, self.progress, self.clock.share(POINTS.linear)
        assert progress.best is not None
        found = self._beside
        if found is None:
            near = (column.rows for column in near_groups(self.rows, self.k, self.k + LIMITS.beside))
            found = BlockBound(pricing, self.blocks, progress.best, near, clock, self._raised)
            self._beside, self.by_blocks = found, found.best
        found.clock = clock
        with self._until(clock):
            if found.run():
                cut_down(found.cut, found.again, found.best, self._ended)
        self._keep(found.best)
        with self._until(self.clock.share(POINTS.everywhere)):
            found.everywhere(self.root)
        if found.best.duals is not None:
            parts = BlockParts(pricing, progress, self.blocks, found.best.duals)
            parts.run(self.settings.seed, self.clock)

    @contextmanager
    def _until(self, clock: Clock) -> Generator[None]:
        """Searches for groups that pay end with a step's clock."""
        self.pricing.clock = clock
        try:
            yield
        finally:
            self.pricing.clock = self.clock

    def _keep(self, proven: DualBound) -> None:
        """Leave time to derive the bound again, by how long it takes to go through the same groups here.

        A bound counts only if the verifier has time for them, in one thread.
        """
        if proven.duals is None or self.clock.limit is None:
            return
        began = self.clock.seconds
        with self._until(self.clock.share(POINTS.timed)):
            self.pricing.all_below(proven.duals, -1, room=1, nodes=LIMITS.nodes)
        needed = POINTS.check.value * self.settings.workers * (self.clock.seconds - began)
        if needed > self._kept:
            self.clock.keep(needed - self._kept)
            self._kept = needed

    def _raised(self) -> None:
        """Whatever ends the search, what was proven stays."""
        proven = self.root if self.by_blocks is None else self.by_blocks
        cuts = len(self.pricing.cuts)
        self.progress.lift(proven.bound, f"{cuts} cuts" if cuts else "linear program")

    def _ended(self) -> bool:
        return self.progress.bound >= self.progress.cost

    def generated(self) -> None:
        """Solve the linear program and cut it; then leave time for the verifier."""
        clock = self.clock.share(POINTS.linear)
        if self._linear is None:
            self._linear = self._program(clock)
        self._linear.clock = clock
        with self._until(clock):
            self._cut_down(self._linear)
        self._keep(self.root)

    def _program(self, clock: Clock) -> PointGeneration:
        """The linear program as it is at first."""
        progress, pricing = self.progress, self.pricing
        assert progress.best is not None
        master = RestrictedMaster(
            pricing,
            pricing.cuts,
            progress.cost / max(1, len(progress.best)),
            penalty=None if self.whole else float(self.rows.most),
        )
        size = pricing.sizes[0]
        near = LIMITS.near[size - 2] if 2 <= size < 2 + len(LIMITS.near) else size
        near = near if len(self.rows) < LIMITS.many else min(near, size + LIMITS.beside)
        master.add([*near_groups(self.rows, size, near)])
        if self.whole:
            # Whatever else groups have to keep, the bound is one of their sizes.
            home = home_of(self.rows)
            for group in progress.best:
                inside = group if self.judge is None else tuple(home[list(group)].tolist())
                master.add([Column(part) for part in halved(self.rows, inside, self.k)])
        return PointGeneration(
            pricing,
            master,
            clock,
            self.root,
            per_anchor=LIMITS.per_row,
            most_nodes=LIMITS.nodes,
            raised=self._raised,
        )

    def _cut_down(self, generation: PointGeneration) -> None:
        """Rounds without cuts, then with them, until these gain little; called again, they go on."""
        solved, cuts = generation.run(0.0), self.pricing.cuts
        if solved and self.whole and not len(cuts) and int(self.rows.count.sum()) % self.k:
            # Groups are no more than whole times k tuples.
            cuts.add([tuple(range(len(self.rows)))], self.k)
            generation.master.extend()
            solved = generation.run(0.0)
            self.progress.lift(self.root.bound, "number of groups")
        if solved and self.whole:
            cut_down(generation.cut, lambda: generation.run(0.0), self.root, self._ended)

    # -- the answer --------------------------------------------------------------------

    def _claims(self) -> tuple[Claim, ...]:
        found, duals = self.finish.found, self.root.duals
        if duals is None:
            return ()
        cuts = self.pricing.cuts
        claims: list[Claim] = []
        if self.by_blocks is not None and self.by_blocks.duals is not None:
            # It proves more than the other, and there may be time for one of them only.
            named = [block.rows for block in self.blocks]
            own = self.by_blocks.duals
            claims.append(describe(self.rows, cuts, own, None, level=0, part=None, blocks=named))
        claims.append(describe(self.rows, cuts, duals, None, level=0, part=None))
        described = None
        if found is not None:
            described = describe(self.rows, cuts, found.duals, found, level=0, part=None)
            claims.append(described)
        stated = min(self.progress.cost, self.finish.stated)
        why = None
        if stated > self.progress.bound:
            why = "the integer program over all groups that a better release may hold"
        elif found is not None and not isinstance(described, ListedClaim):
            stated = self.progress.bound
            why = f"a search tree of {found.tree.nodes} nodes, too large to be written down"
        if why is not None and self.progress.values is not None:
            missing = (sum(self.progress.up.values()) - stated) * self.progress.weight / FINE
            bound = self.progress.values[0] - missing
            claims.append(Trusted(level=0, bound=max(bound, 0 * bound), solver=MADE_BY, why=why))
        return tuple(claims)


def halved(rows: PointRows, group: Group, k: int) -> list[Group]:
    """Cut a group until none has 2k tuples: around the row furthest from the others.

    Complexity: O(n log n) for each group that is cut off.
    """
    left, found = np.array(sorted(group)), list[Group]()
    far = rows.pairs @ np.bincount(left, minlength=len(rows.pairs))
    while len(left) >= 2 * k:
        first = left[int(far[left].argmax())]
        order = rows.pairs[first, left].argsort(kind="stable")[:k]
        found.append(tuple(sorted(left[order].tolist())))
        far -= rows.pairs[:, left[order]].sum(axis=1)
        left = np.delete(left, order)
    return [*found, tuple(left.tolist())]
