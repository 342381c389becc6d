"""How far column generation over points searches."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..limits import GapLimits

__all__ = [
    "POINTS",
    "POINT_BLOCKS",
    "POINT_WINDOWS",
    "PointBlockLimits",
    "PointLimits",
    "PointWindowLimits",
]


@dataclass(frozen=True, kw_only=True)
class PointLimits:
    """Points plan: squared error under k-anonymity."""

    most_rows: int = 8_000
    """Their number squared times 8 bytes is kept."""
    room: int = 200_000
    """Groups that pay more than a threshold, in a round of pricing, at most;"""
    enough: int = 4
    """it falls until there are so many a row, or it is 0,"""
    fall: int = 4
    """to one in so many each time,"""
    slight: int = 1_000_000
    """until what all duals lose by it is so small a part of them; then it is 0."""
    nodes: int = 2_000_000
    """Of a search per anchor."""
    scale: int = 256
    """Finest unit of duals, as a fraction of a cost."""
    near: tuple[int, ...] = (9, 9, 7, 7, 7)
    """Among so many nearest rows all groups of 2, 3, ... rows are columns from the beginning."""
    per_row: int = 4
    """Groups taken over per row and round."""
    deepest: int = 6
    """Larger groups are priced by their sets of"""
    few: int = 5
    """so many."""
    cut_rounds: int = 60
    """Rounds of cuts."""
    least_gain: float = 4e-6
    """Relative gain of a round of cuts below which it is poor;"""
    poor_rounds: int = 3
    """after so many in a row cutting ends."""
    whole: float = 1e-7
    """How far an amount may be from a whole number."""
    many: int = 2_000
    """From so many rows on, groups at the beginning are made of a row and the nearest of its size and"""
    beside: int = 3
    """so many more."""
    moves: int = 30_000
    """Moves of annealing per tuple, at most."""
    judged: int = 20
    """Tables of no more tuples are left to exact programs, where more than sizes of groups matters;"""
    judged_hot: float = 3.0
    """moves begin so many times as hot there,"""
    judged_moves: int = 50_000
    """so many of them are between two times that groups are judged,"""
    widest: int = 2_000
    """and tuples of the largest group that is begun with."""
    least_near: int = 12
    """Near tuples that moves know, at least."""
    parts: int = 60
    """Temperatures of annealing,"""
    hot: float = 0.3
    """the first, as a share of what a tuple costs,"""
    cold: float = 0.003
    """and the last."""
    annealed: float = 0.01
    """A release that is closer to the bound, relative to it, is not annealed again."""
    lukewarm: float = 0.05
    """The first of those that a good release is annealed at again, in parts of the usual one."""
    least_broken: float = 0.02
    """Least violation of a cut that is added."""
    families: tuple[tuple[int, int], ...] = (
        *((2, 5), (2, 7), (2, 9)),
        *((3, 4), (3, 5), (3, 7), (3, 8), (4, 5), (4, 6), (4, 7), (4, 11)),
        *((5, 6), (5, 7), (5, 8), (5, 9)),
    )
    """Divisors, and numbers of rows, of cuts that are sought by growing sets"""
    enough_odd: int = 30
    """where fewer odd sets are found by parities."""
    restarts: int = 6
    """Sets that are begun at each row for that,"""
    exchanges: int = 14
    """exchanges of their rows,"""
    lure: float = 0.03
    """and what a member counts for a group that is not yet counted."""
    cuts_per_row: int = 2
    """Cuts of a divisor and a number of rows that hold a row, and"""
    cuts_at_once: int = 60
    """of all rows, in a round."""
    listed: int = 4
    """Groups of each size that the first integer program chooses from, a row, at most, and"""
    program_nodes: int = 2_000
    """nodes of these."""
    gap: GapLimits = field(default_factory=lambda: GapLimits(most_listed=400_000, most_places=2_000_000_000))
    """Of the last step."""


@dataclass(frozen=True, kw_only=True)
class PointWindowLimits:
    """Groups near one another that are chosen anew from listed columns."""

    listed: int = 40
    """Columns of each size in a window's list, a row, at most."""
    near: float = 2e-4
    """A release that is closer to the bound, relative to it, is left alone."""
    rows: int = 100
    """Of a window at first;"""
    more: int = 2
    """so many more after one that was searched to its end, and"""
    fewer: int = 12
    """so many fewer after another,"""
    least: int = 30
    """but no fewer than these,"""
    most: int = 240
    """and no more than these."""
    nodes: int = 100
    """Of a window's integer program, which was searched to its end if it is"""
    precise: float = 1e-4
    """so close to its bound, relative to its cost."""
    least_weight: float = 1e-3
    """Of a group that pays exactly, relative to costs: windows begin there, too."""
    patience: int = 2
    """Windows end when each group began so many without a gain."""
    tired: float = 0.3
    """Chance of a group to begin a window after each that it began."""


@dataclass(frozen=True, kw_only=True)
class PointBlockLimits:
    """Blocks of points that are searched as a whole."""

    most: int = 13
    """Points of a block, at most: all their sets are gone through."""
    most_rows: int = 6_000
    """Of a table that is cut into blocks."""
    least_part: float = 0.5
    """Blocks of sizes that k does not divide hold at least so much of the table, or none are made."""
    per_row: int = 4
    """Groups taken over per row and round."""
    share: float = 0.4
    """Of the duals that proved most, in those that are tried next;"""
    least_share: float = 0.05
    """with less than that, rounds that bring nothing new are the last."""
    close: float = 1e-5
    """How close bound and linear program are when it counts as solved."""
    parts: tuple[int, ...] = (1_500, 700, 450, 250)
    """So many of the dearest tuples, and those in their groups, are put in groups anew,"""
    listed: int = 9_000
    """of so many columns, at most."""


POINTS = PointLimits()
POINT_BLOCKS = PointBlockLimits()
POINT_WINDOWS = PointWindowLimits()
