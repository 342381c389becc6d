"""Knowledge files: YAML of what an adversary is taken to know.

::

    compromised: {Carl: AIDS}        # respondents whose value is known
    excluded: {Doris: [cancer]}      # values they are known not to have
    priors: {Erica: [AIDS, flu]}     # values of which they are known to have one
    persistence: persistent          # or transient, or both; default: the problem's
    membership: groups               # or boxes: only exact quasi-identifiers are known
    counterfeits: known              # or unknown (with boxes): how many each group has

Of several sensitive columns a value is the combination, in the order of the columns and with `` ¦ `` between
them: ``compromised: {Carl: AIDS ¦ low}`` under ``sensitive: [disease, salary]``.

An id that is a number may be written as one; with zeros in front it needs quotes, which YAML would drop.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from ..models.adversary.knowledge import Knowledge
from ..models.combination import joined
from ..models.errors import InputError, ProblemFileError
from ..models.table import Persistence
from .bounded import read_yaml
from .wrong_keys import first_wrong

__all__ = ["load_knowledge"]


class _KnowledgeFile(BaseModel):
    model_config = ConfigDict(extra="forbid", coerce_numbers_to_str=True)

    compromised: dict[str, str] = Field(default_factory=dict[str, str])
    excluded: dict[str, list[str]] = Field(default_factory=dict[str, list[str]])
    priors: dict[str, list[str]] = Field(default_factory=dict[str, list[str]])
    persistence: Persistence | None = None
    membership: Literal["groups", "boxes"] = "groups"
    counterfeits: Literal["known", "unknown"] = "known"

    @field_validator("compromised", "excluded", "priors", mode="before")
    @classmethod
    def _once(cls, told: Any) -> Any:
        if isinstance(told, dict) and len(set(map(str, told))) < len(told):
            raise ValueError("a respondent is named twice, as a number and as a text")
        return told


def load_knowledge(
    path: Path | None, persistence: Persistence = "persistent", named: Callable[[str], str] = str
) -> Knowledge:
    """Read a knowledge file; without one the adversary knows releases and memberships only.

    `named` gives the id by which the history knows a respondent of the file.

    Raises
    ------
    ProblemFileError
        Naming the file and the key.
    """
    if path is None:
        return Knowledge(persistence=persistence)
    raw = read_yaml(path, private=True)
    _refuse_unknown(path, raw)
    try:
        spec = _KnowledgeFile.model_validate({} if raw is None else raw)
    except ValidationError as error:
        wrong = first_wrong(error, raw, private=True)
        if error.errors()[0]["loc"][0] == "compromised" and error.errors()[0]["type"] == "string_type":
            example = joined(["flu", "low"])
            wrong = f"key compromised: a value is one text, of several sensitive columns {example!r}"
        raise ProblemFileError(f"{path}, {wrong}") from error
    try:
        return Knowledge(
            compromised=spec.compromised,
            excluded=spec.excluded,
            priors=spec.priors,
            persistence=spec.persistence or persistence,
            membership=spec.membership,
            counterfeits=spec.counterfeits,
        ).renamed(named)
    except InputError as error:
        raise ProblemFileError(f"{path}: {error}") from error


def _refuse_unknown(path: Path, raw: object) -> None:
    """A key that is unknown may be a respondent's id: its place is said, not the key."""
    known = ", ".join(_KnowledgeFile.model_fields)
    if raw is not None and not isinstance(raw, dict):
        raise ProblemFileError(f"{path}: a knowledge file is a mapping with some of the keys {known}")
    for number, key in enumerate(raw or (), start=1):
        if key not in _KnowledgeFile.model_fields:
            raise ProblemFileError(
                f"{path}: key number {number} is none of {known}: correct it; keys are case-sensitive, and "
                "respondents stand below them"
            )
