"""Bounds on information loss of releases that leave everybody enough values by set intersection.

What all earlier groups of a respondent publish is found again in the history. A respondent who keeps as many
values as `resists_inference` or `intersection` (reading `set`) asks for is in a group that publishes as many
of these, so duals that no such group pays bound every release.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil

import numpy as np

from ...models.errors import CertificateError
from ...models.problem import Problem
from ...models.problem_view import smallest_group
from ...models.requirements.intersection import Intersection
from ...models.requirements.resists_inference import ResistsInference
from .. import claims
from .boxes import Walk
from .duals import ClaimedDuals
from .met_groups import MetAsked
from .outcome import UndecidedError
from .parts import units_of
from .rows import CheckedRows

__all__ = ["met_loss"]

MOST_VALUES = 62
"""Sets of them are bits of one number."""


def met_loss(problem: Problem, claim: claims.MetClaim, over: Callable[[], bool], workers: int) -> Fraction:
    """The information loss that duals prove necessary where nobody is left out or invented.

    Raises
    ------
    CertificateError
        If the policy asks for no such thing, or the duals prove nothing.
    UndecidedError
        If that cannot be told in time.
    """
    needed = max(map(_needed, problem.policy.requirements))
    if needed < 2 or problem.policy.form != "generalized":
        raise CertificateError("the bound is about values that nobody has to keep")
    if claim.root.cut_duals:
        raise CertificateError("the proof has another number of tuples or cuts")
    if len(problem.table.histogram) > MOST_VALUES:
        raise UndecidedError("there are too many values")
    left = _left(problem)
    kinds = {values: kind for kind, values in enumerate(dict.fromkeys(left))}
    rows = CheckedRows.of(problem.table, units_of(problem), kinds=[kinds[values] for values in left])
    duals = ClaimedDuals.of(rows, claim.root.duals, (), (), claim.root.scale)
    mask = np.array([left[tuples[0]] for tuples in rows.tuples], dtype=np.int64)
    walk = Walk.of(rows, None, MetAsked(mask, needed, smallest_group(problem)))
    if walk is None:
        raise UndecidedError("there are too many boxes")
    if walk.pays(duals, over, workers):
        raise CertificateError("the duals prove nothing: a group costs less than they say")
    return Fraction(max(0, duals.bound(rows.count)), rows.one)


def _needed(requirement: object) -> int:
    """How many values everybody keeps by set intersection; 0 if a requirement asks for none."""
    if isinstance(requirement, ResistsInference):
        asked = not requirement.forgive_past and requirement.knowledge is None
        return requirement.needed if asked else 0
    if isinstance(requirement, Intersection) and requirement.reading == "set":
        return ceil(1 / requirement.c)
    return 0


def _left(problem: Problem) -> list[int]:
    """Of each tuple, the values that its respondent's earlier groups have in common, as bits; -1 for all."""
    place = {value: 1 << n for n, value in enumerate(sorted(problem.table.histogram))}
    found: list[int] = []
    for member in problem.table.members:
        record = problem.history.records.get(member.respondent)
        found.append(-1 if record is None else sum(place.get(value, 0) for value in record.inferable))
    return found
