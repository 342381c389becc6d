"""Series that look ahead, beside Cor-Split: what is asked, and when it counts as kept."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from optanon.bench.outlook import OutlookSeries, Series, beside, beside_today, factor, near_one
from optanon.models.errors import InputError

OURS: dict[str, Any] = {
    "method": "outlook",
    "together": 80,
    "loss": 75.0,
    "factor": 1.5,
    "factor one by one": 1.5,
    "violations": 0,
    "posterior": "1/3",
    "releases": 6,
}
THEIRS: dict[str, Any] = {**OURS, "method": "cor_split", "together": 80, "loss": 100.0}


def test_series_are_read():
    assert Series.read("income:5:2:0.2:5") == Series("income", 5, 2, Fraction(1, 5), 5)
    said = Series.read("income:5:2:0.2:5:3/4:0")
    assert said == Series("income", 5, 2, Fraction(1, 5), 5, (Fraction(3, 4), Fraction(0)))
    for wrong in ("income:5", "income:5:2:0.2:5:3/4", "income:5:2:0.2:5:a:b"):
        with pytest.raises(InputError, match="source:m:n:turnover:releases"):
            Series.read(wrong)


def test_every_must_counts():
    assert beside(OURS, THEIRS, 3)["must"] == "kept"
    for name, value in (
        ("together", 81),
        ("loss", 75.1),
        ("factor", 1.51),
        ("factor", None),
        ("factor one by one", 1.51),
        ("factor one by one", None),
        ("violations", 1),
        ("posterior", "1/2"),
        ("posterior", None),
        ("releases", 5),
    ):
        missed = beside({**OURS, name: value}, THEIRS, 3)["must"]
        assert missed.startswith("missed: "), name
        assert "," not in missed, name
    assert beside(OURS, {**THEIRS, "releases": 1}, 3) == {"must": "Cor-Split has no release"}
    assert "must" not in beside({**OURS, "method": "m_invariance"}, THEIRS, 3)


def test_a_share_is_of_the_series_that_does_not_look_ahead():
    myopic = {**OURS, "method": "myopic", "together": 320}
    assert beside_today(OURS, myopic) == {"counterfeits / myopic": 0.25}
    assert beside_today(OURS, {**myopic, "releases": 5}) == beside_today(myopic, myopic) == {}
    assert beside_today(OURS, {**myopic, "together": 0}) == {"counterfeits / myopic": None}


def test_whatever_is_told_some_lives_are_too_far_from_it():
    assert near_one([10, 22, 23, 100]) == 0.5  # 10 and 22 are near 15, 22 and 23 near 22.5
    assert near_one([4, 9]) == 1
    assert near_one([4, 10]) == 0.5
    assert near_one([0, 0, 5]) == 2 / 3


def test_a_factor_is_of_the_larger():
    assert factor(30, 20) == factor(20, 30) == 1.5
    assert factor(0, 20) is None


def test_a_series_is_played_and_audited():
    case = OutlookSeries(**OutlookSeries.small_settings)
    rows = {row["method"]: row for row in case.run()}
    assert set(rows) == {"outlook", "cor_split", "m_invariance"}
    ours = rows["outlook"]
    assert ours["violations"] == 0
    assert all(0 <= float(gap) < 50 for gap in ours["gaps"].split())
    assert set(rows["cor_split"]["gaps"].split()) == {"-"}
    assert Fraction(ours["posterior"]) <= Fraction(1, 3)
    assert "must" in ours
    assert "must" not in rows["cor_split"]
