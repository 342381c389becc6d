r"""Sets of people whose values follow linearly from all releases together: differences and correlations.

Let A have a row per published group and a column per person (and per counterfeit, which is
somebody of one group only). Knowing the values of every group, the adversary knows the
values of a set D exactly if its indicator is a rational combination of rows: if it is
orthogonal to the null space of A. In the same way ``1_R1 - 1_R2`` in the row space with
coefficients that cancel all values says that R1 and R2 carry the same values: a historical
correlation (Riboni and Bettini, Def. 3), over any number of releases and groups.

Whether some D or pair (R1, R2) does harm is a question about 0/1 vectors in a subspace,
for which no polynomial method is known to us. The *meaning* of the deep requirements is
thus itself a search: a small CP-SAT model with one or two Booleans per *cell* (people who
were always together) and one equation per null vector, stated here and handed to the
`backend` that the solver's room provides. No bound is put on coefficients: the null space is
computed in exact rational arithmetic, and the coefficients of what was found are read off
the elimination.

What earlier releases give away alone is not held against a new one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias, TypeVar

from ortools.sat.python import cp_model

from ..backend import backend
from ..exact_numbers import in_units
from ..history import History
from ..release import Release

__all__ = ["Combination", "chain_correlation", "derived_difference", "union_correlation"]

K = TypeVar("K")
Vector: TypeAlias = Mapping[int, Fraction]
Place: TypeAlias = tuple[int, int]
"""Release index (the new one comes last) and group index."""


@dataclass(frozen=True, kw_only=True)
class Combination:
    """A combination of groups, and what it isolates or equates.

    Attributes
    ----------
    new : Mapping of group index to Fraction
        Coefficients of groups of the new release, none of them 0.
    earlier : Mapping of (release index, group index) to Fraction
        Coefficients of earlier groups.
    plus, minus : frozenset of str
        Respondents with coefficient 1 and -1 in the sum.
    values : Mapping of str to int
        Values of the people (and counterfeits) with coefficient 1.
    """

    new: Mapping[int, Fraction]
    earlier: Mapping[Place, Fraction]
    plus: frozenset[str] = field(repr=False)
    minus: frozenset[str] = field(default=frozenset(), repr=False)
    values: Mapping[str, int]


def derived_difference(release: Release, history: History, k: int, c: Fraction) -> Combination | None:
    """A set with a person that all releases isolate, not the earlier ones alone, and that is not (k, c).

    Of all such sets one of the fewest tuples; None if there is none. A new group that is
    not (k, c) is such a set. Exponential at worst; components of a few hundred cells are
    usual work.
    """
    system = _System(release, history)
    model = cp_model.CpModel()
    chosen = [model.new_bool_var(f"d[{i}]") for i in range(len(system.cells))]
    system.constrain(model, chosen)
    model.add(sum(len(cell.names) * d for cell, d in zip(system.cells, chosen, strict=True)) >= 1)
    total = sum(cell.size * d for cell, d in zip(system.cells, chosen, strict=True))
    small = model.new_bool_var("small")
    model.add(total <= k - 1).only_enforce_if(small)
    ways = [small]
    for v in sorted({v for cell in system.cells for v in cell.values}) if c < 1 else ():
        above = model.new_bool_var(f"above[{v}]")
        count = sum(cell.values[v] * d for cell, d in zip(system.cells, chosen, strict=True))
        model.add(c.denominator * count >= c.numerator * total + 1).only_enforce_if(above)
        ways.append(above)
    model.add_bool_or(ways)
    model.minimize(total)
    value = backend().optimum(model)
    if value is None:
        return None
    return system.combination({i: Fraction(1) for i, d in enumerate(chosen) if value(d)})


def chain_correlation(release: Release, history: History, n: int) -> Combination | None:
    """Sets R1 and R2 of equal values, by all releases and not by the earlier ones alone, with |R2| < n.

    R2 has no counterfeit (nobody knows one) and R1 has a person, so fewer than n known
    persons tell about somebody. Of all such pairs one with the fewest known; None if there
    is none. n should not be above the size of a group: two groups of equal values and
    fewer than n tuples are such a pair.
    """
    system = _System(release, history)
    cells = system.cells
    model = cp_model.CpModel()
    plus = [model.new_bool_var(f"plus[{i}]") for i in range(len(cells))]
    minus = [model.new_bool_var(f"minus[{i}]") for i in range(len(cells))]
    for cell, p, m in zip(cells, plus, minus, strict=True):
        model.add_bool_or(~p, ~m)
        if not cell.names:
            model.add(m == 0)
    signed = [p - m for p, m in zip(plus, minus, strict=True)]
    system.constrain(model, signed)
    for v in sorted({v for cell in cells for v in cell.values}):
        model.add(sum(cell.values[v] * w for cell, w in zip(cells, signed, strict=True)) == 0)
    model.add(sum(len(cell.names) * p for cell, p in zip(cells, plus, strict=True)) >= 1)
    known = sum(len(cell.names) * m for cell, m in zip(cells, minus, strict=True))
    model.add(known <= n - 1)
    model.minimize(known)
    value = backend().optimum(model)
    if value is None:
        return None
    return system.combination(
        {i: Fraction(w) for i in range(len(cells)) if (w := value(plus[i]) - value(minus[i]))}
    )


def union_correlation(old: Release, new: Release, number: int, n: int) -> Combination | None:
    """Unions of groups of two releases that publish equal values, share somebody, and have degree below n.

    With R1 (R2) the members of the new (old) groups only: unsafe if R1 has somebody, the
    old groups have no counterfeit and ``|R2| < n``, or the other way round. In the graph
    with groups as vertices and tuples as edges (to a vertex OUT if a tuple is in one
    release only), the tuples of R1 and R2 are a cut, and both sides have equally many; so if
    every cut has more than 2(n-1) edges, nothing is unsafe: a global minimum cut
    (Stoer and Wagner) often answers. Otherwise a CP-SAT model of the definition does.
    """
    if not _small_cut(old, new, 2 * (n - 1)):
        return None
    model = cp_model.CpModel()
    ones = [model.new_bool_var(f"new[{f}]") for f in range(len(new.groups))]
    others = [model.new_bool_var(f"old[{e}]") for e in range(len(old.groups))]
    for v in sorted(set(new.histogram) | {v for r in (old, new) for g in r.groups for v in g.histogram}):
        model.add(
            sum(g.histogram.get(v, 0) * a for g, a in zip(new.groups, ones, strict=True))
            == sum(g.histogram.get(v, 0) * b for g, b in zip(old.groups, others, strict=True))
        )
    shared: list[cp_model.IntVar] = []
    rest_new: list[cp_model.LinearExprT] = []
    rest_old: list[cp_model.LinearExprT] = []
    for (e, f), count in _overlaps(old, new).items():
        if e is None or f is None:
            if f is not None:
                rest_new.append(count * ones[f])
            elif e is not None:
                rest_old.append(count * others[e])
            continue
        both = model.new_bool_var(f"both[{e},{f}]")
        model.add_bool_and(ones[f], others[e]).only_enforce_if(both)
        model.add_bool_or(both, ~ones[f], ~others[e])
        shared.append(both)
        rest_new.append(count * (ones[f] - both))
        rest_old.append(count * (others[e] - both))
    if not shared:
        return None
    model.add_bool_or(shared)
    forward, backward = model.new_bool_var("forward"), model.new_bool_var("backward")
    model.add_bool_or(forward, backward)
    for way, told, known, groups, picked in (
        (forward, rest_new, rest_old, old.groups, others),
        (backward, rest_old, rest_new, new.groups, ones),
    ):
        model.add(sum(told) >= 1).only_enforce_if(way)
        model.add(sum(known) <= n - 1).only_enforce_if(way)
        for group, literal in zip(groups, picked, strict=True):
            if group.fakes:
                model.add_implication(way, ~literal)
    model.minimize(sum([*rest_new, *rest_old]))
    value = backend().optimum(model)
    if value is None:
        return None
    chosen_new = [f for f, a in enumerate(ones) if value(a)]
    chosen_old = [e for e, b in enumerate(others) if value(b)]
    return _union(old, new, number, chosen_old, chosen_new)


def _union(
    old: Release, new: Release, number: int, chosen_old: Sequence[int], chosen_new: Sequence[int]
) -> Combination:
    """New groups less groups of the earlier release `number`."""
    left = {who for f in chosen_new for who in new.groups[f].respondents}
    right = {who for e in chosen_old for who in old.groups[e].respondents}
    return Combination(
        new=dict.fromkeys(chosen_new, Fraction(1)),
        earlier={(number, e): Fraction(-1) for e in chosen_old},
        plus=frozenset(left - right),
        minus=frozenset(right - left),
        values=Counter(
            m.value for f in chosen_new for m in new.groups[f].members if m.respondent not in right
        ),
    )


def _overlaps(old: Release, new: Release) -> Counter[tuple[int | None, int | None]]:
    """How many people were in each pair of groups; None stands for no group."""
    people = dict.fromkeys(m.respondent for r in (old, new) for group in r.groups for m in group.members)
    return Counter((old.where.get(who), new.where.get(who)) for who in people)


def _small_cut(old: Release, new: Release, limit: int) -> bool:
    """Whether some connected part of the graph of two releases has a cut of at most `limit` edges."""
    import networkx as nx  # loaded when used: most policies ask for no union

    graph: nx.Graph[tuple[str, int]] = nx.Graph()
    edges: Counter[tuple[tuple[str, int], tuple[str, int]]] = Counter()
    for (e, f), count in _overlaps(old, new).items():
        edges[_vertex("old", e), _vertex("new", f)] += count
    for side, release in (("old", old), ("new", new)):
        for index, group in enumerate(release.groups):
            if group.fakes:
                edges[(side, index), ("out", 0)] += group.fakes
    for (one, other), count in edges.items():
        known = graph.get_edge_data(one, other, {"weight": 0})["weight"]
        graph.add_edge(one, other, weight=known + count)
    for part in nx.connected_components(graph):
        if len(part) > 1 and nx.stoer_wagner(graph.subgraph(part))[0] <= limit:
            return True
    return False


def _vertex(side: str, index: int | None) -> tuple[str, int]:
    return ("out", 0) if index is None else (side, index)


@dataclass(frozen=True, kw_only=True)
class _Cell:
    """People with the same groups in all releases; or the counterfeits of one group (no names)."""

    places: tuple[Place, ...]
    names: tuple[str, ...]
    values: Counter[str]

    @property
    def size(self) -> int:
        return self.values.total()


class _System:
    """Cells, groups, and the two row spaces: of all releases and of the earlier ones."""

    def __init__(self, release: Release, history: History) -> None:
        self.last = len(history)
        releases = [*history, release]
        places: dict[str, list[Place]] = {}
        values: dict[str, str] = {}
        for number, published in enumerate(releases):
            for index, group in enumerate(published.groups):
                for member in group.members:
                    places.setdefault(member.respondent, []).append((number, index))
                    values[member.respondent] = member.value
        people: dict[tuple[Place, ...], list[str]] = {}
        for who, found in places.items():
            people.setdefault(tuple(found), []).append(who)
        self.cells = [
            _Cell(places=found, names=tuple(names), values=Counter(values[who] for who in names))
            for found, names in people.items()
        ]
        self.cells += [
            _Cell(places=((number, index),), names=(), values=Counter(dict(group.counterfeits)))
            for number, published in enumerate(releases)
            for index, group in enumerate(published.groups)
            if group.fakes
        ]
        rows: dict[Place, dict[int, Fraction]] = {}
        for i, cell in enumerate(self.cells):
            for place in cell.places:
                rows.setdefault(place, {})[i] = Fraction(1)
        self._all = _RowSpace()
        for place in sorted(rows):
            if place[0] < self.last:
                self._all.add(rows[place], place)
        self._earlier_nulls = self._all.null_vectors(len(self.cells))
        for place in sorted(rows):
            if place[0] == self.last:
                self._all.add(rows[place], place)

    def constrain(self, model: cp_model.CpModel, weights: Sequence[cp_model.LinearExprT]) -> None:
        """Keep a vector in the row space of all releases and out of that of the earlier ones."""
        for null in self._all.null_vectors(len(self.cells)):
            model.add(sum(z * weights[i] for i, z in null.items()) == 0)
        outside: list[cp_model.IntVar] = []
        for null in self._earlier_nulls:
            for sign in (1, -1):
                literal = model.new_bool_var("outside")
                model.add(sum(sign * z * weights[i] for i, z in null.items()) >= 1).only_enforce_if(literal)
                outside.append(literal)
        model.add_bool_or(outside)

    def combination(self, vector: Vector) -> Combination:
        """The combination of groups behind a vector of the row space."""
        coefficients = self._all.coefficients(vector)
        values: Counter[str] = Counter()
        for i, weight in vector.items():
            if weight > 0:
                values += self.cells[i].values
        return Combination(
            new={index: y for (number, index), y in coefficients.items() if number == self.last},
            earlier={place: y for place, y in coefficients.items() if place[0] < self.last},
            plus=frozenset(who for i, w in vector.items() if w > 0 for who in self.cells[i].names),
            minus=frozenset(who for i, w in vector.items() if w < 0 for who in self.cells[i].names),
            values=values,
        )


class _RowSpace:
    """Reduced echelon form over the rationals, with the combination of rows behind each line."""

    def __init__(self) -> None:
        self._lines: dict[int, tuple[dict[int, Fraction], dict[Place, Fraction]]] = {}

    def add(self, row: Vector, tag: Place) -> None:
        """Add a row; nothing happens if it depends on those before."""
        line, origin = dict(row), {tag: Fraction(1)}
        # Reduced lines have no other pivot's column, so each pivot is met once.
        for pivot in [i for i in line if i in self._lines]:
            _subtract((line, origin), self._lines[pivot], line[pivot])
        if not line:
            return
        pivot = min(line)
        lead = line[pivot]
        line = {i: x / lead for i, x in line.items()}
        origin = {place: y / lead for place, y in origin.items()}
        for other in self._lines.values():
            if pivot in other[0]:
                _subtract(other, (line, origin), other[0][pivot])
        self._lines[pivot] = (line, origin)

    def null_vectors(self, columns: int) -> list[dict[int, int]]:
        """A basis of the null space, in whole numbers."""
        basis: dict[int, dict[int, Fraction]] = {
            j: {j: Fraction(1)} for j in range(columns) if j not in self._lines
        }
        for pivot, (line, _) in self._lines.items():
            for j, x in line.items():
                if j != pivot:
                    basis[j][pivot] = -x
        return [dict(zip(vector, in_units(vector.values())[0], strict=True)) for vector in basis.values()]

    def coefficients(self, vector: Vector) -> dict[Place, Fraction]:
        """Coefficients of the rows added, none of them 0, that sum to a vector of the space."""
        found: dict[Place, Fraction] = {}
        for pivot, (_, origin) in self._lines.items():
            if pivot in vector:
                _accumulate(found, origin, vector[pivot])
        return found


def _subtract(
    target: tuple[dict[int, Fraction], dict[Place, Fraction]],
    line: tuple[dict[int, Fraction], dict[Place, Fraction]],
    times: Fraction,
) -> None:
    _accumulate(target[0], line[0], -times)
    _accumulate(target[1], line[1], -times)


def _accumulate(target: dict[K, Fraction], source: Mapping[K, Fraction], times: Fraction) -> None:
    for key, x in source.items():
        total = target.get(key, Fraction(0)) + times * x
        if total:
            target[key] = total
        else:
            target.pop(key, None)
