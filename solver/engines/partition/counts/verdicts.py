"""What requirements on published values say of many histograms at once, and whether that is all there is."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .....models.losses.base import loss
from .....models.problem_view import ProblemView
from .....models.structure import DependsOn
from .....models.verdicts import Context, admitted, group_judges, of_histogram
from ....colgen.covering import Ints
from .limits import COUNTS_LIMITS as LIMITS
from .prices import Prices

__all__ = ["CountVerdicts", "refusal"]


def refusal(problem: ProblemView) -> str | None:
    """Why a problem is not about histograms alone; None if it is."""
    form = problem.policy.form
    for level in problem.policy.levels:
        for name in sorted(level.losses):
            if loss(name).by_size(1, 0, form) is None:
                return f"{name} depends on more than the sizes of groups"
        if not Prices.of(problem, level).fits(LIMITS.tops[0]):
            return f"weights of {level.name} have too many digits for 64 bits"
    if joint := problem.policy.joint_requirements:
        return f"{joint[0].name} looks at whole releases"
    for r in group_judges(problem):
        if r.structure(problem).depends_on is DependsOn.MEMBERS:
            return f"{r.name} asks who was where before"
    return None


class CountVerdicts:
    """Verdicts on counts of the values that a release may publish.

    Attributes
    ----------
    values : tuple of str
        Of the table; with counterfeits also all others. Columns of histograms.
    blind : bool
        Whether sizes decide alone.
    """

    def __init__(self, problem: ProblemView) -> None:
        self.problem, self._context = problem, Context.before(problem)
        self.requirements = group_judges(problem)
        there = sorted(problem.table.histogram)
        others = [v for v in problem.values if v not in problem.table.histogram]
        self.values = (*there, *(others if problem.policy.counterfeit_limit != 0 else ()))
        self.blind = all(r.structure(problem).depends_on is DependsOn.SIZE for r in self.requirements)

    def admit(self, counts: Ints) -> NDArray[np.bool_]:
        """Verdict on each histogram, shape (histograms, values)."""
        step = max(1, LIMITS.chunk // max(1, counts.shape[1]))
        parts = [self._part(counts[at : at + step]) for at in range(0, len(counts), step)]
        return np.concatenate([np.zeros(0, dtype=np.bool_), *parts])

    def sizes(self, sizes: Ints) -> NDArray[np.bool_]:
        """Verdict on each size; only if `blind`."""
        counts = np.zeros((len(sizes), len(self.values)), dtype=np.int64)
        counts[:, 0] = sizes
        return self.admit(counts)

    def _part(self, counts: Ints) -> NDArray[np.bool_]:
        return admitted(
            self.requirements,
            counts,
            self.values,
            self._context,
            lambda line: of_histogram(self.values, counts[line].tolist()),
        )
