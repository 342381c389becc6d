"""Numba behind a typed door: compiled functions keep their signature for the type checker.

Where numba is not installed the same functions run as plain Python: the answers are the same, and take about
a hundred times longer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

try:
    import numba  # pyright: ignore[reportMissingTypeStubs]
except ImportError:
    numba = None

__all__ = ["compiled"]

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function of numbers and arrays; threads may run it side by side."""
    if numba is None:
        return function
    compiler = cast("Any", numba)
    return cast("Callable[P, R]", compiler.njit(cache=True, nogil=True)(function))
