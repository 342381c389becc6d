"""Solving by lists, whatever the plan would be, and what must hold of the answer."""

from __future__ import annotations

from typing import Any

from cases.drawn import Case
from optanon.models.problem import Problem
from optanon.solver.engines.partition.enumerated import search
from optanon.solver.search import obstacles, partition_engine
from optanon.solver.settings import Answer, Settings, Watch
from optanon.solver.status import Status


def listed(problem: Problem, **settings: Any) -> Answer:
    """Solve by lists, whatever the plan would be, and check what holds for every answer."""
    answer = search.EnumeratedSearch(problem, Settings(**settings), Watch(), partition_engine().guiding).run()
    if answer.release is not None:
        assert next(problem.check(answer.release), None) is None
        values = problem.objective(answer.release)
        assert all(b is None or b <= v for b, v in zip(answer.bounds, values, strict=True))
        assert (answer.status is Status.OPTIMAL) == (values == answer.bounds)
    return answer


def posed(case: Case) -> bool:
    """Whether the question makes sense: columns and form fit, and no plain reason forbids all releases."""
    if any(r.structure(case.problem).form not in (None, case.at.form) for r, _ in case.parts):
        return False
    columns = (None, *case.at.table.attributes)
    named = all(getattr(requirement, "attribute", None) in columns for requirement, _ in case.parts)
    return named and not obstacles(case.problem)


def agrees(case: Case, answer: Answer) -> None:
    """The answer is the optimum of exhaustive enumeration."""
    limit = 2 if case.fakes < 0 else case.fakes
    best = case.optimum(limit)
    if case.fakes < 0 and best is None:
        # More counterfeits than can be enumerated; the engine may find such a release.
        assert answer.status is not Status.OPTIMAL or (answer.bounds[0] or 0) > limit
    elif best is None:
        assert (answer.status, answer.release) == (Status.INFEASIBLE, None)
    else:
        assert (answer.status, answer.bounds) == (Status.OPTIMAL, best)
