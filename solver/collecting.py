"""Garbage collection kept away from large tables.

Python looks for cycles among all objects whenever their number has grown, and a table of a million tuples is
millions of objects without one: a third of the time of reading and writing it went into looking. To look
through tables and histories again and again takes up to a fifth of a search that makes as many objects.
"""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager

__all__ = ["RARELY", "lasting", "set_apart"]

RARELY = (200_000, 20, 20)
"""Thresholds of collections while a command runs: what becomes a cycle is found soon enough."""


@contextmanager
def set_apart() -> Generator[None]:
    """Collect nothing meanwhile, and leave all there is at the end out of later collections.

    For a program that ends soon: only `gc.unfreeze` gives cycles among what was set apart back.
    """
    on = gc.isenabled()
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        if on:
            gc.enable()


@contextmanager
def lasting() -> Generator[None, None, None]:
    """Leave the objects of now alone until the end; nothing is done if somebody else does so already."""
    if gc.get_freeze_count():
        yield
        return
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
