"""A report straight from Python."""

from __future__ import annotations

from pathlib import Path

from ....models.files import write_whole
from ....models.problem import Problem
from ...result import Result
from .record import record

__all__ = ["write_report"]


def write_report(result: Result, problem: Problem, path: str | Path) -> None:
    """Write one self-contained HTML page about a result's release.

    Parameters
    ----------
    result : Result
        With a release.
    problem : Problem
        As solved.
    path : str or Path
        Written whole or not at all.

    Raises
    ------
    ProblemFileError
        If the result has no release.

    Notes
    -----
    The page is the steward's: it shows how the original columns are distributed, names no
    respondent and says nobody's value. It asks for nothing from anywhere.
    """
    # Imported here: drawing takes a second to load that other uses need not wait.
    from .page import report_page

    page = report_page(record(result, problem))
    write_whole(Path(path), lambda draft: draft.write_text(page, encoding="utf-8"), private=True)
