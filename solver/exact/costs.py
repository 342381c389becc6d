"""What sets of tuples cost as groups, and tuples that are suppressed: exact integers per level, then one.

Levels that are sums are scaled by the common denominator of all they consist of. A ratio depends on the
number of groups alone and falls with it (`Loss.combine`): its cost is the number of tuples that open no
group, so it is a sum, too. A maximum is no sum; `Subsets` restricts groups by it instead.

Several levels are one integer: a level's costs times a number above all that the levels behind it can
cost. Integers that outgrow 60 bits are written in several words of 60 bits, the most significant first,
and added with a carry; so nothing overflows and nothing is rounded.
"""

# pyright: reportReturnType=false, reportArgumentType=false

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import ceil, gcd, lcm
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...models.exact_numbers import in_units
from ...models.losses.base import Loss, loss
from ...models.parameters import in_int64
from ...models.problem_view import LevelView, ProblemView
from ..settings import Clock
from .sets import BeyondReachError, Ints, Sets, members

__all__ = ["WORD", "LevelCosts", "Packed", "level_costs", "refusal"]

Fakes: TypeAlias = NDArray[np.int16]

WORD = 60
"""Bits of a word: two words and a carry fit into 62 bits."""
MOST_MEASURED = 100_000
"""Groups that are measured one by one, for losses that declare neither sizes nor boxes."""


@dataclass(frozen=True, kw_only=True)
class LevelCosts:
    """Costs of one level, in units of 1 / scale.

    Attributes
    ----------
    level : LevelView
    kind : {"sum", "max", "ratio"}
    scale : int
    groups : array of int
        Per admissible set, in their order.
    tuples : tuple of int
        Per tuple, if it is suppressed.
    fake : Fraction
        What every counterfeit costs at least, in units of the level.
    """

    level: LevelView
    kind: Literal["sum", "max", "ratio", "release"]
    scale: int
    groups: NDArray[Any]
    tuples: tuple[int, ...]
    fake: Fraction

    @property
    def most(self) -> int:
        """No release costs more: it has at most as many groups and suppressed tuples as there are tuples."""
        return len(self.tuples) * max(int(self.groups.max(initial=0)), *self.tuples)

    def value(self, cost: int, problem: ProblemView) -> Fraction:
        """The level's value that a cost stands for."""
        if self.kind == "ratio":
            ((name, weight),) = self.level.weights
            return weight * loss(name).decode(cost, 1, problem.table)
        return Fraction(cost, self.scale)

    def reached(self, value: Fraction, problem: ProblemView) -> int:
        """The least cost that stands for `value` or more, or one above all costs of a ratio."""
        if self.kind != "ratio":
            return ceil(value * self.scale)
        costs = range(self.most + 1)
        return bisect_left(costs, value, key=lambda cost: self.value(cost, problem))


def refusal(problem: ProblemView) -> str | None:
    """Why a problem's losses cannot be had for all sets of tuples, in words; None if they can."""
    table, form = problem.table, problem.policy.form
    for level in problem.policy.levels:
        for name in level.losses:
            kind = loss(name)
            if kind.combine == "release":
                return f"{name} is no sum over groups"
            declared = (
                kind.by_members
                or kind.by_size(1, 0, form) is not None
                or (form == "generalized" and kind.box_weights(table) is not None)
            )
            if kind.combine == "ratio":
                continue
            if not declared and problem.policy.counterfeit_limit != 0:
                return f"{name} may depend on which counterfeits a group has"
    return None


def level_costs(level: LevelView, sets: Sets, fewest: Fakes, clock: Clock) -> LevelCosts:
    """The costs of one level for all sets that are groups, in their order.

    Parameters
    ----------
    level : LevelView
    sets : Sets
    fewest : int16 array
        Counterfeits of each set; below 0 if it is no group.
    clock : Clock

    Raises
    ------
    BeyondReachError
        If too many groups would have to be measured one by one, or time is over.
    """
    problem = sets.problem
    groups = np.flatnonzero(fewest >= 0)
    kind = loss(level.weights[0][0]).combine
    if kind == "ratio":
        return LevelCosts(
            level=level,
            kind=kind,
            scale=1,
            groups=sets.sizes[groups].astype(np.int64) - 1,
            tuples=(1,) * sets.count,
            fake=Fraction(0),
        )
    suppressed = [
        sum((w * loss(name).of_suppressed(member, problem.table) for name, w in level.weights), Fraction(0))
        for member in problem.table.members
    ]
    parts = [part for name, w in level.weights for part in _parts(loss(name), w, sets, fewest, clock)]
    scale = lcm(*(part.scale for part in parts), *(cost.denominator for cost in suppressed))
    top = sum(scale // part.scale * max(part.numbers, default=0) for part in parts)
    dtype = np.int64 if top < 1 << WORD else object
    total = np.zeros(len(groups), dtype=dtype)
    for part in parts:
        total += part.of(groups, scale, dtype)
    return LevelCosts(
        level=level,
        kind=kind,
        scale=scale,
        groups=total,
        tuples=tuple(int(cost * scale) for cost in suppressed),
        fake=sum((part.fake for part in parts), Fraction(0)),
    )


@dataclass(frozen=True, kw_only=True)
class _Part:
    """A summand of a level's costs: all numbers that may occur, and where the number of each group is.

    Attributes
    ----------
    numbers : sequence of int
        In units of 1 / scale.
    scale : int
    place : callable
        Places among the numbers of some groups.
    fake : Fraction
        What every counterfeit costs at least.
    """

    numbers: Sequence[int]
    scale: int
    place: Callable[[Ints], Ints]
    fake: Fraction = Fraction(0)

    @classmethod
    def of_ratios(
        cls, ratios: Sequence[Fraction], place: Callable[[Ints], Ints], fake: Fraction = Fraction(0)
    ) -> _Part:
        numbers, scale = in_units(ratios)
        return cls(numbers=numbers, scale=scale, place=place, fake=fake)

    def of(self, groups: Ints, scale: int, dtype: Any) -> NDArray[Any]:
        """Costs of some groups in another unit."""
        times = scale // self.scale
        return np.array([times * number for number in self.numbers], dtype=dtype)[self.place(groups)]


def _parts(kind: Loss, weight: Fraction, sets: Sets, fewest: Fakes, clock: Clock) -> list[_Part]:
    problem = sets.problem
    table, form = problem.table, problem.policy.form
    if kind.by_size(1, 0, form) is not None:
        return [_by_size(kind, weight, sets, fewest)]
    if form == "generalized" and kind.box_weights(table) is not None:
        return [_by_box(kind, weight, sets, a) for a in range(len(table.domains))]
    steps = kind.steps(table) if form == "generalized" else None
    squares = None if steps is None else _by_squares(*steps, weight, sets, fewest)
    if squares is not None:
        return squares
    return [_measured(kind, weight, sets, fewest, clock)]


def _by_size(kind: Loss, weight: Fraction, sets: Sets, fewest: Fakes) -> _Part:
    form, n = sets.problem.policy.form, sets.count
    most = max(0, int(fewest.max()))

    def cost(real: int, fakes: int) -> Fraction:
        return weight * (kind.by_size(real + fakes, fakes, form) or Fraction(0))

    def place(groups: Ints) -> Ints:
        return sets.sizes[groups].astype(np.int64) * (most + 1) + fewest[groups]

    numbers = [
        cost(real, fakes) if real else Fraction(0) for real in range(n + 1) for fakes in range(most + 1)
    ]
    return _Part.of_ratios(numbers, place, max(Fraction(0), cost(1, 1) - cost(2, 0)))


def _by_box(kind: Loss, weight: Fraction, sets: Sets, attribute: int) -> _Part:
    problem = sets.problem
    domain = problem.table.domains[attribute]
    low, high, codes = sets.ends(attribute)
    several = len(codes)
    widths = [
        domain.width(domain.cell(codes[i], codes[j])) if i <= j else Fraction(0)
        for i in range(several)
        for j in range(several)
    ]
    declared = kind.box_weights(problem.table)
    each = weight * declared[attribute] if declared is not None else Fraction(0)
    once = kind.box_payer == "group"
    weights = [Fraction(0), *(each * (1 if once else real) for real in range(1, sets.count + 1))]

    def place(groups: Ints) -> Ints:
        box = low[groups].astype(np.int64) * several + high[groups]
        return sets.sizes[groups].astype(np.int64) * several**2 + box

    (heavy, one), (wide, other) = in_units(weights), in_units(widths)
    numbers = [w * width for w in heavy for width in wide]
    common = gcd(one * other, *numbers)
    return _Part(numbers=[number // common for number in numbers], scale=one * other // common, place=place)


def _by_squares(
    codes: Ints, prices: Sequence[Fraction], weight: Fraction, sets: Sets, fewest: Fakes
) -> list[_Part] | None:
    """Per attribute ``(n Q - S^2) / n``: S and Q are the sums of n codes and their squares.

    None if these are too large.
    """
    groups, count = np.flatnonzero(fewest >= 0), sets.count
    size, every = sets.sizes[groups].astype(np.int64), lcm(*range(1, count + 1))
    codes, parts = codes - codes.min(axis=0), list[_Part]()
    if not in_int64((count + 1) ** 2 * count * int(codes.max(initial=0)) ** 2):
        return None
    for own, price in zip(codes.T, prices, strict=True):
        spread = size * sets.totals(own**2)[groups] - sets.totals(own)[groups] ** 2
        found, at = np.unique(spread * (count + 1) + size, return_inverse=True)
        each = weight * price
        numbers = [
            each.numerator * (both // (count + 1)) * (every // (both % (count + 1)))
            for both in found.tolist()
        ]
        place = partial(_place_of, groups, at)
        parts.append(_Part(numbers=numbers, scale=every * each.denominator, place=place))
    return parts


def _place_of(groups: Ints, at: Ints, asked: Ints) -> Ints:
    return at[np.searchsorted(groups, asked)]


def _measured(kind: Loss, weight: Fraction, sets: Sets, fewest: Fakes, clock: Clock) -> _Part:
    """Group by group: what a loss of members says, or one that declares nothing (see `refusal`)."""
    problem = sets.problem
    groups = np.flatnonzero(fewest >= 0)
    if len(groups) > MOST_MEASURED:
        raise BeyondReachError(f"{kind.name} would have to be measured for {len(groups)} groups one by one")
    numbers: list[Fraction] = []
    for at, number in enumerate(groups.tolist()):
        if at % 64 == 0 and clock.over:
            raise BeyondReachError("the time limit ended the search through all sets of tuples")
        (group,) = problem.assemble([members(number)]).groups
        numbers.append(weight * kind.of_group(group, problem.table))
    return _Part.of_ratios(numbers, lambda asked: np.searchsorted(groups, asked))


@dataclass(frozen=True, kw_only=True)
class Packed:
    """Levels that are sums as one integer in words of `WORD` bits.

    Attributes
    ----------
    bases : sequence of int
        What one unit of each level counts.
    groups : int64 array, shape (admissible sets, words)
    tuples : int64 array, shape (tuples, words)
    """

    bases: Sequence[int]
    groups: Ints
    tuples: Ints

    @classmethod
    def of(cls, levels: Sequence[LevelCosts], groups: int, tuples: int) -> Packed:
        """Pack the levels, the most important first, for so many admissible sets and tuples."""
        bases: list[int] = []
        base = 1
        for level in reversed(levels):
            bases.insert(0, base)
            base *= level.most + 1
        words = max(1, -(-base.bit_length() // WORD))
        dtype = np.int64 if words == 1 else object
        costs, single = np.zeros(groups, dtype=dtype), np.zeros(tuples, dtype=dtype)
        for each, level in zip(bases, levels, strict=True):
            costs += each * level.groups.astype(dtype)
            single += each * np.array(level.tuples, dtype=dtype)
        return cls(bases=bases, groups=_words(costs, words), tuples=_words(single, words))

    def costs(self, words: Ints) -> list[int]:
        """The levels' costs that packed words stand for."""
        rest = self.number(words)
        found: list[int] = []
        for base in self.bases:
            amount, rest = divmod(rest, base)
            found.append(amount)
        return found

    @staticmethod
    def number(words: Ints) -> int:
        """The integer in some words."""
        total = 0
        for word in words.tolist():
            total = (total << WORD) + word
        return total

    def words(self, number: int) -> Ints:
        """The words of an integer, or of the largest that they can hold."""
        count = self.groups.shape[1]
        number = min(number, (1 << (WORD * count)) - 1)
        return _words(np.array([number], dtype=object), count)[0]


def _words(numbers: NDArray[Any], words: int) -> Ints:
    if words == 1:
        return numbers.astype(np.int64)[:, None]
    mask = (1 << WORD) - 1
    columns = [(numbers >> (WORD * (words - 1 - w)) & mask).astype(np.int64) for w in range(words)]
    return np.stack(columns, axis=1)
