"""Worlds counted where nothing is compiled: numbers are then those of numpy, which overflow."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import pytest

import optanon as oa
from optanon.models.group import Member, QIGroup
from optanon.solver.worlds import counting, state_graph

USED = {
    state_graph: ("advance",),
    counting: ("alive", "backward", "forward", "forward_float"),
}


def release(*groups: tuple[str, str, Sequence[tuple[str, int]]]) -> oa.Release:
    """Groups of people, by their numbers, their values, and counterfeits."""
    return oa.Release(
        groups=tuple(
            QIGroup(
                members=tuple(
                    Member(who, (Fraction(1),), value) for who, value in zip(people, values, strict=True)
                ),
                counterfeits=tuple(fakes),
            )
            for people, values, fakes in groups
        ),
        attributes=("age",),
        sensitive="ill",
        form="anatomized",
    )


def test_worlds_are_counted_alike_where_nothing_is_compiled(monkeypatch: pytest.MonkeyPatch):
    for module, names in USED.items():
        for name in names:
            function = getattr(module, name)
            monkeypatch.setattr(module, name, getattr(function, "py_func", function))
    series = [
        release(("123", "abc", ()), ("456", "abc", ())),
        release(("15", "ab", [("c", 1)]), ("24", "ba", ()), ("36", "cc", [("a", 1)])),
    ]
    report = oa.audit(oa.History(series))
    quarter = Fraction(1, 4)
    assert report.posterior("1") == {"a": quarter, "b": 2 * quarter, "c": quarter}
    assert report.posterior("3") == {"a": quarter, "c": 3 * quarter}
    assert report.posterior("5") == {"a": quarter, "b": 2 * quarter, "c": quarter}
