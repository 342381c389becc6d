"""Tables of widths against the widths of domains; how much is asked to make them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from cases.trees import categories
from numpy.typing import NDArray
from strategies import seeded

from optanon.models.categories import Categories
from optanon.models.hierarchies import prefixes
from optanon.models.numeric import Numeric
from optanon.solver.baselines.widths import width_of, widths_between, widths_of


@pytest.mark.parametrize("seed", range(10))
def test_widths_are_those_of_domains(seed: int):
    source = seeded("widths", seed)
    number = Numeric(name="age", lo=Fraction(3), hi=Fraction(9))
    domains = [categories(source, source(0, 9)), number, categories(source, source(0, 40))]
    weights = [source(1, 5) for _ in domains]
    widths = widths_of(domains, weights)
    for a, (domain, weight) in enumerate(zip(domains, weights, strict=True)):
        lo, hi = np.triu_indices(domain.span)
        pairs = list(zip(lo.tolist(), hi.tolist(), strict=True))
        found = [weight * domain.units(x, y) for x, y in pairs]
        assert [width_of(widths, a, x, y) for x, y in pairs] == found
        assert widths_between(widths, a, lo, hi).tolist() == found


def test_as_many_units_are_asked_as_codes_have_neighbours():
    codes, asked = range(1000, 4000), list[int]()
    domain = Categories(name="zip", hierarchy=prefixes(codes, [3, 2]))

    def units(of: Categories, lo: NDArray[np.int64], hi: NDArray[np.int64]) -> NDArray[np.int64]:
        asked.append(len(lo))
        return of.units_between(lo, hi)

    widths = widths_of([domain], [1], units)
    assert asked == [len(codes) - 1]
    assert len(widths.table) < len(codes) * (2 + len(codes).bit_length())
    assert width_of(widths, 0, 5, 14) == 100
