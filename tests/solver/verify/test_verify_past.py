"""What the verifier asks of people with a past: tables of meetings with earlier groups."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from optanon.models.errors import CertificateError
from optanon.models.requirements import HcSafety
from optanon.models.structure import Overlap, OverlapRule
from optanon.solver.verify.past import (
    MOST_TIMES,
    _tables,  # pyright: ignore[reportPrivateUsage]
)


@pytest.mark.parametrize("reading", ["hcsafe", "definition"])
def test_meetings_with_large_earlier_groups_are_looked_at_until_one_is_forbidden(reading: str):
    """It took the cube of an earlier group's size, whatever the time limit."""
    rule, asked = HcSafety(n=2, reading=reading).structure().overlap, list[Overlap]()
    assert rule is not None

    def permits(overlap: Overlap) -> bool:
        asked.append(overlap)
        return rule.permits(overlap)

    counted = OverlapRule(permits=permits, unrestricted_from=rule.unrestricted_from)
    made = _tables([counted], 300, 300, 100, 3, 300, once=False)
    assert 2 * len(made) - 1 > MOST_TIMES  # the bucket is loose
    assert not made[-1].all()
    assert len(asked) < 2_000


@pytest.mark.parametrize("reading", ["hcsafe", "definition"])
def test_tables_say_what_is_forbidden_up_to_the_last_that_forbids(reading: str):
    rule = HcSafety(n=2, reading=reading).structure().overlap
    assert rule is not None
    seen = set[int]()
    for old_size, values, present in product((4, 6, 9, 18), (2, 3), (1, 3, 6, 18)):
        if present > old_size or old_size % values:
            continue
        old_times = old_size // values
        made = _tables([rule], old_size, old_size, old_times, values, present, once=False)
        last = 0
        for times in range(1, old_times + 3):
            size = times * values
            allowed = np.ones((size + 1, size + 1), dtype=bool)
            for members in range(1, size + 1):
                for shared in range(1, min(members, present) + 1):
                    meeting = Overlap(
                        size=size,
                        members=members,
                        shared=shared,
                        old_size=old_size,
                        old_members=old_size,
                        alike=times == old_times,
                    )
                    allowed[members, shared] = rule.permits(meeting)
            last = last if allowed.all() else times
            if times <= min(len(made), (MOST_TIMES + 1) // 2):
                assert (made[times - 1] == allowed).all()
        wanted = last + 1
        seen.add(wanted)
        assert len(made) == wanted or 2 * min(len(made), wanted) - 1 > MOST_TIMES
    assert max(seen) > (MOST_TIMES + 1) // 2


def test_a_rule_that_forbids_what_it_says_it_does_not_is_told():
    rule = OverlapRule(permits=lambda meeting: meeting.size > 4, unrestricted_from=lambda _, __: 4)
    with pytest.raises(CertificateError, match="from the size on"):
        _tables([rule], 4, 4, 1, 2, 4, once=False)
