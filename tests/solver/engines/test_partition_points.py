"""Squared error under k-anonymity: optima against all partitions, columns against all sets, forgeries."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from cases.points import asked

from optanon.models.errors import CertificateError
from optanon.models.losses.pair_costs import FINE, group_costs, pair_costs, places
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirements import KCAnonymity
from optanon.solver.certificate import Certificate
from optanon.solver.colgen.duals import Duals
from optanon.solver.colgen.points import pricing
from optanon.solver.colgen.points.limits import POINTS
from optanon.solver.colgen.points.pricing import PointPricing, inner
from optanon.solver.colgen.points.separation import divided_sets
from optanon.solver.colgen.points.table import PointRows
from optanon.solver.engines.partition.points.search import PointsSearch, halved
from optanon.solver.engines.partition.points.windows import PointWindows
from optanon.solver.result import Result
from optanon.solver.search import choose, solve_problem
from optanon.solver.settings import Clock, Settings, Watch
from optanon.solver.status import Point, Status
from optanon.solver.verify.checking import verify
from optanon.solver.verify.duals import ClaimedDuals, CutMultipliers
from optanon.solver.verify.given import Given
from optanon.solver.verify.point_rows import CheckedPoints
from optanon.solver.verify.points import listed


def drawn(seed: int, many: int, wide: int = 2, far: int = 1000) -> list[list[int]]:
    return np.random.default_rng(seed).integers(0, far, (many, wide)).tolist()


def partitions(rows: list[int], k: int) -> Iterator[list[list[int]]]:
    """All partitions into groups of at least k."""
    if not rows:
        yield []
        return
    first, rest = rows[0], rows[1:]
    for size in range(k - 1, len(rows)):
        for others in combinations(rest, size):
            left = [row for row in rest if row not in others]
            for found in partitions(left, k) if not left or len(left) >= k else ():
                yield [[first, *others], *found]


def least(problem: Problem, k: int) -> Fraction:
    """By the definition of the loss alone."""
    everybody = list(range(len(problem.table)))
    return min(problem.objective(problem.assemble(p))[0] for p in partitions(everybody, k))


def by_points(problem: Problem, seconds: float | None = None) -> Result:
    found = solve_problem(problem, engine="partition", time_limit=seconds)
    assert found.certificate is not None
    return found


@pytest.mark.parametrize("loss", ["squared_error", "squared_error_unscaled"])
@pytest.mark.parametrize(("seed", "many", "k"), [(1, 8, 2), (2, 9, 3), (3, 10, 4), (4, 7, 2)])
def test_the_optimum_of_all_partitions_is_found_and_certified(seed: int, many: int, k: int, loss: str):
    problem = asked(drawn(seed, many), k, loss)
    found = by_points(problem)
    assert found.status is Status.OPTIMAL
    assert found.objective[0] == found.bound[0] == least(problem, k)
    assert found.certificate is not None
    assert verify(found.certificate, problem, found.release).whole


def test_tuples_at_one_point_share_a_row():
    points = [[0, 0], [0, 0], [0, 0], [5, 1], [5, 1], [9, 9], [9, 8], [30, 2], [31, 2]]
    problem = asked(points, 2)
    rows = PointRows.of(problem)
    assert isinstance(rows, PointRows)
    assert (len(rows), rows.count.tolist()) == (6, [3, 2, 1, 1, 1, 1])
    found = by_points(problem)
    assert found.status is Status.OPTIMAL
    assert found.objective[0] == least(problem, 2)


def test_above_sixteen_tuples_it_is_chosen_and_closes_two_hundred():
    problem = asked(drawn(5, 60, 3), 3)
    assert "partition" in choose(problem)[0].name
    found = solve_problem(problem)
    assert found.status is Status.OPTIMAL
    assert found.certificate is not None
    assert verify(found.certificate, problem, found.release).whole


def test_pair_costs_are_never_too_high():
    problem = asked(drawn(6, 40, 3, 10**6), 3)
    rows = PointRows.of(problem)
    assert isinstance(rows, PointRows)
    for size in (2, 3, 5):
        lines = np.array(list(combinations(range(12), size)), dtype=np.int32)
        for line, cost in zip(lines.tolist(), rows.costs(lines).tolist(), strict=True):
            assert 0 <= rows.exact(line) * FINE - cost < size + 1
    assert (pair_costs(rows.codes, rows.prices) == rows.pairs).all()


def test_tuples_at_one_point_share_a_row_unless_they_are_few():
    points = drawn(13, 39)
    few, many = np.array([*points, points[0]]), np.array([*points, *points[:3]])
    assert places(few) == tuple((t,) for t in range(40))
    assert places(many) == ((0, 39), (1, 40), (2, 41), *((t,) for t in range(3, 39)))


def test_cuts_name_one_of_two_tuples_at_a_point():
    """Told apart, tuples at one point are in cuts of their own, and the bound is proven as any other."""
    points = drawn(4, 23)
    problem = asked([*points, points[5]], 3)
    rows = PointRows.of(problem)
    assert isinstance(rows, PointRows)
    assert len(rows) == 24
    found = by_points(problem)
    assert found.status is Status.OPTIMAL
    assert found.certificate is not None
    assert verify(found.certificate, problem, found.release).whole


def priced(seed: int, k: int) -> tuple[Problem, PointPricing, Duals]:
    """Random duals and cuts of several divisors, around those at which groups begin to pay."""
    random = np.random.default_rng(seed)
    points = drawn(seed, 13)
    problem = asked([*points, points[0]], k)
    rows = PointRows.of(problem)
    assert isinstance(rows, PointRows)
    source = PointPricing(rows, range(k, 2 * k), workers=2)
    for divisor, size in ((2, 3), (2, 5), (3, 4), (3, 7), (k, len(rows))):
        source.cuts.add([tuple(sorted(random.choice(len(rows), size, replace=False).tolist()))], divisor)
    typical = float(np.median(rows.pairs)) / k
    duals = random.uniform(0, 0.6 * typical, len(rows)), -random.uniform(0, 0.2 * typical, 5)
    return problem, source, source.duals(*duals)


def every_group(rows: PointRows, k: int) -> Iterator[tuple[int, ...]]:
    places = [row for row, times in enumerate(rows.count.tolist()) for _ in range(times)]
    for size in range(k, 2 * k):
        yield from set(combinations(places, size))


def reduced(source: PointPricing, duals: Duals, group: tuple[int, ...]) -> int:
    cost = int(group_costs(source.rows.pairs, np.array([group], dtype=np.int32))[0])
    penalty = sum(
        int(duals.cuts[cut])
        * (sum(row in source.cuts.sets[cut] for row in group) // source.cuts.divisors[cut])
        for cut in range(len(source.cuts))
    )
    return cost * duals.scale - sum(int(duals.rows[row]) for row in group) - penalty


@pytest.mark.parametrize(("seed", "k"), [(1, 2), (2, 3), (3, 3), (4, 4)])
def test_pricing_lists_exactly_the_groups_of_low_reduced_cost(seed: int, k: int):
    _, source, duals = priced(seed, k)
    costs = {group: reduced(source, duals, group) for group in every_group(source.rows, k)}
    for slack in (-1, int(np.quantile(list(costs.values()), 0.02))):
        found = source.all_below(duals, slack, room=10**5)
        assert found is not None
        assert found.complete
        groups = [tuple(row for row in line if row >= 0) for line in found.lines.tolist()]
        assert len(set(groups)) == len(groups)
        assert set(groups) == {group for group, cost in costs.items() if cost <= slack}
    proven = duals.made_feasible(source.price(duals, per_anchor=4).worst)
    assert min(reduced(source, proven, group) for group in costs) >= 0


@pytest.mark.parametrize(("seed", "k"), [(1, 2), (2, 3), (3, 4), (4, 5)])
def test_duals_at_sight_and_after_a_round_are_feasible(seed: int, k: int):
    """Far duals, with too little room for all that pays: what is found still makes them feasible."""
    problem = asked([*drawn(seed, 12), drawn(seed, 12)[0]], k)
    rows = PointRows.of(problem)
    assert isinstance(rows, PointRows)
    source = PointPricing(rows, range(k, 2 * k))
    sight = source.at_sight()
    assert min(reduced(source, sight, group) for group in every_group(rows, k)) >= 0
    assert sight.value(rows, source.cuts) > 0
    typical = np.random.default_rng(seed).uniform(0, float(np.median(rows.pairs)), len(rows))
    far = source.duals(typical, np.zeros(0))
    most = max(-reduced(source, far, group) for group in every_group(rows, k) if len(group) == k)
    for _ in range(3):
        found = source.price(far, per_anchor=4)
        assert found.complete
        lines = [tuple(row for row in line if row >= 0) for line in found.lines.tolist()]
        assert -reduced(source, far, lines[0]) == most > 0
        proven = far.made_feasible(found.worst)
        assert min(reduced(source, proven, group) for group in every_group(rows, k)) >= 0


def test_little_profits_are_seen_beside_a_large_dual(monkeypatch: pytest.MonkeyPatch):
    """Some hundred groups pay a little, and there is room for 60; three far points have large duals."""
    monkeypatch.setattr(pricing, "LIMITS", replace(POINTS, room=60, enough=1))
    points = [*drawn(3, 24, far=100), [20_000, 0], [0, 20_000], [20_000, 20_000]]
    rows = PointRows.of(asked(points, 3))
    assert isinstance(rows, PointRows)
    source = PointPricing(rows, range(3, 6))
    groups = np.array([*combinations(range(24), 3)], dtype=np.int32)
    cheap = float(np.quantile(group_costs(rows.pairs, groups), 0.2)) / 3
    far = group_costs(rows.pairs, np.array([[24, 25, 26]], dtype=np.int32))[0] / 4
    duals = source.duals(np.array([cheap] * 24 + [far] * 3), np.zeros(0))
    found = source.price(duals, per_anchor=4)
    assert len(found.lines)
    assert (source.reduced(found.lines, duals) < 0).all()
    lowered = duals.made_feasible(found.worst)
    assert int(lowered.rows.sum()) > int(duals.rows.sum()) - 24 * int(duals.rows[0])


@pytest.mark.parametrize(("seed", "k"), [(1, 2), (2, 3), (4, 4)])
def test_the_walk_of_the_verifier_lists_the_same(seed: int, k: int):
    problem, source, duals = priced(seed, k)
    duals = duals.made_feasible(source.price(duals, per_anchor=4).worst)
    points = CheckedPoints.of(problem)
    cuts = tuple(
        (CutMultipliers(rows=rows, times=(1,) * len(rows), over=over), int(dual))
        for rows, over, dual in zip(source.cuts.sets, source.cuts.divisors, duals.cuts, strict=True)
    )
    claimed = ClaimedDuals(rows=duals.rows, cuts=cuts, fake=0, scale=duals.scale)
    given = Given(problem=problem, values=(Fraction(100),))
    slack = int(np.quantile([reduced(source, duals, g) for g in every_group(source.rows, k)], 0.02))
    found = listed(given, points, claimed, k, -slack - 1)
    own = source.all_below(duals, slack, room=10**5)
    assert own is not None
    wanted = {tuple(row for row in line if row >= 0) for line in own.lines.tolist()}
    assert {tuple(row for row in line if row >= 0) for line in found.tolist()} == wanted
    raised = ClaimedDuals(rows=duals.rows + slack + FINE, cuts=cuts, fake=0, scale=duals.scale)
    with pytest.raises(CertificateError, match="costs less than its duals"):
        listed(given, points, raised, k, 0)


def test_sets_of_few_bound_large_groups():
    problem = asked(drawn(9, 16), 8)
    found = by_points(problem)
    best = min(
        problem.objective(problem.assemble([[0, *group], [t for t in range(1, 16) if t not in group]]))[0]
        for group in combinations(range(1, 16), 7)
    )
    assert found.objective[0] >= best
    assert found.bound[0] is not None
    assert 0 < found.bound[0] <= best
    rows = PointRows.of(problem)
    assert isinstance(rows, PointRows)
    few = inner(rows, 8, 5)
    for group in (tuple(range(8)), tuple(range(3, 14))):
        parts = np.array(list(combinations(range(len(group)), 5)), dtype=np.int32)
        share = Fraction(int(few.costs(np.array(group, dtype=np.int32)[parts]).sum()), len(parts) * 5)
        assert share * len(group) <= rows.exact(group) * FINE


def test_cuts_of_larger_divisors_are_found():
    # All four sets of three among four rows, each a half: one over 3 allows one of them.
    lines = np.array(list(combinations(range(4), 3)), dtype=np.int32)
    found = divided_sets(lines, np.full(4, 0.5), 4, [], divisor=3, size=4, seed=1)
    assert found == [(0, 1, 2, 3)]
    assert divided_sets(lines, np.full(4, 0.25), 4, [], divisor=3, size=4, seed=1) == []


@pytest.mark.parametrize(("seed", "least"), [(5, Fraction(1016, 1000)), (8, Fraction(1010, 1000))])
def test_odd_sets_that_parities_miss_are_grown(seed: int, least: Fraction):
    """Without them, cuts raise these bounds to 1.0140 and 1.0088 of the linear program's."""
    problem, watch = asked(drawn(seed, 81, 5), 3), Watch()
    rows = PointRows.of(problem)
    assert isinstance(rows, PointRows)
    searched = PointsSearch(problem, Settings(), watch, rows)
    searched.progress.offer(halved(rows, tuple(range(81)), 3))
    searched.generated()
    bounds = [point.bound for point in watch.points if point.bound]
    assert bounds[-1] >= least * bounds[0]


def test_bounds_know_that_groups_are_counted_in_whole_numbers():
    """22 tuples are no five and a half groups of 4: without that, the first bound is 15.84."""
    problem, bounds = asked(drawn(1, 22), 4), dict[str, Fraction]()

    def heard(point: Point, text: str) -> None:
        bounds[text] = point.bound or Fraction(0)

    rows = PointRows.of(problem)
    assert isinstance(rows, PointRows)
    searched = PointsSearch(problem, Settings(), Watch(heard), rows)
    searched.progress.offer(halved(rows, tuple(range(22)), 4))
    searched.generated()
    assert bounds["linear program"] < 16
    assert bounds["number of groups"] > Fraction(171, 10)
    found = by_points(problem)
    assert found.status is Status.OPTIMAL
    assert found.certificate is not None
    assert verify(found.certificate, problem, found.release).whole


def test_forged_certificates_are_refused():
    problem = asked(drawn(11, 30, 3), 3)
    found = by_points(problem)
    assert found.certificate is not None
    text = found.certificate.to_json()
    assert verify(Certificate.from_json(text), problem, found.release).whole

    def refused(forge: str) -> None:
        content = json.loads(text)
        claim = next(claim for claim in content["claims"] if claim["kind"] in ("listed", "priced"))
        root = claim["root"]
        if forge == "dual":
            root["duals"][0] += root["scale"] * FINE
        elif forge == "cut":
            claim["cuts"] = [list(range(5))]
            claim["divisors"] = []
            root["cut_duals"] = [-root["scale"] * FINE]
            root["duals"] = [dual + root["scale"] * FINE for dual in root["duals"]]
        elif forge == "scale":
            root["scale"] = max(1, root["scale"] // 2)
        elif forge == "bound":
            content["bounds"] = ["1"]
        elif forge == "part":
            claim["part"] = []
        with pytest.raises(CertificateError):
            verify(Certificate.of(content), problem, found.release)

    for forge in ("dual", "cut", "scale", "bound", "part"):
        refused(forge)


def test_it_is_not_chosen_where_more_than_sizes_counts():
    problem = asked(drawn(12, 40), 3)
    both = Policy([KCAnonymity(k=3)], [{"squared_error": 1, "discernibility": 1}])
    mixed = Problem(table=problem.table, policy=both)
    assert isinstance(PointRows.of(problem), PointRows)
    assert PointRows.of(mixed) == "the objective is not squared error alone"


def begun(seed: int, many: int, k: int) -> tuple[PointsSearch, Duals]:
    """A search that has its linear program, and a poor release."""
    problem = asked(drawn(seed, many, 3), k)
    rows = PointRows.of(problem)
    assert isinstance(rows, PointRows)
    search = PointsSearch(problem, Settings(), Watch(), rows)
    search.progress.offer(halved(rows, tuple(range(many)), k), "start")
    search.generated()
    assert search.root.duals is not None
    return search, search.root.duals


def test_the_release_is_made_from_what_nearly_pays():
    search, duals = begun(5, 60, 3)
    before = search.progress.cost
    search.finish.improve(duals)
    # No annealing, no tree: the linear program's bound is almost reached.
    assert search.progress.cost < before
    assert search.progress.cost - search.progress.bound < (before - search.progress.bound) / 50


def test_windows_choose_groups_anew():
    search, duals = begun(6, 90, 3)
    before = search.progress.cost
    windows = PointWindows(
        source=search.pricing,
        progress=search.progress,
        duals=duals,
        seed=1,
        clock=Clock(),
    )
    windows.run()
    # Windows that were searched to their end grow; the last one holds the whole table.
    assert sum(windows.begun.values()) < 30
    assert search.progress.cost - search.progress.bound < (before - search.progress.bound) / 10
    assert search.progress.best is not None
    assert sorted(row for group in search.progress.best for row in group) == list(range(90))
