"""Who publishes a series in a backtest: the search, or a published heuristic, each under its policy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .losses.base import BoxLoss, loss
from .losses.widening import ExpectedWidening
from .outlook.asked import Outlook
from .policy import Policy
from .requirements import DistinctLDiversity, ResistsInference

__all__ = ["Publisher", "usual_publishers"]


@dataclass(frozen=True, kw_only=True)
class Publisher:
    """How every release of a series is made.

    Parameters
    ----------
    policy : Policy
        What each release must keep; its releases are judged by it.
    heuristic : str, optional
        A published heuristic by its name (see `baselines`); by default the search for the best release.
    """

    policy: Policy
    heuristic: str | None = None


def usual_publishers(policy: Policy) -> Mapping[str, Publisher]:
    """The search with and without an outlook, Cor-Split and m-invariance; or with a reserve, and ahead.

    Parameters
    ----------
    policy : Policy
        With weak m-invariance, or another requirement that gives people signatures, there are four of them.
        Where nobody may be inferred, two stand beside the search for the policy: one whose groups have a
        value more than is needed, which can be mixed later, and one that weighs what the values left open
        will probably cost. For any other policy there is the search alone.
    """
    if all(r.structure().signature is None for r in policy.requirements):
        plain = {"search": Publisher(policy=policy)}
        needed = [r.needed for r in policy.requirements if isinstance(r, ResistsInference)]
        if not needed:
            return plain
        more = [*policy.requirements, DistinctLDiversity(l=max(needed) + 1)]
        plain["with a value in reserve"] = Publisher(policy=policy.changed(requirements=more))
        *before, last = policy.levels
        if all(isinstance(loss(name), BoxLoss) for name in last.losses):
            foreseen = {**dict(last.weights), ExpectedWidening.name: 1}
            weighed = [*(dict(each.weights) for each in before), foreseen]
            plain["looking ahead"] = Publisher(policy=policy.changed(minimize=weighed))
        return plain
    myopic = policy.by_itself()
    ahead = policy if policy.outlook is not None else myopic.changed(outlook=Outlook())
    return {
        "with outlook": Publisher(policy=ahead),
        "without outlook": Publisher(policy=myopic),
        "cor_split": Publisher(policy=myopic, heuristic="cor_split"),
        "m_invariance": Publisher(policy=myopic, heuristic="m_invariance"),
    }
