"""Bounds on counterfeits and on information loss where releases have a past: duals, and trees over groups.

Which groups there may be, and how those above a floor are found, is in `kinds`.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from ...models.problem import Problem
from .. import claims
from ..exact.program import covering
from .counts import counts_program
from .kinds import Kinds
from .past import PastDemands
from .trees import searched

__all__ = ["fewest_needed", "priced_series", "proven_series"]


def priced_series(
    problem: Problem,
    stated: claims.FakeDuals,
    *,
    counting: bool,
    over: Callable[[], bool] | None = None,
) -> Fraction:
    """The bound that duals prove by themselves: on counterfeits, or on information loss.

    Raises
    ------
    CertificateError
        If they prove nothing.
    """
    kinds = Kinds.of(problem, counting=counting)
    duals = kinds.duals(stated)
    kinds.columns(duals, stated.fakes, over=over)
    return Fraction(max(0, duals.bound(kinds.rows.count, stated.fakes)), kinds.rows.one)


def proven_series(
    problem: Problem,
    stated: claims.FakeDuals,
    *,
    counting: bool,
    over: Callable[[], bool] | None = None,
) -> Fraction:
    """The bound that duals prove, or the tree if there is one: on counterfeits, or on information loss.

    Raises
    ------
    CertificateError
        If some statement does not hold.
    """
    bound, tree = priced_series(problem, stated, counting=counting, over=over), stated.tree
    if tree is None:
        return bound
    kinds = Kinds.of(problem, counting=counting)
    columns = kinds.columns(kinds.duals(stated), stated.fakes, tree.listed_for, over)
    widest = max((len(people) for people, _ in columns), default=1)
    groups = np.full((len(columns), widest), -1, dtype=np.int32)
    for line, (people, _) in enumerate(columns):
        groups[line, : len(people)] = people
    free = counting or kinds.price is not None
    fakes = np.array([0 if free else kinds.fakes(column) for column in columns], dtype=np.int64)
    cost = np.array([kinds.cost(column) for column in columns], dtype=np.int64)
    program = covering(groups, cost, kinds.rows.count, (fakes, stated.fakes))
    found = searched(program, tree.proof, over)
    return max(bound, Fraction(min(found, tree.listed_for), kinds.rows.one))


def fewest_needed(problem: Problem, claim: claims.CountsClaim, over: Callable[[], bool]) -> int:
    """The number of counterfeits that a claim proves necessary where nobody is suppressed."""
    known = 0
    if claim.program is not None:
        program = counts_program(problem, PastDemands.of(problem))
        known = max(0, searched(program, claim.program, over=over))
    if claim.by_groups is None:
        return known
    return max(known, int(proven_series(problem, claim.by_groups, counting=True, over=over)))
