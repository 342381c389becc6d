"""Losses that measure boxes: information loss (total and average), NCP, and semiperimeter.

Width of a box in attribute j: ``|G_j| / |D_j|``, interval length over domain length for
numbers and ordered categories, share of the leaves under a taxonomy node (0 for a
leaf), 0 if the domain is a single point; 1 for every attribute of a suppressed tuple.
Counterfeits lose nothing: there is nobody to be wrong about. A policy may weigh attributes
(`Policy.weights`, kept as `Microdata.weights`): then each width counts so many times.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, ClassVar, Literal

from ..box import Cell
from ..group import Form
from ..problem_view import smallest_group
from ..release import QIGroup, Release
from ..table import Member, Microdata
from ..whole_weights import unit_weights
from .base import Cost, Loss, register_loss

if TYPE_CHECKING:
    from ..encoding import Encoding

__all__ = [
    "AverageInformationLoss",
    "BoxLoss",
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


class BoxLoss(Loss):
    """Base of losses that every record pays for the widths of its cells: only `box_weights` has to be given.

    A box is what a group publishes of its quasi-identifiers, one interval or set of categories per column; a
    width is from 0 (exact) to 1 (anything). A suppressed record pays a width of 1 in every column, a
    counterfeit nothing.
    """

    @abstractmethod
    def box_weights(self, table: Microdata) -> tuple[Fraction, ...]:
        """What a cell of width 1 costs a record in each column, at least 0.

        Parameters
        ----------
        table : Microdata
            The records; `table.weights` are the policy's weights of its columns.

        Returns
        -------
        tuple of Fraction
            One number per quasi-identifier, in the table's order.
        """

    def of_group(self, group: QIGroup, table: Microdata) -> Fraction:
        if group.box is None:
            return Fraction(0)
        parts = zip(self.box_weights(table), table.domains, group.box, strict=True)
        return len(group.members) * sum((w * d.width(cell) for w, d, cell in parts), Fraction(0))

    def by_size(self, size: int, fakes: int, form: Form) -> Fraction | None:
        """Anatomized groups have no boxes: f = 0."""
        return Fraction(0) if form == "anatomized" else None

    def of_suppressed(self, member: Member, table: Microdata) -> Fraction:
        return sum(self.box_weights(table), Fraction(0))

    def value(self, release: Release, table: Microdata) -> Fraction:
        """The same sum, cell by cell: large releases publish few different ones."""
        weights = self.box_weights(table)
        total = len(release.suppressed) * sum(weights, Fraction(0))
        for a, (domain, weight) in enumerate(zip(table.domains, weights, strict=True)):
            people: Counter[int] = Counter()
            cells: dict[int, Cell] = {}
            for group in release.groups:
                if group.box is not None:
                    cell = group.box[a]
                    people[id(cell)] += len(group.members)
                    cells[id(cell)] = cell
            total += weight * sum((domain.width(cells[at]) * n for at, n in people.items()), Fraction(0))
        return total

    def encode(self, model: Encoding) -> Cost:
        """One loss per tuple, at least the perimeter of whichever slot the tuple is in."""
        n, attributes = len(model.tuples), range(len(model.table.domains))
        shares = self.box_weights(model.table)
        parts = lcm(*(share.denominator for share in shares))
        units = [int(share * parts) for share in shares]
        weights, scale, exact = unit_weights(model.table, n, units)
        top = scale * sum(units)
        generalized = model.problem.policy.form == "generalized"
        total = sum(top * model.suppressed(t) for t in model.tuples)
        if not generalized:
            return Cost(expression=total, scale=scale * parts, exact=exact)
        least = self._least(model, weights)
        tuples = [model.cp.new_int_var(0, top, f"loss[{t}]") for t in model.tuples]
        for t in model.tuples:
            if least[t]:
                model.cp.add(tuples[t] + least[t] * model.suppressed(t) >= least[t])
        for g in model.slots:
            around = sum(weights[a] * model.width(g, a) for a in attributes)
            for t in model.candidates(g):
                model.cp.add(tuples[t] >= around).only_enforce_if(model.x(t, g))
        return Cost(expression=total + sum(tuples), scale=scale * parts, exact=exact)

    @staticmethod
    def _least(model: Encoding, weights: list[int]) -> list[int]:
        """Loss that a published tuple cannot avoid: the way to its (smallest group - 1)-th neighbour.

        Valid where groups consist of real tuples only: a group of s members holds a
        neighbour at least as far as the (s-1)-th nearest, and its box covers both.
        """
        table = model.table
        size = smallest_group(model.problem)
        if model.may_fake or size < 2 or size > len(model.tuples):
            return [0] * len(model.tuples)
        found: list[int] = []
        for t in model.tuples:
            ways = sorted(
                sum(
                    weight * domain.units(*sorted((int(table.codes[t, a]), int(table.codes[u, a]))))
                    for a, (domain, weight) in enumerate(zip(table.domains, weights, strict=True))
                )
                for u in model.tuples
                if u != t
            )
            found.append(ways[size - 2])
        return found


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
        parts = lcm(*(weight.denominator for weight in model.table.weights))
        units = [int(weight * parts) for weight in model.table.weights]
        weights, scale, exact = unit_weights(model.table, len(model.slots) or 1, units)
        scale *= parts
        if model.problem.policy.form == "anatomized":
            return Cost(expression=0, scale=scale, exact=exact)
        boxes = [weights[a] * model.width(g, a) for g in model.slots for a in range(len(weights))]
        return Cost(expression=sum(boxes), scale=scale, exact=exact)
