"""All commands in one table, and the program around them: how it ends, whatever goes wrong."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Mapping
from io import TextIOWrapper
from typing import Annotated, Any, NoReturn

import typer

from ...models.errors import OptanonError
from ..collecting import RARELY
from .command import Interruptible, Interruption, add
from .commands.adversary import AuditCommand, AuditReleaseCommand, VerifyAuditCommand, WhatIfCommand
from .commands.alternatives import BacktestCommand, CompareCommand, ExplainCommand, FrontierCommand
from .commands.history import (
    AppendCommand,
    BeginCommand,
    ExportCommand,
    ImportCommand,
    ShowCommand,
    WriteCommand,
)
from .commands.release import CheckCommand, ReportCommand, SolveCommand, VerifyCommand
from .commands.table import HierarchyCommand, InitCommand, InstancesCommand, UiCommand
from .loading import ENDED, INTERRUPTED, from_ctrl_c

__all__ = ["COMMANDS", "HISTORY", "app", "main"]

COMMANDS: Mapping[str, tuple[type[Any], str]] = {
    "init": (InitCommand, "init.init"),
    "solve": (SolveCommand, "solve.solve"),
    "check": (CheckCommand, "check.check"),
    "instances": (InstancesCommand, "instances.instances"),
    "audit": (AuditCommand, "audit.audit_series"),
    "verify": (VerifyCommand, "verify.verify_result"),
    "verify-audit": (VerifyAuditCommand, "audit.verify_proofs"),
    "what-if": (WhatIfCommand, "what_if.what_if"),
    "explain": (ExplainCommand, "explain.explain_policy"),
    "compare": (CompareCommand, "compare.compare_all"),
    "audit-release": (AuditReleaseCommand, "audit_release.audit_foreign"),
    "frontier": (FrontierCommand, "frontier.draw_frontier"),
    "backtest": (BacktestCommand, "backtest.run_backtest"),
    "report": (ReportCommand, "report.report"),
    "ui": (UiCommand, "ui.ui"),
    "hierarchy": (HierarchyCommand, "hierarchy.hierarchy"),
}
"""What a command is asked, and the module and function that answer; in the order of the help."""

HISTORY: Mapping[str, tuple[type[Any], str]] = {
    "init": (BeginCommand, "history.begin"),
    "show": (ShowCommand, "history.show"),
    "append": (AppendCommand, "history.append"),
    "write": (WriteCommand, "history.write"),
    "export": (ExportCommand, "history.export"),
    "import": (ImportCommand, "history.restore"),
}
"""The same of ``optanon history``."""


def _version(wanted: bool) -> None:
    if wanted:
        # Imported here: help does without it.
        from importlib.metadata import version

        typer.echo(f"optanon {version('optanon')}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", metavar="", callback=_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
    plugin: Annotated[
        list[str] | None,
        typer.Option(
            "--plugin", metavar="MODULE", help="Python module with requirements or losses of your own."
        ),
    ] = None,
) -> None:
    if plugin:
        # Imported here: help does without it.
        from ...models.plugins import plugged

        for module in plugin:
            plugged(module)


def _typer() -> typer.Typer:
    made = typer.Typer(
        name="optanon",
        cls=Interruptible,
        help="Provably optimal, attack-checked anonymization of tables that are released again and again.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
    )
    history = typer.Typer(
        name="history",
        help="The releases published so far, with the private record of who was in which group, "
        "in a database.",
        no_args_is_help=True,
    )
    _ = made.callback()(_options)
    for group, commands in ((made, COMMANDS), (history, HISTORY)):
        for name, (asked, work) in commands.items():
            add(group, name, asked, work)
    made.add_typer(history)
    return made


app = _typer()


def main() -> None:
    """Run the command line; what is the input's or the system's fault ends with one line and exit code 2.

    With the environment variable OPTANON_TRACEBACK set, those that nobody expected show where they arose.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    before = gc.get_threshold()
    gc.set_threshold(*RARELY)
    try:
        app()
    except OptanonError as error:
        _end(str(error))
    except _SYSTEM as error:
        if "OPTANON_TRACEBACK" in os.environ:
            raise
        _end(_in_a_line(error))
    except (Interruption, KeyboardInterrupt):
        _say(INTERRUPTED)
        sys.exit(ENDED)
    except Exception as error:
        if not from_ctrl_c(error):
            raise
        _say(INTERRUPTED)
        sys.exit(ENDED)
    finally:
        # This may be called again in the same process.
        gc.set_threshold(*before)
        gc.unfreeze()


_SYSTEM = (OSError, UnicodeError, OverflowError, RecursionError, MemoryError)
"""What a file, a disk or a machine can do to a program that did nothing wrong."""


def _end(line: str) -> NoReturn:
    _say(f"error: {line}")
    sys.exit(2)


def _say(line: str) -> None:
    from rich.console import Console  # nothing went wrong so far, and it was not needed

    Console(stderr=True, soft_wrap=True, highlight=False, markup=False, emoji=False).print(line)


def _in_a_line(error: BaseException) -> str:
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename is not None else ""
        return f"{where}{error.strerror or error}"
    if isinstance(error, MemoryError):
        return "there is not enough memory for this: give fewer --workers, or a smaller table"
    if isinstance(error, RecursionError):
        return "something in the input is nested too deeply"
    return f"something in the input is out of range ({' '.join(str(error).split())})"
