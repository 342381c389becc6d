"""All tables of who gets how much of the time limit."""

from __future__ import annotations

from .schedule import (
    ASSIGNMENT,
    AUDIT,
    BLOCKS,
    COUNTS,
    ENUMERATED,
    GAP,
    HEURISTICS,
    HISTOGRAM,
    LONG_STAGES,
    POINTS,
    RESERVES,
    SANITIZING,
    SOLVERS,
    STAGES,
    SUBSETS,
    WHOLE,
    WORK,
)
from .schedule_series import AHEAD, SIGNATURE, WITHSTAND
from .shares import Schedule

__all__ = ["SCHEDULES"]

SCHEDULES: dict[str, Schedule] = {
    "reserves": RESERVES,
    "solve": WHOLE,
    "heuristics": HEURISTICS,
    "solvers": SOLVERS,
    "assignment": ASSIGNMENT,
    "subsets": SUBSETS,
    "partition: gap": GAP,
    "partition: histogram": HISTOGRAM,
    "partition: stages": STAGES,
    "partition: steps": WORK,
    "partition: blocks": BLOCKS,
    "partition: points": POINTS,
    "partition: points, stages without blocks": LONG_STAGES,
    "partition: signature": SIGNATURE,
    "partition: signature, ahead": AHEAD,
    "partition: counts": COUNTS,
    "partition: enumerated": ENUMERATED,
    "partition: withstand": WITHSTAND,
    "sanitize": SANITIZING,
    "audit": AUDIT,
}
"""All tables, by the engine (and plan) that follows them."""
