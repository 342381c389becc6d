"""What one attack reaches, as a report holds it."""

from __future__ import annotations

from typing import TypedDict

__all__ = ["Risk"]


class Risk(TypedDict):
    """How many respondents one attack reaches for whoever holds the releases up to this one."""

    release: int
    attack: str
    at_risk: int
    respondents: int
    undecided: int
    worst: str | None
