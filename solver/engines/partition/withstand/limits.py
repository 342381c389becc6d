"""How far the search for releases that withstand the audit goes."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["WITHSTAND_LIMITS", "WithstandLimits"]


@dataclass(frozen=True, kw_only=True)
class WithstandLimits:
    """Judge, moves and cooling."""

    tuples: int = 30
    """Smaller tables are left to the programs over all groups."""
    values: int = 62
    """Most sensitive values: sets of them are bits of one number."""
    met_tuples: int = 3_000
    """Of larger tables no bound by masks is sought."""
    met_anchor: int = 4
    """Columns of it that are taken over per first row and round,"""
    met_few: int = 20
    """one for so many rows at least where duals are to be damped on,"""
    met_smoothing: float = 0.8
    """at first by this share of those that proved most,"""
    met_nodes: int = 2_000
    """choices of values in a box,"""
    met_close: float = 1e-4
    """and relative distance of bound and program at which it is solved;"""
    met_dives: int = 4
    """releases made of its groups,"""
    met_noise: float = 0.15
    """where amounts may seem so much larger in all but the first,"""
    met_hot: float = 0.005
    """and temperature at which these are annealed, in mean costs of a group."""
    people: tuple[int, int] = (150, 600)
    """Of a component that is judged exactly, in a table that only grows and where some left.

    What is not known of larger ones counts as unsafe. Kept groups make small components, and moves that
    keep them small are judged faster; where people left, a third release links hundreds in any case."""
    steps_counted: int = 20_000
    """From state to state, while the worlds of a component are counted for a move."""
    large: int = 5_000
    """In tables of more tuples moves are many, and time for each is short:"""
    people_large: int = 100
    """people of a component that a move may make there,"""
    steps_large: int = 4_000
    """steps of its count,"""
    near_large: int = 200
    """near rows,"""
    hot_large: float = 0.02
    """and temperature at the beginning."""
    slots: int = 256
    """Rows that may be open at a time in such a count."""
    known: int = 100_000
    """Verdicts that are kept: then all are forgotten."""
    states: int = 150_000
    """Between two counts, in the audit of the whole series."""
    more: int = 80
    """Room for so many more members in a group than the largest one has at the start."""
    spare: int = 32
    """Groups that are empty at the start."""
    near: int = 400
    """Rows nearest to one that it may change places with."""
    tried: int = 3
    """Best moves of a row that are judged, and one more at random."""
    rows: int = 64
    """Rows that are taken up at a time while nobody can be inferred,"""
    regrouped: float = 0.2
    """How often near groups are grouped anew instead,"""
    paired: float = 0.2
    """how often two people of a cell move together,"""
    mates: int = 40
    """to one of so many near groups;"""
    few: int = 28
    """with so many people at most,"""
    whole: float = 0.3
    """how often keeping together who always was,"""
    tries: int = 8
    """the best of so many greedy ways,"""
    noise: tuple[float, float] = (0.3, 3.0)
    """where a row may seem so many times farther than it is, and so many in the last repair,"""
    beside: float = 6.0
    """and how far near rows are taken from, as a mean of their ranks."""
    joined: int = 12
    """Near groups that one with somebody who can be inferred is joined with, for the best of these."""
    homes: int = 30
    """Near groups that somebody who was taken out may be put into,"""
    joining: int = 10
    """or two of the nearest as one, once in so many tries without success."""
    warm: float = 0.03
    """Temperature of the last repair, as a part of that price,"""
    others: int = 12
    """and moves at random that it judges of a row."""
    steps: tuple[int, int] = (200, 2_000)
    """Rows taken up per row of the table: without a time limit, and at most with one."""
    hot: tuple[float, float] = (0.2, 0.06)
    """Temperature at the beginning, in mean costs of a group: of a safe start, and of a repair,"""
    cold: float = 0.001
    """and at the end."""
    rounds: int = 4
    """So often a start is annealed, after a repair if it needs one, as far as time allows."""
    light: float = 0.2
    """Price of a person who can be inferred at the beginning of a repair, in mean costs of a group,"""
    heavy: float = 8.0
    """and at the end."""
    beyond: int = 1 << 50
    """The price where nobody may be inferable: beyond all costs."""
    ramp: float = 0.6
    """Part of a repair after which the price stays."""
    aimed: float = 0.5
    """How often a repair takes up somebody who can be inferred, or a member of the same group."""
    modest: float = 1.0
    """Price at the beginning of the last repair, in mean costs of a group;"""
    idle: int = 150
    """so many rows are taken up, without one person less, before groups are joined,"""
    dearer: float = 1.3
    """or the price grows so many times,"""
    dear: float = 64.0
    """up to this."""
    gone: int = 1
    """If so many times as many left as came back, groups are not kept at the start."""


WITHSTAND_LIMITS = WithstandLimits()
