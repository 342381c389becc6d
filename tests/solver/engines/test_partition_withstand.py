"""`resists_inference` at real sizes: the judge against enumeration, nested groups, safe searches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from cases.attacks import HALF, history, ours
from numpy.typing import NDArray
from oracle.brute_force_notation import release

from optanon.bench.withstand import inferred, judged_as_enumerated
from optanon.instances.adult import adult
from optanon.models.adversary.knowledge import Knowledge
from optanon.models.errors import EngineError
from optanon.models.history import History
from optanon.models.policy import LevelSpec, Policy
from optanon.models.problem import Problem
from optanon.models.requirements import KCAnonymity, ResistsInference
from optanon.models.table import Microdata
from optanon.solver.baselines.widths import LARGEST, beside
from optanon.solver.engines.partition.enumerated.guide import Guide
from optanon.solver.engines.partition.histogram import HistogramSearch
from optanon.solver.engines.partition.plan import Plan
from optanon.solver.engines.partition.withstand.anneal import SafeAnnealing, repair
from optanon.solver.engines.partition.withstand.arrays import (
    Board,
    groups_of,
    looking_ahead,
    past_from,
    past_of,
)
from optanon.solver.engines.partition.withstand.inventing import invent
from optanon.solver.engines.partition.withstand.judge import SeriesJudge
from optanon.solver.engines.partition.withstand.last_word import withstands
from optanon.solver.engines.partition.withstand.leaving_out import leave_out
from optanon.solver.engines.partition.withstand.limits import WITHSTAND_LIMITS as LIMITS
from optanon.solver.engines.partition.withstand.masks import MaskJudge
from optanon.solver.engines.partition.withstand.moves import Rule
from optanon.solver.engines.partition.withstand.near import nearest_rows
from optanon.solver.engines.partition.withstand.pairs import pairs_on
from optanon.solver.engines.partition.withstand.search import WithstandSearch
from optanon.solver.engines.partition.withstand.sides import sides_of
from optanon.solver.engines.partition.withstand.starts import implied, starts
from optanon.solver.price import Price
from optanon.solver.search import choose, result_of, solve_problem
from optanon.solver.settings import Clock, Settings, Watch
from optanon.solver.verify.checking import verify


def demand(problem: Problem) -> ResistsInference | None:
    """What the engine searches whole series for."""
    plan = Plan.of(problem)
    assert isinstance(plan, Plan)
    return plan.demand


def test_the_judge_passes_what_enumeration_passes() -> None:
    assert all(judged_as_enumerated(1, number) for number in range(60))


@pytest.mark.parametrize("compromised", [1, 2])
def test_the_judge_passes_what_enumeration_passes_with_others_known(compromised: int) -> None:
    assert all(judged_as_enumerated(3, number, compromised) for number in range(40))


@pytest.mark.parametrize("compromised", [0, 1])
def test_the_judge_passes_what_enumeration_passes_with_knowledge_of_some(compromised: int) -> None:
    assert all(judged_as_enumerated(5, number, compromised, knowing=True) for number in range(60))


@pytest.mark.slow
def test_the_judge_passes_what_enumeration_passes_on_many_series() -> None:
    assert all(judged_as_enumerated(2, number) for number in range(250))
    assert all(judged_as_enumerated(4, number, 1) for number in range(120))
    assert all(judged_as_enumerated(6, number, knowing=True) for number in range(250))


@pytest.mark.parametrize(
    ("series", "safe"),
    [
        # Nested groups: every cell keeps the limit by itself.
        ([["1a 2b"], ["1a 2b", "3a 4c"]], True),
        ([["1a 2b", "3a 4c"], ["1a 2b 3a 4c"]], True),
        ([["1a 2b"], ["1a 2b 3a 4c"], ["1a 2b 3a 4c", "5a 6b"]], True),
        ([["1a 2b"], ["1a 2b 3c"]], False),  # a newcomer is a cell
        ([["1a 2b"], ["1a 2b 3c 4c"]], False),  # a cell of one value
        # Who leaves is a cell.
        ([["0a 1b 2b 3c 4d"], ["1b 2b 3c 4d"]], False),
        # Groups that cross: a leaver replaced by the same value, and by another one.
        ([["0a 1b 2c 3d"], ["5a 1b 2c 3d"]], True),
        ([["0a 1b 2c 3d"], ["5d 1b 2c 3d"]], False),
        # Two groups lose somebody each, and the rests are one group: of different values, and of one.
        ([["1a 2b 3c", "4a 5b 6c"], ["2b 3c 4a 6c"]], True),
        ([["1a 2b 3c", "4a 5b 6c"], ["2b 3c 5b 6c"]], False),
    ],
)
def test_nested_groups_and_leavers(series: list[list[str]], safe: bool) -> None:
    releases = [release(*groups) for groups in series]
    rule = ResistsInference(max_posterior=HALF)
    assert (next(rule.check(ours(releases[-1]), history(releases[:-1])), None) is None) == safe
    assert (not inferred(history(releases), rule)[1]) == safe


def test_components_too_large_to_be_judged_count_as_unsafe() -> None:
    value, place = np.array([0, 1, 2, 0, 1, 2]), np.array([[0], [0], [0], [1], [1], [1]])
    past = past_from(value, place, np.ones((2, 3), dtype=np.int64), np.zeros(2, dtype=np.int64))
    sides = sides_of(problem(40, History(), ResistsInference(max_posterior=HALF)))
    codes = np.zeros((6, len(sides.weight)), dtype=np.int64)
    groups = groups_of(past, codes, sides, 2, [[0, 4, 5], [3, 1, 2]], 3)
    assert SeriesJudge(past, 2, HALF, most=6).inferred(groups, range(6)) == []
    assert sorted(SeriesJudge(past, 2, HALF, most=5).inferred(groups, range(6)) or ()) == list(range(6))


def test_masks_see_who_is_left_too_few_values_by_single_groups_and_no_more() -> None:
    """Against sets of values; two who come back together are left to the judge of components."""
    sides = sides_of(problem(40, History(), ResistsInference(max_posterior=HALF)))
    codes, random, verdicts = (
        np.zeros((12, len(sides.weight)), dtype=np.int64),
        np.random.default_rng(5),
        set(),
    )
    for _ in range(60):
        value = random.integers(4, size=16)
        place = random.permutation(np.arange(16) % 4)[:, None]
        place[:4] = -1
        counts = np.array([np.bincount(value[place[:, 0] == g], minlength=4) for g in range(4)])
        past = past_from(value, place, counts, np.zeros(4, dtype=np.int64))
        home = random.permutation(np.arange(12) % 3)
        made = [np.flatnonzero(home == g).tolist() for g in range(3)]
        short = set[int]()
        for group in made:
            for p in group:
                old = set(value[place[:, 0] == place[p, 0]]) if place[p, 0] >= 0 else set(range(4))
                short |= {p} if len(old & set(value[group])) < 2 else set()
        groups, judge = groups_of(past, codes, sides, 2, made, 12), MaskJudge(past, 2)
        assert set(judge.inferred(groups, range(16)) or ()) == short
        found = set(judge.inferred(groups, [made[1][0]]) or ())
        assert found == short & set(made[1])
        assert judge.met_groups.tolist() == [False, True, False]
        assert judge.inferred(groups, range(16), len(short)) is not None
        assert not short or judge.inferred(groups, range(16), len(short) - 1) is None
        exactly = set(SeriesJudge(past, 2, Fraction(1)).inferred(groups, range(16)) or ())
        assert bool(short) <= bool(exactly)
        verdicts.add((bool(short), bool(exactly)))
    assert verdicts == {(False, False), (False, True), (True, True)}


def table(people: int, seed: int = 0) -> Microdata:
    """A prefix of shuffled Adult."""
    data = adult()
    order = np.random.default_rng(seed).permutation(len(data.frame))
    return data.roles.table(data.frame.iloc[order[:people]].reset_index(drop=True))


def problem(people: int, past: History, rule: ResistsInference) -> Problem:
    """Under (3, 1/2)-anonymity and the rule."""
    requirements = [KCAnonymity(k=3, c="1/2"), rule]  # pyright: ignore[reportArgumentType]
    return Problem(table=table(people), policy=Policy(requirements), history=past)  # pyright: ignore[reportArgumentType]


@pytest.mark.slow
def test_a_growing_table_is_released_with_its_bound_and_nobody_is_inferred() -> None:
    rule, past = ResistsInference(max_posterior=HALF), History()
    for people in (32, 64):
        asked = problem(people, past, rule)
        found = solve_problem(asked, time_limit=4, display=False)
        assert found.release is not None
        assert next(asked.check(found.release), None) is None
        assert not inferred(History([*past, found.release]), rule)[1]
        assert found.levels[0].bound is not None
        assert 0 < found.levels[0].bound <= found.levels[0].value
        assert found.certificate is not None
        verify(found.certificate, asked, found.release)
        price = found.price
        assert price is not None
        assert price.without is not None
        assert price.bound is not None
        assert price.bound <= found.levels[0].bound
        assert price.bound <= price.without <= price.value == found.levels[0].value
        assert found.summary is not None
        assert ("price", str(price)) in found.summary.lines
        if past:
            (kept, *_) = starts(asked, rule, Settings(time_limit=10), Clock(10), (), HistogramSearch)
            assert found.levels[0].value <= asked.objective(asked.assemble(kept))[0]
        past.append(found.release)


def test_costs_of_moves_are_those_of_the_objective() -> None:
    asked = problem(60, History(), ResistsInference(max_posterior=HALF))
    past, sides = past_of(asked), sides_of(asked)
    order = np.lexsort(asked.table.codes.T).tolist()
    first, second = ([order[i : i + size] for i in range(0, 60, size)] for size in (4, 6))
    costs = [
        int(groups_of(past, asked.table.codes, sides, 2, groups, 6).cost.sum()) for groups in (first, second)
    ]
    values = [asked.objective(asked.assemble(groups))[0] for groups in (first, second)]
    assert costs[0] * values[1] == costs[1] * values[0]


def chain_of(
    asked: Problem, rule: ResistsInference, groups: list[list[int]], least: int, ahead: float = 0
) -> SafeAnnealing:
    """A search from some groups."""
    past, sides = past_of(asked, rule.knowledge), sides_of(asked)
    past = looking_ahead(past, asked, ahead) if ahead else past
    codes, limit = np.ascontiguousarray(asked.table.codes), rule.max_posterior
    found = groups_of(past, codes, sides, rule.needed, groups, 40, spare=4)
    asks = Rule(rule.needed, limit.numerator, limit.denominator, least, 0)
    judge, near = SeriesJudge(past, rule.needed, limit), nearest_rows(codes, sides, len(codes) - 1)
    return SafeAnnealing(Board(past, found, codes, sides, near), asks, judge, lambda counts: True, 0)


def rows_of(chain: SafeAnnealing, people: int) -> list[list[int]]:
    """Its groups."""
    label = chain.groups.of[:people]
    return [np.flatnonzero(label == g).tolist() for g in np.unique(label[label >= 0])]


def test_nearest_rows_are_those_of_sorting_all() -> None:
    asked = problem(60, History(), ResistsInference(max_posterior=HALF))
    codes, sides = asked.table.codes.copy(), sides_of(asked)
    codes[30:] = codes[:30]  # ties
    near = nearest_rows(codes, sides, 59)
    for most in (1, 7, 40):
        assert (nearest_rows(codes, sides, most) == near[:, :most]).all()
    for p in range(60):
        away = [int(beside(sides, codes[p], codes[p], codes[q], LARGEST)) for q in near[p]]
        assert list(zip(away, near[p], strict=True)) == sorted(zip(away, near[p], strict=True))


def test_near_groups_made_anew_are_counted_as_they_are() -> None:
    rule = ResistsInference(max_posterior=Fraction(2, 3))
    asked = problem(60, History(), rule)
    order = np.lexsort(asked.table.codes.T).tolist()
    chain = chain_of(asked, rule, [order[i : i + 5] for i in range(0, 60, 5)], 3)
    for p in range(60):
        chain.regroup(p, LIMITS.beyond, LIMITS.beyond)
    assert chain.made > 10
    groups = rows_of(chain, 60)
    assert min(map(len, groups)) >= 3
    anew = chain_of(asked, rule, groups, 3)
    assert (anew.cost, anew.inferred) == (chain.cost, chain.inferred)


def test_two_of_a_cell_go_where_neither_may_go_alone() -> None:
    rule = ResistsInference(max_posterior=HALF)
    asked = problem(60, History(), rule)
    rows = np.lexsort(asked.table.codes.T).tolist()
    first = chain_of(asked, rule, [rows[i : i + 10] for i in range(0, 60, 10)], 3)
    asked = replace(asked, history=History([asked.assemble(rows_of(first, 60))]))
    chain = chain_of(asked, rule, rows_of(first, 60), 3)
    assert not chain.inferred
    limit, moved = np.full(1, LIMITS.beyond), 0
    for p in range(60):
        found = pairs_on(
            chain.board,
            chain.rule._replace(price=LIMITS.beyond),
            np.array([p]),
            limit,
            0,
            4,
            np.ones(1, dtype=np.int64),
        )
        at, least, slots, people, home = found
        if at == 0 and chain.settled(slots, people, home, LIMITS.beyond, LIMITS.beyond, least):
            assert chain.groups.cost[slots].sum() == least
            moved += 1
    assert moved > 10
    assert not chain.inferred
    anew = chain_of(asked, rule, rows_of(chain, 60), 3)
    assert (anew.cost, anew.inferred) == (chain.cost, set())


def test_annealing_repeats_itself_and_counts_right() -> None:
    rule = ResistsInference(max_posterior=Fraction(2, 3))
    asked = problem(60, History(), rule)
    rows = np.lexsort(asked.table.codes.T).tolist()
    asked = replace(asked, history=History([asked.assemble([rows[i : i + 6] for i in range(0, 60, 6)])]))
    start = [rows[i : i + 6] for i in range(0, 60, 6)]
    chains = [chain_of(asked, rule, start, 3) for _ in range(2)]
    before = chains[0].cost
    for chain in chains:
        chain.run(Clock(), 4_000, 0.05)
        chain.back()
    assert chains[0].cost < before
    assert (chains[0].groups.of == chains[1].groups.of).all()
    made = rows_of(chains[0], 60)
    assert (
        int(groups_of(chains[0].past, asked.table.codes, chains[0].board.sides, 2, made, 60).cost.sum())
        == chains[0].cost
    )
    assert not inferred(History([*asked.history, asked.assemble(made)]), rule)[1]


@pytest.mark.parametrize(("releases", "knows"), [(0, False), (1, False), (1, True)])
def test_moves_are_priced_with_what_they_will_cost_later(releases: int, knows: bool) -> None:
    rule, weight = ResistsInference(max_posterior=Fraction(4, 5), min_values=2), 2.0
    asked = problem(60, History(), rule)
    if knows:  # the loss is about what releases leave open, whatever somebody knows besides
        other = {
            m.respondent: [v for v in asked.values if v != m.value][:1] for m in asked.table.members[::3]
        }
        rule = ResistsInference(
            max_posterior=Fraction(4, 5), min_values=2, knowledge=Knowledge(excluded=other)
        )
        asked = problem(60, History(), rule)
    rows = np.lexsort(asked.table.codes.T).tolist()
    start = [rows[i : i + 6] for i in range(0, 60, 6)]
    if releases:
        asked = replace(asked, history=History([asked.assemble(start)]))
    chain, plain = chain_of(asked, rule, start, 3, weight), chain_of(asked, rule, start, 3)
    later = int(np.rint(weight * asked.widening.release(asked.assemble(start)) * asked.widening.scale))
    assert abs(chain.cost - plain.cost - later) <= 60 / 2  # each tuple's is rounded
    chain.run(Clock(), 4_000, 0.05)
    chain.back()
    assert chain.made > 50
    made = rows_of(chain, 60)
    assert (chain.cost, chain.inferred) == (chain_of(asked, rule, made, 3, weight).cost, set())
    plain.run(Clock(), 4_000, 0.05)
    plain.back()
    ahead, not_ahead = (asked.widening.release(asked.assemble(rows_of(one, 60))) for one in (chain, plain))
    assert ahead < not_ahead


@pytest.mark.slow
def test_a_release_that_looks_ahead_tells_what_it_loses_now() -> None:
    rule = ResistsInference(max_posterior=HALF)
    asked = problem(40, History(), rule)
    policy = asked.policy.changed(minimize=[{"information_loss": 1, "expected_widening": 2}])
    asked = replace(asked, policy=policy)
    found = solve_problem(asked, time_limit=5, display=False)
    assert found.release is not None
    assert found.certificate is not None
    verify(found.certificate, asked, found.release)
    (level,), price = found.levels, found.price
    assert price is not None
    assert price.bound is not None
    assert price.without is not None
    assert level.bound is not None
    assert level.bound == price.bound <= price.without <= price.value < level.value
    later = asked.widening.release(found.release)
    assert level.value == price.value + 2 * later
    alone = replace(asked, policy=Policy(asked.policy.requirements))
    without = solve_problem(alone, time_limit=5, display=False)
    assert without.release is not None
    assert later < asked.widening.release(without.release)


@pytest.mark.slow
def test_who_is_given_away_by_leavers_is_repaired() -> None:
    rule, data = ResistsInference(max_posterior=Fraction(4, 5)), adult()
    order = np.random.default_rng(0).permutation(len(data.frame))

    def asks(begin: int, end: int, past: History) -> Problem:
        frame = data.frame.iloc[order[begin:end]].reset_index(drop=True)
        return Problem(table=data.roles.table(frame), policy=Policy([KCAnonymity(k=4), rule]), history=past)

    first = asks(0, 60, History())
    rows = np.lexsort(first.table.codes.T).tolist()
    chain = chain_of(first, rule, [rows[i : i + 5] for i in range(0, 60, 5)], 4)
    repair(chain, Clock())
    past = History([first.assemble(rows_of(chain, 60))])
    second = asks(40, 100, past)
    rows = np.lexsort(second.table.codes.T).tolist()
    chain = chain_of(second, rule, [rows[i : i + 4] for i in range(0, 60, 4)], 4)
    assert chain.inferred
    repair(chain, Clock())
    assert not chain.inferred
    past.append(second.assemble(rows_of(chain, 60)))
    assert not inferred(past, rule)[1]


@pytest.mark.slow
def test_a_repair_is_begun_again_where_there_is_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is told, and kept, is of the best of all rounds, wherever the last one ended."""
    asked, chain = crossing()
    begun, begin = list[int](), chain.begin

    def begins(home: NDArray[np.int64]) -> None:
        begun.append(chain.cost)
        begin(home)

    monkeypatch.setattr(chain, "begin", begins)
    rule = ResistsInference(max_posterior=Fraction(4, 5))
    search = WithstandSearch(asked, rule, Settings(time_limit=4), Watch(), nothing, HistogramSearch)
    assert chain.inferred
    assert isinstance(chain.judge, SeriesJudge)
    search.improve(chain, chain.judge)
    assert len(begun) > 3  # where values are required, under masks, for the repair, and for each round more
    assert search.effort["left inferable"] == 0
    made = search.incumbent.release()
    assert made is not None
    assert not inferred(History([*asked.history, made]), rule)[1]
    assert chain.cost == chain.least[2]


def test_groups_are_joined_where_that_is_worth_its_price() -> None:
    rule = ResistsInference(max_posterior=Fraction(4, 5))
    first, rows = problem(60, History(), rule), list(range(60))
    past = History([first.assemble([rows[i : i + 4] for i in range(0, 60, 4)])])
    kept = replace(first.table, members=first.table.members[20:], codes=first.table.codes[20:].copy())
    asked = replace(first, table=kept, history=past)
    chain = chain_of(asked, rule, [list(range(i, 40, 10)) for i in range(10)], 4)
    assert chain.inferred
    assert not any(chain.join(p, 1) for p in range(40))
    for p in range(40):
        before, cost = len(chain.inferred), chain.cost
        if before and chain.join(p, 10**12):
            assert len(chain.inferred) < before
            assert chain.cost > cost
            return
    raise AssertionError("no two groups were joined")


def test_rows_that_tell_of_somebody_who_left_are_met_through_others_who_left() -> None:
    rule = ResistsInference(max_posterior=Fraction(4, 5))
    first = problem(60, History(), rule)

    def later(begin: int, groups: list[list[int]], past: History) -> tuple[Problem, list[list[int]]]:
        kept = replace(
            first.table, members=first.table.members[begin:], codes=first.table.codes[begin:].copy()
        )
        return replace(first, table=kept, history=past), [[p - begin for p in group] for group in groups]

    fours = [list(range(i, i + 4)) for i in range(12, 60, 4)]
    past = History([first.assemble([[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], *fours])])
    second, groups = later(2, [[2, 3, 4, 5], list(range(6, 12)), *fours], past)
    past = History([*past, second.assemble(groups)])
    third, groups = later(6, [list(range(6, 12)), *fours], past)
    chain = chain_of(third, rule, groups, 4)
    gone = [who for who in past.records if who not in third.table.row]
    p = len(third.table) + gone.index(first.table.members[0].respondent)
    rows = chain.linked_rows(p).tolist()
    assert sorted(rows[:2]) == [0, 1]
    assert sorted(rows) == list(range(6))
    chain.inferred = {p}
    assert {chain.aimed_row() for _ in range(200)} == set(rows)


def crossing(limit: int = 0) -> tuple[Problem, SafeAnnealing]:
    """Groups of another order than those before, some of whose people left, and who may be suppressed."""
    rule = ResistsInference(max_posterior=Fraction(4, 5))
    first, rows = problem(60, History(), rule), list(range(60))
    past = History([first.assemble([rows[i : i + 4] for i in range(0, 60, 4)])])
    kept = replace(first.table, members=first.table.members[20:], codes=first.table.codes[20:].copy())
    policy = first.policy.changed(max_suppressed=limit)
    asked = replace(first, table=kept, history=past, policy=policy)
    chain = chain_of(asked, rule, [list(range(i, 40, 10)) for i in range(10)], 4)
    chain.allowed = limit
    return asked, chain


def test_who_tells_of_others_is_put_elsewhere_or_left_out_as_far_as_that_is_allowed() -> None:
    asked, chain = crossing()
    assert chain.inferred
    leave_out(chain, Clock(1))
    assert (chain.best is not None) == (not chain.inferred and not len(chain.outside))
    asked, chain = crossing(limit=39)
    leave_out(chain, Clock(4))
    assert not chain.inferred
    assert chain.best is not None
    assert len(chain.outside) <= 39
    chain.back()
    made = asked.assemble(rows_of(chain, 40))
    assert len(made.suppressed) == len(chain.outside)
    rule = ResistsInference(max_posterior=Fraction(4, 5))
    assert not inferred(History([*asked.history, made]), rule)[1]
    anew = groups_of(chain.past, asked.table.codes, chain.board.sides, 2, rows_of(chain, 40), 40)
    assert int(anew.cost.sum()) == chain.cost


def test_where_everybody_is_left_out_there_is_nobody_to_make_room() -> None:
    _, chain = crossing(limit=39)
    for g in range(10):
        chain.leaves(chain.groups.member[g, : chain.groups.size[g]].tolist(), anyway=True)
    assert len(chain.outside) == 40
    leave_out(chain, Clock(2))
    assert not chain.inferred


def test_counterfeits_are_the_last_means_where_the_policy_has_them() -> None:
    """Six groups are kept, and somebody left each of the first three."""
    rule = ResistsInference(max_posterior=Fraction(4, 5))
    first, rows = problem(60, History(), rule), list(range(60))
    past = History([first.assemble([rows[i : i + 10] for i in range(0, 60, 10)])])
    stay = [row for row in rows if row not in (0, 10, 20)]
    members = tuple(first.table.members[row] for row in stay)
    kept = replace(first.table, members=members, codes=first.table.codes[stay])
    policy = first.policy.changed(minimize=["counterfeits", "information_loss"])
    asked = replace(first, table=kept, history=past, policy=policy)
    assert demand(asked) is not None
    groups = [[at for at, row in enumerate(stay) if row // 10 == g] for g in range(6)]
    chain = chain_of(asked, rule, groups, 4)
    home, people = chain.groups.of.copy(), set(chain.inferred)
    assert len(people) == 3
    chain.invented = 2
    invent(chain, Clock())
    assert (chain.fakes, chain.best, chain.inferred) == (0, None, people)
    chain.invented = 3
    invent(chain, Clock())
    assert not chain.inferred
    assert chain.best is not None
    assert chain.fakes == 3
    assert (chain.groups.of == home).all()
    search = WithstandSearch(asked, rule, Settings(), Watch(), nothing, HistogramSearch)
    search.take(chain)
    made = search.incumbent.release()
    assert made is not None
    assert made.counterfeits == 3
    assert withstands(asked, rule, made, Clock(), 1)
    assert next(rule.check(made, past), None) is None
    for g, v in np.argwhere(chain.groups.faked).tolist():
        assert not chain.invents(g, [v], -1)


def test_what_would_help_is_said_where_repair_is_not_done_in_time() -> None:
    asked, chain = crossing()
    rule = ResistsInference(max_posterior=Fraction(4, 5))
    search = WithstandSearch(asked, rule, Settings(time_limit=0), Watch(), nothing, HistogramSearch)
    assert isinstance(chain.judge, SeriesJudge)
    search.improve(chain, chain.judge)
    assert search.told.startswith(f"{len(chain.inferred)} people could still be inferred when time was over")
    assert "max_suppressed in the policy" in search.told
    assert "counterfeits named in minimize, a larger max_posterior" in search.told
    answer = replace(search.incumbent.answer(late=True), told=search.told)
    found = result_of(asked, answer, "partition", Watch(), Settings(), reasons=False)
    assert found.reason == search.told


def test_releases_that_cannot_be_counted_are_dropped_and_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = problem(40, History(), ResistsInference(max_posterior=HALF))
    search = WithstandSearch(
        asked, ResistsInference(max_posterior=HALF), Settings(), Watch(), nothing, HistogramSearch
    )

    def gives_up(*_: object) -> bool:
        raise EngineError("too many possible worlds")

    monkeypatch.setattr("optanon.solver.engines.partition.withstand.search.withstands", gives_up)
    search.offer(asked.assemble([range(40)]))
    assert search.dropped == 1
    price = Price(value=Fraction(6), bound=Fraction(5), without=Fraction(4), dropped=search.dropped)
    assert str(price).startswith("1.2 times the bound without resists_inference; 1.5 times the best release")
    assert str(price).endswith("1 cheaper release was dropped: too many worlds to be counted")


def nothing(*args: object) -> Iterator[Guide]:
    """No part of the policy is solved."""
    return iter(())


def test_which_problems_are_searched_so() -> None:
    rule = ResistsInference(max_posterior=HALF)
    many = problem(LIMITS.tuples + 1, History(), rule)
    assert demand(many) is rule
    assert choose(many)[0].name == "partition"
    assert demand(problem(LIMITS.tuples, History(), rule)) is None
    assert demand(problem(40, History(), ResistsInference(max_posterior=HALF, compromised=1))) is not None
    assert demand(problem(40, History(), ResistsInference(max_posterior=HALF, forgive_past=True))) is None
    ahead: list[LevelSpec] = [{"information_loss": 1, "expected_widening": 1}]
    assert demand(replace(many, policy=many.policy.changed(minimize=ahead))) is not None
    alone = replace(many, policy=Policy([KCAnonymity(k=3)], ahead))
    assert isinstance(why := Plan.of(alone), str)
    assert "resists_inference" in why


@pytest.mark.parametrize("compromised", [1, 2])
def test_what_is_asked_of_single_groups_is_enough_with_others_known(compromised: int) -> None:
    rule = ResistsInference(max_posterior=Fraction(1, 2), compromised=compromised)
    passed = 0
    for groups in (
        "1a 2b 3c",
        "1a 2b 3c 4d",
        "1a 2a 3b 4c 5d",
        "1a 2a 3a 4b 5c 6d",
        "1a 2a 3b 4b 5c 6c 7d 8d",
    ):
        one = ours(release(groups))
        if all(next(r.check(one, History()), None) is None for r in implied(rule)):
            assert next(rule.check(one, History()), None) is None
            passed += 1
    assert passed


def test_what_is_asked_of_single_groups_is_implied() -> None:
    rule = ResistsInference(max_posterior=Fraction(2, 3), min_values=3)
    for groups in ("1a 2b 3c", "1a 2a 3b 4c", "1a 2a 3a 4b 5c", "1a 2a 3b", "1a 2b"):
        one = ours(release(groups))
        whole = next(rule.check(one, History()), None) is None
        assert whole == all(next(r.check(one, History()), None) is None for r in implied(rule))
