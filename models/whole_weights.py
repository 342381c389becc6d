"""Weights of widths in whole numbers: what one unit of each attribute costs, so that sums fit in 64 bits."""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm

from .errors import TooLargeError
from .table import Microdata

__all__ = ["LARGEST", "unit_weights", "whole_weights"]

LARGEST = 2**50
"""Largest cost of a whole release: far inside int64 and exact in a float."""


def unit_weights(
    table: Microdata, copies: int, units: Sequence[int] | None = None
) -> tuple[list[int], int, bool]:
    """Integer weight per width unit of each attribute, the common scale, and whether it is exact.

    As `whole_weights` says, for the spans of the table's domains and `units` (default: 1 each).
    """
    spans = [domain.span for domain in table.domains]
    return whole_weights(spans, [1] * len(spans) if units is None else units, copies)


def whole_weights(spans: Sequence[int], units: Sequence[int], copies: int) -> tuple[list[int], int, bool]:
    """Integer weights for ``units / spans``, the scale they have in common, and whether they are exact.

    The exact scale is the least common multiple of the spans. If `copies` times the widest box would then
    exceed 2**50, the largest power of two that fits is taken as the scale and weights are rounded down, so
    that costs never exceed the true loss.

    Raises
    ------
    TooLargeError
        If the units alone exceed it.
    """
    scale, widest = lcm(*spans), copies * sum(units)
    exact = scale * widest <= LARGEST
    if not exact:
        if widest > LARGEST:
            raise TooLargeError("weights of attributes have too many digits for 64 bits: round them")
        scale = 1 << (LARGEST // widest).bit_length() - 1
    return [scale * unit // span for unit, span in zip(units, spans, strict=True)], scale, exact
