"""Parts of a policy: a bound on a part, in which every release of the whole is one, bounds the whole.

Leaving requirements out only adds releases; so does taking a group's least size for what implies it. Of an
objective, a part looks at levels or at losses of a level: all are at least 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from ...models.box_measure import BoxMeasure
from ...models.errors import CertificateError, PolicyError
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
    "leading",
    "loss_weight",
    "most_published",
    "plain",
    "rest",
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


def leading(problem: Problem, levels: int, losses: Sequence[str], indices: Sequence[int]) -> Problem:
    """First levels, of the last of them some losses, under some requirements on published values.

    Raises
    ------
    CertificateError
        If the policy has no such levels or losses, or what is left allows fewer counterfeits than the whole.
    """
    policy = problem.policy
    decided = set(policy.decided_by_histograms(problem))
    if not 1 <= levels <= len(policy.levels) or not set(indices) <= decided:
        raise CertificateError("the bound is about first levels or requirements that it cannot speak of")
    *before, last = policy.levels[:levels]
    share = {name: weight for name, weight in last.weights if name in losses}
    if len(share) < len(losses) or not share:
        raise CertificateError("the bound is about losses that the level does not have")
    asked: list[LevelSpec] = [
        *(dict[str, object](level.weights) for level in before),
        dict[str, object](share),
    ]
    names = [name for level in before for name, _ in level.weights] + list(share)
    if policy.counterfeit_limit is None and all(loss(name).counts != "counterfeits" for name in names):
        raise CertificateError("the bound is about fewer counterfeits than others as good have")
    if any(loss(name).combine == "release" for name in names):
        raise CertificateError("the bound is about losses of whole releases, and no plan of theirs")
    changed = policy.changed(
        requirements=_with_size(problem, indices),
        minimize=asked,
        max_suppressed=policy.suppression_limit(len(problem.table)),
        max_counterfeits=policy.counterfeit_limit,
        outlook="none",
    )
    try:
        return replace(problem, policy=changed)
    except PolicyError as error:
        raise CertificateError(f"the bound is about levels that are none by themselves: {error}") from error


def rest(problem: Problem, values: Sequence[Fraction], levels: int) -> Problem:
    """The rest of the levels, where the first ones are 0 and count whoever is suppressed or invented.

    Raises
    ------
    CertificateError
        If releases with these values in the first levels may suppress or invent somebody, or the rest of the
        levels is none by itself.
    """
    policy, counted = problem.policy, set[str]()
    for level, value in zip(policy.levels[:levels], values, strict=False):
        counted |= level.counted if value == 0 else set()
    suppresses = policy.suppression_limit(len(problem.table)) > 0 and "suppressed" not in counted
    if suppresses or (policy.counterfeit_limit != 0 and "counterfeits" not in counted):
        raise CertificateError(
            "the bound is about releases that suppress and invent nobody, and others are as good"
        )
    none = ("suppressed", "counterfeits")
    left = [
        {name: weight for name, weight in level.weights if loss(name).counts not in none}
        for level in policy.levels[levels:]
    ]
    if not left or not all(left):
        raise CertificateError("the bound is about levels that only count what is suppressed or invented")
    named = [loss(name).counts for level in left for name in level]
    if policy.counts("hidden_cells") and "hidden_cells" not in counted.union(filter(None, named)):
        raise CertificateError("the bound is about releases that hide no cells, and others are as good")
    try:
        changed = policy.changed(minimize=left, max_suppressed=0, max_counterfeits=0)
        return replace(problem, policy=changed)
    except PolicyError as error:
        raise CertificateError(f"the bound is about levels that are none by themselves: {error}") from error


def plain(problem: Problem, indices: Sequence[int], at: int = -1) -> Problem:
    """A level's boxes under some requirements on published values, nothing suppressed or invented.

    One unit of the level's measure weighs 1.
    """
    level, kept = problem.policy.levels[at], _with_size(problem, indices)
    measure = BoxMeasure.of(level, problem.table)
    return replace(problem, policy=Policy(kept) if measure is None else Policy(kept, measure.alone(level)))


def grouped(problem: Problem) -> Problem:
    """The problem with its requirements on groups only.

    Raises
    ------
    CertificateError
        If there are none.
    """
    policy = problem.policy
    if not policy.group_requirements:
        raise CertificateError("the proof is about requirements on groups, and the policy has none")
    # A part without requirements on whole releases might get the usual outlook, and with it another level.
    outlook = policy.outlook or "none"
    return replace(problem, policy=policy.changed(requirements=policy.group_requirements, outlook=outlook))


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
            _with_size(problem, problem.policy.decided_by_histograms(problem)),
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
