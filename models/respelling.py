"""A table spelt as the releases before it: else a returning person, or a value, would pass for a new one."""

from __future__ import annotations

from dataclasses import replace

from .combination import fold
from .errors import SpellingError
from .history import History
from .spelling import refuse_value_spellings, spellings
from .table import Member, Microdata

__all__ = ["spelt_as_before"]


def spelt_as_before(table: Microdata, history: History) -> Microdata:
    """The table with ids and values as the history spells them, if it may be changed; refused if not.

    Raises
    ------
    TableError
        If something is spelt differently, and the table does not declare what that means.
    """
    values = _values(table, history)
    people = _people(table, history)
    if not values and not people:
        return table
    members = tuple(
        Member(people.get(m.respondent, m.respondent), m.point, values.get(m.value, m.value))
        for m in table.members
    )
    return replace(table, members=members)


def _values(table: Microdata, history: History) -> dict[str, str]:
    """Values of the table that are spelt otherwise in the history, and how."""
    rule, private = table.spelling.sensitive, table.sensitive
    if rule == "keep":
        return {}
    present = set(table.histogram) | private.domain
    before = history.values
    folded = {fold(value) for value in present}
    groups = [group for key, group in spellings((*present, *before)).items() if key in folded]
    if rule == "refuse":
        refuse_value_spellings(private.name, groups)
        return {}
    several = [group for group in groups if sum(value in before for value in group) > 1]
    refuse_value_spellings(private.name, several, merging=True)
    chosen: dict[str, str] = {}
    for group in groups:
        known = next(value for value in group if value in before)
        chosen |= {value: known for value in group if value not in before}
    return chosen


def _people(table: Microdata, history: History) -> dict[str, str]:
    """New ids of the table that the history spells otherwise, and how."""
    if table.spelling.respondent == "keep":
        return {}
    found: dict[str, str] = {}
    rows: list[int] = []
    several: list[int] = []
    for row, member in enumerate(table.members, start=1):
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
    if rows and table.spelling.respondent == "refuse":
        raise SpellingError(
            f"column {table.respondent!r}: {_ids(rows)} from one of an earlier release in blanks, case or "
            "composed letters only: correct them, declare spelling: {respondent: merge} if these people "
            "return, or spelling: {respondent: keep} if they are new"
        )
    if several:
        raise SpellingError(
            f"column {table.respondent!r}: {_ids(several)} from several of earlier releases in blanks, case "
            "or composed letters only, so they cannot be merged: write them as one of these, or declare "
            "spelling: {respondent: keep} if they are new"
        )
    return found


def _ids(rows: list[int]) -> str:
    listed = ", ".join(map(str, rows[:20])) + (", ..." if len(rows) > 20 else "")
    return (
        f"the id in row {listed} differs" if len(rows) == 1 else f"{len(rows)} ids, in rows {listed}, differ"
    )
