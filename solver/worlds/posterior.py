r"""The exact probability of each value of each respondent, for an adversary with all releases.

Values never change: worlds are counted. Given the counts ``x[c, v]`` there are
``prod_c size! / prod_v x!`` arrangements of respondents and ``prod_g f! / prod_v (N[g, v] - sum x)!``
of counterfeits, so the weight of a component is a product over its cells and rows. It is first taken
apart into what is independent, see `independent_parts`; the worlds of each part are counted by
dynamic programming, see `counting`. By exchangeability a respondent of cell c has v with
probability E x[c, v] / size. Parts with too many states get intervals that hold for certain, see `intervals`,
and an estimate, see `sampling`; both are kept apart and never mixed with what is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from ...models.adversary.independence import independent_parts
from ...models.adversary.propagation import Bounds, Component, open_components, symmetric
from ...models.adversary.system import System
from ..schedule import AUDIT
from ..settings import Clock
from .counting import StateLimits, expected_counts
from .intervals import Interval, expected_ranges
from .possible import Possible
from .sampling import CountEstimate, estimated_counts

__all__ = ["STATES", "ValueProbabilities", "posterior"]

STATES = 150_000
"""Most states between two pairs for which worlds are counted."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ValueProbabilities:
    """Exact probabilities; None where worlds are too many to be counted.

    Attributes
    ----------
    possible : Possible
    probabilities : tuple of Fraction or None
        Of each pair: that one respondent of the cell has the value.
    estimates : Mapping of int to CountEstimate
        Of some pairs without a probability.
    intervals : Mapping of int to Interval
        Of every pair without a probability, if they were asked for: it lies between these two.
    counted, uncounted : int
        Independent parts whose worlds were counted (or are symmetric), and those given up.
    """

    possible: Possible
    probabilities: tuple[Fraction | None, ...]
    estimates: Mapping[int, CountEstimate]
    counted: int
    uncounted: int
    intervals: Mapping[int, Interval] = field(default_factory=dict[int, Interval])

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

    def between(self, who: str) -> dict[str, Interval] | None:
        """Between which two numbers the probability of each value lies, for sure; None if not asked for."""
        population = self.possible.population
        found: dict[str, Interval] = {}
        for j in self.possible.pairs_of(who):
            probability = self.probabilities[j]
            ends = self.intervals.get(j) if probability is None else (probability, probability)
            if ends is None:
                return None
            if ends[1]:
                found[population.values[int(population.system.value[j])]] = ends
        return found


def posterior(
    possible: Possible,
    *,
    states: int = STATES,
    clock: Clock | None = None,
    estimate: bool = True,
    intervals: bool | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> ValueProbabilities:
    """Count the worlds of every independent part, and estimate where there are too many.

    Parameters
    ----------
    possible : Possible
    states : int
        At least 1: parts with more of them between two pairs, or 20 times as many steps, are not counted.
    clock : Clock, optional
        Parts not counted when it is over get at most intervals; if they are asked for, half of it is theirs.
    estimate : bool
        Whether parts that are not counted are sampled.
    intervals : bool, optional
        Whether they get guaranteed intervals; by default if they are sampled.
    progress : callable, optional
        Told after each component how many are done, and of how many.
    """
    clock, asked = clock or Clock(), estimate if intervals is None else intervals
    first = clock.share(AUDIT.counting) if asked else clock
    system, bounds = possible.population.system, possible.bounds
    sizes = system.sizes[system.cell].tolist()
    found: list[Fraction | None] = [
        Fraction(count, size) for count, size in zip(bounds.lower.tolist(), sizes, strict=True)
    ]
    limits = StateLimits(states=states, steps=20 * states)
    left, done = list[Component](), list[Component]()
    components = open_components(system, bounds)
    for number, component in enumerate(components, start=1):
        if symmetric(system, component, bounds):
            size = len(np.unique(system.value[component.pairs]))
            for j in component.pairs.tolist():
                found[j] = Fraction(1, size)
            done.append(component)
            continue
        bounds, parts = independent_parts(component, bounds, possible.population.truth)
        for j in component.pairs.tolist():
            found[j] = Fraction(int(bounds.lower[j]), sizes[j])
        for part in parts:
            expected = None if first.over else expected_counts(system, part, bounds, limits, first)
            (left if expected is None else done).append(part)
            for i, j in enumerate(part.pairs.tolist()):
                found[j] = None if expected is None else expected[i] / sizes[j]
        if progress is not None:
            progress(number, len(components))
    return ValueProbabilities(
        possible=possible,
        probabilities=tuple(found),
        intervals=_guaranteed(system, bounds, left, clock) if asked else {},
        estimates=_estimated(system, bounds, left, clock) if estimate else {},
        counted=len(done),
        uncounted=len(left),
    )


def _guaranteed(
    system: System, bounds: Bounds, components: list[Component], clock: Clock
) -> dict[int, Interval]:
    found: dict[int, Interval] = {}
    for component in components:
        sizes = system.sizes[system.cell[component.pairs]].tolist()
        ranges = expected_ranges(system, component, bounds, clock)
        for j, size, (low, high) in zip(component.pairs.tolist(), sizes, ranges, strict=True):
            found[j] = (low / size, high / size)
    return found


def _estimated(
    system: System, bounds: Bounds, components: list[Component], clock: Clock
) -> dict[int, CountEstimate]:
    found: dict[int, CountEstimate] = {}
    for component in components:
        if not clock.over:
            estimates = estimated_counts(system, component, bounds, clock)
            if estimates is not None:
                found.update(zip(component.pairs.tolist(), estimates, strict=True))
    return found
