r"""Worlds in which somebody has another value although some others are known: asked and answered exactly.

A *block* is a set of cells whose open counts share rows, with all pairs of these cells. Who is
compromised has the true value, so if h respondents of cell c with true value v are, then
``x[c, v] >= h[c, v]``; and a respondent of cell c with true value u, not among them, may have
another one exactly if ``x[c, u] <= size - 1 - sum_(w != u) h[c, w]`` in some world: then not all who
are left of the cell have u. So every question is a change of bounds, and a linear program answers it
warm. It is asked for a world that keeps as many true values as possible, because such a world
answers most other questions, too.

Nothing rests on floating point: a world is checked in integers, an empty linear program by its
dual ray, rounded to a small denominator (Farkas), and what is left undecided goes to CP-SAT.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from ortools.sat.python import cp_model
from scipy.sparse import csr_array

from ...models.adversary.blocks import joined_cells
from ...models.adversary.cells import Integers, Population
from ...models.adversary.propagation import Bounds
from ...models.errors import OptanonError
from ..backends.cpsat import solved
from ..backends.highs import INFINITY, LinearProgram, LPStatus
from ..settings import Clock
from ..status import Status
from .possible import Verdict

__all__ = ["Block", "Held", "blocks"]

Held = Mapping[int, int]
"""How many respondents of each kind (a pair of the block) are compromised; none where missing."""

Seen: TypeAlias = np.ndarray[tuple[int, int], np.dtype[np.signedinteger[Any]]]
"""Counts of worlds, one world per row."""

MOST_WORLDS = 10_000
"""So many worlds of a block are kept, the newest: what an older one would have answered is asked again."""

_DENOMINATORS = (1, 2, 6, 60, 840)


@dataclass(kw_only=True, eq=False)
class Block:
    """Cells that can tell something about one another.

    Attributes
    ----------
    pairs : int64 array
        Numbers of all pairs of its cells in the system, ascending.
    cell, size, truth : int64 arrays
        Cell of each pair, respondents in it, and how many of them have the value.
    lower, upper : int64 arrays
        Bounds that every world keeps.
    matrix : sparse int64 array, shape (rows, pairs)
        Rows, all coefficients 1.
    low, high : int64 arrays
        Sides of the rows.
    """

    pairs: Integers
    cell: Integers
    size: Integers
    truth: Integers
    lower: Integers
    upper: Integers
    matrix: csr_array
    low: Integers
    high: Integers
    _found: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        # Counts are small: the smallest signed type that holds them takes an eighth of int64, as a rule.
        kind = np.min_scalar_type(-int(self.upper.max(initial=0)) - 1)
        self._worlds: Seen = np.zeros((min(16, MOST_WORLDS), len(self.pairs)), dtype=kind)

    @cached_property
    def members(self) -> list[Integers]:
        """Pairs of each row."""
        return np.split(self.matrix.indices.astype(np.int64), self.matrix.indptr[1:-1])

    @cached_property
    def kinds(self) -> list[int]:
        """Pairs some respondent truly belongs to; those of one kind are interchangeable."""
        return np.flatnonzero(self.truth > 0).tolist()

    @cached_property
    def mates(self) -> list[list[int]]:
        """For each pair, the other pairs of its cell that somebody has."""
        cells = self.cell.tolist()
        together: dict[int, list[int]] = {}
        for kind in self.kinds:
            together.setdefault(cells[kind], []).append(kind)
        return [[other for other in together.get(cell, ()) if other != j] for j, cell in enumerate(cells)]

    def room(self, target: int, held: Held) -> int:
        """Most respondents of the target's cell who may have its value if one target has another."""
        return int(self.size[target]) - 1 - sum(held.get(mate, 0) for mate in self.mates[target])

    def shown(self, target: int, held: Held) -> bool:
        """Whether a world found so far answers the question with yes."""
        found = self.seen
        fits = found[:, target] <= self.room(target, held)
        for kind, count in held.items():
            fits &= found[:, kind] >= count
        return bool(fits.any())

    @property
    def seen(self) -> Seen:
        """Worlds found so far, one per row: all of them, or the newest `MOST_WORLDS`."""
        return self._worlds[: self._found]

    def _keep(self, world: Integers) -> None:
        room = len(self._worlds)
        if self._found >= room and room < MOST_WORLDS:
            more = np.zeros((min(2 * room, MOST_WORLDS), len(self.pairs)), dtype=self._worlds.dtype)
            more[:room] = self._worlds
            self._worlds = more
        self._worlds[self._found % len(self._worlds)] = world
        self._found += 1

    def ask(self, target: int, held: Held, clock: Clock) -> tuple[Verdict, Integers | None]:
        """Whether a respondent of kind `target` can have another value if `held` are compromised.

        Parameters
        ----------
        target : int
            A kind.
        held : mapping of kind to count
            Respondents besides the target.
        clock : Clock
            When over, the answer is UNKNOWN.

        Returns
        -------
        Verdict, world or None
            POSSIBLE with a world that keeps as many true values as a vertex of the linear program
            (or CP-SAT) does; EXCLUDED: the target's value is certain.
        """
        if clock.over:
            return Verdict.UNKNOWN, None
        lower, upper = self.lower.copy(), self.upper.copy()
        for kind, count in held.items():
            lower[kind] = max(lower[kind], count)
        upper[target] = min(int(upper[target]), self.room(target, held))
        if (lower > upper).any():
            return Verdict.EXCLUDED, None
        verdict, world = self._program.solve(lower, upper)
        if verdict is Verdict.UNKNOWN:
            verdict, world = self._search(lower, upper, clock)
        if world is not None:
            self._recheck(world, lower, upper)
            self._keep(world)
        return verdict, world

    @cached_property
    def _program(self) -> _Program:
        return _Program(self)

    def _recheck(self, world: Integers, lower: Integers, upper: Integers) -> None:
        sums = self.matrix @ world
        inside = (lower <= world).all() and (world <= upper).all()
        if not inside or (sums < self.low).any() or (sums > self.high).any():
            raise OptanonError("the solver returned a world that breaks a row: please report this history")

    def _search(self, lower: Integers, upper: Integers, clock: Clock) -> tuple[Verdict, Integers | None]:
        model = cp_model.CpModel()
        count = [
            model.new_int_var(least, most, "")
            for least, most in zip(lower.tolist(), upper.tolist(), strict=True)
        ]
        for members, least, most in zip(self.members, self.low.tolist(), self.high.tolist(), strict=True):
            total = cp_model.LinearExpr.sum([count[j] for j in members.tolist()])
            model.add_linear_constraint(total, least, most)
        kept: list[cp_model.IntVar] = []
        for j in self.kinds:
            true = int(self.truth[j])
            if upper[j] <= true:
                kept.append(count[j])
            else:
                kept.append(model.new_int_var(0, true, ""))
                model.add(kept[-1] <= count[j])
        model.maximize(cp_model.LinearExpr.sum(kept))
        run = solved(model, seconds=clock.left, relative_gap=0.05, relaxations=2)
        if run.status is Status.INFEASIBLE:
            return Verdict.EXCLUDED, None
        if run.found:
            return Verdict.POSSIBLE, np.array([run.value(c) for c in count], dtype=np.int64)
        return Verdict.UNKNOWN, None


class _Program:
    """The block's linear program, solved again and again under other bounds."""

    def __init__(self, block: Block) -> None:
        self._block = block
        self._solver = solver = LinearProgram(presolve=False)
        width = len(block.pairs)
        kinds = np.array(block.kinds, dtype=np.int64)
        # Where a count can exceed the truth, only as many as truly have the value are kept.
        capped = kinds[block.upper[kinds] > block.truth[kinds]]
        total = width + len(capped)
        top = np.concatenate([block.upper, block.truth[capped]]).astype(float)
        reward = np.zeros(total)
        reward[kinds] = 1
        reward[capped] = 0
        reward[width:] = 1
        solver.add_columns(-reward, np.zeros(total), top)
        for members, low, high in zip(block.members, block.low.tolist(), block.high.tolist(), strict=True):
            solver.add_row(low, high, members, np.ones(len(members)))
        for extra, pair in enumerate(capped.tolist(), start=width):
            solver.add_row(0.0, INFINITY, (pair, extra), (1.0, -1.0))
        self._columns = np.arange(width)

    def solve(self, lower: Integers, upper: Integers) -> tuple[Verdict, Integers | None]:
        """UNKNOWN if the vertex found is not integral or a ray proves nothing in integers."""
        self._solver.set_ends(self._columns, lower, upper)
        status = self._solver.run()
        if status is LPStatus.OPTIMAL:
            found = self._solver.amount[: len(self._columns)]
            world = np.rint(found).astype(np.int64)
            if np.abs(found - world).max(initial=0.0) < 1e-6 and self._fits(world, lower, upper):
                return Verdict.POSSIBLE, world
        elif status is LPStatus.INFEASIBLE and self._refuted(lower, upper):
            return Verdict.EXCLUDED, None
        return Verdict.UNKNOWN, None

    def _fits(self, world: Integers, lower: Integers, upper: Integers) -> bool:
        block = self._block
        sums = block.matrix @ world
        return bool(
            (lower <= world).all()
            and (world <= upper).all()
            and (block.low <= sums).all()
            and (sums <= block.high).all()
        )

    def _refuted(self, lower: Integers, upper: Integers) -> bool:
        """Whether the dual ray, rounded, shows in integers that no point keeps all rows."""
        ray = self._solver.ray
        if ray is None:
            return False
        block = self._block
        weights = ray[: len(block.low)]
        largest = np.abs(weights).max(initial=0.0)
        if largest < 1e-9:
            return False
        for denominator in _DENOMINATORS:
            y = np.rint(weights / largest * denominator).astype(np.int64)
            price = block.matrix.T @ y
            most = int(np.where(price > 0, price * upper, price * lower).sum())
            least = int(np.where(price > 0, price * lower, price * upper).sum())
            floor = int(np.where(y > 0, y * block.low, y * block.high).sum())
            ceiling = int(np.where(y > 0, y * block.high, y * block.low).sum())
            if most < floor or least > ceiling:
                return True
        return False


def blocks(population: Population, bounds: Bounds) -> Iterator[Block]:
    """All blocks of a series in which somebody's value is not certain, or becomes known of others.

    Parameters
    ----------
    population : Population
    bounds : Bounds
        Of its counts: `Possible.bounds`, with everything excluded put back.
    """
    system = population.system
    for joined in joined_cells(system, bounds, certain=False):
        cell = system.cell[joined.pairs]
        yield Block(
            pairs=joined.pairs,
            cell=cell,
            size=system.sizes[cell],
            truth=population.truth[joined.pairs],
            lower=bounds.lower[joined.pairs],
            upper=bounds.upper[joined.pairs],
            matrix=joined.matrix,
            low=joined.low,
            high=joined.high,
        )
