"""Families with the same seats: new tuples' values divided anew among the signatures that are begun.

Integer programs find one family each, and late; a chain of moves (`colgen.primal.dividing`) finds one in some
hundredths of a second. What boxes will lose with a family, nothing but seating its people tells; roughly it
is less the more signatures there are, and the fewer values each has. So families are made with different
worths of both, and whoever asks seats them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ....colgen.covering import Ints
from ....colgen.primal.dividing import Charging, divided
from ....settings import Clock
from .family import Charges, Family, Gathering
from .limits import AHEAD as LIMITS
from .people import Crowd

__all__ = ["divisions"]


def divisions(
    crowd: Crowd, family: Family, prices: Charges, allowed: Fraction, seed: int, clock: Clock
) -> Iterator[Family]:
    """Families with the counterfeits and buckets of one, and other signatures of those who begin some.

    What they cost tends to be no more than allowed, or the least there is.
    """
    begun = _Seats.of(crowd, family, prices)
    if not len(begun.seats):
        return
    left = float(allowed - begun.kept)
    for often in range(LIMITS.divisions):
        for number, (signature, value) in enumerate(LIMITS.worth):
            if clock.over:
                return
            found = begun.divided(left, signature, value, seed + 101 * (often * len(LIMITS.worth) + number))
            if found is not None:
                yield begun.family(found)


@dataclass(frozen=True, kw_only=True)
class _Seats:
    """The part of a family that nobody is bound to.

    Attributes
    ----------
    values, seats, people : int array
        Values there, how many seats each has, and how many new tuples sit on them.
    kept : Fraction
        Price of the buckets.
    price : float array, shape (values + 1, groups + 1)
        Of a signature with so many values and groups.
    """

    crowd: Crowd
    before: Family
    prices: Charges
    values: Ints
    seats: Ints
    people: Ints
    kept: Fraction
    price: NDArray[np.float64]

    @classmethod
    def of(cls, crowd: Crowd, family: Family, prices: Charges) -> _Seats:
        seats, people = np.zeros_like(crowd.new), np.zeros_like(crowd.new)
        kept, least = Fraction(0), crowd.types.rules.least
        for signature, bucket, groups, joined in zip(
            family.signatures, family.buckets, family.groups, family.joined, strict=True
        ):
            if bucket >= 0:
                kept += prices.of(len(signature), groups)
                continue
            seats[list(signature)] += groups
            for v, number in joined.items():
                people[v] += number
        values = np.flatnonzero(seats)
        price = prices.floats(max(least, len(values)), int(seats.max(initial=0)))
        price[0], price[1:least] = 0.0, price[least]
        return cls(
            crowd=crowd,
            before=family,
            prices=prices,
            values=values,
            seats=seats[values],
            people=people[values],
            kept=kept,
            price=price[: len(values) + 1],
        )

    def divided(self, allowed: float, signature: float, value: float, seed: int) -> Ints | None:
        """Slots of each value, if a division is found."""
        least = self.crowd.types.rules.least
        sizes, groups = np.indices(self.price.shape)
        worth = value * groups * np.maximum(0, sizes - least) - signature * (sizes > 0)
        found = divided(
            self.seats,
            Charging(self.price, worth.astype(np.float64), max(0.0, allowed), least),
            LIMITS.slots,
            LIMITS.parts,
            max(LIMITS.dividing, min(LIMITS.most_dividing, LIMITS.dividing_each * int(self.people.sum()))),
            np.array(LIMITS.dividing_heat),
            np.array(LIMITS.missing),
            seed,
        )
        return None if found[0, 0] < 0 else found

    def family(self, found: Ints) -> Family:
        """The buckets as they were, and slots with the same values as one signature."""
        before, gathered = self.before, Gathering()
        for signature, bucket, groups, joined in zip(
            before.signatures, before.buckets, before.groups, before.joined, strict=True
        ):
            if bucket >= 0:
                gathered.put(signature, groups, joined)
        holding = dict[int, list[int]]()
        for i, slots in enumerate(found.tolist()):
            for slot in slots:
                if slot >= 0:
                    holding.setdefault(slot, []).append(i)
        left = self.people.copy()
        for slot, held in sorted(holding.items(), reverse=True):
            signature, number = tuple(self.values[held].tolist()), slot // LIMITS.slots
            coming = np.minimum(number, left[held])
            gathered.put(signature, number, dict(zip(signature, coming.tolist(), strict=True)))
            left[held] -= coming
        return gathered.family(self.crowd, self.prices)
