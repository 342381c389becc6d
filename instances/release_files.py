"""Releases out of files: a steward's copy or a public copy, CSV or Parquet."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from ..models.attributes import joined_columns
from ..models.categories import Categories
from ..models.column_names import KIND, RESPONDENT
from ..models.domain import Domain
from ..models.errors import InputError, ReleaseError
from ..models.release import Release
from ..models.table import Microdata
from .anatomized_copy import anatomized_release
from .readers import read_frame, typed_parquet
from .reconstruct import public_release
from .steward_copy import NEEDED, steward_release

__all__ = ["read_release"]


def read_release(
    path: str | Path,
    table: Microdata,
    *,
    suppressed: int | None = None,
    unique: bool = True,
    published: bool = False,
    known: Sequence[Sequence[int]] | None = None,
    earlier: bool = False,
) -> Release:
    """Read a release of the series that `table` belongs to.

    Parameters
    ----------
    path : path
        ``.parquet``, otherwise CSV. A file with a column `kind` is a steward's copy (see
        `Release.to_csv` with ``copy="steward"``); any other is the public copy of a generalized
        release of `table` itself, whose memberships are read back, or the exact table of an anatomized
        one, with its value table beside it, if they are `known`.
    table : Microdata
        Gives column names and domains; for a public copy also the tuples.
    suppressed : int, optional
        How many tuples a public copy may lack; None refuses public copies.
    unique : bool
        Refuse a public copy that fits the table in several ways.
    published : bool
        Refuse it at least if it does not tell who was left out.
    known : sequence of sequences of int, optional
        Rows (from 0) in each group of a public copy, if they are known; see `public_release`.
    earlier : bool
        Whether it may be of an earlier table, whose people had categories that nobody has in `table`.

    Returns
    -------
    Release
        With its memberships.

    Raises
    ------
    ReleaseError
        Naming the file and what is wrong with it.
    """
    frame = _frame(Path(path), table)
    try:
        if KIND in frame.columns or suppressed is None:
            return steward_release(
                frame,
                respondent=table.respondent,
                domains=_widened(table.domains, frame) if earlier else table.domains,
                sensitive=table.sensitive.name,
            )
        if known is not None and table.sensitive.name not in frame.columns:
            return anatomized_release(frame, _values(Path(path), table), table, known)
        return public_release(
            frame, table, suppressed=suppressed, unique=unique, published=published, known=known
        )
    except InputError as error:
        raise type(error)(f"{path}: {error}") from error


def _values(path: Path, table: Microdata) -> pd.DataFrame:
    """The value table beside the exact table of an anatomized release."""
    values = path.with_suffix(f".values{path.suffix}")
    if not values.exists():
        raise ReleaseError(f"there is no value table beside it: put {values.name} there, or {NEEDED}")
    return _frame(values, table)


def _widened(domains: Sequence[Domain], frame: pd.DataFrame) -> list[Domain]:
    """Domains with the categories of a steward's copy, where a flat column or a rule has place for them."""

    def strange(domain: Domain, text: str) -> bool:
        try:
            _ = domain.parse_value(text)
        except ReleaseError:
            return text != ""
        return False

    found: list[Domain] = []
    for domain in domains:
        new = set[str]()
        if isinstance(domain, Categories) and {domain.name, KIND} <= set(frame.columns):
            cells = frame.loc[frame[KIND] != "counterfeit", domain.name].dropna().astype(str)
            new = {text for text in set(cells) if strange(domain, text)}
        found.append(domain.widened(new) if new else domain)
    return found


def _frame(path: Path, table: Microdata) -> pd.DataFrame:
    if path.suffix != ".parquet":
        private = [part.name for part in table.sensitive.attributes]
        frame = read_frame(path, as_written=(table.respondent, RESPONDENT, *private), own=True)
        return joined_columns(frame, table.sensitive.name)
    return joined_columns(typed_parquet(path, kind=ReleaseError), table.sensitive.name)
