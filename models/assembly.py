"""Releases from row numbers: groups in their boxes, in an order that tells no more than they publish."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from .box import Box, Cell, Interval
from .domain import Codes, Domain
from .errors import ReleaseError
from .group import Form
from .release import QIGroup, Release
from .table import Microdata

__all__ = ["assembled", "in_hulls"]

Rows = Sequence[Sequence[int]]
"""Row numbers of the table (from 0) per group."""
Fakes = Sequence[Mapping[str, int]]
"""Counterfeits per group and value."""


def assembled(
    table: Microdata, form: Form, groups: Rows, fakes: Fakes, boxes: Sequence[Box] | None
) -> Release:
    """A release of a table; rows in no group are suppressed, boxes are the tightest unless they are given."""
    people = table.members
    built = in_hulls(table, form, groups, fakes) if boxes is None else _in(boxes, table, form, groups, fakes)
    gone = np.ones(len(people), dtype=np.bool_)
    gone[[t for rows in groups for t in rows]] = False
    return Release(
        groups=tuple(built),
        suppressed=tuple(people[t] for t in np.flatnonzero(gone).tolist()),
        attributes=table.attributes,
        sensitive=table.sensitive.name,
        form=form,
    )


def in_hulls(table: Microdata, form: Form, groups: Rows, fakes: Fakes) -> list[QIGroup]:
    """Groups in their tightest boxes, in the order of a release; no group may be empty."""
    people, sizes = table.members, [len(rows) for rows in groups]
    if not all(sizes):
        raise ReleaseError("a QI-group needs at least one real tuple")
    flat = np.fromiter((t for rows in groups for t in rows), dtype=np.int64, count=sum(sizes))
    if len(flat) and np.bincount(flat, minlength=len(people)).max() > 1:
        raise ReleaseError("a respondent is in two groups, or in one twice")
    sides: list[tuple[list[Cell], Codes]] = []
    if form == "generalized" and groups:
        codes, start = table.codes[flat], np.concatenate([[0], np.cumsum(sizes)[:-1]])
        lo, hi = np.minimum.reduceat(codes, start, axis=0), np.maximum.reduceat(codes, start, axis=0)
        sides = [_cells(d, lo[:, a], hi[:, a]) for a, d in enumerate(table.domains)]
    boxes = zip(*(cells for cells, _ in sides), strict=True) if sides else [None] * len(groups)
    built = [
        QIGroup.in_hull(tuple([people[t] for t in rows]), _counterfeits(extra), box)
        for rows, extra, box in zip(groups, fakes, boxes, strict=True)
    ]
    return _ordered(built, [ranks for _, ranks in sides])


def _in(boxes: Sequence[Box], table: Microdata, form: Form, groups: Rows, fakes: Fakes) -> list[QIGroup]:
    """Groups in given boxes, each of which has to cover its members."""
    people, generalized = table.members, form == "generalized"
    built = [
        QIGroup(
            members=tuple(people[t] for t in rows),
            counterfeits=_counterfeits(extra),
            box=box if generalized else None,
        )
        for rows, extra, box in zip(groups, fakes, boxes, strict=True)
    ]
    return _ordered(built, [_ranks(cells) for cells in zip(*boxes, strict=True)] if generalized else [])


def _ordered(groups: Sequence[QIGroup], ranks: Sequence[Codes]) -> list[QIGroup]:
    """By what is published: ranks of cells per attribute and group, then values, then respondents.

    So that the numbers of groups tell nothing more than they do.
    """
    if not ranks:
        return sorted(groups, key=_public_values)
    lines = np.array(ranks)
    order = np.lexsort(lines[::-1])
    ordered = [groups[at] for at in order.tolist()]
    alike = ~(np.diff(lines[:, order], axis=1) != 0).any(axis=0)
    begins = np.flatnonzero(np.concatenate([[True], ~alike])).tolist()
    for begin, end in zip(begins, [*begins[1:], len(ordered)], strict=True):
        if end - begin > 1:
            ordered[begin:end] = sorted(ordered[begin:end], key=_public_values)
    return ordered


def _public_values(group: QIGroup) -> tuple[object, ...]:
    return (sorted(group.histogram.items()), sorted(group.respondents))


def _counterfeits(extra: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    return tuple((v, extra[v]) for v in sorted(extra) if extra[v]) if extra else ()


def _cells(domain: Domain, lo: Codes, hi: Codes) -> tuple[list[Cell], Codes]:
    """The tightest cell over each pair of codes, and its rank."""
    codes, dense = np.unique(np.concatenate([lo, hi]), return_inverse=True)
    first, last = dense[: len(lo)], dense[len(lo) :]
    pairs, places = np.unique(first * len(codes) + last, return_inverse=True)
    ends = zip(codes[pairs // len(codes)].tolist(), codes[pairs % len(codes)].tolist(), strict=True)
    cells = [domain.cell(low, high) for low, high in ends]
    return [cells[place] for place in places.tolist()], _ranks(cells)[places]


def _ranks(cells: Sequence[Cell]) -> Codes:
    """The place of each cell of one attribute in the order of a release."""
    keys = [
        (c.lo, c.hi, "") if isinstance(c, Interval) else (Fraction(0), Fraction(0), c.label) for c in cells
    ]
    number = {key: rank for rank, key in enumerate(sorted(set(keys)))}
    return np.array([number[key] for key in keys], dtype=np.int64)
