"""A longer limit begins with all that a shorter one does, so it never ends with a worse release.

Time is counted in looks at the clock here: what a search does then depends on its limit alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest
from cases.people import people
from clocks import faked

from optanon.models.problem import Problem
from optanon.models.requirement import Requirement
from optanon.models.requirements import DistinctLDiversity, TCloseness
from optanon.solver.colgen.column import Group
from optanon.solver.colgen.primal.annealing import Annealing
from optanon.solver.colgen.primal.ties import tied
from optanon.solver.colgen.structure.histograms import Judge
from optanon.solver.colgen.table import Rows
from optanon.solver.engines.partition import histogram
from optanon.solver.engines.partition.engine import PartitionEngine
from optanon.solver.schedule import HISTOGRAM, STAGES
from optanon.solver.settings import Clock, Settings, Watch
from optanon.solver.status import Point

LIMITS = (5.0, 20.0, 80.0)
POLICIES: dict[str, tuple[Requirement, ...]] = {
    "k": (),
    "l": (DistinctLDiversity(l=2),),
    "t": (TCloseness(t=Fraction(1, 4)),),
}


def searched(
    problem: Problem, limit: float, monkeypatch: pytest.MonkeyPatch
) -> tuple[Fraction, Fraction, list[Point]]:
    """Loss, bound and course of a search."""
    faked(monkeypatch, tick=0.08)
    watch = Watch()
    answer = PartitionEngine().solve(problem, Settings(time_limit=limit, seed=1), watch)
    assert answer.release is not None
    assert answer.bounds[0] is not None
    return problem.objective(answer.release)[0], answer.bounds[0], watch.points


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("seed", range(3))
def test_a_longer_limit_goes_on_from_where_a_shorter_one_stopped(
    policy: str, seed: int, monkeypatch: pytest.MonkeyPatch
):
    asked = POLICIES[policy]
    searched(people(300, seed, *asked, values="abcd"), LIMITS[0], monkeypatch)  # compiled code is loaded
    found = [searched(people(300, seed, *asked, values="abcd"), limit, monkeypatch) for limit in LIMITS]
    for (loss, bound, course), (later, higher, longer) in pairwise(found):
        assert later <= loss
        assert higher >= bound
        # Small tables under t-closeness are not priced by boxes: nothing can be gone on with.
        assert policy == "t" or longer[: len(course)] == course
    assert found[-1][0] < found[0][0]


def test_warm_moves_begin_with_tuples_that_are_alike_even_if_better_releases_are_known(
    monkeypatch: pytest.MonkeyPatch,
):
    begun = list[list[Group]]()

    class Told(Annealing):
        def begin(self, groups: Sequence[Group]) -> None:
            begun.append(list(groups))
            super().begin(groups)

    brief = replace(HISTOGRAM.brief, value=1.0)  # a second a row: there is time for moves only
    monkeypatch.setattr(histogram, "HISTOGRAM", replace(HISTOGRAM, brief=brief))
    monkeypatch.setattr(histogram, "LIMITS", replace(histogram.LIMITS, finished_rows=100))
    monkeypatch.setattr(histogram, "Annealing", Told)
    problem = people(300, 1, values="abcd")
    best = PartitionEngine().solve(problem, Settings(time_limit=4.0), Watch())
    known = best.release
    assert known is not None
    rows, judge = Rows.of(problem, blind=True), Judge(problem)
    alike = tied(rows, judge, dear=histogram.LIMITS.dear, clock=Clock())
    again = PartitionEngine().solve(problem, Settings(time_limit=4.0, known=known), Watch())
    assert again.release is not None
    assert begun == [alike, alike]
    assert problem.objective(again.release) <= problem.objective(known)


def test_shorter_limits_take_no_more_than_half_of_a_longer_one():
    assert STAGES.ends(9.0, 1_000) == []
    assert STAGES.ends(10.0, 1_000) == [5.0]
    assert STAGES.ends(200.0, 1_000) == [5.0, 20.0, 80.0]
    assert STAGES.ends(200.0, 30_162) == [20.0, 80.0]
