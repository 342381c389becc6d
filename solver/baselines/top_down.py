"""Mondrian's multidimensional cuts (LeFevre, DeWitt, Ramakrishnan), under any test, strict and relaxed.

A part is cut while it has an allowable cut: one whose two sides pass the test. The quasi-identifier
with the widest range (as a share of its domain) that has one is cut, as near to its median as is
allowable. Parts without an allowable cut are groups. This is "Anonymize" of LeFevre, DeWitt and
Ramakrishnan, Mondrian Multidimensional k-Anonymity, ICDE 2006, with their heuristic of the widest
normalized range; Byun et al. (sec. 5.2) describe it in the same words.

strict   Equal codes stay together: a cut lies between two different codes.
relaxed  Equal codes may go to either side: where no strict cut is allowable, one lies anywhere in the
         order of the codes, so parts overlap, and parts of one point are cut, too.

Readings. The source cuts at the median, which for k alone is allowable whenever any cut is; with most
tuples on the largest code that is the cut below the median, not the one above it. Tests such as (k, c)
may refuse both and take a third: then the nearest one is meant. Categories are cut in the order
of their codes (leaves of a hierarchy in depth-first order), below a hierarchy's node between two of its
children if some such cut is allowable: any other leaves one side at the node it came from. Ranges are
those of published cells; of equal ranges the first attribute is taken, of equally near cuts the lower.
The source's relaxed cuts halve every part at the median; on columns of few codes that leaves one half as
wide as the whole, part after part (Adult, k = 5: more than twice the loss), so strict ones come first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...models.box import Box
from ...models.categories import Categories
from ...models.domain import Domain
from ...models.errors import EngineError
from ...models.problem_view import ProblemView
from ...models.release import QIGroup
from ..settings import Clock
from .parameters import Perimeter

__all__ = [
    "Accept",
    "Allowable",
    "Rows",
    "SharesWithin",
    "counts_before",
    "group_of",
    "needs_boxes",
    "refuse_whole",
    "tight_box_of",
    "top_down",
]

Rows: TypeAlias = NDArray[np.int64]
Allowed: TypeAlias = NDArray[np.bool_]

Accept: TypeAlias = Callable[[Rows, Rows, Rows], bool]
"""Whether a part may be cut into a left and a right one; after a yes the cut is made."""


class Allowable(Protocol):
    """A test of sets of rows, of both sides of many cuts at once."""

    def sides(self, ordered: Rows, cuts: Rows) -> Allowed:
        """Per cut whether ``ordered[:cut]`` and ``ordered[cut:]`` both pass; cuts rise, no side is empty."""
        ...


def top_down(
    problem: ProblemView,
    rows: Rows,
    allowable: Allowable,
    clock: Clock | None = None,
    *,
    accept: Accept | None = None,
    relaxed: bool = False,
) -> list[Rows]:
    """Cut some rows until no cut is allowable; the clock is asked at every part.

    Parameters
    ----------
    problem : ProblemView
    rows : int64 array
        They pass the test together.
    allowable : Allowable
    clock : Clock, optional
    accept : callable, optional
        A dear test asked last, of allowable cuts from the nearest to the median on, until it says yes.
    relaxed : bool
        Whether equal codes may be parted.

    Notes
    -----
    O(d n log(n)^2) for d quasi-identifiers and balanced cuts, times the test's share per row, plus what
    `accept` costs.
    """
    clock = clock or Clock()
    done: list[Rows] = []
    pending = [rows]
    while pending:
        clock.ask()
        part = pending.pop()
        halves = next(
            (
                two
                for freely in (False, True)[: 1 + relaxed]
                for two in _halves(problem, part, allowable, freely=freely)
                if accept is None or accept(part, *two)
            ),
            None,
        )
        if halves is None:
            done.append(part)
        else:
            pending += [halves[1], halves[0]]
    return done


def _halves(
    problem: ProblemView, part: Rows, allowable: Allowable, *, freely: bool
) -> Iterator[tuple[Rows, Rows]]:
    """Both sides of all allowable cuts, those of the widest attribute first, the best of each first."""
    codes, perimeter = problem.table.codes, Perimeter(problem.table.domains)
    ends = list(zip(codes[part].min(axis=0).tolist(), codes[part].max(axis=0).tolist(), strict=True))
    widths = [perimeter.side(a, lo, hi) for a, (lo, hi) in enumerate(ends)]
    for a in sorted(range(len(widths)), key=lambda a: -widths[a]):
        ordered = part[np.argsort(codes[part, a], kind="stable")]
        column, size = codes[ordered, a], len(part)
        cuts = np.arange(1, size) if freely else np.flatnonzero(column[1:] != column[:-1]) + 1
        if not len(cuts):
            continue
        cuts = cuts[allowable.sides(ordered, cuts)]
        between = _seams(problem.table.domains[a], *ends[a], column)
        seam = np.searchsorted(between, column[cuts - 1]) < np.searchsorted(between, column[cuts])
        for cut in cuts[np.lexsort((cuts, np.abs(2 * cuts - size), ~seam))].tolist():
            yield np.sort(ordered[:cut]), np.sort(ordered[cut:])


def _seams(domain: Domain, lo: int, hi: int, column: Rows) -> Rows:
    """Codes that a cut had better part: the last ones of the children of the smallest node over `lo` to `hi`.

    Without nodes, all codes of the column: a domain may have far more.
    """
    return domain.children(*domain.node(lo, hi)) if isinstance(domain, Categories) else np.unique(column)


class SharesWithin:
    """The (k, c) test of sets of rows: at least k, and no value with a larger share than c.

    Parameters
    ----------
    problem : ProblemView
    k : int
    c : Fraction
    """

    def __init__(self, problem: ProblemView, k: int, c: Fraction = Fraction(1)) -> None:
        self.k, self.c = k, c
        _, self.values = np.unique([m.value for m in problem.table.members], return_inverse=True)
        self._kinds = int(self.values.max()) + 1

    def holds(self, rows: Rows) -> bool:
        """Whether the rows could be a group."""
        if len(rows) < self.k:
            return False
        return bool(self._within(np.bincount(self.values[rows])))

    def sides(self, ordered: Rows, cuts: Rows) -> Allowed:
        """See `Allowable`."""
        found = (cuts >= self.k) & (cuts <= len(ordered) - self.k)
        if self.c < 1 and found.any():
            left = counts_before(self.values[ordered], cuts, self._kinds)
            whole = np.bincount(self.values[ordered], minlength=self._kinds)
            found &= self._within(left) & self._within(whole - left)
        return found

    def _within(self, counts: NDArray[np.int64]) -> Allowed:
        most, sizes = counts.max(axis=-1), counts.sum(axis=-1)
        return self.c.denominator * most <= self.c.numerator * sizes


def counts_before(values: Rows, cuts: Rows, kinds: int) -> NDArray[np.int64]:
    """How often each of so many kinds of values is among the first rows, for every rising cut."""
    piece = np.zeros(len(values), dtype=np.int64)
    piece[cuts] = 1
    flat = np.bincount(np.cumsum(piece) * kinds + values, minlength=(len(cuts) + 1) * kinds)
    return flat.reshape(len(cuts) + 1, kinds).cumsum(axis=0)[:-1]


def tight_box_of(problem: ProblemView, rows: Rows) -> Box:
    """The tightest box over some rows."""
    codes = problem.table.codes[rows]
    ends = zip(codes.min(axis=0).tolist(), codes.max(axis=0).tolist(), strict=True)
    return tuple(d.cell(lo, hi) for d, (lo, hi) in zip(problem.table.domains, ends, strict=True))


def group_of(problem: ProblemView, rows: Rows, box: Box | None = None) -> QIGroup:
    """Some rows as a group, in the tightest box unless one is given."""
    boxed = problem.policy.form == "generalized"
    return QIGroup(
        members=tuple(problem.table.members[row] for row in rows.tolist()),
        box=(box or tight_box_of(problem, rows)) if boxed else None,
    )


def needs_boxes(problem: ProblemView, baseline: str) -> None:
    """Refuse a policy that publishes no boxes."""
    if problem.policy.form != "generalized":
        raise EngineError(f"{baseline} generalizes: use form 'generalized' with it")


def refuse_whole(shares: SharesWithin, rows: Rows, baseline: str) -> None:
    """Refuse rows that are no group together."""
    if not shares.holds(rows):
        raise EngineError(
            f"{baseline}: the {len(rows)} tuples to anonymize are not ({shares.k}, {shares.c})-anonymous as "
            "one group: wait for more tuples, lower k or raise c"
        )
