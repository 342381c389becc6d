"""One visitor's files and choices: a private folder, a problem file in it, a search, its results.

Everything the page does goes through the same problem file and functions as the command line, so
that what is seen here can be repeated there.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from ...instances.bounded import parse_yaml
from ...instances.declared_cells import MISSING_CELLS, DeclaredCells
from ...instances.guess import guess_roles
from ...instances.problem_file import load_answer, load_problem
from ...instances.store.opening import History
from ...instances.text_files import Reading, read_text_table
from ...instances.usual_policy import SensitiveCounts
from ...models.errors import OptanonError, ProblemFileError, SeriesError, TableError
from ...models.files import write_text, write_whole
from ...models.hierarchy import Hierarchy
from ..appending import beyond_policy, examine, proving, refuse_blind, refuse_broken
from ..result_file import certificate_of, read_result
from ..solved import refuse_held
from .job import Job

__all__ = ["INSIST", "KINDS", "ROLES", "ColumnChoice", "Workbench"]

ROLES = {
    "respondent": "respondent (id)",
    "quasi_identifier": "quasi-identifier",
    "sensitive": "sensitive",
    "left_out": "not published",
}
KINDS = {
    "numeric": "numbers, as intervals",
    "flat": "categories, each or *",
    "ordered": "ordered categories, as ranges",
    "taxonomy": "a hierarchy from a file",
    "built": "a hierarchy by rule",
}
DECLARED = {"drop_missing", "missing", "missing_marks", "real_values", "spelling"}
"""Settings of a problem file that say what cells mean."""
PROBLEM, ASKED = "problem.yaml", "asked.yaml"
"""Of the last search, and of what is asked besides."""
AUDIT_SECONDS = 120
INSIST = "append whatever the audit says"


@dataclass(kw_only=True)
class ColumnChoice:
    """A column of the table and what the visitor says of it."""

    name: str
    role: str
    kind: str
    note: str
    order: str = ""
    hierarchy: str = ""
    built: str = ""


class Workbench:
    """See the module.

    Parameters
    ----------
    folder : Path
        Private, empty; removed by `close`.
    base : Path
        What the name of a stored history is relative to.
    """

    def __init__(self, *, folder: Path, base: Path) -> None:
        self.folder, self.base = folder, base
        self.columns: list[ColumnChoice] = []
        self.declared = ""
        self.counts: SensitiveCounts | None = None
        self.history = ""
        self.job: Job | None = None
        self.tasks: dict[str, Job] = {}

    def close(self) -> None:
        """End what runs and remove every file."""
        for job in (self.job, *self.tasks.values()):
            if job is not None:
                job.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    # -- table -----------------------------------------------------------------------

    def take_table(self, name: str, data: bytes) -> str:
        """Take a CSV file; what was read, in words.

        Raises
        ------
        TableError
            If it is no table, or cannot be kept; the table before, if any, stays.
        """
        read: list[tuple[pd.DataFrame, Reading]] = []

        def take(draft: Path) -> None:
            draft.write_bytes(data)
            try:
                read.append(read_text_table(draft))
            except TableError as error:
                raise TableError(str(error).replace(str(draft), name)) from error
            if read[0][0].empty:
                raise TableError(f"{name}: the table has a header but no row: give at least one")

        self._keep("table.csv", take)
        frame, reading = read[0]
        if [column.name for column in self.columns] != list(map(str, frame.columns)):
            # The next release of the same series keeps what was said of its columns.
            self.columns, self.declared = guess(frame)
            self._count(frame)
        return str(replace(reading, source=name))

    def _keep(self, name: str, take: Callable[[Path], None]) -> None:
        """Write a file of the folder, whole or not at all."""
        try:
            write_whole(self.folder / name, take)
        except OptanonError as error:
            raise type(error)(self.plain(str(error))) from error

    def count(self) -> None:
        """Count the values of the columns that are sensitive now."""
        self._count(read_text_table(self.folder / "table.csv")[0])

    def _count(self, frame: pd.DataFrame) -> None:
        self.counts = SensitiveCounts.of(frame, self.sensitive) if self.sensitive else None

    def take_hierarchy(self, column: ColumnChoice, data: bytes) -> None:
        """Take the hierarchy of a column.

        Raises
        ------
        OptanonError
            If it is no hierarchy in ARX's format.
        """
        file = self.folder / f"hierarchy-{self.columns.index(column)}.csv"

        def take(draft: Path) -> None:
            draft.write_bytes(data)
            try:
                Hierarchy.from_csv(draft)
            except OptanonError as error:
                raise type(error)(str(error).replace(str(draft), f"hierarchy of {column.name}")) from error

        self._keep(file.name, take)
        column.hierarchy = file.name

    # -- problem ---------------------------------------------------------------------

    def write_problem(self, policy: dict[str, Any], persistence: str, *, name: str = PROBLEM) -> None:
        """Write the problem file and read it back, so that every mistake shows now.

        Raises
        ------
        OptanonError
            Naming what is wrong and how to mend it.
        """
        if not self.columns:
            raise TableError("choose a CSV file first")
        content: dict[str, Any] = {
            "table": "table.csv",
            "respondent": self._respondent(),
            "quasi_identifiers": {
                c.name: self._kind(c) for c in self.columns if c.role == "quasi_identifier"
            },
            "sensitive": self._sensitive(persistence),
            "policy": policy,
        }
        content |= self._declarations()
        if not content["quasi_identifiers"]:
            raise TableError(
                "no column is a quasi-identifier: mark what outsiders may know, under 'What the columns are'"
            )
        where = self._history_file() if self.history.strip() else None
        if where is not None:
            content["history"] = str(where)
        text = yaml.safe_dump(content, sort_keys=False, allow_unicode=True)
        write_text(self.folder / name, text, private=False)
        try:
            if where is not None:
                if "://" not in str(where) and not os.path.exists(where):
                    load_problem(self.folder / name, history=History())  # no store for a problem that is none
                History.open(where)
            load_problem(self.folder / name)
        except OptanonError as error:
            raise type(error)(self.plain(str(error))) from error

    def _declarations(self) -> dict[str, Any]:
        """What the visitor says of missing cells and of spellings."""
        found = parse_yaml(self.declared, "missing cells and spellings")
        if found is None:
            return {}
        if not isinstance(found, dict) or not found.keys() <= DECLARED:
            raise ProblemFileError(
                f"missing cells and spellings: lines begin with {', '.join(sorted(DECLARED))}"
            )
        return found

    def _respondent(self) -> str:
        names = [column.name for column in self.columns if column.role == "respondent"]
        role, where = repr(ROLES["respondent"]), "under 'What the columns are'"
        if not names:
            raise TableError(
                f"no column has the role {role}: choose it, {where}, for the column that says who each row "
                "is about. If there is none, add one to the table (a patient number, or just 1, 2, 3, ...)"
            )
        if len(names) > 1:
            raise TableError(
                f"columns {', '.join(names)} all have the role {role}: one column says who each row is "
                f"about; choose another role for the rest, {where}"
            )
        return names[0]

    @property
    def sensitive(self) -> list[str]:
        """Columns that nobody may learn."""
        return [column.name for column in self.columns if column.role == "sensitive"]

    def _sensitive(self, persistence: str) -> Any:
        found = [{"column": name, "persistence": persistence} for name in self.sensitive]
        if not found:
            raise TableError(
                "no column is marked as sensitive: mark what nobody may learn, under 'What the columns are'"
            )
        return found[0] if len(found) == 1 else found

    def _kind(self, column: ColumnChoice) -> Any:
        if column.kind == "ordered":
            order = [part.strip() for part in column.order.split(",") if part.strip()]
            if not order:
                raise TableError(f"column {column.name!r}: write its order, lowest first: a, b, c")
            return {"kind": "ordered", "categories": order}
        if column.kind == "built":
            try:
                return parse_yaml(column.built, "its hierarchy")
            except ProblemFileError as error:
                raise TableError(
                    f"column {column.name!r}: {column.built!r} cannot be read: write it as in a problem "
                    "file, for example {kind: prefix, keep: [3, 1]}"
                ) from error
        if column.kind == "taxonomy":
            if not column.hierarchy:
                raise TableError(f"column {column.name!r}: choose the file of its hierarchy")
            return {"kind": "taxonomy", "hierarchy": column.hierarchy}
        return column.kind

    def _history_file(self) -> str | Path:
        name = self.history.strip()
        return name if "://" in name else self.base / name

    def plain(self, message: str) -> str:
        """A message without the names of the private folder."""
        return message.replace(f"{self.folder}/", "").replace(str(self.folder), "")

    # -- search ----------------------------------------------------------------------

    def start(self, *, time_limit: float, seed: int) -> None:
        """Start the search, ending one that still runs."""
        if self.job is not None:
            self.job.close()
        for old in self.folder.glob("release.*"):
            old.unlink()
        self.job = Job(self.folder, {"time_limit": time_limit, "seed": seed})

    def stop(self) -> None:
        """Ask for the best release so far."""
        if self.job is not None:
            self.job.stop()

    def results(self) -> list[Path]:
        """Files of the last search, the one for publication first; the problem file too."""
        files = [self.folder / name for name in (self.job.ended or {}).get("files", [])] if self.job else []
        return [*files, self.folder / PROBLEM]

    # -- history ---------------------------------------------------------------------

    def append(self, *, insist: bool = False) -> str:
        """Append the last release to the stored history after an audit of both; what was found, in words.

        Parameters
        ----------
        insist : bool
            Whether to append it although nobody looked at the series, or the audit finds people disclosed.

        Raises
        ------
        OptanonError
            If no history is named, the release does not follow on it, or must not.
        """
        if not self.history.strip():
            raise ProblemFileError("name the file of the stored history under 'Earlier releases' first")
        stored = History.open(self._history_file())
        # As it is now: others may have appended to it since the search, or it is another one.
        problem = load_problem(self.folder / PROBLEM, history=stored)
        release = load_answer(self.folder / "release.steward.csv", problem)
        refuse_held(release, stored, "give it to `optanon history append --again`")
        refuse_broken(problem, release)
        certificate = certificate_of(read_result(self.folder / "release.result.json"))
        if not insist:
            refuse_blind(problem.policy, f"tick '{INSIST}'")
        verdict, found = examine(stored, release, persistence=problem.table.sensitive.persistence)
        why = None if insist else verdict.refusal(0)
        if why is not None:
            told = "".join(f"\n{text}" for text in (*found.texts(), *beyond_policy(problem)))
            raise SeriesError(f"not appended: {why}, or tick '{INSIST}'{told}")
        proof = proving(certificate, problem, release)
        stored.append(release, policy=problem.policy, certificate=proof, audit=verdict.to_dict())
        return f"appended as release {len(stored)} of {self.history.strip()}; {verdict}"

    # -- tasks -----------------------------------------------------------------------

    def ask(self, task: str, **settings: Any) -> Job:
        """Start a task besides the search (see `tasks`), ending the one of that name that still runs."""
        before = self.tasks.get(task)
        if before is not None:
            before.close()
        folder = self.folder / task
        folder.mkdir(exist_ok=True)
        self.tasks[task] = Job(folder, {"task": task, **settings})
        return self.tasks[task]

    def ask_policy(self, task: str, policy: dict[str, Any], persistence: str, **settings: Any) -> Job:
        """Start a task about the policy as it is in the form now; what was found before stays as it is.

        Raises
        ------
        OptanonError
            Naming what is wrong with it.
        """
        self.write_problem(policy, persistence, name=ASKED)
        return self.ask(task, problem=str(self.folder / ASKED), **settings)

    def ask_audit(self) -> Job:
        """Start an audit of the stored history.

        Raises
        ------
        OptanonError
            If none is named.
        """
        if not self.history.strip():
            raise ProblemFileError("name the file of the stored history first")
        return self.ask("audit", history=str(self._history_file()), time_limit=AUDIT_SECONDS)

    def ask_report(self) -> Job:
        """Start the report of the last search."""
        return self.ask("report", folder=str(self.folder), problem=str(self.folder / PROBLEM))

    @property
    def report(self) -> Path:
        """Where a report is, once it is made."""
        return self.folder / "report.html"


def guess(frame: pd.DataFrame) -> tuple[list[ColumnChoice], str]:
    """A first guess at every column, in order, and at what cells mean; the visitor has the last word."""
    names = [str(name) for name in frame.columns]
    none = History()
    declared = DeclaredCells.of(frame, names, none)
    applied = declared.applied(frame)
    try:
        guesses = {found.name: found for found in guess_roles(applied)}
    except TableError as error:
        notes = [str(error) if number == 0 else "" for number in range(len(names))]
        return [
            ColumnChoice(name=name, role="left_out", kind="flat", note=note)
            for name, note in zip(names, notes, strict=True)
        ], ""
    columns: list[ColumnChoice] = []
    for name in names:
        found = guesses[name]
        plain = found.kind in ("numeric", "flat")
        columns.append(
            ColumnChoice(
                name=name,
                role=found.role.replace("-", "_").replace(" ", "_"),
                kind=found.kind if plain else "built" if found.kind else "flat",
                note=found.why,
                built="" if plain else found.kind,
            )
        )
    used = [name for name, found in guesses.items() if found.role != "left out"]
    lines = declared.about(frame, guesses.values(), none).lines()
    if applied[used].isna().to_numpy().any():
        lines = [*MISSING_CELLS, *lines]
    return columns, "\n".join(lines).strip()
