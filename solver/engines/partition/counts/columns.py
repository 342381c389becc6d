"""The shapes of a problem: evened where that is possible, explicit otherwise."""

from __future__ import annotations

from .....models.problem import Problem
from .evened import evened
from .explicit import explicit
from .shapes import Shapes

__all__ = ["shapes_of"]


def shapes_of(problem: Problem, top: int) -> Shapes:
    """Find the columns, for groups of up to `top` tuples if there may be larger ones."""
    return evened(problem, top) or explicit(problem, top)
