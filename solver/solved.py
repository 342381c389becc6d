"""A result read with its problem and release; and the problem as it was when the release was made.

A stored history goes on after a release was appended to it: who asks about that release later asks about the
history before it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..instances.problem_file import load_answer, load_problem
from ..instances.store.opening import History
from ..instances.text_files import Reading
from ..models.errors import CertificateError, ReleaseError, StoreError
from ..models.problem import Problem
from ..models.release import Release
from .certificate import Certificate
from .certify import as_certified
from .result_file import ResultFile, beside, certificate_of, read_result

if TYPE_CHECKING:
    from ..instances.store.stored import StoredHistory

__all__ = [
    "SolvedFile",
    "again_in_words",
    "as_of",
    "before_table",
    "places_of",
    "read_solved",
    "refuse_held",
    "stored",
]


class SolvedFile(NamedTuple):
    """What a result file is about."""

    certificate: Certificate
    problem: Problem
    release: Release | None


def read_solved(
    result_file: Path,
    problem_file: Path,
    release_file: Path | None,
    say: Callable[[str], object],
    expect: str | None = None,
) -> SolvedFile:
    """Read a result with its problem and release; memberships of a public copy are the certificate's.

    Raises
    ------
    CertificateError
        If the result is damaged, or says beside its certificate what that and the problem do not.
    """

    def read(reading: Reading) -> None:
        say(str(reading))

    found = read_result(result_file)
    certificate = certificate_of(found)
    problem = load_problem(problem_file, expect=expect, tell=read)
    release = None
    if certificate.release is not None:
        release_file = release_file or beside(result_file)
        if release_file is None:
            raise CertificateError("the certificate is about a release: give it, too (--release)")
        known = [[row - 1 for row in rows] for rows in certificate.release.groups]
        try:
            release = load_answer(release_file, problem, known)
        except ReleaseError as error:
            raise CertificateError(str(error)) from error
        problem, words = as_of(problem, release, certificate.problem.history)
        if words is not None:
            say(words)
    problem = as_certified(certificate, problem)
    if isinstance(found, ResultFile):
        found.compare(problem)
    return SolvedFile(certificate, problem, release)


def stored(history: History) -> StoredHistory | None:
    """The history as a stored one, if it is."""
    if type(history) is History:
        return None  # and the database library need not be loaded to know
    from ..instances.store.stored import StoredHistory

    return history if isinstance(history, StoredHistory) else None


def as_of(problem: Problem, release: Release, asked: str | None = None) -> tuple[Problem, str | None]:
    """The problem as it was when `release` was made, if its stored history already holds it; in words too.

    A history may hold it several times: `asked` is the digest of the one that a certificate is about.
    """
    history = stored(problem.history)
    numbers = [] if history is None else places_of(release, history)
    if history is None or not numbers or history.fingerprint == asked:
        return problem, None
    made = [n for n in numbers if history.before(n - 1).fingerprint == asked] if len(numbers) > 1 else []
    number = (made or numbers)[-1]
    earlier = replace(problem, history=history.before(number - 1))
    return earlier, f"this is release {number} of {history.name}: judged by those before it"


def places_of(release: Release, history: History) -> list[int]:
    """As which releases (from 1) a history holds a release: the same people, values and cells."""
    size, wanted = _size(release), _content(release)
    # Sizes first: series are long, and tables large.
    return [
        n for n, known in enumerate(history, start=1) if _size(known) == size and _content(known) == wanted
    ]


def before_table(problem: Problem) -> tuple[Problem, str | None]:
    """The problem as it was before its stored history held a release of its table; in words too."""
    found = _released(problem)
    if found is None:
        return problem, None
    number, name = found
    earlier = replace(problem, history=problem.history.before(number))
    return earlier, f"the table is release {number + 1} of {name} already: judged by those before it"


def again_in_words(problem: Problem) -> str | None:
    """That the stored history holds a release of the table, which is then solved as a further one."""
    found = _released(problem)
    if found is None:
        return None
    number, name = found
    return f"the table is release {number + 1} of {name} already: this is about one more, after all of them"


def _released(problem: Problem) -> tuple[int, str] | None:
    """Which release of its stored history (from 0) the table is, the newest of several; and of what."""
    history = stored(problem.history)
    if history is None:
        return None
    table = problem.table
    said = {member.respondent: member for member in table.members}
    for number in range(len(history) - 1, -1, -1):
        release = history[number]
        people = [m for group in release.groups for m in group.members] + list(release.suppressed)
        # Counts first, and no cells are hashed: series are long, and tables large.
        alike = len(people) == len(said) and release.attributes == table.attributes
        if alike and all(said.get(member.respondent) == member for member in people):
            return number, history.name
    return None


def refuse_held(release: Release, history: History, wanted: str) -> None:
    """Refuse to store a release again unless it was published again; `wanted` says how to insist.

    Raises
    ------
    StoreError
    """
    kept, numbers = stored(history), places_of(release, history)
    if kept is not None and numbers:
        raise StoreError(
            f"{kept.name}: holds this release already, as number {numbers[-1]}, so nothing was appended: "
            f"{wanted} if it was published once more"
        )


def _size(release: Release) -> tuple[int, ...]:
    return len(release.groups), len(release.members), release.counterfeits, release.hidden_cells


def _content(release: Release) -> tuple[object, ...]:
    groups = {
        (
            frozenset(group.members),
            frozenset(group.counterfeits),
            tuple(map(str, group.box or ())),
            frozenset(group.hidden),
        )
        for group in release.groups
    }
    return groups, frozenset(release.suppressed), release.form
