"""Cells of a data frame become ids and values; what is doubtful about them is refused.

Every error names the column, the row (from 1) and the remedy.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd

from .box import Exact
from .combination import fold, fold_id, joined
from .domain import Codes, Domain
from .entries import refuse_several
from .errors import TableError
from .exact_numbers import plain_text, shortest_decimals
from .missing import MISSING, Gaps
from .sensitive import Sensitive, refuse_separator
from .spelling import Spelling, one_spelling, refuse_id_spellings, refuse_value_spellings, spellings

__all__ = [
    "cells_of",
    "exact_values",
    "refuse_doubtful_cells",
    "respondent_ids",
    "sensitive_values",
    "with_roles",
]


def with_roles(frame: pd.DataFrame, roles: list[str]) -> pd.DataFrame:
    """The columns with a role, if the table has each of them once, and a row."""
    for name in roles:
        if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TableError(
                f"columns are named by texts, got {name!r}: rename those that are called otherwise "
                "(frame.columns = frame.columns.map(str))"
            )
        if name not in frame.columns:
            known = ", ".join(repr(str(column)) for column in frame.columns) or "none"
            hint = ", and its index is no column (frame.reset_index())" if name in frame.index.names else ""
            raise TableError(f"there is no column {name!r}: the table has {known}{hint}")
        if roles.count(name) > 1:
            raise TableError(f"column {name!r} has two roles: a column has only one")
    if len(frame) == 0:
        raise TableError("the table is empty: give at least one row")
    for name in () if frame.columns.is_unique else roles:
        if isinstance(frame[name], pd.DataFrame):
            raise TableError(f"column {name!r} appears twice in the table: rename one")
    return frame[roles]


def sensitive_values(
    private: Sensitive, columns: Mapping[str, Sequence[object]], rule: Spelling
) -> Sequence[str]:
    """Sensitive values, of several attributes their combinations."""
    found: list[Sequence[str]] = []
    for part in private.attributes:
        values = _spelt([plain_text(value) for value in columns[part.name]], part, rule)
        _refuse_outside_order(part, values)
        if private.parts:
            refuse_separator(part.name, values)
        found.append(values)
    return [joined(row) for row in zip(*found, strict=True)] if private.parts else found[0]


def refuse_doubtful_cells(
    frame: pd.DataFrame, gaps: Gaps, listed: Mapping[str, Collection[str]], private: Sensitive
) -> None:
    """Refuse cells that look missing, unless they are declared or listed."""
    values = {part.name: part.domain | {*(part.order or ())} for part in private.attributes}
    declared = {**values, **listed}
    for name in frame.columns:
        gaps.refuse_doubtful(name, frame[name].tolist(), declared.get(name, ()))


def _refuse_outside_order(private: Sensitive, values: Sequence[str]) -> None:
    if private.order is None:
        return
    for row, value in enumerate(values, start=1):
        if value not in private.order:
            raise TableError(
                f"column {private.name!r}, row {row}: its value is not in the declared order of values"
            )


def exact_values(domain: Domain, codes: Codes) -> list[Exact]:
    """Exact values behind codes; equal ones are one object."""
    distinct, places = np.unique(codes, return_inverse=True)
    values = [domain.value(code) for code in distinct.tolist()]
    return [values[place] for place in places.tolist()]


def cells_of(frame: pd.DataFrame, name: str, missing: str, *, refuse: bool) -> list[object]:
    """A column's cells, missing ones as a category if `missing` says so; `refuse` (ids, numbers) has none."""
    if missing not in ("refuse", "category"):
        raise TableError(f"missing must be 'refuse' or 'category', got {missing!r}")
    column = shortest_decimals(frame[name])
    if column.dtype == object:
        refuse_several(name, column.tolist())
    gone = column.isna().to_numpy()
    if not gone.any():
        return column.tolist()
    row = int(np.flatnonzero(gone)[0]) + 1
    numeric = pd.api.types.is_numeric_dtype(column.dtype)
    if refuse or missing != "category":
        category = ", drop the row, or read with missing='category' (in a problem file: missing: category)"
        alone = f" or drop the row (in a problem file: drop_missing: [{name}])"
        remedy = "fill it in" + (alone if refuse or numeric else category)
        raise TableError(f"column {name!r}, row {row}: the value is missing: {remedy}")
    if numeric:
        raise TableError(
            f"column {name!r}, row {row}: value is missing in a numeric column: fill it in, drop the row, "
            "or read the column as text to make 'missing' a category"
        )
    cells = column.tolist()
    for number, (raw, lost) in enumerate(zip(cells, gone, strict=True), start=1):
        if not lost and isinstance(raw, str) and fold(raw) == MISSING:
            raise TableError(
                f"column {name!r}: cells are missing (row {row}), and others say {raw!r} (row {number}): "
                f"they would become one category: declare missing_marks: [{MISSING}] if both are missing, "
                "else rename the value"
            )
    return [MISSING if lost else raw for raw, lost in zip(cells, gone, strict=True)]


def respondent_ids(name: str, cells: Sequence[object], rule: Spelling) -> list[str]:
    """Who each row is about; refuses ids that are spelt differently, unless the rule keeps them apart."""
    people = [plain_text(who) for who in cells]
    if rule.respondent == "keep" or len(set(map(fold_id, people))) == len(people):
        return people
    alike = {who for group in spellings(people, fold_id).values() for who in group}
    rows: dict[str, list[int]] = {}
    for row, who in enumerate(people, start=1):
        if who in alike:
            rows.setdefault(fold_id(who), []).append(row)
    refuse_id_spellings(name, list(rows.values()), merging=rule.respondent == "merge")
    return people


def _spelt(values: Sequence[str], private: Sensitive, rule: Spelling) -> list[str]:
    """The values, as the rule wants them spelt: as declared, else as most rows do."""
    if rule.sensitive == "keep":
        return list(values)
    declared = (*(private.order or ()), *sorted(private.domain))
    if rule.sensitive == "refuse":
        refuse_value_spellings(private.name, spellings((*declared, *values)).values())
        return list(values)
    refuse_value_spellings(private.name, spellings(declared).values())
    best = one_spelling(values, declared)
    return [best.get(value, value) for value in values]
