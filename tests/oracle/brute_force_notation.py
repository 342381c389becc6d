"""Short notation for the oracle's tables: release("1a 2b", "3a 4c") is two groups of two."""

from __future__ import annotations

from collections import Counter

from oracle.brute_force_tables import Group, Person, Release


def person(word: str) -> Person:
    """'1a' or 'Ann:flu': name and value; 'Ann@30:flu' or '1@30,2a' with integer coordinates."""
    head, _, value = word.rpartition(":") if ":" in word else (word[:-1], "", word[-1])
    name, _, coordinates = head.partition("@")
    return Person(name, tuple(int(x) for x in coordinates.split(",") if x), value)


def people(text: str) -> tuple[Person, ...]:
    """People separated by blanks."""
    return tuple(person(word) for word in text.split())


def group(text: str, fakes: str = "") -> Group:
    """Members, and one-letter values of the fakes: group('1a 2b', 'aac')."""
    return Group(people(text), tuple(sorted(Counter(fakes).items())))


def release(*groups: str | Group, suppressed: str = "") -> Release:
    """Groups, and suppressed people."""
    made = tuple(group(g) if isinstance(g, str) else g for g in groups)
    return Release(made, people(suppressed))
