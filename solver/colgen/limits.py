"""How far column generation searches, and its linear programs."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "FIRST_ORDER",
    "MASTER",
    "NEIGHBOURS",
    "PRICING",
    "SUPPRESSING",
    "FirstOrderLimits",
    "GapLimits",
    "MasterLimits",
    "NeighbourLimits",
    "PricingLimits",
    "SuppressingLimits",
]


@dataclass(frozen=True, kw_only=True)
class PricingLimits:
    """Searches for columns, and the structures that they read."""

    nodes: int = 200_000
    """Of a search per anchor, at most."""
    threads: int = 2
    """Where steps are counted, searches in threads are said to be so much faster, however many there are."""
    parts: int = 16
    """Anchors, or cells, are dealt out in so many parts, however many workers there are."""
    least_chunk: int = 8
    """Anchors between two looks at the clock, at first,"""
    most_chunk: int = 256
    """and at most;"""
    pause: float = 0.005
    """fewer, if that takes so many seconds."""
    cell: int = 16
    """Rows per cell of the table."""
    states: int = 6_000
    """Histograms of an automaton, at most."""
    read: int = 40
    """Largest histogram that is looked at where no largest needed one is known."""
    times: int = 7
    """Most often that groups publish each value; buckets that may need more are relaxed."""
    box_chunk: int = 256
    """Cells between two looks at the clock;"""
    met_chunk: int = 16_000
    """so many over the number of rows where groups meet masks, which takes longer."""
    box_sought: int = 20
    """Columns of boxes are sought with so much fewer nodes than bounds: any that pays is welcome."""
    box_members: int = 200
    """Of a column where groups may have any size,"""
    box_room: int = 1_000_000
    """or fewer: so many of all anchors' columns together; at least twice the least size."""
    prices: int = 24
    """Where shares matter, prices on being away from them that are tried for a box and a size,"""
    prices_of_cell: int = 6
    """and for all boxes of a cell;"""
    highest_price: int = 8
    """none takes more than so many times the largest dual for a tuple that is away as a whole."""
    passes: int = 4
    """How often candidates are tested again with what the test before left."""


@dataclass(frozen=True, kw_only=True)
class FirstOrderLimits:
    """Column generation with a first-order method."""

    iterations: int = 300
    """Between two rounds of pricing."""
    per_anchor: int = 3
    """Groups taken over per anchor and round."""
    guess: float = 0.8
    """Share of the cost among nearest neighbours that duals start from."""
    kept: int = 8
    """Columns per row after old ones are dropped,"""
    most_kept: int = 12
    """and before."""
    whole_share: float = 0.02
    """Share of anchors that may stop at the node limit before it is raised."""
    missing: float = 2e-3
    """Mean violation of rows at which a linear program counts as solved."""
    enough: float = 0.2
    """It restarts when the residual falls to this share of the first one,"""
    few: float = 0.8
    """or to this, and rises again,"""
    longest: float = 0.36
    """or when this share of all iterations passed since the last restart."""
    least_weight: float = 0.05
    """Least weight of primal steps against dual ones,"""
    most_weight: float = 20.0
    """and the most."""
    chunk: int = 4096
    """Columns, or places, whose residuals are summed first: each chunk is one thread's."""
    beside: int = 200_000
    """Entries from which on threads share a step: it takes ten times as long as to tell them."""


@dataclass(frozen=True, kw_only=True)
class NeighbourLimits:
    """Nearest rows."""

    tried: int = 24
    """Neighbours that a group is grown over first; all rows if they do not do."""
    kept: int = 20
    """Neighbours of a row that moves know."""
    reach: int = 64
    """Cells on each side of a row's in which neighbours are looked for at least,"""
    looked: int = 20_000_000
    """and for all rows in all."""
    at_once: int = 256
    """Rows, or cells, between two looks at the clock."""


@dataclass(frozen=True, kw_only=True)
class MasterLimits:
    """The restricted master."""

    rough: float = 1e-3
    """Relative precision of a linear program that is solved roughly."""
    slim: int = 8
    """Groups so many times as large as all are on average are no columns."""


@dataclass(frozen=True, kw_only=True)
class SuppressingLimits:
    """Tuples left out of a release."""

    passes: int = 20
    """Times that tuples leave their groups; nearly all that can be gained is gained in the first few."""
    dear: int = 50
    """Groups that are tried to be given up, the dearest first."""
    nearest: int = 20
    """Groups that are asked whether a tuple may join."""
    priced: int = 100
    """Suppressed tuples that a round of pricing takes over, besides twice as many as there may be."""


@dataclass(frozen=True, kw_only=True)
class GapLimits:
    """Closing the gap over listed columns."""

    least_listed: int = 1_000
    """Columns of the first list."""
    most_listed: int = 200_000
    """Columns of the longest one."""
    most_places: int = 100_000_000
    """Columns times rows: the programs need memory for them."""
    search_nodes: int = 200_000
    """Of a search per anchor; a list that is cut short is not complete."""
    nodes: int = 2_000
    """Of the first integer program."""
    guess_nodes: int = 500
    """Of one after a tree that has ended."""


FIRST_ORDER = FirstOrderLimits()
MASTER = MasterLimits()
NEIGHBOURS = NeighbourLimits()
PRICING = PricingLimits()
SUPPRESSING = SuppressingLimits()
