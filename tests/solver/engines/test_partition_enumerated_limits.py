"""Listed groups: numbers beyond 64 bits, large groups, and what is done when time is over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from clocks import Asked
from oracle.partition import random_problem

from optanon.models.errors import TooLargeError
from optanon.models.policy import LevelSpec
from optanon.models.problem import Problem
from optanon.models.requirements import Difference, KAnonymity
from optanon.solver.colgen.cuts import Cuts
from optanon.solver.colgen.duals import Duals
from optanon.solver.colgen.table import Rows
from optanon.solver.engines.partition.enumerated import program, search
from optanon.solver.engines.partition.enumerated.guide import Guide
from optanon.solver.engines.partition.enumerated.measure import Near, PricedPart, ReducedCosts
from optanon.solver.engines.partition.enumerated.moves import _divisions
from optanon.solver.engines.partition.enumerated.part import factor_of, plain
from optanon.solver.engines.partition.enumerated.program import ListOutcome
from optanon.solver.engines.partition.enumerated.repair import merge_until_clean
from optanon.solver.engines.partition.enumerated.state import RepairedGroups
from optanon.solver.settings import Clock, Settings, Watch
from optanon.solver.status import Status


def joint(minimize: LevelSpec = "information_loss", suppressed: int = 0) -> Problem:
    problem = random_problem(4, 12, [KAnonymity(k=2), Difference(k=2)])
    return replace(problem, policy=problem.policy.changed(minimize=minimize, max_suppressed=suppressed))


def measured(problem: Problem, best: Fraction) -> ReducedCosts:
    """At duals of 1."""
    rows = Rows.of(plain(problem, problem.policy.decided_by_histograms(problem)))
    duals = Duals(rows=np.ones(len(rows), dtype=np.int64), cuts=np.zeros(0, dtype=np.int64), scale=1)
    part = PricedPart(rows=rows, cuts=Cuts(rows), duals=duals, bound=0)
    return ReducedCosts(problem, factor_of(problem), part, best, Clock(), {})


def test_groups_are_listed_whatever_a_suppressed_tuple_weighs():
    weight = 10**30
    problem = joint({"information_loss": 1, "suppressed": weight}, suppressed=2)
    judge = search.GroupVerdicts(problem)
    light = measured(joint({"information_loss": 1, "suppressed": 5}, suppressed=2), Fraction(4))
    known = light.listed(judge, 9_000)
    assert known is not None
    found = measured(problem, Fraction(4)).listed(judge, 9_000)
    assert found is not None
    assert [column.rows for column in found.columns] == [column.rows for column in known.columns]
    far = measured(problem, Fraction(2 * weight)).listed(judge, 9_000)
    assert far is not None
    assert far.target < 2 * weight


class Listing:
    """A measure whose list has all better groups."""

    highest = 5

    def __init__(self, problem: Problem) -> None:
        self.problem, self.rooms = problem, list[int]()

    def listed(self, judge: search.GroupVerdicts, room: int) -> Near:
        self.rooms.append(room)
        return Near(columns=[], target=self.highest)

    def expression(self, model: object, target: int) -> int:
        return 0

    def bounds(self, reached: int) -> list[Fraction | None]:
        return [None]

    def least(self, value: int) -> int:
        return value


def followed(monkeypatch: pytest.MonkeyPatch, minimize: Callable[..., ListOutcome]) -> Listing:
    """The lists of a search whose integer programs end so; it keeps its release."""
    problem = joint()
    measure = Listing(problem)
    guide = Guide(problem=problem, levels=(Fraction(0),))
    monkeypatch.setattr(program.ListedProgram, "minimize", minimize)
    monkeypatch.setattr(Guide, "measure", lambda *_: measure)
    monkeypatch.setattr(search.EnumeratedSearch, "_exactly", lambda self: None)

    def guided(*_: object) -> Iterator[Guide]:
        yield guide

    answer = search.EnumeratedSearch(problem, Settings(), Watch(), guided).run()
    assert (answer.status, answer.release is not None) == (Status.FEASIBLE, True)
    return measure


def test_a_list_of_all_better_groups_is_not_made_again(monkeypatch: pytest.MonkeyPatch):
    """Where costs are rounded it closes nothing, and was made five times."""
    monkeypatch.setattr(search, "MOST_TUPLES", 0)
    measure = followed(monkeypatch, lambda *_: ListOutcome(bound=3, solved=True))
    assert len(measure.rooms) == 1


def test_a_program_too_large_for_the_solver_leaves_the_release(monkeypatch: pytest.MonkeyPatch):
    def refused(*_: object) -> ListOutcome:
        raise TooLargeError("its numbers are too large")

    assert followed(monkeypatch, refused).rooms


def test_large_pairs_are_cut_at_evenly_spaced_places():
    """All cuts of some thousand tuples would fill the memory, and hear no clock."""
    codes = np.arange(8_000, dtype=np.int64).reshape(4_000, 2)
    masks = _divisions(codes, np.ones(4_000, dtype=np.bool_), whole=True)
    sides = masks[:50].sum(axis=1)
    assert len(masks) == 2 * 50
    assert (sides[0], sides[-1]) == (1, 3_999)
    assert np.diff(sides).max() < 100
    assert len(_divisions(codes[:60], np.ones(60, dtype=np.bool_), whole=True)) == 2 * 59


def test_merging_and_cuts_end_with_time(monkeypatch: pytest.MonkeyPatch):
    problem = joint()
    state = RepairedGroups(problem, [[t] for t in range(12)])
    asked = Asked(2)
    assert not merge_until_clean(state, Clock(stop=asked))
    assert len(state.groups) > 2
    judged = list[object]()
    monkeypatch.setattr(Difference, "check", lambda *asked: iter(judged.append(asked) or ()))
    release = problem.assemble([[t, t + 1] for t in range(0, 12, 2)])
    late = Clock(stop=lambda: True)
    assert tuple(program._fewest(Difference(k=2), release, problem, late)) == release.groups
    assert not judged
