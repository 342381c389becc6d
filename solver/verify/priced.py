"""Bounds on information loss where groups are judged singly by what is published of them.

A claim states duals, and possibly a tree over all groups that a release below a target may hold. Here the
needed groups are found again (`histograms`), all with a profit above what the target leaves are listed
(`listing`): one above 0 refutes the duals, and the others are the columns of the tree's program. Without a
tree, duals that a short listing does not confirm are checked box by box where only sizes matter and boxes are
few (`boxes`); duals that tuples pay anyway without any box (`reach`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ...models.errors import CertificateError
from ...models.problem import Problem
from ...models.problem_view import smallest_group
from .. import claims
from ..exact.program import covering
from .boxes import Walk
from .duals import ClaimedDuals, divided
from .histograms import Needed, judged
from .listing import ListingInput, TooLongError, listed, no_meetings, refuted
from .parts import hidden_price, units_of
from .reach import paid_anyway
from .rows import CheckedRows, Ints
from .shares_groups import SharesAsked
from .trees import searched

__all__ = ["Single", "Suppressible", "least_information_loss", "priced_loss", "proven_loss"]

FEW_VISITS = 1_000_000
"""Partial groups: a second or two. Duals that need no more are confirmed so before boxes are gone through."""
FEW_ROWS = 6_000
"""Beyond so many different rows each visit takes so long that boxes are gone through at once."""


@dataclass(frozen=True, kw_only=True)
class Suppressible:
    """What a suppressed tuple adds to a measure, and how many there may be.

    Attributes
    ----------
    price : Fraction
    most : int
    weighed : bool
        Whether costs are so fine that the price is whole: not where duals are of a part in which nobody is
        suppressed.
    """

    price: Fraction
    most: int
    weighed: bool = True

    @classmethod
    def of(cls, problem: Problem, level: int, most: int | None) -> Suppressible | None:
        """What so many suppressed tuples add to the boxes of a level; None if none may be suppressed."""
        return cls(price=hidden_price(problem, problem.policy.levels[level]), most=most) if most else None


@dataclass(frozen=True, kw_only=True)
class Single:
    """A table whose groups are judged by histograms.

    Attributes
    ----------
    rows : Rows
    needed : Needed or None
        None if there are too many.
    near : SharesAsked or None
        What is asked of shares, if nothing else is but a size: only of a part, as groups of the whole policy
        are listed.
    """

    rows: CheckedRows
    needed: Needed | None
    near: SharesAsked | None

    @classmethod
    def of(
        cls,
        problem: Problem,
        part: Iterable[int] | None = None,
        hidden: Suppressible | None = None,
        *,
        places: bool = False,
        unpriced: tuple[int, ...] = (),
    ) -> Single:
        """Read a problem, or the part of it that has some requirements only (by index, from 0).

        Rows are the problem's in both cases; or, with `places`, all tuples with the same quasi-identifiers,
        those that are `unpriced` apart.

        Raises
        ------
        CertificateError
            If histograms do not decide what groups are needed, or are too many; or values matter to the part.
        """
        verdicts = judged(problem, part)
        if places and not verdicts.blind:
            raise CertificateError("the duals are about places, and what is required looks at values")
        if any(a >= len(problem.table.domains) for a in unpriced):
            raise CertificateError("the duals leave an attribute out that the table does not have")
        rows = CheckedRows.of(
            problem.table,
            units_of(problem),
            blind=places or (verdicts if part is None else judged(problem)).blind,
            unpriced=unpriced,
        )
        if verdicts.blind:
            rows = replace(rows, value=np.zeros_like(rows.value))
        if hidden is not None:
            rows = rows.suppressing(hidden.most, hidden.price, finer=hidden.weighed)
        near, needed = None if part is None else verdicts.near, None
        try:
            needed = Needed.of(verdicts)
        except CertificateError:
            if near is None:
                raise
        return cls(rows=rows, needed=needed, near=near)

    def columns(
        self,
        duals: ClaimedDuals,
        target: int | None = None,
        over: Callable[[], bool] | None = None,
        visits: int | None = None,
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
        if needed is None:
            raise TooLongError("histograms of needed groups are too many to be listed")
        floor = duals.floor(duals.value(rows.count, rows.spare), target, rows.most)
        if not needed.largest:
            return self._beside(np.empty((0, 1), dtype=np.int32), duals, floor), duals
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
        found = listed(question, floor, over, visits)
        if found.paying:
            raise refuted(found.groups[-1])
        if target is not None and (found.unsure > floor).any():
            raise TooLongError("groups larger than the listed histograms may be part of a better release")
        lowered = duals.lowered(np.maximum(found.unsure, 0))
        return in_order(self._beside(found.groups, duals, floor)), lowered

    def feasible(
        self, duals: ClaimedDuals, over: Callable[[], bool] | None = None, workers: int = 1
    ) -> ClaimedDuals:
        """Duals that no needed group costs less than, lowered where larger groups could not be ruled out.

        Most of small tables are confirmed by a short listing; where it does not end, or would lower them,
        boxes are gone through.

        Raises
        ------
        CertificateError
            If a group costs less than its duals.
        UndecidedError
            If that cannot be told in time.
        """
        if len(self.rows) <= FEW_ROWS:
            with suppress(TooLongError):
                _, found = self.columns(duals, over=over, visits=FEW_VISITS)
                if np.array_equal(found.rows, duals.rows):
                    return found
        walk = Walk.of(self.rows, self.needed, self.near)
        paying = walk is not None and walk.pays(duals, over, workers)
        if walk is not None and not paying:
            return duals
        if walk is not None and walk.exact:
            raise CertificateError("the duals prove nothing: a group in some box costs less than its duals")
        # The walk tries more groups than are needed, unless sizes are all that counts.
        return self.columns(duals, over=over)[1]

    def _beside(self, groups: NDArray[np.int32], duals: ClaimedDuals, floor: int) -> NDArray[np.int32]:
        """With suppressed tuples of profits above the floor, as groups of one."""
        rows = self.rows
        if not rows.spare:
            return groups
        profit = duals.rows + duals.fake - rows.single * duals.scale
        alone = np.full((len(rows), max(1, groups.shape[1])), -1, dtype=np.int32)
        alone[:, 0] = np.arange(len(rows))
        alone = alone[profit > floor]
        return np.concatenate([groups, alone]) if len(groups) else alone

    def costs(self, groups: NDArray[np.int32]) -> Ints:
        """Cost of groups; those of one are suppressed tuples if these have a price."""
        cost = self.rows.costs(groups)
        return np.where(_alone(groups), self.rows.single, cost) if self.rows.spare else cost

    def limit(self, groups: NDArray[np.int32]) -> tuple[Ints, int] | None:
        """How much of the limit on suppressed tuples each takes, and the limit."""
        return (_alone(groups).astype(np.int64), self.rows.spare) if self.rows.spare else None


def _alone(groups: NDArray[np.int32]) -> NDArray[np.bool_]:
    return (groups >= 0).sum(axis=1) == 1


def priced_loss(
    problem: Problem,
    claim: claims.PricedClaim | claims.ListedClaim,
    hidden: Suppressible | None,
    over: Callable[[], bool] | None = None,
    workers: int = 1,
) -> Fraction:
    """The bound on information loss that a claim's duals prove by themselves.

    Parameters
    ----------
    problem, claim
        Releases invent nothing; requirements that look at whole releases are left out.
    hidden : Suppressible or None
        What a suppressed tuple adds, and how many there may be; None if none may.
    over : callable, optional
        Whether time has passed.
    workers : int
        Threads that go through boxes.

    Raises
    ------
    CertificateError
        If they prove nothing.
    """
    plain = isinstance(claim, claims.ListedClaim)
    places, unpriced = (False, ()) if plain else (claim.places, claim.unpriced)
    single = Single.of(problem, claim.part, hidden, places=places, unpriced=unpriced)
    rows, root = single.rows, claim.root
    cuts = divided(rows, claim.cuts, claim.divisors)
    duals = ClaimedDuals.of(rows, root.duals, cuts, root.cut_duals, root.scale)
    if not paid_anyway(rows, duals, smallest_group(problem), over):
        duals = single.feasible(duals, over, workers)
    finer = 1
    if hidden is not None:
        price = hidden.price * rows.one
        duals = duals.suppressing(int(price * duals.scale), rows.spare, rows.count)
        finer = price.denominator  # what is lost is a whole number of such parts of a cost
    value = finer * duals.value(rows.count, rows.spare)
    return Fraction(-(-value // duals.scale), finer * rows.one)


def proven_loss(
    problem: Problem,
    claim: claims.PricedClaim | claims.ListedClaim,
    hidden: Suppressible | None = None,
    over: Callable[[], bool] | None = None,
    workers: int = 1,
) -> Fraction:
    """The bound on information loss that a claim's duals and tree prove.

    With `hidden`, releases may suppress tuples, and these are groups of one in the tree's program. No
    group of a policy that is proven so has one tuple only.

    Raises
    ------
    CertificateError
        If some statement does not hold.
    """
    if isinstance(claim, claims.PricedClaim):
        return priced_loss(problem, claim, hidden, over, workers)
    apart = Fraction(0) if claim.part is None else priced_loss(problem, claim, hidden, over, workers)
    single = Single.of(problem, hidden=hidden)
    rows, root = single.rows, claim.root
    cuts = divided(rows, claim.cuts, claim.divisors)
    duals = ClaimedDuals.of(rows, root.duals, cuts, root.cut_duals, root.scale)
    if hidden is not None:
        if smallest_group(problem) < 2:
            raise CertificateError("tuples may be suppressed, and published alone: a tree cannot tell them")
        duals = duals.suppressing(rows.single * duals.scale, rows.spare, rows.count)
    # One list: the columns of the tree's program, and the proof that no group costs less than its duals.
    groups, duals = single.columns(duals, claim.tree.listed_for, over)
    bound = max(apart, Fraction(duals.bound(rows.count, rows.spare), rows.one))
    program = covering(groups, single.costs(groups), rows.count, single.limit(groups))
    found = searched(program, claim.tree.proof, over)
    # Releases that cost as much may hold groups that were not listed.
    return max(bound, Fraction(min(found, claim.tree.listed_for), rows.one))


def least_information_loss(
    problem: Problem,
    claim: claims.PricedClaim | claims.ListedClaim,
    hidden: Suppressible | None,
    over: Callable[[], bool],
    workers: int,
) -> Fraction:
    """The information loss that duals and tree prove necessary where nothing is invented.

    With `hidden`, tuples may also be suppressed. A tree counts only if these are weighed in it.

    Raises
    ------
    CertificateError
        If the duals prove nothing.
    UndecidedError
        If that cannot be told in time.
    """
    if claim.part is not None and any(i >= len(problem.policy.requirements) for i in claim.part):
        raise CertificateError("the bound's proof names requirements that the policy does not have")
    if hidden is None or hidden.weighed:
        return max(Fraction(0), proven_loss(problem, claim, hidden, over, workers))
    return max(Fraction(0), priced_loss(problem, claim, hidden, over, workers))


def in_order(groups: NDArray[np.int32]) -> NDArray[np.int32]:
    """Lines as tuples sort: a group before those that begin with it."""
    return groups[np.lexsort(groups.T[::-1])] if groups.shape[1] else groups
