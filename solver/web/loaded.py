"""What jobs need: on Linux they are forked from a process that has imported this before there is one."""

from __future__ import annotations

from ..search import engines
from .child import main

__all__ = ["main"]

engines()  # they load their plans when they are made
