"""The command line's report: a result file becomes one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from ..instances.bounded import read_json
from ..models.errors import InputError, ProblemFileError
from ..models.files import write_whole
from .cli_options import Force
from .overwriting import may_write

__all__ = ["report"]


def report(
    result_file: Annotated[Path, typer.Argument(metavar="RESULT.json", help="What `optanon solve` wrote.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The page; default: beside the result, .html.")
    ] = None,
    comparison: Annotated[
        Path | None, typer.Option("--comparison", help="What `optanon compare --json` wrote.")
    ] = None,
    force: Force = False,
) -> None:
    """Write one self-contained page about a release: policy, proof, loss, distributions, risks.

    The page needs no network and no script. It is the steward's, not for publication.
    """
    target = result_file.with_suffix(".html") if output is None else output
    if target.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"--output: {target}: the report is an HTML page: let its name end in .html")
    may_write([target], force=force, inputs=[result_file, comparison])
    # Imported here: drawing takes a second to load that other commands need not wait.
    from .insight.report.page import report_page

    page = report_page(_json(result_file), comparison=None if comparison is None else _json(comparison))
    write_whole(target, lambda draft: draft.write_text(page, encoding="utf-8"), private=True)
    Console(soft_wrap=True, highlight=False).print(f"wrote {target}", markup=False)


def _json(path: Path) -> dict[str, Any]:
    content = read_json(path, kind=ProblemFileError)
    if not isinstance(content, dict):
        raise ProblemFileError(f"{path}: is no result file of `optanon solve`")
    return content
