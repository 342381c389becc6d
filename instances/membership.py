"""Which tuples are in which published group: forced where only one answer fits, a flow for the rest.

Tuples with the same cells and value are interchangeable, and so are groups of one box without counterfeits:
both are looked at together. Most memberships of a large table are forced (in a full-domain release all: each
tuple lies in one box), and the flow is as small as what is left.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import networkx as nx
import numpy as np

from ..models.box import Box, Cell, Exact, Point
from ..models.domain import Domain
from ..models.errors import ReleaseError
from ..models.table import Microdata

__all__ = ["LEFT_OUT", "Memberships", "memberships"]

LEFT_OUT = -1
"""In place of a group: suppressed."""
SOURCE, SINK = "source", "sink"
ROUNDS = 20
"""Rounds in which forced memberships are looked for, each through all that is open; a chain may need many."""

Kind: TypeAlias = tuple[Point, str]
"""Cells and value of a tuple."""


class Memberships(NamedTuple):
    """Rows (from 0) in each group; whether others fit, too, and whether others may have been left out."""

    rows: dict[str, list[int]]
    several: bool
    others_left_out: bool


@dataclass(kw_only=True, eq=False)
class _Place:
    """Groups of one box (of several only those without counterfeits), and what they still take."""

    groups: list[str]
    box: Box
    takes: Counter[str]
    people: int
    exact: bool


def memberships(
    table: Microdata,
    boxes: Mapping[str, Box],
    histograms: Mapping[str, Counter[str]],
    people: Mapping[str, int],
    missing: int,
) -> Memberships:
    """Who may be in which group.

    Parameters
    ----------
    table : Microdata
    boxes, histograms : mapping
        What each group publishes.
    people : mapping
        Tuples in each group without counterfeits.
    missing : int
        Tuples in no group: all that `people` leave.

    Raises
    ------
    ReleaseError
        If nothing fits.
    """
    rows: dict[Kind, list[int]] = defaultdict(list)
    for t, member in enumerate(table.members):
        rows[member.point, member.value].append(t)
    places = _places(boxes, histograms, people)
    options = _options(table.domains, list(rows), places, missing)
    search = _Forced(list(rows), [len(ts) for ts in rows.values()], options, places, missing)
    search.run()
    amounts, open_to = _flowed(search)
    # Two groups of one box that publish one value can exchange people who have it.
    several = bool(open_to) or any(
        sum(bool(histograms[g][value]) for g in place.groups) > 1
        for place in places
        if len(place.groups) > 1
        for value in {value for g in place.groups for value in histograms[g]}
    )
    return Memberships(_dealt(rows, amounts, places, histograms), several, LEFT_OUT in open_to)


def _places(
    boxes: Mapping[str, Box], histograms: Mapping[str, Counter[str]], people: Mapping[str, int]
) -> list[_Place]:
    alike: dict[Box, _Place] = {}
    places: list[_Place] = []
    for g, box in boxes.items():
        exact = people[g] == sum(histograms[g].values())
        place = alike.get(box) if exact else None
        if place is None:
            place = _Place(groups=[], box=box, takes=Counter(), people=0, exact=exact)
            places.append(place)
            if exact:
                alike[box] = place
        place.groups.append(g)
        place.takes.update(histograms[g])
        place.people += people[g]
    return places


def _options(
    domains: Sequence[Domain], kinds: Sequence[Kind], places: Sequence[_Place], missing: int
) -> list[set[int]]:
    """For each kind of tuple the places that cover it and publish its value, and `LEFT_OUT` if some are.

    Wherever rounded numbers of a tuple truly are, the cell covers them.
    """
    width = len(places[0].box) if places else 0
    cells: list[dict[Cell, int]] = [{} for _ in range(width)]
    which = np.zeros((width, len(places)), dtype=np.int64)
    for number, place in enumerate(places):
        for a, cell in enumerate(place.box):
            which[a, number] = cells[a].setdefault(cell, len(cells[a]))
    covering: list[dict[Exact, np.ndarray[tuple[int], np.dtype[np.bool_]]]] = [{} for _ in range(width)]
    at: dict[Point, list[int]] = {}
    found: list[set[int]] = []
    for point, value in kinds:
        if point not in at:
            fits = np.ones(len(places), dtype=np.bool_)
            for a, exact in enumerate(point[:width]):
                if exact not in covering[a]:
                    covers = np.array([domains[a].holds(cell, exact) for cell in cells[a]], dtype=np.bool_)
                    covering[a][exact] = covers[which[a]]
                fits &= covering[a][exact]
            at[point] = np.flatnonzero(fits).tolist()
        open_to = {number for number in at[point] if places[number].takes[value]}
        found.append(open_to | {LEFT_OUT} if missing else open_to)
    return found


class _Forced:
    """Kinds of tuples that go to one place in every assignment that fits, as far as counts alone show it."""

    def __init__(
        self,
        kinds: Sequence[Kind],
        counts: list[int],
        options: list[set[int]],
        places: Sequence[_Place],
        missing: int,
    ) -> None:
        self.kinds, self.counts, self.options = kinds, counts, options
        self.places, self.missing = places, missing
        self.placed: dict[int, int] = {}

    def run(self) -> None:
        """Place what is forced."""
        for _ in range(ROUNDS):
            before = len(self.placed)
            self._single()
            self._filled()
            if len(self.placed) == before:
                return

    @property
    def left(self) -> list[int]:
        """Kinds that are not placed yet."""
        return [c for c in range(len(self.kinds)) if c not in self.placed]

    def _single(self) -> None:
        for c in self.left:
            value, options = self.kinds[c][1], self.options[c]
            options -= {at for at in options if not self._room(at, value)}
            if len(options) < 2:
                self._place(c, next(iter(options), None))

    def _filled(self) -> None:
        """Places that need everybody who can go there."""
        able: dict[tuple[int, str | None], list[int]] = defaultdict(list)
        for c in self.left:
            for at in self.options[c]:
                exact = at != LEFT_OUT and self.places[at].exact
                able[at, self.kinds[c][1] if exact else None].append(c)
        for (at, value), kinds in able.items():
            needed = self._room(at, value)
            some = [c for c in kinds if c not in self.placed]
            # Somebody placed a moment ago may have filled the place: then the next round says so.
            if needed and len(some) and sum(self.counts[c] for c in some) == needed:
                for c in some:
                    self._place(c, at)

    def _room(self, at: int, value: str | None) -> int:
        if at == LEFT_OUT:
            return self.missing
        place = self.places[at]
        return place.people if value is None else min(place.people, place.takes[value])

    def _place(self, c: int, at: int | None) -> None:
        value, count = self.kinds[c][1], self.counts[c]
        if at is None or self._room(at, value) < count:
            raise _unfit()
        self.placed[c] = at
        if at == LEFT_OUT:
            self.missing -= count
        else:
            self.places[at].people -= count
            self.places[at].takes[value] -= count


def _unfit() -> ReleaseError:
    return ReleaseError(
        "the public copy does not fit the table: some tuple is in no group that covers it and has its value"
    )


def _flowed(search: _Forced) -> tuple[list[dict[int, int]], set[int]]:
    """How many of each kind are where, and the places where somebody else could be of what was not forced."""
    amounts: list[dict[int, int]] = [{} for _ in search.kinds]
    for c, at in search.placed.items():
        amounts[c][at] = search.counts[c]
    left = search.left
    if not left:
        return amounts, set()
    graph: nx.DiGraph[Any] = nx.DiGraph()
    for c in left:
        value, count = search.kinds[c][1], search.counts[c]
        graph.add_edge(SOURCE, c, capacity=count)
        for at in sorted(search.options[c]):
            graph.add_edge(c, (at, value), capacity=count)
            room = search.missing if at == LEFT_OUT else search.places[at].takes[value]
            graph.add_edge((at, value), ("place", at), capacity=room)
            people = search.missing if at == LEFT_OUT else search.places[at].people
            graph.add_edge(("place", at), SINK, capacity=people)
    total, flow = nx.maximum_flow(graph, SOURCE, SINK)
    if total < sum(search.counts[c] for c in left):
        raise _unfit()
    for c in left:
        amounts[c] = {at: amount for (at, _), amount in flow[c].items() if amount}
    split = {at for c in left for at in amounts[c] if len(amounts[c]) > 1}
    return amounts, split | _ambiguous(graph, flow)


def _ambiguous(graph: nx.DiGraph[Any], flow: Mapping[Any, Mapping[Any, int]]) -> set[int]:
    """Places that another assignment gives to others: an unused edge of a kind on a residual cycle."""
    residual: nx.DiGraph[Any] = nx.DiGraph()
    for start, end, capacity in graph.edges(data="capacity"):
        if flow[start][end] < capacity:
            residual.add_edge(start, end)
        if flow[start][end] > 0:
            residual.add_edge(end, start)
    component = {
        node: i for i, part in enumerate(nx.strongly_connected_components(residual)) for node in part
    }
    return {
        end[0]
        for start, end in graph.edges()
        if isinstance(start, int) and not flow[start][end] and component[start] == component[end]
    }


def _dealt(
    rows: Mapping[Kind, list[int]],
    amounts: Sequence[Mapping[int, int]],
    places: Sequence[_Place],
    histograms: Mapping[str, Counter[str]],
) -> dict[str, list[int]]:
    """The rows of each group, ascending."""
    there: dict[tuple[int, str], list[int]] = defaultdict(list)
    for ((_, value), ts), amount in zip(rows.items(), amounts, strict=True):
        begin = 0
        for at, count in amount.items():
            there[at, value] += ts[begin : begin + count]
            begin += count
    found: dict[str, list[int]] = {g: [] for place in places for g in place.groups}
    for (at, value), ts in there.items():
        if at == LEFT_OUT:
            continue
        begin = 0
        for g in places[at].groups:
            end = begin + histograms[g][value]
            found[g] += sorted(ts)[begin:end]
            begin = end
    return {g: sorted(ts) for g, ts in found.items()}
