"""Parameters: whole numbers of any library, and arguments of the right kind."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from optanon import KAnonymity, Outlook, Policy, PolicyError, ResistsInference, WeakMInvariance, n_choose
from optanon.instances.futures import Futures
from optanon.models.parameters import require_each, require_kind, whole


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
