"""`resists_inference` on large tables: kept groups, near rows, and searches that are judged in less time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from cases.attacks import HALF
from cases.trees import categories
from strategies import seeded

from optanon.bench.withstand import inferred
from optanon.instances.adult import adult
from optanon.models.history import History
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.release import Release
from optanon.models.requirements import KCAnonymity, ResistsInference
from optanon.solver.baselines.widths import LARGEST, beside, widths_of
from optanon.solver.engines.partition import engine as engines
from optanon.solver.engines.partition.histogram import HistogramSearch
from optanon.solver.engines.partition.withstand import search as searches
from optanon.solver.engines.partition.withstand.arrays import groups_of, past_from
from optanon.solver.engines.partition.withstand.component import linked_cells
from optanon.solver.engines.partition.withstand.judge import SeriesJudge
from optanon.solver.engines.partition.withstand.limits import WITHSTAND_LIMITS as LIMITS
from optanon.solver.engines.partition.withstand.near import nearest_rows
from optanon.solver.engines.partition.withstand.search import WithstandSearch
from optanon.solver.engines.partition.withstand.sides import sides_of
from optanon.solver.limits import PORTFOLIO
from optanon.solver.search import solve_problem
from optanon.solver.settings import Clock, Settings, Watch


def problem(people: int, past: History, rule: ResistsInference) -> Problem:
    """A prefix of shuffled Adult under (3, 1/2)-anonymity and the rule."""
    data = adult()
    order = np.random.default_rng(0).permutation(len(data.frame))
    table = data.roles.table(data.frame.iloc[order[:people]].reset_index(drop=True))
    return Problem(table=table, policy=Policy([KCAnonymity(k=3, c=HALF), rule]), history=past)


@pytest.mark.parametrize("fakes", [0, 1])
def test_groups_that_were_kept_add_no_rows_unless_they_hide_counterfeits(fakes: int) -> None:
    """Two groups kept twice, then exchanged: rows as if they had been published once, and the same bounds."""
    value, home = np.array([0, 1, 2, 0, 1, 3]), np.array([0, 0, 0, 1, 1, 1])
    counts = np.array([[1, 1, 1 + fakes, 0], [1, 1, 0, 1 + fakes]])
    sides = sides_of(problem(40, History(), ResistsInference(max_posterior=HALF)))
    codes = np.zeros((6, len(sides.weight)), dtype=np.int64)
    found = []
    for times in (1, 2):
        place = np.stack([home + 2 * r for r in range(times)], axis=1)
        past = past_from(value, place, np.tile(counts, (times, 1)), np.full(2 * times, fakes))
        groups = groups_of(past, codes, sides, 2, [[3, 1, 2], [0, 4, 5]], 3)
        number = np.full(2 * times + 6, -1, dtype=np.int64)
        found.append(linked_cells(past, groups, np.arange(6), number))
        assert (number == -1).all()
        assert SeriesJudge(past, 2, HALF).inferred(groups, range(6)) == []
    once, twice = found
    assert (len(once.low) < len(twice.low)) == bool(fakes)
    assert (once.lower.tolist(), once.upper.tolist()) == (twice.lower.tolist(), twice.upper.tolist())


def test_a_judge_made_narrow_keeps_what_it_knows_and_judges_less() -> None:
    value, place = np.array([0, 1, 2, 0, 1, 2]), np.array([[0], [0], [0], [1], [1], [1]])
    past = past_from(value, place, np.ones((2, 3), dtype=np.int64), np.zeros(2, dtype=np.int64))
    sides = sides_of(problem(40, History(), ResistsInference(max_posterior=HALF)))
    codes = np.zeros((6, len(sides.weight)), dtype=np.int64)
    crossed, other = (
        groups_of(past, codes, sides, 2, groups, 3)
        for groups in ([[0, 4, 5], [3, 1, 2]], [[0, 1, 5], [3, 4, 2]])
    )
    judge = SeriesJudge(past, 2, HALF)
    assert judge.inferred(crossed, range(6)) == []
    judge.narrow(5, 1_000)
    assert judge.inferred(crossed, range(6)) == []
    assert sorted(judge.inferred(other, range(6)) or ()) == list(range(6))
    assert SeriesJudge(past, 2, HALF).inferred(other, range(6)) == []


@pytest.mark.parametrize("seed", range(3))
def test_near_rows_under_hierarchies_of_any_shape_are_those_of_all_pairs(seed: int) -> None:
    source, draw = seeded("near", seed), np.random.default_rng(seed)
    domains = [categories(source, 30), categories(source, 8)]
    codes, sides = (
        np.column_stack([draw.integers(0, d.span, 200) for d in domains]),
        widths_of(domains, [2, 7]),
    )
    near = nearest_rows(codes, sides, 5, 16)
    for p in range(0, 200, 19):
        away = np.array([beside(sides, codes[p], codes[p], codes[q], LARGEST) for q in range(200)])
        away[p] = LARGEST
        assert near[p].tolist() == np.argsort(away, kind="stable")[:5].tolist()


def test_near_rows_found_by_runs_are_those_of_all_pairs() -> None:
    asked = problem(400, History(), ResistsInference(max_posterior=HALF))
    codes, sides = np.ascontiguousarray(asked.table.codes), sides_of(asked)
    for most in (3, 40, 399):
        near = nearest_rows(codes, sides, most)
        for p in range(0, 400, 37):
            away = np.array([beside(sides, codes[p], codes[p], codes[q], LARGEST) for q in range(400)])
            away[p] = LARGEST
            assert near[p].tolist() == np.argsort(away, kind="stable")[:most].tolist()


def test_a_table_that_counts_as_large_is_released_safely(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three releases nobody is inferred from; heuristics are not asked before there is a start."""
    monkeypatch.setattr(engines, "PORTFOLIO", replace(PORTFOLIO, tuples=40))
    monkeypatch.setattr(searches, "LIMITS", replace(LIMITS, large=40, near_large=20))
    rule, past = ResistsInference(min_values=2), History()
    for people in (50, 100, 150):
        asked = problem(people, past, rule)
        found = solve_problem(asked, time_limit=3, seed=1, workers=1, display=False)
        assert found.release is not None
        assert not inferred(past.followed_by(found.release), rule)[1]
        past.append(found.release)


def test_heuristics_are_asked_where_no_start_is_safe() -> None:
    rule = ResistsInference(min_values=2)
    asked = problem(40, History(), rule)
    one = asked.assemble([list(range(40))])
    times = list[Clock]()

    def further(clock: Clock) -> Iterator[Release]:
        times.append(clock)
        yield one

    settings = Settings(time_limit=2, seed=1, further=further)
    ask = WithstandSearch(asked, rule, settings, Watch(), lambda p, s, c, hear: iter(()), HistogramSearch)
    ask.ask_others()
    assert ask.incumbent.release() is one
    ask.ask_others()
    assert len(times) == 1
