"""What a solve returns. Status says what was found, termination why the search stopped."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from html import escape
from math import exp, inf
from pathlib import Path
from typing import TYPE_CHECKING

from ..models.picture import check_picture, write_picture
from ..models.release import Release
from .certificate import Certificate
from .level_value import UNCHECKED, LevelValue
from .summary import Summary

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Point", "Randomized", "Result", "Status", "Termination"]


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
    """The search ended, but costs had to be rounded down to fit integers: the gap shown is what that left."""
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
        factor of at most its exponential. None: nothing is guaranteed, because who has which value
        may decide what can be released (a history, suppression, or requirements on people).
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


@dataclass(frozen=True, kw_only=True)
class Result:
    """Answer to a problem.

    Attributes
    ----------
    status, termination
        What was found; why the search stopped.
    release : Release or None
        Has passed every requirement's check.
    levels : tuple of LevelValue
        Objective and bound, most important first; empty without a release.
    bounds : tuple of Fraction or None
        Proven bound per level, also without a release.
    engine : str
        Which engine answered, and why it was chosen.
    seconds : float
        Wall time of the search.
    rounds : int
        How often cuts were added and the model solved again.
    reason : str or None
        Why there is no release, in words.
    trajectory : tuple of Point
        Incumbent and bound over time.
    certificate : Certificate or None
        What can be re-checked without the solver.
    randomized : Randomized or None
        How the release was drawn, if it was.
    series_checked : bool or None
        Whether some requirement of the policy looked at the history; None without a history.
    summary : Summary or None
        What a steward needs to know of the release, in a dozen lines; None without one. `print` shows it.
    """

    status: Status
    termination: Termination
    release: Release | None
    levels: tuple[LevelValue, ...] = ()
    bounds: tuple[Fraction | None, ...] = ()
    engine: str = ""
    seconds: float = 0.0
    rounds: int = 0
    reason: str | None = None
    trajectory: tuple[Point, ...] = field(default=(), repr=False)
    certificate: Certificate | None = field(default=None, repr=False)
    randomized: Randomized | None = None
    series_checked: bool | None = None
    summary: Summary | None = field(default=None, repr=False)

    def __str__(self) -> str:
        """The summary, under what must be known first; or why there is no release."""
        told = self.reason or self.termination.value if self.summary is None else str(self.summary)
        return "\n".join([*self.warnings, told if self.summary else f"{self.status.value}: {told}"])

    def _repr_html_(self) -> str:
        """The same for notebooks."""
        if self.summary is None:
            return f"<p>{escape(str(self))}</p>"
        warned = "".join(f"<p><strong>{escape(warning)}</strong></p>" for warning in self.warnings)
        return warned + self.summary.html

    def plot(self, path: str | Path | None = None) -> Figure:
        """Draw the course of the search, what each column lost, and the sizes of the groups.

        Parameters
        ----------
        path : str or Path, optional
            A .png, .svg or .pdf file to write, whole or not at all.

        Returns
        -------
        matplotlib Figure
            A notebook shows it.

        Raises
        ------
        InputError
            If there is no release, or the file cannot be one.
        """
        # Imported here: drawing takes a second to load.
        from .result_picture import draw

        last = len(self.levels) - 1
        course = [
            (point.seconds, point.value, point.bound) for point in self.trajectory if point.level == last
        ]
        figure = draw(self.release, self.summary, course)
        if path is not None:
            write_picture(figure, check_picture(path))
        return figure

    @property
    def warnings(self) -> tuple[str, ...]:
        """What must be known before the release is used, in words; empty if there is nothing."""
        return (UNCHECKED,) if self.release is not None and self.series_checked is False else ()

    @property
    def objective(self) -> tuple[Fraction, ...]:
        """Value of every level."""
        return tuple(level.value for level in self.levels)

    @property
    def bound(self) -> tuple[Fraction | None, ...]:
        """Proven bound of every level."""
        return self.bounds

    @property
    def closed(self) -> bool:
        """Whether the search ended with nothing better to hope for, proven or on somebody's word."""
        reached = [level.value in (level.bound, level.trusted_bound) for level in self.levels]
        return self.release is not None and all(reached)

    @property
    def gap(self) -> Fraction | None:
        """Gap of the first level that is not proven optimal; 0 if all are, None if unknown."""
        for level in self.levels:
            if level.gap != 0:
                return level.gap
        return Fraction(0) if self.levels else None
