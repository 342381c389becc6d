"""What one finished release loses, publishes and breaks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from ....models.errors import InputError
from ....models.losses import loss
from ....models.problem import Problem
from ....models.release import Release
from ....models.table import Microdata
from .queries import RangeQueries, exact_answers, median_error, random_queries

__all__ = ["Figures", "figures", "queries_for"]


@dataclass(frozen=True, kw_only=True)
class Figures:
    """A release in figures.

    Attributes
    ----------
    objective : tuple of Fraction
        Value of every level of the policy's objective.
    information_loss : Fraction
        Sum of the widths of all tuples' boxes, 0 to tuples times attributes.
    discernibility : Fraction
        Sum of squared group sizes.
    groups : int
    smallest, largest : int
        Published tuples per group, counterfeits included; 0 if there is no group.
    average : Fraction
        Published tuples over groups; 0 if there is no group.
    counterfeits, suppressed, hidden_cells : int
    query_error : float or None
        Median relative error of counting queries (Riboni and Bettini, sec. 5); None if none was
        asked, no query counts anybody, or the release is anatomized (its exact quasi-identifiers
        answer them all).
    violations : Mapping of str to int
        Number of violations of each requirement or limit that is broken.
    """

    objective: tuple[Fraction, ...]
    information_loss: Fraction
    discernibility: Fraction
    groups: int
    smallest: int
    average: Fraction
    largest: int
    counterfeits: int
    suppressed: int
    hidden_cells: int
    query_error: float | None
    violations: Mapping[str, int]

    @property
    def keeps_policy(self) -> bool:
        """Whether nothing is violated."""
        return not self.violations


def queries_for(table: Microdata, count: int, selectivity: float, seed: int) -> RangeQueries | None:
    """Random queries of which at least one counts somebody; None if there is no such one, or count is 0.

    Raises
    ------
    InputError
        If the number of queries is negative or the selectivity is not above 0 and at most 1.
    """
    if count < 0:
        raise InputError(f"queries must be at least 0, got {count}")
    asked = random_queries(table, count or 1, selectivity, seed)
    return asked if count and exact_answers(table, asked).any() else None


def figures(problem: Problem, release: Release, queries: RangeQueries | None = None) -> Figures:
    """Measure a release and check it by the definitions alone."""
    sizes = [group.size for group in release.groups]
    error = None
    if queries is not None and release.form == "generalized":
        error = median_error(release, problem.table, queries)
    return Figures(
        objective=problem.objective(release),
        information_loss=loss("information_loss").value(release, problem.table),
        discernibility=loss("discernibility").value(release, problem.table),
        groups=len(sizes),
        smallest=min(sizes, default=0),
        average=Fraction(sum(sizes), len(sizes)) if sizes else Fraction(0),
        largest=max(sizes, default=0),
        counterfeits=release.counterfeits,
        suppressed=len(release.suppressed),
        hidden_cells=release.hidden_cells,
        query_error=error,
        violations=dict(Counter(violation.requirement for violation in problem.check(release))),
    )
