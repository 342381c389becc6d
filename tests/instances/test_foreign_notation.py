"""Cells in the notations of other tools."""

from __future__ import annotations

from fractions import Fraction

import pytest

from optanon import Hierarchy, ReleaseError
from optanon.instances.foreign.notation import Ends, Reader
from optanon.models.box import Interval, Leaves
from optanon.models.categories import Categories, Ordered
from optanon.models.numeric import Numeric

AGE = Numeric(name="age", lo=Fraction(17), hi=Fraction(60))
WORK = Categories(
    name="work",
    hierarchy=Hierarchy.from_tree(
        {"office": ["clerk", "chief"], "other": ["cook", "farm, forest", "Self-emp"]}, root="any"
    ),
)
SCHOOL = Ordered(name="school", categories=("none", "basic", "high", "college"))
HOURS = Categories(name="hours", hierarchy=Hierarchy.intervals([10, 20, 25, 30, 40], [20]))


@pytest.mark.parametrize(
    ("text", "lo", "hi"),
    [
        ("31", 31, 31),
        ("31.0", 31, 31),
        ("20-30", 20, 30),
        ("20 - 30", 20, 30),
        ("20..30", 20, 30),
        ("[20-30]", 20, 30),
        ("['20-30']", 20, 30),
        ("[20,30]", 20, 30),
        ("[20, 30[", 20, 29),
        ("[20, 30)", 20, 29),
        ("(20,30]", 21, 30),
        ("]20;30]", 21, 30),
        ("(20,30)", 21, 29),
        ("[20.0, 30.0[", 20, 29),
        (">=40", 40, 60),
        ("> 40", 41, 60),
        ("<20", 17, 19),
        ("≤20", 17, 20),
        ("*", 17, 60),
        ("", 17, 60),
        ("2*", 20, 29),
        ("**", 17, 60),
        ("{22, 20, 21}", 20, 22),
        ("[0, 20)", 17, 19),
        ("[50, 100[", 50, 60),
        ("NULL", 17, 60),
        ("(30,Inf]", 31, 60),
        ("(-Inf,20]", 17, 20),
        ("[30.0, inf)", 30, 60),
        ("(2.5e+01,3e+01]", 26, 30),
    ],
)
def test_intervals_of_numbers(text: str, lo: int, hi: int):
    found = Reader(AGE).read(text)
    assert found.cell == Interval(Fraction(lo), Fraction(hi))
    assert (found.lo, found.hi) == (lo - 17, hi - 17)  # codes count from the domain's lower end
    assert found.cut == (text in ("[0, 20)", "[50, 100["))
    assert not found.widened


@pytest.mark.parametrize(
    ("text", "ends", "lo", "hi"),
    [
        ("20-30", "half-open", 20, 29),
        ("[20-30]", "half-open", 20, 30),
        ("[20,30)", "half-open", 20, 29),
        ("20-30", "closed", 20, 30),
        ("(20,30)", "closed", 20, 30),
        ("[20, 30[", "closed", 20, 30),
        ("[20, 30]", "upper-open", 20, 29),
        ("20-30", "upper-open", 20, 29),
        ("(20,30]", "upper-open", 20, 29),
        (">=40", "upper-open", 40, 60),
    ],
)
def test_which_ends_belong_to_an_interval(text: str, ends: Ends, lo: int, hi: int):
    assert Reader(AGE, ends).read(text).cell == Interval(Fraction(lo), Fraction(hi))


def test_negative_and_fractional_numbers():
    domain = Numeric(name="t", lo=Fraction(-20), hi=Fraction(20), step=Fraction(1, 2))
    assert Reader(domain).read("-10--5").cell == Interval(Fraction(-10), Fraction(-5))
    assert Reader(domain).read("[-10.5, 3[").cell == Interval(Fraction(-21, 2), Fraction(5, 2))
    assert Reader(domain).read("[-1/2,3/2]").cell == Interval(Fraction(-1, 2), Fraction(3, 2))


@pytest.mark.parametrize(
    ("text", "lo", "hi", "widened"),
    [
        ("4*", 4, 49, True),  # 4, which ARX fills up to the length of 17 and 49, and 40 to 49
        ("6*", 6, 60, True),
        ("*7", 7, 57, True),  # redacted from the front: 7, 17, ..., 57
        ("1*", 1, 19, True),
    ],
)
def test_masks_of_numbers_of_different_lengths(text: str, lo: int, hi: int, widened: bool):
    found = Reader(Numeric(name="age", lo=Fraction(1), hi=Fraction(60))).read(text)
    assert found.cell == Interval(Fraction(lo), Fraction(hi))
    assert found.widened == widened


def test_masks_of_codes():
    codes = Categories(name="zip", hierarchy=Hierarchy.flat(("130", "137", "230", "13", "9")))
    for text, values in {
        "13*": {"130", "137", "13"},
        "1**": {"130", "137", "13"},
        "*30": {"130", "230"},
        "**9": {"9"},
        "*3*": {"130", "137", "230"},
        "1*": {"13"},  # shorter than the longest: no filling
        "**": {"13"},
        "***": {"130", "137", "230", "13", "9"},
    }.items():
        cell = Reader(codes).read(text).cell
        assert isinstance(cell, Leaves)
        assert cell.values == values, text
    with pytest.raises(ReleaseError, match="not a value, range or set"):
        Reader(codes).read("7**")


def test_a_set_of_numbers_becomes_the_range_around_it():
    found = Reader(AGE).read("20,25,30")
    assert found.cell == Interval(Fraction(20), Fraction(30))
    assert found.widened
    assert found.codes == {20 - 17, 25 - 17, 30 - 17}


def test_a_set_may_be_long():
    """It was read by a function that calls itself for each member."""
    names = [f"town {number}, state {number % 50}" for number in range(1500)]
    towns = Categories(name="town", hierarchy=Hierarchy.flat(names))
    cell = Reader(towns).read("{" + ", ".join(names[1:]) + "}").cell
    assert isinstance(cell, Leaves)
    assert cell.values == set(names[1:])
    with pytest.raises(ReleaseError, match="not a value, range or set"):
        Reader(towns).read("{" + ", ".join([*names[1:], "town"]) + "}")


@pytest.mark.parametrize(
    ("text", "values", "label"),
    [
        ("cook", {"cook"}, "cook"),
        ("office", {"clerk", "chief"}, "office"),
        ("{chief, clerk}", {"clerk", "chief"}, "office"),
        ("chief,clerk", {"clerk", "chief"}, "office"),
        ("['chief', 'clerk']", {"clerk", "chief"}, "office"),
        ("clerk|cook", {"clerk", "cook"}, "{clerk,cook}"),
        ("office,cook", {"clerk", "chief", "cook"}, "{clerk,chief,cook}"),
        ("farm, forest", {"farm, forest"}, "farm, forest"),
        ("cook,farm, forest,clerk", {"cook", "farm, forest", "clerk"}, "{clerk,cook,farm, forest}"),
        ("Self-emp", {"Self-emp"}, "Self-emp"),
        ("c****", {"clerk", "chief"}, "office"),
        ("*", {"clerk", "chief", "cook", "farm, forest", "Self-emp"}, "any"),
        ("NA", {"clerk", "chief", "cook", "farm, forest", "Self-emp"}, "any"),
    ],
)
def test_sets_and_labels_of_categories(text: str, values: set[str], label: str):
    cell = Reader(WORK).read(text).cell
    assert cell == Leaves(label, frozenset(values))


def test_a_set_with_a_hole_does_not_cover_the_hole():
    found = Reader(WORK).read("{clerk,cook}")
    assert found.codes == {0, 2}
    assert WORK.width(found.cell) == Fraction(2, 5)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("basic..college", {"basic", "high", "college"}),
        ("basic-high", {"basic", "high"}),
        ("[basic, college]", {"basic", "high", "college"}),
        ("[basic, college[", {"basic", "high"}),
        ("{none,college}", {"none", "college"}),
    ],
)
def test_ranges_of_ordered_categories(text: str, values: set[str]):
    cell = Reader(SCHOOL).read(text).cell
    assert isinstance(cell, Leaves)
    assert cell.values == values


def test_intervals_over_categories_that_are_numbers():
    read = Reader(HOURS).read
    assert read("[20,40)").cell == Leaves(
        "[20,40)", frozenset({"20", "25", "30"})
    )  # a label of the hierarchy
    assert read("20-30").cell == Leaves("[20,40)", frozenset({"20", "25", "30"}))
    assert read("[20, 30[").cell == Leaves("{20,25}", frozenset({"20", "25"}))
    assert read(">=30").cell == Leaves("{30,40}", frozenset({"30", "40"}))


@pytest.mark.parametrize(
    ("domain", "text", "said"),
    [
        (AGE, "abc", "not a number, interval or set"),
        (AGE, "70-80", r"outside the column's domain \[17,60\]"),
        (AGE, "5", "outside the column's domain"),
        (AGE, "30-20", "ends before it starts"),
        (AGE, "(20,21)", "no number of the column's grid"),
        (AGE, "20.5", "no number of the column's grid"),
        (AGE, ">1e999", "not a number, interval or set"),
        (AGE, "[20,1e999]", "not a number, interval or set"),
        (WORK, "kook", "not a value, range or set"),
        (WORK, "{cook,kook}", "not a value, range or set"),
        (SCHOOL, "college..basic", "not a value, range or set"),
        (HOURS, "[50,60]", "covers no value"),
    ],
)
def test_what_cannot_be_read(domain: Numeric | Categories | Ordered, text: str, said: str):
    with pytest.raises(ReleaseError, match=said):
        Reader(domain).read(text)


@pytest.mark.parametrize(("part", "times"), [("-", 100_000), ("'cook'+", 20_000)])
def test_what_only_begins_like_a_printed_list_is_no_notation(part: str, times: int):
    """Python's parser gives up on such with errors of its own."""
    with pytest.raises(ReleaseError, match="not a value, range or set"):
        Reader(WORK).read(f"['clerk',{part * times}1,'cook']")
