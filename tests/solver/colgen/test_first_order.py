"""First-order steps: sharing them by threads changes nothing, and they come to the linear program's duals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linprog

from optanon.instances.generators import clustered_table, generated_roles
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirements import KCAnonymity
from optanon.solver.colgen import first_order as module
from optanon.solver.colgen.cuts import Cuts
from optanon.solver.colgen.first_order import FirstOrder
from optanon.solver.colgen.histogram_pricing import HistogramPricing
from optanon.solver.colgen.kernels.first_order import CHUNK
from optanon.solver.colgen.pool import Pool
from optanon.solver.colgen.structure.histograms import Histograms
from optanon.solver.colgen.table import Rows
from optanon.solver.exact.incidence import Sparse, transposed


def program_of(tuples: int, columns: int, *, threads: int = 1) -> FirstOrder:
    """Random groups of tuples that are near in the order of rows, and each tuple for a high price."""
    table = generated_roles().table(clustered_table(tuples, seed=1))
    problem = Problem(table=table, policy=Policy([KCAnonymity(k=3)]))
    rows, histograms = Rows.of(problem, blind=True), Histograms.of(problem)
    assert isinstance(histograms, Histograms)
    pricing = HistogramPricing(rows, histograms)
    random, pool, cuts = np.random.default_rng(0), Pool(pricing, 5), Cuts(rows)
    place = random.integers(0, len(rows) - 20, columns)
    near = np.array([random.choice(20, 5, replace=False) for _ in range(columns)])
    lines = np.sort(place[:, None] + near, axis=1).astype(np.int32)
    lines[random.random(columns) < 0.4, 3:] = -1
    pool.add(lines)
    cuts.add([list(range(9)), list(range(20, 27))], 2)
    unit = float(pool.cost.mean()) / 4
    return FirstOrder(rows, cuts, pool, unit, np.ones(len(rows)), threads=threads)


def test_threads_come_to_the_same_bit_for_bit(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "LIMITS", replace(module.LIMITS, beside=0))
    monkeypatch.setattr(module.os, "cpu_count", lambda: 8)
    reached = list[tuple[bytes, bytes, float, module.State]]()
    for threads in (1, 2, 3):
        program = program_of(1_000, 3 * CHUNK, threads=threads)
        ends = np.full(len(program.rows), -1.0), np.full(len(program.rows), 3.0)
        states = [program.run(*ends, 90), program.run(*ends, 60)]
        reached.append((program.amount.tobytes(), program.dual.tobytes(), program.weight, states[-1]))
    assert reached[0] == reached[1] == reached[2]


@pytest.mark.parametrize("parts", [1, 2, 3, 7])
def test_every_chunk_is_one_threads(parts: int):
    program = program_of(1_000, 3 * CHUNK)
    lines = module._unsigned(program.columns.sparse(program.cuts))
    shares = module._shares(lines, parts)
    assert len(shares) == parts
    assert [first for first, _ in shares] == [0, *[end for _, end in shares[:-1]]]
    assert shares[-1][1] == -(-len(program.columns) // CHUNK)


def test_steps_come_near_the_linear_program():
    program = program_of(300, 2_000)
    rows, cuts = len(program.rows), len(program.cuts)
    low, high = np.zeros(rows), np.full(rows, 2.0)
    for _ in range(10):
        state = program.run(low, high, 400)
    sparse = program.columns.sparse(program.cuts)
    matrix = np.zeros((rows + cuts, len(program.columns)))
    np.add.at(matrix, (sparse.place, np.repeat(np.arange(len(program.columns)), np.diff(sparse.start))), 1)
    cost, right = program.columns.cost / program.unit, [*program.rows.count, *program.cuts.limit]
    found = linprog(
        -np.array(right, dtype=float),
        A_ub=matrix.T,
        b_ub=cost,
        bounds=[*[(0.0, 2.0)] * rows, *[(None, 0.0)] * cuts],
    )
    assert state.dual / program.unit == pytest.approx(-found.fun, rel=2e-3)


def test_columns_by_place_are_those_that_have_it_as_often():
    random = np.random.default_rng(3)
    columns = [random.integers(0, 12, size) for size in random.integers(0, 9, 40)]
    start = np.cumsum([0, *map(len, columns)])
    found = transposed(Sparse(start, np.concatenate(columns).astype(np.int32)), 13)
    assert len(found.start) == 14
    for place in range(13):
        own = found.place[found.start[place] : found.start[place + 1]].tolist()
        assert own == [j for j, column in enumerate(columns) for _ in range((column == place).sum())]
