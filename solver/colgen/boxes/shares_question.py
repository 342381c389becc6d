"""What a search for groups with shares near the table's is asked, and its working memory, in plain arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....models.whole_values import WholeValues
from ..covering import Ints
from .question import BoxGrid

__all__ = ["SharesDesk", "SharesForm", "SharesInput", "shares_desk"]


class SharesForm(NamedTuple):
    """Groups of at least `least` tuples, away from what is asked by at most a budget.

    Attributes
    ----------
    weight, budget : shape (tuples + 1,)
    share : shape (values,)
    unit, order, places
        These and those before as `WholeValues` says.
    least : int
    """

    weight: Ints
    share: Ints
    budget: Ints
    unit: int
    least: int
    order: Ints
    places: Ints

    @classmethod
    def of(cls, values: WholeValues, least: int) -> SharesForm:
        """What is asked of values, of groups of at least so many tuples."""
        return cls(
            np.array(values.weight, dtype=np.int64),
            np.array(values.share, dtype=np.int64),
            np.array(values.budget, dtype=np.int64),
            values.unit,
            least,
            np.array(values.order, dtype=np.int64),
            np.array(values.places, dtype=np.int64),
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
    most, paid, edge
        By size: what a group of the interval brings, at most (-`NONE` if that was not asked), at a price that
        it was found with, and the least that a tuple of the best group brought then; at size 0 that of the
        last group.
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
    most: Ints
    paid: Ints
    edge: Ints
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
        most=zeros(tuples + 1),
        paid=zeros(tuples + 1),
        edge=zeros(tuples + 1),
        price=np.full(1, asked.highest >> 5, dtype=np.int64),
        group=zeros(tuples),
        times=zeros(len(asked.counts)),
        tries=zeros(2),
    )
