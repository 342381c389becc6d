"""Draws of worlds and intervals of a minimality-aware posterior, against enumeration."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from optanon.models.errors import EngineError, InputError, PolicyError
from optanon.models.history import History
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirements import Difference, KCAnonymity
from optanon.models.table import Microdata
from optanon.solver.insight.audit.minimality import minimality
from optanon.solver.insight.audit.minimality_estimate import (
    MinimalityEstimate,
    _Draws,
    _Fate,
    _SolvedWorlds,
    minimality_estimate,
)
from optanon.solver.search import solve_problem

F = Fraction
HALF = F(1, 2)


def problem(points: list[int], values: str, policy: Policy | None = None) -> Problem:
    frame = pd.DataFrame({"id": [f"p{i}" for i in range(len(points))], "x": points, "value": list(values)})
    table = Microdata.from_frame(frame, respondent="id", quasi_identifiers=["x"], sensitive="value")
    return Problem(table=table, policy=policy or Policy([KCAnonymity(k=2, c=HALF)]))


def seeded(number: int, people: int) -> Problem:
    random = np.random.default_rng(number)
    return problem(random.integers(0, 8, people).tolist(), "".join(random.choice(list("abc"), people)))


FIVE = problem([0, 0, 0, 4, 0], "ONNHO")
SPLIT = FIVE.assemble([[0, 1], [2, 3, 4]])


def test_intervals_hold_what_enumeration_finds() -> None:
    """Nine people and fewer; everything that is impossible has an interval from 0, too."""
    tried = moved = 0
    for number in range(1, 7):
        at = seeded(number, 6 + number % 4)
        best = solve_problem(at, display=False).release
        if best is None:
            continue
        exact, found = minimality(at, best), minimality_estimate(at, best, worlds=30, seed=number)
        assert found.naive == exact.naive
        assert found.undecided == 0
        for who, chances in found.aware.items():
            for value, (low, high) in chances.items():
                assert low <= exact.aware[who].get(value, 0) <= high
            assert found.seen[who] <= exact.aware[who].keys()
        low, high = found.worst_aware
        assert low <= exact.worst_aware <= high
        assert exact.disclosed <= found.open
        moved += len(found.moved)
        if found.moved:
            assert exact.leaks
        tried += 1
    assert tried > 3
    assert moved


def test_draws_are_even_among_what_is_left() -> None:
    """Two thousand draws of each kind of what no known better release refutes: chi-square below 99.99 %."""
    judge = _SolvedWorlds(FIVE, SPLIT, 10)
    draws = _Draws(judge, 1)
    survivors = {tuple(w) for w in (draws.world().tolist() for _ in range(300)) if _survives(judge, w)}
    assert len(survivors) == 4
    for _ in range(20):
        for change in judge.fate(draws.world())[1]:
            draws.learn(change)
    assert any(block.better for block in draws.blocks)
    drawn = Counter(tuple(draws.world().tolist()) for _ in range(2000))
    assert survivors <= drawn.keys()
    expected = 2000 / len(drawn)
    assert (
        sum((n - expected) ** 2 / expected for n in drawn.values()) < len(drawn) + 6 * len(drawn) ** 0.5 + 6
    )


def _survives(judge: _SolvedWorlds, world: list[int]) -> bool:
    return judge.fate(np.array(world, dtype=np.int64))[0] is _Fate.SURVIVES


def test_worlds_not_decided_in_time_widen_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    def undecided(self: _SolvedWorlds, world: object) -> tuple[_Fate, list[object]]:
        return _Fate.UNDECIDED, []

    monkeypatch.setattr(_SolvedWorlds, "fate", undecided)
    found = minimality_estimate(FIVE, SPLIT, worlds=50)
    assert (found.drawn, found.surviving, found.undecided) == (50, 0, 50)
    assert all(ends == (0.0, 1.0) for chances in found.aware.values() for ends in chances.values())
    assert not found.moved


def test_a_hundred_survivors_bound_what_is_left() -> None:
    found = minimality_estimate(FIVE, SPLIT, worlds=100, confidence="0.99")
    assert (found.surviving, found.confidence) == (100, F(99, 100))
    low, high = found.aware["p3"]["H"]
    assert 0.9 < low < high == 1
    assert found.aware["p3"]["O"][0] == 0
    assert found.aware["p3"]["O"][1] < 0.1
    assert "p3" in found.moved & found.open
    assert "p0" not in found.open
    plain = found.to_dict()
    assert json.loads(json.dumps(plain)) == plain
    assert "p3" not in json.dumps(plain) + repr(found)
    assert found.to_dict(show_ids=True)["maybe disclosed"] == ["p3"]
    again: MinimalityEstimate = minimality_estimate(FIVE, SPLIT, worlds=100, confidence="0.99")
    assert again.aware == found.aware


def test_two_dozen_people() -> None:
    """Far more worlds than can be enumerated; values of all kinds are left to most of them."""
    at = seeded(5, 24)
    best = solve_problem(at, display=False).release
    assert best is not None
    found = minimality_estimate(at, best, worlds=10, seed=2)
    assert found.surviving
    assert found.worst_naive == HALF
    truth = {m.respondent: m.value for m in at.table.members}
    assert all(high > 0 for who, chances in found.aware.items() for high in [chances[truth[who]][1]])


def test_refusals_name_a_remedy() -> None:
    whole = FIVE.assemble([[0, 1, 2, 3, 4]])
    with pytest.raises(InputError, match="less loss"):
        minimality_estimate(FIVE, whole)
    with pytest.raises(InputError, match="breaks the policy"):
        minimality_estimate(FIVE, FIVE.assemble([[0], [1, 2, 3, 4]]))
    later = Problem(table=FIVE.table, policy=FIVE.policy, history=History([SPLIT]))
    with pytest.raises(EngineError, match="first releases"):
        minimality_estimate(later, SPLIT)
    sparing = Problem(table=FIVE.table, policy=Policy([KCAnonymity(k=2)], max_suppressed=1))
    with pytest.raises(EngineError, match="suppress nobody"):
        minimality_estimate(sparing, SPLIT)
    joint = Problem(table=FIVE.table, policy=Policy([KCAnonymity(k=2), Difference(k=2)]))
    with pytest.raises(EngineError, match="not difference"):
        minimality_estimate(joint, SPLIT)
    few = Problem(table=FIVE.table, policy=Policy([KCAnonymity(k=2)], ["signatures", "information_loss"]))
    with pytest.raises(EngineError, match="as signatures may: use `minimality`"):
        minimality_estimate(few, SPLIT)
    with pytest.raises(PolicyError, match="between 0 and 1"):
        minimality_estimate(FIVE, SPLIT, confidence=1)
    with pytest.raises(PolicyError, match="worlds"):
        minimality_estimate(FIVE, SPLIT, worlds=0)
    with pytest.raises(PolicyError, match="seed must be a whole number of at least 0"):
        minimality_estimate(FIVE, SPLIT, seed=-1)
