"""Releases as plain values and back, exactly.

A number is ``[numerator, denominator]``, a category its text; an interval is
``{"lo": number, "hi": number}``, a set of categories ``{"label": text, "values": [text, ...]}``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from hashlib import sha256
from typing import Any

from ...models.box import Box, Cell, Exact, Interval, Leaves, Point
from ...models.group import Member
from ...models.release import QIGroup, Release

__all__ = ["DAMAGES", "Entry", "canonical", "release_of", "release_record"]

DAMAGES = (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RecursionError)
"""What reading a record may raise that is not as it was written."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """What is kept of one release, as plain values.

    Attributes
    ----------
    release : Mapping
        As `release_record` makes it; private, it says who is in which group.
    appended : str
        When, as ISO 8601 in UTC.
    policy, certificate : Mapping or None
        As they were given.
    audit : Mapping or None
        What the audit of the series up to this release found.
    spellings : Mapping or None
        Where ids are keyed hashes: for each that is new, what its spellings have in common, as a hash.
    """

    release: Mapping[str, Any] = field(repr=False)
    appended: str
    policy: Mapping[str, Any] | None = field(default=None, repr=False)
    certificate: Mapping[str, Any] | None = field(default=None, repr=False)
    audit: Mapping[str, Any] | None = field(default=None, repr=False)
    spellings: Mapping[str, str] | None = field(default=None, repr=False)

    def digest(self, before: str) -> str:
        """SHA-256 of the entry and of all entries before it, whose digest is `before`."""
        parts: dict[str, Any] = {"before": before, "release": self.release, "appended": self.appended}
        if self.policy is not None:
            parts["policy"] = self.policy
        if self.certificate is not None:
            parts["certificate"] = self.certificate
        if self.audit is not None:
            parts["audit"] = self.audit
        if self.spellings is not None:
            parts["spellings"] = self.spellings
        return sha256(canonical(parts).encode()).hexdigest()


def canonical(value: object) -> str:
    """JSON that is the same for the same value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def release_record(release: Release) -> dict[str, Any]:
    """A release as plain values; every distinct cell is written once."""
    cells: dict[str, int] = {}
    groups: list[dict[str, Any]] = []
    for group in release.groups:
        box = None
        if group.box is not None:
            box = [cells.setdefault(canonical(_cell_record(cell)), len(cells)) for cell in group.box]
        groups.append(
            {
                "members": [_member_record(member) for member in group.members],
                "counterfeits": [list(entry) for entry in group.counterfeits],
                "hidden": [list(entry) for entry in group.hidden],
                "box": box,
            }
        )
    return {
        "attributes": list(release.attributes),
        "sensitive": release.sensitive,
        "form": release.form,
        "cells": [json.loads(text) for text in cells],
        "groups": groups,
        "suppressed": [_member_record(member) for member in release.suppressed],
    }


def release_of(record: Mapping[str, Any]) -> Release:
    """The release behind a record.

    Raises
    ------
    DAMAGES
        If the record is damaged.
    """
    cells = [_cell(cell) for cell in record["cells"]]
    groups: list[QIGroup] = []
    for group in record["groups"]:
        box: Box | None = None if group["box"] is None else tuple(cells[index] for index in group["box"])
        groups.append(
            QIGroup(
                members=tuple(_member(member) for member in group["members"]),
                counterfeits=tuple((str(value), int(count)) for value, count in group["counterfeits"]),
                hidden=tuple((int(a), str(value), int(count)) for a, value, count in group["hidden"]),
                box=box,
            )
        )
    return Release(
        groups=tuple(groups),
        suppressed=tuple(_member(member) for member in record["suppressed"]),
        attributes=tuple(record["attributes"]),
        sensitive=record["sensitive"],
        form=record["form"],
    )


def _member_record(member: Member) -> list[Any]:
    return [member.respondent, [_exact_record(value) for value in member.point], member.value]


def _member(record: list[Any]) -> Member:
    who, point, value = record
    values: Point = tuple(_exact(part) for part in point)
    return Member(str(who), values, str(value))


def _exact_record(value: Exact) -> object:
    return value if isinstance(value, str) else [value.numerator, value.denominator]


def _exact(record: Any) -> Exact:
    return record if isinstance(record, str) else Fraction(*record)


def _cell_record(cell: Cell) -> dict[str, Any]:
    if isinstance(cell, Interval):
        return {"lo": _exact_record(cell.lo), "hi": _exact_record(cell.hi)}
    return {"label": cell.label, "values": sorted(cell.values)}


def _cell(record: Mapping[str, Any]) -> Cell:
    if "label" in record:
        return Leaves(record["label"], frozenset(record["values"]))
    return Interval(Fraction(*record["lo"]), Fraction(*record["hi"]))
