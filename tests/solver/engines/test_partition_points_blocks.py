"""Blocks of points, whose sets are all gone through: bounds against all partitions, columns, forgeries."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from cases.points import asked

from optanon.models.errors import CertificateError
from optanon.models.losses.pair_costs import FINE, group_costs
from optanon.models.problem import Problem
from optanon.solver.certificate import Certificate
from optanon.solver.colgen.cuts import Cuts
from optanon.solver.colgen.duals import Duals
from optanon.solver.colgen.points.block_bound import BlockBound
from optanon.solver.colgen.points.blocks import PointBlock, clusters
from optanon.solver.colgen.points.pricing import PointPricing
from optanon.solver.colgen.points.table import PointRows
from optanon.solver.engines.partition.points.parts import BlockParts
from optanon.solver.engines.partition.points.progress import PointProgress
from optanon.solver.engines.partition.proof import describe
from optanon.solver.search import solve_problem
from optanon.solver.settings import Clock, Watch
from optanon.solver.verify import points
from optanon.solver.verify.checking import verify
from optanon.solver.verify.given import Given


def scattered(seed: int, sizes: tuple[int, ...], far: int) -> list[list[int]]:
    """Clusters of points, one after the other."""
    random = np.random.default_rng(seed)
    centers = random.integers(0, far, (len(sizes), 3))
    return [
        (center + random.integers(0, 100, 3)).tolist()
        for center, size in zip(centers, sizes, strict=True)
        for _ in range(size)
    ]


def rows_of(problem: Problem) -> PointRows:
    rows = PointRows.of(problem)
    assert isinstance(rows, PointRows)
    return rows


def least(rows: PointRows, k: int, left: tuple[int, ...]) -> int:
    """The cheapest partition of some rows into groups of k to 2k - 1, in rounded costs."""
    if not left:
        return 0
    first, rest, best = left[0], left[1:], rows.most * 2
    for size in range(k - 1, 2 * k - 1):
        for others in combinations(rest, size):
            remaining = tuple(row for row in rest if row not in others)
            if not remaining or len(remaining) >= k:
                cost = int(group_costs(rows.pairs, np.array([(first, *others)], dtype=np.int32))[0])
                best = min(best, cost + least(rows, k, remaining))
    return best


@pytest.mark.parametrize(
    ("seed", "k", "far"), [(1, 3, 90), (2, 3, 300), (3, 4, 150), (4, 2, 60), (5, 3, 900)]
)
def test_bounds_of_blocks_are_below_every_partition(seed: int, k: int, far: int):
    rows = rows_of(asked(scattered(seed, (5, 4, 2), far), k))
    blocks = [PointBlock.of(rows, inside, k) for inside in ((0, 1, 2, 3, 4), (5, 6, 7, 8))]
    for block in blocks:
        if len(block.rows) >= k:
            assert int(block.least[block.whole]) == least(rows, k, block.rows)
            assert sorted(row for group in block.groups(block.whole) for row in group) == list(block.rows)
            assert sum(rows.group_costs(block.groups(block.whole))) == int(block.least[block.whole])
    pricing = PointPricing(rows, range(k, 2 * k))
    found = BlockBound(pricing, blocks, [tuple(range(11))], [], Clock())
    best = least(rows, k, tuple(range(11)))
    found.run()
    proof, duals = found.best, found.best.duals
    assert duals is not None
    assert 0 < proof.bound <= best
    # No group in no block costs less than its duals; some group in a block may.
    for size in range(k, 2 * k):
        for group in combinations(range(11), size):
            if len({int(pricing.block[row]) for row in group}) > 1 or pricing.block[group[0]] < 0:
                cost = int(group_costs(rows.pairs, np.array([group], dtype=np.int32))[0])
                assert cost * duals.scale >= int(duals.rows[list(group)].sum())


def test_blocks_prove_what_the_linear_program_does_not():
    """Two far clusters of 7, k = 5: the linear program takes 7/5 groups of each."""
    rows = rows_of(asked(scattered(7, (7, 7), 100_000), 5))
    blocks = [PointBlock.of(rows, tuple(range(at, at + 7)), 5) for at in (0, 7)]
    start = [group for block in blocks for group in block.groups(block.whole)]
    found = BlockBound(PointPricing(rows, range(5, 10)), blocks, start, [], Clock())
    found.run()
    assert found.best.bound >= 0.999 * sum(int(block.least[block.whole]) for block in blocks)


def penalized(rows: PointRows, group: tuple[int, ...], duals: Duals, cuts: Cuts) -> int:
    """Reduced cost of a group, scaled."""
    cost = int(group_costs(rows.pairs, np.array([group], dtype=np.int32))[0])
    counted = sum(int(duals.cuts[c]) * times for c, times in cuts.coefficients(group).items())
    return cost * duals.scale - int(duals.rows[list(group)].sum()) - counted


@pytest.mark.parametrize(("seed", "k"), [(1, 2), (2, 3), (3, 3), (4, 2)])
def test_groups_inside_blocks_pay_the_penalties_of_cuts(seed: int, k: int):
    rows = rows_of(asked(scattered(seed, (7,), 100), k))
    random, whole = np.random.default_rng(seed), tuple(range(7))
    cuts, block = Cuts(rows), PointBlock.of(rows, whole, k)
    for divisor, size in ((2, 3), (2, 5), (3, 4), (3, 7)):
        cuts.add([tuple(sorted(random.choice(7, size, replace=False).tolist()))], divisor)
    typical = int(np.median(rows.pairs)) // 2
    duals = Duals(rows=random.integers(0, 4 * typical, 7), cuts=-random.integers(0, typical, 4), scale=4)

    def best(left: tuple[int, ...]) -> int:
        """Of partitions of any of the rows into groups: the reduced costs."""
        if not left:
            return 0
        found = best(left[1:])
        for size in range(k - 1, 2 * k - 1):
            for others in combinations(left[1:], size):
                group, rest = (left[0], *others), tuple(row for row in left[1:] if row not in others)
                found = min(found, penalized(rows, group, duals, cuts) + best(rest))
        return found

    choice = block.used(duals, cuts)
    assert choice.value == best(whole) + int(duals.rows.sum())
    taken = [row for group in choice.groups for row in group]
    assert len(taken) == len(set(taken))
    inside = sum(penalized(rows, group, duals, cuts) for group in choice.groups)
    assert choice.value == inside + int(duals.rows.sum())


@pytest.mark.parametrize("seed", range(6))
def test_cuts_bring_bounds_of_blocks_nearer_and_no_further(seed: int):
    rows, everybody = rows_of(asked(scattered(seed, (4, 4, 3), 120), 3)), tuple(range(11))
    blocks = [PointBlock.of(rows, inside, 3) for inside in ((0, 1, 2, 3), (4, 5, 6, 7))]
    pricing = PointPricing(rows, range(3, 6))
    found = BlockBound(pricing, blocks, [everybody], [], Clock())
    assert found.run()
    before, best = found.best.bound, least(rows, 3, everybody)
    while found.cut() and found.again():
        pass
    assert found.best.bound > 1.05 * before
    duals = found.best.duals
    assert duals is not None
    assert found.best.bound <= best
    for size in range(3, 6):
        for group in combinations(range(11), size):
            if len({int(pricing.block[row]) for row in group}) > 1 or pricing.block[group[0]] < 0:
                assert penalized(rows, group, duals, pricing.cuts) >= 0


@pytest.mark.parametrize("seed", range(3))
def test_dear_tuples_are_put_in_groups_anew(seed: int):
    """From groups that a poor start makes across clusters; a block of all is gone through beside."""
    problem, everybody = asked(scattered(seed, (4, 4, 3), 120), 3), tuple(range(11))
    rows = rows_of(problem)
    blocks = [PointBlock.of(rows, inside, 3) for inside in ((0, 1, 2, 3), (4, 5, 6, 7))]
    pricing = PointPricing(rows, range(3, 6))
    found = BlockBound(pricing, blocks, [everybody], [], Clock())
    found.run()
    assert found.cut()
    found.again()
    progress = PointProgress(problem, rows, Watch())
    progress.offer([(0, 4, 8), (1, 5, 9), (2, 3, 6, 7, 10)])
    assert found.best.duals is not None
    BlockParts(pricing, progress, blocks, found.best.duals).run(seed, Clock())
    assert progress.best is not None
    assert sorted(row for group in progress.best for row in group) == list(everybody)
    assert sum(rows.group_costs(progress.best)) == least(rows, 3, everybody)


@pytest.mark.parametrize(("seed", "k"), [(1, 2), (2, 3), (3, 4)])
def test_pricing_leaves_out_groups_inside_blocks_only(seed: int, k: int):
    rows = rows_of(asked(scattered(seed, (6, 5, 1), 150), k))
    source = PointPricing(rows, range(k, 2 * k))
    source.block = np.array([0] * 6 + [1] * 5 + [-1])
    typical = np.random.default_rng(seed).uniform(0, 0.6 * float(np.median(rows.pairs)) / k, len(rows))
    duals = source.duals(typical, np.zeros(0))
    wanted: dict[tuple[int, ...], int] = {}
    for size in range(k, 2 * k):
        for group in combinations(range(12), size):
            if not (max(group) < 6 or 6 <= min(group) <= max(group) < 11):
                cost = int(group_costs(rows.pairs, np.array([group], dtype=np.int32))[0])
                wanted[group] = cost * duals.scale - int(duals.rows[list(group)].sum())
    slack = int(np.quantile(list(wanted.values()), 0.05))
    found = source.all_below(duals, slack, room=10**5)
    assert found is not None
    groups = {tuple(row for row in line if row >= 0) for line in found.lines.tolist()}
    assert groups == {group for group, cost in wanted.items() if cost <= slack}
    proven = duals.made_feasible(source.price(duals, per_anchor=4).worst)
    assert all(
        int(group_costs(rows.pairs, np.array([g], dtype=np.int32))[0]) * proven.scale
        >= int(proven.rows[list(g)].sum())
        for g in wanted
    )


def test_clusters_are_the_largest_that_are_small_enough():
    rows = rows_of(asked(scattered(3, (9, 6, 11, 3), 10**6), 5))
    found = clusters(rows, 5)
    assert {tuple(range(9)), tuple(range(15, 26))} <= set(found)
    assert len({row for inside in found for row in inside}) == sum(map(len, found))
    assert clusters(rows_of(asked(scattered(3, (3, 3), 100), 3)), 3) == []


def test_bounds_of_blocks_are_whole_numbers_of_any_size_without_numba(monkeypatch: pytest.MonkeyPatch):
    """They were NumPy's, and could not be compared with values of many digits."""
    plain = getattr(points._of_block, "py_func", points._of_block)
    monkeypatch.setattr(points, "_of_block", plain)
    problem = asked(scattered(2, (4, 4), 10**6), 2)
    rows = rows_of(problem)
    blocks = [PointBlock.of(rows, inside, 2) for inside in ((0, 1, 2, 3), (4, 5, 6, 7))]
    found = BlockBound(PointPricing(rows, range(2, 4)), blocks, [], [], Clock())
    found.run()
    assert found.best.duals is not None
    named = [block.rows for block in blocks]
    claim = describe(rows, Cuts(rows), found.best.duals, None, level=0, part=None, blocks=named)
    bound = points.proven_squares(Given(problem=problem, values=(Fraction(10**9),)), claim)
    assert bound == Fraction(found.best.bound, FINE)
    assert type(bound.numerator) is int


def test_certificates_with_blocks_are_confirmed_and_forgeries_refused():
    problem = asked(scattered(5, (7, 7, 8, 9, 7, 3), 5_000), 5)
    known = solve_problem(problem, engine="partition", time_limit=20)
    assert known.certificate is not None
    assert verify(known.certificate, problem, known.release).whole
    rows = rows_of(problem)
    blocks = [PointBlock.of(rows, inside, 5) for inside in clusters(rows, 5)]
    found = BlockBound(PointPricing(rows, range(5, 10)), blocks, [], [], Clock())
    found.run()
    assert found.best.duals is not None
    bound, named = Fraction(found.best.bound, FINE), [block.rows for block in blocks]
    claim = describe(rows, Cuts(rows), found.best.duals, None, level=0, part=None, blocks=named)
    content = json.loads(known.certificate.to_json()) | {"claims": [claim.model_dump(mode="json")]}

    def judged(stated: Fraction, **changed: object) -> bool:
        forged = json.loads(json.dumps(content)) | {"bounds": [str(stated)], "status": "FEASIBLE"}
        forged["claims"][0] |= changed
        return verify(Certificate.of(forged), problem, known.release).whole

    assert 0.98 * known.objective[0] < bound <= known.objective[0]
    assert judged(bound)
    blocks, root = content["claims"][0]["blocks"], content["claims"][0]["root"]
    dearer = [dual + root["scale"] * FINE for dual in root["duals"]]
    for forgery in (
        {"blocks": [*blocks, [blocks[0][0], blocks[1][0]]]},
        {"blocks": [[*blocks[0], blocks[0][0]], *blocks[1:]]},
        {"blocks": [[*blocks[0], 10**6], *blocks[1:]]},
        {"blocks": [sorted(blocks[0] + blocks[1] + blocks[2])]},
        {"root": {**root, "duals": dearer}},
        {"cuts": [[0, 1, 2]], "root": {**root, "cut_duals": [-FINE * root["scale"]]}},
        {"cuts": [[0, 1, 2]], "root": {**root, "cut_duals": [1]}},
    ):
        with pytest.raises(CertificateError):
            judged(bound, **forgery)
    with pytest.raises(CertificateError):
        judged(bound + 1)


def test_certificates_with_blocks_and_cuts_are_confirmed_and_forgeries_refused():
    problem = asked(scattered(6, (4, 4, 3), 120), 3)
    known = solve_problem(problem, engine="partition", time_limit=20)
    assert known.certificate is not None
    rows = rows_of(problem)
    blocks = [PointBlock.of(rows, inside, 3) for inside in ((0, 1, 2, 3), (4, 5, 6, 7))]
    pricing = PointPricing(rows, range(3, 6))
    found = BlockBound(pricing, blocks, [], [], Clock())
    found.run()
    while found.cut() and found.again():
        pass
    duals, named = found.best.duals, [block.rows for block in blocks]
    assert duals is not None
    claim = describe(rows, pricing.cuts, duals, None, level=0, part=None, blocks=named)
    content = json.loads(known.certificate.to_json()) | {"claims": [claim.model_dump(mode="json")]}

    def judged(**changed: object) -> bool:
        stated = {"bounds": [str(Fraction(found.best.bound, FINE))], "status": "FEASIBLE"}
        forged = json.loads(json.dumps(content)) | stated
        forged["claims"][0] |= changed
        return verify(Certificate.of(forged), problem, known.release).whole

    assert 0.99 * known.objective[0] < Fraction(found.best.bound, FINE) < known.objective[0]
    assert judged()
    stated, root = content["claims"][0], content["claims"][0]["root"]
    for forgery in (
        {"root": {**root, "cut_duals": [dual // 2 for dual in root["cut_duals"]]}},
        {"root": {**root, "cut_duals": [0 for _ in root["cut_duals"]]}},
        {"divisors": [over + 1 for over in stated["divisors"] or [2] * len(stated["cuts"])]},
        {"cuts": [cut[1:] for cut in stated["cuts"]]},
        {"root": {**root, "cut_duals": [2 * dual for dual in root["cut_duals"]]}},
        {"root": {**root, "cut_duals": [-dual for dual in root["cut_duals"]]}},
    ):
        with pytest.raises(CertificateError):
            judged(**forgery)
