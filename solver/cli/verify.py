"""The command line's `verify`, and what it shares with `report`: a result read with problem and release."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import typer

from ...instances.problem_file import load_answer, load_problem
from ...instances.text_files import Reading
from ...models.errors import CertificateError, ReleaseError
from ...models.problem import Problem
from ...models.release import Release
from ..certificate import Certificate
from ..display import plain_console
from ..result_file import ResultFile, beside, certificate_of, read_result
from ..verify.checking import verify
from .commands.release import VerifyCommand
from .stored import as_of

__all__ = ["Solved", "read_solved", "verify_result"]


class Solved(NamedTuple):
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
) -> Solved:
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
        problem, words = as_of(problem, release)
        if words is not None:
            say(words)
    if isinstance(found, ResultFile):
        found.compare(problem)
    return Solved(certificate, problem, release)


def verify_result(asked: VerifyCommand) -> None:
    """Verify a result with its problem and release, and say what is confirmed."""
    console = plain_console()
    try:
        found = read_solved(
            asked.result_file,
            asked.problem,
            asked.release_file,
            lambda words: console.print(words, markup=False),
            asked.expect,
        )
        outcome = verify(found.certificate, found.problem, found.release, seconds=asked.time_limit)
    except CertificateError as error:
        raise CertificateError(f"REFUSED: {error}") from error
    for line in outcome.confirmed:
        console.print(f"confirmed: {line}", markup=False)
    console.print(outcome.verdict, markup=False)
    raise typer.Exit(0 if outcome.whole else 5)
