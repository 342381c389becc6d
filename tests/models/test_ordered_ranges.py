"""Ranges of ordered categories whose names hold dots, the sign of a range."""

from __future__ import annotations

from itertools import combinations_with_replacement

import pytest
from strategies import Source, pick, seeded, shuffled

from optanon.models.categories import Ordered
from optanon.models.errors import TableError


def names(source: Source) -> list[str]:
    """Categories with many dots, some of them made of others."""
    found = {"".join(pick(source, "ab...") for _ in range(source(1, 5))) for _ in range(source(1, 6))}
    for joined in ("..", ".")[: source(0, 2)]:
        one, two = (pick(source, sorted(found)) for _ in range(2))
        found |= {f"{one}{joined}{two}", f"{one}."}
    return shuffled(source, sorted(found))


def first_twice(categories: list[str]) -> str | None:
    """The first label that an earlier range has, too, of all pairs one by one."""
    known = set[str]()
    for lo, hi in combinations_with_replacement(range(len(categories)), 2):
        label = categories[lo] if lo == hi else f"{categories[lo]}..{categories[hi]}"
        if label in known:
            return label
        known.add(label)
    return None


def test_labels_that_two_ranges_have_are_refused_and_no_others():
    refused = 0
    for seed in range(800):
        categories = names(seeded("dots", seed))
        label = first_twice(categories)
        if label is None:
            Ordered(name="when", categories=tuple(categories))
            continue
        refused += 1
        with pytest.raises(TableError) as caught:
            Ordered(name="when", categories=tuple(categories))
        assert f"{label!r} could be read as two ranges" in str(caught.value), categories
    assert 100 < refused < 700


def test_no_cell_is_made_to_tell_that_ranges_differ(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delattr(Ordered, "cell")
    monkeypatch.setattr(Ordered, "__abstractmethods__", frozenset[str]())
    Ordered(name="when", categories=tuple(f"{year}." for year in range(1, 400)))
