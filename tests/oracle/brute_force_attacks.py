"""The attacks of Byun et al. by full enumeration, and significance for safe correlation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import reduce
from itertools import permutations
from typing import Literal, NamedTuple

from oracle.brute_force_checks import Check, c_diverse
from oracle.brute_force_tables import (
    Attribute,
    Coordinate,
    Group,
    History,
    Person,
    ReleaseLike,
    Side,
    box,
    compatible,
    covers,
    groups_with,
    names_of,
    published,
    subsets,
)


class Difference(NamedTuple):
    """A breach: the respondents left over and the values (with fakes) left over for them."""

    names: frozenset[str]
    values: Counter[str]


def difference_breaches(inner: ReleaseLike, outer: ReleaseLike, k: int, c: Fraction) -> Iterator[Difference]:
    """All (E_inner, E_outer), both non-empty, whose difference breaks (k, c); one direction.

    A fake is somebody who is in no other group: E_inner with a fake lies inside nothing, and
    the fakes of E_outer stay in the difference, where they count like people. A difference
    without any respondent harms nobody.

    Raises
    ------
    ValueError
        If a respondent has changed her value: the attack needs persistent values.
    """
    for part in subsets([group for group in inner[0] if not group.fake_count]):
        inside, taken = names_of(part), published(part)
        for whole in subsets(outer[0]):
            around, values = names_of(whole), published(whole)
            if not inside < around:
                continue
            if not taken <= values:
                raise ValueError("a respondent's value differs between two releases")
            rest = values - taken
            if rest.total() < k or not c_diverse(rest, c):
                yield Difference(around - inside, rest)


def difference_safety(k: int, c: Fraction) -> Check:
    """No difference attack between the new and any earlier release, in either direction."""

    def check(release: ReleaseLike, history: History) -> bool:
        return not any(
            True
            for old in history
            for inner, outer in ((old, release), (release, old))
            for _ in difference_breaches(inner, outer, k, c)
        )

    return check


def inferable_values(history: History, name: str) -> Counter[str]:
    """Multiset intersection (smallest multiplicities) of all groups of the respondent."""
    groups = groups_with(history, name)
    return reduce(lambda one, other: one & other, (group.histogram for group in groups))


def intersection_safety(c: Fraction, reading: Literal["multiset", "set"] = "multiset") -> Check:
    """No intersection attack on a respondent of the new release, over all her groups.

    `multiset`: no value above the share c of the intersection. `set`: 1 / (number of different
    values in it) at most c.

    Raises
    ------
    ValueError
        If an intersection is empty: the data contradict persistent values.
    """

    def safe(left: Counter[str]) -> bool:
        if not left:
            raise ValueError("the groups of a respondent have no value in common")
        return c_diverse(left, c) if reading == "multiset" else len(left) * c >= 1

    def check(release: ReleaseLike, history: History) -> bool:
        whole = (*history, release)
        names = names_of(release[0])
        return all(safe(inferable_values(whole, name)) for name in names)

    return check


class Trace(NamedTuple):
    """One old record: its group and value, and the new groups it may be found in."""

    source: int
    value: str
    targets: frozenset[int]


def _in_box(person: Person, sides: tuple[Side, ...]) -> bool:
    return all(covers(side, x) for side, x in zip(sides, person.qi, strict=True))


def trace_records(
    old: ReleaseLike,
    new: ReleaseLike,
    attributes: Sequence[Attribute],
    mode: Literal["exact", "plausible"] = "exact",
) -> list[Trace]:
    """Where each old record can be in the new release (group numbers count from 0).

    Records are joined by an edge if their values agree and their tight boxes intersect. Nobody
    leaves, so the true matching covers all old records: `exact` keeps an edge if at least one
    such matching, out of all, uses it; `plausible` keeps all edges. New fakes are records like
    any other.

    Raises
    ------
    ValueError
        If an old respondent is not published any more or the old release has fakes (then not
        every old record goes on), or if no matching covers all old records.
    """
    if not names_of(old[0]) <= names_of(new[0]) or any(g.fake_count for g in old[0]):
        raise ValueError("record tracing is defined only if every old record is published again")
    old_boxes = [box(group, attributes) for group in old[0]]
    new_boxes = [box(group, attributes) for group in new[0]]

    def edge(source: int, target: int) -> bool:
        return all(map(compatible, old_boxes[source], new_boxes[target]))

    traces: list[Trace] = []
    for value in sorted(published(old[0])):
        sources = _places(old[0], value)
        places = _places(new[0], value)
        found: list[set[int]] = [set() for _ in sources]
        if mode == "plausible":
            found = [{target for target in places if edge(source, target)} for source in sources]
        else:
            for matching in permutations(places, len(sources)):
                if all(map(edge, sources, matching)):
                    for targets, target in zip(found, matching, strict=True):
                        targets.add(target)
        if not all(found):
            raise ValueError("no matching covers all old records")
        traces += [Trace(s, value, frozenset(t)) for s, t in zip(sources, found, strict=True)]
    return traces


def _places(groups: Sequence[Group], value: str) -> list[int]:
    """Group number of each published record with the value."""
    return [number for number, group in enumerate(groups) for _ in range(group.histogram[value])]


def traced_people(
    trace: Trace, old: ReleaseLike, new: ReleaseLike, attributes: Sequence[Attribute]
) -> frozenset[str]:
    """I_p: people of the old release inside the record's old box and a feasible new box."""
    source = box(old[0][trace.source], attributes)
    targets = [box(new[0][target], attributes) for target in trace.targets]
    return frozenset(
        person.name
        for group in old[0]
        for person in group.members
        if _in_box(person, source) and any(_in_box(person, target) for target in targets)
    )


def tracing_safety(
    k: int, attributes: Sequence[Attribute], mode: Literal["exact", "plausible"] = "exact"
) -> Check:
    """Every record of every earlier release still fits at least k people (forward tracing)."""

    def check(release: ReleaseLike, history: History) -> bool:
        return all(
            len(traced_people(trace, old, release, attributes)) >= k
            for old in history
            for trace in trace_records(old, release, attributes, mode)
        )

    return check


def significant_values(
    table: Sequence[Person],
    position: int,
    min_conf: Fraction,
    max_conf: Fraction,
    min_sup: Fraction,
    support: Literal["joint", "qi"] = "joint",
) -> dict[Coordinate, frozenset[str]]:
    """Significant sensitive values of each QI value of one attribute (al Bouna et al., Def. 5).

    Of the values that occur with v: confidence count(v, s)/count(v) at most `min_conf` or at
    least `max_conf`, and support at least `min_sup`. Support is count(v, s)/|T| (`joint`) or
    count(v)/|T| (`qi`). Cells that hold '*' are suppressed: they count in |T| only.
    """
    found: dict[Coordinate, frozenset[str]] = {}
    for v in {person.qi[position] for person in table} - {"*"}:
        together = Counter(person.value for person in table if person.qi[position] == v)
        chosen: set[str] = set()
        for s, count in together.items():
            confidence = Fraction(count, together.total())
            share = Fraction(count if support == "joint" else together.total(), len(table))
            if (confidence <= min_conf or confidence >= max_conf) and share >= min_sup:
                chosen.add(s)
        found[v] = frozenset(chosen)
    return found
