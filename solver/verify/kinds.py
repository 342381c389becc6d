"""All groups above a floor where releases have a past: bucket by bucket, and those of new people.

Every group is a set of people and as many counterfeits as its values leave open (`past`). A bucket's group
with each of k values c times and r people has ck - r of them: with z the dual of a counterfeit, its duals are
``c k z + sum of (dual - z)``, as if people had other duals and nothing else were there. A group of r new
people has m - r if that is above 0. So the search is the same for all (`listing`), with another list of
candidates, with c as the most that a value occurs, and with what counterfeits cost as a gain by size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ...models.errors import CertificateError
from ...models.problem import Problem
from .. import claims
from .duals import ClaimedDuals, odd_sets
from .histograms import Needed
from .listing import MOST_LISTED, Listed, ListingInput, TooLongError, listed, no_meetings, refuted
from .listing_state import Meetings
from .parts import fake_price, units_of
from .past import PastDemands, SignatureBucket
from .rows import Boxes, CheckedRows, Ints

__all__ = ["Column", "Kinds"]

Column = tuple[tuple[int, ...], int]
"""Rows of the people, rising, and how often the group has each value of its bucket; 0 for new people."""


@dataclass(frozen=True, kw_only=True)
class Kinds:
    """People who are alike: equal quasi-identifiers, value and past.

    Attributes
    ----------
    past : Past
    rows : Rows
    home : int array
        Bucket of each row, or -1.
    met : tuple of tuple of int
        Per row, earlier groups that forbid something.
    counting : bool
        Whether groups cost their counterfeits, and nothing else.
    price : int or None
        What each costs beside boxes, where the level weighs both: then none is limited.
    """

    past: PastDemands
    rows: CheckedRows
    home: Ints
    met: tuple[tuple[int, ...], ...]
    counting: bool
    price: int | None = None

    @classmethod
    def of(cls, problem: Problem, *, counting: bool = False) -> Kinds:
        """Read a problem; where groups are to be counted, quasi-identifiers do not matter.

        Where the last level weighs counterfeits against boxes, their price is rounded down.

        Raises
        ------
        CertificateError
            As `PastDemands.of`.
        """
        past = PastDemands.of(problem)
        rows = (
            _flat(problem, past)
            if counting
            else CheckedRows.of(problem.table, units_of(problem), kinds=past.kinds)
        )
        price = Fraction(0) if counting else fake_price(problem)
        priced = rows.suppressing(0, price, finer=True) if price else rows  # costs as fine as the price
        first = [alike[0] for alike in rows.tuples]
        return cls(
            past=past,
            rows=replace(priced, single=0),
            home=np.array([past.home[t] for t in first], dtype=np.int64),
            met=tuple(past.met[t] for t in first),
            counting=counting,
            price=priced.single if price else None,
        )

    @property
    def most(self) -> int:
        """A cost that no needed release exceeds."""
        fakes = int(self.rows.count.sum()) * self._widest
        return fakes if self.counting else self.rows.most + (self.price or 0) * fakes

    @property
    def _widest(self) -> int:
        """Published tuples of the largest needed group."""
        return max([2 * self.past.least, *(len(b.signature) * b.times for b in self.past.buckets)])

    def fakes(self, column: Column) -> int:
        """Counterfeits of a group."""
        people, times = column
        if not times:
            return max(0, self.past.least - len(people))
        bucket = self.past.buckets[max(int(self.home[r]) for r in people)]
        return times * len(bucket.signature) - len(people)

    def cost(self, column: Column) -> int:
        """What a group costs."""
        if self.counting:
            return self.fakes(column)
        boxes = int(self.rows.costs(np.array([column[0]], dtype=np.int32))[0])
        return boxes if self.price is None else boxes + self.price * self.fakes(column)

    def duals(self, stated: claims.FakeDuals) -> ClaimedDuals:
        """Read a claim's duals.

        Raises
        ------
        CertificateError
            If they are none of these people.
        """
        price = 1 if self.counting else self.price
        if price is not None and (stated.fake_dual != -price * stated.scale or stated.fakes):
            raise CertificateError("the bound takes another price or number of counterfeits as given")
        return ClaimedDuals.of(
            self.rows,
            stated.duals,
            odd_sets(self.rows, stated.cuts),
            stated.cut_duals,
            stated.scale,
            fake=stated.fake_dual,
            fakes=stated.fakes + self._widest,
            most=self.most,
        )

    def columns(
        self,
        duals: ClaimedDuals,
        fakes: int,
        target: int | None = None,
        over: Callable[[], bool] | None = None,
    ) -> list[Column]:
        """All needed groups of releases with at most so many counterfeits that cost less than `target`.

        Without a target, none. In the order of tuples.

        Raises
        ------
        CertificateError
            If a group costs less than its duals.
        TooLongError
            If there are too many.
        """
        floor = duals.floor(duals.value(self.rows.count, fakes), target, self.most)
        found = list[Column]()
        for times, question in chain(self._buckets(duals), self._new(duals)):
            answer = listed(question, floor, over)
            if answer.paying:
                raise refuted(answer.groups[-1])
            found += _read(answer, times)
            if len(found) > MOST_LISTED:
                raise TooLongError("the groups that a better release may hold are too many to be checked")
        return sorted(found)

    def _buckets(self, duals: ClaimedDuals) -> list[tuple[int, ListingInput]]:
        """One search for each bucket and number of times."""
        buckets, shifted = range(len(self.past.buckets)), duals.rows - duals.fake
        return [found for b in buckets for found in self.of_bucket(duals, shifted, b)]

    def of_bucket(self, duals: ClaimedDuals, dual: Ints, b: int) -> Iterator[tuple[int, ListingInput]]:
        """The searches for groups with somebody of a bucket, one for each number of times."""
        bucket, inside = self.past.buckets[b], self.home == b
        for times in range(1, bucket.times + 1):
            question = self.of_values(duals, dual, bucket.signature, times, inside)
            yield times, replace(question, meetings=self._meetings(bucket, times))

    def of_values(
        self,
        duals: ClaimedDuals,
        dual: Ints,
        signature: Sequence[int],
        times: int,
        inside: NDArray[np.bool_],
    ) -> ListingInput:
        """The search for groups with each value so often: somebody inside, new people, counterfeits.

        Each seat gains `duals.fake`, and each person on one `dual` beside.
        """
        size, falling = times * len(signature), np.argsort(-dual, kind="stable").astype(np.int64)
        may = inside | self.among(signature)
        return _Shared(self, duals).question(
            dual,
            order=falling[may[falling]],
            anchors=inside,
            extra=np.full(size + 1, duals.fake * size, dtype=np.int64),
            needed=_any(size, times),
        )

    def among(self, signature: Sequence[int]) -> NDArray[np.bool_]:
        """New people with one of some values."""
        return (self.home < 0) & np.isin(self.rows.value, signature)

    def _new(self, duals: ClaimedDuals) -> list[tuple[int, ListingInput]]:
        """The search for groups of new people."""
        new, least = self.home < 0, self.past.least
        falling = np.argsort(-duals.rows, kind="stable").astype(np.int64)
        open_places = np.maximum(0, least - np.arange(2 * least, dtype=np.int64))
        question = _Shared(self, duals).question(
            duals.rows,
            order=falling[new[falling]],
            anchors=new,
            extra=duals.fake * open_places,
            needed=_any(2 * least - 1, 1),
        )
        return [(0, question)]

    def _meetings(self, bucket: SignatureBucket, times: int) -> Meetings:
        tables = bucket.tables(times)
        if not tables:
            return no_meetings(len(self.rows))
        number = {earlier: n for n, earlier in enumerate(tables)}
        met = [[number[g] for g in groups if g in number] for groups in self.met]
        return Meetings(
            start=np.concatenate([[0], np.cumsum([len(groups) for groups in met])]).astype(np.int64),
            group=np.array([n for groups in met for n in groups], dtype=np.int64),
            allowed=np.stack(list(tables.values())),
        )


@dataclass(frozen=True)
class _Shared:
    """What all searches of one claim have in common."""

    kinds: Kinds
    duals: ClaimedDuals

    def question(
        self, dual: Ints, *, order: Ints, anchors: NDArray[np.bool_], extra: Ints, needed: Needed
    ) -> ListingInput:
        rows = self.kinds.rows
        return ListingInput(
            boxes=rows.boxes,
            value=rows.value,
            count=rows.count,
            dual=dual,
            scale=self.duals.scale,
            order=order,
            anchors=anchors,
            extra=extra,
            penalties=self.duals.penalties(),
            meetings=no_meetings(len(rows)),
            needed=needed,
        )


def _any(largest: int, times: int) -> Needed:
    """Any group of so many people at most, no value more than `times` times: one state will do."""
    return Needed(
        step=np.array([[0] * times + [-1]], dtype=np.int32),
        missing=np.zeros(1, dtype=np.int64),
        whole=np.ones(1, dtype=np.bool_),
        alike=True,
        largest=largest,
        beyond=False,
        often=times,
    )


def _read(answer: Listed, times: int) -> list[Column]:
    return [(tuple(r for r in line if r >= 0), times) for line in answer.groups.tolist()]


def _flat(problem: Problem, past: PastDemands) -> CheckedRows:
    """Rows without quasi-identifiers, whose boxes cost nothing."""
    table = problem.table
    number = {value: n for n, value in enumerate(sorted(table.histogram))}
    alike: dict[tuple[int, int], list[int]] = {}
    for t, (member, kind) in enumerate(zip(table.members, past.kinds, strict=True)):
        alike.setdefault((number[member.value], kind), []).append(t)
    none = np.zeros(0, dtype=np.int64)
    code = np.zeros((len(alike), 0), dtype=np.int64)
    return CheckedRows(
        boxes=Boxes(code=code, price=none, start=none, side=none, table=np.zeros(1, dtype=np.int64)),
        value=np.array([value for value, _ in alike], dtype=np.int64),
        count=np.array([len(tuples) for tuples in alike.values()], dtype=np.int64),
        tuples=tuple(map(tuple, alike.values())),
        one=1,
        units=(),
        exact=True,
    )
