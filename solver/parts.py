"""The parts of a policy that can be dropped one by one: requirements, limits, recoding, form.

A subset of the parts asks a question of its own, the *variant*: a dropped requirement asks nothing,
a dropped limit allows any number (but a release of nobody does not count, see `Policy.suppression_limit`),
dropped recoding is multidimensional, a dropped form is whichever the kept requirements are about.
Full-domain recoding makes no counterfeits, so as long as that part is kept none are made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from ..models.exact_numbers import show_count
from ..models.losses import counter_of
from ..models.problem import Problem
from ..models.release import Counted
from ..models.requirement import Requirement
from ..models.requirements.k_c_anonymity import KCAnonymity

__all__ = [
    "COUNTERFEITS",
    "FORM",
    "HIDING",
    "RECODING",
    "SUPPRESSION",
    "PolicyPart",
    "feasibility",
    "nested",
    "parts_of",
    "variant",
]

SUPPRESSION, COUNTERFEITS, RECODING, FORM, HIDING = (
    "suppression",
    "counterfeits",
    "recoding",
    "form",
    "hidden cells",
)

NOTHING = KCAnonymity(k=1)
"""What a policy that requires nothing asks: a policy object holds at least one requirement."""


@dataclass(frozen=True, kw_only=True)
class PolicyPart:
    """One thing a policy asks.

    Attributes
    ----------
    key : str
        The requirement's name (``name#2`` for the second of that name), or the name of a limit.
    label : str
        In words, with parameters.
    requirement : Requirement or None
        None of a limit.
    """

    key: str
    label: str
    requirement: Requirement | None = None


def parts_of(problem: Problem) -> tuple[PolicyPart, ...]:
    """Everything the policy of a problem asks, requirements first."""
    policy, tuples = problem.policy, len(problem.table)
    found: list[PolicyPart] = []
    seen = Counter[str]()
    for requirement in policy.requirements:
        seen[requirement.name] += 1
        number = seen[requirement.name]
        key = requirement.name if number == 1 else f"{requirement.name}#{number}"
        found.append(PolicyPart(key=key, label=str(requirement), requirement=requirement))
    suppression = policy.suppression_limit(tuples)
    if suppression < tuples - 1:
        label = (
            f"at most {suppression} of {tuples} tuples suppressed" if suppression else "no tuple suppressed"
        )
        found.append(PolicyPart(key=SUPPRESSION, label=label))
    if policy.recoding == "full_domain":
        found.append(PolicyPart(key=RECODING, label="full-domain recoding"))
    elif policy.counterfeit_limit is not None:
        limit = policy.counterfeit_limit
        label = f"at most {show_count(limit, 'counterfeit')}" if limit else "no counterfeits"
        found.append(PolicyPart(key=COUNTERFEITS, label=label))
    forms = {form for r in policy.requirements if (form := r.structure(problem).form) is not None}
    if not forms <= {policy.form}:
        found.append(PolicyPart(key=FORM, label=f"an {policy.form} release".replace("an g", "a g")))
    if "anatomized" in forms and not policy.counts("hidden_cells"):
        found.append(PolicyPart(key=HIDING, label="no hidden cells (no loss counts them)"))
    return tuple(found)


def variant(problem: Problem, kept: Collection[PolicyPart]) -> Problem:
    """The question that only some parts of a policy ask; its objective stays.

    Only what is expected of releases to come goes where no requirement of equal counts is left to price it.
    """
    keys = {part.key for part in kept}
    tuples, policy = len(problem.table), problem.policy
    requirements = [part.requirement for part in kept if part.requirement is not None]
    changes: dict[str, Any] = {"requirements": requirements or [NOTHING]}
    minimize: list[dict[str, Any]] = [dict(level.weights) for level in policy.levels]
    if SUPPRESSION not in keys:
        changes["max_suppressed"] = tuples
    if policy.recoding == "full_domain" and RECODING not in keys:
        changes |= {"recoding": "multidimensional", "hierarchies": {}}
    if policy.recoding == "multidimensional" and COUNTERFEITS not in keys:
        changes["max_counterfeits"] = None
        if policy.counterfeit_limit is not None and not policy.counts("counterfeits"):
            minimize.append({counter_of("counterfeits"): 1})
    wanted = {form for r in requirements if (form := r.structure(problem).form) is not None}
    if FORM not in keys and len(wanted) == 1:
        changes["form"] = next(iter(wanted))
    if HIDING not in keys and "anatomized" in wanted and not policy.counts("hidden_cells"):
        minimize.append({counter_of("hidden_cells"): 1})
    asked = policy.changed(minimize=minimize, **changes)
    # Who had no outlook now says that none is wanted: what is left of a policy could be given the usual one.
    if policy.outlook is None or all(r.structure(problem).signature is None for r in asked.requirements):
        asked = asked.by_itself()
    return Problem(table=problem.table, policy=asked, history=problem.history)


def feasibility(problem: Problem, first: Counted = "suppressed") -> Problem:
    """The same requirements and limits with an objective that is quick to reach: the fewest of `first`.

    Limits that the objective implies are spelled out.
    """
    policy = problem.policy
    levels = [counter_of(first)]
    if policy.counterfeit_limit is None and first != "counterfeits":
        levels.append(counter_of("counterfeits"))
    if policy.counts("hidden_cells") and first != "hidden_cells":
        levels.append(counter_of("hidden_cells"))
    changed = policy.changed(
        minimize=levels,
        outlook="none",
        max_suppressed=policy.suppression_limit(len(problem.table)),
        max_counterfeits=policy.counterfeit_limit,
    )
    return Problem(table=problem.table, policy=changed, history=problem.history)


def nested(problem: Problem) -> bool:
    """Whether whatever keeps more parts keeps fewer.

    Full-domain recoding suppresses exactly the groups that break a requirement on groups, so dropping
    one publishes more, which may break a requirement on whole releases.
    """
    policy = problem.policy
    return policy.recoding == "multidimensional" or not policy.joint_requirements
