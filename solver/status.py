"""What engines say of a search. Status says what was found, termination why the search stopped."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from math import exp, inf

__all__ = ["Point", "Randomized", "Status", "Termination"]


class Status(Enum):
    """What was found."""

    OPTIMAL = "OPTIMAL"
    """A release, and a proof that none is better."""
    FEASIBLE = "FEASIBLE"
    """A release; better ones may exist."""
    INFEASIBLE = "INFEASIBLE"
    """No release keeps the policy; `Termination` says whether that is proven or somebody's word."""
    UNKNOWN = "UNKNOWN"
    """Neither a release nor a proof."""


class Termination(Enum):
    """Why the search stopped."""

    COMPLETED = "completed"
    TIME_LIMIT = "time limit"
    INTERRUPTED = "interrupted"
    ROUNDING = "rounding"
    """The search ended, but costs had to be rounded to fit integers: the gap shown may be what that left."""
    PROOF_INCOMPLETE = "proof incomplete"
    """The search ended, but its verifier could not derive all that the engine or a solver says."""
    ITERATION_LIMIT = "iteration limit"
    """The engine's own limit (rounds, nodes) was reached."""


@dataclass(frozen=True, kw_only=True)
class Point:
    """One moment of a search.

    Attributes
    ----------
    seconds : float
        Since the start of the search.
    level : int
        Index of the level being minimized.
    value, bound : Fraction or None
        Incumbent and proven bound of that level.
    """

    seconds: float
    level: int
    value: Fraction | None
    bound: Fraction | None


@dataclass(frozen=True, kw_only=True)
class Randomized:
    """How a release was drawn: with probability proportional to ``exp(-beta cost)``.

    Attributes
    ----------
    beta : Fraction
        Per unit of loss; may be published, as may the release and `log_odds`.
    candidates : int
        Releases that keep the policy.
    cost_range : Fraction
        Difference C of the largest and the smallest loss of any grouping into groups as large as they must
        be, whatever the values.
    log_odds : Fraction or None
        ``beta C``: knowing how the release was drawn changes the odds of any two values of anybody by a
        factor of at most its exponential. None: nothing is guaranteed, because what can be released may
        depend on who has which value (a history, suppression, or requirements on people).
    """

    beta: Fraction
    candidates: int
    cost_range: Fraction
    log_odds: Fraction | None

    @property
    def odds(self) -> float | None:
        """The factor ``exp(beta C)``; None without a guarantee."""
        if self.log_odds is None:
            return None
        return exp(self.log_odds) if self.log_odds < 700 else inf

    def to_dict(self) -> dict[str, str | int | None]:
        """Plain values for files, with a word of warning."""
        return {
            "beta": str(self.beta),
            "candidates": self.candidates,
            "cost_range": str(self.cost_range),
            "log_odds": None if self.log_odds is None else str(self.log_odds),
            "keep": "bounds and candidates tell something about the table: they stay with the steward",
        }
