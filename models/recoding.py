r"""Full-domain recoding: one hierarchy level per quasi-identifier for the whole table (LeFevre et al.).

A `Ladder` holds the levels of one quasi-identifier. Level 0 is exact; every level is a
partition of the domain's codes into runs of consecutive codes, each level coarser than the
one before, and the last level of a domain with more than one code is the whole domain.
Cells of nested runs are nested, so the width of a tuple's cell never falls from one level
to the next: every bound on losses rests on that.

Where levels come from:

categories
    The levels of their own hierarchy, with its labels and numbers (0 = leaves).
numbers and ordered categories, with a hierarchy
    Its levels. A node's cell is the range of its leaves and of the nodes below it; on
    numbers a label ``[a,b)`` or ``[a,b]`` widens the cell to that interval, so that a band
    is published as the band and not as the few numbers seen in it. Cells are cut to
    the domain; the root is the whole domain.
numbers and ordered categories, without
    Halving: exact, eighths, quarters, halves, the whole domain (counted in codes; a part
    count is left out where it would leave fewer than two codes to a part).

Tuples with equal cells are one group, so a recoding decides the groups of a release; its
boxes are the hierarchy's cells, in general wider than the tightest boxes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import ceil, floor
from typing import TypeAlias

import numpy as np

from .box import Box, Cell, Leaves
from .categories import Categories, Ordered
from .domain import Codes, Domain
from .errors import HierarchyError, PolicyError
from .exact_numbers import exact_number
from .hierarchy import Hierarchy
from .numeric import Numeric
from .table import Microdata

__all__ = ["Ladder", "Recoding", "Run", "ladders"]

Run: TypeAlias = tuple[int, int, str]
"""First code, last code and label of one part of a level."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Ladder:
    """Levels of one quasi-identifier.

    Parameters
    ----------
    domain : Domain
    rungs : tuple of tuple of Run
        Levels 1, 2, ... (level 0 is exact), runs in the order of their codes.

    Raises
    ------
    HierarchyError
        If runs of a level overlap or a level is not coarser than the one before.
    """

    domain: Domain
    rungs: tuple[tuple[Run, ...], ...]

    def __post_init__(self) -> None:
        for level, runs in enumerate(self.rungs, start=1):
            for left, right in pairwise(runs):
                if left[1] >= right[0]:
                    raise HierarchyError(
                        f"column {self.domain.name!r}, level {level}: {left[2]!r} and {right[2]!r} overlap: "
                        "the nodes of a level must be disjoint ranges of the column's values"
                    )
        for level, (fine, coarse) in enumerate(pairwise(self.rungs), start=2):
            for lo, hi, label in fine:
                if not any(a <= lo and hi <= b for a, b, _ in coarse):
                    raise HierarchyError(
                        f"column {self.domain.name!r}: {label!r} (level {level - 1}) lies in no node of "
                        f"level {level}"
                    )

    @property
    def height(self) -> int:
        """The coarsest level's number; 0 if there is only the exact one."""
        return len(self.rungs)

    @cached_property
    def _starts(self) -> tuple[Codes, ...]:
        return tuple(np.array([lo for lo, _, _ in runs], dtype=np.int64) for runs in self.rungs)

    @cached_property
    def _firsts(self) -> tuple[list[int], ...]:
        return tuple([lo for lo, _, _ in runs] for runs in self.rungs)

    def parts(self, level: int, codes: Codes) -> Codes:
        """Index of each code's run at a level (the code itself at level 0); O(n log runs)."""
        if level == 0:
            return codes
        return np.searchsorted(self._starts[level - 1], codes, side="right").astype(np.int64) - 1

    @cached_property
    def _cells(self) -> tuple[tuple[Cell, ...], ...]:
        return tuple(tuple(self._cell(*run) for run in runs) for runs in self.rungs)

    def _cell(self, lo: int, hi: int, label: str) -> Cell:
        if isinstance(self.domain, Categories):
            return Leaves(label, frozenset(self.domain.hierarchy.leaves[lo : hi + 1]))
        return self.domain.cell(lo, hi)

    def cell(self, level: int, code: int) -> Cell:
        """The published cell of a code at a level."""
        if level == 0:
            return self.domain.cell(code, code)
        return self._cells[level - 1][bisect_right(self._firsts[level - 1], code) - 1]

    def outside(self, codes: Codes) -> int | None:
        """Index of a code that lies in no run of some level, None if all do."""
        for runs, starts in zip(self.rungs, self._starts, strict=True):
            at = np.searchsorted(starts, codes, side="right") - 1
            ends = np.array([hi for _, hi, _ in runs], dtype=np.int64)
            lost = np.flatnonzero((at < 0) | (ends[at] < codes))
            if len(lost):
                return int(lost[0])
        return None


@dataclass(frozen=True, kw_only=True)
class Recoding:
    """One level per quasi-identifier.

    Parameters
    ----------
    ladders : tuple of Ladder
    levels : tuple of int
        From 0 to the ladder's height each.
    """

    ladders: tuple[Ladder, ...]
    levels: tuple[int, ...]

    def __post_init__(self) -> None:
        for ladder, level in zip(self.ladders, self.levels, strict=True):
            if not 0 <= level <= ladder.height:
                raise PolicyError(
                    f"column {ladder.domain.name!r} has levels 0 to {ladder.height}, not {level}"
                )

    def box(self, codes: Sequence[int]) -> Box:
        """The published box of a tuple with these codes."""
        return tuple(
            ladder.cell(level, int(code))
            for ladder, level, code in zip(self.ladders, self.levels, codes, strict=True)
        )

    @property
    def by_name(self) -> Mapping[str, int]:
        """Level of each quasi-identifier."""
        return {ladder.domain.name: level for ladder, level in zip(self.ladders, self.levels, strict=True)}


def ladders(table: Microdata, hierarchies: Mapping[str, Hierarchy]) -> tuple[Ladder, ...]:
    """Levels of every quasi-identifier; see the module.

    Parameters
    ----------
    table : Microdata
    hierarchies : mapping of str to Hierarchy
        For numeric and ordered columns only.

    Raises
    ------
    PolicyError
        If a hierarchy is given for a column that is none, or has its own.
    HierarchyError
        If a hierarchy does not fit its column.
    """
    known = {domain.name: domain for domain in table.domains}
    for name in hierarchies:
        if name not in known:
            raise PolicyError(f"hierarchies: {name!r} is not a quasi-identifier of the table")
        if isinstance(known[name], Categories):
            raise PolicyError(f"hierarchies: column {name!r} has its own hierarchy already: change it there")
    found: list[Ladder] = []
    for a, domain in enumerate(table.domains):
        ladder = _ladder(domain, hierarchies.get(domain.name))
        outside = ladder.outside(table.codes[:, a])
        if outside is not None:
            raise HierarchyError(
                f"column {domain.name!r}, row {outside + 1}: its value lies in no node of the hierarchy: "
                "add it there"
            )
        found.append(ladder)
    return tuple(found)


def _ladder(domain: Domain, hierarchy: Hierarchy | None) -> Ladder:
    if isinstance(domain, Categories):
        own = domain.hierarchy
        return Ladder(
            domain=domain, rungs=tuple(tuple(own.runs(level)) for level in range(1, own.height + 1))
        )
    last = _last(domain)
    if hierarchy is None:
        return Ladder(domain=domain, rungs=_halves(last))
    return Ladder(domain=domain, rungs=_climb(domain, hierarchy, last))


def _last(domain: Domain) -> int:
    """The domain's largest code."""
    if isinstance(domain, Numeric):
        return int((domain.hi - domain.lo) // domain.step)
    if isinstance(domain, Ordered):
        return len(domain.categories) - 1
    raise PolicyError(
        f"column {domain.name!r}: a domain of kind {type(domain).__name__} has no levels for "
        "full-domain recoding"
    )


def _halves(last: int) -> tuple[tuple[Run, ...], ...]:
    """Eighths, quarters, halves, all; part i of p starts at code ceil(i codes / p), so parts nest."""
    codes = last + 1
    rungs: list[tuple[Run, ...]] = []
    for parts in (8, 4, 2, 1):
        if codes >= 2 * parts:
            starts = [-(-i * codes // parts) for i in range(parts + 1)]
            rungs.append(tuple((lo, nxt - 1, f"{lo}..{nxt - 1}") for lo, nxt in pairwise(starts)))
    return tuple(rungs)


def _climb(domain: Domain, hierarchy: Hierarchy, last: int) -> tuple[tuple[Run, ...], ...]:
    """Levels of a hierarchy as code ranges, from the leaves up."""
    spans = [_leaf(domain, leaf) for leaf in hierarchy.leaves]
    rungs: list[tuple[Run, ...]] = []
    for level in range(1, hierarchy.height + 1):
        runs: list[Run] = []
        for first, final, label in hierarchy.runs(level):
            ends = [spans[leaf] for leaf in range(first, final + 1)]
            ends += _bracket(domain, label)
            span = (min(lo for lo, _ in ends), max(hi for _, hi in ends))
            spans[first : final + 1] = [span] * (final + 1 - first)
            lo, hi = (0, last) if level == hierarchy.height else (max(0, span[0]), min(last, span[1]))
            if lo <= hi:
                runs.append((lo, hi, label))
        rungs.append(tuple(sorted(runs)))
    return tuple(rungs)


def _leaf(domain: Domain, leaf: str) -> tuple[int, int]:
    if isinstance(domain, Ordered):
        if leaf not in domain.categories:
            raise HierarchyError(
                f"column {domain.name!r}: the hierarchy's leaf {leaf!r} is not among its ordered categories"
            )
        rank = domain.categories.index(leaf)
        return rank, rank
    try:
        code = floor(_steps(domain, leaf))
    except ValueError as error:
        raise HierarchyError(
            f"column {domain.name!r}: the hierarchy's leaf {leaf!r} is not a number"
        ) from error
    return code, code


def _bracket(domain: Domain, label: str) -> list[tuple[int, int]]:
    """Codes of an interval label ``[a,b)`` or ``[a,b]`` of a numeric column, else nothing."""
    if not isinstance(domain, Numeric) or label[:1] != "[" or label[-1:] not in ("]", ")"):
        return []
    ends = label[1:-1].split(",")
    try:
        lo, hi = (_steps(domain, end) for end in ends)
    except ValueError:
        return []
    if domain.rounded:
        return [(floor(lo), ceil(hi) - 1 if label[-1] == ")" else floor(hi))]
    return [(ceil(lo), ceil(hi) - 1 if label[-1] == ")" else floor(hi))]


def _steps(domain: Domain, text: str) -> Fraction:
    if not isinstance(domain, Numeric):
        raise ValueError(f"{domain.name} holds no numbers")
    return (exact_number(text) - domain.lo) / domain.step
