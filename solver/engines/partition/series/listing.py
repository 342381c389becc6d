"""All needed groups above a floor, listed breadth first in arrays: a second search, for proofs."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..cuts import Cuts
from ..rows import Ints
from .pricing import Duals
from .types import Column, Types

__all__ = ["columns_above"]


@dataclass(frozen=True)
class _Partial:
    """Partial groups, one per line: members padded with -1, box ends, duals and penalties so far."""

    members: Ints
    real: Ints
    lo: Ints
    hi: Ints
    sure: Ints
    touched: Ints
    place: Ints

    def __len__(self) -> int:
        return len(self.sure)

    def take(self, lines: Ints) -> _Partial:
        return _Partial(
            self.members[lines],
            self.real[lines],
            self.lo[lines],
            self.hi[lines],
            self.sure[lines],
            self.touched[lines],
            self.place[lines],
        )


class _Search:
    def __init__(self, types: Types, cuts: Cuts, duals: Duals, floor: int) -> None:
        self.types, self.duals, self.floor = types, duals, floor
        self.met = [c for c in range(len(duals.cuts)) if duals.cuts[c]]
        self.inside = np.zeros((len(types), len(self.met)), dtype=np.int64)
        for at, c in enumerate(self.met):
            self.inside[list(cuts.sets[c]), at] = 1
        self.penalty = duals.cuts[self.met]

    def begin(self, anchor: int, deep: int) -> _Partial:
        members = np.full((1, deep), -1, dtype=np.int64)
        members[0, 0] = anchor
        codes = self.types.rows.geometry.codes[[anchor]]
        return _Partial(
            members,
            np.ones(1, dtype=np.int64),
            codes,
            codes,
            self.duals.rows[[anchor]],
            self.inside[[anchor]],
            np.full(1, -1, dtype=np.int64),
        )

    def box(self, partial: _Partial) -> Ints:
        return self.types.rows.box_cost(partial.lo, partial.hi) * self.duals.scale

    def with_rows(self, partial: _Partial, lines: Ints, who: Ints, places: Ints) -> _Partial:
        """Lines continued with one row each."""
        old = partial.take(lines)
        members = old.members.copy()
        members[np.arange(len(lines)), old.real] = who
        codes, inside = self.types.rows.geometry.codes[who], self.inside[who]
        touched = old.touched + inside
        sure = (
            old.sure + self.duals.rows[who] + (((touched % 2 == 0) & (inside > 0)) * self.penalty).sum(axis=1)
        )
        lo, hi = np.minimum(old.lo, codes), np.maximum(old.hi, codes)
        return _Partial(members, old.real + 1, lo, hi, sure, touched, places)

    # -- buckets -------------------------------------------------------------------------

    def bucket(self, anchor: int, times: int) -> list[Column]:
        types, duals, rows = self.types, self.duals, self.types.rows
        b = int(types.home[anchor])
        signature = types.rules.signatures[b]
        lists: list[Ints] = []
        for v in signature:
            same = rows.value == v
            back = np.flatnonzero(same & (types.home == b))
            here = np.concatenate([back[back >= anchor], np.flatnonzero(same & (types.home < 0))])
            copies = np.minimum(rows.count[here], times) - (here == anchor)
            lists.append(np.repeat(here, np.maximum(copies, 0)))
        own = signature.index(int(rows.value[anchor]))
        order = [own, *sorted((t for t in range(len(signature)) if t != own), key=lambda t: len(lists[t]))]
        best = [int(duals.rows[found].max()) if len(found) else None for found in lists]
        partial = self.begin(anchor, times * len(signature))
        for at, t in enumerate(order):
            places = times - (1 if t == own else 0)
            later = [best[o] for o in order[at + 1 :]]
            done: list[_Partial] = []
            partial = replace(partial, place=np.full(len(partial), -1, dtype=np.int64))
            for open_places in range(places, 0, -1):
                closed = replace(partial, sure=partial.sure + open_places * duals.fake)
                done.append(closed.take(self._pay(closed, 0, None, later, times)))
                partial = self._next(partial, lists[t])
                partial = partial.take(self._pay(partial, open_places - 1, best[t], later, times))
            partial = _joined([*done, partial])
            if not len(partial):
                return []
        profit = partial.sure - partial.real * self.box(partial)
        found = [
            Column(tuple(sorted(r for r in line if r >= 0)), times)
            for line in partial.members[profit > self.floor].tolist()
        ]
        relaxed = bool(types.rules.relaxed[b])
        return [column for column in found if relaxed or types.keeps(column)]

    def _next(self, partial: _Partial, listed: Ints) -> _Partial:
        """Every way to go on with a row of a list, places rising; equal rows in order only."""
        if not len(listed) or not len(partial):
            return partial.take(np.zeros(0, dtype=np.int64))
        first = np.concatenate([[True], listed[1:] != listed[:-1]])
        lines, places = list[Ints](), list[Ints]()
        for line, last in enumerate(partial.place.tolist()):
            place = np.arange(last + 1, len(listed))
            place = place[first[place] | (place == last + 1)]
            places.append(place)
            lines.append(np.full(len(place), line, dtype=np.int64))
        at = np.concatenate(places)
        return self.with_rows(partial, np.concatenate(lines), listed[at], at)

    def _pay(
        self, partial: _Partial, open_places: int, best: int | None, later: list[int | None], times: int
    ) -> Ints:
        """Lines that can still come above the floor."""
        box = self.box(partial)
        reach = partial.sure - partial.real * box
        fake = self.duals.fake
        for places, dual in [(open_places, best), *((times, dual) for dual in later)]:
            reach = reach + places * (fake if dual is None else np.maximum(fake, dual - box))
        return np.flatnonzero(reach > self.floor)

    # -- all-new groups --------------------------------------------------------------------

    def fresh(self, anchor: int) -> list[Column]:
        types, duals, rows = self.types, self.duals, self.types.rows
        least = types.rules.least
        most = 2 * least - 1
        others = np.flatnonzero((types.home < 0) & (rows.value != rows.value[anchor]))
        others = others[others > anchor]
        listed = others[np.argsort(-duals.rows[others], kind="stable")]
        value, gain = rows.value[listed], duals.rows[listed]
        tops = _tops(value, gain, most)
        partial = self.begin(anchor, most)
        used = np.zeros((1, len(types.rules.values)), dtype=np.bool_)
        used[0, rows.value[anchor]] = True
        found: list[Column] = []
        size = 1
        while len(partial):
            fakes = max(0, least - size) * duals.fake
            profit = partial.sure + fakes - size * self.box(partial)
            found += [
                Column(tuple(sorted(r for r in line if r >= 0)), 0)
                for line in partial.members[profit > self.floor].tolist()
            ]
            if size == most or not len(listed):
                break
            lines, places = list[Ints](), list[Ints]()
            for line, last in enumerate(partial.place.tolist()):
                place = np.arange(last + 1, len(listed))
                place = place[~used[line, value[place]]]
                places.append(place)
                lines.append(np.full(len(place), line, dtype=np.int64))
            line, at = np.concatenate(lines), np.concatenate(places)
            longer = self.with_rows(partial, line, listed[at], at)
            box = self.box(longer)
            reach = np.full(len(longer), -(1 << 62), dtype=np.int64)
            for more in range(most - size):
                final = size + 1 + more
                there = tops[at + 1, more]
                enough = there > -(1 << 61)
                gained = longer.sure + there + max(0, least - final) * duals.fake - final * box
                reach = np.where(enough, np.maximum(reach, gained), reach)
            kept = np.flatnonzero(reach > self.floor)
            used = used[line[kept]]
            used[np.arange(len(kept)), value[at[kept]]] = True
            partial = longer.take(kept)
            size += 1
        return found


def _tops(value: Ints, gain: Ints, most: int) -> Ints:
    """Best sums of 0, 1, ... duals of different values from each place on; far below 0 if too few."""
    tops = np.full((len(value) + 1, most), -(1 << 62), dtype=np.int64)
    tops[:, 0] = 0
    for at in range(len(value)):
        seen: set[int] = set()
        total = 0
        for place in range(at, len(value)):
            if len(seen) == most - 1:
                break
            if int(value[place]) not in seen:
                seen.add(int(value[place]))
                total += int(gain[place])
                tops[at, len(seen)] = total
    return tops


def _joined(parts: list[_Partial]) -> _Partial:
    return _Partial(
        *(
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("members", "real", "lo", "hi", "sure", "touched", "place")
        )
    )


def columns_above(types: Types, cuts: Cuts, duals: Duals, floor: int) -> list[Column]:
    """All needed groups whose scaled profit is above `floor`."""
    search, found = _Search(types, cuts, duals, floor), list[Column]()
    for anchor, b in enumerate(types.home.tolist()):
        if b < 0:
            found += search.fresh(anchor)
            continue
        for times in range(1, int(types.rules.times[b]) + 1):
            found += search.bucket(anchor, times)
    return found
