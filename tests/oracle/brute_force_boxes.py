"""The adversary who knows quasi-identifiers only, by enumerating who could be in which group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from oracle.brute_force_tables import Person, ReleaseLike

Box = tuple[tuple[int, int], ...]


def boxes(release: ReleaseLike) -> list[Box]:
    """The tightest box of each group."""
    return [
        tuple(
            (min(map(int, xs)), max(map(int, xs))) for xs in zip(*(p.qi for p in group.members), strict=True)
        )
        for group in release[0]
    ]


def placements(release: ReleaseLike, *, sizes_known: bool) -> Iterator[dict[str, int]]:
    """All ways to put the published people into groups whose boxes hold them; the group of each."""
    groups = release[0]
    people = [person for group in groups for person in group.members]
    held = boxes(release)
    choices = [[g for g, box in enumerate(held) if inside(p, box)] for p in people]
    for choice in product(*choices):
        sizes = Counter(choice)
        if all(
            sizes[g] == len(group.members) if sizes_known else sizes[g] <= group.size
            for g, group in enumerate(groups)
        ):
            yield {p.name: g for p, g in zip(people, choice, strict=True)}


def inside(person: Person, box: Box) -> bool:
    """Whether a box holds somebody."""
    return all(lo <= int(x) <= hi for x, (lo, hi) in zip(person.qi, box, strict=True))


def possible_values(
    history: Sequence[ReleaseLike], known: Mapping[str, str] | None = None, *, sizes_known: bool = True
) -> dict[str, frozenset[str]]:
    """Values each respondent can have for some placement of everybody."""
    found: dict[str, set[str]] = {p.name: set() for groups, _ in history for g in groups for p in g.members}
    for world in worlds(history, known, sizes_known=sizes_known):
        for name, value in world.items():
            found[name].add(value)
    return {name: frozenset(values) for name, values in found.items()}


def worlds(
    history: Sequence[ReleaseLike], known: Mapping[str, str] | None = None, *, sizes_known: bool = True
) -> Iterator[dict[str, str]]:
    """Values of everybody, for all placements of everybody; some more than once."""
    names = list(dict.fromkeys(p.name for groups, _ in history for g in groups for p in g.members))
    for choice in product(*(list(placements(release, sizes_known=sizes_known)) for release in history)):
        left = [[Counter(group.histogram) for group in groups] for groups, _ in history]
        homes = {
            name: [left[t][where[name]] for t, where in enumerate(choice) if name in where] for name in names
        }
        yield from _worlds(names, homes, dict(known or {}))


def _worlds(
    names: Sequence[str], homes: Mapping[str, list[Counter[str]]], known: Mapping[str, str]
) -> Iterator[dict[str, str]]:
    """Values for everybody, each taken from what her groups publish."""
    if not names:
        yield {}
        return
    name, rest = names[0], names[1:]
    for value in sorted(homes[name][0]):
        if known.get(name, value) != value or any(not group[value] for group in homes[name]):
            continue
        for group in homes[name]:
            group[value] -= 1
        for world in _worlds(rest, homes, known):
            yield {name: value, **world}
        for group in homes[name]:
            group[value] += 1
