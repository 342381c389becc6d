"""Domains of columns of categories: ranges of ordered ones, or nodes of a taxonomy."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from .box import Cell, Exact, Leaves
from .domain import Codes, Domain
from .entries import Entries
from .errors import ReleaseError, TableError
from .hierarchy import ROOT, Hierarchy
from .memo import memoized

__all__ = ["Categories", "Ordered"]


@dataclass(frozen=True, kw_only=True)
class Ordered(Domain):
    """Categories with an order, generalized to ranges ``a..c`` of consecutive categories.

    Parameters
    ----------
    name : str
        The column's.
    categories : tuple of str
        From the lowest to the highest, each once.

    Raises
    ------
    TableError
        If there is none, one is there twice, or a range of them could be read in two ways.
    """

    name: str
    categories: tuple[str, ...]
    _rank: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.categories or len(set(self.categories)) != len(self.categories):
            raise TableError(f"column {self.name!r}: an ordered domain needs distinct categories")
        object.__setattr__(self, "_rank", {c: i for i, c in enumerate(self.categories)})
        # Only dots inside categories, or at their ends, can make a range look like something else.
        if any(".." in f".{category}." for category in self.categories):
            self._refuse_ranges_alike()

    def _refuse_ranges_alike(self) -> None:
        twice = min(self._readings_alike(), default=None)
        if twice is not None:
            label = self.cell(*twice).label
            raise TableError(
                f"column {self.name!r}: {label!r} could be read as two ranges of its ordered categories: "
                "write the categories with other signs than '..'"
            )

    def _readings_alike(self) -> Iterator[tuple[int, int]]:
        """The later reading of each label that has two: of names that go on with a dot, not of all pairs."""
        rank, begins = self._rank, list[tuple[int, int, str]]()
        ends = defaultdict[str, list[tuple[int, int]]](list)
        for name, code in rank.items():
            for dot in re.finditer(r"\.", name):
                first, second = rank.get(name[: dot.start()]), rank.get(name[dot.end() :])
                if first is not None:  # as lower ends, this name is read where the shorter one could be
                    begins.append((first, code, name[dot.start() :]))
                if second is not None:
                    ends[name[: dot.end()]].append((code, second))
                last = rank.get(name[dot.end() + 1 :]) if name.startswith("..", dot.start()) else None
                if first is not None and last is not None and first < last:
                    yield max((first, last), (code, code))
        for lo, longer, more in begins:
            after = f"{more}.."  # begins with two dots, the sign of the range from the shorter name
            for hi, shorter in ends.get(after[2:], ()) if after.startswith("..") else ():
                if lo < hi and longer < shorter:
                    yield max((lo, hi), (longer, shorter))

    @property
    def span(self) -> int:
        return max(1, len(self.categories) - 1)

    def encode(self, column: Sequence[object]) -> Codes:
        return _lookup(self.name, column, self._rank, "its ordered list of categories")

    def value(self, code: int) -> str:
        return self.categories[code]

    def units(self, lo: int, hi: int) -> int:
        return hi - lo

    def cell(self, lo: int, hi: int) -> Leaves:
        label = self.categories[lo] if lo == hi else f"{self.categories[lo]}..{self.categories[hi]}"
        return Leaves(label, frozenset(self.categories[lo : hi + 1]))

    def width(self, cell: Cell) -> Fraction:
        if not isinstance(cell, Leaves):
            return Fraction(1)
        ranks = [self._rank[c] for c in cell.values if c in self._rank]
        return Fraction(max(ranks) - min(ranks), self.span) if ranks else Fraction(0)

    def refuses(self, cell: Cell) -> str | None:
        ranks = [self._rank.get(c, -1) for c in cell.values] if isinstance(cell, Leaves) else []
        known = bool(ranks) and min(ranks) >= 0
        return None if known and max(ranks) - min(ranks) < len(ranks) else "is no range of its categories"

    def parse(self, label: str) -> Leaves:
        for text in _readings(label):
            if text in self._rank:
                return self.cell(self._rank[text], self._rank[text])
            for dots in re.finditer(r"(?=\.\.)", text):  # a category may hold the sign of a range itself
                lo = self._rank.get(text[: dots.start()])
                hi = self._rank.get(text[dots.start() + 2 :])
                if lo is not None and hi is not None and lo <= hi:
                    return self.cell(lo, hi)
        raise ReleaseError(f"column {self.name!r}: {label!r} is not a range of its ordered categories")

    def parse_value(self, text: str) -> str:
        code = _code_of(text, self._rank)
        if code is None:
            raise ReleaseError(f"column {self.name!r}: {text!r} is not in its ordered list of categories")
        return self.categories[code]


@dataclass(frozen=True, kw_only=True)
class Categories(Domain):
    """Categories under a taxonomy (flat ones under a single root), generalized to its nodes.

    A node's width is its share of the leaves, 0 for a single leaf: the
    normalized certainty penalty (Xu et al., 2006). Codes are leaves in
    depth-first order, so a node is an interval of codes.

    Raises
    ------
    TableError
        If a label stands for different sets of values (a release that says it could not be read), or the
        first row is a header.
    """

    name: str
    hierarchy: Hierarchy

    def __post_init__(self) -> None:
        if _headed(self.name, self.hierarchy.paths):
            raise TableError(
                f"column {self.name!r}: the first row of its hierarchy is a header "
                f"({self.hierarchy.paths[0][0]}): take it out, or it would be a category"
            )
        for lo, hi, label in self.hierarchy.nodes:
            if self._labels[label] != (lo, hi):
                raise TableError(f"column {self.name!r}: {_said_twice(label)}")

    @cached_property
    def _code(self) -> dict[str, int]:
        return {leaf: code for code, leaf in enumerate(self.hierarchy.leaves)}

    @cached_property
    def _cells(self) -> dict[tuple[int, int], Leaves]:
        leaves = self.hierarchy.leaves
        return {
            (lo, hi): Leaves(label, frozenset(leaves[lo : hi + 1])) for lo, hi, label in self.hierarchy.nodes
        }

    @property
    def span(self) -> int:
        return len(self.hierarchy.leaves)

    @property
    @memoized
    def nodes(self) -> tuple[tuple[int, int], ...]:
        return tuple(self._cells)

    @memoized
    def chain(self, code: int) -> tuple[tuple[int, int], ...]:
        first, last = self.hierarchy.ends
        return tuple(dict.fromkeys(zip(first[:, code].tolist(), last[:, code].tolist(), strict=True)))

    def encode(self, column: Sequence[object]) -> Codes:
        return _lookup(self.name, column, self._code, "its hierarchy")

    def widened(self, values: Collection[Exact]) -> Categories:
        try:
            wide = self.hierarchy.widened(map(str, values))
        except (ValueError, ZeroDivisionError, OverflowError) as error:
            raise TableError(f"column {self.name!r}: the rule of its hierarchy: {error}") from error
        return self if wide is self.hierarchy else replace(self, hierarchy=wide)

    def value(self, code: int) -> str:
        return self.hierarchy.leaves[code]

    @memoized
    def node(self, lo: int, hi: int) -> tuple[int, int]:
        """The smallest node over codes `lo` to `hi`, as a code interval."""
        first, last = self.hierarchy.ends
        level = int(np.argmax(first[:, lo] == first[:, hi]))  # the lowest on which they are together
        return int(first[level, lo]), int(last[level, lo])

    @memoized
    def children(self, lo: int, hi: int) -> Codes:
        """The last codes of the largest nodes within a node; its own one if it is a leaf."""
        _, last = self.hierarchy.ends
        below = last[last[:, lo] < hi]
        return np.unique(below[-1, lo : hi + 1]) if len(below) else np.array([hi], dtype=np.int64)

    def units(self, lo: int, hi: int) -> int:
        if lo == hi:
            return 0
        first, last = self.node(lo, hi)
        return last - first + 1

    def units_between(self, lo: Codes, hi: Codes) -> Codes:
        """`units` of many intervals of codes at once."""
        first, last = self.hierarchy.ends
        level = np.argmax(first[:, lo] == first[:, hi], axis=0)
        return np.where(lo == hi, 0, last[level, lo] - first[level, lo] + 1)

    def cell(self, lo: int, hi: int) -> Leaves:
        return self._cells[self.node(lo, hi)]

    @memoized
    def width(self, cell: Cell) -> Fraction:
        if not isinstance(cell, Leaves):
            return Fraction(1)
        known = sum(1 for leaf in cell.values if leaf in self._code)
        return Fraction(known if known > 1 else 0, self.span)

    @cached_property
    def _covered(self) -> frozenset[frozenset[str]]:
        """What nodes cover."""
        return frozenset(cell.values for cell in self._cells.values())

    def refuses(self, cell: Cell) -> str | None:
        node = isinstance(cell, Leaves) and cell.values in self._covered
        return None if node else "covers other categories than each node of its hierarchy"

    @cached_property
    def _labels(self) -> dict[str, tuple[int, int] | None]:
        """Code interval per label on any level; None if disjoint nodes share the label."""
        found: dict[str, tuple[int, int] | None] = {}
        for level in range(self.hierarchy.height + 1):
            for lo, hi, label in self.hierarchy.runs(level):
                old = found.get(label, (lo, hi))
                nested = old is not None and lo <= old[0] and old[1] <= hi
                found[label] = (lo, hi) if nested else None
        return found

    @memoized
    def parse(self, label: str) -> Leaves:
        text = next((text for text in _readings(label) if text in self._labels), label)
        run = self._labels.get(text)
        if run is None:
            why = "stands for several nodes" if text in self._labels else "is not a label"
            raise ReleaseError(f"column {self.name!r}: {label!r} {why} of its hierarchy")
        return Leaves(text, frozenset(self.hierarchy.leaves[run[0] : run[1] + 1]))

    def parse_value(self, text: str) -> str:
        code = _code_of(text, self._code)
        if code is None:
            raise ReleaseError(f"column {self.name!r}: {text!r} is not in its hierarchy")
        return self.hierarchy.leaves[code]


def _headed(name: str, paths: Sequence[Sequence[str]]) -> bool:
    """Whether the first row begins with the column's name, and is alone in missing the others' root."""
    below = {path[-2] for path in paths[1:]} if len(paths[0]) > 2 else set[str]()
    return len(below) == 1 and paths[0][0].casefold() == name.casefold() and paths[0][-2] not in below


def _said_twice(label: str) -> str:
    if label == ROOT:
        return (
            f"its value {ROOT!r} could not be told from {ROOT!r} for nothing said: write the value otherwise "
            f"or declare missing_marks: ['{ROOT}'] if it says nothing"
        )
    return (
        f"{label!r} stands for different sets of values in its hierarchy, so a release that says it could "
        "not be read: rename one of them"
    )


def _readings(text: str) -> tuple[str, str]:
    """A text as it is, since tables have values with blanks around them; only then without them."""
    return text, text.strip()


def _code_of(text: str, known: dict[str, int]) -> int | None:
    return next((known[reading] for reading in _readings(text) if reading in known), None)


def _lookup(name: str, column: Sequence[object], known: dict[str, int], where: str) -> Codes:
    distinct = Entries.of(name, column)
    codes = np.empty(len(distinct.raws), dtype=np.int64)
    for at, (row, raw) in enumerate(zip(distinct.rows, distinct.raws, strict=True)):
        code = _code_of(str(raw), known)
        if code is None:
            raise TableError(
                f"column {name!r}, row {row + 1}: {str(raw)!r} is not in {where}: correct the value or "
                "add it there"
            )
        codes[at] = code
    return codes[distinct.places]
