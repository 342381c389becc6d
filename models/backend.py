"""What requirements whose meaning is itself a search ask of a solver, which is set up in the solver's room.

Models run no solver. Whether a deep correlation exists, or which prices make a good cut, is stated as a
model or a program and handed to the `Backend` that the package provides; it is loaded when first asked.
As an argument of `check` it would have to pass through every requirement and history, for the sake of three.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from .errors import EngineError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from ortools.sat.python import cp_model
    from scipy.sparse import csc_array

    Floats = NDArray[np.float64]

__all__ = ["Backend", "backend", "provide"]


class Backend(Protocol):
    """What models ask of solvers."""

    def optimum(self, model: cp_model.CpModel) -> Callable[[cp_model.LinearExprT], int] | None:
        """Values in a best solution; None if there is no solution."""
        ...

    def duals(self, cost: Floats, matrix: csc_array, low: Floats, high: Floats) -> Floats | None:
        """Duals of rows at least cost over columns of at least 0; None if there is no optimum."""
        ...


_source: Callable[[], Backend] | None = None


def provide(source: Callable[[], Backend]) -> None:
    """Name the backend; `source` is called when a requirement asks for it."""
    global _source
    _source = source


def backend() -> Backend:
    """The backend provided.

    Raises
    ------
    EngineError
        If there is none.
    """
    if _source is None:
        raise EngineError("no solver is provided for requirements that search: import optanon first")
    return _source()
