"""The tuples of a problem one by one, as the search by signatures sees them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....colgen.covering import Geometry, Ints, home_of
from ....colgen.primal.seats import People
from ....colgen.structure.types import Types

__all__ = ["Crowd"]


@dataclass(frozen=True, kw_only=True)
class Crowd:
    """Everybody, and what the past says of them.

    Attributes
    ----------
    types : Types
    geometry : Geometry
        Codes of the tuples, one by one: of who sits somewhere all are found at one place in memory.
    people : People
    row : int array, shape (tuples,)
        Row of each in `types`.
    value : int array, shape (tuples,)
        Number of each one's value in `Rules.values`.
    new : int array, shape (values,)
        How many new tuples have each value.
    back : int array, shape (buckets, values)
        How many returning tuples of each bucket.
    """

    types: Types
    geometry: Geometry
    people: People
    row: Ints
    value: Ints
    new: Ints
    back: Ints

    @classmethod
    def of(cls, types: Types) -> Crowd:
        """Read types; O(tuples x releases)."""
        rules = types.rules
        row = home_of(types.rows)
        releases = int(rules.released.max(initial=-1)) + 1
        past = np.full((len(row), max(1, releases)), -1, dtype=np.int64)
        for t, traces in enumerate(rules.traces):
            past[t, rules.released[list(traces)]] = traces
        value, values = types.rows.value[row], len(rules.values)
        new = np.bincount(value[rules.home < 0], minlength=values).astype(np.int64)
        back = np.zeros((len(rules.signatures), values), dtype=np.int64)
        old = rules.home >= 0
        np.add.at(back, (rules.home[old], value[old]), 1)
        geometry = types.rows.geometry
        people = People(rules.home, past, rules.kind, np.ascontiguousarray(rules.safe[:2]))
        return cls(
            types=types,
            geometry=geometry._replace(codes=np.ascontiguousarray(geometry.codes[row])),
            people=people,
            row=row,
            value=value,
            new=new,
            back=back,
        )
