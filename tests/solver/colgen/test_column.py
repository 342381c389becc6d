"""Columns as lines of one array: groups far larger than all others are none."""

from __future__ import annotations

from optanon.solver.colgen.column import lines_of, slim


def test_groups_far_larger_than_all_others_are_no_columns():
    small, large = [(row, row + 1, row + 2) for row in range(100)], tuple(range(500))
    assert slim([*small, large]) == small
    assert lines_of(slim([*small, large])).shape == (100, 3)


def test_groups_of_about_one_size_are_all_columns():
    groups = [tuple(range(size)) for size in (2, 3, 20, 40)]
    assert slim(groups) == groups
    assert slim([]) == []
