"""Whether the cells of a release are those of its columns: bounds on losses hold for no others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .box import Cell
from .domain import Domain
from .numeric import Numeric
from .release import Release
from .verdicts import Violation

__all__ = ["cell_violations"]


def cell_violations(release: Release, domains: Sequence[Domain]) -> Iterator[Violation]:
    """Yield cells that are none of their column's domain, each once; O(groups x attributes)."""
    boxes = release.boxes
    for a, domain in enumerate(domains):
        # Groups share cells: each object is asked about once.
        cells = {id(box[a]): box[a] for box in boxes}
        refused = {cell: why for cell in cells.values() if (why := domain.refuses(cell)) is not None}
        where: dict[Cell, list[int]] = {cell: [] for cell in refused}
        for index, box in enumerate(boxes if refused else ()):
            if box[a] in where:
                where[box[a]].append(index)
        for cell, why in refused.items():
            yield _violation(domain, cell, why, where[cell])
        if isinstance(domain, Numeric) and domain.rounded:
            yield from _too_narrow(release, a, domain)


def _too_narrow(release: Release, a: int, domain: Numeric) -> Iterator[Violation]:
    """Yield cells of rounded numbers that end before these may: their width is a step too small."""
    for index, group in enumerate(release.groups):
        cell = None if group.box is None else group.box[a]
        if cell is not None and not all(domain.holds(cell, v) for v in {m.point[a] for m in group.members}):
            why = "ends where a number in it begins, which was rounded down"
            yield _violation(domain, cell, why, [index])


def _violation(domain: Domain, cell: Cell, why: str, groups: Sequence[int]) -> Violation:
    message = f"column {domain.name!r}: the cell {str(cell)[:60]!r} {why}"
    return Violation(requirement="recoding", message=message, groups=tuple(groups))
