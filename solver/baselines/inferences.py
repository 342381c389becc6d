"""The checks of Byun et al. (sec. 4 and 5.2) around a static anonymization, and their merge approach.

*Checked*: in each step, besides (k, c), the new release is checked for vulnerability to
difference, intersection and record tracing attacks, against all earlier releases. *Merge*: only the
records that are new since the last release are anonymized, and its groups are published again
beside theirs (sec. 6.2).

The checks are the requirements' own exact ones, not the source's: Figs. 5 and 6 with Observations 1 to 3
(difference), Fig. 7 (intersection, of pairs of releases) and Fig. 10 (record tracing) miss breaches,
its experiments trace along all edges, and it gives a cut up where subsets become too many (both sec.
6.2); here nothing is given up. Intersections are kept as in its history table (sec. 5.1). Checks the
policy names are used with its parameters; otherwise k and c are those of (k, c)-anonymity. Both
approaches are for tables that only grow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from ...models.box import Box
from ...models.errors import EngineError, ReleaseError
from ...models.problem_view import ProblemView
from ...models.release import QIGroup, Release
from ...models.requirement import Context, Requirement, Violation
from ...models.requirements.difference import Difference
from ...models.requirements.intersection import Intersection
from ...models.requirements.k_c_anonymity import KCAnonymity
from ...models.requirements.record_tracing import RecordTracing
from .parameters import parameters
from .top_down import Rows

__all__ = ["Inferences", "merge_with_last", "new_rows"]

R = TypeVar("R", bound=Requirement)


class Inferences:
    """Difference, intersection and record tracing attacks on releases of one problem.

    Parameters
    ----------
    problem : ProblemView
    baseline : str
        For messages.

    Attributes
    ----------
    intersection : Intersection
    tracing : RecordTracing
    difference : Difference
        The checks, with the policy's parameters.
    """

    def __init__(self, problem: ProblemView, baseline: str) -> None:
        self.problem, self.baseline = problem, baseline
        self._context = Context.before(problem)
        asked = parameters(problem, KCAnonymity, baseline)
        self.intersection = self._own(Intersection(c=asked.c))
        self.tracing = self._own(RecordTracing(k=asked.k))
        self.difference = self._own(Difference(k=asked.k, c=asked.c))

    def _own(self, default: R) -> R:
        named = any(isinstance(r, type(default)) for r in self.problem.policy.requirements)
        return parameters(self.problem, type(default), self.baseline) if named else default

    def isolated(self, groups: Sequence[QIGroup]) -> bool:
        """Whether some of these groups are vulnerable to an intersection attack."""
        if not len(self.problem.history):
            return False
        return not all(self.intersection.admits(group, self._context) for group in groups)

    def first(self, groups: Sequence[QIGroup], *, intersected: bool = False) -> Violation | None:
        """A vulnerability of the release of these groups, which hold all tuples; None if there is none.

        Parameters
        ----------
        groups : sequence of QIGroup
        intersected : bool
            Whether no group is known to be `isolated`: intersection judges each by itself.

        Raises
        ------
        EngineError
            If the checks are not defined for this history.
        """
        if not len(self.problem.history):
            return None
        table, joint = self.problem.table, (self.tracing, self.difference)
        release = Release(groups=tuple(groups), attributes=table.attributes, sensitive=table.sensitive.name)
        try:
            for requirement in joint if intersected else (self.intersection, *joint):
                for found in requirement.check(release, self.problem.history):
                    return found
        except ReleaseError as error:
            raise EngineError(f"{self.baseline}: {error}") from error
        return None


def new_rows(problem: ProblemView, baseline: str) -> Rows:
    """Rows that the last release does not have; all rows if there is none.

    Raises
    ------
    EngineError
        If anybody has left, changed, or was published before but not in the last release; or if the last
        release has counterfeits or no boxes.
    """
    table, history = problem.table, problem.history
    if not len(history):
        return np.arange(len(table), dtype=np.int64)
    last, now = history[-1], {member.respondent: member for member in table.members}
    old = {member.respondent: member for group in last.groups for member in group.members}
    if any(now.get(who) != member for who, member in old.items()):
        raise EngineError(
            f"{baseline}: somebody in the last release has left or changed: tables must only grow"
        )
    if any(who in now and who not in old for who in history.records):
        raise EngineError(
            f"{baseline}: somebody was published before, but not in the last release: tables must only grow"
        )
    if last.form != "generalized" or last.counterfeits:
        raise EngineError(
            f"{baseline}: the last release is anatomized or has counterfeits: it cannot be kept"
        )
    fresh = [row for row, member in enumerate(table.members) if member.respondent not in old]
    return np.array(fresh, dtype=np.int64)


def merge_with_last(problem: ProblemView, groups: Sequence[Rows], boxes: Sequence[Box]) -> Release:
    """The last release's groups again, and new ones."""
    rows = [group.tolist() for group in groups]
    kept = list(boxes)
    for group in problem.history[-1].groups if len(problem.history) else ():
        assert group.box is not None, "the last release is generalized"
        rows.append([problem.table.row[member.respondent] for member in group.members])
        kept.append(group.box)
    return problem.assemble(rows, boxes=kept)
