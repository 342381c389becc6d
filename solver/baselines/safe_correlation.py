"""Correlation sanitization (al Bouna, Clifton, Malluhi, Algorithm 1) after Anatomy.

Lines 1 to 8   Values of the quasi-identifier with fewer than l significant sensitive values lose these
               cells. Counts change thereby, so it is repeated to a fixpoint: once, as printed, is not enough
               (shipped instance one-pass).
Line 9         Anonymize (T, l): Anatomy's buckets (sec. 7.2.1 names Anatomy).
Lines 10 to 24 One variable per value and group, at most the number of its cells; one per value for the
               estimate, at most c / l (printed 1/lambda, which is its outcome).
Lines 25 to 43 One row per value and sensitive value. ``CX <= B`` has lost the lower sides of
               sec. 6.1; they are kept here, so the estimates differ by epsilon at most.
Line 44        Solved in whole cells: half a cell cannot be hidden.
Lines 45 to 47 Hide what the solution does not publish.

Cells hidden in the first lines do not change the groups: Anatomy looks at sensitive values only. So
grouping comes first here, and `engines.sanitize` does the rest.
"""

from __future__ import annotations

from ...models.errors import EngineError
from ...models.problem import Problem
from ...models.release import Release
from ...models.requirements.safe_correlation import SafeCorrelation
from ..engines.sanitize import sanitize
from ..settings import Clock
from .anatomy import bucketize
from .parameters import parameters

__all__ = ["anatomized", "safe_correlation"]


def safe_correlation(problem: Problem, seed: int = 0, clock: Clock | None = None) -> Release:
    """Anatomize, then hide the fewest cells of one quasi-identifier that make correlations safe.

    The policy's `SafeCorrelation` gives l, thresholds and epsilon; the form must be ``anatomized``. The
    seed decides Anatomy's ties.

    Raises
    ------
    EngineError
        If the form is another, or more than 1/l of the tuples share a value.
    """
    asked = parameters(problem, SafeCorrelation, "safe_correlation")
    if problem.policy.form != "anatomized":
        raise EngineError("safe_correlation hides single cells: use form 'anatomized' with it")
    return sanitize(
        anatomized(problem, asked.l, seed, "safe_correlation"), asked, seed=seed, clock=clock
    ).release


def anatomized(problem: Problem, l: int, seed: int, baseline: str) -> Release:  # noqa: E741
    """Anatomy's groups, or EngineError if one value is too frequent for l."""
    groups = bucketize([member.value for member in problem.table.members], l, seed)
    if groups is None:
        most = max(problem.table.histogram.values())
        raise EngineError(
            f"{baseline}: {most} of {len(problem.table)} tuples share one value, more than 1/l with l = {l}: "
            "lower l, or leave tuples out"
        )
    return problem.assemble(groups)
