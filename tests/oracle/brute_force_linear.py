"""Linear conclusions from all releases at once, by trying every vector of coefficients.

A vector over people (and over the fakes of each group, which only that group has) is known
to the adversary exactly if it is a rational combination of the groups' indicators.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import TypeAlias

from oracle.brute_force_checks import Check, c_diverse, hc_safety
from oracle.brute_force_tables import Group, History, ReleaseLike

Row: TypeAlias = list[Fraction]
Side: TypeAlias = tuple[frozenset[str], Counter[str], bool]
"""People, all values, and whether there is a fake."""


def _reduced(rows: Sequence[Row]) -> list[tuple[int, Row]]:
    """Gaussian elimination: leading positions, and lines that are 0 in each other's."""
    lines: list[tuple[int, Row]] = []
    for row in rows:
        rest = _remainder(row, lines)
        lead = next((i for i, x in enumerate(rest) if x), None)
        if lead is not None:
            line = [x / rest[lead] for x in rest]
            lines = [(other, _remainder(old, [(lead, line)])) for other, old in lines] + [(lead, line)]
    return lines


def _remainder(row: Sequence[Fraction], lines: Sequence[tuple[int, Row]]) -> Row:
    rest = list(row)
    for lead, line in lines:
        if rest[lead]:
            times = rest[lead]
            rest = [x - times * y for x, y in zip(rest, line, strict=True)]
    return rest


def derivable(history: History, coefficients: Sequence[int]) -> Iterator[tuple[Side, Side]]:
    """Vectors with these coefficients that the last release makes known: sides of 1 and of -1."""
    groups = [(time, group) for time, (groups, _) in enumerate(history) for group in groups]
    names = sorted({name for _, group in groups for name in group.names})
    values = {p.name: p.value for _, group in groups for p in group.members}
    faked = [number for number, (_, group) in enumerate(groups) if group.fakes]

    def indicator(number: int, group: Group) -> Row:
        people = [Fraction(name in group.names) for name in names]
        return people + [Fraction(number == other) for other in faked]

    rows = [(time, indicator(number, group)) for number, (time, group) in enumerate(groups)]
    everything = _reduced([row for _, row in rows])
    before = _reduced([row for time, row in rows if time < len(history) - 1])

    def side(vector: Sequence[int], sign: int) -> Side:
        people = [name for name, x in zip(names, vector, strict=False) if x == sign]
        fakes = [number for number, x in zip(faked, vector[len(names) :], strict=True) if x == sign]
        found = Counter(values[name] for name in people)
        for number in fakes:
            found += Counter(dict(groups[number][1].fakes))
        return frozenset(people), found, bool(fakes)

    # A combination is given by its values at the leading positions.
    for leading in product(coefficients, repeat=len(everything)):
        exact = [Fraction(0)] * (len(names) + len(faked))
        for x, (_, line) in zip(leading, everything, strict=True):
            if x:
                exact = [y + x * z for y, z in zip(exact, line, strict=True)]
        if all(x in coefficients for x in exact) and any(_remainder(exact, before)):
            vector = [int(x) for x in exact]
            yield side(vector, 1), side(vector, -1)


def deep_difference_safety(k: int, c: Fraction) -> Check:
    """Every set with a person that the new release makes known is (k, c)."""

    def check(release: ReleaseLike, history: History) -> bool:
        return not history or all(
            not people or (found.total() >= k and c_diverse(found, c))
            for (people, found, _), _ in derivable((*history, release), (0, 1))
        )

    return check


def deep_hc_safety(n: int) -> Check:
    """No correlation of unions, and of linear combinations, of degree below n."""
    unions = hc_safety(n, "unions")

    def check(release: ReleaseLike, history: History) -> bool:
        if not history:
            return True
        return unions(release, history) and not any(
            left[0] and not right[2] and len(right[0]) < n and left[1] == right[1]
            for left, right in derivable((*history, release), (0, 1, -1))
        )

    return check
