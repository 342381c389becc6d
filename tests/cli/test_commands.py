"""What commands can be asked is told without loading what answers, and fits what answers."""

from __future__ import annotations

import inspect
import signal
import subprocess
import sys
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import get_type_hints

import pytest
from command_line import run

import optanon
from optanon.instances import catalog
from optanon.solver.cli.app import COMMANDS, HISTORY

ALL = {(name,): entry for name, entry in COMMANDS.items()} | {
    ("history", name): entry for name, entry in HISTORY.items()
}
HEAVY = {
    "highspy",
    "matplotlib",
    "networkx",
    "numba",
    "numpy",
    "ortools",
    "pandas",
    "scipy",
    "sqlalchemy",
}
LIGHT = {
    "optanon",
    "optanon.models",
    "optanon.models.backend",
    "optanon.models.errors",
    "optanon.solver",
    "optanon.solver.cli",
    "optanon.solver.cli.app",
    "optanon.solver.cli.command",
    "optanon.solver.cli.loading",
    "optanon.solver.cli.options",
    "optanon.solver.collecting",
    "optanon.solver.seconds",
}
"""What help loads of this library, besides the declarations of commands."""


@pytest.mark.parametrize(
    "arguments", [(), ("--help",), ("--version",), ("history", "--help"), ("solve", "--help")]
)
def test_help_loads_nothing_that_computes(arguments: tuple[str, ...]):
    script = (
        "import atexit, sys\n"
        "atexit.register(lambda: print(*sys.modules, file=sys.stderr))\n"
        f"sys.argv = ['optanon', *{arguments!r}]\n"
        "from optanon.solver.cli import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    loaded = set(done.stderr.split())
    assert "optanon" in done.stdout
    assert "optanon.solver.cli.app" in loaded
    assert not HEAVY & loaded
    own = {name for name in loaded if name.partition(".")[0] == "optanon"}
    assert {name for name in own if not name.startswith("optanon.solver.cli.commands")} == LIGHT


def test_an_interrupted_command_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("optanon.solver.cli.explain.load_problem", interrupted)
    done = run("explain", catalog.path("hospital") / "release-1.yaml", folder=tmp_path)
    assert done.returncode == 130
    assert done.stderr == "interrupted: nothing was written or appended but what is told above\n"


@pytest.mark.parametrize("module", ["app", "explain"])
def test_ctrl_c_while_modules_load_ends_the_program_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, capfd: pytest.CaptureFixture[str]
):
    """The module would fail in a way of its own, or be half loaded."""
    name = f"optanon.solver.cli.{module}"

    class Slow:
        def find_spec(self, wanted: str, *_: object) -> None:
            if wanted == name:
                signal.raise_signal(signal.SIGINT)

    def ended(code: int) -> None:
        raise SystemExit(code)

    monkeypatch.setattr("os._exit", ended)
    monkeypatch.setattr("sys.meta_path", [Slow(), *sys.meta_path])
    monkeypatch.delitem(sys.modules, name, raising=False)
    done = run("explain", catalog.path("hospital") / "release-1.yaml", folder=tmp_path)
    assert done.returncode == 130
    assert capfd.readouterr().err == "interrupted: nothing was written or appended but what is told above\n"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_what_ctrl_c_breaks_while_a_command_loads_more_is_told_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def broken(*_: object, **__: object) -> None:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as error:
            raise ImportError("initialization failed") from error

    monkeypatch.setattr("optanon.solver.cli.explain.load_problem", broken)
    done = run("explain", catalog.path("hospital") / "release-1.yaml", folder=tmp_path)
    assert done.returncode == 130
    assert done.stderr == "interrupted: nothing was written or appended but what is told above\n"


def test_a_command_that_is_interrupted_before_it_begins_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    for reading in ("typer.core.TyperCommand.make_context", "typer.core.TyperGroup.make_context"):
        with monkeypatch.context() as patched:
            patched.setattr(reading, interrupted)
            done = run("explain", catalog.path("hospital") / "release-1.yaml", folder=tmp_path)
        assert done.returncode == 130
        assert done.stderr == "interrupted: nothing was written or appended but what is told above\n"


def test_the_version_is_printed(tmp_path):
    done = run("--version", folder=tmp_path)
    assert done.returncode == 0
    assert done.stdout.strip() == f"optanon {optanon.__version__}"


@pytest.mark.parametrize("words", ALL, ids=" ".join)
def test_what_is_asked_is_what_is_answered(words: tuple[str, ...], tmp_path):
    """The function named in the table takes what the command was asked, and help tells all of it."""
    asked, work = ALL[words]
    module, name = work.split(".")
    function = getattr(import_module(f"optanon.solver.cli.{module}"), name)
    (parameter,) = inspect.signature(function).parameters
    assert get_type_hints(function)[parameter] is asked
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "200")
        told = run(*words, "--help", folder=tmp_path)
    assert told.returncode == 0
    assert inspect.getdoc(asked).splitlines()[0] in told.stdout
    options = [line for line in told.stdout.splitlines() if line.startswith("│")]
    assert len(options) >= len(fields(asked))


def test_help_shows_what_is_to_be_written_and_no_types_of_python(tmp_path: Path):
    shown = run("init", "--help", folder=tmp_path).stdout
    own = [line for line in shown.splitlines() if "--help" not in line]
    assert any("--force" in line for line in own)
    assert not any("<bool>" in line or "<list[" in line for line in own)
