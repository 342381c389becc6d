"""What a solve builds is gone after it."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pandas as pd
import pytest

import optanon as oa
from optanon.models.encoding import Encoding
from optanon.models.memo import memoized


def test_no_model_outlives_its_solve(monkeypatch: pytest.MonkeyPatch):
    alive: list[weakref.ref[Encoding]] = []
    made = Encoding.__init__

    def counted(self: Encoding, *given: Any) -> None:
        alive.append(weakref.ref(self))
        made(self, *given)

    monkeypatch.setattr(Encoding, "__init__", counted)
    policy = oa.Policy([oa.KCAnonymity(k=2), oa.Difference(k=2)], minimize=["information_loss"])
    for shift in range(3):
        rows = [(str(i), (i * i + shift) % 11, "abc"[i % 3]) for i in range(7)]
        table = oa.Microdata.from_frame(
            pd.DataFrame(rows, columns=["id", "x", "value"]),
            respondent="id",
            quasi_identifiers=["x"],
            sensitive="value",
        )
        oa.solve(table, policy, engine="assignment", time_limit=20)
    gc.collect()
    assert alive
    assert not [model for model in alive if model() is not None]


def test_answers_are_kept_with_their_object_and_go_with_it():
    class Asked:
        def __init__(self) -> None:
            self.times = 0

        @memoized
        def twice(self, number: int) -> int:
            self.times += 1
            return 2 * number

    one, other = Asked(), Asked()
    assert [one.twice(3), one.twice(3), one.twice(4), other.twice(3)] == [6, 6, 8, 6]
    assert (one.times, other.times) == (2, 1)
    gone = weakref.ref(one)
    del one
    gc.collect()
    assert gone() is None
