"""The program over counts as the verifier writes it down."""

from __future__ import annotations

import pytest
from cases.series import KINDS, series

from optanon.solver.colgen.structure.signatures import Rules
from optanon.solver.colgen.structure.types import Types
from optanon.solver.engines.partition.signature.minimum_counterfeits import program_of
from optanon.solver.verify.counts import counts_program
from optanon.solver.verify.past import PastDemands

SEEDS = [seed for seed in range(2 * len(KINDS)) if seed not in (1, 13)]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_program_of_counts_is_the_engine_s(seed: int):
    problem, _, _ = series(seed, 12, releases=1 + seed % 3)
    mine = counts_program(problem, PastDemands.of(problem))
    rules = Rules.of(problem)
    assert isinstance(rules, Rules)
    theirs = program_of(Types.of(problem, rules))
    assert (mine.matrix.todense() == theirs.matrix.todense()).all()
    for name in ("cost", "lower", "upper", "low", "high"):
        assert getattr(mine, name).tolist() == getattr(theirs, name).tolist()
