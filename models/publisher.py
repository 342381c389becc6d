"""Who publishes a series in a backtest: the search, or a published heuristic, each under its policy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .outlook.asked import Outlook
from .policy import Policy

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
    """The search with and without an outlook, Cor-Split and m-invariance; else one search alone.

    Parameters
    ----------
    policy : Policy
        With weak m-invariance, or another requirement that gives people signatures, there are four of them.
    """
    if all(r.structure().signature is None for r in policy.requirements):
        return {"search": Publisher(policy=policy)}
    myopic = policy.by_itself()
    ahead = policy if policy.outlook is not None else myopic.changed(outlook=Outlook())
    return {
        "with outlook": Publisher(policy=ahead),
        "without outlook": Publisher(policy=myopic),
        "cor_split": Publisher(policy=myopic, heuristic="cor_split"),
        "m_invariance": Publisher(policy=myopic, heuristic="m_invariance"),
    }
