"""What a method, or a function of one object, has answered: kept in the object and gone with it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

__all__ = ["memoized"]

S = TypeVar("S")
P = ParamSpec("P")
R = TypeVar("R")


def memoized(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """Remember a method's answers by its positional arguments, as long as the object lives.

    A function whose first argument is the object will do as well.

    Not `functools.cache`: that keys on the object in the class, so every object ever asked lives as long as
    the process. For methods of objects with a ``__dict__`` whose answers do not change.
    """
    name = method.__module__, method.__qualname__

    @wraps(method)
    def asked(self: S, *args: P.args, **kwargs: P.kwargs) -> R:
        answers: dict[Any, R] = vars(self).setdefault("_answers", {})
        key = (name, args)
        if key not in answers:
            answers[key] = method(self, *args, **kwargs)
        return answers[key]

    return asked
