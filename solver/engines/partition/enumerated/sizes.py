"""Parts of a policy that look at group sizes and counts: their bounds hold for the whole.

Leaving requirements out only adds releases, so the least loss under those that judge published values alone
is a bound. Of a weighted sum, losses by sizes give a share of the bound, and so does information loss, each
for itself. Releases with few counterfeits, where respondents return under requirements of equal counts, are
found by the plan for series: without quasi-identifiers all boxes cost nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from .....models.losses import InformationLoss, loss
from .....models.policy import LevelSpec, Policy
from .....models.problem import Problem
from ....colgen.structure.signatures import Rules
from ..counts.shapes import published_at_most
from ..objective import Objective, counting
from .part import grouped, with_least_size

__all__ = ["by_sizes", "flattened", "sized"]


def by_sizes(problem: Problem, name: str) -> bool:
    """Whether a loss is told by the sizes of groups."""
    return loss(name).by_size(1, 0, problem.policy.form) is not None


def sized(
    problem: Problem, start: int = 0, hidden: int | None = None, fakes: int | None = None
) -> Problem | None:
    """The problem that histograms carry; None if the level in question has nothing to do with sizes.

    Parameters
    ----------
    problem : Problem
    start : int
        Its first level; those before are settled.
    hidden, fakes : int, optional
        Most suppressed tuples and counterfeits, where they are settled; the policy's limits otherwise.
    """
    levels: list[LevelSpec] = []
    for level in problem.policy.levels[start:]:
        share = {name: weight for name, weight in level.weights if by_sizes(problem, name)}
        if share:
            levels.append(dict[str, object](share))
        if len(share) < len(level.weights):
            break
    if not levels:
        return None
    policy, table = problem.policy, problem.table
    named = {name for level in levels if isinstance(level, Mapping) for name in level}
    counts_fakes = any(loss(name).counts == "counterfeits" for name in named)
    any_fakes = fakes is None and policy.counterfeit_limit is None
    if fakes is None:
        fakes = policy.counterfeit_limit
    if fakes is None:
        fakes = published_at_most(problem, len(problem.values)) - len(table)
    return replace(
        problem,
        policy=Policy(
            with_least_size(problem, policy.decided_by_histograms(problem)),
            levels,
            max_suppressed=policy.suppression_limit(len(table)) if hidden is None else hidden,
            max_counterfeits=None if any_fakes and counts_fakes else fakes,
            form=policy.form,
        ),
    )


def flattened(problem: Problem) -> tuple[Problem, Rules, Objective] | None:
    """The problem of counting counterfeits under equal counts, if the first levels only count.

    All tuples have the same quasi-identifiers in it, and groups no boxes.
    """
    policy = problem.policy
    counted: list[LevelSpec] = []
    for level in policy.levels:
        if not level.losses <= counting(level):
            break
        counted.append(dict[str, object](level.weights))
    if not counted or not policy.group_requirements:
        return None
    part = grouped(problem)
    changed = {
        "minimize": [*counted, InformationLoss.name],
        "max_suppressed": policy.suppression_limit(len(problem.table)),
        "max_counterfeits": policy.counterfeit_limit,
    }
    objective = Objective.of(replace(part, policy=part.policy.changed(form="generalized", **changed)))
    rules = Rules.of(part)
    if isinstance(objective, str) or isinstance(rules, str) or not objective.whole:
        return None
    table = replace(part.table, codes=part.table.codes * 0)
    flat = replace(part, table=table, policy=part.policy.changed(form="anatomized", **changed))
    return flat, rules, objective
