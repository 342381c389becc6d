"""The files of a result: the steward's copy, the result file, the public copy."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from ..models.errors import InputError
from ..models.files import OutputFile, drafted
from ..models.moment import moment
from ..models.problem import Problem
from .ending import released, sample, scaled
from .overwriting import may_write
from .result import Result
from .result_file import ResultFile

__all__ = ["refuse_results", "write_files", "writing"]

CERTIFICATE = 2.0
"""Copies and certificate together take at most so many times as long as the copies."""
ENDINGS = ("release.csv", "release.values.csv", "steward.csv", "result.json")


def refuse_results(
    folder: Path,
    name: str,
    *,
    steward: bool,
    force: bool,
    problems: Iterable[Path] = (),
    inputs: Iterable[Path | None] = (),
) -> None:
    """See that the files of a result can be written; see `may_write`.

    All that belong to an earlier result of the same name count: a steward's copy must not stay beside
    another release.

    Raises
    ------
    InputError
        Naming the file and the remedy.
    """
    targets = [folder / f"{name}.{ending}" for ending in ENDINGS]
    may_write(targets, force=force, problems=problems, inputs=inputs)
    private = folder / f"{name}.steward.csv"
    if not steward and private.exists():
        raise InputError(
            f"{private}: is the steward's copy of the release that would be replaced: move it away, or give "
            "--steward to replace it, too"
        )


def writing(problem: Problem, *, steward: bool) -> float:
    """Estimate the seconds that the files of a large release take, measured on some groups of the table."""
    groups, began = sample(problem), 0.0
    for _ in range(2):  # the first time loads what is needed
        some, began = released(problem, groups), moment()
        for copy in ("public", "steward") if steward else ("public",):
            for file in some.files(Path("measured.csv"), copy=copy):
                file.write(Path(os.devnull))
    return CERTIFICATE * scaled(problem, groups, moment() - began)


def _result_file(record: ResultFile, path: Path) -> OutputFile:
    text = record.to_text()
    return OutputFile(path=path, write=lambda draft: draft.write_text(text, encoding="utf-8"), private=True)


def write_files(
    result: Result,
    problem: Problem,
    folder: Path,
    name: str,
    *,
    steward: bool = False,
    raw_cells: bool = False,
    before: Callable[[], object] | None = None,
) -> list[Path]:
    """Write all files together or none; what is for publication comes last.

    Parameters
    ----------
    result, problem
        The answer and what was asked.
    folder : Path
        An existing folder.
    name : str
        Files are ``NAME.release.csv`` (for publication; anatomized releases have a second table,
        ``NAME.release.values.csv``), ``NAME.steward.csv`` if `steward`, and ``NAME.result.json``.
        The last two are readable for their owner only.
    raw_cells : bool
        Leave cells that a spreadsheet would run as formulas as they are.
    before : callable, optional
        Is called when all files can be written and before any of them is there; if it fails none will be.

    Returns
    -------
    list of Path
        Files written: the result alone if it says that there is no release, none if it says nothing.
    """
    release, record = result.release, ResultFile.of(result)
    if record is None:
        return []
    files: list[OutputFile] = []
    if release is not None:
        files += release.files(folder / f"{name}.release.csv", raw_cells=raw_cells)
    if steward and release is not None:
        whose, copy = problem.table.respondent, folder / f"{name}.steward.csv"
        files += release.files(copy, copy="steward", respondent=whose, raw_cells=raw_cells)
    files.append(_result_file(record, folder / f"{name}.result.json"))
    with drafted(files) as move:
        if before is not None:
            before()
        move()
    written = [file.path for file in files]
    if release is not None and (old := folder / f"{name}.release.values.csv") not in written:
        old.unlink(missing_ok=True)  # of an earlier result, which was anatomized
    return written
