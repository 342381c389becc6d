"""Published views on the command line: what may be asked about them, and how it ends."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import run

from optanon.instances import catalog
from optanon.solver.engines.views import ChoiceStatus, ViewChoice

VIEWS = catalog.path("published-views") / "patients.yaml"


def test_options_of_tables_are_refused_with_published_views(tmp_path: Path):
    """Whoever gave --append believed that a history would know what was published."""
    options = ("--history", "r.db", "--key-file", "r.key", "--append", "--policy-ignores-history")
    done = run("solve", VIEWS, *options, "--steward", "--workers", 2, folder=tmp_path)
    assert done.returncode == 2
    told = (
        "--steward, --workers, --history, --key-file, --append, --policy-ignores-history: not for published"
    )
    assert told in done.stderr
    assert not list(tmp_path.iterdir())
    done = run("check", "a.csv", "b.csv", "-p", VIEWS, "--expect", "0" * 12, folder=tmp_path)
    assert "--expect" in done.stderr


@pytest.mark.parametrize(
    "command",
    [
        ("explain", VIEWS),
        ("frontier", VIEWS, "--vary", "k=2..3"),
        ("backtest", VIEWS),
        ("audit", VIEWS),
        ("what-if", VIEWS),
        ("compare", VIEWS),
        ("audit-release", "r.csv", VIEWS),
        ("history", "append", "r.db", "r.csv", "-p", VIEWS),
    ],
    ids=lambda command: command[0],
)
def test_other_commands_say_that_a_problem_is_about_published_views(
    command: tuple[object, ...], tmp_path: Path
):
    done = run(*command, folder=tmp_path)
    assert done.returncode == 2
    assert "is about published views (key secrets)" in done.stderr


def test_views_that_are_not_found_in_time_are_not_proven_to_be_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    none = ViewChoice(status=ChoiceStatus.UNKNOWN, termination="time limit")
    monkeypatch.setattr("optanon.solver.cli.views.choose_views", lambda *_, **__: none)
    assert run("solve", VIEWS, folder=tmp_path).returncode == 4
    assert not list(tmp_path.iterdir())


def test_quiet_is_one_line_of_published_views_too(tmp_path: Path):
    done = run("solve", VIEWS, "--quiet", folder=tmp_path)
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 1
    assert len(list(tmp_path.iterdir())) == 2
