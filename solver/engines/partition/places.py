"""Tables under policies without a largest needed group, by boxes over places.

A place is all tuples with the same quasi-identifiers. The part of a policy that has a largest needed group
(`easier.finite`) often asks for sizes only: it sees places, and there are far fewer of them than rows. Its
linear program is solved and cut by boxes over places, and what that proves holds for the whole policy, as
leaving requirements out only adds releases. Releases are rounded from it: groups of places are *dealt*, each
gets of its places those tuples that make its values most even.

In large tables several attributes without taxonomies make too many boxes. Then all but one of them are left
unpriced: what is lost elsewhere bounds what is lost. Groups that know nothing of an attribute are no releases
to begin with.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ....models.problem import Problem
from ...claims import ListedClaim, PricedClaim
from ...colgen.boxes.pricing import BoxPricing
from ...colgen.boxes.shares_pricing import SharesPricing
from ...colgen.boxes.sweeping import TablePricing
from ...colgen.column import Group
from ...colgen.covering import Ints, home_of
from ...colgen.duals import DualBound, Duals
from ...colgen.primal.rounding import completed
from ...colgen.structure.histograms import Histograms, Judge
from ...colgen.table import Rows
from ...limits import HISTOGRAM_LIMITS as LIMITS
from ...settings import Clock
from .easier import Part, finite, part_of
from .proof import describe

__all__ = ["Boxes", "PlacedBoxes", "boxes_of"]

Boxes = BoxPricing | SharesPricing | TablePricing
"""Groups of a form, priced box by box."""


def boxes_of(rows: Rows, histograms: Histograms, workers: int, clock: Clock, *, most: int) -> Boxes | None:
    """Boxes that are listed, if there is room for that; else gone through at each price, for `most` rows.

    None if neither will do.
    """
    listed = BoxPricing.of(rows, histograms, workers, clock)
    if listed is not None or len(rows) > most:
        return listed
    return TablePricing.of(rows, histograms, workers, clock)


@dataclass(frozen=True, kw_only=True)
class PlacedBoxes:
    """PlacedBoxes of a table, priced box by box for a part of its policy.

    Attributes
    ----------
    rows : Rows
        The whole policy's.
    place : int array
        Of each row.
    boxes : Boxes
        Its rows are the places.
    best : DualBound
        What is proven of the part.
    part : tuple of int
        The part's requirements.
    judge : Judge
        Of the part.
    unpriced : tuple of int
        Attributes that cost nothing in `boxes`.
    """

    rows: Rows
    place: Ints
    boxes: Boxes
    best: DualBound
    part: Part
    judge: Judge
    unpriced: tuple[int, ...] = ()

    @classmethod
    def of(cls, problem: Problem, rows: Rows, workers: int, clock: Clock) -> PlacedBoxes | None:
        """None if the part sees more than sizes, tuples may be suppressed, or boxes are too many."""
        indices, part, histograms = finite(problem)
        return cls.of_part(problem, rows, indices, Judge(part), histograms, workers, clock)

    @classmethod
    def by_least_size(cls, problem: Problem, rows: Rows, workers: int, clock: Clock) -> PlacedBoxes | None:
        """Of the least size of groups alone: nothing else of the policy is asked, nor anybody's past."""
        part = part_of(problem, ())
        histograms = Histograms.of(part)
        if isinstance(histograms, str):
            return None
        return cls.of_part(problem, rows, (), Judge(part), histograms, workers, clock)

    @classmethod
    def of_part(
        cls,
        problem: Problem,
        rows: Rows,
        indices: Part,
        seen: Judge,
        histograms: Histograms,
        workers: int,
        clock: Clock,
    ) -> PlacedBoxes | None:
        """Of a part with a largest needed group; see `of`."""
        if not seen.blind or rows.spare:
            return None
        unpriced = tuple[int, ...]()
        asked, most = (histograms, workers, clock), LIMITS.finished_rows
        boxes = boxes_of(Rows.of(problem, blind=True), *asked, most=most)
        if boxes is None:
            unpriced = _but_one(rows)
            few = Rows.of(problem, blind=True, unpriced=unpriced)
            boxes = boxes_of(few, *asked, most=most) if unpriced else None
        if boxes is None:
            return None
        place = home_of(boxes.rows)[[behind[0] for behind in rows.tuples]]
        best = DualBound(boxes)
        return cls(
            rows=rows, place=place, boxes=boxes, best=best, part=indices, judge=seen, unpriced=unpriced
        )

    def described(self, duals: Duals, level: int) -> PricedClaim | ListedClaim:
        """What duals prove, as certificates hold it."""
        return describe(
            self.boxes.rows,
            self.boxes.cuts,
            duals,
            None,
            level=level,
            part=self.part,
            places=True,
            unpriced=self.unpriced,
        )

    def of_rows(self, groups: Sequence[Group]) -> list[Group]:
        """Groups of rows as groups of places."""
        return [tuple(sorted(self.place[list(group)].tolist())) for group in groups]

    def dealt(self, groups: Sequence[Group], judge: Judge, clock: Clock) -> list[Group] | None:
        """Groups of places as groups of rows; None if that is no release of the whole policy, or too late.

        Members of groups that are not admissible go where they cost least.
        """
        made, left = list[Group](), list[int]()
        for group, inside in self._taken(groups, len(judge.names)):
            if judge.admits(inside):
                made.append(group)
            else:
                left += group
        return completed(self.rows, judge, made, np.array(left, dtype=np.int64), buckets=False, clock=clock)

    def _taken(self, groups: Sequence[Group], values: int) -> Iterator[tuple[Group, tuple[int, ...]]]:
        """Rows of each group and how often it has each value.

        From each place it takes the value it has least often, of these the one of which most are left.
        """
        value, free = self.rows.value.tolist(), self.rows.count.tolist()
        order = np.argsort(self.place, kind="stable")
        ends = np.cumsum(np.bincount(self.place))[:-1]
        at = [part.tolist() for part in np.split(order, ends)]
        for group in groups:
            inside, members = [0] * values, list[int]()
            for p in group:
                r = min((inside[value[r]], -free[r], r) for r in at[p] if free[r])[-1]
                free[r] -= 1
                inside[value[r]] += 1
                members.append(r)
            yield tuple(sorted(members)), tuple(inside)


def _but_one(rows: Rows) -> tuple[int, ...]:
    """The attributes without taxonomies, but for the one in which tuples differ at the largest cost."""
    g = rows.geometry
    ordered = np.flatnonzero(g.tree < 0)
    if len(ordered) < 2:
        return ()
    codes = np.repeat(g.codes[:, ordered], rows.count, axis=0)
    cost = g.weight[ordered] * np.abs(codes - np.median(codes, axis=0)).mean(axis=0)
    return tuple(np.delete(ordered, int(np.argmax(cost))).tolist())
