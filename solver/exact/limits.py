"""How far the certified tree searches, branches and cuts, and why."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "BRANCHING",
    "CHECK",
    "DUALS",
    "MOST_TEXT",
    "SEPARATION",
    "TREE",
    "BranchingLimits",
    "CheckLimits",
    "DualLimits",
    "SeparationLimits",
    "TreeLimits",
]


@dataclass(frozen=True, kw_only=True)
class TreeLimits:
    """A tree whose leaves are proved in integers."""

    scales: tuple[int, ...] = (4, 16, 64, 256, 1 << 10, 1 << 12, 1 << 14, 1 << 17, 1 << 20)
    """Of a leaf's duals; the coarsest that proves it is kept."""
    kept: int = 256
    """Scale of the other nodes' duals."""
    restart: float = 0.2
    """Share of the columns that is struck out before the linear program is set up anew."""
    many: int = 300
    """Cuts that nodes may add before the next one begins anew with those that matter."""
    root_rounds: int = 60
    """Rounds of cuts in the root,"""
    rounds: int = 4
    """and in other nodes."""
    last: int = 4
    """Cutting ends when so many rounds close"""
    stalled: float = 0.02
    """less than this share of the gap."""
    farthest: float = 1e5
    """How far beyond the target linear programs go at most, until rounded duals prove it."""


@dataclass(frozen=True, kw_only=True)
class BranchingLimits:
    """Choice of what a node is split by."""

    whole: float = 1e-6
    """How far an amount may be from a whole number."""
    middle: float = 0.55
    """Pairs are tried in order of how near the share of columns that have both is to this."""
    probed: int = 24
    """Branches that are probed, at most,"""
    idle: int = 8
    """in a row without a better one,"""
    probe: int = 100
    """and for how many iterations each."""


@dataclass(frozen=True, kw_only=True)
class SeparationLimits:
    """Cuts of a tableau."""

    least_part: float = 1e-3
    """How fractional a basic column must be for its row of the tableau to be looked at."""
    denominators: int = 20_000
    """Of multipliers, at most."""
    grids: int = 60
    """Of cuts, at most: finer ones are a little stronger, and their duals need a finer scale."""
    near: float = 1e-5
    """How near to whole numbers multipliers times their denominator must be."""
    deep: float = 1e-4
    """How far from the solution a cut must be, in units of its norm."""
    alike: float = 0.9
    """Cosine of the angle between two cuts above which only the deeper one is taken."""


@dataclass(frozen=True, kw_only=True)
class DualLimits:
    """Duals of a linear program over a box."""

    margin: float = 0.25
    """How far beyond the last cost of interest they go, so that they still prove it once rounded."""
    nought: float = 1e-11
    """Smaller multipliers are none."""


@dataclass(frozen=True, kw_only=True)
class CheckLimits:
    """A tree that is checked: what a short text can ask of memory."""

    ends: int = 200_000_000
    """Ends of columns that nodes leave to their other side, at most;"""
    entries: int = 200_000_000
    """and entries of cuts."""
    at_once: int = 64
    """Cuts between two looks at the clock."""


MOST_TEXT = 16_000_000
"""Characters of a written proof."""

TREE = TreeLimits()
BRANCHING = BranchingLimits()
SEPARATION = SeparationLimits()
DUALS = DualLimits()
CHECK = CheckLimits()
