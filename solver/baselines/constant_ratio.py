"""The constant-ratio strategy (Fu, Wang, Wong, Wang, sec. 6.1): every link has at least the ratio r.

The formula of r is missing in the text at hand; it follows from ``1 - (1 - 1/r)^k = 1/l`` and gives
the printed Table 1 up to its rounding (see `models.requirements.constant_ratio`).
"""

from __future__ import annotations

from ...models.problem import Problem
from ...models.release import Release
from ...models.requirements.constant_ratio import ConstantRatio
from ..settings import Clock
from .link_strategies import split_within_budget
from .parameters import parameters

__all__ = ["constant_ratio"]


def constant_ratio(problem: Problem, seed: int = 0, clock: Clock | None = None) -> Release:
    """Cut the table top-down into groups that keep the constant ratio.

    The policy's `ConstantRatio` gives l, k and the protected values.

    Raises
    ------
    EngineError
        As `split_within_budget`.
    """
    asked = parameters(problem, ConstantRatio, "constant_ratio")
    return split_within_budget(problem, asked, "constant_ratio", clock)
