"""Parameters as people give them, read exactly or refused with their name."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from .errors import OptanonError, PolicyError
from .exact_numbers import exact_number

__all__ = ["as_fraction", "in_int64", "require_time_limit", "whole"]

MOST = 10**9
"""No parameter that counts people or values needs more; solvers count in 64 bits."""


def as_fraction(owner: str, parameter: str, raw: object) -> Fraction:
    """Read a rational parameter exactly (0.5 is 1/2; ``"1/3"`` is allowed)."""
    if isinstance(raw, bool):
        raise PolicyError(f"{owner}: {parameter} must be a number, got {raw}")
    try:
        return exact_number(raw)
    except (ValueError, ZeroDivisionError) as error:
        raise PolicyError(
            f"{owner}: {parameter} must be a number such as 0.5 or '1/3', got {raw!r}"
        ) from error


def in_int64(*bounds: int) -> bool:
    """Whether sums and products with these absolute bounds are exact in int64."""
    return all(bound < 2**62 for bound in bounds)


def require_time_limit(raw: object, kind: type[OptanonError] = PolicyError) -> None:
    """Check that a time limit is a number of seconds above 0, or None."""
    if raw is None:
        return
    if (
        isinstance(raw, bool)
        or not isinstance(raw, int | float | Fraction | np.integer | np.floating)
        or not raw > 0
    ):
        raise kind(f"time_limit must be a number of more than 0 seconds, or None, got {raw!r}")


def whole(owner: str, parameter: str, raw: object, least: int) -> int:
    """Check that a parameter is an integer of at least `least`, and not beyond all tables."""
    if isinstance(raw, bool) or not isinstance(raw, int) or raw < least:
        raise PolicyError(f"{owner}: {parameter} must be a whole number of at least {least}, got {raw!r}")
    if raw > MOST:
        raise PolicyError(f"{owner}: {parameter} must be at most {MOST:,}")
    return raw
