"""The partition engine's parts for large tables: valid bounds, whole releases, equal searches."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from clocks import faked
from oracle.partition import optimum, random_problem

from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirements import DistinctLDiversity, KCAnonymity, TCloseness, WeakMInvariance
from optanon.models.table import Microdata
from optanon.solver.backends.highs import IntegerSolution, best_integers
from optanon.solver.colgen import choice
from optanon.solver.colgen.column import Column, Group, columns_of, lines_of
from optanon.solver.colgen.duals import DualBound
from optanon.solver.colgen.first_order import FirstOrder
from optanon.solver.colgen.histogram_pricing import HistogramPricing
from optanon.solver.colgen.master import RestrictedMaster
from optanon.solver.colgen.neighbours import around
from optanon.solver.colgen.primal import start as start_module
from optanon.solver.colgen.primal.diving import dived
from optanon.solver.colgen.primal.neighbourhoods import Windows
from optanon.solver.colgen.primal.rounding import completed
from optanon.solver.colgen.primal.start import chopped, halved
from optanon.solver.colgen.relaxation import Relaxation
from optanon.solver.colgen.structure.histograms import Histograms, Judge
from optanon.solver.colgen.table import Rows
from optanon.solver.engines.partition import histogram as module
from optanon.solver.engines.partition.proof import describe
from optanon.solver.exact.odd_sets import separated
from optanon.solver.search import partition_engine
from optanon.solver.settings import Answer, Clock, Settings, Watch
from optanon.solver.status import Status
from optanon.solver.verify.priced import priced_loss
from optanon.solver.work import spent

K3 = [KCAnonymity(k=3, c="1/2")]


def balanced(tuples: int, values: int, seed: int) -> Problem:
    """Each value equally often, under m-invariance with m values: buckets."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "id": range(tuples),
            "a": random.integers(0, 40, tuples),
            "b": random.integers(0, 9, tuples),
            "v": random.permutation(np.arange(tuples) % values).astype(str),
        }
    )
    return read(frame, Policy([WeakMInvariance(m=values)]))


def frame_of(tuples: int, seed: int) -> pd.DataFrame:
    """Few ties, five values."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(random.integers(0, 50, (tuples, 2)), columns=["a", "b"])
    return frame.assign(id=[f"r{i}" for i in range(tuples)], v=random.choice(list("abcde"), tuples))


def read(frame: pd.DataFrame, policy: Policy) -> Problem:
    table = Microdata.from_frame(
        frame, respondent="id", quasi_identifiers={"a": "numeric", "b": "numeric"}, sensitive="v"
    )
    return Problem(table=table, policy=policy)


def pricing_of(problem: Problem, workers: int = 1) -> HistogramPricing:
    histograms = Histograms.of(problem)
    assert isinstance(histograms, Histograms)
    return HistogramPricing(Rows.of(problem, blind=Judge(problem).blind), histograms, workers, Clock())


def at_scale(problem: Problem, monkeypatch: pytest.MonkeyPatch, **settings: object) -> Answer:
    """Solve with the first-order method, however small the problem is."""
    monkeypatch.setattr(module, "LIMITS", replace(module.LIMITS, simplex_rows=0))
    answer = partition_engine().solve(problem, Settings(**settings), Watch())  # pyright: ignore[reportArgumentType]
    if answer.release is not None:
        assert next(problem.check(answer.release), None) is None
    return answer


@pytest.mark.parametrize("seed", range(48))
def test_the_first_order_path_finds_the_optimum(seed: int, monkeypatch: pytest.MonkeyPatch):
    problem = random_problem(seed, 8 + seed % 2)
    answer, best = at_scale(problem, monkeypatch), optimum(problem)
    if best is None:
        assert answer.status is Status.INFEASIBLE
    else:
        assert (answer.status, answer.bounds) == (Status.OPTIMAL, (best,))


@pytest.mark.parametrize("kind", ["kc", "buckets"])
@pytest.mark.parametrize("seed", range(4))
def test_dives_make_releases_of_the_whole_table(kind: str, seed: int):
    problem = read(frame_of(150, seed), Policy(K3)) if kind == "kc" else balanced(240, 3, seed)
    pricing, judge = pricing_of(problem), Judge(problem)
    known = DualBound(pricing)
    relaxation = Relaxation(pricing, Clock(), known, lambda: None)
    relaxation.run(1e-3)
    columns, program, random = relaxation.columns, relaxation.program, np.random.default_rng(seed)
    before = program.amount.copy(), program.dual.copy()
    dives: list[list[Group]] = []
    for noise in (None, random.uniform(0, 0.3, len(columns))):
        groups = dived(pricing, columns, program, judge, noise)
        assert groups is not None
        assert covered(groups) == dict(enumerate(pricing.rows.count.tolist()))
        for group in groups:
            counts = np.bincount(pricing.rows.value[list(group)], minlength=len(judge.names))
            assert judge.admits(tuple(counts.tolist()))
        dives.append(groups)
    assert known.bound <= sum(pricing.rows.group_costs(dives[0]))
    assert sorted(dives[0]) != sorted(dives[1])
    assert (program.amount == before[0]).all()
    assert (program.dual == before[1]).all()


@pytest.mark.parametrize("seed", range(24))
def test_every_round_proves_a_bound_that_holds(seed: int):
    problem = random_problem(seed, 9)
    best = optimum(problem)
    pricing = pricing_of(problem)
    if best is None or pricing.histograms.steps.beyond:
        return
    known, bounds = DualBound(pricing), list[int]()
    relaxation = Relaxation(pricing, Clock(), known, lambda: bounds.append(known.bound))
    relaxation.run(1e-4)
    while relaxation.cut(0.02) and len(bounds) < 60:
        relaxation.run(1e-4)
    # Neither cuts nor unfinished linear programs may lift a bound above the optimum.
    per = len(problem.table) if "average_information_loss" in problem.policy.levels[0].losses else 1
    assert bounds == sorted(bounds)
    assert pricing.rows.loss(bounds[-1]) <= best * per
    assert pricing.rows.loss(bounds[-1]) >= best * per * Fraction(1, 2)
    assert known.duals is not None
    claim = describe(pricing.rows, pricing.cuts, known.duals, None, level=0, part=None)
    assert priced_loss(problem, claim, None) == pricing.rows.loss(
        known.duals.bound(pricing.rows, pricing.cuts)
    )


@pytest.mark.parametrize("kind", ["kc", "buckets"])
def test_at_scale_the_same_seed_gives_the_same_release_whoever_works(
    kind: str, monkeypatch: pytest.MonkeyPatch
):
    problem = random_problem(3, 90, K3) if kind == "kc" else balanced(120, 3, 3)
    found = [at_scale(problem, monkeypatch, seed=5, workers=workers) for workers in (1, 1, 2, 3)]
    assert found[0].status is Status.OPTIMAL
    assert all(other.release == found[0].release for other in found[1:])


@pytest.mark.parametrize("kind", ["kc", "buckets"])
def test_what_is_priced_and_listed_does_not_depend_on_workers(kind: str):
    problem = read(frame_of(120, 2), Policy(K3)) if kind == "kc" else balanced(120, 3, 2)
    priced, listed, steps = list[object](), list[list[object]](), list[int]()
    for workers in (1, 2, 5):
        pricing, before = pricing_of(problem, workers), spent()
        duals = pricing.duals(np.full(len(pricing.rows), 20.0 if kind == "kc" else 100.0), np.zeros(0))
        priced.append(pricing.price(duals, per_anchor=3).lines.tolist())
        every = pricing.all_below(duals, 0, room=10**6)
        assert every is not None
        rooms = len(every.lines), len(every.lines) - 1, len(every.lines) // 2
        found = [pricing.all_below(duals, 0, room=room) for room in rooms]
        listed.append([None if one is None else one.lines.tolist() for one in found])
        steps.append(spent() - before)
    assert listed[0][0] is not None
    assert listed[0][1:] == [None, None]
    assert priced[1:] == [priced[0]] * 2
    assert listed[1:] == [listed[0]] * 2
    assert steps[1:] == [steps[0]] * 2


def test_both_methods_prove_the_same_optimum(monkeypatch: pytest.MonkeyPatch):
    problem = random_problem(11, 80, K3)
    one = partition_engine().solve(problem, Settings(), Watch())
    assert one.status is Status.OPTIMAL
    assert at_scale(problem, monkeypatch).bounds == one.bounds


def covered(groups: list[Group]) -> Counter[int]:
    return Counter(row for group in groups for row in group)


@pytest.mark.parametrize("kind", ["kc", "buckets"])
@pytest.mark.parametrize("seed", range(3))
def test_windows_neither_lose_nor_double_a_tuple(kind: str, seed: int):
    problem = read(frame_of(120, seed), Policy(K3)) if kind == "kc" else balanced(120, 3, seed)
    pricing, judge = pricing_of(problem, 2), Judge(problem)
    rows = pricing.rows
    known = DualBound(pricing)
    relaxation = Relaxation(pricing, Clock(), known, lambda: None)
    relaxation.run(1e-3)
    relaxation.cut(0.02)
    relaxation.run(1e-3)
    assert known.duals is not None
    units = np.repeat(np.arange(len(rows)), rows.count)
    start = halved(rows, judge) if kind == "kc" else completed(rows, judge, [], units, buckets=True)
    assert start is not None
    assert covered(start) == dict(enumerate(rows.count.tolist()))
    windows = Windows(pricing=pricing, duals=known.duals, seed=0)
    groups, improved = dict(enumerate(start)), 0
    for places, better in windows.sweep(start, 40, np.random.default_rng(seed)):
        before = [groups.pop(place) for place in places.tolist()]
        assert covered(before) == covered(list(better))
        assert sum(rows.group_costs(better)) < sum(rows.group_costs(before))
        groups |= {1000 * (1 + int(places[0])) + at: group for at, group in enumerate(better)}
        improved += 1
    assert improved
    after = list(groups.values())
    assert covered(after) == dict(enumerate(rows.count.tolist()))
    assert known.bound <= sum(rows.group_costs(after))


POLICIES = {
    "k": [KCAnonymity(k=5)],
    "kc": K3,
    "kl": [KCAnonymity(k=4), DistinctLDiversity(l=2)],
    "t": [TCloseness(t="2/5"), KCAnonymity(k=3)],
}


@pytest.mark.parametrize("limit", [0.0, 4.5, 30.5])
@pytest.mark.parametrize("policy", POLICIES)
def test_a_start_without_time_is_a_release_of_small_groups(
    policy: str, limit: float, monkeypatch: pytest.MonkeyPatch
):
    problem = read(frame_of(600, 2), Policy(POLICIES[policy]))
    # Judged in many pieces.
    monkeypatch.setattr(start_module, "LIMITS", replace(start_module.LIMITS, at_once=64))
    judge = Judge(problem)
    rows = Rows.of(problem, blind=judge.blind)
    faked(monkeypatch, tick=1.0)  # a second per look at the clock: that many parts are cut in full
    start = halved(rows, judge, Clock(limit))
    assert start is not None
    assert covered(start) == dict(enumerate(rows.count.tolist()))
    left = [list(behind) for behind in rows.tuples]
    release = problem.assemble([[left[row].pop() for row in group] for group in start])
    assert next(problem.check(release), None) is None
    in_full = halved(rows, judge)
    assert in_full is not None
    assert len(start) > len(in_full) / 2
    everybody = [tuple(np.repeat(np.arange(len(rows)), rows.count).tolist())]
    assert 2 * sum(rows.group_costs(start)) < sum(rows.group_costs(everybody))


def test_many_verdicts_are_those_on_each():
    for requirements in POLICIES.values():
        judge = Judge(read(frame_of(60, 4), Policy(requirements)))
        counts = np.random.default_rng(1).integers(0, 4, (50, len(judge.names)))
        counts[0] = 0
        some = counts.sum(axis=1, keepdims=True) if judge.blind else counts
        found = judge.verdicts(some).tolist()
        assert found == [judge.admits(tuple(line)) for line in counts.tolist()]
        assert set(found) == {True, False}


def test_parts_that_cannot_be_halved_stay():
    judge = Judge(read(frame_of(60, 4), Policy([KCAnonymity(k=20)])))
    parts = [np.arange(0, 39), np.arange(39, 60)]
    assert chopped(parts, judge, np.zeros(60, dtype=np.int64)) == [tuple(range(39)), tuple(range(39, 60))]
    assert chopped([], judge, np.zeros(60, dtype=np.int64)) == []


@pytest.mark.parametrize("seed", range(6))
def test_both_compiled_searches_list_the_same_groups(seed: int):
    problem = balanced(45, 3 + seed % 2 * 2, seed)
    pricing = pricing_of(problem)
    assert pricing.buckets
    guess = around(pricing.rows, pricing.histograms.steps)
    random = np.random.default_rng(seed)
    duals = pricing.duals(guess * random.uniform(0.9, 1.2, len(guess)), np.zeros(0))
    found, every = pricing.all_below(duals, -1, room=100_000), pricing.price(duals, per_anchor=1)
    assert found is not None
    assert found.complete
    general = pricing_of(problem)
    general.buckets, general._anchors = False, np.arange(len(general.rows))
    expected = general.all_below(duals, -1, room=100_000)
    assert expected is not None
    assert len(expected.lines)
    assert sorted(columns_of(found.lines)) == sorted(columns_of(expected.lines))
    # Stopped early, the bounds still hold.
    short = pricing.price(duals, per_anchor=2, nodes=3)
    assert (short.worst >= every.worst).all()


@pytest.mark.parametrize("seed", range(4))
def test_the_first_order_method_comes_close_to_the_simplex_method(seed: int):
    pricing = pricing_of(read(frame_of(60, seed), Policy(K3)))
    rows = pricing.rows
    known = DualBound(pricing)
    relaxation = Relaxation(pricing, Clock(), known, lambda: None)
    relaxation.run(1e-4)
    columns, duals = relaxation.columns, known.duals
    assert duals is not None
    near = pricing.all_below(duals, 20 * rows.scale * duals.scale // 60, room=50_000)
    assert near is not None
    relaxation.columns.add(near.lines)
    relaxation.run(1e-4)
    members = columns.lines
    pricing.cuts.add(separated(members, relaxation.program.amount, rows.count, pricing.cuts.sets))
    master = RestrictedMaster(pricing, pricing.cuts, relaxation.program.unit)
    master.add(columns.columns(np.arange(len(columns))))
    master.extend()
    exact = master.solve()
    assert exact is not None
    program = FirstOrder(rows, pricing.cuts, columns, relaxation.program.unit, relaxation.program.dual.copy())
    wide = np.full(len(rows), 1e6)
    for _ in range(20):
        state = program.run(-wide, wide, 500)
    assert state.dual == pytest.approx(exact.value, rel=2e-3)
    assert state.primal == pytest.approx(exact.value, rel=2e-3)


def test_a_release_of_the_table_before_is_repaired_into_a_start():
    frame = frame_of(64, 2)
    before, later = (read(part, Policy(K3)) for part in (frame[:60], frame[3:]))
    best = partition_engine().solve(before, Settings(), Watch())
    assert best.release is not None
    answer = partition_engine().solve(later, Settings(initial=best.release, time_limit=1e-9), Watch())
    plain = partition_engine().solve(later, Settings(time_limit=1e-9), Watch())
    assert answer.release is not None
    assert plain.release is not None
    assert next(later.check(answer.release), None) is None
    assert later.objective(answer.release) < later.objective(plain.release)


def test_time_that_ends_before_the_first_linear_program_leaves_a_release():
    problem = read(frame_of(module.LIMITS.simplex_rows + 20, 1), Policy([KCAnonymity(k=3)]))
    answer = partition_engine().solve(problem, Settings(time_limit=1e-9), Watch())
    assert answer.status is Status.FEASIBLE
    assert answer.release is not None
    assert next(problem.check(answer.release), None) is None


def test_padding_keeps_groups():
    assert lines_of([(3, 1), (2,)], 3).tolist() == [[1, 3, -1], [2, -1, -1]]


def test_columns_survive_as_lines():
    columns = (Column((0, 2, 2)), Column((1,), ((0, 1), (4, 2))), Column((3, 5), ((2, 1),)))
    lines = lines_of(columns)
    assert lines.tolist() == [[0, 2, 2, -1], [1, -2, -6, -6], [3, 5, -4, -1]]
    assert columns_of(lines) == columns
    assert [column.made for column in columns] == [0, 3, 1]


def test_no_program_is_begun_that_would_still_be_entered_when_time_is_over(monkeypatch: pytest.MonkeyPatch):
    pricing, asked = pricing_of(read(frame_of(12, 1), Policy(K3))), list[bool]()

    def told(*given: object, **settings: object) -> IntegerSolution:
        asked.append(True)
        return best_integers(*given, **settings)  # pyright: ignore[reportArgumentType]

    slow = replace(choice.SOLVERS.unheard, value=1.0)  # a second for one column, nine for three
    monkeypatch.setattr(choice, "SOLVERS", replace(choice.SOLVERS, unheard=slow))
    monkeypatch.setattr(choice, "best_integers", told)
    groups = [(0, 1, 2), (3, 4, 5), (6, 7, 8, 9, 10, 11)]
    found = [
        choice.best_of(pricing, lines_of(groups), None, nodes=1, seed=0, clock=Clock(s)) for s in (8, 60)
    ]
    assert found[0] == (None, 0)
    assert asked == [True]
    assert found[1][0] is not None
