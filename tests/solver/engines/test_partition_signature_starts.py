"""First releases of a series: valid whenever the clock ends, near together, and with few counterfeits."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from cases.released_before import drawn
from clocks import Asked

from optanon.models.problem import Problem
from optanon.solver.baselines.registry import baselines
from optanon.solver.colgen import signature_neighbours
from optanon.solver.colgen.primal import dealing, free as free_tuples, mixing
from optanon.solver.colgen.primal.dealing import dealt, past_of
from optanon.solver.colgen.primal.free import Free, apart
from optanon.solver.colgen.primal.mixing import grouped
from optanon.solver.colgen.signature_neighbours import neighbours
from optanon.solver.colgen.structure.signatures import Rules
from optanon.solver.colgen.structure.types import Types
from optanon.solver.engines.partition.signature import minimum_counterfeits as series_counts
from optanon.solver.engines.partition.signature.construct import assembled, filled
from optanon.solver.engines.partition.signature.flat import singles
from optanon.solver.engines.partition.signature.minimum_counterfeits import fewest
from optanon.solver.settings import Clock


def kinds_of(problem: Problem) -> Types:
    rules = Rules.of(problem)
    assert isinstance(rules, Rules)
    return Types.of(problem, rules)


CASES = [
    (kind, tuples, releases, seed, n)
    for kind in ("skewed", "uniform")
    for tuples, releases in ((24, 2), (60, 3), (120, 4))
    for seed in range(4)
    for n in (2, 3)
]


@pytest.mark.parametrize(("kind", "tuples", "releases", "seed", "n"), CASES)
def test_every_first_release_keeps_the_policy(kind: str, tuples: int, releases: int, seed: int, n: int):
    problem = drawn(kind, tuples, releases, seed, n)
    if problem is None:
        return
    types = kinds_of(problem)
    counts, past = fewest(types), past_of(types)
    for clock in (None, Clock(stop=Asked(0)), Clock(stop=Asked(1))):
        columns = filled(types, past, counts, Random(seed), clock)
        release = assembled(types, problem, columns)
        assert release.counterfeits >= counts.bound
        assert [found.message for found in problem.check(release)] == []


def test_histories_that_the_counts_cannot_be_met_after_are_among_these():
    """There some buckets get more groups; far fewer than one for everybody."""
    above = made = beside = everybody = 0
    for kind, tuples, releases, seed, n in CASES:
        problem = drawn(kind, tuples, releases, seed, n)
        if problem is None or releases < 3:
            continue
        types = kinds_of(problem)
        counts = fewest(types)
        found = dealt(types, past_of(types), counts.each, Random(0))
        groups = np.diff(found.start)
        assert (groups >= counts.each)[: len(groups)].all() or len(found.lonely)
        above += bool((groups > counts.each).any())
        columns = filled(types, past_of(types), counts, Random(0))
        published = baselines()["cor_split"].run(problem, 0) if kind == "uniform" else None
        if published is not None:
            made += types.made_of(columns)[0]
            beside += published.counterfeits
            everybody += types.made_of(singles(types))[0]
    assert above >= 4
    assert made <= 2 * beside < everybody / 4


@pytest.mark.parametrize("block", [1, 3, 64])
def test_dealt_groups_hold_each_value_once_and_may_be_completed(monkeypatch: pytest.MonkeyPatch, block: int):
    monkeypatch.setattr(dealing, "LIMITS", replace(dealing.LIMITS, block=block))
    for seed in range(6):
        problem = drawn("uniform", 150, 3, seed)
        assert problem is not None
        types = kinds_of(problem)
        counts, past = fewest(types), past_of(types)
        found = dealt(types, past, counts.each, Random(seed))
        placed = Counter(found.row.tolist()) + Counter(found.lonely.tolist())
        old = np.flatnonzero(types.home >= 0)
        assert placed == {int(r): int(types.rows.count[r]) for r in old}
        bucket = np.repeat(np.arange(len(found.start) - 1), np.diff(found.start))
        for q in np.unique(found.group).tolist():
            rows = found.row[found.group == q]
            assert set(types.home[rows].tolist()) == {int(bucket[q])}
            values = types.rows.value[rows].tolist()
            assert len(set(values)) == len(values)
            met = Counter(g for r in rows.tolist() for g in types.traces[r])
            size = len(types.rules.signatures[int(bucket[q])])
            assert any(
                all(types.rules.safe[0, types.rules.kind[g], members, shared] for g, shared in met.items())
                for members in range(len(rows), size + 1)
            )


def test_new_tuples_are_grouped_with_the_nearest_other_values():
    problem = drawn("uniform", 200, 1, 3)
    assert problem is not None
    types = kinds_of(problem)
    points, values, left = apart(types), types.rows.value, types.rows.count.copy()
    for group in grouped(types, Free(types), Random(1)):
        free = [r for r in np.flatnonzero(left).tolist() if values[r] not in values[list(group)]]
        here = points[list(group)]
        if len(group) == 3 and free:
            # One of them is the middle: no other value had a nearer tuple than its two companions.
            others = np.abs(points[free][:, None] - here[None]).sum(axis=2).min(axis=0)
            own = np.abs(here[:, None] - here[None]).sum(axis=2).max(axis=0)
            assert (own <= others + 1e-9).any()
        np.subtract.at(left, list(group), 1)
    assert not left.any()


@pytest.mark.parametrize("reach", [1, 10**6])
def test_no_value_is_left_over_that_others_were_needed_for(monkeypatch: pytest.MonkeyPatch, reach: int):
    monkeypatch.setattr(free_tuples, "LIMITS", replace(free_tuples.LIMITS, least=reach, work=0))
    for seed in range(8):
        problem = drawn("skewed", 90, 1, seed)
        assert problem is not None
        types = kinds_of(problem)
        number = np.bincount(types.rows.value, weights=types.rows.count)
        if 3 * number.max() > number.sum():
            continue
        groups = grouped(types, Free(types), Random(seed))
        assert sorted(r for group in groups for r in group) == sorted(
            np.repeat(np.arange(len(types)), types.rows.count).tolist()
        )
        for group in groups:
            assert len(set(types.rows.value[list(group)].tolist())) == len(group)
        assert sorted(map(len, groups))[:-1] == [3] * (len(groups) - 1)
        assert max(map(len, groups)) < 6


def test_guesses_are_ways_to_the_nearest_values():
    problem = drawn("uniform", 60, 2, 0)
    assert problem is not None
    types = kinds_of(problem)
    codes, values, home = types.rows.geometry.codes, types.rows.value, types.home
    expected = np.zeros(len(types))
    for r in range(len(types)):
        near: dict[int, int] = {}
        for u in range(len(types)):
            if home[u] not in (-1, home[r]) or values[u] == values[r]:
                continue
            if home[r] >= 0 and values[u] not in types.rules.signatures[home[r]]:
                continue
            lo, hi = np.minimum(codes[r], codes[u]), np.maximum(codes[r], codes[u])
            cost, v = int(types.rows.box_cost(lo, hi)), int(values[u])
            near[v] = min(cost, near.get(v, cost))
        expected[r] = [0, *sorted(near.values())[: types.rules.least - 1]][-1]
    assert neighbours(types).tolist() == expected.tolist()


def test_counts_are_a_solution_also_if_the_solver_has_none_in_time(monkeypatch: pytest.MonkeyPatch):
    problem = drawn("uniform", 120, 3, 0)
    assert problem is not None
    types = kinds_of(problem)
    best = fewest(types)
    monkeypatch.setattr(series_counts, "guessed", lambda *_: None)
    monkeypatch.setattr(series_counts.Tree, "run", lambda *_: False)
    found = fewest(types, Clock(stop=Asked(0)))
    assert found.bound <= best.bound
    assert not found.joined.any()
    columns = filled(types, past_of(types), found, Random(0))
    assert [broken.message for broken in problem.check(assembled(types, problem, columns))] == []


def test_the_clock_is_asked_between_pieces_of_work(monkeypatch: pytest.MonkeyPatch):
    for file in (mixing, signature_neighbours):
        monkeypatch.setattr(file, "LIMITS", replace(file.LIMITS, chunk=8))
    monkeypatch.setattr(dealing, "LIMITS", replace(dealing.LIMITS, chunk=8))
    problem = drawn("uniform", 300, 2, 1)
    assert problem is not None
    types = kinds_of(problem)
    stop = Asked(10**9)
    counts = fewest(types)
    filled(types, past_of(types), counts, Random(0), Clock(stop=stop))
    assert stop.times > len(counts.each) // 8
    stop = Asked(3)
    found = neighbours(types, Clock(stop=stop))
    assert 4 <= stop.times <= 5
    assert (found[24:] == found[:24].mean()).all()
