"""Correlation sanitization (al Bouna, Clifton, Malluhi, Algorithm 1) after Anatomy.

Lines 1 to 8   Values of the quasi-identifier with fewer than l significant sensitive values lose these
               cells. Counts change thereby, so it is repeated to a fixpoint (the source does it once).
Line 9         Anatomize (T, l): Anatomy's buckets.
Lines 10 on    The program of each value, in whole cells and with both sides of every row, so that
               what is published satisfies the definition.

Cells hidden in the first lines do not change the groups: Anatomy looks at sensitive values only. So
grouping comes first here, and `engines.sanitize` does the rest.
"""

from __future__ import annotations

from ...models.errors import EngineError
from ...models.problem import Problem
from ...models.release import Release
from ...models.requirements.safe_correlation import SafeCorrelation
from ..engines.sanitize import sanitize
from .anatomy import bucketize
from .parameters import parameters

__all__ = ["anatomized", "safe_correlation"]


def safe_correlation(problem: Problem, seed: int = 0) -> Release:
    """Anatomize, then hide the fewest cells of one quasi-identifier that make correlations safe.

    Parameters
    ----------
    problem : Problem
        Its policy's `SafeCorrelation` gives l, thresholds and epsilon; the form must be
        ``anatomized``; other requirements and limits are not looked at.
    seed : int
        Decides Anatomy's ties.

    Raises
    ------
    EngineError
        If the form is another, or more than 1/l of the tuples share a value.
    """
    asked = parameters(problem, SafeCorrelation, "safe_correlation")
    if problem.policy.form != "anatomized":
        raise EngineError("safe_correlation hides single cells: use form 'anatomized' with it")
    return sanitize(anatomized(problem, asked.l, seed, "safe_correlation"), asked, seed=seed).release


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
