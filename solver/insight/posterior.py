r"""The exact probability of each value of each respondent, for an adversary with all releases.

Values that never change: worlds are counted. Given the counts ``x[c, v]`` there are
``prod_c size! / prod_v x!`` arrangements of respondents and ``prod_g f! / prod_v (N[g, v] - sum x)!``
of counterfeits, so the weight of a component is a product over its cells and rows. Pairs (cell,
value) are taken up one after another; what must be remembered of those done is what they left of
each row that goes on (dynamic programming forward, then backward for the expected counts). By
exchangeability a respondent of cell c has v with probability E x[c, v] / size.

Values that change freely: releases are independent, and somebody in groups A_1, A_2, ... of
which n_i tuples have the value had it at least once with probability ``1 - prod(1 - n_i / |A_i|)``
(Fu, Wang, Wong et al.).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import comb, factorial, prod
from typing import TypeAlias

import numpy as np

from ...models.adversary.cells import System
from ...models.adversary.propagation import Bounds, Component, open_components, symmetric
from ...models.history import History
from ..settings import Clock
from .possible import Possible

__all__ = ["STATES", "Posterior", "posterior", "transient_posterior"]

STATES = 50_000
"""Most states between two pairs for which worlds are counted."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Posterior:
    """Exact probabilities; None where worlds are too many to be counted.

    Attributes
    ----------
    possible : Possible
    probabilities : tuple of Fraction or None
        Of each pair: that one respondent of the cell has the value.
    counted, uncounted : int
        Components whose worlds were counted (or are symmetric), and those given up.
    """

    possible: Possible
    probabilities: tuple[Fraction | None, ...]
    counted: int
    uncounted: int

    def of(self, who: str) -> dict[str, Fraction] | None:
        """Probability of each possible value of a respondent; None if not known."""
        population = self.possible.population
        found: dict[str, Fraction] = {}
        for j in self.possible.pairs_of(who):
            probability = self.probabilities[j]
            if probability is None:
                return None
            if probability:
                found[population.values[int(population.system.value[j])]] = probability
        return found


def posterior(possible: Possible, *, states: int = STATES, clock: Clock | None = None) -> Posterior:
    """Count the worlds of every component.

    Parameters
    ----------
    possible : Possible
    states : int
        A component with more states than this between two pairs gets no posterior, nor one with
        more than 20 times as many steps from state to state in all (about 200 bytes each).
    clock : Clock, optional
        Components not begun when it is over get none either.
    """
    system, bounds = possible.population.system, possible.bounds
    sizes = system.sizes[system.cell].tolist()
    found: list[Fraction | None] = [
        Fraction(count, size) for count, size in zip(bounds.lower.tolist(), sizes, strict=True)
    ]
    counted = uncounted = 0
    for component in open_components(system, bounds):
        expected: list[Fraction] | None = None
        if symmetric(system, component, bounds):
            size = len(np.unique(system.value[component.pairs]))
            expected = [Fraction(sizes[j], size) for j in component.pairs.tolist()]
        elif clock is None or not clock.over:
            expected = _expected_counts(system, component, bounds, states)
        counted, uncounted = counted + (expected is not None), uncounted + (expected is None)
        for i, j in enumerate(component.pairs.tolist()):
            found[j] = None if expected is None else expected[i] / sizes[j]
    return Posterior(possible=possible, probabilities=tuple(found), counted=counted, uncounted=uncounted)


_Step: TypeAlias = tuple[int, int, int, int]
"""A step: number of the state before and after, weight, and the count of the pair in between."""

_Course: TypeAlias = tuple[int, list[_Step], list[int]]
"""A pair, the steps it allows, and the number of worlds before each state."""


@dataclass(kw_only=True)
class _Row:
    """A row while pairs are taken up one after another.

    Attributes
    ----------
    pairs : list of int
        Pairs not taken up yet.
    total : int
        Tuples to be shared out among all its pairs and, for groups, counterfeits.
    span : int
        At most so many of them may be counterfeits.
    cell : bool
        Whether it is the row of a cell.
    least, most : int
        What its pairs not taken up yet need and can take.
    """

    pairs: list[int]
    total: int
    span: int
    cell: bool
    least: int
    most: int


def _expected_counts(
    system: System, component: Component, bounds: Bounds, limit: int
) -> list[Fraction] | None:
    lower, upper = bounds.lower[component.pairs].tolist(), bounds.upper[component.pairs].tolist()
    rows = _rows(system, component, lower, upper)
    rows_of: list[list[int]] = [[] for _ in component.pairs]
    for row, pair in zip(component.entry_row.tolist(), component.entry_pair.tolist(), strict=True):
        rows_of[pair].append(row)
    layer: dict[tuple[int, ...], int] = {(): 1}
    opened: list[int] = []
    courses: list[_Course] = []
    taken = 0
    for pair in _order(rows_of, rows):
        for row in rows_of[pair]:
            rows[row].pairs.remove(pair)
            rows[row].least -= lower[pair]
            rows[row].most -= upper[pair]
        move = _Move(range(lower[pair], upper[pair] + 1), rows_of[pair], opened, rows)
        states: dict[tuple[int, ...], int] = {}
        totals: list[int] = []
        steps: list[_Step] = []
        for source, (state, worlds) in enumerate(layer.items()):
            kept = tuple([state[position] for position in move.kept])
            for count, left, weight in move.choices(tuple([state[position] for position in move.used])):
                target = states.setdefault(kept + left, len(states))
                if target == len(totals):
                    totals.append(0)
                totals[target] += worlds * weight
                steps.append((source, target, weight, count))
            if len(states) > limit or taken + len(steps) > 20 * limit:
                return None
        taken += len(steps)
        courses.append((pair, steps, list(layer.values())))
        layer = dict(zip(states, totals, strict=True))
        opened = move.after
    return _backward(courses, layer[()], len(component.pairs))


def _backward(courses: list[_Course], total: int, pairs: int) -> list[Fraction]:
    """Expected counts from the forward layers."""
    expected = [Fraction(0)] * pairs
    onward = [1]
    for pair, steps, worlds in reversed(courses):
        earlier = [0] * len(worlds)
        counted = 0
        for source, target, weight, count in steps:
            ways = weight * onward[target]
            earlier[source] += ways
            if count:
                counted += count * worlds[source] * ways
        expected[pair] = Fraction(counted, total)
        onward = earlier
    return expected


def _rows(system: System, component: Component, lower: list[int], upper: list[int]) -> list[_Row]:
    pairs: list[list[int]] = [[] for _ in component.rows]
    for row, pair in zip(component.entry_row.tolist(), component.entry_pair.tolist(), strict=True):
        pairs[row].append(pair)
    spans = (system.high - system.low)[component.rows].tolist()
    cells = (system.row_group[component.rows] < 0).tolist()
    return [
        _Row(
            pairs=own,
            total=total,
            span=span,
            cell=cell,
            least=sum(lower[j] for j in own),
            most=sum(upper[j] for j in own),
        )
        for own, total, span, cell in zip(pairs, component.high.tolist(), spans, cells, strict=True)
    ]


def _order(rows_of: list[list[int]], rows: list[_Row]) -> Iterator[int]:
    """Pairs one by one; the next one adds least to what must be remembered (in bits).

    Pairs that were yielded must be taken out of their rows before the next one is asked for.
    """
    size = [len(row.pairs) for row in rows]
    bits = [max(1, min(row.total, row.most + row.span).bit_length()) for row in rows]
    waiting = set(range(len(rows_of)))
    near: set[int] = set()

    def cost(pair: int) -> tuple[int, int, int]:
        added = going_on = 0
        for row in rows_of[pair]:
            left = len(rows[row].pairs)
            if left == size[row] and left > 1:
                added += bits[row]
            elif left == 1 and size[row] > 1:
                added -= bits[row]
            going_on += left < size[row]
        return added, -going_on, pair

    while waiting:
        chosen = min(near or waiting, key=cost)
        waiting.discard(chosen)
        yield chosen
        near.update(j for row in rows_of[chosen] for j in rows[row].pairs)
        near &= waiting


class _Move:
    """What the count of one pair does to its rows; the same for all states that agree there.

    A cell that has m respondents left gives x of them the value in "m over x" ways; these factors
    multiply to the cell's multinomial coefficient. What is left of a group's row in the end are
    counterfeits.
    """

    def __init__(self, counts: range, touched: list[int], opened: list[int], rows: list[_Row]) -> None:
        inside = set(touched)
        known = [row for row in opened if row in inside]
        fresh = [row for row in touched if row not in set(opened)]
        self.kept = [at for at, row in enumerate(opened) if row not in inside]
        self.used = [at for at, row in enumerate(opened) if row in inside]
        self.after = [opened[at] for at in self.kept] + [row for row in (*known, *fresh) if rows[row].pairs]
        self._counts = counts
        self._rows = [rows[row] for row in (*known, *fresh)]
        self._totals = tuple(rows[row].total for row in fresh)
        self._found: dict[tuple[int, ...], list[tuple[int, tuple[int, ...], int]]] = {}

    def choices(self, before: tuple[int, ...]) -> list[tuple[int, tuple[int, ...], int]]:
        """Counts that fit, with what they leave of open rows and their weight."""
        found = self._found.get(before)
        if found is None:
            found = self._found[before] = list(self._fitting((*before, *self._totals)))
        return found

    def _fitting(self, before: tuple[int, ...]) -> Iterator[tuple[int, tuple[int, ...], int]]:
        for count in self._counts:
            weight, left = 1, list[int]()
            for now, row in zip(before, self._rows, strict=True):
                after = now - count
                if not row.least <= after <= row.most + row.span:
                    break
                if row.cell:
                    weight *= comb(now, count)
                elif not row.pairs:
                    weight *= factorial(row.span) // factorial(after)
                if row.pairs:
                    left.append(after)
            else:
                yield count, tuple(left), weight


def transient_posterior(history: History, who: str) -> dict[str, Fraction]:
    """Probability that a respondent ever had each value, if values change freely."""
    record = history.records[who]
    groups = [history.group(*where) for where in record.groups]
    values = {value for group in groups for value in group.histogram}
    size = prod(group.size for group in groups)
    return {
        value: 1 - Fraction(prod(group.size - group.histogram.get(value, 0) for group in groups), size)
        for value in sorted(values)
    }
