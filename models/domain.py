"""Domains of quasi-identifiers: exact values as integer codes, groups of codes as cells.

A domain turns a column into int64 codes, says which cell covers a set of codes
most tightly, and measures that cell in integer *units* over an integer *span*:
``width = units / span`` is between 0 (exact) and 1 (nothing is said).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from .box import Cell, Exact

__all__ = ["Codes", "Domain"]

Codes = NDArray[np.int64]


class Domain(ABC):
    """What every quasi-identifier's domain offers. Codes are int64, from 0."""

    name: str

    @property
    @abstractmethod
    def span(self) -> int:
        """The domain's size in units, at least 1."""

    @abstractmethod
    def encode(self, column: Sequence[object]) -> Codes:
        """Codes of a column, shape (n,); a wrong value raises TableError naming its row."""

    def widened(self, values: Collection[Exact]) -> Domain:
        """The domain with these values, too, where it may be what a table has; else itself.

        Raises
        ------
        TableError
            If all numbers together need a grid too fine for exact integers.
        """
        del values
        return self

    @abstractmethod
    def value(self, code: int) -> Exact:
        """The exact value behind a code."""

    @abstractmethod
    def units(self, lo: int, hi: int) -> int:
        """Width in units of the tightest cell that covers codes `lo` <= `hi` and all between."""

    @abstractmethod
    def cell(self, lo: int, hi: int) -> Cell:
        """The tightest cell that covers codes `lo` <= `hi`."""

    @abstractmethod
    def width(self, cell: Cell) -> Fraction:
        """Width of any cell as a share of the domain, 0 to 1; the domain's loss of one tuple."""

    @abstractmethod
    def parse(self, label: str) -> Cell:
        """Read a published cell back; a wrong label raises ReleaseError."""

    @abstractmethod
    def parse_value(self, text: str) -> Exact:
        """Read one exact value back; a wrong text raises ReleaseError."""

    @abstractmethod
    def refuses(self, cell: Cell) -> str | None:
        """Why a cell is none of the domain's, in words after it; None if it is, whatever its label.

        Whoever made it: bounds on losses hold for these cells only.
        """

    def holds(self, cell: Cell, value: Exact) -> bool:
        """Whether a cell covers all that a value of the table stands for: itself, unless it was rounded."""
        return cell.covers(value)

    @property
    def nodes(self) -> tuple[tuple[int, int], ...] | None:
        """Allowed code intervals if cells are taxonomy nodes; None if any interval is a cell."""
        return None

    def chain(self, code: int) -> tuple[tuple[int, int], ...]:
        """The nodes that hold a code, the smallest first; none if any interval is a cell."""
        del code
        return ()
