"""Which values each respondent can still have, exactly, for an adversary with all releases.

Set intersection and bound propagation exclude most of what can be excluded, and the true world
shows that the truth cannot. What stays open is decided component by component, see `decide`. Every
exclusion carries a proof that is re-checked in whole numbers, except where it says that it rests on
CP-SAT. If the time is over, what is left is neither possible nor excluded but unknown, and is
said to be.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Event
from typing import Generic, NamedTuple, TypeAlias

import numpy as np
from typing_extensions import TypeVar

from ...models.adversary.boxes import BoxPopulation
from ...models.adversary.cells import Population
from ...models.adversary.derivation import Derivation
from ...models.adversary.proof import ProofStep, steps_of
from ...models.adversary.propagation import (
    Bounds,
    Component,
    first_bounds,
    open_components,
    propagate,
    symmetric,
)
from ...models.adversary.system import System
from ...models.errors import InputError, OptanonError
from ..settings import Clock
from .counts import CountModel, Verdict
from .decide import ComponentSearch, Ground, Proof, Verdicts

__all__ = ["AnyPopulation", "CountModel", "Possible", "Verdict", "possible_values"]

AnyPopulation: TypeAlias = Population | BoxPopulation
WORKERS = 8
"""Most threads, if nothing else is asked for."""

P = TypeVar("P", bound=AnyPopulation, default=Population)


@dataclass(frozen=True, kw_only=True, eq=False)
class Possible(Generic[P]):
    """Verdict on every pair that set intersection leaves.

    Attributes
    ----------
    population : Population or BoxPopulation
    propagated : Bounds
        After propagation, before any search.
    verdicts : int8 array
        `Verdict` of each pair (and, for the weaker adversary, of columns that nobody asks about).
    grounds : int8 array
        `Ground` of each exclusion.
    derivation : Derivation
        The proofs.
    searched : int
        Components that were asked the solver.
    open_pairs : int
        Pairs in the largest of them.
    """

    population: P
    propagated: Bounds
    verdicts: Verdicts
    grounds: Verdicts
    derivation: Derivation
    searched: int
    open_pairs: int

    @cached_property
    def bounds(self) -> Bounds:
        """Bounds with everything excluded put back and propagated."""
        upper = np.where(self.verdicts == Verdict.EXCLUDED, 0, self.propagated.upper)
        bounds = propagate(self.population.system, Bounds(self.propagated.lower, upper))
        if bounds is None:
            raise OptanonError("the audit contradicts itself: please report this history")
        return bounds

    def support(self, pair: int) -> frozenset[int]:
        """Groups that the proof of an exclusion names; empty if it has none."""
        if self.verdicts[pair] != Verdict.EXCLUDED or self.grounds[pair] == Ground.SOLVER:
            return frozenset()
        case = self.derivation.proof(pair).case
        rows = {row for step in steps_of(case) for row, _ in step.rows}
        groups = self.population.system.row_group[sorted(rows)].tolist()
        return frozenset(groups) - {-1}

    def values(self, who: str) -> frozenset[str]:
        """Values a respondent can certainly still have (the true one is among them)."""
        return self._with(who, Verdict.POSSIBLE)

    def unknown(self, who: str) -> frozenset[str]:
        """Values that were neither excluded nor found possible in time."""
        return self._with(who, Verdict.UNKNOWN)

    def pairs_of(self, who: str) -> range:
        """Pairs of a respondent's cell.

        Raises
        ------
        InputError
            If the respondent is in no group.
        """
        cell = self.population.cell_of.get(who)
        if cell is None:
            raise InputError("this respondent is in no published group: nothing can be concluded")
        first, last = np.searchsorted(self.population.system.cell, [cell, cell + 1]).tolist()
        return range(first, last)

    def _with(self, who: str, verdict: Verdict) -> frozenset[str]:
        names, value = self.population.values, self.population.system.value
        return frozenset(names[int(value[j])] for j in self.pairs_of(who) if self.verdicts[j] == verdict)


def possible_values(
    population: P,
    clock: Clock | None = None,
    progress: Callable[[int, int], None] | None = None,
    workers: int | None = None,
) -> Possible[P]:
    """Decide every pair of a population.

    Parameters
    ----------
    population : Population
    clock : Clock, optional
        Its limit is for the whole search; without one the search runs to its end.
    progress : callable, optional
        Told after each component how many are done, and of how many.
    workers : int, optional
        Threads, each with a component; by default as many as there are cores, at most 8. The answer does
        not depend on them, unless time runs out.

    Returns
    -------
    Possible
        Exact apart from pairs marked unknown.

    Notes
    -----
    Whether a pair is possible is NP-hard in general (a three-way table with given margins; Irving and
    Jerrum). Components of releases whose groups are local are small.
    """
    clock = Clock() if clock is None else clock
    system = population.system
    derivation = Derivation(system)
    bounds = propagate(system, first_bounds(system), derivation)
    if bounds is None:
        raise InputError("the releases contradict each other: check the groups and their values")
    verdicts = np.where(bounds.upper == 0, Verdict.EXCLUDED, Verdict.UNKNOWN).astype(np.int8)
    grounds = np.where(bounds.upper == 0, Ground.PROPAGATION, Ground.NONE).astype(np.int8)
    verdicts[(population.truth > 0) | (bounds.lower > 0)] = Verdict.POSSIBLE
    parts = [
        (part, _undecided(population, part, bounds, verdicts)) for part in open_components(system, bounds)
    ]

    search = _Search(population, bounds, verdicts, grounds)
    for number, proofs in enumerate(search.proofs(parts, clock, workers), start=1):
        for proof in proofs:
            derivation.note(proof) if isinstance(proof, ProofStep) else derivation.note_cases(*proof)
        if progress is not None:
            progress(number, len(parts))
    open_pairs = [len(part.pairs) for part, todo in parts if todo]
    return Possible(
        population=population,
        propagated=bounds,
        verdicts=verdicts,
        grounds=grounds,
        derivation=derivation,
        searched=len(open_pairs),
        open_pairs=max(open_pairs, default=0),
    )


def _undecided(population: AnyPopulation, part: Component, bounds: Bounds, verdicts: Verdicts) -> list[int]:
    """Numbers, within a component, of what has to be searched; symmetry decides all of it at once."""
    system = population.system
    todo = np.flatnonzero((verdicts[part.pairs] == Verdict.UNKNOWN) & (part.pairs < len(system.cell)))
    if len(todo) and isinstance(system, System) and symmetric(system, part, bounds):
        verdicts[part.pairs] = Verdict.POSSIBLE
        return []
    return todo.tolist()


class _Search(NamedTuple):
    """Searches components, each by itself: no component depends on another."""

    population: AnyPopulation
    bounds: Bounds
    verdicts: Verdicts
    grounds: Verdicts

    def proofs(
        self, parts: Sequence[tuple[Component, list[int]]], clock: Clock, workers: int | None
    ) -> Iterator[list[Proof]]:
        """What is proven of each, in order, by several threads; none goes on for long if nobody waits."""
        ended = Event()
        own = replace(clock, stop=lambda: ended.is_set() or (clock.stop is not None and clock.stop()))
        with ThreadPoolExecutor(workers or min(WORKERS, os.cpu_count() or 1)) as threads:
            running = [threads.submit(self._proofs_of, part, todo, own) for part, todo in parts]
            try:
                for proofs in running:
                    yield proofs.result()
            finally:
                ended.set()

    def _proofs_of(self, part: Component, todo: list[int], clock: Clock) -> list[Proof]:
        if not todo or clock.over:
            return []
        truth = self.population.truth[part.pairs]
        return ComponentSearch(part, self.bounds, self.verdicts, self.grounds, truth).run(todo, clock)
