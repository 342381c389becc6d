"""Strong heuristics: compiled k-member, MDAV two ways, a space-filling curve, local search over any start."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from random import Random

import numpy as np
import pandas as pd
import pytest
from clocks import Asked

from optanon.instances.adult import adult
from optanon.instances.dataset_files import present
from optanon.instances.generators import clustered_table, generated_roles
from optanon.models.errors import EngineError
from optanon.models.losses import losses
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.release import Release
from optanon.models.requirements import DistinctLDiversity, KCAnonymity, TCloseness
from optanon.models.table import Microdata
from optanon.solver.baselines import (
    k_member as k_member_module,
    microaggregation,
    swap_search as swap_search_module,
)
from optanon.solver.baselines.hilbert import curve_order
from optanon.solver.baselines.parameters import Perimeter
from optanon.solver.baselines.registry import baselines
from optanon.solver.baselines.swap_search import exchanged
from optanon.solver.baselines.widths import LARGEST
from optanon.solver.settings import Clock

NEW = ("hilbert", "mdav", "variable_mdav", "swap_search")


def line(*numbers: int, values: str = "") -> Microdata:
    frame = pd.DataFrame({"x": numbers, "value": list(values) or ["u"] * len(numbers)})
    frame.insert(0, "id", [f"p{i}" for i in range(len(frame))])
    return Microdata.from_frame(frame, respondent="id", quasi_identifiers=["x"], sensitive="value")


def groups(release: Release) -> set[tuple[int, ...]]:
    return {tuple(sorted(int(who[1:]) for who in group.respondents)) for group in release.groups}


def loss(problem: Problem, parts: object) -> Fraction:
    release = parts if isinstance(parts, Release) else problem.assemble(parts)  # pyright: ignore[reportArgumentType]
    return losses()["information_loss"].value(release, problem.table)


def clustered(seed: int, rows: int = 60) -> Microdata:
    return generated_roles(values=4).table(clustered_table(rows, seed=seed, values=4, categorical=1))


@pytest.mark.parametrize("name", NEW)
def test_three_clusters_are_found(name: str) -> None:
    problem = Problem(table=line(0, 1, 2, 10, 11, 12, 20, 21, 22), policy=Policy([KCAnonymity(k=3)]))
    found = baselines()[name].run(problem, 0)
    assert groups(found) == {(0, 1, 2), (3, 4, 5), (6, 7, 8)}


def test_variable_groups_take_near_tuples_that_fixed_ones_leave() -> None:
    problem = Problem(table=line(0, 1, 2, 3, 20, 21, 22, 24), policy=Policy([KCAnonymity(k=3)]))
    assert groups(baselines()["variable_mdav"].run(problem, 0)) == {(0, 1, 2, 3), (4, 5, 6, 7)}
    # With fewer than three times k left MDAV takes one group around the extreme, 24; the rest is one.
    assert groups(baselines()["mdav"].run(problem, 0)) == {(0, 1, 2, 3, 4), (5, 6, 7)}


@pytest.mark.parametrize("name", [*NEW, "k_member"])
@pytest.mark.parametrize("seed", range(4))
def test_the_rest_of_the_policy_is_kept_by_merging(name: str, seed: int) -> None:
    for rule in (KCAnonymity(k=3), KCAnonymity(k=3, c=Fraction(1, 2))):
        policy = Policy([rule, DistinctLDiversity(l=3)])
        problem = Problem(table=clustered(seed), policy=policy)
        assert list(problem.check(baselines()[name].run(problem, seed))) == []


@pytest.mark.parametrize("name", ["hilbert", "mdav", "variable_mdav", "k_member"])
def test_groups_that_no_merging_repairs_stay_as_they_were(name: str) -> None:
    """One group of everybody breaks the policy, too, and its loss would tell nothing of the heuristic."""
    policy = Policy([KCAnonymity(k=3), DistinctLDiversity(l=5)])
    release = baselines()[name].run(Problem(table=clustered(0), policy=policy), 0)
    assert len(release.groups) > 5


@pytest.mark.parametrize("name", ["hilbert", "mdav", "variable_mdav", "k_member"])
def test_a_refused_group_joins_one_that_ends_it(name: str) -> None:
    """In the middle of the line all have one value: nearest groups alone would join all of these."""
    values = "".join("v" if 600 <= i < 1_400 else "abcdefghij"[i % 10] for i in range(2_000))
    policy = Policy([KCAnonymity(k=5, c=Fraction(1, 2))])
    release = baselines()[name].run(Problem(table=line(*range(2_000), values=values), policy=policy), 0)
    assert max(len(group.members) for group in release.groups) <= 20


def test_a_chain_is_found_however_small_the_unit_of_widths_is() -> None:
    """Sums of sides over the whole table do not fit into 64 bits, those of one box do."""
    random = Random(0)
    columns = {
        f"x{p}": [random.randrange(p) for _ in range(3_000)] for p in (10**6 + 3, 10**6 + 33, 10**5 + 3)
    }
    for p, column in zip((10**6 + 3, 10**6 + 33, 10**5 + 3), columns.values(), strict=True):
        column[:2] = [0, p]
    frame = pd.DataFrame(columns).assign(id=[f"p{i}" for i in range(3_000)], value="u")
    table = Microdata.from_frame(frame, respondent="id", quasi_identifiers=[*columns], sensitive="value")
    assert 3_000 * Perimeter(table.domains).unit > LARGEST
    release = baselines()["hilbert"].run(Problem(table=table, policy=Policy([KCAnonymity(k=3)])), 0)
    assert max(len(group.members) for group in release.groups) <= 5


@pytest.mark.parametrize("name", NEW)
def test_a_table_that_is_no_group_is_refused(name: str) -> None:
    problem = Problem(table=line(0, 1, 2, values="uuv"), policy=Policy([KCAnonymity(k=2, c=Fraction(1, 2))]))
    with pytest.raises(EngineError, match=r"not \(2, 1/2\)-anonymous as one group|none of its starts"):
        baselines()[name].run(problem, 0)


@pytest.mark.parametrize("seed", range(5))
def test_groups_along_the_curve_are_the_cheapest_there_are(seed: int) -> None:
    table, rule = clustered(seed, 12), KCAnonymity(k=2)
    problem = Problem(table=table, policy=Policy([rule]))
    order = curve_order(problem).tolist()
    assert sorted(order) == list(range(12))

    def chains(start: int) -> list[list[list[int]]]:
        if start == 12:
            return [[]]
        return [
            [order[start : start + size], *rest]
            for size in range(2, 13 - start)
            for rest in chains(start + size)
        ]

    # Groups of 2k or more never cost less than two of their halves.
    assert loss(problem, baselines()["hilbert"].run(problem, 0)) == min(
        loss(problem, one) for one in chains(0)
    )


def test_neighbours_on_the_curve_are_neighbours_in_space() -> None:
    cells = [(x, y) for x in range(16) for y in range(16)]
    Random(0).shuffle(cells)
    frame = pd.DataFrame(cells, columns=["x", "y"]).assign(value="u")
    frame.insert(0, "id", [f"p{i}" for i in range(len(frame))])
    table = Microdata.from_frame(frame, respondent="id", quasi_identifiers=["x", "y"], sensitive="value")
    walk = table.codes[curve_order(Problem(table=table, policy=Policy([KCAnonymity(k=2)])))]
    assert all(np.abs(one - other).sum() == 1 for one, other in pairwise(walk))


@pytest.mark.parametrize("seed", range(6))
def test_local_search_improves_any_start_and_keeps_it_admissible(seed: int) -> None:
    rule = KCAnonymity(k=3, c=[Fraction(1), Fraction(1, 2)][seed % 2])
    problem = Problem(table=clustered(seed), policy=Policy([rule]))
    rows = list(range(60))
    starts = [
        [[problem.table.row[who] for who in group.respondents] for group in made.groups]
        for name in ("hilbert", "mondrian_static")
        for made in [baselines()[name].run(problem, seed)]
    ]
    Random(seed).shuffle(rows)
    starts.append([rows[:30], rows[30:]] if rule.c < 1 else [rows[i : i + 3] for i in range(0, 60, 3)])
    for start in starts:
        found = exchanged(problem, start)
        assert sorted(row for part in found for row in part) == list(range(60))
        assert list(problem.check(problem.assemble(found))) == []
        assert loss(problem, found) <= loss(problem, start)
    assert loss(problem, exchanged(problem, starts[-1])) < loss(problem, starts[-1])


def test_under_other_rules_only_tuples_of_one_value_change_places() -> None:
    table = line(0, 9, 1, 8, values="uuvv")
    start = [[0, 3], [1, 2]]  # {0, 8} and {9, 1}
    free = Problem(table=table, policy=Policy([KCAnonymity(k=2)]))
    assert sorted(exchanged(free, start)) == [[0, 2], [1, 3]]
    bound = Problem(table=table, policy=Policy([KCAnonymity(k=2), DistinctLDiversity(l=2)]))
    assert sorted(exchanged(bound, start)) == [[0, 2], [1, 3]]
    worse = line(0, 9, 1, 8, values="uvvu")  # the same exchange would bring u to u
    bound = Problem(table=worse, policy=Policy([KCAnonymity(k=2), DistinctLDiversity(l=2)]))
    start = [[0, 1], [2, 3]]
    assert sorted(exchanged(bound, start)) == [[0, 2], [1, 3]]
    stuck = line(0, 9, 1, 8, values="uvwx")
    bound = Problem(table=stuck, policy=Policy([KCAnonymity(k=2), DistinctLDiversity(l=2)]))
    assert exchanged(bound, start) == start


def test_verdicts_on_histograms_merge_the_same_groups_as_verdicts_on_groups(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for seed in range(4):
        policy = Policy([KCAnonymity(k=3), TCloseness(t=Fraction(1, 4))])
        problem = Problem(table=clustered(seed, 90), policy=policy)
        found = baselines()["hilbert"].run(problem, seed)
        assert 1 < len(found.groups) < 15
        assert list(problem.check(found)) == []
        monkeypatch.setattr(TCloseness, "admits_counts", lambda *_: None)
        assert baselines()["hilbert"].run(problem, seed) == found
        monkeypatch.undo()


def test_local_search_looks_at_the_clock_within_a_pass_and_leaves_wide_groups_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    problem = Problem(table=clustered(1), policy=Policy([KCAnonymity(k=3)]))
    start = [list(range(at, at + 10)) for at in range(0, 60, 10)]
    whole = Asked(10**9)
    found = exchanged(problem, start, Clock(stop=whole))
    monkeypatch.setattr(swap_search_module, "AT_ONCE", 7)
    often = Asked(10**9)
    assert exchanged(problem, start, Clock(stop=often)) == found  # compiled code has its own constants
    assert often.times == 9 * whole.times
    some = exchanged(problem, start, Clock(stop=Asked(2)))
    assert loss(problem, found) < loss(problem, some) < loss(problem, start)
    wide = Problem(table=clustered(1, 1000), policy=Policy([KCAnonymity(k=3)]))
    halves = [list(range(500)), list(range(500, 1000))]
    assert exchanged(wide, halves) == halves


@pytest.mark.parametrize(
    ("name", "module"),
    [("k_member", k_member_module), ("mdav", microaggregation), ("variable_mdav", microaggregation)],
)
def test_compiled_distances_make_the_same_groups(
    name: str, module: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in range(4):
        problem = Problem(table=clustered(seed, 90), policy=Policy([KCAnonymity(k=4)]))
        slow = baselines()[name].run(problem, seed)
        monkeypatch.setattr(module, "MANY", 0)
        assert baselines()[name].run(problem, seed) == slow
        monkeypatch.undo()


@pytest.mark.data
@pytest.mark.skipif(present("adult/adult.data") is None, reason="Adult is not on this machine")
def test_on_adult_local_search_beats_all_it_starts_from() -> None:
    frame, roles = adult()
    problem = Problem(table=roles.table(frame.head(3000)), policy=Policy([KCAnonymity(k=5)]))
    found: dict[str, float] = {}
    for name in (*NEW, "k_member", "mondrian_static", "mondrian_relaxed"):
        release = baselines()[name].run(problem, 0)
        assert list(problem.check(release)) == []
        found[name] = float(loss(problem, release))
    assert min(found, key=lambda name: found[name]) == "swap_search"
    assert found["swap_search"] < 0.9 * found["k_member"]


@pytest.mark.parametrize("name", [*NEW, "k_member"])
def test_columns_without_a_common_unit_are_grouped_by_rounded_widths(name: str) -> None:
    spans = (10**9 + 7, 10**9 + 9, 998244353)
    columns = {f"x{p}": [0, 1, 2, p - 2, p - 1, p] for p in spans}
    frame = pd.DataFrame(columns).assign(id=[f"p{i}" for i in range(6)], value="u")
    table = Microdata.from_frame(frame, respondent="id", quasi_identifiers=[*columns], sensitive="value")
    release = baselines()[name].run(Problem(table=table, policy=Policy([KCAnonymity(k=3)])), 0)
    assert {frozenset(group.respondents) for group in release.groups} == {
        frozenset({"p0", "p1", "p2"}),
        frozenset({"p3", "p4", "p5"}),
    }
