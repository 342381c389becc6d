"""Kinds that the next table of a series keeps, told from what was published; cells that do not fit."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import optanon as oa
from optanon.instances.guess import guess_roles
from optanon.instances.kept_kinds import kept_kinds

AGES = ("20", "21", "30", "31")
DAYS = ("01.02.2020", "03.02.2020", "13.07.2021", "15.07.2021")
ISO = tuple("-".join(reversed(day.split("."))) for day in DAYS)
CODES = ("01204", "01209", "02204", "02209")
WORDS = ("a", "b", "c", "d")


def kept(spec: Any, before: tuple[str, ...], now: tuple[str | None, ...]) -> Any:
    """What a column is now that was published two by two."""
    frame = pd.DataFrame({"id": list("pqrs"), "c": before, "ill": list("xyxy")})
    table = oa.Microdata.from_frame(
        frame, respondent="id", quasi_identifiers={"c": spec}, sensitive="ill", missing="category"
    )
    release = oa.Problem(table=table, policy=oa.Policy([oa.KAnonymity(k=2)])).assemble([[0, 1], [2, 3]])
    again = pd.DataFrame({"id": list("pqrs"), "c": now, "ill": list("xyxy")})
    guesses = guess_roles(again, respondent="id", sensitive=["ill"], quasi_identifiers=["c"])
    (found,) = (guess for guess in kept_kinds(guesses, again, release) if guess.name == "c")
    return found


def days(pattern: str | None = "%d.%m.%Y", values: tuple[str, ...] = DAYS) -> oa.Hierarchy:
    return oa.hierarchies.dates(values, ["month", "year"], pattern=pattern)


PREFIX = oa.hierarchies.prefixes(CODES, [4, 2])
INTERVALS = oa.Hierarchy.intervals(AGES, [5, 10])


@pytest.mark.parametrize(
    ("spec", "before", "now", "kind"),
    [
        ("numeric", AGES, ("1", "2", "3", "4"), "numeric"),
        ("numeric", AGES, ("007", "+8", "1e1", "9"), "numeric"),
        ("numeric", AGES, ("20", None, "30", "31"), "numeric"),
        ("flat", AGES, AGES, "flat"),
        (INTERVALS, AGES, ("7", "8", "9", "99"), "{kind: intervals, widths: [6, 12, 24, 48]}"),
        ("flat", WORDS, AGES, "flat"),
        (PREFIX, CODES, ("1204", "1209", "2204", "2209"), "{kind: prefix, keep: [4, 3, 2, 1]}"),
        (days(), DAYS, ("01.02.2020", None, "13.07.2021", "15.07.2021"), "%d.%m.%Y"),
        (days(None, ISO), ISO, ISO, "{kind: dates, levels: [month, quarter, year, decade]}"),
    ],
)
def test_a_kind_stays(spec: Any, before: tuple[str, ...], now: tuple[str | None, ...], kind: str):
    found = kept(spec, before, now)
    assert kind in found.kind
    assert "NOT as" not in found.why


def test_dates_that_can_be_read_in_two_ways_are_read_as_all_of_them_fit():
    before = ("01/02/2020", "03/02/2020", "01/07/2021", "03/07/2021")
    levels = days("%m/%d/%Y", before)
    assert '"%d/%m/%Y"' in kept(levels, before, before).kind
    assert '"%m/%d/%Y"' in kept(levels, before, ("01/25/2020", *before[1:])).kind


@pytest.mark.parametrize(
    ("spec", "before", "now", "told"),
    [
        ("numeric", AGES, ("20", "21", "3o", "31"), "'c', row 3: '3o' is no number.*correct it"),
        ("numeric", AGES, ("2,0", "2,1", "3,o", "3,1"), "'c', row 3: '3,o' is no number"),
        ("numeric", AGES, ("2,0", "2,1", "3,0", "3,1"), "'c', row 1: '2,0' is no number"),
        (INTERVALS, AGES, ("20", "21", None, "3l"), "'c', row 4: '3l' is no number"),
        (days(), DAYS, (*DAYS[:3], "2021-07-15"), r"row 4: '2021-07-15' is no date.*%d\.%m\.%Y.*correct it$"),
        ("flat", DAYS, (*DAYS[:3], "?x"), "row 4: '.x' is no date.*if these are no dates"),
    ],
)
def test_what_does_not_fit_is_named(
    spec: Any, before: tuple[str, ...], now: tuple[str | None, ...], told: str
):
    with pytest.raises(oa.TableError, match=told):
        kept(spec, before, now)


def test_levels_that_cannot_be_told_are_asked_for():
    tree = oa.Hierarchy.from_tree({"north": ["a", "b"], "south": ["c", "d"]})
    found = kept(tree, WORDS, WORDS)
    assert found.kind == "flat"
    assert "NOT as the release before, which has levels such as 'north': give its hierarchy" in found.why
    rounded = oa.hierarchies.rounding(AGES, [10])
    assert "such as '20±5'" in kept(rounded, AGES, AGES).why
