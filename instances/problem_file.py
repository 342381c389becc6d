"""Problem files: YAML that people write, validated key by key.

::

    table: patients-2.csv            # beside this file
    respondent: id
    quasi_identifiers:
      age: numeric                   # or {kind: numeric, lo: 0, hi: 120, decimals: 1}
      sex: flat                      # the value or *
      education: {kind: ordered, categories: [school, college, university]}
      zip: {kind: taxonomy, hierarchy: zip.csv}      # ARX's format
      salary: {kind: intervals, widths: [5, 10]}     # numbers on levels of intervals
    sensitive: disease               # or {column: disease, persistence: transient, order: [...]}
    history: [release-1.steward.csv] # the steward's copies, oldest first
    policy:
      requirements:
        - weak_m_invariance: {m: 3}
        - hc_safety: {n: 2}
      minimize: [counterfeits, information_loss]
      max_suppressed: 0.05           # a share, or a count
      form: generalized              # or anatomized
      recoding: multidimensional     # or full_domain: one level per column for the whole table
      hierarchies: {age: age.csv}    # full_domain only: levels of numeric and ordered columns
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal

import pandas as pd
import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..models.domain import Domain, Numeric
from ..models.errors import InputError, OptanonError, PolicyError, ProblemFileError
from ..models.hierarchy import Hierarchy
from ..models.history import History
from ..models.policy import Policy
from ..models.problem import Problem
from ..models.release import Release
from ..models.requirement import build_requirement
from ..models.table import Microdata, QISpec, Sensitive
from .readers import read_frame
from .release_files import read_release

__all__ = ["load_answer", "load_problem", "load_release", "load_table"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _NumericKind(_Strict):
    kind: Literal["numeric"]
    lo: float | int | str | None = None
    hi: float | int | str | None = None
    decimals: int | None = Field(default=None, ge=0, le=12)


class _FlatKind(_Strict):
    kind: Literal["flat"]


class _OrderedKind(_Strict):
    kind: Literal["ordered"]
    categories: list[str | int | float] = Field(min_length=1)


class _TaxonomyKind(_Strict):
    kind: Literal["taxonomy"]
    hierarchy: str


class _IntervalsKind(_Strict):
    kind: Literal["intervals"]
    widths: list[int | float | str] = Field(min_length=1)


_Kind = Annotated[
    _NumericKind | _FlatKind | _OrderedKind | _TaxonomyKind | _IntervalsKind, Field(discriminator="kind")
]


class _SensitiveFile(_Strict):
    column: str
    persistence: Literal["persistent", "transient", "both"] = "persistent"
    order: list[str | int | float] | None = None
    domain: list[str | int | float] = Field(default_factory=list[str | int | float])


class _PolicyFile(_Strict):
    requirements: list[str | dict[str, dict[str, Any] | None]] = Field(min_length=1)
    minimize: list[str | dict[str, float | int | str]] = Field(default_factory=lambda: ["information_loss"])
    max_suppressed: int | float | str | None = None
    max_counterfeits: int | None = Field(default=None, ge=0)
    form: Literal["generalized", "anatomized"] = "generalized"
    recoding: Literal["multidimensional", "full_domain"] = "multidimensional"
    hierarchies: dict[str, str] = Field(default_factory=dict[str, str])


class _ProblemFile(_Strict):
    table: str
    delimiter: str = ","
    respondent: str
    quasi_identifiers: list[str] | dict[str, Literal["numeric", "flat"] | _Kind | None]
    sensitive: str | _SensitiveFile
    missing: Literal["refuse", "category"] = "refuse"
    history: list[str] = Field(default_factory=list[str])
    policy: _PolicyFile


def load_problem(path: str | Path) -> Problem:
    """Read a problem file with its table, hierarchies and history.

    Parameters
    ----------
    path : path
        YAML file; names in it are relative to its folder.

    Raises
    ------
    ProblemFileError
        Naming the file, the key and the remedy.
    InputError, PolicyError
        If a file it names, or a value in it, is not usable.
    """
    file = Path(path)
    spec = _read(file)
    try:
        table = load_table(file)
        history = History(load_release(file.parent / name, table) for name in spec.history)
        return Problem(table=table, policy=_policy(spec.policy, file), history=history)
    except ProblemFileError:
        raise
    except PolicyError as error:
        raise ProblemFileError(f"{file}, key policy: {error}") from error
    except InputError as error:
        raise type(error)(f"{file}: {error}") from error


def load_table(path: str | Path) -> Microdata:
    """Read only the table a problem file describes."""
    file = Path(path)
    spec = _read(file)
    frame = read_frame(file.parent / spec.table, delimiter=spec.delimiter)
    given = spec.quasi_identifiers
    kinds: Mapping[str, Any] = given if isinstance(given, dict) else dict.fromkeys(given)
    for name in kinds:
        if name not in frame.columns:
            known = ", ".join(str(column) for column in frame.columns)
            raise ProblemFileError(
                f"{file}, key quasi_identifiers: {spec.table} has no column {name!r}, only {known}"
            )
    specs = {name: _domain(name, kind, frame, file) for name, kind in kinds.items()}
    private = (
        Sensitive(name=spec.sensitive) if isinstance(spec.sensitive, str) else _sensitive(spec.sensitive)
    )
    try:
        return Microdata.from_frame(
            frame,
            respondent=spec.respondent,
            quasi_identifiers=specs,
            sensitive=private,
            missing=spec.missing,
        )
    except InputError as error:
        raise type(error)(f"{spec.table}: {error}") from error


def load_release(path: str | Path, table: Microdata) -> Release:
    """Read a steward's copy of a release of the series `table` belongs to; see `read_release`."""
    return read_release(path, table)


def load_answer(path: str | Path, problem: Problem) -> Release:
    """Read a release of `problem`'s table: a steward's copy, or a public copy of a generalized release.

    Without a history any membership that fits a public copy will do; with one it must be unique.

    Raises
    ------
    ReleaseError
        If the file is neither, or its memberships cannot be told.
    """
    limit = problem.policy.suppression_limit(len(problem.table))
    return read_release(path, problem.table, suppressed=limit, unique=len(problem.history) > 0)


def _read(file: Path) -> _ProblemFile:
    try:
        raw = yaml.safe_load(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ProblemFileError(f"{file}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise ProblemFileError(f"{file}: not UTF-8 text (byte {error.start}): save it as UTF-8") from error
    except yaml.YAMLError as error:
        where = getattr(error, "problem_mark", None)
        line = f", line {where.line + 1}" if where is not None else ""
        raise ProblemFileError(
            f"{file}{line}: not valid YAML ({getattr(error, 'problem', error)})"
        ) from error
    if not isinstance(raw, dict):
        raise ProblemFileError(f"{file}: a problem file is a mapping with the keys table, respondent, ...")
    try:
        return _ProblemFile.model_validate(raw)
    except ValidationError as error:
        raise ProblemFileError(f"{file}: {'; '.join(_explain(found) for found in error.errors())}") from error


_REMEDIES = {
    "missing": "add it",
    "extra_forbidden": "remove or correct it; keys are case-sensitive",
    "union_tag_invalid": "kinds are numeric, flat, ordered, taxonomy, intervals",
    "union_tag_not_found": "give a kind: numeric, flat, ordered, taxonomy or intervals",
}


def _explain(found: Any) -> str:
    parts = [
        str(part) for part in found["loc"] if not str(part).startswith(("function-", "_", "list[", "dict["))
    ]
    message = str(found["msg"]).lower()
    remedy = _REMEDIES.get(found["type"], f"correct it (got {str(found.get('input'))[:60]!r})")
    return f"key {'.'.join(parts) or '(file)'}: {message}: {remedy}"


def _sensitive(spec: _SensitiveFile) -> Sensitive:
    return Sensitive(
        name=spec.column,
        persistence=spec.persistence,
        order=None if spec.order is None else tuple(str(value) for value in spec.order),
        domain=frozenset(str(value) for value in spec.domain),
    )


def _domain(name: str, kind: Any, frame: pd.DataFrame, file: Path) -> QISpec:
    if kind is None or isinstance(kind, str):
        return kind
    if isinstance(kind, _FlatKind):
        return "flat"
    if isinstance(kind, _OrderedKind):
        return [str(category) for category in kind.categories]
    if isinstance(kind, _TaxonomyKind):
        return Hierarchy.from_csv(file.parent / kind.hierarchy)
    column = frame[name].dropna().tolist()
    try:
        if isinstance(kind, _IntervalsKind):
            return Hierarchy.intervals(column, [Fraction(str(width)) for width in kind.widths])
        return _numeric(name, kind, column)
    except ValueError as error:
        if isinstance(error, OptanonError):
            raise
        raise ProblemFileError(f"{file}, key quasi_identifiers.{name}: {error}") from error


def _numeric(name: str, kind: _NumericKind, column: list[object]) -> Domain:
    lo = None if kind.lo is None else Fraction(str(kind.lo))
    hi = None if kind.hi is None else Fraction(str(kind.hi))
    return Numeric.of(name, column, lo=lo, hi=hi, decimals=kind.decimals)


def _policy(spec: _PolicyFile, file: Path) -> Policy:
    requirements = [
        build_requirement(name, settings or {})
        for entry in spec.requirements
        for name, settings in ([(entry, {})] if isinstance(entry, str) else entry.items())
    ]
    return Policy(
        requirements,
        spec.minimize,
        max_suppressed=spec.max_suppressed,
        max_counterfeits=spec.max_counterfeits,
        form=spec.form,
        recoding=spec.recoding,
        hierarchies={name: Hierarchy.from_csv(file.parent / path) for name, path in spec.hierarchies.items()},
    )
