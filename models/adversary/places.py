"""Where somebody with known quasi-identifiers can be in each release, and where everybody is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..box import Point
from ..column_names import STAR
from ..group import Member
from ..history import History
from ..release import QIGroup, Release
from .coded_boxes import BoxSpace, meeting

__all__ = ["Places", "places"]


@dataclass(frozen=True, kw_only=True)
class Places:
    """Groups of generalized releases, and lines of groups of anatomized ones.

    Attributes
    ----------
    group : tuple of int
        Group of each place; groups of all releases are numbered jointly.
    room : tuple of int
        Respondents who are there.
    listed : tuple of bool
        Whether it is a line that the release lists, so that its room is public.
    options : Mapping of str to ((release index, places), ...)
        Where each respondent could be, oldest release first.
    home : Mapping of str to (place, ...)
        Where she is, in the same order.
    """

    group: tuple[int, ...]
    room: tuple[int, ...]
    listed: tuple[bool, ...]
    options: Mapping[str, tuple[tuple[int, tuple[int, ...]], ...]]
    home: Mapping[str, tuple[int, ...]]


def places(history: History, releases: int | None = None) -> Places:
    """All places of a series; O(points * groups) comparisons per release."""
    group: list[int] = []
    room: list[int] = []
    listed: list[bool] = []
    options: dict[str, tuple[tuple[int, tuple[int, ...]], ...]] = {}
    home: dict[str, tuple[int, ...]] = {}
    first = 0
    for number, release in enumerate(history.releases[:releases]):
        lines: dict[tuple[int, tuple[str, ...]], int] = {}
        offset = len(group)
        for g, published in enumerate(release.groups):
            for member in published.members:
                line = _line(published, member) if release.form == "anatomized" else ()
                at = lines.setdefault((g, line), len(lines))
                if offset + at == len(group):
                    group.append(first + g)
                    room.append(0)
                    listed.append(release.form == "anatomized")
                room[offset + at] += 1
                home[member.respondent] = (*home.get(member.respondent, ()), offset + at)
        points = list(dict.fromkeys(m.point for published in release.groups for m in published.members))
        fitting = _boxed(points, release) if release.form == "generalized" else _listed(points, list(lines))
        for published in release.groups:
            for member in published.members:
                there = tuple(offset + at for at in fitting[member.point])
                options[member.respondent] = (*options.get(member.respondent, ()), (number, there))
        first += len(release.groups)
    return Places(group=tuple(group), room=tuple(room), listed=tuple(listed), options=options, home=home)


def _line(group: QIGroup, member: Member) -> tuple[str, ...]:
    return tuple(
        STAR if (member.respondent, a) in group.starred else str(x) for a, x in enumerate(member.point)
    )


def _boxed(points: Sequence[Point], release: Release) -> dict[Point, list[int]]:
    boxes = release.boxes
    space = BoxSpace(boxes, points)
    found: dict[Point, list[int]] = {point: [] for point in points}
    if not release.attributes:
        return {point: list(range(len(boxes))) for point in points}
    for i, j in np.stack(meeting(space.coded(points), space.coded(boxes)), axis=1).tolist():
        found[points[i]].append(j)
    return found


def _listed(points: Sequence[Point], lines: Sequence[tuple[int, tuple[str, ...]]]) -> dict[Point, list[int]]:
    exact: dict[tuple[str, ...], list[int]] = {}
    starred: list[tuple[int, tuple[str, ...]]] = []
    for at, (_, line) in enumerate(lines):
        if STAR in line:
            starred.append((at, line))
        else:
            exact.setdefault(line, []).append(at)
    found: dict[Point, list[int]] = {}
    for point in points:
        text = tuple(str(x) for x in point)
        fits = [at for at, line in starred if all(a in (STAR, b) for a, b in zip(line, text, strict=True))]
        found[point] = sorted([*exact.get(text, ()), *fits])
    return found
