"""The command line's audit: what the adversary is taken to know, and the report as tables."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from rich.console import Console
from rich.table import Table

from ..models.adversary.knowledge import Knowledge
from ..models.errors import ProblemFileError
from ..models.files import write_whole
from ..models.table import Persistence
from .insight.audit import AuditReport

__all__ = ["load_knowledge", "print_audit"]


class _KnowledgeFile(BaseModel):
    model_config = ConfigDict(extra="forbid")

    compromised: dict[str, str] = Field(default_factory=dict[str, str])
    excluded: dict[str, list[str]] = Field(default_factory=dict[str, list[str]])
    priors: dict[str, list[str]] = Field(default_factory=dict[str, list[str]])


def load_knowledge(path: Path | None, persistence: Persistence = "persistent") -> Knowledge:
    """Read a knowledge file; without one the adversary knows releases and memberships only.

    Raises
    ------
    ProblemFileError
        Naming the file and the key.
    """
    if path is None:
        return Knowledge(persistence=persistence)
    try:
        spec = _KnowledgeFile.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")) or {})
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise ProblemFileError(f"{path}, key {key}: {first['msg'].lower()}: correct it") from error
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ProblemFileError(f"{path}: cannot be read as YAML ({error})") from error
    base = Knowledge(persistence=persistence)
    return replace(base, compromised=spec.compromised, excluded=spec.excluded, priors=spec.priors)


def print_audit(console: Console, report: AuditReport, json_file: Path | None, show_ids: bool) -> int:
    """Print the report, write it as JSON if asked, and return the exit code."""
    table = Table(
        "release", "respondents", "by intersection", "by propagation", "exactly", "unknown", "worst posterior"
    )
    moving = Table("release", "respondents", "certain", "worst probability of a link")
    for entry in report.releases:
        found, links = entry.persistent, entry.transient
        number = str(entry.release)
        if found is not None:
            table.add_row(
                number,
                str(entry.respondents),
                str(found.set_intersection),
                str(found.propagation),
                str(found.exact),
                str(found.unknown),
                _share(found.worst)
                + (f" ({found.without_posterior} not counted)" if found.without_posterior else ""),
            )
        if links is not None:
            moving.add_row(number, str(entry.respondents), str(links.certain), _share(links.worst))
    if table.rows:
        console.print("respondents whose value is disclosed to whoever holds all releases so far:")
        console.print(table)
    if moving.rows:
        console.print("values that change freely:")
        console.print(moving)
    for text in report.texts(show_ids=show_ids):
        console.print(text, markup=False)
    if json_file is not None:
        text = json.dumps(report.to_dict(show_ids=show_ids), indent=2) + "\n"
        write_whole(json_file, lambda draft: draft.write_text(text, encoding="utf-8"))
    if not report.complete:
        console.print("not everything was decided in time: what is missing above is unknown, not safe")
    return 1 if report.disclosed else 0 if report.complete else 4


def _share(number: Fraction | None) -> str:
    return "-" if number is None else f"{number} ({float(number):.3f})"
