"""Certificates of format 2: what a solve claims, and what anyone needs to derive it again without a solver.

A certificate names problem and release by digest, tuples by their row in the steward's table (from 1), and
carries no respondent id, no sensitive value and no counterfeit's value. Every field but `run` is derived
again or compared by `verify`; `run` says how the certificate came about and is never called confirmed.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationError, model_validator

from ..instances.bounded import FileLimits, parse_json
from ..models.errors import CertificateError
from .claims import Claim, Refusal
from .written import Natural, Ratio, StrictRecord, Words

__all__ = ["BOUNDS", "FORMAT", "Certificate", "CertificateRun", "Digests", "PriceTable", "PublishedRelease"]

FORMAT = 2
BOUNDS = FileLimits(size=64_000_000, depth=32, entries=20_000_000)
"""Of a file that holds a certificate."""

Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class Digests(StrictRecord):
    """SHA-256 of what was asked."""

    table: Sha256
    history: Sha256
    policy: Sha256


class PublishedRelease(StrictRecord):
    """The release: digest; rows (from 1), counterfeits, hidden cells of each group; full-domain levels."""

    digest: Sha256
    groups: tuple[tuple[Natural, ...], ...]
    counterfeits: tuple[Natural, ...]
    hidden: tuple[Natural, ...]
    suppressed: tuple[Natural, ...]
    levels: dict[Words, Natural] | None


class PriceTable(StrictRecord):
    """What signatures cost by an outlook (`models.outlook.prices`): whole numbers over `draws`.

    `foreseen` is what the release will probably need later, drawn from it (`models.outlook.foreseen`).
    """

    draws: Natural
    starts: tuple[Natural, ...]
    totals: tuple[tuple[Natural, tuple[Natural, ...]], ...]
    foreseen: Ratio | None = None


class CertificateRun(StrictRecord):
    """How the certificate came about; for information only.

    Attributes
    ----------
    seed : int or None
        None for a drawn release, which must not be drawn again by others.
    versions : dict
        Of the solvers.
    effort : dict
        How much was searched.
    """

    engine: Words
    seed: Natural | None
    workers: Natural
    versions: dict[Words, Words]
    effort: dict[Words, Natural]


class Certificate(StrictRecord):
    """What a search claims, and what lets `verify` derive it again without a solver.

    It names problem and release by digests and tuples by their rows (from 1), never a respondent or a value.

    Attributes
    ----------
    problem : Digests
        SHA-256 of table, history and policy.
    status : {"OPTIMAL", "FEASIBLE", "INFEASIBLE"}
        What was found.
    release : PublishedRelease or None
        The digest of the release, and its rows by group.
    values : tuple of Fraction
        Value of every level of the objective.
    bounds : tuple of Fraction
        Per level, no release is below it among those as good on all levels before.
    claims : tuple of Claim
        What proves the bounds.
    refusal : Refusal or None
        What proves that there is no release.
    run : CertificateRun
        How the certificate came about; for information only, and never derived again.
    prices : PriceTable or None
        What signatures cost by the policy's outlook; drawn again by `verify`.
    """

    format: Literal[2] = FORMAT
    problem: Digests
    status: Literal["OPTIMAL", "FEASIBLE", "INFEASIBLE"]
    release: PublishedRelease | None
    values: tuple[Ratio, ...]
    bounds: tuple[Ratio, ...]
    claims: tuple[Claim, ...]
    refusal: Refusal | None
    run: CertificateRun
    prices: PriceTable | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.status == "INFEASIBLE":
            if self.refusal is None:
                raise ValueError("INFEASIBLE needs a refusal")
            if self.release is not None or self.values or self.bounds or self.claims:
                raise ValueError("INFEASIBLE has no release, values, bounds or claims")
            return self
        if self.release is None or self.refusal is not None:
            raise ValueError(f"{self.status} needs a release, and no refusal")
        if not self.values or len(self.values) != len(self.bounds):
            raise ValueError("values and bounds are of the same levels")
        return self

    @property
    def content(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return self.model_dump(mode="json")

    def to_json(self) -> str:
        """The file's text; the same certificate always gives the same text."""
        return json.dumps(self.content, sort_keys=True) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Certificate:
        """Read a certificate.

        Raises
        ------
        CertificateError
            If the text is no certificate of this format, or beyond what one can hold: one line.
        """
        if len(text) > BOUNDS.size:
            raise CertificateError(f"the certificate is larger than {BOUNDS.size:,} characters")
        return cls.of(parse_json(text, "the certificate", kind=CertificateError, bounds=BOUNDS))

    @classmethod
    def of(cls, content: object) -> Certificate:
        """Read a certificate from plain values.

        Raises
        ------
        CertificateError
            As `from_json`.
        """
        if not isinstance(content, dict):
            raise CertificateError("the certificate is not a JSON object")
        stated: object = content.get("format")
        if type(stated) is not int or stated != FORMAT:
            known = stated if type(stated) is int and abs(stated) < 1_000 else "unknown"
            raise CertificateError(
                f"the certificate is of format {known}, this version reads format {FORMAT}: solve again"
            )
        try:
            return cls.model_validate_json(json.dumps(content))
        except ValidationError as error:
            raise CertificateError(f"the certificate is damaged: {explained(error)}") from error


def explained(error: ValidationError) -> str:
    """The first thing that is wrong, in one line."""
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    more = error.error_count() - 1
    return f"{where or 'as a whole'}: {str(first['msg'])[:200].lower()}" + (f" ({more} more)" if more else "")
