"""Verdicts on meetings with earlier groups, however large these are."""

from __future__ import annotations

from dataclasses import dataclass, field

import pandas as pd
import pytest

from optanon.models.history import History
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirements import HcSafety, KAnonymity, WeakMInvariance
from optanon.models.structure import Overlap, OverlapRule
from optanon.models.table import Microdata
from optanon.solver.colgen.structure.signatures import MOST_TIMES, Rules, _tables


@dataclass
class Counted:
    """A rule on meetings that counts how often it is asked."""

    rule: OverlapRule
    asked: list[Overlap] = field(default_factory=list[Overlap])

    def permits(self, overlap: Overlap) -> bool:
        self.asked.append(overlap)
        return self.rule.permits(overlap)

    def unrestricted_from(self, shared: int, old_size: int) -> int:
        return self.rule.unrestricted_from(shared, old_size)


def series(tuples: int) -> Problem:
    """Everybody was published in one group, and is there again."""
    frame = pd.DataFrame(
        {"id": range(tuples), "age": range(tuples), "disease": [str(i % 3) for i in range(tuples)]}
    )
    table = Microdata.from_frame(frame, respondent="id", quasi_identifiers=["age"], sensitive="disease")
    first = Problem(table=table, policy=Policy([KAnonymity(k=tuples)]))
    history = History()
    history.append(first.assemble([range(tuples)]))
    return Problem(table=table, policy=Policy([WeakMInvariance(m=3), HcSafety(n=2)]), history=history)


@pytest.mark.parametrize("reading", ["hcsafe", "definition"])
def test_tables_of_large_earlier_groups_are_as_few_as_are_searched(reading: str):
    """It took the cube of an earlier group's size, before any clock."""
    (group,) = series(300).history[0].groups
    rule = HcSafety(n=2, reading=reading).structure().overlap
    assert rule is not None
    counted = Counted(rule)
    made = _tables([counted], group, 3, 300, None)  # pyright: ignore[reportArgumentType]
    assert len(made) == MOST_TIMES + 1
    assert len(counted.asked) < 2_000


def test_the_bucket_of_a_large_earlier_group_is_relaxed():
    for tuples in (30, 120):
        rules = Rules.of(series(tuples))
        assert isinstance(rules, Rules)
        assert rules.relaxed.tolist() == [True]
        assert rules.times.tolist() == [1]
