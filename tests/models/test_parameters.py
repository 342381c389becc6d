"""Parameters: whole numbers of any library, and arguments of the right kind."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from optanon import (
    Difference,
    GlobalGuarantee,
    HcSafety,
    KAnonymity,
    Outlook,
    Policy,
    PolicyError,
    ResistsInference,
    TCloseness,
    WeakMInvariance,
    n_choose,
)
from optanon.instances.futures import Futures
from optanon.models.parameters import require_each, require_kind, whole
from optanon.models.requirements import build_requirement


@pytest.mark.parametrize("kind", [np.int64, np.int8, np.uint32])
def test_integers_of_numpy_become_those_of_python(kind: Any):
    assert type(whole("a", "k", kind(3), 1)) is int
    found = WeakMInvariance(m=kind(3), multiplicity=kind(2))
    assert found == WeakMInvariance(m=3, multiplicity=2)
    assert {type(found.m), type(found.multiplicity)} == {int}
    resists = ResistsInference(min_values=kind(2), compromised=kind(1))
    assert {type(resists.min_values), type(resists.compromised)} == {int}
    limited = Policy([KAnonymity(k=kind(2))], max_suppressed=kind(1), max_counterfeits=kind(1))
    assert (limited.max_suppressed, limited.max_counterfeits) == (1, 1)
    assert limited.suppression_limit(10) == 1, "one tuple, not everybody"
    assert {type(limited.max_suppressed), type(limited.max_counterfeits)} == {int}
    ahead = Outlook(releases=kind(3), draws=kind(5), seed=kind(7))
    assert {type(ahead.releases), type(ahead.draws), type(ahead.seed)} == {int}
    futures = Futures(releases=kind(3), first=kind(2), seeds=np.array([1, 2], dtype=kind))  # pyright: ignore[reportArgumentType]
    assert {type(futures.releases), type(futures.first), *map(type, futures.seeds)} == {int}
    assert n_choose(p=0.04, history=kind(24), m=kind(6), h=0.1) == 3


@pytest.mark.parametrize("wrong", [True, np.True_, np.float64(2), 2.0, Fraction(2), "2", None, np.int64(0)])
def test_what_is_no_whole_number(wrong: Any):
    with pytest.raises(PolicyError, match="a: k must be a whole number of at least 1, got "):
        whole("a", "k", wrong, 1)


def test_the_kind_and_the_remedy_are_said():
    require_kind("table", 3, str, int, remedy="count")
    with pytest.raises(PolicyError, match=r"^it must be an Outlook or a str, not int: say so$"):
        require_kind("it", 3, Outlook, str, remedy="say so", error=PolicyError)
    assert require_each("them", iter([1, 2]), int, remedy="count") == (1, 2)
    with pytest.raises(ValueError, match=r"^number 2 of them must be an int, not str: count$"):
        require_each("them", [1, "2"], int, remedy="count")
    with pytest.raises(ValueError, match=r"^them must be a list, not str: count$"):
        require_each("them", "12", str, remedy="count")


@pytest.mark.parametrize("wrong", ["no", 0, None])
def test_what_is_no_truth_value_is_refused(wrong: Any):
    for name, settings in (
        ("difference", {"k": 2, "deep": wrong}),
        ("hc_safety", {"n": 2, "deep": wrong}),
        ("resists_inference", {"min_values": 2, "forgive_past": wrong}),
    ):
        with pytest.raises(PolicyError, match=f"^{name}: (deep|forgive_past) must be true or false, got "):
            build_requirement(name, settings)
    # NumPy's become Python's, and files can hold them.
    assert Difference(k=2, deep=np.True_) == Difference(k=2, deep=True)  # pyright: ignore[reportArgumentType]
    assert type(HcSafety(n=2, deep=np.False_).deep) is bool  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("wrong", [5, [], ["a", "a"], ["a", 5], None])
def test_what_names_no_columns_is_refused(wrong: Any):
    limits = {"l": 2, "min_confidence": 0, "max_confidence": 1}
    said = "attribute must name one column, or several different ones, got "
    with pytest.raises(PolicyError, match=f"^safe_correlation: {said}"):
        build_requirement("safe_correlation", {**limits, "attribute": wrong})
    if wrong is not None:
        with pytest.raises(PolicyError, match=f"^distinct_l_diversity: {said}"):
            build_requirement("distinct_l_diversity", {"l": 2, "attribute": wrong})


def test_values_that_are_numbers_are_those_of_the_table():
    numbers = [1, 2.0, np.float64(3), "4.0"]
    texts = ["1", "2", "3", "4.0"]
    assert GlobalGuarantee(l=2, protected_values=numbers) == GlobalGuarantee(l=2, protected_values=texts)  # pyright: ignore[reportArgumentType]
    assert TCloseness(t=0, order=numbers) == TCloseness(t=0, order=tuple(texts))  # pyright: ignore[reportArgumentType]
    with pytest.raises(PolicyError, match="protected_values must list at least one value, got 5: "):
        build_requirement("global_guarantee", {"l": 2, "protected_values": 5})
