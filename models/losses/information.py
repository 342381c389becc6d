"""Losses that measure boxes: information loss (total and average), NCP, and semiperimeter.

Width of a box in attribute j: ``|G_j| / |D_j|``, interval length over domain length for
numbers and ordered categories, share of the leaves under a taxonomy node (0 for a
leaf), 0 if the domain is a single point; 1 for every attribute of a suppressed tuple.
Counterfeits lose nothing: there is nobody to be wrong about. A policy may weigh attributes
(`Policy.weights`, kept as `Microdata.weights`): then each width counts so many times.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Literal

from ..exact_numbers import in_units
from ..group import Form
from ..release import QIGroup
from ..table import Microdata
from ..whole_weights import unit_weights
from .base import BoxLoss, Cost, Loss, register_loss

if TYPE_CHECKING:
    from ..encoding import Encoding

__all__ = [
    "AverageInformationLoss",
    "InformationLoss",
    "NormalizedCertaintyPenalty",
    "Semiperimeter",
    "SemiperimeterPerTuple",
]


def perimeter(group: QIGroup, table: Microdata) -> Fraction:
    """Weighted sum of the widths of a group's box; 0 for an anatomized group."""
    if group.box is None:
        return Fraction(0)
    parts = zip(table.weights, table.domains, group.box, strict=True)
    return sum((w * d.width(cell) for w, d, cell in parts), Fraction(0))


@register_loss
class InformationLoss(BoxLoss):
    """Sum over all tuples of the widths of their boxes.

    Use it unless there is a reason for another: it knows intervals, categories and weights.

    A cell's width is 0 if it is exact and 1 if it says nothing: an interval's length over that of its column,
    or the share of the categories it may be. A record loses the widths of all its cells (times the columns'
    weights), a suppressed one 1 in each column, so most is lost at records times columns.
    """

    name: ClassVar[str] = "information_loss"
    reference: ClassVar[str] = "Byun et al., Def. 4; Xu et al. (2006) for categories"

    def box_weights(self, table: Microdata) -> tuple[Fraction, ...]:
        """Every member pays every width."""
        return table.weights


@register_loss
class AverageInformationLoss(BoxLoss):
    """Information loss per tuple of the microdata.

    Use it to compare tables of different sizes; it ranks releases as `information_loss` does.

    From 0 to the number of columns (or the sum of their weights).
    """

    name: ClassVar[str] = "average_information_loss"
    reference: ClassVar[str] = "Byun et al., sec. 6.1"

    def box_weights(self, table: Microdata) -> tuple[Fraction, ...]:
        """Every member pays her share of every width."""
        return tuple(weight / len(table) for weight in table.weights)


@register_loss
class NormalizedCertaintyPenalty(BoxLoss):
    """Mean width of a published cell, over tuples and attributes: 0 if all is exact, 1 if nothing is said.

    Use it if a share from 0 to 1 says more to your readers than a sum.

    The normalized certainty penalty of a whole table. With weights of columns it is the weighted mean; a
    suppressed record counts as cells of width 1. It ranks releases as `information_loss` does.
    """

    name: ClassVar[str] = "ncp"
    reference: ClassVar[str] = "Xu et al. (2006); scaled to 0 to 1 by Ghinita et al. (2007)"

    def box_weights(self, table: Microdata) -> tuple[Fraction, ...]:
        """Every cell counts alike, or by its attribute's weight."""
        total = len(table) * sum(table.weights, Fraction(0))
        return tuple(weight / total if total else Fraction(0) for weight in table.weights)


@register_loss
class SemiperimeterPerTuple(AverageInformationLoss):
    """Mean over the tuples of the semiperimeter of the box that each is published in.

    Use it to compare with papers that count boxes.

    It is the average information loss, under its name for boxes. Unlike `semiperimeter`, which counts each
    box once, it is not met best by few large groups.
    """

    name: ClassVar[str] = "semiperimeter_per_tuple"
    reference: ClassVar[str] = "Riboni and Bettini, sec. 4, for each tuple"


@register_loss
class Semiperimeter(Loss):
    """Sum over all groups of the widths of their boxes (suppressed tuples cost nothing here).

    Use it only to compare with the paper.

    Fewer groups have fewer boxes to pay for: one group of everybody often meets it best. What is usually
    meant is `semiperimeter_per_tuple`, or the sum over tuples, `information_loss`.
    """

    name: ClassVar[str] = "semiperimeter"
    box_payer: ClassVar[Literal["tuple", "group"]] = "group"
    reference: ClassVar[str] = "Riboni and Bettini, sec. 4"

    def of_group(self, group: QIGroup, table: Microdata) -> Fraction:
        return perimeter(group, table)

    def by_size(self, size: int, fakes: int, form: Form) -> Fraction | None:
        """Anatomized groups have no boxes: f = 0."""
        return Fraction(0) if form == "anatomized" else None

    def box_weights(self, table: Microdata) -> tuple[Fraction, ...]:
        """Every group pays its widths once."""
        return table.weights

    def encode(self, model: Encoding) -> Cost:
        units, parts = in_units(model.table.weights)
        weights, scale, exact = unit_weights(model.table, len(model.slots) or 1, units)
        scale *= parts
        if model.problem.policy.form == "anatomized":
            return Cost(expression=0, scale=scale, exact=exact)
        boxes = [weights[a] * model.width(g, a) for g in model.slots for a in range(len(weights))]
        return Cost(expression=sum(boxes), scale=scale, exact=exact)
