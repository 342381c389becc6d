"""What equations fix and how components fall apart, against counting the worlds of whole components."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random

import numpy as np
import oracle.brute_force as bf
import pytest
from cases.audits import cases, local_series, possible

from optanon.models.adversary import independence
from optanon.models.adversary.independence import independent_parts
from optanon.models.adversary.propagation import open_components
from optanon.solver.settings import Clock
from optanon.solver.worlds import counting
from optanon.solver.worlds.counting import expected_counts
from optanon.solver.worlds.possible import Possible
from optanon.solver.worlds.posterior import posterior
from optanon.solver.worlds.state_graph import StateGraph, StateLimits

MANY = StateLimits(states=10**6, steps=10**7)
SOME = StateLimits(states=10**4, steps=10**6)


def _compared(found: Possible) -> tuple[int, int, int]:
    """Counts fixed by equations, components, and parts; expected counts of parts are those of the whole."""
    system, bounds, truth = found.population.system, found.bounds, found.population.truth
    fixed = wholes = pieces = 0
    for component in open_components(system, bounds):
        whole = expected_counts(system, component, bounds, MANY, Clock())
        assert whole is not None
        narrow, parts = independent_parts(component, bounds, truth)
        assert (narrow.lower >= bounds.lower).all()
        assert (narrow.upper <= bounds.upper).all()
        outside = np.setdiff1d(np.arange(len(truth)), component.pairs)
        assert (narrow.lower[outside] == bounds.lower[outside]).all()
        assert (narrow.upper[outside] == bounds.upper[outside]).all()
        wanted = dict(zip(component.pairs.tolist(), whole, strict=True))
        seen: dict[int, Fraction] = {}
        for part in parts:
            counts = expected_counts(system, part, narrow, MANY, Clock())
            assert counts is not None
            assert not seen.keys() & set(part.pairs.tolist())
            seen.update(zip(part.pairs.tolist(), counts, strict=True))
        for pair in wanted.keys() - seen.keys():
            assert narrow.lower[pair] == narrow.upper[pair] == truth[pair]
            seen[pair] = Fraction(int(truth[pair]))
            fixed += 1
        assert seen == wanted
        wholes, pieces = wholes + 1, pieces + len(parts)
    return fixed, wholes, pieces


def _growing(random: Random) -> tuple[bf.Release, ...]:
    """Four releases of a growing table that cut the same square at other places; few counterfeits."""
    at = [(random.randrange(12), random.randrange(12)) for _ in range(200)]
    people = [bf.Person(str(i), (), random.choice("aaaabbbccdef")) for i in range(200)]

    def cut(block: list[int], axis: int) -> Iterator[bf.Group]:
        if len(block) < 12:
            fakes = (("a", 1),) if random.random() < 0.1 else ()
            yield bf.Group(tuple(people[i] for i in block), fakes)
            return
        block = sorted(block, key=lambda i: at[i][axis])
        place = random.randrange(6, len(block) - 5)
        yield from cut(block[:place], 1 - axis)
        yield from cut(block[place:], 1 - axis)

    return tuple(bf.Release(tuple(cut(list(range(50 * number)), number % 2))) for number in range(1, 5))


def test_parts_of_tiny_series_have_the_worlds_of_the_whole() -> None:
    for series, _ in cases(47, 150):
        _compared(possible(series))


@pytest.mark.slow
def test_parts_of_growing_series_have_the_worlds_of_the_whole() -> None:
    fixed = wholes = pieces = 0
    for seed in range(11):
        found = possible(_growing(Random(seed)))
        fixed, wholes, pieces = (
            a + b for a, b in zip((fixed, wholes, pieces), _compared(found), strict=True)
        )
    assert fixed > 5
    assert pieces > wholes + 5


def test_two_swaps_that_share_a_group_are_independent() -> None:
    """The group of all four says nothing that the two pairs do not say: each can be swapped by itself."""
    people = {
        name: bf.Person(str(name), (), value) for name, value in zip(range(1, 9), "ababbcbc", strict=True)
    }

    def release(*groups: tuple[int, ...]) -> bf.Release:
        made = tuple(bf.Group(tuple(people[name] for name in group)) for group in groups)
        return bf.Release(made)

    found = possible((release((1, 2), (3, 4)), release((1, 2, 3, 4)), release((1, 5, 6), (3, 7, 8))))
    (component,) = open_components(found.population.system, found.bounds)
    _, parts = independent_parts(component, found.bounds, found.population.truth)
    assert [len(part.pairs) for part in parts] == [6, 6]


def test_nothing_is_concluded_if_the_vectors_are_not_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(independence, "LARGEST", 0)
    found = possible(local_series(Random(1), 60, 3, 4))
    for component in open_components(found.population.system, found.bounds):
        bounds, parts = independent_parts(component, found.bounds, found.population.truth)
        assert parts == [component]
        assert (bounds.upper == found.bounds.upper).all()


@pytest.mark.slow
def test_estimates_of_states_put_orders_in_line() -> None:
    """The order estimated to need the fewest states needs no more than any other, within a small factor."""
    tried = better = 0
    for seed in range(6):
        found = possible(_growing(Random(seed)))
        system = found.population.system
        for component in open_components(system, found.bounds):
            bounds, parts = independent_parts(component, found.bounds, found.population.truth)
            for part in parts:
                graph = StateGraph(system, part, bounds)
                assert graph.bits == sorted(graph.bits)
                if len(graph.orders) == 1:
                    continue
                states: list[int] = []
                for order in graph.orders:
                    assert sorted(order) == list(range(len(part.pairs)))
                    layers = graph.layers(SOME, Clock(), order)
                    states.append(10**6 if layers is None else sum(layer.after for layer in layers))
                tried += 1
                better += states[0] <= 2 * min(states)
    assert tried > 2
    assert better >= 0.8 * tried


def test_what_is_estimated_to_be_hopeless_is_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    found = possible(_growing(Random(3)))
    assert not posterior(found, estimate=False).uncounted
    monkeypatch.setattr(counting, "HOPE", -100.0)
    left = posterior(found, estimate=False)
    assert left.uncounted
    assert None in left.probabilities
