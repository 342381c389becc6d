"""Generalization hierarchies: for each leaf its ancestors, one level per column (ARX's form)."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, partial
from itertools import pairwise
from math import floor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .box import format_number
from .errors import HierarchyError
from .exact_numbers import exact_number
from .memo import memoized

__all__ = ["ROOT", "Hierarchy", "as_written"]

ROOT = "*"
"""The label that says nothing."""


def as_written(numbers: Iterable[object]) -> list[tuple[Fraction, str]]:
    """Numbers in order, each with its text in a table: cells are looked up by how they are written.

    One number that is written in two ways is two leaves, which every coarser level puts together.

    Examples
    --------
    >>> [leaf for _, leaf in as_written(["070", "7.50", 7, 37.0, Fraction(3, 2)])]
    ['1.5', '7', '7.50', '37.0', '070']
    """
    found = {
        (exact_number(raw), format_number(raw) if isinstance(raw, Fraction) else str(raw)) for raw in numbers
    }
    return sorted(found)


@dataclass(frozen=True)
class Hierarchy:
    """A taxonomy over categories, stored as one path per leaf.

    Parameters
    ----------
    paths : tuple of tuple of str
        One row per leaf, leaf first, root last; all rows have the same length.
        Rows that agree on a level must agree on every coarser level, otherwise
        the rows do not form a tree. A last level with more than one label gets
        a root ``*`` above it.
    rule : callable, optional
        What built the paths from the leaves, if they were not listed: it builds those of further leaves, too.
        Hierarchies with the same paths are the same.

    Raises
    ------
    HierarchyError
        If there is no row, a leaf appears twice, rows differ in length, a cell
        is empty, or the rows do not form a tree.

    Notes
    -----
    Levels are numbered from 0 (the leaves) to `height` (the root), as ARX does.
    """

    paths: tuple[tuple[str, ...], ...]
    rule: Callable[[Iterable[str]], Hierarchy] | None = field(
        default=None, repr=False, compare=False, kw_only=True
    )

    def __post_init__(self) -> None:
        if not self.paths:
            raise HierarchyError("a hierarchy needs at least one row (leaf first, then coarser levels)")
        length = len(self.paths[0])
        seen: set[str] = set()
        for number, path in enumerate(self.paths, start=1):
            if len(path) != length:
                raise HierarchyError(
                    f"hierarchy row {number} has {len(path)} levels, row 1 has {length}: "
                    "give every row the same number of levels"
                )
            if not all(path):
                raise HierarchyError(f"hierarchy row {number} has an empty cell: name every level")
            if path[0] in seen:
                raise HierarchyError(
                    f"hierarchy row {number} repeats the leaf {path[0]!r}: keep one row per leaf"
                )
            seen.add(path[0])
        if len({path[-1] for path in self.paths}) > 1:
            object.__setattr__(self, "paths", tuple((*path, ROOT) for path in self.paths))
            length += 1
        for level in range(length - 1):
            parent: dict[str, str] = {}
            for number, path in enumerate(self.paths, start=1):
                if parent.setdefault(path[level], path[level + 1]) != path[level + 1]:
                    raise HierarchyError(
                        f"hierarchy row {number}: {path[level]!r} (level {level}) lies under "
                        f"{path[level + 1]!r} here but under {parent[path[level]]!r} in an earlier row: "
                        "a label may have one parent only"
                    )

    # -- reading and building -------------------------------------------------------

    @classmethod
    def from_csv(cls, path: str | Path, *, delimiter: str = ";") -> Hierarchy:
        """Read ARX's hierarchy format: ``;``-separated, leaf first, one level per column."""
        try:
            text = Path(path).read_text(encoding="utf-8-sig")
        except UnicodeDecodeError as error:
            raise HierarchyError(f"{path}: not UTF-8 text (byte {error.start}): save it as UTF-8") from error
        except OSError as error:
            raise HierarchyError(f"{path}: cannot be read ({error.strerror})") from error
        rows = [
            tuple(cell.strip() for cell in row)
            for row in csv.reader(io.StringIO(text), delimiter=delimiter)
            if row
        ]
        try:
            return cls(tuple(rows))
        except HierarchyError as error:
            raise HierarchyError(f"{path}: {error}") from error

    @classmethod
    def from_tree(cls, tree: Mapping[str, object], *, root: str = ROOT) -> Hierarchy:
        """Build from nested mappings whose innermost values are lists of leaves.

        Shorter branches are padded by repeating the leaf, so that levels line up
        at the root.

        Examples
        --------
        >>> Hierarchy.from_tree({"north": ["Oslo"], "south": ["Rome", "Bari"]}).paths[1]
        ('Rome', 'south', '*')
        """
        found: list[tuple[str, ...]] = []

        def walk(node: object, above: tuple[str, ...]) -> None:
            if isinstance(node, Mapping):
                for label, below in node.items():
                    walk(below, (str(label), *above))
            elif isinstance(node, str | int | float):
                found.append((str(node), *above))
            elif isinstance(node, Iterable):
                for leaf in node:
                    walk(leaf, above)
            else:
                raise HierarchyError(
                    f"a hierarchy tree holds mappings and lists of leaves, not {type(node).__name__}"
                )

        walk(tree, (root,))
        height = max((len(path) for path in found), default=0)
        return cls(tuple((path[0],) * (height - len(path)) + path for path in found))

    @classmethod
    def flat(cls, leaves: Iterable[str], *, root: str = ROOT) -> Hierarchy:
        """All leaves under one root: a value is published exactly or not at all."""
        return cls(tuple((leaf, root) for leaf in leaves))

    @classmethod
    def intervals(
        cls,
        numbers: Iterable[object],
        widths: Sequence[int | Fraction],
        *,
        origin: int | Fraction = 0,
    ) -> Hierarchy:
        """Levels of half-open intervals ``[a,b)`` of growing width for numbers.

        Parameters
        ----------
        numbers
            The leaves; texts and floats stay as a table writes them (``37.0``, ``070``).
        widths
            Interval widths from fine to coarse, each a multiple of the one before.
        origin
            Where intervals start to be counted.

        Returns
        -------
        Hierarchy

        Raises
        ------
        HierarchyError
            If a width is not above 0, or no multiple of the one before.

        Examples
        --------
        >>> Hierarchy.intervals([31, 37, 42], [5, 10]).paths[1]
        ('37', '[35,40)', '[30,40)', '*')
        """
        steps = [Fraction(width) for width in widths]
        if any(step <= 0 for step in steps):
            raise HierarchyError("interval widths must be above 0")
        for finer, coarser in pairwise(steps):
            if (coarser / finer).denominator != 1:
                raise HierarchyError(
                    f"interval width {coarser} is not a multiple of {finer}: levels would overlap"
                )
        rows: list[tuple[str, ...]] = []
        for number, leaf in as_written(numbers):
            labels = [leaf]
            for step in steps:
                low = floor((number - origin) / step) * step + origin
                labels.append(f"[{format_number(low)},{format_number(low + step)})")
            rows.append((*labels, ROOT))
        return cls(tuple(rows), rule=partial(cls.intervals, widths=steps, origin=origin))

    def widened(self, leaves: Iterable[str]) -> Hierarchy:
        """The hierarchy with these leaves, too, if a rule built it, or all lie under one root; else itself.

        Raises
        ------
        HierarchyError
            If a leaf is none that the rule can place.
        """
        known = set(self.leaves)
        new = sorted(leaf for leaf in set(leaves) if leaf not in known)
        if not new:
            return self
        if self.rule is not None:
            return self.rule((*self.leaves, *new))
        if self.height > 1:
            return self
        return Hierarchy.flat((*self.leaves, *new), root=self.paths[0][-1] if self.height else ROOT)

    # -- reading off --------------------------------------------------------------

    @property
    def height(self) -> int:
        """The root's level; 0 for a single leaf without ancestors."""
        return len(self.paths[0]) - 1

    @cached_property
    def ordered(self) -> tuple[tuple[str, ...], ...]:
        """The paths in depth-first order, so that every node is a run of consecutive leaves."""
        first: dict[tuple[str, ...], int] = {}
        for number, path in enumerate(self.paths):
            for level in range(len(path)):
                first.setdefault(path[level:], number)
        return tuple(
            sorted(
                self.paths,
                key=lambda path: [first[path[level:]] for level in range(len(path) - 1, -1, -1)],
            )
        )

    @cached_property
    def leaves(self) -> tuple[str, ...]:
        """Leaf labels in depth-first order."""
        return tuple(path[0] for path in self.ordered)

    @cached_property
    def nodes(self) -> tuple[tuple[int, int, str], ...]:
        """Distinct nodes as (first leaf, last leaf, label), leaves first, root last.

        Chains of nodes over the same leaves count once, with the finest label.
        """
        found: dict[tuple[int, int], str] = {}
        for level in range(self.height + 1):
            for lo, hi, label in self.runs(level):
                found.setdefault((lo, hi), label)
        return tuple(
            (lo, hi, label)
            for (lo, hi), label in sorted(found.items(), key=lambda item: (item[0][1] - item[0][0], item[0]))
        )

    @cached_property
    def ends(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """First and last leaf of the node over each leaf, shape (levels, leaves) each, level 0 first."""
        first, last = list[NDArray[np.int64]](), list[NDArray[np.int64]]()
        for level in range(self.height + 1):
            lo, hi = np.array([(lo, hi) for lo, hi, _ in self.runs(level)], dtype=np.int64).T
            first.append(np.repeat(lo, hi - lo + 1))
            last.append(np.repeat(hi, hi - lo + 1))
        return np.stack(first), np.stack(last)

    @memoized
    def runs(self, level: int) -> tuple[tuple[int, int, str], ...]:
        """The nodes of one level as (first leaf, last leaf, label), in leaf order."""
        found: list[tuple[int, int, str]] = []
        for index, path in enumerate(self.ordered):
            if found and self.ordered[found[-1][0]][level:] == path[level:]:
                found[-1] = (found[-1][0], index, path[level])
            else:
                found.append((index, index, path[level]))
        return tuple(found)

    def to_csv(self, path: str | Path) -> None:
        """Write ARX's format."""
        buffer = io.StringIO()
        csv.writer(buffer, delimiter=";", lineterminator="\n").writerows(self.paths)
        Path(path).write_text(buffer.getvalue(), encoding="utf-8")
