"""The printed example of al Bouna, Clifton and Malluhi, and an oracle written from the definitions.

The oracle shares nothing with the package: plain tuples, plain loops, full enumeration.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, permutations, product

from oracle.brute_force_checks import Check
from oracle.brute_force_tables import Group, History, Person, ReleaseLike, microdata

GROUPS = (
    (
        ("United States", "Envie De Neuf", "Mild"),
        ("Columbia", "Gep-Tek", "Azelaic"),
        ("United States", "Raphe", "Retinoic"),
    ),
    (
        ("United States", "Envie De Neuf", "Mild"),
        ("France", "Raphe", "Azelaic"),
        ("United States", "Raphe", "Retinoic"),
    ),
    (
        ("Columbia", "Jai Radhe", "Cytarabine"),
        ("United States", "Raphe", "Azelaic"),
        ("Columbia", "Raphe", "Retinoic"),
    ),
    (
        ("France", "Jai Radhe", "Cytarabine"),
        ("United States", "Raphe", "Azelaic"),
        ("United States", "Raphe", "Retinoic"),
    ),
    (
        ("Columbia", "PQ", "Epsom"),
        ("United States", "Envie De Neuf", "Mild"),
        ("United States", "Jai Radhe", "Adapalene"),
    ),
)
"""Figure 1: country, manufacturer, drug; five groups."""

FIGURE_2 = (2, 2, 0, 0, 2)
"""Published cells "United States" per group in Figure 2."""


def significant(
    pairs: Sequence[tuple[str, str]], value: str, low: Fraction, high: Fraction, least: Fraction, support: str
) -> set[str]:
    """Significant sensitive values of one QI value; a hidden QI value is ``*`` in `pairs`."""
    with_value = [s for v, s in pairs if v == value]
    found: set[str] = set()
    for s in set(with_value):
        confidence = Fraction(with_value.count(s), len(with_value))
        basis = with_value.count(s) if support == "joint" else len(with_value)
        if (confidence <= low or confidence >= high) and Fraction(basis, len(pairs)) >= least:
            found.add(s)
    return found


def fixpoint(
    pairs: Sequence[tuple[str, str]],
    l: int,  # noqa: E741
    low: Fraction,
    high: Fraction,
    least: Fraction,
    support: str,
) -> tuple[list[bool], dict[str, set[str]]]:
    """Rows whose QI cell is hidden beforehand, and S of every QI value afterwards."""
    now = list(pairs)
    while True:
        sets = {v: significant(now, v, low, high, least, support) for v in {v for v, _ in now} - {"*"}}
        hide = {(v, s) for v, found in sets.items() if 0 < len(found) < l for s in found}
        if not hide:
            break
        now = [("*", s) if (v, s) in hide else (v, s) for v, s in now]
    return [v == "*" for v, _ in now], sets


def is_safe(
    kept: Sequence[int],
    shares: Sequence[Mapping[str, Fraction]],
    significant_set: set[str] | frozenset[str],
    l: int,  # noqa: E741
    epsilon: Fraction,
) -> bool:
    """Equal estimates up to epsilon, and none above 1/l of the published cells."""
    estimates = [
        sum(x * p.get(k, Fraction(0)) for x, p in zip(kept, shares, strict=True)) for k in significant_set
    ]
    if not estimates:
        return True
    return max(estimates) - min(estimates) <= epsilon and l * max(estimates) <= sum(kept)


def safe_choices(
    counts: Sequence[int],
    shares: Sequence[Mapping[str, Fraction]],
    significant_set: set[str] | frozenset[str],
    l: int,  # noqa: E741
    epsilon: Fraction,
) -> Iterator[tuple[int, ...]]:
    """Every safe vector of published cells."""
    for kept in product(*(range(count + 1) for count in counts)):
        if is_safe(kept, shares, significant_set, l, epsilon):
            yield kept


def fewest_hidden(
    groups: Sequence[Group],
    table: Sequence[Person],
    attribute: int,
    l: int,  # noqa: E741
    low: Fraction,
    high: Fraction,
    least: Fraction,
    support: str,
    epsilon: Fraction,
) -> int:
    """Fewest cells of one quasi-identifier to hide in a grouping of some people of `table`."""
    early, sets = fixpoint(
        [(str(person.qi[attribute]), person.value) for person in table], l, low, high, least, support
    )
    gone = {person.name for person, flag in zip(table, early, strict=True) if flag}
    shares = [{k: Fraction(n, group.size) for k, n in group.histogram.items()} for group in groups]
    hidden = 0
    for value in {str(person.qi[attribute]) for person in table}:
        cells = [sum(str(p.qi[attribute]) == value for p in group.members) for group in groups]
        counts = [
            sum(str(p.qi[attribute]) == value and p.name not in gone for p in group.members)
            for group in groups
        ]
        choices = safe_choices(counts, shares, sets.get(value, set()), l, epsilon)
        hidden += sum(cells) - max(sum(kept) for kept in choices)
    return hidden


def safe_as_it_is(
    attribute: int,
    l: int,  # noqa: E741
    low: Fraction,
    high: Fraction,
    least: Fraction = Fraction(0),
    support: str = "joint",
    epsilon: Fraction = Fraction(0),
) -> Check:
    """The requirement on releases without hidden cells, about one quasi-identifier by its position."""

    def check(release: ReleaseLike, history: History) -> bool:
        table = microdata(release)
        return not fewest_hidden(release[0], table, attribute, l, low, high, least, support, epsilon)

    return check


def safe_together(
    attributes: Sequence[int],
    l: int,  # noqa: E741
    low: Fraction,
    high: Fraction,
    least: Fraction = Fraction(0),
    support: str = "joint",
    epsilon: Fraction = Fraction(0),
    *,
    worlds: bool = False,
) -> Check:
    """Def. 7 on releases without hidden cells: every subset of several quasi-identifiers is safe.

    Rows whose cells the fixpoint of a subset hides must not be there. Shares by worlds are enumerated.
    """

    def check(release: ReleaseLike, history: History) -> bool:
        table, gone = microdata(release), set[str]()
        for size in range(1, len(attributes) + 1):
            smaller = set(gone)
            for subset in combinations(attributes, size):
                named = {p.name: "|".join(str(p.qi[a]) for a in subset) for p in table}
                pairs = [("*" if p.name in smaller else named[p.name], p.value) for p in table]
                early, sets = fixpoint(pairs, l, low, high, least, support)
                gone |= {p.name for p, flag in zip(table, early, strict=True) if flag}
                known = Counter((named[p.name], p.value) for p in table)
                for value, found in sets.items():
                    groups = [g for g in release[0] if any(named[p.name] == value for p in g.members)]
                    kept = [sum(named[p.name] == value for p in g.members) for g in groups]
                    shares = [
                        weighed_worlds([named[p.name] for p in g.members], g.histogram, known, value)
                        if worlds
                        else {k: Fraction(n, g.size) for k, n in g.histogram.items()}
                        for g in groups
                    ]
                    if not is_safe(kept, shares, found, l, epsilon):
                        return False
        return not gone & {p.name for g in release[0] for p in g.members}

    return check


def weighed_worlds(
    values: Sequence[str], published: Mapping[str, int], known: Mapping[tuple[str, str], int], value: str
) -> dict[str, Fraction]:
    """Shares of one tuple with `value`: every order of the published values on tuples and counterfeits."""
    at, weights = values.index(value), Counter[str]()
    for world in permutations(Counter(published).elements()):
        weight = 1
        for mine, sensitive in zip(values, world, strict=False):
            weight *= known.get((mine, sensitive), 0)
        weights[world[at]] += weight
    return {k: Fraction(weight, weights.total()) for k, weight in weights.items()}
