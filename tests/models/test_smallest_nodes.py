"""The smallest nodes over categories, against the sets of leaves that a hierarchy's labels stand for."""

from __future__ import annotations

import numpy as np
import oracle.brute_force as bf
import pytest
from cases.trees import hierarchy, uneven
from strategies import seeded

from optanon.models.categories import Categories


@pytest.mark.parametrize("seed", range(20))
def test_nodes_chains_children_and_units_are_those_of_the_sets(seed: int):
    source = seeded("nodes", seed)
    paths = uneven(source, source(1, 14))
    domain = Categories(name="place", hierarchy=hierarchy(source, paths))
    code, tree = {leaf: c for c, leaf in enumerate(domain.hierarchy.leaves)}, bf.Taxonomy(paths)
    labels = {label for leaf, path in paths.items() for label in (leaf, *path)}
    sets = sorted({frozenset(code[leaf] for leaf in tree.leaves(label)) for label in labels}, key=len)
    ends = {node: (min(node), max(node)) for node in sets}
    assert all(len(node) == hi - lo + 1 for node, (lo, hi) in ends.items())
    assert sorted(domain.nodes) == sorted(ends.values())
    lo, hi = np.triu_indices(len(code))
    smallest = [next(n for n in sets if {x, y} <= n) for x, y in zip(lo.tolist(), hi.tolist(), strict=True)]
    units = [len(node) if len(node) > 1 else 0 for node in smallest]
    assert [domain.node(int(x), int(y)) for x, y in zip(lo, hi, strict=True)] == [ends[n] for n in smallest]
    assert domain.units_between(lo, hi).tolist() == units
    assert [domain.units(int(x), int(y)) for x, y in zip(lo, hi, strict=True)] == units
    for c in code.values():
        assert list(domain.chain(c)) == [ends[node] for node in sets if c in node]
    for node in sets:
        inside = [other for other in sets if other < node]
        largest = [other for other in inside if not any(other < third for third in inside)]
        assert domain.children(*ends[node]).tolist() == sorted(map(max, largest or [node]))
