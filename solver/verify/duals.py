"""Integer duals and cuts as a certificate states them, and the bound that they prove.

Let the groups of a release be such that none has a profit above 0 (duals of members, counterfeits and cuts,
less scaled cost; see `listing`). Summed over the groups, duals of rows count every tuple once, those of
counterfeits and cuts are at most 0 and count at most as often as their limits. So the release costs at least
``value / scale``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...models.errors import CertificateError
from .listing_search import LIMIT
from .listing_state import Penalties
from .rows import CheckedKinds, Ints, row_of

__all__ = ["ClaimedDuals", "CutMultipliers", "divided", "odd_sets"]


@dataclass(frozen=True, kw_only=True)
class CutMultipliers:
    """Multipliers of some rows, ``times / over``; see `listing`."""

    rows: tuple[int, ...]
    times: tuple[int, ...]
    over: int

    def limit(self, count: Ints) -> int:
        """How often all groups of a release count at most."""
        return sum(t * int(count[r]) for r, t in zip(self.rows, self.times, strict=True)) // self.over


@dataclass(frozen=True, kw_only=True)
class ClaimedDuals:
    """Duals in 1 / `scale` of a cost.

    Attributes
    ----------
    rows : int array
        Of any sign.
    cuts : tuple of (Cut, int)
        At most 0 each.
    fake : int
        Of each counterfeit, at most 0.
    scale : int
    """

    rows: Ints
    cuts: tuple[tuple[CutMultipliers, int], ...]
    fake: int
    scale: int

    @classmethod
    def of(
        cls,
        rows: CheckedKinds,
        per_tuple: Sequence[int],
        cuts: Sequence[CutMultipliers],
        per_cut: Sequence[int],
        scale: int,
        *,
        fake: int = 0,
        fakes: int = 0,
        most: int | None = None,
    ) -> ClaimedDuals:
        """Read duals; those of cuts that are not named are 0.

        Parameters
        ----------
        rows : Rows
        per_tuple, cuts, per_cut, scale, fake
            As stated.
        fakes : int
            No release that matters, and no group, has more counterfeits.
        most : int, optional
            A cost that no release exceeds.

        Raises
        ------
        CertificateError
            If they are no duals of these rows, or too large for 64 bits.
        """
        if len(per_tuple) != int(rows.count.sum()) or len(per_cut) > len(cuts) or scale < 1:
            raise CertificateError("the proof has another number of tuples or cuts")
        if fake > 0 or any(dual > 0 for dual in per_cut):
            raise CertificateError("the dual of a limit is above 0")
        if any(len({per_tuple[t] for t in alike}) > 1 for alike in rows.tuples):
            raise CertificateError("tuples that are alike have different duals")
        total = sum(map(abs, per_tuple)) + scale * (rows.most if most is None else most)
        total += sum(-d * (cut.limit(rows.count) + 1) for cut, d in zip(cuts, per_cut, strict=False))
        if total - fake * (len(per_tuple) + fakes) > LIMIT:
            raise CertificateError("the proof's numbers are too large to be checked in 64 bits")
        return cls(
            rows=np.array([per_tuple[alike[0]] for alike in rows.tuples], dtype=np.int64),
            cuts=tuple((cut, dual) for cut, dual in zip(cuts, per_cut, strict=False) if dual),
            fake=fake,
            scale=scale,
        )

    def value(self, count: Ints, fakes: int = 0) -> int:
        """Scaled bound on releases with at most so many counterfeits."""
        cuts = sum(dual * cut.limit(count) for cut, dual in self.cuts)
        return int(self.rows @ count) + self.fake * fakes + cuts

    def bound(self, count: Ints, fakes: int = 0) -> int:
        """The least cost, a whole number, that the value leaves possible."""
        return -(-self.value(count, fakes) // self.scale)

    def floor(self, value: int, target: int | None, most: int) -> int:
        """Groups of releases below a target have profits above this; without one, groups that pay have.

        Parameters
        ----------
        value : int
            The scaled bound.
        target : int or None
        most : int
            A cost that no release exceeds.

        Raises
        ------
        CertificateError
            If every release is below the target.
        """
        if target is None:
            return 0
        if target > most + 1:
            raise CertificateError("the search tree is about releases that cost more than any")
        return -max(0, (target - 1) * self.scale - value) - 1

    def suppressing(self, price: int, most: int, count: Ints) -> ClaimedDuals:
        """Lowered so that none is above a scaled price for a suppressed tuple, but for what their limit pays.

        No group's profit rises. Suppressed tuples cost their price, and there are at most so many: with a
        dual of the limit, at most 0, none has a profit above 0 if no dual of a row is above the price by more
        than minus that. The total is best if no more tuples than the limit would be above.
        """
        above, places = 0, most
        for row in np.argsort(-self.rows, kind="stable").tolist():
            places -= int(count[row])
            if places < 0:
                above = max(0, int(self.rows[row]) - price)
                break
        highest = min(price + above, int(self.rows.max(initial=0)))  # a price may have any number of digits
        return replace(self, rows=np.minimum(self.rows, highest), fake=-above)

    def lowered(self, by: Ints) -> ClaimedDuals:
        """Lowered where groups with an anchor may have profits of so much: then they have none."""
        return replace(self, rows=self.rows - by)

    def penalties(self) -> Penalties:
        """The cuts for the search."""
        held: list[list[tuple[int, int]]] = [[] for _ in range(len(self.rows))]
        for c, (cut, _) in enumerate(self.cuts):
            for r, times in zip(cut.rows, cut.times, strict=True):
                held[r].append((c, times))
        entries = np.array([entry for found in held for entry in found], dtype=np.int64).reshape(-1, 2)
        return Penalties(
            start=np.concatenate([[0], np.cumsum([len(found) for found in held])]).astype(np.int64),
            cut=entries[:, 0].copy(),
            times=entries[:, 1].copy(),
            over=np.array([cut.over for cut, _ in self.cuts], dtype=np.int64),
            dual=np.array([dual for _, dual in self.cuts], dtype=np.int64),
        )


def odd_sets(rows: CheckedKinds, named: Sequence[Sequence[int]]) -> tuple[CutMultipliers, ...]:
    """Cuts that count half of some tuples, rounded down; see `divided`."""
    return divided(rows, named, ())


def divided(
    rows: CheckedKinds, named: Sequence[Sequence[int]], divisors: Sequence[int]
) -> tuple[CutMultipliers, ...]:
    """Cuts that count some tuples over a divisor, rounded down; tuples by their row of the microdata.

    Without divisors all are 2.

    Raises
    ------
    CertificateError
        If a cut names a tuple that the table does not have, or two that are alike, or divisors do not fit.
    """
    if divisors and len(divisors) != len(named):
        raise CertificateError("the proof has another number of divisors than of cuts")
    home = row_of(rows)
    found: list[CutMultipliers] = []
    for tuples, over in zip(named, divisors or [2] * len(named), strict=True):
        if any(not 0 <= t < len(home) for t in tuples):
            raise CertificateError("the proof names a tuple that the table does not have")
        inside = tuple(sorted({int(home[t]) for t in tuples}))
        if len(inside) != len(tuples):
            raise CertificateError("a cut names a tuple twice")
        found.append(CutMultipliers(rows=inside, times=(1,) * len(inside), over=over))
    return tuple(found)
