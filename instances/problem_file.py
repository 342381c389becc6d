"""Problem files: YAML that people write, validated key by key.

::

    table: patients-2.csv            # beside this file; or {url: clinic.db, sql: "SELECT ... FROM ..."}
    delimiter: ";"                   # this, encoding and decimal are found out if not given
    respondent: id
    quasi_identifiers:
      age: numeric                   # or {kind: numeric, lo: 0, hi: 120, decimals: 1}
      sex: flat                      # the value or *
      education: {kind: ordered, categories: [school, college, university]}
      zip: {kind: taxonomy, hierarchy: zip.csv}      # ARX's format
      salary: {kind: intervals, widths: [5, 10]}     # numbers on levels of intervals; rounding: steps
      plz: {kind: prefix, keep: [3, 1]}              # how many first characters of a code are said
      admitted: {kind: dates, levels: [month, year]} # pattern: "%d.%m.%Y" if they are not YYYY-MM-DD
    sensitive: disease               # or {column: disease, persistence: transient, order: [...]}; or a list
    missing: category                # missing cells (empty, ?, NA) are one value; default: an error
    drop_missing: [age]              # rows without an age are left out: numbers have no value for missing
    missing_marks: [N/A, "-"]        # cells that are missing, too; or by column: {town: [unknown]}
    real_values: [None]              # cells that look missing and are not; those in neither are an error
    spelling: merge                  # "HIV" and "hiv " are one; or keep; {respondent: keep, sensitive: merge}
    history: [release-1.steward.csv] # the steward's copies, oldest first; or releases.db, a stored history
    policy:
      requirements:
        - weak_m_invariance: {m: 3}
        - hc_safety: {n: 2}
      minimize: [counterfeits, information_loss]
      max_suppressed: 0.05           # a share, or a count
      form: generalized              # or anatomized
      recoding: multidimensional     # or full_domain: one level per column for the whole table
      hierarchies: {age: age.csv}    # full_domain only: levels of numeric and ordered columns
      weights: {age: 2, zip: 1/2}    # how much the widths of columns count in the loss; 1 for the others
      outlook: {releases: 5}         # the series looks ahead; survival, arrivals, returns: measured or given;
                                     # the usual one in a stored history under weak m-invariance, or none
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from ..models.errors import InputError, PolicyError, ProblemFileError, ReleaseError, StoreError, TableError
from ..models.hierarchy import Hierarchy
from ..models.missing import Gaps
from ..models.outlook.asked import Outlook
from ..models.policy import Policy
from ..models.problem import Problem
from ..models.release import Release
from ..models.repeated_levels import refuse_repeated_levels
from ..models.requirements import build_requirement
from ..models.respelling import release_spelt_as_before, releases_spelt_alike
from ..models.spelling import Spelling
from ..models.table import Microdata, Sensitive
from .column_kinds import OrderedKind, TaxonomyKind, column_spec
from .problem_keys import (
    OutlookKeys,
    PolicyKeys,
    ProblemKeys,
    QueryKeys,
    SensitiveKeys,
    StoreKeys,
    is_release,
    raw_keys,
    read_keys,
    validated,
)
from .readers import parquet_frame
from .release_files import read_release
from .steward_copy import NEEDED
from .store.opening import History
from .text_files import Reading, read_text_table

__all__ = ["load_answer", "load_policy", "load_problem"]


def load_problem(
    path: str | Path,
    *,
    history: str | Path | History | None = None,
    key_file: str | Path | None = None,
    expect: str | None = None,
    tell: Callable[[Reading], object] | None = None,
) -> Problem:
    """Read a problem file with its table, hierarchies and history.

    Parameters
    ----------
    path : path
        YAML file; names in it are relative to its folder.
    history, key_file
        A history to take instead of the one the file names, or a stored one, which must exist; and its key,
        or that of the stored history that the file names.
    expect : str, optional
        Digest of the stored history's newest release; see `History.open`.
    tell
        Is told how the table was read.

    Raises
    ------
    ProblemFileError
        Naming the file, the key and the remedy.
    InputError, PolicyError, StoreError
        If a file it names, or a value in it, is not usable.
    """
    file = Path(path)
    spec = read_keys(file)
    try:
        table = _table(spec, file, tell)
        spec = _with_survival(spec, file, table)
        if history is None:
            history = _history(spec.history, file, table, expect, key_file)
        earlier = (
            history
            if isinstance(history, History)
            else History.open(history, create=False, key_file=key_file, expect=expect)
        )
        problem = Problem(table=table, policy=_policy(spec.policy, file), history=earlier)
        problem.refuse_mistakes()
        return problem
    except ProblemFileError:
        raise
    except PolicyError as error:
        raise ProblemFileError(f"{file}, key policy: {error}") from error
    except (InputError, StoreError) as error:
        raise type(error)(f"{file}: {error}") from error


def load_policy(path: str | Path, changes: Mapping[str, Any]) -> Policy:
    """Read only the policy of a problem file, with some of its keys replaced.

    An outlook of "none" takes the level away that one prices, unless `changes` say what is minimized.
    """
    file = Path(path)
    raw = raw_keys(file)
    given = raw.get("policy")
    blind = changes.get("outlook") == "none" and "minimize" not in changes
    changed = {**given, **changes} if isinstance(given, dict) else dict(changes)
    if blind:
        del changed["outlook"]
    spec = validated({**raw, "policy": changed}, file)
    try:
        if isinstance(spec.policy.outlook, OutlookKeys) and spec.policy.outlook.survival_column is not None:
            spec = _with_survival(spec, file, _table(spec, file, None))
        policy = _policy(spec.policy, file)
    except PolicyError as error:
        raise ProblemFileError(f"{file}, key policy: {error}") from error
    return policy.by_itself() if blind else policy


def _table(spec: ProblemKeys, file: Path, tell: Callable[[Reading], object] | None) -> Microdata:
    gaps = Gaps(marks=spec.missing_marks, real=spec.real_values)
    frame, reading = _frame(spec, file, gaps)
    if tell is not None:
        tell(reading)
    if not len(frame):
        why = " left, each lacks a value that drop_missing names" if reading.dropped else ""
        raise TableError(f"{reading.source}: the table has no rows{why}: give at least one")
    # Rows that errors name are those of the table.
    counted = f" (rows counted without the {reading.dropped} left out)" if reading.dropped else ""
    given = spec.quasi_identifiers
    kinds: Mapping[str, Any] = given if isinstance(given, dict) else dict.fromkeys(given)
    for name in kinds:
        if name not in frame.columns:
            known = ", ".join(str(column) for column in frame.columns)
            uncut = spec.delimiter is not None and len(frame.columns) == 1
            remedy = f": correct the key delimiter ({spec.delimiter!r}), or leave it out" if uncut else ""
            have = f"{reading.source} has no column {name!r}, only {known}"
            raise ProblemFileError(f"{file}, key quasi_identifiers: {have}{remedy}")
    try:
        gaps.refuse_absent(frame.columns)
    except TableError as error:
        raise ProblemFileError(f"{file}, key {error}") from error
    try:
        for name, kind in kinds.items():
            if not isinstance(kind, TaxonomyKind | OrderedKind):  # their categories are listed
                gaps.refuse_doubtful(name, frame[name].tolist())
    except InputError as error:
        raise type(error)(f"{reading.source}{counted}: {error}") from error
    try:
        specs = {name: column_spec(name, kind, frame, file, spec.missing) for name, kind in kinds.items()}
    except ProblemFileError as error:
        raise ProblemFileError(f"{error}{counted}") from error
    try:
        table = Microdata.from_frame(
            frame,
            respondent=spec.respondent,
            quasi_identifiers=specs,
            sensitive=_sensitive(spec.sensitive),
            missing=spec.missing,
            missing_marks=spec.missing_marks,
            real_values=spec.real_values,
            spelling=Spelling.of(spec.spelling),  # pyright: ignore[reportArgumentType]
        )
        return replace(table, dropped=reading.dropped) if reading.dropped else table
    except InputError as error:
        raise type(error)(f"{reading.source}{counted}: {error}") from error


def _frame(spec: ProblemKeys, file: Path, gaps: Gaps) -> tuple[pd.DataFrame, Reading]:
    """The table as text, without the rows that are left out."""
    frame, reading = _whole_frame(spec, file, gaps)
    if not spec.drop_missing:
        return frame, reading
    if absent := [name for name in spec.drop_missing if name not in frame.columns]:
        known = ", ".join(str(column) for column in frame.columns)
        raise ProblemFileError(
            f"{file}, key drop_missing: {reading.source} has no column {absent[0]!r}, only {known}"
        )
    kept = frame.dropna(subset=spec.drop_missing, ignore_index=True)
    return kept, replace(reading, dropped=len(frame) - len(kept))


def _whole_frame(spec: ProblemKeys, file: Path, gaps: Gaps) -> tuple[pd.DataFrame, Reading]:
    if isinstance(spec.table, QueryKeys):
        # Imported here: whoever reads files need not wait for the database library.
        from .sql_tables import read_query

        frame = gaps.read(read_query(spec.table.url, spec.table.sql, file.parent))
        return frame, Reading(source="the query", rows=len(frame))
    path = file.parent / spec.table
    if path.suffix == ".parquet":
        frame = gaps.read(parquet_frame(path))
        return frame, Reading(source=path.name, rows=len(frame))
    private = [part.name for part in _sensitive(spec.sensitive).attributes]
    return read_text_table(
        path,
        delimiter=spec.delimiter,
        encoding=spec.encoding,
        decimal=spec.decimal,
        as_written=(spec.respondent, *private),
        gaps=gaps,
    )


def _history(
    spec: list[str] | str | StoreKeys,
    file: Path,
    table: Microdata,
    expect: str | None,
    given: str | Path | None,
) -> History:
    if isinstance(spec, str) and is_release(spec):
        spec = [spec]
    if isinstance(spec, list):
        if expect is not None:
            raise StoreError("a digest is expected, but the problem names no stored history: leave it out")
        if given is not None:
            raise StoreError(
                f"{given} is given as a key, but the problem names no stored history: name it, or leave out "
                "the key"
            )
        releases = (read_release(file.parent / name, table, earlier=True) for name in spec)
        return releases_spelt_alike(releases, table.spelling, table.respondent)
    if isinstance(spec, str):
        spec = StoreKeys(store=spec)
    from .store.database import database_url

    url = database_url(spec.store, file.parent)
    named = None if spec.key_file is None else file.parent / spec.key_file
    key_file = named if given is None else given
    # A misspelt name must not pass for the beginning of a new series.
    where = url.render_as_string(hide_password=False)
    return History.open(where, create=False, key_file=key_file, expect=expect)


def load_answer(path: str | Path, problem: Problem, known: Sequence[Sequence[int]] | None = None) -> Release:
    """Read a release of `problem`'s table: a steward's copy, or a public copy.

    Without a history any membership that fits the public copy of a generalized release will do; with one it
    must be unique, or `known`: rows of the table (from 0) in each group. An anatomized one's must be known.

    Raises
    ------
    ReleaseError
        If the file is neither, or its memberships cannot be told.
    """
    limit = problem.policy.suppression_limit(len(problem.table))
    try:
        release = read_release(
            path, problem.table, suppressed=limit, unique=len(problem.history) > 0, known=known
        )
    except ReleaseError as error:
        if problem.policy.form == "anatomized" and known is None:
            raise ReleaseError(
                f"{error}; the two tables of an anatomized release do not say who is in which group: {NEEDED}"
            ) from error
        raise
    table = problem.table
    return release_spelt_as_before(release, problem.history, table.spelling, table.respondent)


def _sensitive(spec: str | SensitiveKeys | list[str | SensitiveKeys]) -> Sensitive:
    if isinstance(spec, list):
        return Sensitive.of([_sensitive(part) for part in spec])
    if isinstance(spec, str):
        return Sensitive(name=spec)
    return Sensitive(
        name=spec.column,
        persistence=spec.persistence,
        order=None if spec.order is None else tuple(str(value) for value in spec.order),
        domain=frozenset(str(value) for value in spec.domain),
    )


def _policy(spec: PolicyKeys, file: Path) -> Policy:
    requirements = [
        build_requirement(name, settings or {})
        for entry in spec.requirements
        for name, settings in ([(entry, {})] if isinstance(entry, str) else entry.items())
    ]
    policy = Policy(
        requirements,
        spec.minimize,
        max_suppressed=spec.max_suppressed,
        max_counterfeits=spec.max_counterfeits,
        form=spec.form,
        recoding=spec.recoding,
        hierarchies={name: Hierarchy.from_csv(file.parent / path) for name, path in spec.hierarchies.items()},
        weights=spec.weights,
        outlook=_outlook(spec.outlook) if isinstance(spec.outlook, OutlookKeys) else spec.outlook,
    )
    refuse_repeated_levels(policy.levels)
    return policy


def _outlook(spec: OutlookKeys) -> Outlook:
    given: dict[str, Any] = dict(spec)
    del given["survival_column"]
    return Outlook(**given)


def _with_survival(spec: ProblemKeys, file: Path, table: Microdata) -> ProblemKeys:
    """The keys, with survival by sensitive value as a column of the table has it for each person."""
    outlook = spec.policy.outlook
    if not isinstance(outlook, OutlookKeys) or (name := outlook.survival_column) is None:
        return spec
    where = f"{file}, key survival_column"
    if outlook.survival != "measured":
        raise ProblemFileError(f"{where}: survival is given, too: leave one of them out")
    frame, reading = _frame(spec, file, Gaps(marks=spec.missing_marks, real=spec.real_values))
    if name not in frame.columns:
        raise ProblemFileError(f"{where}: {reading.source} has no column {name!r}")
    stays = Outlook.by_value((member.value for member in table.members), frame[name].tolist())
    said = outlook.model_copy(update={"survival": stays, "survival_column": None})
    return spec.model_copy(update={"policy": spec.policy.model_copy(update={"outlook": said})})
