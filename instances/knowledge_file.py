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
    try:
        spec = _KnowledgeFile.model_validate(read_yaml(path) or {})
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"][:1]))  # what comes next is a respondent's id
        wrong = f"{first['msg'].lower()}: correct it"
        if key == "compromised" and first["type"] == "string_type":
            wrong = f"a value is one text, of several sensitive columns {joined(['flu', 'low'])!r}"
        raise ProblemFileError(f"{path}, key {key}: {wrong}") from error
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
