"""What can be turned to make a policy ask less: parameters of requirements, limits, recoding, form.

A *dial* has a list of settings, the present one first and then one looser than the next. The nearest
feasible policy on one dial is the first setting that has a release; that the setting before it has
none proves it the least, since every release of a stricter setting is one of the looser.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ....models.errors import PolicyError
from ....models.policy import Policy
from ....models.problem import Problem
from ....models.release import Counted
from ...parts import COUNTERFEITS, FORM, HIDING, RECODING, SUPPRESSION, PolicyPart, parts_of, variant

__all__ = ["Dial", "dial_name", "dials"]


@dataclass(frozen=True, kw_only=True)
class Dial:
    """One thing that can be loosened.

    Attributes
    ----------
    part : str
        Key of the part of the policy.
    parameter : str
        Name of the parameter; the part's own key for limits.
    settings : sequence
        From the present value to the loosest.
    turn : callable
        Takes a policy and a setting, and gives the policy with that setting.
    grid : str
        Which settings are tried, in words.
    complete : bool
        Whether no value between two settings is a case of its own.
    count : {"suppressed", "counterfeits", "hidden_cells"} or None
        What is limited: its least number, with the limit lifted, is the least setting.
    """

    part: str
    parameter: str
    settings: Sequence[Any]
    turn: Callable[[Policy, Any], Policy] = field(repr=False)
    grid: str
    complete: bool = True
    count: Counted | None = None

    @property
    def name(self) -> str:
        """``requirement.parameter``, or the limit."""
        return dial_name(self.part, self.parameter)

    def at(self, problem: Problem, index: int) -> Problem:
        """The problem with this dial at one of its settings."""
        if index == 0:
            return problem
        policy = self.turn(problem.policy, self.settings[index])
        return Problem(table=problem.table, policy=policy, history=problem.history)

    def loosest(self, problem: Problem) -> Problem:
        """The problem with this dial as loose as it goes; a limit is lifted."""
        if self.count is None:
            return self.at(problem, len(self.settings) - 1)
        return variant(problem, [part for part in parts_of(problem) if part.key != self.part])


def dial_name(part: str, parameter: str) -> str:
    """``requirement.parameter``, or the limit."""
    alone = parameter == part or part in (SUPPRESSION, COUNTERFEITS)
    return parameter if alone else f"{part}.{parameter}"


def dials(problem: Problem, parts: Collection[PolicyPart]) -> Iterator[Dial]:
    """Everything about some parts of a policy that can be loosened without dropping a requirement."""
    policy, tuples = problem.policy, len(problem.table)
    for part in parts:
        requirement = part.requirement
        if requirement is not None:
            index = _position(policy, part)
            for parameter in requirement.parameters():
                looser = parameter.grid(problem)
                if looser.values:
                    yield Dial(
                        part=part.key,
                        parameter=parameter.name,
                        settings=(getattr(requirement, parameter.name), *looser.values),
                        turn=_parameter(index, parameter.name),
                        grid=looser.grid,
                        complete=looser.complete,
                    )
        elif part.key == SUPPRESSION:
            yield Dial(
                part=part.key,
                parameter="max_suppressed",
                settings=range(policy.suppression_limit(tuples), tuples),
                turn=lambda asked, count: asked.changed(max_suppressed=count),
                grid="whole numbers",
                count="suppressed",
            )
        elif part.key == COUNTERFEITS:
            limit = policy.counterfeit_limit or 0
            yield Dial(
                part=part.key,
                parameter="max_counterfeits",
                settings=range(limit, limit + MOST_COUNTERFEITS + 1),
                turn=lambda asked, count: asked.changed(max_counterfeits=count),
                grid="whole numbers",
                count="counterfeits",
            )
        elif part.key in (RECODING, FORM, HIDING):
            yield _choice(problem, part, parts)


MOST_COUNTERFEITS = 10**6
"""A policy that needs more is not called near."""


def _position(policy: Policy, part: PolicyPart) -> int:
    name, _, number = part.key.partition("#")
    same = [i for i, requirement in enumerate(policy.requirements) if requirement.name == name]
    return same[int(number or 1) - 1]


def _parameter(index: int, parameter: str) -> Callable[[Policy, Any], Policy]:
    def turn(policy: Policy, value: Any) -> Policy:
        if not 0 <= index < len(policy.requirements):
            raise PolicyError(f"the policy has no requirement number {index + 1}")
        requirements = list(policy.requirements)
        requirements[index] = replace(requirements[index], **{parameter: value})
        return policy.changed(requirements=requirements)

    return turn


def _choice(problem: Problem, part: PolicyPart, parts: Collection[PolicyPart]) -> Dial:
    """Recoding, form or hiding: the present choice, or the one that dropping the part gives."""
    free = variant(problem, [other for other in parts if other is not part]).policy
    changes: dict[str, dict[str, Any]] = {
        RECODING: {"recoding": "multidimensional", "hierarchies": {}},
        FORM: {"form": free.form},
        HIDING: {"minimize": [dict(level.weights) for level in free.levels]},
    }
    words = {
        RECODING: ("full_domain", "multidimensional"),
        FORM: (problem.policy.form, free.form),
        HIDING: ("not counted", "hidden_cells among the losses"),
    }
    return Dial(
        part=part.key,
        parameter=part.key,
        settings=words[part.key],
        turn=lambda policy, _: policy.changed(**changes[part.key]),
        grid=" or ".join(words[part.key]),
    )
