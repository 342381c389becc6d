"""How far the counts plan searches."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["COUNTS_LIMITS", "CountsLimits"]


@dataclass(frozen=True, kw_only=True)
class CountsLimits:
    """Counts plan: histograms alone."""

    tops: tuple[int, ...] = (48, 400, 4_000)
    """Groups up to these sizes are looked at in turn, until no larger one can be better."""
    splits: int = 1_000
    """Sizes below one from which all groups split that are looked at up to it at once."""
    most_sizes: int = 4_000
    """Largest group of equal counts that is looked at."""
    most_judged: int = 40_000_000
    """Numbers that are judged for it, per partial sum."""
    most_parts: int = 3_000
    """Histograms of one size that are listed."""
    most_evened: int = 20_000
    """Histograms that are listed where only sorted counts matter."""
    most_listed: int = 40_000
    """Histograms that are listed otherwise, admissible or not."""
    most_needed: int = 2_500
    """Admissible ones; more are not searched for splits."""
    most_halves: int = 500
    """Halves of halves of the table, about, where not all histograms are listed."""
    sizes: int = 24
    """Sizes with a histogram as close as can be to the table's, where not all are."""
    largest_cost: int = 1 << 50
    """Of a whole release: far inside int64."""
    proof_nodes: int = 200
    """Of a search tree that is written down."""
    drawn: int = 1_000_000_000
    """Largest end of a variable, times entries, up to which HiGHS is asked."""
    tree_nodes: int = 200
    """Of a search tree that solves a level."""
    chunk: int = 4_000_000
    """Numbers that are judged at a time: memory."""


COUNTS_LIMITS = CountsLimits()
