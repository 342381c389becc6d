"""The differential campaign sees disagreements, names them, and ends as it should."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from optanon.bench import differential
from optanon.bench.differential import Differential, DifferentialError
from optanon.models.adversary.knowledge import Knowledge
from optanon.models.errors import OptanonError


def test_the_program_and_brute_force_agree() -> None:
    rows = [*Differential(at=8).run(), *Differential(only="audit", seconds=1.0).run()]
    assert [row["campaign"] for row in rows] == ["engines", "audit", "pairs", "views", "audit"]
    assert all(row["comparisons"] and not row["disagreements"] for row in rows)
    assert rows[-1]["cases"] > 1


def test_a_wrong_rule_is_found_and_can_be_had_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Knowledge, "gives", lambda *_: False)
    with pytest.raises(DifferentialError, match="disagreements with brute force"):
        Differential(seconds=3.0, only="audit").run()
    found = re.search(r"--only audit --at (\d+): release \d+: \(0, ", capsys.readouterr().err)
    assert found is not None
    again = Differential(only="audit", at=int(found[1]))
    with pytest.raises(DifferentialError):
        again.run()
    monkeypatch.undo()
    (row,) = again.run()
    assert (row["cases"], row["disagreements"]) == (1, 0)


def test_a_traceback_is_a_disagreement(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: int) -> Iterator[str | None]:
        yield None
        raise KeyError("status")

    monkeypatch.setattr(differential, "_campaigns", lambda: {"broken": broken})
    with pytest.raises(DifferentialError, match="1 disagreements"):
        Differential(at=1).run()


def test_a_long_case_is_ended_with_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(_: int) -> Iterator[str | None]:
        yield None
        while True:
            pass

    monkeypatch.setattr(differential, "_campaigns", lambda: {"endless": endless})
    (row,) = Differential(seconds=0.2).run()
    assert (row["cases"], row["comparisons"], row["disagreements"]) == (1, 1, 0)


def test_what_cannot_be_run_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(OptanonError, match="name some of engines, audit, pairs, views"):
        Differential(only="nothing").run()
    monkeypatch.setattr(differential, "_campaigns", lambda: {"slow": lambda _: iter(())})
    with pytest.raises(OptanonError, match="give --seconds more"):
        Differential(at=1).run()
    monkeypatch.undo()
    monkeypatch.setattr(differential, "ORACLES", tmp_path)
    with pytest.raises(OptanonError, match="run it from a checkout"):
        Differential().run()
