"""How well a generalized release answers counting queries (Xiao and Tao; Riboni and Bettini, sec. 5).

A query counts the tuples whose quasi-identifiers lie in given ranges, one per attribute. From the
release it is answered as if a group's real tuples were spread evenly over the codes in its box:
a group of ``|g|`` tuples, f of them counterfeit (f is published), counts

    (|g| - f) * product over attributes of  |range and side of the box| / |side of the box|.

Answers are estimates and therefore floating point.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from ....models.box import Cell, Interval
from ....models.categories import Ordered
from ....models.domain import Codes, Domain
from ....models.errors import InputError, ReleaseError
from ....models.numeric import Numeric
from ....models.release import Release
from ....models.table import Microdata

__all__ = ["RangeQueries", "estimated_answers", "exact_answers", "median_error", "random_queries"]


@dataclass(frozen=True, kw_only=True, eq=False)
class RangeQueries:
    """Ranges of codes, both ends included.

    Parameters
    ----------
    lo, hi : int64 array, shape (queries, quasi-identifiers)
    """

    lo: Codes
    hi: Codes

    def __post_init__(self) -> None:
        if self.lo.shape != self.hi.shape or self.lo.ndim != 2 or np.any(self.lo > self.hi):
            raise InputError("queries need one range per quasi-identifier that ends where it starts or later")

    def __len__(self) -> int:
        return len(self.lo)


def random_queries(table: Microdata, count: int, selectivity: float, seed: int = 0) -> RangeQueries:
    """Draw queries whose ranges have the same share of every domain.

    Parameters
    ----------
    table : Microdata
        Only its domains are looked at.
    count : int
        At least 1.
    selectivity : float
        Above 0, at most 1: the share of tuples a query would count if they were spread evenly.
        Every range has the share ``selectivity ** (1 / quasi-identifiers)`` of its domain's codes,
        at least one code, and a uniformly random place.
    seed : int

    Raises
    ------
    InputError
        If a parameter is out of its range.
    """
    if count < 1:
        raise InputError(f"count must be at least 1, got {count}")
    if not 0 < selectivity <= 1:
        raise InputError(f"selectivity must be above 0 and at most 1, got {selectivity}")
    random = np.random.default_rng(seed)
    share = selectivity ** (1 / len(table.domains))
    sizes = [_size(domain) for domain in table.domains]
    lengths = [min(size, max(1, round(share * size))) for size in sizes]
    lo = np.stack(
        [random.integers(0, size - length + 1, count) for size, length in zip(sizes, lengths, strict=True)],
        axis=1,
    )
    return RangeQueries(lo=lo, hi=lo + np.array(lengths, dtype=np.int64) - 1)


def exact_answers(table: Microdata, queries: RangeQueries) -> NDArray[np.int64]:
    """Answers from the microdata. O(queries x tuples x attributes)."""
    columns = [np.ascontiguousarray(column) for column in table.codes.T]
    counts: list[int] = []
    for lo, hi in zip(queries.lo.tolist(), queries.hi.tolist(), strict=True):
        inside = np.ones(len(table), dtype=bool)
        for column, first, last in zip(columns, lo, hi, strict=True):
            inside &= (column >= first) & (column <= last)
        counts.append(int(np.count_nonzero(inside)))
    return np.array(counts, dtype=np.int64)


def estimated_answers(
    release: Release, domains: Sequence[Domain], queries: RangeQueries
) -> NDArray[np.float64]:
    """Answers from a release alone. O(queries x groups x attributes).

    Raises
    ------
    ReleaseError
        If the release has no boxes, or shows cells outside the domains.
    """
    if release.form != "generalized":
        raise ReleaseError(
            "an anatomized release shows exact quasi-identifiers and answers these queries exactly"
        )
    sides = [
        _ends([group.box[a] for group in release.groups if group.box], domain)
        for a, domain in enumerate(domains)
    ]
    real = np.array([group.size - group.fakes for group in release.groups], dtype=np.float64)
    found: list[float] = []
    for lo, hi in zip(queries.lo.tolist(), queries.hi.tolist(), strict=True):
        counted = real.copy()
        for a, (first, last) in enumerate(sides):
            common = np.minimum(last, hi[a]) - np.maximum(first, lo[a]) + 1
            counted *= np.maximum(common, 0) / (last - first + 1)
        found.append(float(counted.sum()))
    return np.array(found, dtype=np.float64)


def median_error(release: Release, table: Microdata, queries: RangeQueries) -> float:
    """Median of ``|estimate - answer| / answer`` over the queries whose answer is not 0.

    Raises
    ------
    InputError
        If every answer is 0.
    ReleaseError
        As `estimated_answers`.
    """
    exact = exact_answers(table, queries)
    asked = exact > 0
    if not asked.any():
        raise InputError("no query counts any tuple: ask for a larger selectivity or more queries")
    estimates = estimated_answers(release, table.domains, queries)
    return float(np.median(np.abs(estimates - exact)[asked] / exact[asked]))


def _size(domain: Domain) -> int:
    """Number of codes."""
    if isinstance(domain, Numeric):
        return int((domain.hi - domain.lo) // domain.step) + 1
    return len(domain.categories) if isinstance(domain, Ordered) else domain.span


def _ends(cells: Sequence[Cell], domain: Domain) -> tuple[Codes, Codes]:
    """First and last code of each cell."""
    known: dict[Cell, tuple[int, int]] = {}
    for cell in cells:
        if cell not in known:
            known[cell] = _codes(cell, domain)
    ends = np.array([known[cell] for cell in cells], dtype=np.int64)
    return ends[:, 0], ends[:, 1]


def _codes(cell: Cell, domain: Domain) -> tuple[int, int]:
    if isinstance(cell, Interval):
        if not isinstance(domain, Numeric):
            raise ReleaseError(f"column {domain.name!r}: the release shows numbers, its domain has none")
        lo = max(0, ceil((cell.lo - domain.lo) / domain.step))
        hi = min(_size(domain) - 1, floor((cell.hi - domain.lo) / domain.step) - int(domain.rounded))
        if lo > hi:
            raise ReleaseError(f"column {domain.name!r}: the cell {cell} is outside its domain")
        return lo, hi
    codes = domain.encode(sorted(cell.values))
    return int(codes.min()), int(codes.max())
