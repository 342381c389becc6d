"""How far heuristics for releases search."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "ANNEALING",
    "DEALING",
    "DIVING",
    "MIXING",
    "ROUNDING",
    "SPREADING",
    "START",
    "WINDOWS",
    "AnnealingLimits",
    "DealingLimits",
    "DivingLimits",
    "MixingLimits",
    "RoundingLimits",
    "SpreadingLimits",
    "StartLimits",
    "WindowLimits",
]


@dataclass(frozen=True, kw_only=True)
class StartLimits:
    """Halving the table."""

    tries: int = 9
    """Places around the median that are tried on each side, in large parts."""
    at_once: int = 1 << 22
    """Counts that are judged at once."""


@dataclass(frozen=True, kw_only=True)
class SpreadingLimits:
    """Values dealt evenly."""

    sizes: int = 12
    """So many sizes of groups are tried, from the least on,"""
    larger: int = 20
    """each by so many percent larger than the one before."""
    grown: int = 3
    """So many sizes of groups of near tuples are tried."""
    near: int = 60
    """Tuples of each value, to each side in the order of the rows, of which groups are grown."""
    at_once: int = 1 << 10
    """Tuples around which groups are grown between two looks at the clock."""
    left: float = 0.1
    """Share of the tuples that may be in no group: with more the size is too small."""
    least: float = 0.1
    """A pace is told by at least this share of the tuples in groups."""


@dataclass(frozen=True, kw_only=True)
class DivingLimits:
    """Releases by diving."""

    sure: float = 0.9
    """Groups with so large an amount are taken at once."""
    share: float = 0.06
    """At least this share of the amount that is left is taken in each round."""
    iterations: int = 120
    """Of a round."""
    side: float = 1.0
    """How far duals may move in a round, in typical costs per tuple."""
    left: float = 2.0
    """What a tuple that is left over costs, as a multiple of its dual."""
    least: float = 1e-6
    """Amounts up to it are none."""


@dataclass(frozen=True, kw_only=True)
class RoundingLimits:
    """Releases by rounding."""

    matched: int = 200
    """Most tuples of one value that are matched at once."""
    given: int = 20
    """One group in so many is given up first, where those left over may not be released alone."""


@dataclass(frozen=True, kw_only=True)
class AnnealingLimits:
    """Moves of single tuples while it gets cooler."""

    largest: int = 16
    """Tuples in a group, unless three of the smallest groups have more."""
    shared: int = 10
    """Where shares of values matter, so many times those of the smallest group that can have about such."""
    asked: int = 1 << 10
    """Histograms that are judged at once."""
    at_once: int = 1 << 17
    """Moves between two looks at the clock."""
    fewest: int = 15
    """Moves per tuple that are worth a round."""
    free: float = 0.97
    """Share of the moves of units in groups that cost nothing which are left out."""
    gather: float = 0.04
    """Share of the moves that make a group;"""
    scatter: float = 0.08
    """with those that dissolve one,"""
    cut: float = 0.10
    """those that cut one,"""
    join: float = 0.105
    """and those that merge two. The rest are moves and exchanges of single tuples."""


@dataclass(frozen=True, kw_only=True)
class WindowLimits:
    """Windows of a few hundred tuples, whose groups are chosen anew."""

    listed: int = 15
    """Most groups listed in one window, per tuple."""
    nodes: int = 60
    """Nodes of a window's integer program."""
    search_nodes: int = 200_000
    """Of a search per anchor."""
    least_share: float = 1e-3
    """A list that has to be shortened below this share of what may pay is given up."""


@dataclass(frozen=True, kw_only=True)
class DealingLimits:
    """Returning tuples dealt to groups."""

    tries: int = 20
    """Random orders tried as long as there are more groups than wanted."""
    block: int = 64
    """Wanted groups of a block, at most."""
    chunk: int = 2_000
    """Blocks that are dealt between two looks at the clock."""


@dataclass(frozen=True, kw_only=True)
class MixingLimits:
    """New tuples put beside tuples of other values."""

    work: int = 1_000_000_000
    """Coordinates that are compared for one release, at most, as far as `least` allows."""
    least: int = 8
    """Rows of a value to each side that are looked at, at least,"""
    most: int = 1 << 40
    """and at most."""
    chunk: int = 4_096
    """Groups made between two looks at the clock."""


ANNEALING = AnnealingLimits()
DEALING = DealingLimits()
DIVING = DivingLimits()
MIXING = MixingLimits()
ROUNDING = RoundingLimits()
SPREADING = SpreadingLimits()
START = StartLimits()
WINDOWS = WindowLimits()
