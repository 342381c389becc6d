"""Parameters as people give them, read exactly or refused with their name."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from numbers import Integral
from typing import TypeVar

import numpy as np

from .errors import InputError, OptanonError, PolicyError
from .exact_numbers import exact_number

__all__ = [
    "as_fraction",
    "as_names",
    "hold_share",
    "hold_truth",
    "hold_whole",
    "in_int64",
    "require_each",
    "require_kind",
    "require_time_limit",
    "whole",
]

T = TypeVar("T")

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


def as_names(owner: str, parameter: str, raw: str | Iterable[object]) -> tuple[str, ...]:
    """Read the name of one column, or of several different ones."""
    try:
        found = (raw,) if isinstance(raw, str) else tuple(raw)
    except TypeError:  # of another kind, from a file
        found = ()
    names = tuple(name for name in found if isinstance(name, str))
    if not names or len(names) < len(found) or len(set(names)) < len(names):
        raise PolicyError(
            f"{owner}: {parameter} must name one column, or several different ones, got {raw!r}"
        )
    return names


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


def require_kind(
    what: str, raw: object, *kinds: type, remedy: str, error: type[OptanonError] = InputError
) -> None:
    """See that an argument is of one of some kinds; where people give it, not below."""
    if not isinstance(raw, kinds):
        names = (kind.__name__ for kind in kinds)
        wanted = " or ".join(f"{'an' if name[0] in 'AEIOUaeiou' else 'a'} {name}" for name in names)
        raise error(f"{what} must be {wanted}, not {type(raw).__name__}: {remedy}")


def require_each(
    what: str, raw: Iterable[T], kind: type, *, remedy: str, error: type[OptanonError] = InputError
) -> tuple[T, ...]:
    """What an argument that is to be a collection of one kind holds."""
    if isinstance(raw, str) or not isinstance(raw, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise error(f"{what} must be a list, not {type(raw).__name__}: {remedy}")
    found = tuple(raw)
    for number, one in enumerate(found, start=1):
        require_kind(f"number {number} of {what}", one, kind, remedy=remedy, error=error)
    return found


def whole(owner: str, parameter: str, raw: object, least: int) -> int:
    """Read an integer of at least `least`, and not beyond all tables; NumPy's become Python's."""
    number = None if isinstance(raw, bool) or not isinstance(raw, Integral) else int(raw)
    if number is None or number < least:
        raise PolicyError(f"{owner}: {parameter} must be a whole number of at least {least}, got {raw!r}")
    if number > MOST:
        raise PolicyError(f"{owner}: {parameter} must be at most {MOST:,}")
    return number


def hold_whole(record: object, owner: str, parameter: str, least: int) -> None:
    """Check a parameter of a frozen record as `whole`, and hold it as Python's integer."""
    object.__setattr__(record, parameter, whole(owner, parameter, getattr(record, parameter), least))


def hold_share(record: object, owner: str, parameter: str) -> None:
    """Check that a parameter of a frozen record is above 0 and at most 1, and hold it exactly."""
    share = as_fraction(owner, parameter, getattr(record, parameter))
    if not 0 < share <= 1:
        raise PolicyError(f"{owner}: {parameter} must be above 0 and at most 1, got {share}")
    object.__setattr__(record, parameter, share)


def hold_truth(record: object, owner: str, parameter: str) -> None:
    """Check that a parameter of a frozen record is a truth value; a file's ``"no"`` would be true."""
    raw = getattr(record, parameter)
    if not isinstance(raw, bool | np.bool_):
        raise PolicyError(f"{owner}: {parameter} must be true or false, got {raw!r}")
    object.__setattr__(record, parameter, bool(raw))
