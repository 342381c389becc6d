"""The command line's report: a result file becomes one page."""

from __future__ import annotations

from ...instances.bounded import read_json
from ...models.errors import CertificateError, InputError, ProblemFileError
from ...models.files import write_text
from ..display import soft_console
from ..insight.report.facts import facts
from ..insight.report.page import report_page
from ..insight.report.told import told
from ..overwriting import file_beside, may_write
from ..seconds import VERIFY_SECONDS
from ..solved import read_solved
from .commands.release import ReportCommand

__all__ = ["report"]


def report(asked: ReportCommand) -> None:
    """Verify a result and write its page."""
    target = file_beside(asked.result_file, ".html") if asked.output is None else asked.output
    if target.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"--output: {target}: the report is an HTML page: let its name end in .html")
    may_write(
        [target],
        force=asked.force,
        problems=[asked.problem],
        inputs=[asked.result_file, asked.release_file, asked.comparison],
    )
    console = soft_console()
    try:
        found = read_solved(
            asked.result_file,
            asked.problem,
            asked.release_file,
            lambda words: console.print(words, markup=False),
        )
        said = told(found.certificate, found.problem, found.release, seconds=VERIFY_SECONDS)
    except CertificateError as error:
        raise CertificateError(f"REFUSED: {error}") from error
    assert found.release is not None  # otherwise there is nothing to tell, and that was an error
    beside = None if asked.comparison is None else read_json(asked.comparison, kind=ProblemFileError)
    page = report_page(said, facts(found.problem, found.release), comparison=beside)
    write_text(target, page, private=True)
    console.print(f"wrote {target}", markup=False)
