"""What blocks prove together: duals by which no group of the table is paid, derived again by `verify`."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from itertools import count, islice

import numpy as np
import pytest
from clocks import faked
from courses import paced

from optanon.instances.generators import clustered_table, generated_roles
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirement import Requirement
from optanon.models.requirements import DistinctLDiversity, KCAnonymity, TCloseness, WeakMInvariance
from optanon.solver import limits, portfolio
from optanon.solver.cluster.here import Here
from optanon.solver.colgen.boxes import grid, sweeping
from optanon.solver.colgen.boxes.form import form_of
from optanon.solver.colgen.boxes.nodes import nodes_of
from optanon.solver.colgen.covering import Ints
from optanon.solver.colgen.cuts import Cuts
from optanon.solver.colgen.duals import DualBound
from optanon.solver.colgen.histogram_pricing import HistogramPricing
from optanon.solver.colgen.pricing import Priced
from optanon.solver.colgen.primal.annealing import Cooling
from optanon.solver.colgen.structure.histograms import Histograms, Judge
from optanon.solver.colgen.table import Rows
from optanon.solver.engines.partition.blocks import bound, cutting, plan, search, separating
from optanon.solver.engines.partition.blocks.cutting import Grouping
from optanon.solver.engines.partition.easier import part_of
from optanon.solver.engines.partition.progress import Progress
from optanon.solver.portfolio import informed
from optanon.solver.schedule import BLOCKS
from optanon.solver.search import partition_engine, solve_problem
from optanon.solver.settings import Clock, Settings, Watch
from optanon.solver.shares import Seconds
from optanon.solver.status import Point, Termination

K3 = Policy([KCAnonymity(k=3)])
K5L2 = Policy([KCAnonymity(k=3), DistinctLDiversity(l=2)])
HALF = Policy([KCAnonymity(k=3, c=Fraction(1, 2))])
M2 = Policy([WeakMInvariance(m=2)])


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    phases = ((10, 0, 20, 10), (2, 2, 20, 20))
    small = replace(search.LIMITS, rows=50, tuples=120, separated=120, rounds=3, moves=20, phases=phases)
    for module in (bound, plan, search, separating, sweeping):
        monkeypatch.setattr(module, "LIMITS", small)
    monkeypatch.setattr(portfolio, "baselines", dict)


def clustered(policy: Policy, tuples: int = 300) -> Problem:
    return Problem(table=generated_roles().table(clustered_table(tuples, seed=4)), policy=policy)


@pytest.mark.parametrize("policy", [K3, K5L2, HALF], ids=["k", "k and l", "k and c"])
def test_blocks_prove_a_bound_that_is_derived_again(policy: Policy):
    problem = clustered(policy)
    found = solve_problem(problem, seed=2, workers=1, display=False)
    assert found.release is not None
    (level,) = found.levels
    assert level.bound is not None
    assert level.trusted_bound is None  # nobody's word
    assert 0.6 * level.value < level.bound <= level.value


@pytest.mark.parametrize("policy", [K3, K5L2], ids=["k", "k and l"])
def test_what_tuples_pay_anyway_is_a_bound_before_any_block_is_priced(
    policy: Policy, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(plan, "LIMITS", replace(plan.LIMITS, phases=()))
    (level,) = solve_problem(clustered(policy), seed=2, workers=1, display=False).levels
    assert level.bound is not None
    assert level.trusted_bound is None
    assert 0 < level.bound <= level.value


def test_where_time_is_over_before_the_last_round_there_is_a_bound(monkeypatch: pytest.MonkeyPatch):
    def late(rounds: search.Rounds, groups: Grouping, *_: object) -> Grouping:
        rounds.clock.limit = 0.0
        return groups

    monkeypatch.setattr(search.Rounds, "across", late)
    (level,) = solve_problem(clustered(K3), seed=2, workers=1, display=False).levels
    assert level.bound is not None
    assert level.trusted_bound is None
    assert 0 < level.bound <= level.value


def test_where_groups_have_a_form_the_bound_counts_values_and_not_sizes_alone():
    bounds = list[Fraction]()
    for policy in (K3, HALF):
        (level,) = solve_problem(clustered(policy), seed=2, workers=1, display=False).levels
        assert level.bound is not None
        assert level.trusted_bound is None
        bounds.append(level.bound)
    assert bounds[1] > Fraction(11, 10) * bounds[0]


@pytest.mark.parametrize(
    ("numeric", "categorical", "expected"),
    [(1, 2, False), (2, 1, True), (2, 0, False)],
    ids=["one number", "two numbers", "numbers only"],
)
def test_tables_of_several_numbers_go_in_blocks_much_earlier(
    numeric: int, categorical: int, expected: bool, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(search, "LIMITS", replace(limits.BLOCKS, nested_rows=100))
    table = clustered_table(400, seed=4, numeric=numeric, categorical=categorical)
    roles = generated_roles(numeric=numeric, categorical=categorical)
    problem = Problem(table=roles.table(table), policy=K3)
    rows, judge = Rows.of(problem, blind=True), Judge(problem)
    assert len(rows) > 100
    assert not search.in_blocks(rows, judge, listed=True, beyond=False)  # all cells can be listed
    monkeypatch.setattr(grid, "MOST_PAIRS", 1_000)
    assert search.in_blocks(rows, judge, listed=True, beyond=False) is expected
    assert not search.in_blocks(rows, judge, listed=False, beyond=False)


@pytest.mark.parametrize(
    ("requirement", "expected"),
    [
        (DistinctLDiversity(l=2), True),
        (DistinctLDiversity(l=4), False),
        (TCloseness(t=Fraction(1, 5)), False),
    ],
    ids=["two values", "four values", "shares of the table"],
)
def test_where_nearly_all_small_groups_will_do_tables_go_in_blocks_though_any_size_may_be_needed(
    requirement: Requirement, expected: bool, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(search, "LIMITS", replace(limits.BLOCKS, beyond_rows=100))
    problem = clustered(Policy([KCAnonymity(k=5), requirement]), 400)
    judge = Judge(problem)
    rows = Rows.of(problem, blind=judge.blind)
    assert search.in_blocks(rows, judge, listed=True, beyond=True) is expected
    assert not search.in_blocks(rows, judge, listed=True, beyond=False)


def test_swept_duals_pay_for_no_group_and_are_not_lowered_twice():
    problem = clustered(K3, 120)
    histograms = Histograms.of(problem)
    assert isinstance(histograms, Histograms)
    rows = Rows.of(problem, blind=True)
    pricing = HistogramPricing(rows, histograms)
    form = form_of(histograms)
    assert form is not None
    table = sweeping.TablePricing(rows, histograms, form, Here(), Clock())
    random = np.random.default_rng(0).uniform(0, rows.dearest / 2, len(rows))
    duals = table.duals(random, np.zeros(0))
    found = table.price(duals, per_anchor=2)
    assert found.complete
    assert (found.worst >= 0).all()
    assert (found.worst > 0).any()
    sums = np.where(found.lines < 0, 0, duals.rows[found.lines]).sum(axis=1)
    assert (sums > duals.scale * rows.costs(found.lines)).all()
    assert len(found.lines) > 20
    swept = duals.made_feasible(found.worst)
    # The present search over sets of tuples knows nothing of boxes.
    priced = pricing.price(swept, per_anchor=1, nodes=1_000_000)
    assert priced.complete
    assert len(priced.lines) == 0
    again = table.price(swept, per_anchor=1)
    assert not again.worst.any()
    assert not len(again.lines)


def test_under_cuts_groups_that_pay_are_found_and_swept_duals_pay_for_none():
    problem = clustered(K3, 120)
    rows, histograms = Rows.of(problem, blind=True), Histograms.of(problem)
    assert isinstance(histograms, Histograms)
    form = form_of(histograms)
    assert form is not None
    table, other = (
        sweeping.TablePricing(rows, histograms, form, Here(2), Clock()),
        HistogramPricing(rows, histograms),
    )
    random = np.random.default_rng(1)
    for divisor in (2, 3):
        table.cuts.add([tuple(sorted(random.choice(len(rows), 7, replace=False).tolist()))], divisor)
    other.cuts = table.cuts
    duals = table.duals(random.uniform(0, rows.dearest / 2, len(rows)), np.full(2, -rows.dearest / 4))
    found = table.price(duals, per_anchor=2)
    assert found.complete
    swept = duals.made_feasible(found.worst)
    assert (swept.cuts == duals.cuts).all()
    priced = other.price(swept, per_anchor=1, nodes=1_000_000)
    assert priced.complete
    assert len(priced.lines) == 0


def test_the_linear_program_is_rounded_to_better_releases(monkeypatch: pytest.MonkeyPatch):
    problem = clustered(K3)
    moved = solve_problem(problem, seed=2, workers=1, display=False)
    monkeypatch.setattr(plan, "LIMITS", replace(plan.LIMITS, phases=()))
    alone = solve_problem(problem, seed=2, workers=1, display=False)
    assert moved.objective[0] < alone.objective[0]
    found = moved.levels[0].bound
    assert found is not None
    assert found > 0.6 * moved.objective[0]


def of_table(problem: Problem) -> tuple[Rows, Judge, search.Rounds]:
    judge = Judge(problem)
    rows = Rows.of(problem, blind=judge.blind)
    progress = Progress(problem, rows, Watch(), 0, Fraction(1))
    return rows, judge, search.Rounds(rows, judge, progress, Settings(), Clock())


def test_cuts_of_pieces_are_broken_and_the_same_on_any_number_of_workers():
    problem = clustered(K3)
    rows, _, _ = of_table(problem)
    rows = replace(rows, count=np.ones_like(rows.count))
    # Of six tuples in a row, half of groups that hold two of the first three each, and of the last three.
    shapes = ((0, 1, 3), (1, 2, 4), (0, 2, 5), (3, 4, 5))
    ends = len(rows) // 6 * 6
    lines = [[t + a for a in shape] for t in range(0, ends, 6) for shape in shapes]
    lines = np.array(lines + 2 * [[t, -1, -1] for t in range(ends, len(rows))])
    amount = np.full(len(lines), 0.5)
    cuts = Cuts(rows)
    asked = rows, lines.astype(np.int32), amount, cuts, (2, 3)
    found = separating.broken(*asked, Here(), 7, Clock())
    assert found == separating.broken(*asked, Here(2), 7, Clock())
    assert len(set(found)) == len(found)
    for own, divisor in found:
        inside = np.isin(lines, own).sum(axis=1)
        assert amount @ (inside // divisor) > len(own) // divisor + 0.019
    homes = homes_of(rows, 7)
    assert max(homes) > 1
    assert all(len(set(homes[list(own)])) == 1 for own, _ in found)
    assert {homes[own[0]] for own, _ in found} == set(homes)
    for own, divisor in found:
        cuts.add([own], divisor)
    assert not set(found) & set(separating.broken(*asked, Here(), 7, Clock()))
    # Elsewhere there are cuts across the borders of before.
    later = separating.broken(*asked, Here(), 1_000_010, Clock())
    assert not set(found) & set(later)
    assert any(len(set(homes[list(own)])) > 1 for own, _ in later)


def homes_of(rows: Rows, seed: int) -> Ints:
    """The piece of each row."""
    found = np.full(len(rows), -1, dtype=np.int64)
    for number, piece in enumerate(cutting.pieces_of(rows, separating.LIMITS.separated, seed)):
        assert rows.count[piece].sum() <= separating.LIMITS.separated
        assert (found[piece] == -1).all()
        found[piece] = number
    assert (found >= 0).all()
    return found


def test_tables_whose_counts_are_listed_go_in_blocks_earlier(monkeypatch: pytest.MonkeyPatch):
    rows, judge, _ = of_table(clustered(K3))
    for least, listed, found in ((len(rows) - 1, True, True), (len(rows), True, False), (1, False, False)):
        monkeypatch.setattr(search, "LIMITS", replace(limits.BLOCKS, listed_rows=least, nested_rows=least))
        assert search.in_blocks(rows, judge, listed=listed, beyond=False) is found


def program_of(rounds: search.Rounds, problem: Problem) -> bound.TableProgram:
    histograms = Histograms.of(problem)
    assert isinstance(histograms, Histograms)
    form = form_of(histograms)
    assert form is not None
    pricing = HistogramPricing(rounds.rows, histograms)
    return bound.TableProgram(rounds, rounds.rows, histograms, form, DualBound(pricing))


def test_what_is_no_release_yet_is_not_crossed_and_takes_nobodys_place():
    problem = clustered(K3)
    rows, _, rounds = of_table(problem)
    program = program_of(rounds, problem)
    everybody = Grouping.of([tuple(np.repeat(np.arange(len(rows)), rows.count).tolist())])
    single = Grouping.of([(0,), *((row,) for row in range(1, len(rows)))])
    better = rounds.run()
    for given, found in ((everybody, everybody), (single, single), (better, better)):
        ends = program._crossed(given)
        assert sorted(map(sorted, ends.tuples())) == sorted(map(sorted, found.tuples()))
    assert sorted(map(sorted, program._crossed(everybody).tuples())) == sorted(map(sorted, better.tuples()))


@pytest.mark.parametrize("policy", [K3, K5L2, M2], ids=["k", "k and l", "m"])
def test_some_tuples_are_grouped_as_a_table_of_their_own(policy: Policy):
    rows, judge, rounds = of_table(clustered(policy))
    units = np.repeat(np.arange(len(rows)), rows.count)[::2]
    few, many = (rounds.anew(units, (moves, moves), 1) for moves in (1, 40))
    for found in (few, many):
        assert sorted(found.member.tolist()) == units.tolist()
        counts = [np.bincount(rows.value[list(g)], minlength=len(judge.names)) for g in found.tuples()]
        assert judge.verdicts(np.array(counts, dtype=np.int64)[:, : 1 if judge.blind else None]).all()
    assert sum(rows.group_costs(many.tuples())) < sum(rows.group_costs(few.tuples()))


def test_tuples_that_may_not_be_released_alone_wait_for_groups_of_others():
    problem = clustered(K5L2)
    rows, _, rounds = of_table(problem)
    program = program_of(rounds, part_of(problem, ()))
    alike = np.flatnonzero(rows.value == rows.value[0])[:5]
    others = [tuple(np.setdiff1d(np.arange(len(rows)), alike).tolist())]
    assert program.completed(others, alike, (5, 5)).tuples() == [*others, *((int(row),) for row in alike)]
    mixed = np.arange(20)
    assert sorted(map(len, program.completed([], mixed, (5, 5)).tuples()))[0] >= 3


def test_groups_are_given_up_until_what_is_left_has_groups_of_different_values():
    problem = clustered(M2)
    rows, judge, rounds = of_table(problem)
    program = program_of(rounds, problem)
    groups = [group for group in rounds.run().tuples() if len(group) == 2]
    most = int(np.bincount(rows.value, weights=rows.count).argmax())
    torn = [group for group in groups if most in rows.value[list(group)]][:5]
    kept = [group for group in groups if group not in torn]
    alike = np.array([row for group in torn for row in group if rows.value[row] == most])
    found = program.completed(kept, alike, (5, 5)).tuples()
    assert sorted(row for group in found for row in group) == sorted(
        [*(row for group in kept for row in group), *alike.tolist()]
    )
    counts = [np.bincount(rows.value[list(group)], minlength=len(judge.names)) for group in found]
    assert judge.verdicts(np.array(counts, dtype=np.int64)).all()
    assert max(map(max, counts)) == 1
    given = [group for group in kept if group not in found]
    assert 0 < len(given) <= len(alike)  # some may be made again
    assert not any(most in rows.value[list(group)] for group in given)


def test_where_values_have_to_differ_roundings_improve_the_release(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(search, "LIMITS", replace(search.LIMITS, rows=0))
    problem = clustered(M2)
    rounded = solve_problem(problem, seed=2, workers=1, display=False)
    monkeypatch.setattr(plan, "LIMITS", replace(plan.LIMITS, phases=()))
    alone = solve_problem(problem, seed=2, workers=1, display=False)
    assert rounded.objective[0] < alone.objective[0]


@pytest.mark.parametrize(("numeric", "part"), [(1, None), (2, ())], ids=["one number", "two numbers"])
def test_values_are_priced_unless_intervals_are_nested(numeric: int, part: tuple[int, ...] | None):
    table = clustered_table(300, seed=4, numeric=numeric, categorical=1)
    problem = Problem(table=generated_roles(numeric=numeric, categorical=1).table(table), policy=K5L2)
    judge, histograms = Judge(problem), Histograms.of(problem)
    assert isinstance(histograms, Histograms)
    rows = Rows.of(problem, blind=judge.blind)
    progress = Progress(problem, rows, Watch(), 0, Fraction(1), judge)
    rounds = search.Rounds(rows, judge, progress, Settings(seed=2, asked=20.0), Clock())
    pricing = HistogramPricing(rows, histograms)
    found = bound.prove(rounds, rounds.run(), problem, DualBound(pricing), DualBound(pricing))
    assert found == part
    assert 0 < progress.bound <= progress.cost


@pytest.mark.slow
def test_where_sweeps_take_longer_than_usual_more_is_kept_for_their_bounds(monkeypatch: pytest.MonkeyPatch):
    problem, left = clustered(K3, 150), list[float]()
    for pace in (0.0, 5.0, 50.0):
        rows, judge, _ = of_table(problem)
        progress = Progress(problem, rows, Watch(), 0, Fraction(1), judge)
        rounds = search.Rounds(rows, judge, progress, Settings(seed=2, asked=20.0), Clock(10_000.0))
        pricing, now = HistogramPricing(rows, Histograms.of(problem)), count()
        monkeypatch.setattr(bound, "moment", lambda now=now, pace=pace: pace * next(now))
        bound.prove(rounds, rounds.run(), problem, DualBound(pricing), DualBound(pricing))
        assert rounds.clock.limit is not None
        left.append(rounds.clock.limit)
    assert left[0] > left[1] == left[2]  # no more than four times as much


def steps_of(size: plan.Size, limit: float | None, workers: int) -> list[plan.Step]:
    """What is laid down for a limit."""
    laid = plan.Laid.of(size, Settings(asked=limit, workers=workers))
    return [laid.first, *laid.rounds(), *laid.program()]


SIZES = [
    plan.Size(tuples=tuples, rows=rows)
    for tuples, rows in ((60_000, 48_000), (104_731, 77_114), (1_000_000, 453_000))
]


@pytest.mark.parametrize("workers", [1, 2, 16])
@pytest.mark.parametrize("size", SIZES)
def test_a_longer_limit_or_more_workers_lay_down_the_same_steps_and_more(
    size: plan.Size, workers: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(plan, "LIMITS", limits.BLOCKS)
    whole, longest = steps_of(size, None, workers), 40_000.0 / workers
    known, lengths = steps_of(size, longest, workers), set[int]()
    for limit in np.linspace(10, longest / 4, 60).round(1):
        found = steps_of(size, float(limit), workers)
        more = steps_of(size, float(limit), workers + 1)
        first = 1 if found[0] != known[0] else 0  # groups that are only made: there is no time to move them
        assert not first or len(found) == 1
        assert found[first:] == known[first : len(found)]
        assert len(more) >= len(found) >= max(lengths, default=0)
        lengths.add(len(found))
    assert len(lengths) > 12
    assert known[: len(whole)] == whole
    assert len(known) > len(whole)  # a long limit goes on and on


def test_under_a_time_limit_the_course_goes_on_until_the_clock_ends_it(monkeypatch: pytest.MonkeyPatch):
    faked(monkeypatch, 0.1)
    problem, found = clustered(K3), list[Fraction]()
    for limit in (None, 1_000.0, 2_000.0):
        watch = Watch()
        answer = partition_engine().solve(problem, Settings(time_limit=limit, seed=2), watch)
        assert answer.release is not None
        found.append(problem.objective(answer.release)[0])
        ended = Termination.ITERATION_LIMIT if limit is None else Termination.TIME_LIMIT
        assert answer.termination is ended
        assert limit is None or watch.clock.seconds > 0.9 * limit
    assert found[0] >= found[1] >= found[2]


def test_blocks_of_a_longer_limit_end_with_no_worse_release_or_bound(monkeypatch: pytest.MonkeyPatch):
    problem = clustered(K3)
    judge, histograms = Judge(problem), Histograms.of(problem)
    assert isinstance(histograms, Histograms)
    rows = Rows.of(problem, blind=judge.blind)
    ended, lengths = list[tuple[int, int]](), set[int]()
    for limit in (60.0, 90.0, 120.0, 140.0, 160.0, 200.0, 400.0, 900.0):
        paces = {name: _slower(pace) for name, pace in vars(BLOCKS).items() if isinstance(pace, Seconds)}
        slow = replace(BLOCKS, **paces)
        monkeypatch.setattr(plan, "BLOCKS", slow)
        progress = Progress(problem, rows, Watch(), 0, Fraction(1), judge)
        rounds = search.Rounds(rows, judge, progress, Settings(seed=2, asked=limit), Clock())
        lengths.add(rounds.laid.most or 0)
        pricing = HistogramPricing(rows, histograms)
        bound.prove(rounds, rounds.run(), problem, DualBound(pricing), DualBound(pricing))
        ended.append((-progress.cost, progress.bound))
    assert len(lengths) > 4
    assert [cost for cost, _ in ended] == sorted(cost for cost, _ in ended)
    assert [proven for _, proven in ended] == sorted(proven for _, proven in ended)
    assert len(set(ended)) > 4


@pytest.mark.parametrize(("tuples", "names"), [(10, ["quick"]), (10_000, ["quick", "slow"])])
def test_slow_heuristics_come_after_blocks_if_they_may_be_near(
    tuples: int, names: list[str], monkeypatch: pytest.MonkeyPatch
):
    begun, problem = paced(monkeypatch, {"quick": 0.2, "slow": 20.0}), clustered(K3)
    large = replace(portfolio.PORTFOLIO, tuples=tuples, beaten=Fraction(1))
    monkeypatch.setattr(portfolio, "PORTFOLIO", large)
    begun_at = dict[str, list[str]]()

    def heard(_: Point, text: str) -> None:
        begun_at.setdefault(text, list(begun))

    settings = Settings(asked=40.0, seed=2)
    answer = informed(partition_engine(), problem, settings, Watch(heard))
    assert answer.release is not None
    assert begun == names
    assert begun_at["blocks, round 2"] == begun_at["linear program"] == ["quick"]
    assert next(known for text, known in begun_at.items() if text.endswith(" cuts")) == names


def _slower(pace: Seconds) -> Seconds:
    return replace(pace, value=300 * pace.value)


@pytest.mark.parametrize("workers", [1, 2, 16])
@pytest.mark.parametrize("limit", [60.0, 110.0, 300.0, 900.0])
def test_what_is_laid_down_fits_the_limit_by_the_paces_and_uses_it(
    limit: float, workers: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(plan, "LIMITS", limits.BLOCKS)
    size = plan.Size(tuples=60_000, rows=48_000, nested=300)
    steps = steps_of(size, limit, workers)
    known = list(islice(plan.course(), len(steps) + 1))
    assert known[:-1] == steps
    less, more = (
        max(step.derived(size) for step in some) + sum(step.seconds(size, workers) for step in some)
        for some in (steps, known)
    )
    assert less < limit
    assert more > 0.7 * limit  # the rest is for reading and checking


@pytest.mark.parametrize(("tuples", "blocks"), [(5_000, 1), (5_001, 2), (12_000, 4), (60_000, 16)])
def test_a_round_takes_as_long_as_the_worker_with_most_blocks(
    tuples: int, blocks: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(plan, "LIMITS", limits.BLOCKS)
    size = plan.Size(tuples=tuples, rows=tuples)
    assert size.moved(1, 1) == tuples
    for workers in range(1, 20):
        assert size.moved(1, workers) == pytest.approx(tuples / blocks * -(-blocks // workers))
    assert size.moved(0.4, 3) == pytest.approx(0.4 * tuples * {1: 1, 2: 1, 4: 1, 16: 3 / 8}[blocks])


def test_parts_of_a_wave_are_dealt_out_the_longest_first():
    wave = sweeping.Wave([np.ones(1, dtype=np.bool_)] * 5, np.array([1.0, 5.0, 2.0, 2.0, 1.0]))
    assert wave.shares(2) == [[1, 4], [2, 3, 0]]
    assert wave.shares(9) == [[1], [2], [3], [0], [4]]


def test_a_sweep_finds_the_same_however_its_parts_are_dealt_to_tasks():
    problem = clustered(K3, 120)
    rows, histograms = Rows.of(problem, blind=True), Histograms.of(problem)
    assert isinstance(histograms, Histograms)
    form = form_of(histograms)
    assert form is not None
    random = np.random.default_rng(0).uniform(0, rows.dearest / 2, len(rows))
    found: list[Priced] = []
    for workers in (1, 3):
        table = sweeping.TablePricing(rows, histograms, form, Here(workers), Clock())
        duals = table.duals(random, np.zeros(0))
        # The second time parts are dealt by what each took.
        found += [table.price(duals, per_anchor=2) for _ in range(2)]
    for other in found[1:]:
        assert (other.worst == found[0].worst).all()
        assert (other.lines == found[0].lines).all()


def test_a_sweep_that_another_thread_stops_proves_nothing(monkeypatch: pytest.MonkeyPatch):
    problem = clustered(K3, 120)
    rows, histograms = Rows.of(problem, blind=True), Histograms.of(problem)
    assert isinstance(histograms, Histograms)
    form = form_of(histograms)
    assert form is not None
    asked: list[float | None] = []

    @contextmanager
    def at_once(seconds: float | None) -> Generator[np.ndarray]:
        asked.append(seconds)
        yield np.ones(1, dtype=np.bool_)

    for clock in (Clock(), Clock(1000.0)):
        table = sweeping.TablePricing(rows, histograms, form, Here(1), clock)
        duals = table.duals(np.full(len(rows), rows.dearest / 4), np.zeros(0))
        assert table.price(duals, per_anchor=2).bounded
        with monkeypatch.context() as patched:
            patched.setattr(sweeping, "stopped", at_once)
            assert not table.price(duals, per_anchor=2).bounded
    assert asked[0] is None
    assert asked[1] is not None
    assert 0 < asked[1] <= 1000


def test_a_flag_says_stop_when_time_is_over():
    with sweeping.stopped(0.01) as stop:
        until = time.monotonic() + 60
        while not stop[0] and time.monotonic() < until:
            time.sleep(0.001)
        assert stop[0]
    for seconds in (None, 1000.0):
        with sweeping.stopped(seconds) as stop:
            assert not stop[0]


def test_single_tuples_are_put_into_groups_of_their_block():
    problem = clustered(K3, 120)
    rows, judge = Rows.of(problem, blind=True), Judge(problem)
    progress = Progress(problem, rows, Watch(), 0, Fraction(1))
    rounds = search.Rounds(rows, judge, progress, Settings(), Clock())
    units = np.repeat(np.arange(len(rows)), rows.count).tolist()
    begun = Grouping.of([tuple(units[at : at + 3]) for at in range(0, 90, 3)] + [(u,) for u in units[90:]])
    found = rounds.across(begun, 1, Cooling(first=0), Clock())
    assert sorted(found.member.tolist()) == units
    assert np.diff(found.start).min() >= 3


def test_more_blocks_than_one_and_nodes_of_one_height_lie_side_by_side():
    problem = clustered(K3)
    rows = Rows.of(problem, blind=True)
    nodes = nodes_of(rows)
    for level in range(len(nodes.order)):
        own = slice(nodes.start[level], nodes.start[level + 1])
        low, high, height = nodes.low[own], nodes.high[own], sweeping.heights_of(nodes, level)
        for a in range(len(low)):
            for b in range(len(low)):
                if a != b and height[a] == height[b]:
                    assert not (low[a] <= low[b] and high[b] <= high[a])
