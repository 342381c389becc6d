"""Our release beside Cor-Split's, release by release: how both are compared, and what ours must keep."""

from __future__ import annotations

import resource
import sys
from collections.abc import Sequence
from fractions import Fraction

from ..models.outlook.asked import Outlook
from .registry import Row

__all__ = ["OURS", "compared", "memory", "outlook_of"]

OURS = "ours"
LOSS_MUST = 0.8
"""A fifth less than the better variant of Cor-Split."""
AHEAD = 5
"""Releases to come that ours keeps in mind, or as many as there are."""


def outlook_of(releases: int, turnover: float, allowed: str) -> Outlook:
    """What ours is told of the releases to come: how many there will be, and the published turnover."""
    return Outlook(
        releases=max(1, min(AHEAD, releases - 1)),
        survival=1 - Fraction(str(turnover)),
        allowed=Fraction(allowed),
    )


def memory() -> int:
    """Megabytes that this process has had at most so far."""
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // unit


def compared(ours: Row, published: Sequence[Row]) -> Row:
    """Our loss as a share of Cor-Split's in the same release, and what ours misses.

    Parameters
    ----------
    ours : Row
        Of one release.
    published : sequence of Row
        Of the same release: each variant of Cor-Split, from its own history. Ours is measured by the fewest
        counterfeits and by the least loss of any of them.
    """
    made = [row for row in published if "loss" in row]
    if "loss" not in ours:
        return {"must": "missed: release"}
    if not made:
        return {"must": "Cor-Split has no release"}
    fakes, loss = (min(row[name] for row in made) for name in ("counterfeits", "loss"))
    missed = [
        name
        for name, well in (
            ("counterfeits", ours["counterfeits"] <= fakes),
            ("loss", ours["loss"] <= LOSS_MUST * loss),
            ("violations", not ours["hc-unsafe"] and ours["other violations"] is None),
        )
        if not well
    ]
    return {
        "loss / Cor-Split": round(ours["loss"] / loss, 3) if loss else None,
        "must": "kept" if not missed else "missed: " + ", ".join(missed),
    }
