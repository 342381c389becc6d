"""Releases that keep the whole policy: earlier groups kept together, and groups merged until all holds.

Keeping an earlier group whole and newcomers among themselves leaves no small difference between the two
releases and nothing to trace, so it is the natural start of a growing table. Merging is the last resort
(as in the merge variants of Byun et al.): most attacks only weaken when groups become coarser.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .....models.moment import moment
from .....models.problem import Problem
from .....models.verdicts import Violation
from ....settings import Clock
from .state import RepairedGroups

__all__ = ["aligned", "merge_until_clean", "newcomers"]


def aligned(problem: Problem) -> list[list[int]]:
    """Tuples that were in one group of the last release they were in, together; newcomers apart.

    Only persons still in the table count.
    """
    found: dict[tuple[int, int], list[int]] = {}
    for t, member in enumerate(problem.table.members):
        record = problem.history.records.get(member.respondent)
        if record is not None:
            found.setdefault(record.groups[-1], []).append(t)
    return list(found.values())


def newcomers(problem: Problem) -> list[int]:
    """Tuples of respondents who are in no earlier release."""
    records = problem.history.records
    return [t for t, member in enumerate(problem.table.members) if member.respondent not in records]


def merge_until_clean(state: RepairedGroups, clock: Clock) -> bool:
    """Merge groups that take part in violations with their nearest ones until nothing is broken.

    Complexity: fewer merges than groups, a check of the release for each round of them.

    Returns
    -------
    bool
        False if even one group of all breaks something, or time ran out.
    """
    took = 0.0
    while clock.fits(took):
        began = moment()
        found = state.violations()
        took = moment() - began
        if not found:
            return True
        if len(state.groups) == 1:
            return False
        bad = {index for violation in found for index in _involved(state, violation)}
        _merge(state, bad or set(range(len(state.groups))), clock)
    return False


def _involved(state: RepairedGroups, violation: Violation) -> Sequence[int]:
    """Groups of the new release that have to do with a violation."""
    if violation.groups:
        return violation.groups
    who = set(violation.respondents)
    for release, index in violation.earlier:
        who |= state.problem.history.group(release, index).respondents
    people = state.problem.table.members
    return [i for i, group in enumerate(state.groups) if any(people[t].respondent in who for t in group)]


def _merge(state: RepairedGroups, bad: set[int], clock: Clock) -> None:
    """Each bad group joins the group where that costs least; joins may chain, and end with time."""
    low, high = state.boxes()
    sizes = np.array([len(group) for group in state.groups])
    costs = np.array(state.costs)
    home = list(range(len(state.groups)))

    def root(index: int) -> int:
        while home[index] != index:
            index = home[index]
        return index

    for index in sorted(bad, key=lambda i: len(state.groups[i])):
        if clock.over:
            return
        joint = state.rows.box_cost(np.minimum(low, low[index]), np.maximum(high, high[index]))
        extra = joint * (sizes + sizes[index]) - costs
        extra[index] = np.iinfo(np.int64).max
        home[root(index)] = root(int(np.argmin(extra)))
    merged: dict[int, list[int]] = {}
    for index, group in enumerate(state.groups):
        merged.setdefault(root(index), []).extend(group)
    state.set(list(merged.values()))
