"""What a report says of a result: what the verifier derived, and whose word the rest is.

Status, values and bounds are the verifier's, not a file's. The course of the search is known only where the
result itself is at hand; out of a file it could be anybody's, and is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ....models.errors import ProblemFileError
from ....models.problem import Problem
from ....models.release import Release
from ...certificate import Certificate
from ...level_value import LevelValue
from ...price import Price
from ...status import Point
from ...summary import Summary, summarize
from ...verify.checking import verify
from ...verify.outcome import Outcome

__all__ = ["Told", "told"]


@dataclass(frozen=True, kw_only=True)
class Told:
    """See the module.

    Attributes
    ----------
    certificate : Certificate
        Verified.
    outcome : Outcome
    levels : tuple of LevelValue
        With the bounds that were derived.
    course : tuple of Point
        Incumbent and bound over time; empty if it is not known.
    summary : Summary
    """

    certificate: Certificate
    outcome: Outcome
    levels: tuple[LevelValue, ...]
    course: tuple[Point, ...]
    summary: Summary

    @property
    def status(self) -> str:
        """What may be said: optimal only if that was derived."""
        return _status(self.levels)


def told(
    certificate: Certificate,
    problem: Problem,
    release: Release | None,
    *,
    course: Sequence[Point] = (),
    price: Price | None = None,
    seconds: float | None = None,
) -> Told:
    """Verify a certificate, and gather what may be said.

    Raises
    ------
    CertificateError
        If something is wrong with it.
    ProblemFileError
        If it is about no release.
    """
    outcome = verify(certificate, problem, release, seconds=seconds)
    if release is None:
        raise ProblemFileError("there is no release to report on: the result says that no release exists")
    values: tuple[Fraction, ...] = problem.objective(release)
    levels = tuple(
        LevelValue(name=level.name, value=value, bound=bound)
        for level, value, bound in zip(problem.policy.levels, values, outcome.bounds, strict=True)
    )
    return Told(
        certificate=certificate,
        outcome=outcome,
        levels=levels,
        course=tuple(course),
        summary=summarize(problem, release, levels, _status(levels), price=price),
    )


def _status(levels: Sequence[LevelValue]) -> str:
    return "OPTIMAL" if all(level.value == level.bound for level in levels) else "FEASIBLE"
