"""Tables and domains: codes, cells and widths against the oracle; how columns are understood."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import oracle.brute_force as bf
import pandas as pd
import pytest
from cases.boxes import tight_box
from hypothesis import given, settings, strategies as st
from oracle.brute_force_tables import Interval as TheirInterval
from strategies import COLUMNS, KINDS, Instance, Source, instances, pick

from optanon.models.box import Interval, Leaves, covers, format_number
from optanon.models.categories import Categories, Ordered
from optanon.models.domain import Domain
from optanon.models.errors import HierarchyError, ReleaseError, TableError
from optanon.models.exact_numbers import exact_number
from optanon.models.hierarchies import intervals
from optanon.models.hierarchy import Hierarchy
from optanon.models.numeric import Numeric
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirements import KCAnonymity
from optanon.models.table import Microdata, Sensitive

quick = settings(max_examples=60, deadline=None, derandomize=True)


def table_of(**columns: list[Any]) -> Microdata:
    size = len(next(iter(columns.values())))
    frame = pd.DataFrame({"id": [f"id#{n}" for n in range(size)], **columns, "value": ["a"] * size})
    return Microdata.from_frame(frame, respondent="id", quasi_identifiers=list(columns), sensitive="value")


def domain_of(kind: Any) -> Domain:
    column = COLUMNS[kind]
    spec = column.spec("x")
    frame = pd.DataFrame({"id": range(len(column.pool)), "x": list(column.pool), "value": "a"}).astype(object)
    table = Microdata.from_frame(frame, respondent="id", quasi_identifiers={"x": spec}, sensitive="value")
    return table.domains[0]


@pytest.mark.parametrize(
    ("numbers", "decimals", "remedy"),
    [
        ([Fraction(1, 10**13), Fraction(1)], None, "give `decimals` for this column"),
        ([Fraction(1, 10**13), Fraction(1)], 13, "give fewer `decimals` for this column"),
        (
            [Fraction(10**30), Fraction(10**32)],
            None,
            "divide them by a power of ten, or declare the column `flat`",
        ),
        ([Fraction(10**30), Fraction(10**32)], 0, "divide them by a power of ten"),
        ([Fraction(1, 10**9), Fraction(8 * 10**12)], 3, "divide them by a power of ten"),
    ],
)
def test_numbers_beyond_exact_integers_have_a_remedy_that_helps(
    numbers: list[Fraction], decimals: int | None, remedy: str
):
    with pytest.raises(TableError, match=re.escape(remedy)):
        Numeric.of("x", numbers, decimals=decimals)


@pytest.mark.parametrize("kind", KINDS)
def test_cells_and_widths_of_every_kind_are_those_of_the_oracle(kind: str):
    domain, column = domain_of(kind), COLUMNS[kind]
    codes = domain.encode(list(column.pool))
    assert [domain.value(int(code)) for code in codes] == list(column.pool)
    pairs = list(zip(codes.tolist(), column.pool, strict=True))
    for size in (1, 2, 3):
        for chosen in combinations_with_replacement(pairs, size):
            lo, hi = min(c for c, _ in chosen), max(c for c, _ in chosen)
            points = [p for _, p in chosen]
            cell, side = domain.cell(lo, hi), column.attribute.side(points)
            if isinstance(cell, Interval):
                assert side == TheirInterval(cell.lo, cell.hi)
            else:
                assert cell.values == side
            assert Fraction(domain.units(lo, hi), domain.span) == column.attribute.width(points)
            assert domain.width(cell) == column.attribute.width(points)
            assert all(cell.covers(p if isinstance(p, str) else Fraction(p)) for p in points)
            back = domain.parse(str(cell))
            assert back == cell or (isinstance(back, Leaves) and back.values == cell.values)
            assert domain.width(back) == domain.width(cell)


@pytest.mark.parametrize("kind", KINDS)
def test_exact_values_come_back_from_their_text(kind: str):
    domain = domain_of(kind)
    for code in range(
        len(COLUMNS[kind].pool) if domain.nodes or isinstance(domain, Ordered) else domain.span + 1
    ):
        value = domain.value(code)
        assert domain.parse_value(str(value)) == value
    with pytest.raises(ReleaseError, match="'x'"):
        domain.parse_value("???")
    with pytest.raises(ReleaseError, match="'x'"):
        domain.parse("???")


@quick
@given(instances())
def test_a_table_keeps_what_it_was_given(drawn: tuple[Instance, Source]):
    at, source = drawn
    table = at.table
    for member, person in zip(table.members, at.people, strict=True):
        assert (member.respondent, member.value, member.point) == (person.name, person.value, person.qi)
    assert table.row == {p.name: n for n, p in enumerate(at.people)}
    assert table.frame["id"].tolist() == [p.name for p in at.people]
    assert table.codes.shape == (len(at.people), len(at.attributes))
    with pytest.raises(ValueError):
        table.codes[0, 0] = 1
    some = [m for m in table.members if source(0, 1)] or [table.members[0]]
    box = tight_box(some, table.domains)
    assert all(covers(box, m.point) for m in some)
    assert pick(source, some).point in {m.point for m in table.members}


def kinds(**columns: list[Any]) -> list[str]:
    return [type(domain).__name__ for domain in table_of(**columns).domains]


def test_how_columns_are_understood_without_being_told():
    assert kinds(x=[1, 2], y=["1", "2.5"], z=["a", "b"]) == ["Numeric", "Numeric", "Categories"]
    assert kinds(x=["007", "010"]) == ["Categories"]  # codes, not numbers
    assert kinds(x=["1", "two"]) == ["Categories"]
    assert kinds(x=[True, False]) == ["Categories"]
    assert kinds(x=["1e3", "2"]) == ["Categories"]
    assert kinds(x=["-3", "0", "-0.25"]) == ["Numeric"]
    assert kinds(x=[np.int64(3), np.float64(0.5)]) == ["Numeric"]


def test_numbers_are_exact():
    assert [exact_number(raw) for raw in (0.1, "0.1", 3, "1/3", " 7 ", np.float64(0.1), Fraction(2, 7))] == [
        Fraction(1, 10), Fraction(1, 10), 3, Fraction(1, 3), 7, Fraction(1, 10), Fraction(2, 7)
    ]  # fmt: skip
    table = table_of(x=[0.1, 0.2, 0.125])
    assert [m.point[0] for m in table.members] == [Fraction(1, 10), Fraction(1, 5), Fraction(1, 8)]
    with pytest.raises(TableError, match="decimals"):  # what a float sum leaves behind is no decimal
        table_of(x=[0.1, 0.30000000000000004])


@pytest.mark.parametrize("dtype", ["float16", "float32", "Float32", "float64", "object"])
def test_floats_of_any_width_are_their_shortest_decimals(dtype: str):
    wide = [0.1, 0.2, 0.3, 3.0]
    column: Any = pd.Series([np.float32(x) for x in wide] if dtype == "object" else wide, dtype=dtype)
    tenths = [Fraction(number) for number in ("1/10", "1/5", "3/10", "3")]
    frame = pd.DataFrame({"id": column, "x": column, "flat": column, "value": column})
    table = Microdata.from_frame(
        frame, respondent="id", quasi_identifiers={"x": None, "flat": "flat"}, sensitive="value"
    )
    assert [member.point[0] for member in table.members] == tenths
    assert {member.point[1] for member in table.members} == {"0.1", "0.2", "0.3", "3.0"}
    assert [member.value for member in table.members] == ["0.1", "0.2", "0.3", "3"]
    assert [member.respondent for member in table.members] == ["0.1", "0.2", "0.3", "3"]
    assert table.domains[0] == Numeric.of("x", column) == Numeric.of("x", tenths)
    assert intervals(column, [1]).leaves == ("0.1", "0.2", "0.3", "3.0")
    assert KCAnonymity(k=2, c=column[0]).c == Fraction(1, 10)


@quick
@given(st.fractions(max_denominator=1000))
def test_numbers_come_back_from_their_text(number: Fraction):
    assert Fraction(format_number(number)) == number


@quick
@given(st.lists(st.fractions(0, 50, max_denominator=40), min_size=1, max_size=6), st.integers(0, 2))
def test_rounded_cells_still_cover_the_true_numbers(numbers: list[Fraction], decimals: int):
    domain = Numeric.of("x", numbers, decimals=decimals)
    codes = domain.encode(numbers)
    for one, code in zip(numbers, codes.tolist(), strict=True):
        for other, second in zip(numbers, codes.tolist(), strict=True):
            cell = domain.cell(min(code, second), max(code, second))
            assert cell.covers(one)
            assert cell.covers(other)
            true = abs(one - other) / (domain.hi - domain.lo) if domain.hi > domain.lo else 0
            width = domain.width(cell)
            assert 0 <= width <= 1
            assert abs(width - true) * (domain.hi - domain.lo) <= 2 * domain.step
            assert Fraction(domain.units(min(code, second), max(code, second)), domain.span) == width
    again = domain.encode([domain.value(int(code)) for code in codes])
    assert again.tolist() == codes.tolist()


def test_a_domain_may_be_wider_than_its_column():
    domain = Numeric.of("x", [3, 4], lo=0, hi=10)
    assert domain.span == 10
    assert domain.width(domain.cell(*sorted(domain.encode([3, 4]).tolist()))) == Fraction(1, 10)
    with pytest.raises(TableError, match=r"'x', row 1: 11 is outside its domain \[0,10\]"):
        domain.encode([11])
    with pytest.raises(TableError, match="'x'"):
        Numeric.of("x", [3, 4], lo=5, hi=1)
    with pytest.raises(TableError, match=r"'x', row 1.*grid"):
        domain.encode(["3.5"])
    with pytest.raises(TableError, match="'x'"):
        Numeric.of("x", [-3, 4], lo=0, hi=10).encode([-3, 4])


def test_missing_values_may_be_a_category():
    frame = pd.DataFrame({"id": ["p", "q", "r"], "x": ["a", None, "b"], "value": ["u", "v", None]})
    table = Microdata.from_frame(
        frame, respondent="id", quasi_identifiers=["x"], sensitive="value", missing="category"
    )
    assert [m.point for m in table.members] == [("a",), ("missing",), ("b",)]
    assert table.histogram == {"u": 1, "v": 1, "missing": 1}


def test_repeated_and_unused_leaves():
    tree = Hierarchy.from_tree({"north": ["Oslo"], "south": ["Rome", "Bari"]})
    domain = Categories(name="x", hierarchy=tree)
    assert domain.span == 3
    (oslo,) = domain.encode(["Oslo"]).tolist()
    assert str(domain.cell(oslo, oslo)) == "Oslo"
    assert domain.units(oslo, oslo) == 0
    assert domain.width(domain.parse("south")) == Fraction(2, 3)
    assert domain.width(domain.parse("*")) == 1
    assert domain.width(Interval(Fraction(0), Fraction(1))) == 1
    with pytest.raises(HierarchyError, match="repeats the leaf 'Rome'"):
        Hierarchy.from_tree({"north": ["Rome"], "south": ["Rome", "Bari"]})


@pytest.mark.parametrize("kind", KINDS)
def test_the_cells_of_a_domain_are_its_cells(kind: str):
    domain = domain_of(kind)
    codes = sorted(set(domain.encode(list(COLUMNS[kind].pool)).tolist()))
    for lo, hi in combinations_with_replacement(codes, 2):
        assert domain.refuses(domain.cell(lo, hi)) is None


def test_cells_of_no_domain_are_told():
    """By what they cover, whatever the label."""
    tree = Hierarchy((("Oslo", "Norway", "north"), ("Rome", "Italy", "south"), ("Bari", "Italy", "south")))
    towns = Categories(name="x", hierarchy=tree)
    known = [towns.parse(label) for label in ("Norway", "north", "Italy", "south", "Bari", "*")]
    assert [towns.refuses(cell) for cell in known] == [None] * 6
    assert towns.refuses(Leaves("elsewhere", frozenset({"Rome", "Bari"}))) is None
    assert towns.refuses(Leaves("south", frozenset({"Oslo", "Rome"}))) is not None
    assert towns.refuses(Leaves("south", frozenset({"Rome", "Bari", "Pisa"}))) is not None
    assert towns.refuses(Interval(Fraction(0), Fraction(1))) is not None
    order = Ordered(name="x", categories=("a", "b", "c"))
    assert order.refuses(Leaves("a..c", frozenset({"a", "b", "c"}))) is None
    assert order.refuses(Leaves("a..c", frozenset({"a", "c"}))) is not None
    assert order.refuses(Leaves("z", frozenset({"z"}))) is not None
    numbers = Numeric(name="x", lo=Fraction(0), hi=Fraction(9))
    assert numbers.refuses(Interval(Fraction(-1), Fraction(1, 2))) is None
    assert numbers.refuses(Leaves("1", frozenset({"1"}))) is not None


def test_a_cell_of_rounded_numbers_ends_a_step_after_them():
    """Their widths are a step less, so that one ending at the last of them would cost nothing."""
    frame = pd.DataFrame({"id": list("pqrs"), "x": ["0.5", "1.2", "2.7", "3.1"], "value": list("abab")})
    spec = {"x": Numeric.of("x", frame["x"].tolist(), decimals=0)}
    table = Microdata.from_frame(frame, respondent="id", quasi_identifiers=spec, sensitive="value")
    problem = Problem(table=table, policy=Policy([KCAnonymity(k=2)]))
    whole = problem.assemble([[0, 1], [2, 3]])
    assert [str(group.box[0]) for group in whole.groups if group.box] == ["[0,2]", "[2,4]"]
    assert list(problem.check(whole)) == []
    short = [(Interval(Fraction(lo), Fraction(hi)),) for lo, hi in ((0, 1), (2, 4))]
    found = list(problem.check(problem.assemble([[0, 1], [2, 3]], boxes=short)))
    assert [(violation.requirement, violation.groups) for violation in found] == [("recoding", (0,))]
    (domain,) = table.domains
    assert domain.holds(domain.cell(0, 1), Fraction(1))
    assert not domain.holds(domain.cell(0, 1), Fraction(2)), "it is rounded down, and may be more"


def test_levels_of_intervals():
    tree = Hierarchy.intervals([0, 4, 5, 12], [5, 10])
    assert tree.paths == (
        ("0", "[0,5)", "[0,10)", "*"),
        ("4", "[0,5)", "[0,10)", "*"),
        ("5", "[5,10)", "[0,10)", "*"),
        ("12", "[10,15)", "[10,20)", "*"),
    )
    with pytest.raises(HierarchyError, match="multiple"):
        Hierarchy.intervals([1], [5, 12])


def test_a_sensitive_order_and_extra_values():
    frame = pd.DataFrame({"id": ["p", "q"], "x": [1, 2], "value": ["low", "high"]})
    private = Sensitive(name="value", order=("low", "mid", "high"), domain=frozenset({"mid"}))
    table = Microdata.from_frame(frame, respondent="id", quasi_identifiers=["x"], sensitive=private)
    assert table.histogram == {"low": 1, "high": 1}


def test_the_oracle_measures_the_same_attributes():
    """Every kind of domain optanon has is drawn by the strategies."""
    drawn = {type(domain_of(kind)) for kind in KINDS}
    assert drawn == {Numeric, Ordered, Categories}
    assert {type(column.attribute) for column in COLUMNS.values()} == {
        bf.Numeric, bf.Ordered, bf.Taxonomy, bf.Flat
    }  # fmt: skip
