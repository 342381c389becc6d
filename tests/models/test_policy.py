"""What a policy's parameters mean, and how they are told apart."""

from __future__ import annotations

from fractions import Fraction

import pytest

import optanon as oa


@pytest.mark.parametrize(
    ("given", "of_ten"),
    [(1, 1), ("1", 1), ("3", 3), (1.0, 9), (Fraction(1), 9), ("1.0", 9), ("0.5", 5), ("1/4", 2), (0.5, 5)],
)
def test_a_count_is_a_whole_number_and_a_share_is_none(given: float | str | Fraction, of_ten: int):
    """Also after a change of something else, and read back from what is stored."""
    policy = oa.Policy([oa.KAnonymity(k=2)], max_suppressed=given)
    for same in (policy, policy.changed(weights={"age": 2})):
        assert same.suppression_limit(10) == of_ten
        stored = oa.Policy([oa.KAnonymity(k=2)], max_suppressed=same.content["max_suppressed"])
        assert stored.suppression_limit(10) == of_ten
    other = oa.Policy([oa.KAnonymity(k=2)], max_suppressed=1 if of_ten != 1 else 1.0)
    assert other.identity != policy.identity
