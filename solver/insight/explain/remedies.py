"""The nearest policies that can be kept: one parameter turned as little as possible, or two."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import ceil
from typing import Any

from ....models.policy import Policy
from ....models.problem import Problem
from ...parts import feasibility
from ...status import Status
from .dials import Dial, dial_name
from .trials import Trials

__all__ = ["Change", "Remedies", "Remedy", "find_remedies"]


@dataclass(frozen=True, kw_only=True)
class Change:
    """One parameter, as it is and as it would have to be.

    Attributes
    ----------
    part, parameter : str
        Key of the part of the policy, and the parameter; the limit's name for limits.
    present, value
        Settings.
    grid : str
        Which settings were tried.
    complete : bool
        Whether values between two settings are no cases of their own.
    """

    part: str
    parameter: str
    present: Any
    value: Any
    grid: str
    complete: bool

    @property
    def name(self) -> str:
        """``requirement.parameter``, or the limit."""
        return dial_name(self.part, self.parameter)


@dataclass(frozen=True, kw_only=True)
class Remedy:
    """A nearest policy that has a release.

    Attributes
    ----------
    changes : tuple of Change
        One, or two if no single one helps.
    policy : Policy
        With the changes made; a release that keeps it was found and checked.
    stricter : tuple of Policy
        For each change, the policy with that change one step smaller.
    minimal : bool
        Whether it is proven that none of `stricter` has a release.
    """

    changes: tuple[Change, ...]
    policy: Policy = field(repr=False)
    stricter: tuple[Policy, ...] = field(repr=False)
    minimal: bool


@dataclass(frozen=True, kw_only=True)
class Remedies:
    """Nearest feasible policies.

    Attributes
    ----------
    found : tuple of Remedy
        Single changes; only if there are none, pairs.
    hopeless, unknown : tuple of str
        Single parameters that do not help however far they are turned (proven), and those for
        which that is not known.
    """

    found: tuple[Remedy, ...]
    hopeless: tuple[str, ...]
    unknown: tuple[str, ...]


def find_remedies(problem: Problem, dials: Sequence[Dial], trials: Trials) -> Remedies:
    """Turn every dial by itself, then, if none helps, every two.

    Of two dials the settings that help form a staircase; its two ends are reported: as little of
    the first as possible with the least of the second that then does, and the other way round.
    """
    found: list[Remedy] = []
    verdicts = {True: list[str](), False: list[str](), None: list[str]()}
    for dial in dials:
        feasible = trials.decide(dial.loosest(problem)).feasible
        index = _least(problem, dial, trials) if feasible else None
        if feasible and index is None:
            feasible = None
        if index is not None:
            found.append(_remedy(problem, [(dial, index)], trials))
        verdicts[feasible].append(dial.name)
    if not found:
        for one, other in combinations(dials, 2):
            if one.part == other.part and one.parameter == other.parameter:
                continue
            ends = [_end(problem, one, other, trials), _end(problem, other, one, trials)]
            for end in ends:
                if end is not None:
                    remedy = _remedy(problem, end, trials)
                    if not any(_same(remedy, known) for known in found):
                        found.append(remedy)
    return Remedies(found=tuple(found), hopeless=tuple(verdicts[False]), unknown=tuple(verdicts[None]))


def _end(problem: Problem, one: Dial, other: Dial, trials: Trials) -> list[tuple[Dial, int]] | None:
    """The least of `one` with `other` wide open, and then the least of `other`."""
    wide = other.loosest(problem)
    if not trials.decide(one.loosest(wide)).feasible:
        return None
    first = _least(wide, one, trials)
    if first is None or first == 0:
        return None
    second = _least(one.at(problem, first), other, trials)
    if second is None or second == 0:
        return None
    return [(one, first), (other, second)]


def _least(problem: Problem, dial: Dial, trials: Trials) -> int | None:
    """Index of the least setting with a release; None if none is known.

    The loosest is known to have one.
    """
    if dial.count is not None:
        outcome = trials.minimize(feasibility(dial.loosest(problem), dial.count))
        if not outcome.values:
            return None
        return max(0, ceil(outcome.values[0]) - dial.settings[0])

    def feasible(index: int) -> bool:
        return trials.decide(dial.at(problem, index)).feasible is True

    return bisect_left(range(len(dial.settings) - 1), True, key=feasible)


def _remedy(problem: Problem, turned: Sequence[tuple[Dial, int]], trials: Trials) -> Remedy:
    """Put the changes together, and ask for each whether one step less has a release."""
    done = problem
    for dial, index in turned:
        done = dial.at(done, index)
    less: list[Problem] = []
    for skipped in range(len(turned)):
        stricter = problem
        for number, (dial, index) in enumerate(turned):
            stricter = dial.at(stricter, index - (number == skipped))
        less.append(stricter)
    return Remedy(
        changes=tuple(
            Change(
                part=dial.part,
                parameter=dial.parameter,
                present=dial.settings[0],
                value=dial.settings[index],
                grid=dial.grid,
                complete=dial.complete,
            )
            for dial, index in turned
        ),
        policy=done.policy,
        stricter=tuple(one.policy for one in less),
        minimal=all(trials.decide(one).status is Status.INFEASIBLE for one in less),
    )


def _same(one: Remedy, other: Remedy) -> bool:
    return {(c.name, str(c.value)) for c in one.changes} == {(c.name, str(c.value)) for c in other.changes}
