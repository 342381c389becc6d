"""What can be proven of all releases of one problem before any is sought.

Each bound is a claim of one requirement, to be made only with a proof; the defaults claim nothing. Bounds
that take time are functions, worked out when they are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from .problem_view import ProblemView

__all__ = ["GroupBounds"]


def _tuples(problem: ProblemView) -> int:
    return len(problem.table)


def _no_reason(problem: ProblemView) -> str | None:
    return None


def _nothing(problem: ProblemView) -> Iterable[str]:
    return ()


@dataclass(frozen=True, kw_only=True)
class GroupBounds:
    """Bounds of one requirement for one problem.

    Attributes
    ----------
    problem : ProblemView
        What they are about.
    smallest : int
        At least 1: no group that can be released has fewer published tuples.
    largest : callable
        Of the problem: see `largest_count`.
    reason, never : callable
        Of the problem: see `infeasible_because`, `hopeless_because`.
    misfit : callable
        Of the problem: why it cannot be meant for this table, as what it names is not there or not so. Asked
        where a policy is given for a table, of no part of it.
    notes : callable
        Of the problem: see `diagnostics`.
    """

    problem: ProblemView
    smallest: int = 1
    largest: Callable[[ProblemView], int] = _tuples
    reason: Callable[[ProblemView], str | None] = _no_reason
    never: Callable[[ProblemView], str | None] = _no_reason
    misfit: Callable[[ProblemView], str | None] = _no_reason
    notes: Callable[[ProblemView], Iterable[str]] = _nothing

    @property
    def largest_count(self) -> int:
        """How many tuples of one value a group may need at most, counterfeits included.

        Bounds the counterfeit variables when the policy sets no limit.
        """
        return self.largest(self.problem)

    @property
    def infeasible_because(self) -> str | None:
        """Why no release of the whole table can exist, in words, if that is plain to see."""
        return self.reason(self.problem)

    @property
    def hopeless_because(self) -> str | None:
        """Why no release of any part of the table can exist either, whoever is left out."""
        return self.never(self.problem)

    def obstacle(self, *, suppressing: bool) -> str | None:
        """Why there is no release, if tuples may be suppressed or may not."""
        return self.hopeless_because if suppressing else self.infeasible_because

    @property
    def diagnostics(self) -> tuple[str, ...]:
        """What in the table and the history makes it hard to keep, in words, without respondents."""
        return tuple(self.notes(self.problem))
