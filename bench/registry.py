"""What a benchmark case is, and the list of all of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

__all__ = ["Case", "Row", "case", "cases"]

Row = dict[str, Any]
"""One line of a case's table: column name to a value JSON can hold (numbers, text, None)."""


@dataclass(frozen=True, kw_only=True)
class Case(ABC):
    """A benchmark: its dataclass fields (all with defaults) are its options on the command line.

    Class attributes
    ----------------
    name : str
        On the command line.
    small_settings : Mapping
        Values of fields for ``--small``, the version that CI runs once.
    """

    name: ClassVar[str]
    small_settings: ClassVar[Mapping[str, Any]] = {}

    seed: int = 0

    @abstractmethod
    def run(self) -> list[Row]:
        """Run and return the table; progress may be printed to standard error."""


C = TypeVar("C", bound=type[Case])
_cases: dict[str, type[Case]] = {}


def case(kind: C) -> C:
    """Class decorator: register a case under its name."""
    if kind.name in _cases:
        raise ValueError(f"two cases are called {kind.name!r}")
    _cases[kind.name] = kind
    return kind


def cases() -> Mapping[str, type[Case]]:
    """Every case by name."""
    return dict(sorted(_cases.items()))
