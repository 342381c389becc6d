"""Parts of a policy: a bound on a part, in which every release of the whole is one, bounds the whole.

Leaving requirements out only adds releases; so does taking a group's least size for what implies it. Of an
objective, a part looks at levels or at losses of a level: all are at least 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from ...models.box_measure import BoxMeasure
from ...models.errors import CertificateError
from ...models.losses.base import loss
from ...models.policy import Level, LevelSpec, Policy
from ...models.problem import Problem
from ...models.problem_view import fake_cap, smallest_group
from ...models.requirement import Requirement
from ...models.requirements.k_c_anonymity import KCAnonymity
from ...models.table import Microdata

__all__ = [
    "fake_price",
    "grouped",
    "hidden_price",
    "loss_weight",
    "most_published",
    "plain",
    "published",
    "sized",
    "units_of",
]


def loss_weight(level: Level, table: Microdata) -> Fraction:
    """What one unit of a level's boxes adds to it; 0 if none does."""
    measure = BoxMeasure.of(level, table)
    return Fraction(0) if measure is None else measure.factor


def units_of(problem: Problem) -> tuple[int, ...]:
    """What the whole domains cost, in units of the last level that measures boxes."""
    return BoxMeasure.last(problem.policy.levels, problem.table).units


def hidden_price(problem: Problem, level: Level) -> Fraction:
    """What a suppressed tuple adds to the last level that measures boxes, in units of its measure.

    Raises
    ------
    CertificateError
        If the level measures none.
    """
    unit = loss_weight(level, problem.table)
    if not unit:
        raise CertificateError("a bound on what boxes cost is stated for a level of something else")
    return sum(units_of(problem)) + level.weight_of("suppressed") / unit


def fake_price(problem: Problem) -> Fraction:
    """What a counterfeit adds to the last level, in units of its measure; 0 if limited or counted before."""
    *before, last = problem.policy.levels
    unit = loss_weight(last, problem.table)
    counted = any("counterfeits" in level.counted for level in before)
    if not unit or counted or problem.policy.counterfeit_limit is not None:
        return Fraction(0)
    return last.weight_of("counterfeits") / unit


def published(problem: Problem) -> tuple[int, ...]:
    """Which requirements (indices, from 0) judge groups by what is published of them."""
    return problem.policy.decided_by_histograms(problem)


def plain(problem: Problem, indices: Sequence[int], at: int = -1) -> Problem:
    """A level's boxes under some requirements on published values, nothing suppressed or invented.

    One unit of the level's measure weighs 1.
    """
    level, kept = problem.policy.levels[at], _with_size(problem, indices)
    measure = BoxMeasure.of(level, problem.table)
    return replace(problem, policy=Policy(kept) if measure is None else Policy(kept, measure.alone(level)))


def grouped(problem: Problem) -> Problem:
    """The problem with its requirements on groups only."""
    policy = problem.policy
    return replace(problem, policy=policy.changed(requirements=policy.group_requirements))


def sized(problem: Problem, start: int, hidden: int | None, fakes: int | None) -> Problem | None:
    """Losses by sizes from a level on, up to the first level with others; None if there is none.

    Parameters
    ----------
    problem : Problem
    start : int
        The first level.
    hidden, fakes : int or None
        Most suppressed tuples and counterfeits; the policy's limits if None.
    """
    policy, table = problem.policy, problem.table
    levels: list[LevelSpec] = []
    for level in policy.levels[start:]:
        share = {n: w for n, w in level.weights if loss(n).by_size(1, 0, policy.form) is not None}
        if share:
            levels.append(dict[str, object](share))
        if len(share) < len(level.weights):
            break
    if not levels:
        return None
    named = {name for level in levels if isinstance(level, Mapping) for name in level}
    limit = policy.counterfeit_limit if fakes is None else fakes
    if limit is None and "counterfeits" not in named:
        limit = most_published(problem, len(problem.values)) - len(table)
    return replace(
        problem,
        policy=Policy(
            _with_size(problem, published(problem)),
            levels,
            max_suppressed=policy.suppression_limit(len(table)) if hidden is None else hidden,
            max_counterfeits=limit,
            form=policy.form,
        ),
    )


def most_published(problem: Problem, values: int) -> int:
    """Most published tuples, of so many values, of a release worth looking at."""
    tuples, limit = len(problem.table), problem.policy.counterfeit_limit
    if limit is not None:
        return tuples + limit
    return tuples + min(tuples, 1 << 20) * min(fake_cap(problem), 1 << 20) * values


def _with_size(problem: Problem, indices: Sequence[int]) -> list[Requirement]:
    """Some requirements, and the least size of a group that all of them imply."""
    requirements = problem.policy.requirements
    left: list[Requirement] = [requirements[index] for index in indices]
    least = smallest_group(problem)
    if least > 1 or not left:
        left.append(KCAnonymity(k=least))
    return left
