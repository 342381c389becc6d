"""Bounds on information loss where groups are judged singly by what is published of them.

A claim states duals, and possibly a tree over all groups that a release below a target may hold. Here the
needed groups are found again (`histograms`), all with a profit above what the target leaves are listed
(`listing`): one above 0 refutes the duals, and the others are the columns of the tree's program. Where only
sizes matter and boxes are few, duals without a tree are checked box by box (`boxes`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ...models.errors import CertificateError
from ...models.problem import Problem
from .. import claims
from ..exact.program import covering
from .boxes import Walk
from .duals import ClaimedDuals, divided
from .histograms import Needed, judged
from .listing import ListingInput, TooLongError, listed, no_meetings
from .parts import units_of
from .rows import CheckedRows
from .trees import searched

__all__ = ["Single", "priced_loss", "proven_loss", "refuted"]


@dataclass(frozen=True, kw_only=True)
class Single:
    """A table whose groups are judged by histograms.

    Attributes
    ----------
    rows : Rows
    needed : Needed
    """

    rows: CheckedRows
    needed: Needed

    @classmethod
    def of(cls, problem: Problem, part: Iterable[int] | None = None) -> Single:
        """Read a problem, or the part of it that has some requirements only (by index, from 0).

        Rows are the problem's in both cases.

        Raises
        ------
        CertificateError
            If histograms do not decide what groups are needed, or are too many.
        """
        verdicts = judged(problem, part)
        whole = verdicts if part is None else judged(problem)
        rows = CheckedRows.of(problem.table, units_of(problem), blind=whole.blind)
        if verdicts.blind:
            rows = replace(rows, value=np.zeros_like(rows.value))
        return cls(rows=rows, needed=Needed.of(verdicts))

    def columns(
        self, duals: ClaimedDuals, target: int | None = None, over: Callable[[], bool] | None = None
    ) -> tuple[NDArray[np.int32], ClaimedDuals]:
        """All needed groups that a release that costs less than `target` may hold, in rising order.

        Without a target, none. The duals that come back are feasible: lowered where groups larger than
        the listed histograms could not be ruled out.

        Raises
        ------
        CertificateError
            If a group costs less than its duals.
        TooLongError
            If there are too many, or some too large to be listed.
        """
        rows, needed = self.rows, self.needed
        floor = duals.floor(duals.value(rows.count), target, rows.most)
        if not needed.largest:
            return np.empty((0, 1), dtype=np.int32), duals
        question = ListingInput(
            boxes=rows.boxes,
            value=rows.value,
            count=rows.count,
            dual=duals.rows,
            scale=duals.scale,
            order=np.argsort(-duals.rows, kind="stable").astype(np.int64),
            anchors=np.ones(len(rows), dtype=np.bool_),
            extra=np.zeros(needed.largest + 1, dtype=np.int64),
            penalties=duals.penalties(),
            meetings=no_meetings(len(rows)),
            needed=needed,
        )
        found = listed(question, floor, over)
        if found.paying:
            raise refuted(found.groups[-1])
        if target is not None and (found.unsure > floor).any():
            raise TooLongError("groups larger than the listed histograms may be part of a better release")
        return in_order(found.groups), duals.lowered(np.maximum(found.unsure, 0))


def priced_loss(
    problem: Problem,
    claim: claims.PricedClaim | claims.ListedClaim,
    hidden: Fraction | None,
    over: Callable[[], bool] | None = None,
) -> Fraction:
    """The bound on information loss that a claim's duals prove by themselves.

    Parameters
    ----------
    problem, claim
        Releases invent nothing; requirements that look at whole releases are left out.
    hidden : Fraction or None
        What a suppressed tuple adds, if tuples may be suppressed: no dual may be above it.

    Raises
    ------
    CertificateError
        If they prove nothing.
    """
    single = Single.of(problem, claim.part)
    rows, root = single.rows, claim.root
    cuts = divided(rows, claim.cuts, claim.divisors)
    duals = ClaimedDuals.of(rows, root.duals, cuts, root.cut_duals, root.scale)
    walk = Walk.of(rows, single.needed)
    if walk is None:
        _, duals = single.columns(duals, over=over)
    elif walk.pays(duals, over):
        raise CertificateError("the duals prove nothing: a group in some box costs less than its duals")
    if hidden is not None:
        duals = duals.at_most(int(hidden * rows.one * duals.scale))
    return Fraction(duals.bound(rows.count), rows.one)


def proven_loss(
    problem: Problem, claim: claims.PricedClaim | claims.ListedClaim, over: Callable[[], bool] | None = None
) -> Fraction:
    """The bound on information loss that a claim's duals and tree prove where nobody is suppressed.

    Raises
    ------
    CertificateError
        If some statement does not hold.
    """
    if isinstance(claim, claims.PricedClaim):
        return priced_loss(problem, claim, None, over)
    apart = Fraction(0) if claim.part is None else priced_loss(problem, claim, None, over)
    single = Single.of(problem)
    rows, root = single.rows, claim.root
    cuts = divided(rows, claim.cuts, claim.divisors)
    duals = ClaimedDuals.of(rows, root.duals, cuts, root.cut_duals, root.scale)
    # One list: the columns of the tree's program, and the proof that no group costs less than its duals.
    groups, duals = single.columns(duals, claim.tree.listed_for, over)
    bound = max(apart, Fraction(duals.bound(rows.count), rows.one))
    found = searched(covering(groups, rows.costs(groups), rows.count), claim.tree.proof, over)
    # Releases that cost as much may hold groups that were not listed.
    return max(bound, Fraction(min(found, claim.tree.listed_for), rows.one))


def refuted(group: NDArray[np.int32]) -> CertificateError:
    """What to say of duals that a group costs less than."""
    return CertificateError(
        f"the duals prove nothing: a group of {int((group >= 0).sum())} tuples costs less than its duals"
    )


def in_order(groups: NDArray[np.int32]) -> NDArray[np.int32]:
    """Lines as tuples sort: a group before those that begin with it."""
    return groups[np.lexsort(groups.T[::-1])] if groups.shape[1] else groups
