"""A geometric strategy for the global guarantee (after Fu, Wang, Wong, Wang): small groups first.

Sec. 6 announces "another strategy which aims to reduce the anonymized group size on average"; the text
at hand ends before it. The rule is that of `models.requirements.geometric`, which is ours and proved
there.
"""

from __future__ import annotations

from ...models.problem import Problem
from ...models.release import Release
from ...models.requirements.geometric import Geometric
from ..settings import Clock
from .link_strategies import split_within_budget
from .parameters import parameters

__all__ = ["geometric"]


def geometric(problem: Problem, seed: int = 0, clock: Clock | None = None) -> Release:
    """Cut the table top-down into groups that spend at most the part 1 - 1/a of what is left.

    The policy's `Geometric` gives l, a and the protected values.

    Raises
    ------
    EngineError
        As `split_within_budget`.
    """
    return split_within_budget(problem, parameters(problem, Geometric, "geometric"), "geometric", clock)
