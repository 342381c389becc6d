"""What a solve returns. Status says what was found, termination why the search stopped."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from ..models.files import check_picture, write_picture
from ..models.release import Release
from .certificate import Certificate
from .level_value import LevelValue, warnings_of
from .price import Price
from .status import Point, Randomized, Status, Termination
from .summary import Summary

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Result"]


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
        Time of the search, without compiling.
    compiled : float
        Seconds spent compiling meanwhile: above 0 only in the first searches after an installation. They do
        not count against the time limit, so that these searches find what later ones do.
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
    strangers : int
        Respondents whom the policy's knowledge names, and nobody else does.
    summary : Summary or None
        What a steward needs to know about the release, in a dozen lines; None without one. `print` shows it.
    interrupted : bool
        Whether Ctrl-C was heard: whoever asks for several results has to end, even if this one is OPTIMAL.
    price : Price or None
        What `resists_inference` costs, against a bound and a release without it; None if that is not known.
    """

    status: Status
    termination: Termination
    release: Release | None
    levels: tuple[LevelValue, ...] = ()
    bounds: tuple[Fraction | None, ...] = ()
    engine: str = ""
    seconds: float = 0.0
    compiled: float = 0.0
    rounds: int = 0
    reason: str | None = None
    trajectory: tuple[Point, ...] = field(default=(), repr=False)
    certificate: Certificate | None = field(default=None, repr=False)
    randomized: Randomized | None = None
    series_checked: bool | None = None
    strangers: int = 0
    summary: Summary | None = field(default=None, repr=False)
    interrupted: bool = False
    price: Price | None = None

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
        return () if self.release is None else warnings_of(self.series_checked, self.strangers)

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
