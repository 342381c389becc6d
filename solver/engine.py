"""What every engine is: one that takes a problem, or says why not, and answers it."""

from __future__ import annotations

from typing import Protocol

from ..models.problem import Problem
from .settings import Answer, Settings, Watch

__all__ = ["Engine"]


class Engine(Protocol):
    """One signature for all engines."""

    name: str

    def refuses(self, problem: Problem) -> str | None:
        """Why this engine cannot take the problem, in words; None if it can."""
        ...

    def solve(self, problem: Problem, settings: Settings, watch: Watch) -> Answer:
        """Search; the release returned has passed every check."""
        ...
