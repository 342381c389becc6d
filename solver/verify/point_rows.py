"""The table as points, as bounds on squared error speak of it, derived from the problem alone."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ...models.errors import CertificateError
from ...models.losses.pair_costs import FINE, MOST_CODE, pair_costs, places
from ...models.losses.squared import squared_error_of
from ...models.problem import Problem
from .outcome import UndecidedError
from .rows import Ints

__all__ = ["CheckedPoints"]

MOST_POINTS = 8_000


@dataclass(frozen=True, kw_only=True)
class CheckedPoints:
    """Points in the order in which the table names their first tuples; see `places`.

    Attributes
    ----------
    codes, prices
        See `SquaredError.steps`.
    pairs : shape (points, points)
        See `pair_costs`.
    count, tuples
        How many tuples are at each point, and which (by their row of the microdata, from 0).
    """

    codes: Ints
    prices: tuple[Fraction, ...]
    pairs: Ints
    count: Ints
    tuples: tuple[tuple[int, ...], ...]

    def __len__(self) -> int:
        return len(self.count)

    @property
    def most(self) -> int:
        """No release costs more."""
        return 100 * FINE + 1

    @classmethod
    def of(cls, problem: Problem) -> CheckedPoints:
        """Read a problem.

        Raises
        ------
        CertificateError
            If its objective is something else, or numbers are too fine.
        UndecidedError
            If there are too many points.
        """
        squared = squared_error_of(problem)
        if squared is None:
            raise CertificateError("a bound on squared error is stated for another objective")
        codes, prices = squared.steps(problem.table)
        if codes.size and int(codes.max()) > MOST_CODE:
            raise CertificateError("the numbers are too fine for a bound on squared error")
        alike = places(codes)
        if len(alike) > MOST_POINTS:
            raise UndecidedError("there are too many points to be gone through again")
        points = codes[[found[0] for found in alike]]
        return cls(
            codes=points,
            prices=prices,
            pairs=pair_costs(points, prices),
            count=np.array([len(found) for found in alike], dtype=np.int64),
            tuples=alike,
        )
