r"""The probability that an association holds, given two published views.

All possible base tables (*worlds*) are equally likely (Wang and Lakshmanan, section 3.2).
Let the identifier be on ``s`` of the ``m`` identifier-side tuples of a component, the
property value on ``t`` of the ``n`` others, and let ``A(t)`` be
``covers_avoiding(m, n, s, t)``, the worlds in which no edge joins the two.

*Unrestricted.* :math:`P = 1 - \prod_c A_c(t_c) / A_c(0)`. It exceeds 1/2 for **every**
association in the cover (adding the edge to a cover without it is an injection into the covers
with it, and misses those in which one of its end points has no other edge), so in this model a
threshold of 1/2 or less can never be met, except by not letting the views join the two
values at all: there it is a figure to report, not a condition to aim at.

*Restricted.* The adversary knows that the identifier has one property value. The worlds in
which this value is ``v`` number :math:`N(v) = \prod_c A_c(n_c - t_c(v))`, so
:math:`P(v) = N(v) / \sum_u N(u)`. It is 1/(size of the cover) if all values are on equally
many tuples, and otherwise neither that nor ``t/n``. If no world is left, as with ``m = 1 < n``
where the one tuple must carry every value, the quotient is 0/0 and counts as certainty.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import prod

from ..errors import PolicyError
from .association import association_cover
from .connectivity import ComponentCounts, connectivity_graph
from .enclosure import cover_share
from .pair import SecretColumns, ViewPair
from .query import SecretQuery

__all__ = ["EXACT_CELLS", "AttackModel", "Breach", "Posterior", "breach", "exceeds", "posterior"]

EXACT_CELLS = 1 << 14
"""Default for the largest component ``m * n`` whose worlds are counted exactly."""

_WIDTH = Fraction(1, 1 << 40)


class AttackModel(StrEnum):
    """What the adversary knows besides the views."""

    UNRESTRICTED = "unrestricted"
    """Nothing: an identifier may have several property values."""
    RESTRICTED = "restricted"
    """The identifier has exactly one property value in the whole table (Def. 3.4)."""
    RESTRICTED_PER_JOIN_VALUE = "restricted per join value"
    """It has exactly one per join value, say per visit, and join values are independent."""


@dataclass(frozen=True, kw_only=True)
class Posterior:
    """Bounds on a probability.

    Parameters
    ----------
    lower, upper
        ``0 <= lower <= upper <= 1``.
    consistent
        False if no world agrees with what the adversary knows; then both bounds are 1.

    Raises
    ------
    PolicyError
        If the bounds are out of order.
    """

    lower: Fraction
    upper: Fraction
    consistent: bool = True

    def __post_init__(self) -> None:
        if not 0 <= self.lower <= self.upper <= 1:
            raise PolicyError("Posterior: bounds must satisfy 0 <= lower <= upper <= 1")


@dataclass(frozen=True, kw_only=True)
class Breach:
    """The verdict on one association.

    Parameters
    ----------
    query
        The association, both values given.
    model
        What the adversary was taken to know.
    exposure
        Where the views publish the two columns.
    cover_size
        Number of property values the views allow for the identifier.
    posterior
        The probability, or bounds on it if a component is very large.
    """

    query: SecretQuery
    model: AttackModel
    exposure: SecretColumns
    cover_size: int
    posterior: Posterior

    @property
    def is_exact(self) -> bool:
        """Whether the probability is known exactly."""
        return self.posterior.lower == self.posterior.upper

    @property
    def probability(self) -> Fraction:
        """The probability, or its upper bound if it is not known exactly."""
        return self.posterior.upper


def breach(
    views: ViewPair,
    query: SecretQuery,
    model: AttackModel,
    *,
    exact_cells: int = EXACT_CELLS,
) -> Breach:
    """Compute the probability of an association from two published views alone.

    Parameters
    ----------
    views
        The published views.
    query
        The association, with both values.
    model
        What the adversary knows.
    exact_cells
        Components of more than this many tuple pairs are bounded, to a width below
        ``2 ** -40``, instead of counted.

    Returns
    -------
    Breach
        Probability 0 for an association outside the cover, 1 for one that a view shows.

    Raises
    ------
    PolicyError
        If the query lacks a value.
    TableError
        If one of the two columns holds only values of another kind than the query.
    """
    if not query.is_association:
        raise PolicyError("breach: the query needs both values; expand it on the table first")
    cover = association_cover(views, query)
    place = views.exposure(query)
    if place is not SecretColumns.WITHHELD and query.property_value not in cover:
        # looked up only for its complaint about a value of the wrong kind
        side = views.view_with(query.property_attribute)
        tuple(views.join_values(side, query.property_attribute, query.property_value))
    if place is SecretColumns.SPLIT:
        counts = [component.counts for component in connectivity_graph(views, query)]
        result = _refined(counts, query.property_value, model, exact_cells)
    else:
        shown = Fraction(int(query.property_value in cover))
        result = Posterior(lower=shown, upper=shown)
    return Breach(query=query, model=model, exposure=place, cover_size=len(cover), posterior=result)


def posterior(
    components: Sequence[ComponentCounts],
    value: Hashable,
    model: AttackModel,
    *,
    bits: int | None = None,
) -> Posterior:
    """Compute or bound the probability that an identifier has a property value.

    Parameters
    ----------
    components
        The components in which the identifier occurs.
    value
        The property value.
    model
        What the adversary knows.
    bits
        Working precision of the bounds, at least 8; None counts exactly.

    Returns
    -------
    Posterior
        Bounds, equal if ``bits`` is None.
    """
    with_value = [component for component in components if value in component.multiplicity]
    if not with_value:
        return Posterior(lower=Fraction(0), upper=Fraction(0))
    if model is AttackModel.RESTRICTED:
        return _one_value(components, value, bits)
    parts = [
        _edge(component, value, bits)
        if model is AttackModel.UNRESTRICTED
        else _one_value([component], value, bits)
        for component in with_value
    ]
    return Posterior(
        lower=_complement(part.lower for part in parts),
        upper=_complement(part.upper for part in parts),
        consistent=all(part.consistent for part in parts),
    )


def exceeds(
    components: Sequence[ComponentCounts],
    value: Hashable,
    model: AttackModel,
    threshold: Fraction,
    *,
    exact_cells: int = EXACT_CELLS,
) -> bool:
    """Decide, always correctly, whether the probability is above a threshold.

    Parameters
    ----------
    components, value, model
        As in :func:`posterior`.
    threshold
        Compared with ``>``.
    exact_cells
        Beyond this many tuple pairs bounds are tried first, with doubled precision until
        they decide.

    Returns
    -------
    bool
        True if the probability is greater than ``threshold``.
    """
    if all(value not in component.multiplicity for component in components):
        return threshold < 0
    if model is AttackModel.UNRESTRICTED and 2 * threshold <= 1:
        return True  # more than 1/2 for every value in the cover
    largest = max(component.m * component.n for component in components)
    bits: int | None = 64 if largest > exact_cells else None
    while True:
        result = posterior(components, value, model, bits=bits)
        if result.lower > threshold:
            return True
        if result.upper <= threshold:
            return False
        # the exact count is no larger than bounds of that many bits, and decides
        bits = 2 * bits if bits is not None and 2 * bits < largest else None


def _refined(
    components: Sequence[ComponentCounts], value: Hashable, model: AttackModel, exact_cells: int
) -> Posterior:
    largest = max((component.m * component.n for component in components), default=0)
    bits: int | None = 64 if largest > exact_cells else None
    while True:
        result = posterior(components, value, model, bits=bits)
        if bits is None or result.upper - result.lower < _WIDTH:
            return result
        bits = 2 * bits if 2 * bits < largest else None


def _edge(component: ComponentCounts, value: Hashable, bits: int | None) -> Posterior:
    """Unrestricted: some edge joins the identifier with the value in this component."""
    m, n, s = component.m, component.n, component.s
    if m == s:
        return Posterior(lower=Fraction(1), upper=Fraction(1))  # nobody else can have it
    without = cover_share(m, n, s, component.multiplicity[value], bits=bits)
    worlds = cover_share(m, n, 0, 0, bits=bits)
    if worlds[0] == 0:
        return Posterior(lower=Fraction(1, 2), upper=Fraction(1))
    return Posterior(
        lower=max(1 - without[1] / worlds[0], Fraction(1, 2)),
        upper=1 - without[0] / worlds[1],
    )


def _one_value(components: Sequence[ComponentCounts], value: Hashable, bits: int | None) -> Posterior:
    """Restricted: the same single value in all given components."""
    # worlds depend on a value through its multiplicities only, so values are counted by kind
    kinds = {v: _feasible_kind(components, v) for v in components[0].multiplicity}
    number: dict[tuple[int, ...], int] = {}
    for kind in kinds.values():
        if kind is not None:
            number[kind] = number.get(kind, 0) + 1
    if not number:
        return Posterior(lower=Fraction(1), upper=Fraction(1), consistent=False)
    own = kinds.get(value)
    if own is None:
        return Posterior(lower=Fraction(0), upper=Fraction(0))
    if len(number) == 1:
        share = Fraction(1, number[own])
        return Posterior(lower=share, upper=share)
    weight = {kind: _worlds(components, kind, bits) for kind in number}
    low, high = weight.pop(own)
    rest_low = (number[own] - 1) * low + sum(number[k] * w[0] for k, w in weight.items())
    rest_high = (number[own] - 1) * high + sum(number[k] * w[1] for k, w in weight.items())
    return Posterior(
        lower=low / (low + rest_high) if low else Fraction(0),
        upper=high / (high + rest_low) if high else Fraction(1),
    )


def _feasible_kind(components: Sequence[ComponentCounts], value: Hashable) -> tuple[int, ...] | None:
    """Return the multiplicities of a value, or None if no world gives it to the identifier."""
    kind: list[int] = []
    for component in components:
        t = component.multiplicity.get(value, 0)
        # tuples with another value need somebody else as a partner
        if t == 0 or (component.m == component.s and t < component.n):
            return None
        kind.append(t)
    return tuple(kind)


def _worlds(
    components: Sequence[ComponentCounts], kind: tuple[int, ...], bits: int | None
) -> tuple[Fraction, Fraction]:
    low = high = Fraction(1)
    for component, t in zip(components, kind, strict=True):
        n = component.n
        share = cover_share(component.m, n, component.s, n - t, bits=bits)
        low, high = low * share[0], high * share[1]
    return low, high


def _complement(bounds: Iterable[Fraction]) -> Fraction:
    """Probability of at least one of several independent events."""
    return 1 - prod((1 - bound for bound in bounds), start=Fraction(1))
