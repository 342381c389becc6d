"""What a search for groups with shares near the table's is asked, and its working memory, in plain arrays."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ....models.whole_values import whole_entropy, whole_recursive
from ..covering import Ints
from .question import BoxGrid

__all__ = ["SharesDesk", "SharesForm", "SharesInput", "shares_desk"]


class SharesForm(NamedTuple):
    """Groups of at least `least` tuples, away from what is asked by at most ``budget[size]``.

    A value that n tuples have is away by ``max(0, weight[n] - size * share[v])``.

    Attributes
    ----------
    weight : shape (tuples + 1,)
        Rising ever faster.
    share : shape (values,)
    budget : shape (tuples + 1,)
    unit : int
        About what one tuple more is away by.
    least : int
    order, places : shape (values,)
        Values in their order, and how many places are between each and the next one; none if they have no
        order. Then `share` is of all values up to each, and see `ordered` for what is away.
    """

    weight: Ints
    share: Ints
    budget: Ints
    unit: int
    least: int
    order: Ints
    places: Ints

    @classmethod
    def near_shares(cls, share: Ints, total: int, most: Fraction, least: int, tuples: int) -> SharesForm:
        """In a table of so many tuples, and as many of each value: shares differ by `most` in all.

        As many tuples are too many of their values as too few of others: `most` is twice what is too much.
        """
        size = np.arange(tuples + 1, dtype=np.int64)
        budget = [most.numerator * total * s // (2 * most.denominator) for s in size.tolist()]
        none = share[:0]
        return cls(total * size, share, np.array(budget, dtype=np.int64), total, least, none, none)

    @classmethod
    def in_order(
        cls, order: Sequence[int], counts: Sequence[int], most: Fraction, least: int, tuples: int
    ) -> SharesForm:
        """Shares of all values up to each differ by `most` in all.

        Parameters
        ----------
        order : sequence of int
            The number of each value in turn, -1 if the table does not have it.
        counts : sequence of int
            How many tuples of the table have it.
        """
        there = [place for place, v in enumerate(order) if v >= 0]
        total, between = sum(counts), np.diff([*there, len(order) - 1])
        size = np.arange(tuples + 1, dtype=np.int64)
        budget = [most.numerator * total * s // most.denominator for s in size.tolist()]
        return cls(
            total * size * len(order),
            np.cumsum(counts)[there].astype(np.int64),
            np.array(budget, dtype=np.int64),
            total,
            least,
            np.array(order, dtype=np.int64)[there],
            between.astype(np.int64),
        )

    @classmethod
    def mixed(cls, entropy: Fraction, values: int, least: int, tuples: int) -> SharesForm:
        """With an entropy of at least the logarithm of a number: ``sum n log n <= s log (s / entropy)``.

        In fixed point; what is rounded admits more, by some ten-thousandths of a tuple.
        """
        weight, budget = whole_entropy(entropy, tuples)
        share, unit = np.zeros(values, dtype=np.int64), max(1, *weight[:3])
        return cls(np.array(weight), share, np.array(budget), unit, least, share[:0], share[:0])

    @classmethod
    def recursive(cls, c: Fraction, rank: int, values: int, least: int, tuples: int) -> SharesForm:
        """No value too frequent for its group, as far as its own count says that."""
        weight, share = whole_recursive(c, rank, tuples)
        budget, shares = np.zeros(tuples + 1, dtype=np.int64), np.full(values, share, dtype=np.int64)
        return cls(
            np.array(weight), shares, budget, weight[-1] // max(1, tuples), least, shares[:0], shares[:0]
        )

    @property
    def divisors(self) -> range:
        """Of cuts that are priced: there are none."""
        return range(0)


class SharesInput(NamedTuple):
    """What is searched: groups of a form; duals in 1 / `scale` of a cost.

    Attributes
    ----------
    grid, value, counts, dual, scale, form
    highest : int
        No price on being away is above it.
    prices, prices_of_cell : int
        How many of them are tried for a box and a size, and for all boxes of a cell.
    nodes : int
        Counts that are tried for a box and a size.
    """

    grid: BoxGrid
    value: Ints
    counts: Ints
    dual: Ints
    scale: int
    form: SharesForm
    highest: int
    prices: int
    prices_of_cell: int
    nodes: int


class SharesDesk(NamedTuple):
    """Working memory.

    Attributes
    ----------
    row : shape (values, tuples)
        Rows of the tuples of each value in the interval, by falling dual.
    many : shape (values,)
        How many these are.
    order
        The duals of all of them, falling.
    held, best : shape (values,)
        Counts at hand, and those of the best group.
    far, gain : shape (values,)
        What counts at hand are away by, and what the next tuple brings.
    sums, away : shape (values, tuples + 1)
        The duals of so many of the best tuples of a value, and what a group is away by with them.
    none : shape (tuples + 1,)
        0 for each number of tuples.
    rest, near : shape (values + 1, tuples + 1)
        What so many tuples of this value or later ones bring at the price, at most; minus what they are away
        by, at least.
    room : shape (values + 1,)
        How many tuples of this value or later ones there are.
    top
        By size: what a group of the cell brings, at most, before it pays for its box.
    price : shape (1,)
        On being away; the last one that was good is tried first.
    group, times
        Rows of the group; how often it has each row, 0 between two groups.
    tries : shape (2,)
        How many values were looked at for a tuple, and how many counts were tried.
    """

    row: Ints
    many: Ints
    order: Ints
    held: Ints
    best: Ints
    far: Ints
    gain: Ints
    sums: Ints
    away: Ints
    none: Ints
    rest: Ints
    near: Ints
    room: Ints
    top: Ints
    price: Ints
    group: Ints
    times: Ints
    tries: Ints


def shares_desk(asked: SharesInput) -> SharesDesk:
    """Working memory for one walk."""

    def zeros(*shape: int) -> Ints:
        return np.zeros(shape, dtype=np.int64)

    values, tuples = len(asked.form.share), int(asked.counts.sum())
    found = np.zeros(values, dtype=np.int64)
    np.add.at(found, asked.value, asked.counts)
    most = int(found.max())
    return SharesDesk(
        row=zeros(values, most),
        many=zeros(values),
        order=zeros(tuples),
        held=zeros(values),
        best=zeros(values),
        far=zeros(values),
        gain=zeros(values),
        sums=zeros(values, most + 1),
        away=zeros(values, most + 1),
        none=zeros(most + 1),
        rest=zeros(values + 1, tuples + 1),
        near=zeros(values + 1, tuples + 1),
        room=zeros(values + 1),
        top=zeros(tuples + 1),
        price=np.full(1, asked.highest >> 5, dtype=np.int64),
        group=zeros(tuples),
        times=zeros(len(asked.counts)),
        tries=zeros(2),
    )
