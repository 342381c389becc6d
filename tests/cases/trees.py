"""Hierarchies of any shape: inner nodes of one or more children, leaves on different levels."""

from __future__ import annotations

from collections.abc import Mapping

from strategies import Source, pick, shuffled

from optanon.models.categories import Categories
from optanon.models.hierarchy import Hierarchy

__all__ = ["categories", "hierarchy", "uneven"]


def uneven(source: Source, leaves: int) -> Mapping[str, tuple[str, ...]]:
    """The ancestors of each leaf, nearest first, the root last."""
    above: dict[str, tuple[str, ...]] = {"*": ()}
    inner = ["*"]
    for number in range(source(0, leaves)):
        parent = pick(source, inner)
        inner.append(f"n{number}")
        above[inner[-1]] = (parent, *above[parent])
    parents = {path[0] for path in above.values() if path}
    homes = [node for node in inner if node not in parents]  # none of them may stay empty
    homes += [pick(source, inner) for _ in range(leaves)]
    return {f"v{number}": (home, *above[home]) for number, home in enumerate(homes)}


def hierarchy(source: Source, paths: Mapping[str, tuple[str, ...]]) -> Hierarchy:
    """Its rows in any order, short ones filled up with their leaf."""
    height = max(map(len, paths.values())) + 1
    rows = [(leaf,) * (height - len(path)) + path for leaf, path in paths.items()]
    return Hierarchy(tuple(shuffled(source, rows)))


def categories(source: Source, leaves: int, name: str = "place") -> Categories:
    """A column under such a hierarchy."""
    return Categories(name=name, hierarchy=hierarchy(source, uneven(source, leaves)))
