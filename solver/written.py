"""What certificates are written in: numbers within limits, ratios and words as text, strict records."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Annotated, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, PlainValidator

from .exact.limits import MOST_TEXT

__all__ = [
    "Amount",
    "Divisor",
    "DrawnFacts",
    "GivenWord",
    "Limiting",
    "Natural",
    "Number",
    "Proof",
    "Ratio",
    "Scale",
    "StrictRecord",
    "Words",
]

RATIO = re.compile(r"-?(0|[1-9][0-9]{0,399})(/[1-9][0-9]{0,399})?")
LIMIT = 1 << 62


def _ratio(value: object) -> Fraction:
    if isinstance(value, Fraction):
        return value
    if isinstance(value, str) and RATIO.fullmatch(value) and str(Fraction(value)) == value:
        return Fraction(value)
    raise ValueError("a ratio is written as p or p/q in lowest terms, as text")


Number: TypeAlias = Annotated[int, Field(gt=-LIMIT, lt=LIMIT)]
Natural: TypeAlias = Annotated[int, Field(ge=0, lt=LIMIT)]
Amount: TypeAlias = Annotated[int, Field(ge=0, le=1_000_000_000)]
Limiting: TypeAlias = Annotated[int, Field(gt=-LIMIT, le=0)]
Ratio: TypeAlias = Annotated[Fraction, PlainValidator(_ratio), PlainSerializer(str, return_type=str)]
Words: TypeAlias = Annotated[str, Field(max_length=2_000)]
Proof: TypeAlias = Annotated[str, Field(max_length=MOST_TEXT)]
"""A search tree over an integer program that the verifier writes down for itself; see `exact.payload`."""
Divisor: TypeAlias = Annotated[int, Field(ge=2, lt=1 << 31)]
Scale: TypeAlias = Annotated[int, Field(ge=1, lt=LIMIT)]


class StrictRecord(BaseModel):
    """Base of all that is written down: nothing is converted, left over or changed."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class DrawnFacts(StrictRecord):
    """What is said of a release drawn at random; see `status.Randomized`."""

    beta: Ratio
    candidates: Natural
    cost_range: Ratio
    log_odds: Ratio | None

    @property
    def facts(self) -> tuple[object, ...]:
        """All of it, to be compared."""
        return tuple(getattr(self, name) for name in DrawnFacts.model_fields)


class GivenWord(StrictRecord):
    """Whose word something is, and why that is all there is."""

    solver: Words
    why: Words

    @property
    def whose(self) -> str:
        """In one line, whatever the file has: what it says is not to look like what was found of it."""
        said = f"{self.solver} ({self.why})"
        return " ".join("".join(letter if letter.isprintable() else " " for letter in said).split())
