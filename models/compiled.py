"""Numba behind a typed door: compiled functions keep their signature for the type checker."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

import numba  # pyright: ignore[reportMissingTypeStubs]

__all__ = ["compiled"]

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function of numbers and arrays; threads may run it side by side."""
    compiler = cast("Any", numba)
    return cast("Callable[P, R]", compiler.njit(cache=True, nogil=True)(function))
