"""When a series looks ahead although nobody asked: where it costs least to have done so.

A respondent keeps its signature for ever, so the first release decides what all later ones cost. Whoever
keeps a history for the releases to come under weak m-invariance, and says nothing of an outlook, is given
one. It is given only where the search by signatures applies as it stands: boxes measured after counterfeits,
nobody suppressed, requirements of equal counts and of meetings with earlier groups alone. Small tables do
without: there the best release is proven, and few people leave.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ..history import History
from ..losses.base import loss
from ..problem_view import PolicyView
from ..requirement import Requirement
from ..table import Microdata
from .asked import Outlook

__all__ = ["usual_outlook"]

LEAST, MOST = 100, 10_000
"""Rows of a table. Larger ones are searched in parts that do not plan together."""


class SeriesPolicy(PolicyView, Protocol):
    """A policy, as far as it says whether an outlook is of use."""

    @property
    def requirements(self) -> Sequence[Requirement]: ...
    @property
    def max_counterfeits(self) -> int | None: ...
    @property
    def outlook(self) -> Outlook | None: ...
    @property
    def outlook_said(self) -> bool: ...


def usual_outlook(table: Microdata, policy: SeriesPolicy, history: History) -> bool:
    """Whether a policy that does not say so gets the usual outlook."""
    if not history.stored or policy.outlook_said or policy.outlook is not None:
        return False
    if not LEAST <= len(table) <= MOST:
        return False
    if policy.form != "generalized" or policy.recoding != "multidimensional":
        return False
    if policy.suppression_limit(len(table)):
        return False
    levels = [tuple(level.losses) for level in policy.levels]
    if len(levels) != 2 or levels[0] != ("counterfeits",) or policy.max_counterfeits is not None:
        return False
    measured = [loss(name) for name in levels[1]]
    if any(each.box_weights(table) is None or each.box_payer != "tuple" for each in measured):
        return False
    least = 0
    for requirement in policy.requirements:
        form = requirement.structure()
        if form.signature is not None:
            least = max(least, form.signature.min_values)
        elif form.overlap is None:
            return False
    known = [history.records.get(member.respondent) for member in table.members] if least else []
    return bool(least) and all(
        record is None or (record.signature is not None and len(record.signature) >= least)
        for record in known
    )
