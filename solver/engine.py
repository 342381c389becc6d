"""What every engine is: one that takes a problem, or says why not, and answers it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar, runtime_checkable

from ..models.problem import Problem
from .settings import Answer, Settings, Watch

__all__ = ["Asking", "Engine", "PlanSearch", "last"]

T = TypeVar("T")


class Engine(Protocol):
    """One signature for all engines."""

    name: str

    def refuses(self, problem: Problem) -> str | None:
        """Why this engine cannot take the problem, in words; None if it can."""
        ...

    def solve(self, problem: Problem, settings: Settings, watch: Watch) -> Answer:
        """Search; the release returned has passed every check."""
        ...


@runtime_checkable
class Asking(Protocol):
    """An engine that asks for heuristics itself (`Settings.further`), when its course has time for them."""

    asks_for_heuristics: bool


class PlanSearch(Protocol):
    """A search that is set up."""

    def run(self) -> Answer:
        """Everything in order; Ctrl-C keeps what there is."""
        ...


def last(found: Iterable[T]) -> T | None:
    """The last of some things, each better than the one before; None if there are none."""
    *_, best = (None, *found)
    return best
