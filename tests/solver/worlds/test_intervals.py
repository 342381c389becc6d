"""Guaranteed intervals: they hold what exact counting finds, say something, and are there for everybody."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import oracle.brute_force as bf
import pytest
from cases.attacks import history
from cases.audits import cases, local_series, possible

from optanon.models.adversary.propagation import open_components
from optanon.solver.insight.audit import audit as audits
from optanon.solver.settings import Clock
from optanon.solver.worlds import intervals, posterior as posteriors
from optanon.solver.worlds.intervals import expected_ranges
from optanon.solver.worlds.posterior import posterior
from optanon.solver.worlds.state_graph import StateLimits


def test_intervals_hold_the_probabilities_of_enumeration():
    open_ones = 0
    for series, _ in cases(7, 60):
        chances = posterior(possible(series), states=1, estimate=False, intervals=True)
        for who, wanted in bf.posterior(series).items():
            ends = chances.between(who)
            assert ends is not None
            assert wanted.keys() <= ends.keys()
            assert all(low <= wanted.get(value, 0) <= high for value, (low, high) in ends.items())
            open_ones += any(low < high for low, high in ends.values())
    assert open_ones > 20


@pytest.mark.parametrize(("near", "states", "widest"), [(60, 2_000, 0.1), (60, 20, 0.4), (8, 500, 0.9)])
def test_windows_of_any_size_hold_what_is_counted(
    monkeypatch: pytest.MonkeyPatch, near: int, states: int, widest: float
):
    """Small windows see less, and say less, but nothing wrong."""
    monkeypatch.setattr(intervals, "NEAR", near)
    widths: list[Fraction] = []
    for seed in range(3):
        found = possible(local_series(Random(seed), 60, 2 + seed % 2, 8))
        system, chances = found.population.system, posterior(found, estimate=False)
        sizes = system.sizes[system.cell].tolist()
        for component in open_components(system, found.bounds):
            ranges = expected_ranges(system, component, found.bounds, Clock(), StateLimits(states, 20_000))
            for j, (low, high) in zip(component.pairs.tolist(), ranges, strict=True):
                chance = chances.probabilities[j]
                assert chance is not None
                assert low <= chance * sizes[j] <= high
                widths.append((high - low) / sizes[j])
    assert len(widths) > 100
    assert sum(widths) / len(widths) < widest


def test_intervals_have_time_left_when_counting_takes_all_of_its_own(monkeypatch: pytest.MonkeyPatch):
    """Counting gives up at the end of its share, and not all intervals are bounds then."""
    found, ends = possible(local_series(Random(1), 60, 2, 8)), list[float | None]()

    def gives_up(*asked: object) -> None:
        clock = asked[-1]
        assert isinstance(clock, Clock)
        ends.append(clock.limit)

    monkeypatch.setattr(posteriors, "expected_counts", gives_up)
    chances = posterior(found, clock=Clock(1_000), estimate=False, intervals=True)
    assert ends
    assert all(limit is not None and limit <= 500 for limit in ends)
    sizes = found.population.system.sizes[found.population.system.cell].tolist()
    bounds = [(found.bounds.lower[j], found.bounds.upper[j]) for j in range(len(sizes))]
    assert any((low * sizes[j], high * sizes[j]) != bounds[j] for j, (low, high) in chances.intervals.items())
    posterior(found, clock=Clock(1_000), estimate=False)
    assert ends[-1] is not None
    assert ends[-1] > 500


def test_without_time_intervals_are_the_bounds_of_counts():
    found = possible(local_series(Random(1), 60, 2, 8))
    system = found.population.system
    (component, *_) = open_components(system, found.bounds)
    ends = expected_ranges(system, component, found.bounds, Clock(stop=lambda: True))
    least, most = found.bounds.lower.tolist(), found.bounds.upper.tolist()
    for j, (low, high) in zip(component.pairs.tolist(), ends, strict=True):
        assert least[j] <= low <= high <= most[j]


def test_the_report_bounds_everybodys_likeliest_value(monkeypatch: pytest.MonkeyPatch):
    series = local_series(Random(0), 60, 2, 8)
    exact = audits.audit(history(series), explain=False)
    counted = exact.releases[-1].persistent
    assert counted is not None
    assert counted.at_most == counted.worst
    few = posterior
    monkeypatch.setattr(audits, "count_worlds", lambda found, **given: few(found, states=1, **given))  # pyright: ignore
    rough = audits.audit(history(series), explain=False)
    found = rough.releases[-1].persistent
    assert found is not None
    assert found.without_posterior
    assert counted.worst is not None
    assert found.at_most is not None
    assert counted.worst <= found.at_most <= 1
    for who in counted and exact.history.records:
        ends, chances = rough.between(who), exact.posterior(who)
        assert ends is not None
        assert chances is not None
        assert all(ends[value][0] <= chance <= ends[value][1] for value, chance in chances.items())
