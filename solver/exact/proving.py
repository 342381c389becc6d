"""What the exact programs prove of an answer: claims and refusals that anyone can compute again.

An answer of any engine that rests on a solver's word is proven afterwards where the table is small enough:
by the program over all sets of tuples, or by counting the groupings that are better and fail the check.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from ...models.errors import CertificateError
from ...models.problem import Problem
from ..claims import Empty, GroupingsClaim, SubsetsClaim, Trusted, TrustedRefusal
from ..settings import Answer, Clock
from ..status import Status
from . import groupings, subsets
from .groupings import MOST_COUNTED, SECONDS, Groupings
from .sets import BeyondReachError
from .subsets import Subsets

__all__ = ["counted", "proven"]


def counted(program: Subsets, values: Sequence[Fraction] | None, most: int = MOST_COUNTED) -> GroupingsClaim:
    """The claim that nothing is better than `values` (None: that nothing keeps the policy).

    Raises
    ------
    BeyondReachError
        If more than `most` groupings would have to be checked, or time is over.
    CertificateError
        If a better release exists.
    """
    found = Groupings(subsets=program, most=most)
    if next(found.better(values), None) is not None:
        raise CertificateError("a release is better than what was claimed to be the best")
    return GroupingsClaim(checked=found.number)


def proven(problem: Problem, answer: Answer, clock: Clock) -> Answer:
    """Prove an answer that rests on somebody's word, as far as the exact programs reach; else as it is.

    Ctrl-C leaves it as it is, too.
    """
    rests = isinstance(answer.refusal, TrustedRefusal) or any(isinstance(c, Trusted) for c in answer.claims)
    decided = answer.status in (Status.OPTIMAL, Status.INFEASIBLE)
    if not rests or not decided or subsets.refusal(problem) is not None:
        return answer
    values = None if answer.release is None else problem.objective(answer.release)
    try:
        program = Subsets(problem, clock)
        found = program.optimum()
        if found.release is None or found.values == values:
            if (values is None) != (found.release is None):
                raise CertificateError(
                    "the exact program and the search disagree on whether there is a release"
                )
            if values is None:
                return replace(answer, refusal=Empty(checked=None))
            return replace(answer, claims=(SubsetsClaim(),))
        if program.exact:
            raise CertificateError("a release is better than what was claimed to be the best")
        # A bound in any case; the solver's word is only needed for what is above it.
        if values is not None and not any(isinstance(c, SubsetsClaim) for c in answer.claims):
            answer = replace(answer, claims=(SubsetsClaim(), *answer.claims))
        if groupings.refusal(problem) is not None:
            return answer
        program.clock = clock.part(SECONDS)
        claim = counted(program, values)
    except (BeyondReachError, KeyboardInterrupt):
        return answer
    if values is None:
        return replace(answer, refusal=Empty(checked=claim.checked))
    return replace(answer, claims=(claim,))
