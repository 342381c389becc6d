"""Parts of a time limit: what steps of a search get, and why. Which step gets which, `schedule` says.

Steps ask their clock for their share (`Clock.share`, `Clock.allowed`, `Clock.spent`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from enum import Enum
from math import inf

__all__ = ["Of", "Schedule", "Seconds", "Share"]


class Of(Enum):
    """What a share is a part of."""

    LIMIT = "of the limit, from now on"
    PASSED = "of the limit, since the search began"
    LEFT = "of what is left"


@dataclass(frozen=True, kw_only=True)
class Share:
    """A part of the time there is.

    Attributes
    ----------
    part : float
    of : Of
    why : str
    least : float
        Seconds it is at least, however late it is,
    least_part : float
        but no larger a part of the limit.
    most : float
        Seconds it is at most.
    unlimited : float or None
        Seconds where there is no limit; None for no end.
    """

    part: float
    of: Of
    why: str
    least: float = 0.0
    least_part: float = inf
    most: float = inf
    unlimited: float | None = None

    def floor(self, limit: float) -> float:
        """Seconds it is at least."""
        return min(self.least, self.least_part * limit)

    def seconds(self, limit: float, passed: float) -> float:
        """How long it is under a limit, when so many seconds have passed; maybe longer than what is left."""
        if self.of is Of.LIMIT:
            found = self.part * limit
        elif self.of is Of.PASSED:
            found = self.part * limit - passed
        else:
            found = self.part * max(0.0, limit - passed)
        return max(self.floor(limit), min(self.most, found))


@dataclass(frozen=True, kw_only=True)
class Seconds:
    """A time, a pace, or a factor on a measured time, whatever the limit is."""

    value: float
    why: str
    unit: str = "s"


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """A table; its fields are its steps."""

    def rows(self) -> Iterator[tuple[str, Share | Seconds]]:
        """Each step and what it gets."""
        for field in fields(self):
            yield field.name, getattr(self, field.name)
