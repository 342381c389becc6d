"""Posteriors that are too many to count: exact ones by primes, estimates with intervals kept apart."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt
from random import Random

import numpy as np
import oracle.brute_force as bf
import pytest
from cases.audits import cases, local_series, possible

from optanon.models.adversary.propagation import open_components
from optanon.solver.settings import Clock
from optanon.solver.worlds import counting
from optanon.solver.worlds.counting import expected_counts
from optanon.solver.worlds.posterior import posterior
from optanon.solver.worlds.sampling import estimated_counts
from optanon.solver.worlds.state_graph import StateLimits

MANY = StateLimits(states=10**6, steps=10**7)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_intervals_hold_the_exact_probability(seed: int) -> None:
    """Few states kept, so that drawing matters; nearly all intervals hold."""
    held = drawn = missed = 0
    for case in range(5):
        found = possible(local_series(Random(100 * seed + case), 60, 2, 12))
        system, bounds = found.population.system, found.bounds
        for component in open_components(system, bounds):
            exact = expected_counts(system, component, bounds, MANY, Clock())
            guess = estimated_counts(system, component, bounds, Clock(), width=20)
            assert exact is not None
            if guess is None:
                missed += 1
                continue
            again = estimated_counts(system, component, bounds, Clock(), width=20)
            assert again == guess  # same seed
            for j, wanted, estimate in zip(component.pairs.tolist(), exact, guess, strict=True):
                chance = float(wanted / int(system.sizes[system.cell[j]]))
                assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1
                if estimate.high - estimate.low > 1e-9:
                    drawn += 1
                    held += estimate.low <= chance <= estimate.high
                else:
                    assert abs(estimate.value - chance) < 0.05
    assert drawn > 50
    assert held > 0.93 * drawn


def test_estimates_that_draw_nothing_are_the_exact_numbers() -> None:
    for series, _ in cases(31, 40):
        found = possible(series)
        system, bounds = found.population.system, found.bounds
        for component in open_components(system, bounds):
            exact = expected_counts(system, component, bounds, MANY, Clock())
            guess = estimated_counts(system, component, bounds, Clock())
            assert exact is not None
            assert guess is not None
            for j, wanted, estimate in zip(component.pairs.tolist(), exact, guess, strict=True):
                chance = float(wanted / int(system.sizes[system.cell[j]]))
                assert abs(estimate.value - chance) < 1e-9
                assert estimate.high - estimate.low < 1e-6


def test_estimates_are_never_mixed_with_what_is_exact() -> None:
    found = possible(local_series(Random(1), 60, 2, 12))
    chances = posterior(found, states=2)
    assert chances.uncounted
    assert chances.estimates
    assert all(chances.probabilities[j] is None for j in chances.estimates)
    assert not posterior(found, states=2, estimate=False).estimates
    assert not posterior(found).estimates


def test_primes_are_prime_and_enough() -> None:
    primes = counting.primes(200)
    product = np.prod([Fraction(p) for p in primes])
    assert product > 2**200
    assert len(set(primes)) == len(primes)
    assert all(p < 2**31 and all(p % d for d in range(2, isqrt(p) + 1)) for p in primes)


def test_more_primes_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The floating-point sum says enough primes: twice as many give the same numbers."""
    before = [posterior(possible(series)).probabilities for series, _ in cases(32, 30)]
    few = counting.primes
    monkeypatch.setattr(counting, "primes", lambda bits: few(2 * bits + 60))
    assert [posterior(possible(series)).probabilities for series, _ in cases(32, 30)] == before
    for series, _ in cases(32, 30):
        chances = posterior(possible(series))
        for who, wanted in bf.posterior(series).items():
            assert chances.of(who) == wanted
