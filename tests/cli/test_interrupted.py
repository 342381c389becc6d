"""Ctrl-C before there is a release ends `optanon solve` the same way whichever engine was searching."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import run

PROBLEM = """
table: t.csv
respondent: id
quasi_identifiers: {town: flat}
sensitive: ill
policy: {requirements: [t_closeness: {t: 1}], recoding: full_domain}
"""


def test_a_search_that_is_interrupted_without_a_release_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    (tmp_path / "t.csv").write_text("id,town,ill\n1,A,flu\n2,A,cold\n3,B,flu\n4,B,cold\n")
    (tmp_path / "p.yaml").write_text(PROBLEM)
    monkeypatch.setattr("optanon.solver.engines.fulldomain.engine.Search.visit", interrupted)
    done = run("solve", "p.yaml", folder=tmp_path)
    assert done.returncode == 130
    assert done.stderr == "interrupted: nothing was written or appended but what is told above\n"
    assert {path.name for path in tmp_path.iterdir()} == {"t.csv", "p.yaml"}
