"""The table of `python -m bench tables`."""

from __future__ import annotations

import sys
from dataclasses import replace
from fractions import Fraction

import pytest

from optanon.bench import __main__ as command, tables
from optanon.bench.registry import Row
from optanon.bench.tables import Tables, adult_problem, medians, reached, verified
from optanon.models.numeric import Numeric
from optanon.models.problem import Problem
from optanon.solver.search import solve_problem
from optanon.solver.status import Point


def test_medians_are_over_seeds_and_missing_numbers_stay_missing():
    rows: list[Row] = [
        {"loss": 3.0, "bound": 1.0, "status": "FEASIBLE"},
        {"loss": 9.0, "bound": None, "status": "OPTIMAL"},
        {"loss": 4.0, "bound": 2.0, "status": "FEASIBLE"},
    ]
    assert medians(rows) == {"loss": 4.0, "bound": None, "status": "FEASIBLE/OPTIMAL"}


def test_every_case_is_run_with_every_seed(monkeypatch: pytest.MonkeyPatch):
    def problem(policy: str, columns: str, tuples: int, seed: int) -> tuple[str, str, int, int]:
        return policy, columns, tuples, seed

    def ours(asked: Problem, limit: float, seed: int, workers: int) -> Row:
        return {"loss": 10.0 * seed + limit, "asked": f"{asked} {workers}"}

    def beside(asked: Problem, limit: float, seed: int, row: Row) -> Row:
        return {"ours / its": row["loss"] / (20.0 * seed)}

    for name, function in {"adult_problem": problem, "_ours": ours, "_beside": beside}.items():
        monkeypatch.setattr(tables, name, function)
    first, second = Tables(case="k5:q4:300:5, kc:q7:200:6", seeds="1,2,3").run()
    assert (first["case"], first["loss"], first["ours / its"]) == ("k5", 25.0, 0.625)
    assert second["asked"] == "/".join(f"('kc', 'q7', 200, {seed}) 2" for seed in (1, 2, 3))
    (alone,) = Tables(case="k5:q4:300:5", seeds="4", alone=True).run()
    assert "ours / its" not in alone


def test_what_was_reached_early_is_the_last_loss_by_then():
    found: dict[int, Fraction | None] = {1: None, 8: Fraction(9), 10: Fraction(7), 11: Fraction(5)}
    points = [Point(seconds=second, level=0, value=loss, bound=None) for second, loss in found.items()]
    assert [reached(points, seconds) for seconds in (5, 10, 20)] == [None, 7.0, 5.0]


def test_a_first_release_of_a_series_counts_counterfeits_first_and_may_have_more_people_than_adult():
    policy = adult_problem("m3", "q4", 100, 1).policy
    assert [level.losses for level in policy.levels] == [{"counterfeits"}, {"information_loss"}]
    assert len(adult_problem("m3", "q4", 30_163, 1).table) == 30_163


def test_nine_columns_of_which_two_are_numeric():
    table = adult_problem("k10", "q9", 100, 1).table
    kinds = dict(zip(table.attributes, map(type, table.domains), strict=True))
    assert len(kinds) == 9
    assert [name for name, kind in kinds.items() if kind is Numeric] == ["age", "hours-per-week"]


def test_bounds_are_derived_again_by_the_verifier():
    problem = adult_problem("k5", "q4", 60, 1)
    result = solve_problem(problem, time_limit=30.0, display=False)
    assert verified(problem, result)["verified"] == "yes"
    other = adult_problem("k5", "q4", 60, 2)
    assert "digests differ" in str(verified(other, result)["verified"])
    assert str(verified(problem, replace(result, certificate=None))["verified"]).startswith("no: ")


def test_settings_of_the_command_reach_the_case(monkeypatch: pytest.MonkeyPatch):
    asked: list[Tables] = []

    def run(case: Tables) -> list[Row]:
        asked.append(case)
        return [{"loss": 1.0}]

    monkeypatch.setattr(Tables, "run", run)
    for given in ([], ["--small"], ["--case", "kc:q4:300:5", "--alone"]):
        monkeypatch.setattr(sys, "argv", ["bench", "tables", *given])
        assert command.main() == 0
    assert asked == [Tables(), Tables(**Tables.small_settings), Tables(case="kc:q4:300:5", alone=True)]
