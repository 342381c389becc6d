"""Respondents of the table who were published before: how many there are, and what depends on them."""

from __future__ import annotations

from collections.abc import Iterator

from .exact_numbers import show_count
from .problem_view import ProblemView
from .structure import DependsOn

__all__ = ["returning", "unless_returning"]


def returning(problem: ProblemView) -> Iterator[str]:
    """Yield one sentence: how many tuples belong to respondents published before."""
    total = len(problem.table)
    known = sum(member.respondent in problem.history.records for member in problem.table.members)
    gone = len(problem.history.records) - known
    yield (
        f"the table has {show_count(total, 'tuple')}: {known} of respondents published before, "
        f"{total - known} new; {show_count(gone, 'respondent')} published before not in the table"
    )


def unless_returning(problem: ProblemView | None, otherwise: DependsOn) -> DependsOn:
    """Members if some respondent of the table was published before, or nobody knows; `otherwise` if none."""
    if problem is None:
        return DependsOn.MEMBERS
    known = problem.history.records
    returning = any(member.respondent in known for member in problem.table.members)
    return DependsOn.MEMBERS if returning else otherwise
