"""A clock that stands still while functions are compiled: once per installation, and no part of any search.

Without it the first searches after an installation spend their limits on the compiler, and what they answer
is not what the same seed answers ever after.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

__all__ = ["COMPILING", "Compiling", "moment"]


@dataclass
class Compiling:
    """Seconds of compiling in this process; one thread compiles at a time, numba sees to that."""

    _depth: int = 0
    _spent: tuple[float, float | None] = (0.0, None)
    """Seconds of what is done, and when what is under way began: together, as other threads read them."""

    def begin(self) -> None:
        """A function begins to be compiled; others that it calls may be compiled within."""
        if not self._depth:
            self._spent = (self._spent[0], time.monotonic())
        self._depth += 1

    def end(self) -> None:
        """It is compiled, or cannot be."""
        self._depth -= 1
        if not self._depth:
            self._spent = (self.seconds, None)

    @property
    def seconds(self) -> float:
        """Seconds so far."""
        done, began = self._spent
        return done if began is None else done + time.monotonic() - began


COMPILING = Compiling()


def moment() -> float:
    """Seconds on the clock that searches go by: only differences mean something."""
    return time.monotonic() - COMPILING.seconds
