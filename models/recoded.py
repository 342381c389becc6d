"""Whether a finished release is a full-domain recoding: cells of one level per column, classes as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product

from .box import Box, Cell, covered_by
from .group import Member, QIGroup
from .recoding import Ladder, Recoding
from .release import Release
from .verdicts import Violation

__all__ = ["recoding_of", "recoding_violations"]


def recoding_of(release: Release, steps: Sequence[Ladder]) -> Recoding | None:
    """The finest recoding whose cells a release shows, None if there is none.

    O(groups x attributes x levels). Cells are compared by what they cover, not by label.
    """
    return next(_recodings(release, steps), None)


def _recodings(release: Release, steps: Sequence[Ladder]) -> Iterator[Recoding]:
    """All whose cells a release shows, finer ones first: they differ in suppressed tuples only."""
    shown: list[list[int]] = []
    for a, ladder in enumerate(steps):
        codes = ladder.domain.encode([group.members[0].point[a] for group in release.groups])
        shown.append(
            [
                level
                for level in range(ladder.height + 1)
                if all(
                    group.box is not None and _same(group.box[a], ladder.cell(level, int(code)))
                    for group, code in zip(release.groups, codes, strict=True)
                )
            ]
        )
    for levels in product(*shown):
        yield Recoding(ladders=tuple(steps), levels=levels)


def recoding_violations(
    release: Release, steps: Sequence[Ladder], admits: Callable[[QIGroup], bool]
) -> Iterator[Violation]:
    """Yield why a release is no full-domain recoding.

    Other cells, tuples with equal cells apart, or suppressed ones that no requirement on groups asks for.

    Parameters
    ----------
    release : Release
    steps : sequence of Ladder
    admits : callable
        Whether a group may be published, as far as groups are judged one by one.

    Complexity: groups x attributes x levels, and once through the suppressed tuples for each recoding whose
    cells the groups show: mostly one.
    """
    apart, first = list(_apart(release)), None
    for recoding in _recodings(release, steps):
        wrong = [*apart, *_suppressed(release, recoding, admits)]
        if not wrong:
            return
        first = first or wrong
        if apart:  # whatever the levels are
            break
    if first is None:
        message = "the boxes are not the cells of one level per quasi-identifier"
        yield Violation(requirement="recoding", message=message)
    else:
        yield from first


def _apart(release: Release) -> Iterator[Violation]:
    classes: dict[tuple[object, ...], int] = {}
    for index, group in enumerate(release.groups):
        key = _extents(group.box or ())
        if classes.setdefault(key, index) != index:
            yield Violation(
                requirement="recoding",
                message=f"groups {classes[key] + 1} and {index + 1} have equal boxes: they must be one group",
                groups=(classes[key], index),
            )


def _suppressed(
    release: Release, recoding: Recoding, admits: Callable[[QIGroup], bool]
) -> Iterator[Violation]:
    published = {_extents(group.box or ()): index for index, group in enumerate(release.groups)}
    columns = [
        ladder.domain.encode([member.point[a] for member in release.suppressed])
        for a, ladder in enumerate(recoding.ladders)
    ]
    left_out: dict[tuple[object, ...], tuple[Box, list[Member]]] = {}
    for row, member in enumerate(release.suppressed):
        box = recoding.box([int(column[row]) for column in columns])
        left_out.setdefault(_extents(box), (box, []))[1].append(member)
    for key, (box, members) in left_out.items():
        respondents = tuple(member.respondent for member in members)
        if key in published:
            yield Violation(
                requirement="recoding",
                message=f"a suppressed tuple belongs to group {published[key] + 1}: a class is published "
                "whole or not at all",
                groups=(published[key],),
                respondents=respondents,
            )
        elif admits(QIGroup(members=tuple(members), box=box)):
            yield Violation(
                requirement="recoding",
                message=f"a class of {len(members)} tuples is suppressed, and no requirement on groups asks "
                "for it: exactly the classes that break one are",
                respondents=respondents,
            )


def _extents(box: Box) -> tuple[object, ...]:
    return tuple(map(covered_by, box))


def _same(one: Cell, other: Cell) -> bool:
    return covered_by(one) == covered_by(other)
