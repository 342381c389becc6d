"""The best release and the best bound so far, and who is told when they change."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ...colgen.master import Group
from ...colgen.table import Rows
from ...settings import Watch

__all__ = ["Progress"]


class Progress:
    """What a search has reached.

    Attributes
    ----------
    groups : tuple of Group or None
        The cheapest release so far.
    cost : int
        What it costs; above every release's cost if there is none.
    bound : int
        No release costs less.
    starts : list of Group
        Groups of all releases to start from.
    """

    def __init__(self, rows: Rows, watch: Watch, level: int, factor: Fraction) -> None:
        self.rows, self.watch = rows, watch
        self.groups: tuple[Group, ...] | None = None
        self.cost = rows.most + 1
        self.bound = 0
        self.starts: list[Group] = []
        self._level, self._factor = level, factor

    @property
    def closed(self) -> bool:
        """Whether no better release can exist."""
        return self.bound >= self.cost

    def offer(self, groups: Sequence[Group] | None, text: str = "release") -> bool:
        """Keep a release if it is better; whether it was."""
        if groups is None:
            return False
        cost = sum(self.rows.group_costs(groups))
        if self.groups is not None and cost >= self.cost:
            return False
        self.groups, self.cost = tuple(groups), cost
        self.note(text)
        return True

    def start(self, groups: Sequence[Group] | None) -> None:
        """Offer a release found at the start; all its groups are columns from the beginning."""
        self.starts += groups or ()
        self.offer(groups)

    def lift(self, bound: int, text: str) -> None:
        """Keep a bound if it is higher."""
        self.bound = max(self.bound, bound)
        self.note(text)

    def loss(self, cost: int) -> Fraction:
        """The level's value that a cost (or a bound on it) stands for."""
        return self._factor * self.rows.loss(cost)

    def note(self, text: str) -> None:
        """Tell how things stand."""
        value = None if self.groups is None else self.loss(self.cost)
        self.watch.note(self._level, value, self.loss(self.bound), text)
