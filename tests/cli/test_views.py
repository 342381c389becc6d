"""Published views on the command line: how `solve` ends without any."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer
from rich.console import Console

from optanon.instances import catalog
from optanon.solver.cli import views
from optanon.solver.engines.views import ChoiceStatus, ViewChoice


@pytest.mark.parametrize(("status", "code"), [(ChoiceStatus.INFEASIBLE, 3), (ChoiceStatus.UNKNOWN, 4)])
def test_none_in_time_is_not_none_at_all(
    status: ChoiceStatus, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(
        views, "choose_views", lambda *_, **__: ViewChoice(status=status, termination="time limit")
    )
    problem = catalog.path("published-views") / "patients.yaml"
    with pytest.raises(typer.Exit) as ended:
        views.solve_views(Console(quiet=True), problem, tmp_path, 1.0, 0)
    assert ended.value.exit_code == code
    assert not list(tmp_path.iterdir())
