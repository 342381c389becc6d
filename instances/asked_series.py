"""The series of releases that files on the command line name, and what an adversary knows besides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from ..models.adversary.cells import check_knowledge, true_values
from ..models.adversary.knowledge import Knowledge
from ..models.errors import InputError, ProblemFileError, StoreError
from ..models.history import History
from ..models.requirement import Requirement
from ..models.respelling import releases_spelt_alike
from .knowledge_file import load_knowledge
from .problem_file import load_problem
from .release_files import read_release
from .steward_series import read_series
from .text_files import Reading

__all__ = ["AskedSeries", "read_asked"]


class AskedSeries(NamedTuple):
    """A history, what is known besides, and the requirements of the problem file (none without one)."""

    history: History
    knowledge: Knowledge
    requirements: tuple[Requirement, ...]


def read_asked(
    files: Sequence[Path],
    knowledge_file: Path | None,
    *,
    expect: str | None = None,
    tell: Callable[[Reading], object] | None = None,
) -> AskedSeries:
    """Read releases, oldest first, with a problem file before them or without.

    Parameters
    ----------
    files : paths
        Steward's copies; or a problem file (YAML) and then copies of either kind, by default its history.
    knowledge_file : path, optional
        See `load_knowledge`.
    expect : str, optional
        Digest of the problem's stored history; see `History.open`.
    tell : callable, optional
        Is told how the problem's table was read.

    Raises
    ------
    InputError
        If a file cannot be read as what it should be; naming it.
    """
    if not files or files[0].suffix not in (".yaml", ".yml"):
        if expect is not None:
            raise StoreError("a digest is expected, but no problem with a stored history is named")
        known = load_knowledge(knowledge_file)
        series = read_series(files, boxes=known.membership == "boxes")
        return _asked(series, known, knowledge_file, ())
    problem = load_problem(files[0], expect=expect, tell=tell)
    named = problem.history.aligned_id
    knowledge = load_knowledge(knowledge_file, problem.table.sensitive.persistence, named)
    history = problem.history
    if files[1:]:
        # Who is in which group must follow from a public copy, unless nobody is taken to know it; who is in
        # the release, always.
        left_out, unique = len(problem.table), knowledge.membership == "groups"
        releases = (
            problem.history.aligned_release(
                read_release(
                    path, problem.table, suppressed=left_out, unique=unique, published=True, earlier=True
                )
            )
            for path in files[1:]
        )
        history = releases_spelt_alike(releases, problem.table.spelling, problem.table.respondent)
    elif not len(history):
        raise InputError(
            f"{files[0]}: its history holds no release: name releases after it, oldest first, or store some "
            "(`optanon solve --append`, `optanon history append`)"
        )
    return _asked(history, knowledge, knowledge_file, problem.policy.requirements)


def _asked(
    history: History, knowledge: Knowledge, file: Path | None, requirements: tuple[Requirement, ...]
) -> AskedSeries:
    """All of it, if what the file says of respondents is true of those in the history."""
    if knowledge.about and any(release.groups for release in history):
        own = true_values(history)
        try:
            check_knowledge(knowledge, own, history[0].sensitive)
        except InputError as error:
            raise ProblemFileError(f"{file}: {error}") from error
    return AskedSeries(history, knowledge, requirements)
