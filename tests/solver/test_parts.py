"""The parts of a policy: what a loss counts is asked of the loss, not read off its name."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import ClassVar, get_args

import pytest
from strategies import instance, seeded

from optanon.instances.generators import generated_roles, uniform_table
from optanon.models.history import History
from optanon.models.losses import base as registry, counter_of, loss
from optanon.models.losses.counts import Counterfeits
from optanon.models.outlook.asked import Outlook
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.release import Counted
from optanon.models.requirements import KCAnonymity, WeakMInvariance
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


@pytest.mark.parametrize("limit", [None, 0])
@pytest.mark.parametrize("weight", [None, Fraction(2)])
def test_an_outlook_stays_as_long_as_there_is_something_to_price(limit: int | None, weight: Fraction | None):
    at = instance(seeded(3), tuples=(6, 6))
    levels, outlook = ["counterfeits", "information_loss"], Outlook(weight=weight)
    policy = Policy([WeakMInvariance(m=2), KCAnonymity(k=2)], levels, max_counterfeits=limit, outlook=outlook)
    asked = Problem(table=at.table, policy=policy)

    def without(name: str) -> Policy:
        return variant(asked, [part for part in parts_of(asked) if part.key != name]).policy

    kept, dropped = without("k_c_anonymity"), without("weak_m_invariance")
    assert (kept.outlook, kept.levels) == (outlook, policy.levels)
    assert dropped.outlook is None
    assert [level.name for level in dropped.levels] == levels
    assert feasibility(asked).policy.outlook is None


def test_a_policy_of_what_is_expected_alone_has_a_loss_without_it_too():
    alone = Policy([WeakMInvariance(m=2)], ["expected_counterfeits"], max_counterfeits=0).by_itself()
    assert [level.name for level in alone.levels] == ["information_loss"]


def test_what_is_left_of_a_policy_without_an_outlook_gets_none(tmp_path: Path):
    """A requirement too many kept the usual one away: it would make the objective another one."""
    roles = generated_roles(values=6)
    policy = Policy([WeakMInvariance(m=3), KCAnonymity(k=2)], ["counterfeits", "information_loss"])
    asked = Problem(
        table=roles.table(uniform_table(100, seed=1, values=6)),
        policy=policy,
        history=History.open(tmp_path / "releases.db"),
    )
    parts = [part for part in parts_of(asked) if part.key != "k_c_anonymity"]
    assert variant(asked, parts).policy.levels == asked.policy.levels
