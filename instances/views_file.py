"""Problem files about published views: a table, the secrets to protect, and perhaps two views of it.

::

    table: patients.csv
    secrets:
      - {query: "select Problem from T where Name = 'George'", threshold: 1/2, model: restricted}
    required: [Age]                 # columns at least one view must have
    weights: {Name: 1, Age: 5, Problem: 10}  # of every column; default: a column's cells
    missing_marks: ["-"]            # cells that are missing, too; views are about tables without any
    real_values: {Problem: [none]}  # cells that are values although they look missing
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pandas as pd
from pydantic import Field, ValidationError

from ..models.errors import InputError, PolicyError, ProblemFileError, ReleaseError
from ..models.exact_numbers import exact_number
from ..models.missing import Gaps
from ..models.views import AttackModel, ProtectedAssociation, ViewPair, parse_secret_query
from .bounded import read_yaml
from .column_kinds import MarksKey, Strict
from .readers import read_frame
from .wrong_keys import first_wrong

__all__ = ["ViewsProblem", "is_views_file", "load_views", "load_views_problem", "table_of_views"]


class _SecretFile(Strict):
    query: str
    threshold: str | float | int
    model: Literal["restricted", "unrestricted", "restricted per join value"] = "restricted"


class _ViewsFile(Strict):
    table: str
    delimiter: str | None = None
    secrets: list[_SecretFile] = Field(min_length=1)
    required: list[str] = Field(default_factory=list[str])
    weights: dict[str, int] | None = None
    missing_marks: MarksKey = Field(default_factory=list[str])
    real_values: MarksKey = Field(default_factory=list[str])


@dataclass(frozen=True, kw_only=True)
class ViewsProblem:
    """What a views file asks.

    Attributes
    ----------
    table : DataFrame
        The base table, all cells as text.
    secrets : tuple of ProtectedAssociation
        Secrets with thresholds and adversary models.
    required, weights
        As `choose_views` takes them.
    gaps : Gaps
        What is declared about cells that look missing.
    """

    table: pd.DataFrame = field(repr=False)
    secrets: tuple[ProtectedAssociation, ...]
    required: tuple[str, ...] = ()
    weights: dict[str, int] | None = None
    gaps: Gaps = field(default_factory=Gaps)


def is_views_file(path: str | Path) -> bool:
    """Whether a problem file is about published views: it then has the key `secrets`."""
    try:
        raw = read_yaml(path)
    except ProblemFileError:
        return False  # the reader of the file says what is wrong with it
    return isinstance(raw, dict) and "secrets" in raw


def load_views_problem(path: str | Path) -> ViewsProblem:
    """Read a views file and its table.

    Raises
    ------
    ProblemFileError
        Naming the file, the key and the remedy.
    TableError
        If a cell looks missing and nobody said what it is.
    """
    file = Path(path)
    spec = _read(file)
    gaps = Gaps(marks=spec.missing_marks, real=spec.real_values)
    table = _frame(file.parent / spec.table, gaps, delimiter=spec.delimiter)
    try:
        secrets = tuple(
            ProtectedAssociation(
                query=parse_secret_query(secret.query),
                threshold=exact_number(secret.threshold),
                model=AttackModel(secret.model),
            )
            for secret in spec.secrets
        )
    except (PolicyError, ValueError, ZeroDivisionError) as error:
        raise ProblemFileError(f"{file}, key secrets: {error}") from error
    return ViewsProblem(
        table=table, secrets=secrets, required=tuple(spec.required), weights=spec.weights, gaps=gaps
    )


def table_of_views(path: str | Path) -> Path:
    """The table a views file names."""
    file = Path(path)
    return file.parent / _read(file).table


def load_views(first: str | Path, second: str | Path, problem: ViewsProblem) -> ViewPair:
    """Read two published views of a views problem's table.

    Raises
    ------
    ReleaseError
        If a view has a column the table has not, or the two cannot come from one table.
    """
    frames: list[pd.DataFrame] = []
    for path in (first, second):
        frame = _frame(Path(path), problem.gaps, own=True)
        strange = [str(name) for name in frame.columns if name not in problem.table.columns]
        if strange:
            raise ReleaseError(f"{path}: the table has no column {strange[0]!r}")
        frames.append(frame)
    try:
        return ViewPair(first=frames[0], second=frames[1])
    except InputError as error:
        raise type(error)(f"{first} and {second}: {error}") from error


def _frame(path: Path, gaps: Gaps, *, delimiter: str | None = None, own: bool = False) -> pd.DataFrame:
    frame = read_frame(path, delimiter=delimiter, decimal=".", own=own, gaps=gaps)
    try:
        if not own:  # a view has only some of the columns that something is declared about
            gaps.refuse_absent(frame.columns)
        for name in frame.columns:
            gaps.refuse_doubtful(str(name), frame[name].tolist())
    except InputError as error:
        raise type(error)(f"{path}: {error}") from error
    return frame


def _read(file: Path) -> _ViewsFile:
    raw = read_yaml(file)
    try:
        return _ViewsFile.model_validate(raw)
    except ValidationError as error:
        raise ProblemFileError(f"{file}: {first_wrong(error, raw)}") from error
