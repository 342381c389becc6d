"""The command line keeps garbage collection away from tables, and gives everything back."""

import gc

import pytest
from command_line import run

from optanon.instances import catalog
from optanon.solver.cli import solve as solve_command
from optanon.solver.collecting import set_apart


def test_nothing_is_collected_meanwhile_and_all_there_is_left_out_later():
    gc.unfreeze()
    assert gc.isenabled()
    try:
        with set_apart():
            assert not gc.isenabled()
        assert gc.isenabled()
        assert gc.get_freeze_count() > 1000
        gc.disable()
        with set_apart():
            pass
        assert not gc.isenabled()  # as it was before
    finally:
        gc.enable()
        gc.unfreeze()


def test_collection_goes_on_after_an_error():
    with pytest.raises(ValueError, match="no"), set_apart():
        raise ValueError("no")
    assert gc.isenabled()


def test_a_table_is_read_without_and_nothing_stays_set_apart(monkeypatch, tmp_path):
    load, seen = solve_command.load_problem, []

    def noted(*given, **named):
        seen.append(gc.isenabled())
        return load(*given, **named)

    monkeypatch.setattr(solve_command, "load_problem", noted)
    assert run("solve", catalog.path("hospital") / "release-1.yaml", "-q", folder=tmp_path).returncode == 0
    assert seen == [False]
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0
