"""A report straight from Python."""

from __future__ import annotations

from pathlib import Path

from ....models.errors import ProblemFileError
from ....models.files import write_text
from ....models.parameters import require_kind
from ....models.problem import Problem, require_problem
from ...result import Result
from .facts import facts
from .told import told

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
    CertificateError
        If its certificate does not hold.

    Notes
    -----
    The page is the steward's: it shows how the original columns are distributed, names no respondent and
    gives away nobody's value. It loads nothing from elsewhere.
    """
    # Imported here: drawing takes a second to load that other uses need not wait.
    from .page import report_page

    require_kind("result", result, Result, remedy="give what solve returned")
    require_problem(problem)
    if result.release is None or result.certificate is None:
        raise ProblemFileError(f"there is no release to report on: the result is {result.status.value}")
    said = told(result.certificate, problem, result.release, course=result.trajectory, price=result.price)
    page = report_page(said, facts(problem, result.release))
    write_text(path, page, private=True)
