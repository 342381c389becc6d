"""The result file: a certificate, and beside it what people and programs look up first.

What stands beside the certificate is either compared with it (status, values, bounds, words, what is said of
a drawn release; the names of losses and warnings with the problem) or tells how the search went: that is
checked for its form only, and no command prints it out of a file.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationError

from ..instances.bounded import read_json
from ..models.errors import CertificateError
from ..models.problem import Problem
from .certificate import BOUNDS, Certificate, explained
from .claims import Drawn, FamilyClaim, Trusted
from .level_value import warnings_of
from .result import Result
from .status import Termination
from .written import DrawnFacts, Natural, Ratio, StrictRecord, Words

__all__ = ["ResultFile", "beside", "certificate_of", "read_result"]

Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class LevelEntry(StrictRecord):
    """One level of the objective."""

    loss: Words
    value: Ratio
    bound: Ratio
    gap: Ratio
    trusted_bound: Ratio | None
    word: Words | None
    family: Ratio | None = None


class PointEntry(StrictRecord):
    """One moment of the search."""

    seconds: Seconds
    level: Natural
    value: Ratio | None
    bound: Ratio | None


class DrawnEntry(DrawnFacts):
    """How a release was drawn."""

    keep: Words


class ResultFile(StrictRecord):
    """Content of a result file; see the module."""

    status: Literal["OPTIMAL", "FEASIBLE", "INFEASIBLE"]
    termination: Literal[tuple(kind.value for kind in Termination)]  # pyright: ignore[reportInvalidTypeForm]
    engine: Words
    seconds: Seconds
    rounds: Natural
    reason: Words | None
    warnings: tuple[Words, ...]
    objective: tuple[LevelEntry, ...]
    trajectory: tuple[PointEntry, ...]
    randomized: DrawnEntry | None
    certificate: Certificate

    @classmethod
    def of(cls, result: Result) -> Self | None:
        """What is written down of a result; None without a certificate."""
        if result.certificate is None:
            return None
        drawn = result.randomized
        return cls(
            status=result.certificate.status,
            termination=result.termination.value,
            engine=result.engine[:2_000],
            seconds=round(result.seconds, 3),
            rounds=result.rounds,
            reason=None if result.reason is None else result.reason[:2_000],
            warnings=result.warnings,
            objective=tuple(
                LevelEntry(
                    loss=level.name,
                    value=level.value,
                    bound=level.bound or Fraction(0),
                    gap=level.gap or Fraction(0),
                    trusted_bound=level.trusted_bound,
                    word=level.word,
                    family=level.family,
                )
                for level in result.levels
            ),
            trajectory=tuple(
                PointEntry(seconds=round(p.seconds, 3), level=p.level, value=p.value, bound=p.bound)
                for p in result.trajectory
            ),
            randomized=None if drawn is None else DrawnEntry(**_plain(drawn.to_dict())),
            certificate=result.certificate,
        )

    @property
    def content(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return self.model_dump(mode="json")

    def to_text(self) -> str:
        """The file's text: people read what is beside the certificate, one line of which is long enough."""
        content = self.content
        certificate = json.dumps(content.pop("certificate"), sort_keys=True)
        return f'{json.dumps(content, indent=2)[:-2]},\n  "certificate": {certificate}\n}}\n'

    def compare(self, problem: Problem) -> None:
        """Compare what stands beside the certificate with it, and with the problem.

        Raises
        ------
        CertificateError
            Naming the first difference.
        """
        levels, certificate = self.objective, self.certificate
        words = {claim.level: claim for claim in certificate.claims if isinstance(claim, Trusted)}
        told = [(words[i].bound, words[i].solver) if i in words else (None, None) for i in range(len(levels))]
        family = {claim.level: claim.bound for claim in certificate.claims if isinstance(claim, FamilyClaim)}
        names = [level.name for level in problem.policy.levels] if certificate.release is not None else []
        drawn = next((claim for claim in certificate.claims if isinstance(claim, Drawn)), None)
        said, claimed = (None if one is None else one.facts for one in (self.randomized, drawn))
        warned = warnings_of(problem.series_checked, problem.strangers)
        compared: tuple[tuple[str, object, object], ...] = (
            ("status", self.status, certificate.status),
            ("losses", [level.loss for level in levels], names),
            ("values", tuple(level.value for level in levels), certificate.values),
            ("bounds", tuple(level.bound for level in levels), certificate.bounds),
            ("gaps", [level.gap for level in levels], [_gap(level) for level in levels]),
            ("words", [(level.trusted_bound, level.word) for level in levels], told),
            ("family", [level.family for level in levels], [family.get(i) for i in range(len(levels))]),
            ("warnings", self.warnings, () if certificate.release is None else warned),
            ("draw", said, claimed),
        )
        for what, stated, found in compared:
            if stated != found:
                raise CertificateError(f"the result and its certificate disagree about the {what}")


def _gap(level: LevelEntry) -> Fraction:
    return Fraction(0) if level.value <= level.bound else (level.value - level.bound) / level.value


def _plain(entries: dict[str, Any]) -> dict[str, Any]:
    ratios = ("beta", "cost_range", "log_odds")
    return {k: Fraction(v) if k in ratios and v is not None else v for k, v in entries.items()}


def read_result(path: str | Path) -> ResultFile | Certificate:
    """Read a result file, or a certificate that stands alone.

    Raises
    ------
    CertificateError
        If it is neither, or beyond what one can hold: one line that names the file.
    """
    content = read_json(path, kind=CertificateError, bounds=BOUNDS)
    try:
        if not isinstance(content, dict) or "certificate" not in content:
            return Certificate.of(content)
        Certificate.of(content["certificate"])  # says what is wrong with the certificate in its own words
        return ResultFile.model_validate_json(json.dumps(content))
    except CertificateError as error:
        raise CertificateError(f"{path}: {error}") from error
    except ValidationError as error:
        raise CertificateError(f"{path}: the result is damaged: {explained(error)}") from error


def certificate_of(found: ResultFile | Certificate) -> Certificate:
    """The certificate of what was read."""
    return found if isinstance(found, Certificate) else found.certificate


def beside(result_file: Path) -> Path | None:
    """The release that `optanon solve` wrote beside a result file: the steward's copy if there is one."""
    stem = result_file.name.removesuffix(".result.json")
    found: Sequence[Path] = [result_file.with_name(f"{stem}.{kind}.csv") for kind in ("steward", "release")]
    return next((path for path in found if path.exists()), None) if stem != result_file.name else None
