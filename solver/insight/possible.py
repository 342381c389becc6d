"""Which values each respondent can still have, exactly, for an adversary with all releases.

Set intersection and bound propagation exclude most of what can be excluded, and the true world
shows that the truth cannot. What stays open is asked component by component: is there a world
with *at least one* count not seen positive yet, and with as many of them as possible? Each
answer is checked and adds witnesses; "no" excludes all the rest at once. If the time is over, what
is left is neither possible nor excluded but unknown, and is said to be.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from ortools.sat.python import cp_model

from ...models.adversary.cells import Integers, Population, System
from ...models.adversary.propagation import (
    Bounds,
    Component,
    first_bounds,
    open_components,
    propagate,
    symmetric,
)
from ...models.errors import InputError, OptanonError
from ..settings import Clock

__all__ = ["Counts", "Possible", "Verdict", "possible_values"]

Verdicts: TypeAlias = NDArray[np.int8]


class Verdict(IntEnum):
    """What is known about a pair (cell, value)."""

    EXCLUDED = 0
    POSSIBLE = 1
    UNKNOWN = 2


@dataclass(frozen=True, kw_only=True, eq=False)
class Possible:
    """Verdict on every pair that set intersection leaves.

    Attributes
    ----------
    population : Population
    propagated : Bounds
        After propagation, before any search.
    verdicts : int8 array
        `Verdict` of each pair.
    searched : int
        Components that were asked the solver.
    open_pairs : int
        Pairs in the largest of them.
    """

    population: Population
    propagated: Bounds
    verdicts: Verdicts
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


class Counts:
    """CP-SAT model of a component's counts."""

    def __init__(self, component: Component, bounds: Bounds) -> None:
        self.model = cp_model.CpModel()
        lower, upper = bounds.lower[component.pairs].tolist(), bounds.upper[component.pairs].tolist()
        self.count = [self.model.new_int_var(l, u, "") for l, u in zip(lower, upper, strict=True)]  # noqa: E741
        self._binary = [most == 1 for most in upper]
        self._positive: dict[int, cp_model.IntVar] = {}
        members: list[list[int]] = [[] for _ in component.rows]
        for row, pair in zip(component.entry_row.tolist(), component.entry_pair.tolist(), strict=True):
            members[row].append(pair)
        for row, pairs in enumerate(members):
            total = cp_model.LinearExpr.sum([self.count[j] for j in pairs])
            self.model.add_linear_constraint(total, int(component.low[row]), int(component.high[row]))

    def positive(self, pair: int) -> cp_model.IntVar:
        """Boolean that can only hold if the count is."""
        if self._binary[pair]:
            return self.count[pair]
        if pair not in self._positive:
            self._positive[pair] = self.model.new_bool_var("")
            self.model.add(self.count[pair] >= 1).only_enforce_if(self._positive[pair])
        return self._positive[pair]

    def ask(self, pairs: Iterable[int], clock: Clock) -> tuple[Verdict, list[int]]:
        """Whether one of some counts can be positive; if so a world with many of them positive.

        Further questions must be about fewer pairs.
        """
        wanted = [self.positive(pair) for pair in pairs]
        self.model.add_bool_or(wanted)
        self.model.clear_objective()
        if len(wanted) > 1:
            self.model.maximize(cp_model.LinearExpr.sum(wanted))
        return self.solve(clock)

    def solve(self, clock: Clock) -> tuple[Verdict, list[int]]:
        """Whether there is any world, and one."""
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = 0
        solver.parameters.relative_gap_limit = 0.3
        solver.parameters.linearization_level = 2
        if clock.left is not None:
            solver.parameters.max_time_in_seconds = max(clock.left, 0.001)
        status = solver.solve(self.model)
        if status == cp_model.INFEASIBLE:
            return Verdict.EXCLUDED, []
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return Verdict.POSSIBLE, [int(solver.value(count)) for count in self.count]
        return Verdict.UNKNOWN, []


def possible_values(population: Population, clock: Clock | None = None) -> Possible:
    """Decide every pair of a population.

    Parameters
    ----------
    population : Population
    clock : Clock, optional
        Its limit is for the whole search; without one the search runs to its end.

    Returns
    -------
    Possible
        Exact apart from pairs marked unknown.

    Notes
    -----
    Whether a pair is possible is NP-hard in general (a three-way table with given margins; Irving
    and Jerrum). Components of releases whose groups are local are small.
    """
    clock = Clock() if clock is None else clock
    system = population.system
    bounds = propagate(system, first_bounds(system))
    if bounds is None:
        raise InputError("the releases contradict each other: check the groups and their values")
    verdicts = np.where(bounds.upper == 0, Verdict.EXCLUDED, Verdict.UNKNOWN).astype(np.int8)
    verdicts[(population.truth > 0) | (bounds.lower > 0)] = Verdict.POSSIBLE
    searched = open_pairs = 0
    for component in open_components(system, bounds):
        todo = np.flatnonzero(verdicts[component.pairs] == Verdict.UNKNOWN).tolist()
        if not todo:
            continue
        if symmetric(system, component, bounds):
            verdicts[component.pairs] = Verdict.POSSIBLE
            continue
        searched, open_pairs = searched + 1, max(open_pairs, len(component.pairs))
        _search(system, component, bounds, todo, verdicts, clock)
    return Possible(
        population=population,
        propagated=bounds,
        verdicts=verdicts,
        searched=searched,
        open_pairs=open_pairs,
    )


def _search(
    system: System, component: Component, bounds: Bounds, todo: list[int], verdicts: Verdicts, clock: Clock
) -> None:
    if clock.over:
        return
    model = Counts(component, bounds)
    while todo:
        answer, world = model.ask(todo, clock)
        if answer is Verdict.UNKNOWN:
            return
        if answer is Verdict.EXCLUDED:
            verdicts[component.pairs[todo]] = Verdict.EXCLUDED
            return
        _recheck(component, np.array(world, dtype=np.int64))
        verdicts[component.pairs[[j for j in todo if world[j]]]] = Verdict.POSSIBLE
        todo = [j for j in todo if not world[j]]


def _recheck(component: Component, world: Integers) -> None:
    sums = np.zeros(len(component.rows), dtype=np.int64)
    np.add.at(sums, component.entry_row, world[component.entry_pair])
    if (sums < component.low).any() or (sums > component.high).any():
        raise OptanonError("the solver returned a world that breaks a row: please report this history")
