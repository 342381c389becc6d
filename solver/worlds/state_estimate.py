r"""How many states an order will need, before any are made; and an order that follows correlations.

Counts are taken to be normal, as spread as their bounds allow and as correlated as the rows make them:
with D the variances of uniform counts within their bounds and S those of the rows' slacks,

    C = D - D A' (A D A' + S)^-1 A D = K K'.

What a set of counts leaves of the rows is then normal too, and its entropy, ``1/2 log2 det(1 + 2 pi e V)``
for its covariance V, tells the states to be expected. That is no bound: it only says which order
to try, and which component not to.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...models.adversary.propagation import Bounds, Component
from .elimination import Order

__all__ = ["StateEstimate", "ranked"]

LARGEST = 1_500
"""Components with more pairs are not estimated."""

PLACES = 80
"""Places of an order at which states are estimated."""

HOPELESS = 60.0
"""Binary logarithm of states from which on nothing more need be known."""

Floats = NDArray[np.float64]


class StateEstimate:
    """Estimates for the orders of one component.

    Parameters
    ----------
    component, bounds
        As for `open_components`. O(pairs^3) to set up, O(pairs * rank^3) per order.
    """

    def __init__(self, component: Component, bounds: Bounds) -> None:
        height, width = len(component.rows), len(component.pairs)
        matrix = np.zeros((height, width))
        matrix[component.entry_row, component.entry_pair] = component.entry_sign
        ranges = (bounds.upper - bounds.lower)[component.pairs]
        spread = np.diag(_variance(ranges))
        slack = np.diag(_variance(np.minimum(component.high - component.low, np.abs(matrix) @ ranges)))
        mixed = matrix @ spread
        covariance = spread - mixed.T @ np.linalg.pinv(mixed @ matrix.T + slack, hermitian=True) @ mixed
        values, vectors = np.linalg.eigh(covariance)
        kept = values > 1e-6
        self._matrix, self._covariance = matrix, covariance
        self._factor: Floats = vectors[:, kept] * np.sqrt(values[kept])

    def bits(self, order: Order) -> float:
        """Binary logarithm of the states to be expected in all."""
        left = np.zeros((len(self._matrix), self._factor.shape[1]))
        unit = np.eye(left.shape[1])
        stride = -(-len(order) // PLACES)
        found = np.zeros(len(order))
        for step, pair in enumerate(order):
            for row in np.flatnonzero(self._matrix[:, pair]):
                left[row] += self._matrix[row, pair] * self._factor[pair]
            if step % stride:
                continue
            used = left[np.abs(left).max(axis=1, initial=0) > 1e-7]
            gram = used @ used.T if len(used) < len(unit) else used.T @ used
            found[step] = np.linalg.slogdet(np.eye(len(gram)) + 2 * np.pi * np.e * gram)[1] / np.log(4)
            if found[step] > HOPELESS:
                return HOPELESS
        found = np.repeat(found[::stride], stride)[: len(order)]
        return float(np.log2(np.exp2(found).sum()))

    def along(self) -> Order:
        """Counts along the axis that keeps correlated ones together (Fiedler vector)."""
        spread = np.sqrt(np.maximum(np.diag(self._covariance), 1e-9))
        alike = np.abs(self._covariance / np.outer(spread, spread))
        np.fill_diagonal(alike, 0.0)
        scale = 1 / np.sqrt(np.maximum(alike.sum(axis=1), 1e-9))
        laplacian = np.eye(len(alike)) - scale[:, None] * alike * scale
        second = np.linalg.eigh(laplacian)[1][:, min(1, len(alike) - 1)] * scale
        return tuple(np.argsort(second, kind="stable").tolist())


def ranked(component: Component, bounds: Bounds, orders: list[Order]) -> tuple[list[Order], list[float]]:
    """Orders and the one along correlations, that with the fewest states first, and their estimates.

    Components with more than `LARGEST` pairs keep their orders, as if none needed any states.
    """
    if len(orders) < 2 or len(component.pairs) > LARGEST:
        return orders, [0.0] * len(orders)
    estimate = StateEstimate(component, bounds)
    found = sorted((estimate.bits(order), order) for order in dict.fromkeys([*orders, estimate.along()]))
    return [order for _, order in found], [bits for bits, _ in found]


def _variance(ranges: NDArray[np.int64] | Floats) -> Floats:
    return ((ranges + 1.0) ** 2 - 1) / 12
