"""``optanon verify``: a result with its problem and release, derived again."""

from __future__ import annotations

import typer

from ...models.errors import CertificateError
from ..display import plain_console
from ..solved import read_solved
from ..verify.checking import verify
from .commands.release import VerifyCommand

__all__ = ["verify_result"]


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
