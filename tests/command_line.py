"""The command line, run in this process."""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest

from optanon.solver.cli import main


@dataclass
class Done:
    returncode: int
    stdout: str
    stderr: str


def run(*arguments: object, folder: Path) -> Done:
    """Run the command line in this process: starting Python anew for each call takes seconds."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.chdir(folder)
        patch.setattr(sys, "argv", ["optanon", *(str(argument) for argument in arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
    code = ended.value.code
    return Done(code if isinstance(code, int) else 0, out.getvalue(), err.getvalue())
