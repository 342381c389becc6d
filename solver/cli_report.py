"""The command line's report: a result file becomes one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from ..instances.bounded import read_json
from ..models.errors import CertificateError, InputError, ProblemFileError
from ..models.files import write_whole
from .cli_options import Force
from .cli_verify import SECONDS, ProblemOf, ReleaseOf, read_solved
from .overwriting import may_write

__all__ = ["report"]


def report(
    result_file: Annotated[Path, typer.Argument(metavar="RESULT.json", help="What `optanon solve` wrote.")],
    problem: ProblemOf,
    release_file: ReleaseOf = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The page; default: beside the result, .html.")
    ] = None,
    comparison: Annotated[
        Path | None, typer.Option("--comparison", help="What `optanon compare --json` wrote.")
    ] = None,
    force: Force = False,
) -> None:
    """Write one self-contained page about a release: policy, proof, loss, distributions, risks.

    The result is verified first, as `optanon verify` does, and everything shown is made anew from problem
    and release: of the file nothing is believed. The page needs no network and no script. It is the
    steward's, not for publication.
    """
    target = result_file.with_suffix(".html") if output is None else output
    if target.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"--output: {target}: the report is an HTML page: let its name end in .html")
    may_write([target], force=force, problems=[problem], inputs=[result_file, release_file, comparison])
    # Imported here: drawing takes a second to load that other commands need not wait.
    from .insight.report.facts import facts
    from .insight.report.page import report_page
    from .insight.report.told import told

    console = Console(soft_wrap=True, highlight=False)
    try:
        found = read_solved(
            result_file, problem, release_file, lambda words: console.print(words, markup=False)
        )
        said = told(found.certificate, found.problem, found.release, seconds=SECONDS)
    except CertificateError as error:
        raise CertificateError(f"REFUSED: {error}") from error
    assert found.release is not None  # otherwise there is nothing to tell, and that was an error
    beside = None if comparison is None else read_json(comparison, kind=ProblemFileError)
    page = report_page(said, facts(found.problem, found.release), comparison=beside)
    write_whole(target, lambda draft: draft.write_text(page, encoding="utf-8"), private=True)
    console.print(f"wrote {target}", markup=False)
