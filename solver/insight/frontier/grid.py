"""The grid: which parameters of a policy vary, over which values, and which point is stricter."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from itertools import product
from numbers import Integral
from typing import Any, TypeAlias

from ....models.errors import PolicyError
from ....models.exact_numbers import exact_number
from ....models.losses import loss
from ....models.parameters import require_each, require_kind
from ....models.policy import AHEAD, Policy
from ....models.problem import Problem
from ....models.relaxations import Monotonicity
from ....models.release import Release
from ....models.requirement import Requirement, as_fraction
from ...parts import PolicyPart, nested, parts_of

__all__ = ["Axis", "FrontierGrid", "Setting", "parse_vary"]

Setting: TypeAlias = int | Fraction | str | bool
LIMITS = ("max_suppressed", "max_counterfeits")
MOST_VALUES = 10_000
"""Of a range of values to vary."""
WEIGHT, FIRST = "outlook.weight", "first"
"""What is expected against the loss of now; or before it."""


@dataclass(frozen=True, kw_only=True)
class Axis:
    """One parameter that varies.

    Attributes
    ----------
    name : str
        As asked for, the parameter alone or ``requirement.parameter``.
    index : int or None
        Number of the requirement in the policy; None for a limit of the policy.
    parameter : str
    values : tuple
        Each once, in the order given.
    ranks : tuple or None
        A number per value: whatever keeps a value keeps every value of higher rank. None if the
        parameter has no direction.
    """

    name: str
    index: int | None
    parameter: str
    values: tuple[Setting, ...]
    ranks: tuple[int | Fraction, ...] | None

    def put(self, policy: Policy, value: Setting) -> Policy:
        """The policy with this value."""
        if self.parameter == WEIGHT:
            return policy.weighing(None if value == FIRST else as_fraction("outlook", "weight", value))
        if self.index is None:
            return policy.changed(**{self.parameter: value})
        requirements = list(policy.requirements)
        requirements[self.index] = replace(requirements[self.index], **{self.parameter: value})
        return policy.changed(requirements=requirements)


class FrontierGrid:
    """All combinations of the axes' values.

    Parameters
    ----------
    problem : Problem
        Its policy gives everything that does not vary.
    vary : Mapping of str to iterable
        Parameter to values. A name alone will do if only one requirement of the policy has such a
        parameter; otherwise ``requirement.parameter``. ``max_suppressed`` and ``max_counterfeits``
        are the policy's own; ``outlook.weight`` is what an expected counterfeit weighs against the loss of
        now, "first" if it comes before it.

    Raises
    ------
    PolicyError
        If a name is unknown or not unique, or a value out of range.
    """

    def __init__(self, problem: Problem, vary: Mapping[str, Iterable[Any]]) -> None:
        remedy = "give values by parameter, such as {'m': range(2, 7)}"
        require_kind("vary", vary, Mapping, remedy=remedy, error=PolicyError)
        if not vary:
            raise PolicyError("frontier: name at least one parameter to vary, such as m=2..6")
        self.problem = problem
        directed = nested(problem) and (
            problem.policy.recoding == "multidimensional"
            or (not problem.policy.suppression_limit(len(problem.table)) and "max_suppressed" not in vary)
        )
        self.axes = tuple(_axis(problem, name, values, directed) for name, values in vary.items())
        places = [(axis.index, axis.parameter) for axis in self.axes]
        if len(set(places)) < len(places):
            raise PolicyError("frontier: a parameter is named twice: give all its values together")
        self.points: tuple[tuple[Setting, ...], ...] = tuple(product(*(axis.values for axis in self.axes)))
        for point in self.points:
            self.at(point)  # a value out of range, or without meaning, is refused before any search

    @property
    def weighed(self) -> tuple[str, ...]:
        """What is expected and what is lost now, where the first is weighed against the second."""
        if WEIGHT not in self.names:
            return ()
        last = self.problem.policy.levels[-1].weights
        return (AHEAD, *(name for name, _ in last if name != AHEAD))

    def both(self, settings: Sequence[Setting], release: Release | None) -> dict[str, Fraction]:
        """The two of a release; nothing without one, or where nothing is weighed."""
        if release is None or not self.weighed:
            return {}
        problem = self.at(settings)
        return {name: loss(name).of_release(release, problem) for name in self.weighed}

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the axes."""
        return tuple(axis.name for axis in self.axes)

    def at(self, point: Sequence[Setting]) -> Problem:
        """The problem at one point."""
        policy = self.problem.policy
        if policy.outlook is None:
            policy = policy.by_itself()  # no point gets the usual outlook where others have none
        for axis, value in zip(self.axes, point, strict=True):
            policy = axis.put(policy, value)
        return Problem(table=self.problem.table, policy=policy, history=self.problem.history)

    def comparable(self, point: Sequence[Setting]) -> int:
        """How many levels, from the first, look at tables alone: all points measure these alike."""
        levels = self.at(point).policy.levels
        beyond = (at for at, level in enumerate(levels) if any(kind.looks_beyond for kind, _ in level.terms))
        return next(beyond, len(levels))

    def stricter(self, one: Sequence[Setting], other: Sequence[Setting]) -> bool:
        """Whether every release of point `one` is one of point `other`, by declared directions alone."""
        for axis, a, b in zip(self.axes, one, other, strict=True):
            if a == b:
                continue
            if axis.ranks is None or not _rank(axis, a) <= _rank(axis, b):
                return False
        return True

    def strictest_first(self) -> list[tuple[Setting, ...]]:
        """All points, none before one that is stricter."""
        return sorted(
            self.points,
            key=lambda point: [
                _rank(axis, value) if axis.ranks is not None else axis.values.index(value)
                for axis, value in zip(self.axes, point, strict=True)
            ],
        )


def _rank(axis: Axis, value: Setting) -> int | Fraction:
    assert axis.ranks is not None
    return axis.ranks[axis.values.index(value)]


def _setting(parameter: str, raw: Any) -> Setting:
    """A value as policies and files of states write it: exact, and everybody as a share, not as one tuple."""
    if isinstance(raw, bool | str):
        return raw
    if isinstance(raw, Integral):
        return int(raw)
    value = as_fraction("frontier", parameter, raw) if isinstance(raw, float) else raw
    return "1.0" if parameter == "max_suppressed" and value == 1 else value


def _axis(problem: Problem, name: str, values: Iterable[Any], directed: bool) -> Axis:
    index, parameter = _place(problem, name)
    remedy = "give all values it is to take, such as [2, 3]"
    values = require_each(f"frontier: {name}", values, object, remedy=remedy, error=PolicyError)
    given = tuple(dict.fromkeys(_setting(parameter, value) for value in values))
    if not given:
        raise PolicyError(f"frontier: {name} has no value")
    policy = problem.policy
    if index is None:
        axis = Axis(name=name, index=None, parameter=parameter, values=given, ranks=None)
        tuples = len(problem.table)
        if parameter == WEIGHT:
            ranks = None
        elif parameter == "max_suppressed":
            ranks = tuple(axis.put(policy, value).suppression_limit(tuples) for value in given)
        else:
            ranks = tuple(axis.put(policy, value).counterfeit_limit or 0 for value in given)
    else:
        requirements = [replace(policy.requirements[index], **{parameter: value}) for value in given]
        # As the requirement holds them: 0.5 and "1/2" are one value.
        given = tuple(dict.fromkeys(getattr(requirement, parameter) for requirement in requirements))
        directions = {_direction(requirement, parameter) for requirement in requirements}
        ranks = None
        if directions <= {"higher"}:
            ranks = tuple(-value for value in given)
        elif directions <= {"lower"}:
            ranks = given
    return Axis(name=name, index=index, parameter=parameter, values=given, ranks=ranks if directed else None)


def _direction(requirement: Requirement, name: str) -> Monotonicity | None:
    return next((known.direction for known in requirement.parameters() if known.name == name), None)


def _place(problem: Problem, name: str) -> tuple[int | None, str]:
    """Requirement and parameter that a name means."""
    if name in (*LIMITS, WEIGHT):
        return None, name
    owner, _, parameter = name.rpartition(".")
    parts: list[PolicyPart] = [part for part in parts_of(problem) if part.requirement is not None]
    found = [
        index
        for index, part in enumerate(parts)
        if owner in ("", part.key) and parameter in {f.name for f in fields(part.requirement)}  # pyright: ignore[reportArgumentType]
    ]
    if len(found) == 1:
        return found[0], parameter
    known = [
        f"{part.key}.{f.name}"
        for part in parts
        if part.requirement is not None
        for f in fields(part.requirement)
    ]
    problem_is = "no requirement of the policy has" if not found else "several requirements have"
    raise PolicyError(
        f"frontier: {problem_is} the parameter {name!r}: use one of {', '.join([*known, *LIMITS, WEIGHT])}"
    )


def parse_vary(text: str) -> tuple[str, tuple[Setting, ...]]:
    """Read ``m=2..6``, ``k=2..20..3`` (in steps of 3), ``c=1/2,2/3`` or ``reading=hcsafe,definition``.

    Raises
    ------
    PolicyError
        If it is nothing of the kind, or a range has more than `MOST_VALUES` values.
    """
    name, equals, given = text.partition("=")
    found: list[Setting] = []
    for item in given.split(","):
        steps = re.fullmatch(r"\s*(\d+)\.\.(\d+)(?:\.\.(\d+))?\s*", item)
        if steps is not None:
            first, last, step = (1 if group is None else int(group) for group in steps.groups())
            if not step:
                raise PolicyError(f"--vary {text}: the step must be above 0")
            if first > last:
                raise PolicyError(f"--vary {text}: {first} is above {last}: give the smaller number first")
            many = (last - first) // step + 1
            if many > MOST_VALUES:
                raise PolicyError(
                    f"--vary {text}: {many} values, each of which is solved: give at most {MOST_VALUES}"
                )
            found += range(first, last + 1, step)
        elif item.strip():
            found.append(_value(item.strip()))
    if not equals or not name.strip() or not found:
        raise PolicyError(f"--vary {text!r}: write NAME=FIRST..LAST or NAME=VALUE,VALUE, such as m=2..6")
    return name.strip(), tuple(found)


def _value(text: str) -> Setting:
    if text in ("true", "false"):
        return text == "true"
    try:
        number = exact_number(text)
    except (ValueError, ZeroDivisionError):
        return text
    return int(number) if re.fullmatch(r"-?\d+", text) else number
