"""Answers about one problem that several parts of a solve ask for, worked out once."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import wraps
from typing import TypeVar

__all__ = ["remembered"]

A = TypeVar("A")
R = TypeVar("R")


def remembered(function: Callable[[A], R]) -> Callable[[A], R]:
    """Remember answers as long as the very object asked about exists.

    For pure functions of objects that do not change; an answer must not hold on to the object.
    """
    known: dict[int, tuple[weakref.ref[A], R]] = {}

    @wraps(function)
    def asked(about: A) -> R:
        number = id(about)
        found = known.get(number)
        if found is not None and found[0]() is about:
            return found[1]
        answer = function(about)
        known[number] = weakref.ref(about, lambda _: known.pop(number, None)), answer
        return answer

    return asked
