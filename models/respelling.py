"""A table or release spelt as the releases before it: else who returns, or a value, would pass for new."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from .combination import fold, fold_id
from .errors import SpellingError
from .group import Member
from .history import History
from .release import Release
from .spelling import Choice, Spelling, refuse_value_spellings, spellings
from .table import Microdata

__all__ = ["release_spelt_as_before", "releases_spelt_alike", "spelt_as_before"]


def spelt_as_before(table: Microdata, history: History) -> Microdata:
    """The table with ids and values as the history spells them, if it may be changed; refused if not.

    Raises
    ------
    TableError
        If something is spelt differently, and the table does not declare what that means.
    """
    private, rule = table.sensitive, table.spelling
    values = _values(private.name, set(table.histogram) | private.domain, rule.sensitive, history)
    people = _people(table.respondent, table.members, rule.respondent, history)
    return replace(table, members=_respelt(table.members, people, values)) if values or people else table


def release_spelt_as_before(release: Release, history: History, rule: Spelling, respondent: str) -> Release:
    """A release with ids and values as the releases before spell them, if it may be changed.

    Raises
    ------
    TableError
        If something is spelt differently, there or in the release itself, and the rule does not say what
        that means. No id is named.
    """
    if rule.respondent != "keep" and (alike := spellings((m.respondent for m in release.members), fold_id)):
        raise SpellingError(
            f"column {respondent!r}: {sum(map(len, alike.values()))} ids of one release differ in blanks, "
            "case, composed letters or zeros in front only: correct them, or declare spelling: {respondent: "
            "keep} if they are different people"
        )
    release = history.aligned_release(release)
    published = {value for group in release.groups for value in group.histogram}
    values = _values(release.sensitive, published, rule.sensitive, history)
    people = _people(respondent, release.members, rule.respondent, history)
    if not values and not people:
        return release
    groups = tuple(
        replace(
            group,
            members=_respelt(group.members, people, values),
            counterfeits=tuple(sorted((values.get(value, value), n) for value, n in group.counterfeits)),
        )
        for group in release.groups
    )
    return replace(release, groups=groups, suppressed=_respelt(release.suppressed, people, values))


def releases_spelt_alike(releases: Iterable[Release], rule: Spelling, respondent: str) -> History:
    """A series whose releases spell ids and values as the first that has them."""
    found = History()
    for release in releases:
        found.append(release_spelt_as_before(release, found, rule, respondent))
    return found


def _respelt(members: Sequence[Member], people: dict[str, str], values: dict[str, str]) -> tuple[Member, ...]:
    return tuple(
        Member(people.get(m.respondent, m.respondent), m.point, values.get(m.value, m.value)) for m in members
    )


def _values(name: str, present: Collection[str], rule: Choice, history: History) -> dict[str, str]:
    """Values that are spelt otherwise in the history, and how."""
    if rule == "keep":
        return {}
    before = history.values
    folded = {fold(value) for value in present}
    groups = [group for key, group in spellings((*present, *before)).items() if key in folded]
    if rule == "refuse":
        refuse_value_spellings(name, groups)
        return {}
    several = [group for group in groups if sum(value in before for value in group) > 1]
    refuse_value_spellings(name, several, merging=True)
    chosen: dict[str, str] = {}
    for group in groups:
        known = next((value for value in group if value in before), group[0])
        chosen |= {value: known for value in group if value not in before and value != known}
    return chosen


def _people(name: str, members: Sequence[Member], rule: Choice, history: History) -> dict[str, str]:
    """New ids that the history spells otherwise, and how."""
    if rule == "keep":
        return {}
    found: dict[str, str] = {}
    rows: list[int] = []
    several: list[int] = []
    for row, member in enumerate(members, start=1):
        if member.respondent in history.records:
            continue
        folded = history.spelling(member.respondent)
        if folded not in history.spelt:
            continue
        rows.append(row)
        before = history.spelt[folded]
        if before is None:
            several.append(row)
        else:
            found[member.respondent] = before
    if rows and rule == "refuse":
        raise SpellingError(
            f"column {name!r}: {_ids(rows)} from one of an earlier release in blanks, case, "
            "composed letters or zeros in front only: correct them, declare spelling: {respondent: merge} if "
            "these people return, or spelling: {respondent: keep} if they are new"
        )
    if several:
        raise SpellingError(
            f"column {name!r}: {_ids(several)} from several of earlier releases in blanks, case, "
            "composed letters or zeros in front only, so they cannot be merged: write them as one of these, "
            "or declare spelling: {respondent: keep} if they are new"
        )
    return found


def _ids(rows: list[int]) -> str:
    listed = ", ".join(map(str, rows[:20])) + (", ..." if len(rows) > 20 else "")
    return (
        f"the id in row {listed} differs" if len(rows) == 1 else f"{len(rows)} ids, in rows {listed}, differ"
    )
