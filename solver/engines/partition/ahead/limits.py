"""How far series that look ahead search."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["AHEAD", "AheadLimits"]


@dataclass(frozen=True, kw_only=True)
class AheadLimits:
    """Series that look ahead."""

    all_signatures: int = 400
    """Sets of values of least size are all taken as signatures if they are no more than this,"""
    windows: int = 8
    """otherwise sets of values with nearly the same number of tuples, so many times;"""
    larger: int = 60
    """and so many sets with one value more."""
    need_moves: int = 400
    """Exchanges per group of a bucket, until it gets one more (or until none of all is forbidden),"""
    need_tries: int = 4
    """so often, twice as many each time,"""
    need_hot: float = 0.3
    """with this temperature in the beginning, in forbidden meetings,"""
    need_cold: float = 0.1
    """and this at the end;"""
    most_groups: int = 4
    """up to so many per tuple of the most frequent value."""
    mend_wider: int = 16
    """Forbidden groups are seated anew with so many times as many others, and so on;"""
    mend_groups: int = 4_000
    """in larger tables with no more than this."""
    fewest_seconds: float = 1.5
    """For the family with the fewest counterfeits,"""
    price_seconds: float = 1.5
    """and for a round of prices."""
    rounds: int = 3
    """Of prices."""
    gap: float = 0.05
    """Families so near the best of a round will do."""
    fewer: float = 0.99
    """Families with so many signatures less than there may be will do, where some are allowed."""
    nodes: int = 30
    """Of the program over counts."""
    counted: int = 6_000
    """A program over all signatures has no more values times numbers of groups than this."""
    doubt: float = 0.0001
    """A bound on all families is rounded down to a multiple of this, after this share is taken off."""
    slots: int = 5
    """Signatures with the same number of groups, where values are divided among signatures;"""
    parts: int = 4
    """no value is in more of them than this;"""
    dividing: int = 600_000
    """so many values are divided anew,"""
    dividing_each: int = 1_200
    """or so many for each new tuple, if that is more:"""
    most_dividing: int = 3_000_000
    """the more there are, the rarer are ways to seat all of them; but no more than this,"""
    dividing_heat: tuple[float, float] = (3.0, 1.0)
    """first and last temperature, in counterfeits,"""
    missing: tuple[float, float] = (0.5, 8.0)
    """first and last charge for a value that a signature lacks."""
    worth: tuple[tuple[float, float], ...] = (
        (1.0, 1.0),
        (0.5, 0.3),
        (0.0, 1.0),
        (1.0, 0.0),
        (3.0, 3.0),
        (0.3, 0.0),
        (0.0, 0.0),
    )
    """What one more signature is worth, and one value less in a group, in counterfeits: all are tried,"""
    divisions: int = 2
    """so often,"""
    brief: int = 10
    """each seated with this part of the exchanges;"""
    kept: int = 2
    """so many of them go on."""
    usual: int = 8
    """Groups that a signature is thought to have, before a solution says it."""
    tie: float = 0.02
    """Price of a group that V does not charge."""
    kindred_moves: int = 20_000
    """Exchanges of values between signatures that nobody is bound to,"""
    kindred_hot: float = 0.3
    """first temperature, in ranges of one attribute,"""
    kindred_cold: float = 0.001
    """and last one;"""
    kindred_values: int = 150
    """for so many values at most,"""
    kindred_people: int = 60
    """of which so many people each are looked at."""
    moves: int = 4_000
    """Exchanges per tuple,"""
    most_moves: int = 30_000_000
    """at most so many in all, or as many as there is time for;"""
    restarts: int = 8
    """so often from the beginning;"""
    weighings: int = 3
    """so often, with more exchanges each time, where signatures are weighed against boxes."""
    again: int = 4
    """Part of them after a signature got a further group."""
    attempts: int = 6
    """How often that happens."""
    hot: float = 1.0
    """First temperature, in losses of one tuple in one attribute,"""
    warm: float = 0.15
    """the same when it goes on,"""
    loose: float = 4.0
    """the same where signatures are weighed against boxes,"""
    cold: float = 0.004
    """and the last one."""
    penalties: tuple[float, ...] = (1.0, 2.0, 4.0, 8.0, 32.0)
    """For each earlier group that shares too many, in the same unit: one after the other,"""
    dear: float = 64.0
    """the same once nothing is forbidden,"""
    first: int = 2
    """with this part of the exchanges for the first"""
    later: int = 6
    """and this for each other."""
    switching: int = 128
    """One in so many exchanges lets two values change signatures."""
    names: int = 1 << 40
    """Signatures are told apart by sums of random numbers below this."""
    family_smoothing: float = 0.3
    """Share of the best duals so far, for the bound within a family;"""
    family_tuples: int = 1_200
    """without a limit it is solved for so many tuples,"""
    family_anchor: int = 3
    """groups taken over per anchor and round,"""
    family_pricing: int = 20_000
    """first of searches with so many nodes;"""
    family_columns: int = 5
    """so many columns for each row go into its integer program,"""
    family_nodes: int = 200
    """which has so many nodes at most."""
    futures: int = 5
    """So many are drawn, to say what nobody avoids."""


AHEAD = AheadLimits()
