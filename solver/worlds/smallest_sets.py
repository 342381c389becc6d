r"""The fewest compromised respondents that disclose somebody: the true degree of a history.

A set H of others discloses p exactly if no world in which p has another value leaves all of H
their true values. So H must *hit* every such world: contain somebody who has another value in it. A
smallest set is found by implicit hitting sets: the smallest set that hits all worlds seen so
far (an integer program) is asked for a world it misses; if there is none, it discloses p, and
nothing smaller does. Each round adds several worlds, as different as can be.

With respondents of one kind counted together (h of a kind, x of them with that value in a world), a
world is hit if h > x for some kind, or if all the others of p's cell are known to have the values that are
not p's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ortools.sat.python import cp_model

from ...models.adversary.cells import Integers
from ...models.errors import OptanonError
from ..backends.cpsat import solved
from ..settings import Clock
from ..status import Status
from .blocks import Block, Held
from .possible import Verdict

__all__ = ["Names", "SmallestSet", "smallest_sets"]

Names = tuple[tuple[str, ...], ...]
"""Respondents of each pair of the system; none for pairs nobody has."""


@dataclass(frozen=True, kw_only=True)
class SmallestSet:
    """How many others must be compromised to disclose a respondent.

    Attributes
    ----------
    targets : tuple of str
        Interchangeable respondents it holds for (steward's own eyes only).
    at_least : int
        Proven: no smaller set does. 0 if the value is disclosed as it is.
    size : int or None
        Size of the smallest set found; None if none was, or there is none.
    never : bool
        Proven: not even all others together disclose the value (a counterfeit may have it).
    example : tuple of str
        Such a set for the first target.
    """

    targets: tuple[str, ...] = field(repr=False)
    at_least: int
    size: int | None
    never: bool = False
    example: tuple[str, ...] = field(default=(), repr=False)

    @property
    def exact(self) -> bool:
        """Whether the size is proven to be the smallest, or that there is none."""
        return self.never or self.size == self.at_least


def smallest_sets(blocks: list[Block], names: Names, clock: Clock) -> Iterator[SmallestSet]:
    """A smallest disclosing set for every kind of respondent of some blocks.

    Respondents in no block have their value disclosed already, or no knowledge of others
    discloses it.

    Parameters
    ----------
    blocks, names
        See `worlds.blocks`.
    clock : Clock
        When over, bounds proven so far are given.

    Notes
    -----
    Both the hitting set and the search for a world are NP-hard; components of local releases are small.
    """
    for block in blocks:
        for target in block.kinds:
            if clock.over:  # a model is not begun for nothing, there may be thousands
                yield SmallestSet(targets=names[int(block.pairs[target])], at_least=0, size=None)
                continue
            yield _HittingSets(block, target, names, clock).run()


class _HittingSets:
    def __init__(self, block: Block, target: int, names: Names, clock: Clock) -> None:
        self.block, self.target, self.clock = block, target, clock
        self.names = [names[pair] for pair in block.pairs.tolist()]
        # The target herself is not compromised.
        self.most = {kind: int(block.truth[kind]) - (kind == target) for kind in block.kinds}
        self.model = cp_model.CpModel()
        self.held: dict[int, cp_model.IntVar] = {}
        self.levels: dict[tuple[int, int], cp_model.IntVar] = {}

    def run(self) -> SmallestSet:
        at_least = 0
        chosen: dict[int, int] = {}
        while True:
            verdict, world = self._missed(chosen)
            if verdict is Verdict.EXCLUDED:
                return self._answer(sum(chosen.values()), chosen)
            if world is None or not self._spread(chosen, world):
                return self._answer(at_least, None, never=world is not None)
            again = self._smallest()
            if again is None:
                return self._answer(at_least, None)
            chosen = again
            at_least = sum(chosen.values())

    def _missed(self, chosen: Held) -> tuple[Verdict, Integers | None]:
        return self.block.ask(self.target, chosen, self.clock)

    def _spread(self, chosen: dict[int, int], world: Integers) -> bool:
        """Write this world, and others that keep what it did not; False if nobody hits one of them."""
        chosen = dict(chosen)
        while True:
            raised = self._write(world)
            if raised is None:
                return False
            for kind, count in raised.items():
                chosen[kind] = max(chosen.get(kind, 0), count)
            _, further = self._missed(chosen)
            if further is None:
                return True
            world = further

    def _write(self, world: Integers) -> dict[int, int] | None:
        """Some option must be taken; returned are counts that take all of them, None if none can."""
        options: list[cp_model.IntVar] = []
        raised: dict[int, int] = {}
        for kind, most in self.most.items():
            count = int(world[kind]) + 1
            if count <= most:
                options.append(self._at_least(kind, count))
                raised[kind] = count
        mates = [mate for mate in self.block.mates[self.target] if self.most[mate]]
        missing = int(self.block.size[self.target] - world[self.target])
        if mates and sum(self.most[mate] for mate in mates) >= missing:
            known = self.model.new_bool_var("")
            total = cp_model.LinearExpr.sum([self._count(mate) for mate in mates])
            self.model.add(total >= missing).only_enforce_if(known)
            options.append(known)
            raised.update({mate: self.most[mate] for mate in mates})
        if not options:
            return None
        self.model.add_bool_or(options)
        return raised

    def _count(self, kind: int) -> cp_model.IntVar:
        if kind not in self.held:
            self.held[kind] = self.model.new_int_var(0, self.most[kind], "")
        return self.held[kind]

    def _at_least(self, kind: int, count: int) -> cp_model.IntVar:
        held = self._count(kind)
        if self.most[kind] == 1:
            return held
        if (kind, count) not in self.levels:
            literal = self.levels[kind, count] = self.model.new_bool_var("")
            self.model.add(held >= count).only_enforce_if(literal)
        return self.levels[kind, count]

    def _smallest(self) -> dict[int, int] | None:
        """Fewest respondents that hit every world written; None if the time is over."""
        self.model.minimize(cp_model.LinearExpr.sum(list(self.held.values())))
        run = solved(self.model, seconds=self.clock.left)
        if run.status is Status.OPTIMAL:
            return {kind: n for kind, held in self.held.items() if (n := run.value(held))}
        if run.status is Status.INFEASIBLE:
            raise OptanonError("a hitting set that exists was not found: please report this history")
        return None

    def _answer(self, at_least: int, chosen: dict[int, int] | None, *, never: bool = False) -> SmallestSet:
        targets = self.names[self.target]
        example: list[str] = []
        for kind, count in (chosen or {}).items():
            others = [who for who in self.names[kind] if who != targets[0]]
            example += others[:count]
        return SmallestSet(
            targets=targets,
            at_least=at_least,
            size=None if chosen is None else len(example),
            never=never,
            example=tuple(example),
        )
