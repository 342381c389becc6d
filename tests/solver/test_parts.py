"""The parts of a policy: what a loss counts is asked of the loss, not read off its name."""

from __future__ import annotations

from typing import ClassVar, get_args

import pytest
from strategies import instance, seeded

from optanon.models.losses import base as registry, counter_of, loss
from optanon.models.losses.counts import Counterfeits
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.release import Counted
from optanon.models.requirements import WeakMInvariance
from optanon.solver.parts import COUNTERFEITS, feasibility, parts_of, variant


class Invented(Counterfeits):
    """Counterfeits under a user's own name."""

    name: ClassVar[str] = "invented"


@pytest.mark.parametrize("what", get_args(Counted))
def test_whatever_can_be_counted_has_a_loss_that_counts_it(what: Counted):
    assert loss(counter_of(what)).counts == what


def test_a_lifted_limit_is_counted_once(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(registry._registry, "invented", Invented())  # pyright: ignore[reportPrivateUsage]
    at = instance(seeded(3), tuples=(6, 6))
    for name in ("invented", "information_loss"):
        policy = Policy([WeakMInvariance(m=2)], [name], max_counterfeits=1)
        asked = Problem(table=at.table, policy=policy)
        free = variant(asked, [part for part in parts_of(asked) if part.key != COUNTERFEITS])
        assert free.policy.counterfeit_limit is None
        levels = [level.name for level in free.policy.levels]
        assert levels == (["invented"] if name == "invented" else ["information_loss", "counterfeits"])
        named = [level.name for level in feasibility(free).policy.levels]
        assert named == ["suppressed", "counterfeits"]
