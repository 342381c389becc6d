"""A tuple of the microdata, as definitions speak of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from .box import Point

__all__ = ["Member"]


@dataclass(frozen=True, slots=True)
class Member:
    """One tuple of the microdata: a respondent, the exact quasi-identifiers, the sensitive value."""

    respondent: str = field(repr=False)
    point: Point = field(repr=False)
    value: str = field(repr=False)
