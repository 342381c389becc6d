r"""A release drawn at random, good ones more often: a defence against who knows the solver.

Whoever knows that a release is *optimal* knows that everything better was not allowed, which can
tell values (the minimality attack). Drawn instead with probability proportional to
``exp(-beta cost)`` among all releases that keep the policy, a release R tells less.

Guarantee. Let keeping the policy not depend on who has which value (no history, requirements that
look at sizes and counts of values only, nothing suppressed or invented). Two tables t, t' that R
leaves possible differ by an exchange of values inside its groups, so releases of t that keep the
policy and those of t' correspond one to one, and with costs in an interval of length C,

    P(R | t) / P(R | t') = Z(t') / Z(t) <= exp(beta C),     Z(t) = sum over releases of exp(-beta cost).

Hence the odds of any two such tables, and of any two values of somebody, change by a factor of at most
``exp(beta C)``: none for beta = 0, a uniform draw. C is taken over all groupings into groups as large as
the requirements say they must be, whatever the values, so it is the same for t and t'. (With the costs
of releases that keep the policy for the true table only, it could be too small.)

Draws are exact: all releases are enumerated, or summed over sets of tuples if requirements judge
groups and the loss is a sum. A random walk would give no such guarantee and is not offered. Weights are
floating-point numbers.

What is published must not say more than the draw does: the optimum, the bound and the gap tell what
the policy allows, and a seed that others know makes the draw no draw. Without a seed one is drawn
secretly; it is never written to the certificate.
"""

from __future__ import annotations

import secrets
from collections.abc import Container, Iterator
from dataclasses import replace
from fractions import Fraction
from math import exp, log
from typing import Protocol

import numpy as np

from ..models.errors import PolicyError
from ..models.losses import loss
from ..models.policy import Level
from ..models.problem import Problem
from ..models.problem_view import smallest_group
from ..models.requirement import as_fraction
from .claims import Drawn, NoDraw
from .enumeration import MOST_TUPLES, GroupingVerdicts, Partition, partitions, require_enumerable
from .incumbent import BestRelease, refused
from .settings import Answer, Watch
from .status import Randomized

__all__ = ["MOST_BY_SETS", "Space", "described", "draw", "space_of"]

MOST_RATE = 10**9
"""Beyond it every other release is hopelessly unlikely, and exponents are no floats."""

MOST_BY_SETS = 12
"""Largest table for sums over sets of tuples: about 3^11 steps, a few times."""


def draw(problem: Problem, beta: Fraction | float | str, seed: int | None) -> Answer:
    """Draw a release with weight ``exp(-beta cost)``.

    Parameters
    ----------
    problem : Problem
        Its objective has one level; no counterfeits, no hidden cells, free grouping.
    beta : rational, at least 0
        Per unit of loss.
    seed : int or None
        Same seed, same release; None draws one that nobody knows.

    Raises
    ------
    PolicyError
        If beta is out of its range or the objective has several levels.
    EngineError
        If the table is too large.
    """
    rate = as_fraction("solve", "randomize", beta)
    if rate < 0:
        raise PolicyError(f"solve: randomize must be at least 0, got {rate}")
    if rate > MOST_RATE:
        raise PolicyError(f"solve: randomize must be at most {MOST_RATE}: leave it out for the best release")
    if len(problem.policy.levels) != 1:
        raise PolicyError(
            "randomize weighs one loss: name one level to minimize, or a weighted sum of several losses"
        )
    judge = GroupingVerdicts(problem)
    space = space_of(problem, judge)
    random = np.random.default_rng(secrets.randbits(128) if seed is None else seed)
    if not space.count:
        return refused(problem, NoDraw())
    chosen = space.pick(rate, random)
    release = problem.assemble(chosen)
    facts = described(problem, space, rate)
    incumbent = BestRelease(problem, Watch())
    incumbent.offer(release, checked=True)
    incumbent.raise_bound(0, space.least)
    return replace(incumbent.answer([Drawn(level=0, **vars(facts))], enough=True), randomized=facts)


def space_of(problem: Problem, judge: GroupingVerdicts) -> Space:
    """All releases that keep the policy, or their sums over sets of tuples.

    Raises
    ------
    EngineError
        If the table is too large, or releases are no groupings.
    """
    require_enumerable(problem, MOST_BY_SETS if _summable(problem, judge) else MOST_TUPLES)
    return _Listed(problem, judge) if len(problem.table) <= MOST_TUPLES else _Sets(problem, judge)


def described(problem: Problem, space: Space, beta: Fraction) -> Randomized:
    """What may be said of a release drawn from a space."""
    return Randomized(
        beta=beta,
        candidates=space.count,
        cost_range=space.cost_range,
        log_odds=beta * space.cost_range if _symmetric(problem) else None,
    )


def _summable(problem: Problem, judge: GroupingVerdicts) -> bool:
    (level,) = problem.policy.levels
    sums = all(loss(name).combine == "sum" for name in level.losses)
    return judge.by_groups and sums and not problem.policy.suppression_limit(len(problem.table))


def _symmetric(problem: Problem) -> bool:
    """Whether exchanging values between people never changes what may be released."""
    policy = problem.policy
    return (
        not len(problem.history)
        and not policy.suppression_limit(len(problem.table))
        and len(policy.decided_by_histograms(problem)) == len(policy.requirements)
    )


class Space(Protocol):
    """Releases to draw from: how many, the least loss, the range of losses."""

    count: int
    least: Fraction | None
    cost_range: Fraction

    def pick(self, rate: Fraction, random: np.random.Generator) -> Partition:
        """Draw one."""
        ...


class _Listed:
    """All releases, one by one."""

    def __init__(self, problem: Problem, judge: GroupingVerdicts) -> None:
        self.kept: list[tuple[Fraction, Partition]] = []
        (level,) = problem.policy.levels
        smallest = smallest_group(problem)
        costs: list[Fraction] = []
        for grouping in partitions(problem):
            if any(len(rows) < smallest for rows in grouping):
                continue
            cost = level.of_release(problem.assemble(grouping), problem)
            costs.append(cost)
            if judge.keeps(grouping):
                self.kept.append((cost, grouping))
        self.count = len(self.kept)
        self.least = min((cost for cost, _ in self.kept), default=None)
        self.cost_range = max(costs) - min(costs) if costs else Fraction(0)

    def pick(self, rate: Fraction, random: np.random.Generator) -> Partition:
        least = self.least or Fraction(0)
        weights = np.array([exp(-float(rate * (cost - least))) for cost, _ in self.kept])
        ends = np.cumsum(weights)
        return self.kept[int(np.searchsorted(ends, random.random() * ends[-1], side="right"))][1]


class _Sets:
    """Sums over all groupings of every set of rows: the group of its first row, then the rest.

    Z(S) = sum over groups A of S with its first row: exp(-beta cost(A)) Z(S - A). Sets are bit masks.
    """

    def __init__(self, problem: Problem, judge: GroupingVerdicts) -> None:
        (level,) = problem.policy.levels
        self.rows = range(len(problem.table))
        self.whole = (1 << len(self.rows)) - 1
        smallest = smallest_group(problem)
        large: dict[int, Fraction] = {}
        for mask in range(1, self.whole + 1):
            members = self._members(mask)
            if len(members) >= smallest:
                large[mask] = _group_cost(problem, level, members)
        self.costs = {mask: cost for mask, cost in large.items() if judge.group(self._members(mask))}
        counts, best = {0: 1}, {0: Fraction(0)}
        low, high = {0: Fraction(0)}, {0: Fraction(0)}
        for mask in range(1, self.whole + 1):
            kept = list(_splits(mask, self.costs, counts.keys()))
            if kept:
                counts[mask] = sum(counts[rest] for _, rest in kept)
                best[mask] = min(self.costs[group] + best[rest] for group, rest in kept)
            sized = list(_splits(mask, large, low.keys()))
            if sized:
                low[mask] = min(large[group] + low[rest] for group, rest in sized)
                high[mask] = max(large[group] + high[rest] for group, rest in sized)
        self.count = counts.get(self.whole, 0)
        self.least = best.get(self.whole)
        self.cost_range = high.get(self.whole, Fraction(0)) - low.get(self.whole, Fraction(0))

    def _members(self, mask: int) -> tuple[int, ...]:
        return tuple(t for t in self.rows if mask >> t & 1)

    def pick(self, rate: Fraction, random: np.random.Generator) -> Partition:
        price = {group: float(rate * cost) for group, cost in self.costs.items()}
        total = {0: 0.0}  # logarithms
        for mask in range(1, self.whole + 1):
            parts = [total[rest] - price[group] for group, rest in _splits(mask, price, total.keys())]
            if parts:
                top = max(parts)
                total[mask] = top + log(sum(exp(part - top) for part in parts))
        chosen: list[tuple[int, ...]] = []
        mask = self.whole
        while mask:
            found = list(_splits(mask, price, total.keys()))
            ends = np.cumsum([exp(total[rest] - price[group] - total[mask]) for group, rest in found])
            group, mask = found[int(np.searchsorted(ends, random.random() * ends[-1], side="right"))]
            chosen.append(self._members(group))
        return tuple(chosen)


def _splits(mask: int, groups: Container[int], known: Container[int]) -> Iterator[tuple[int, int]]:
    """Groups of a set's first row, each with the rest of the set, if that can be grouped."""
    first = mask & -mask
    others = mask ^ first
    part = others
    while True:
        group = part | first
        if group in groups and mask ^ group in known:
            yield group, mask ^ group
        if not part:
            return
        part = (part - 1) & others


def _group_cost(problem: Problem, level: Level, rows: tuple[int, ...]) -> Fraction:
    (group,) = problem.assemble([rows]).groups
    return level.of_group(group, problem)
