"""Losses that measure boxes: information loss (total and average) and semiperimeter.

Width of a box in attribute j: ``|G_j| / |D_j|``, interval length over domain length for
numbers and ordered categories, share of the leaves under a taxonomy node (0 for a
leaf), 0 if the domain is a single point; 1 for every attribute of a suppressed tuple.
Counterfeits lose nothing: there is nobody to be wrong about.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, ClassVar

from ..box import Cell
from ..group import Form
from ..loss import Cost, Loss, register_loss
from ..problem_view import smallest_group
from ..release import QIGroup, Release
from ..table import Member, Microdata

if TYPE_CHECKING:
    from ..encoding import Encoding

__all__ = ["AverageInformationLoss", "InformationLoss", "Semiperimeter", "unit_weights"]

LARGEST = 2**50
"""Largest cost of a whole release: far inside int64 and exact in a float."""


def perimeter(group: QIGroup, table: Microdata) -> Fraction:
    """Sum of the widths of a group's box; 0 for an anatomized group."""
    if group.box is None:
        return Fraction(0)
    return sum((d.width(cell) for d, cell in zip(table.domains, group.box, strict=True)), Fraction(0))


def unit_weights(table: Microdata, copies: int) -> tuple[list[int], int, bool]:
    """Integer weight per width unit of each attribute, the common scale, and whether it is exact.

    With spans s_a the exact scale is lcm(s_a) and the weights are scale / s_a. If `copies` times
    the widest box would then exceed 2**50, the largest power of two that fits is taken as the
    scale and weights are rounded down, so that costs never exceed the true loss.
    """
    spans = [domain.span for domain in table.domains]
    scale = lcm(*spans)
    exact = scale * copies * len(spans) <= LARGEST
    if not exact:
        scale = 1 << (LARGEST // (copies * len(spans))).bit_length() - 1
    return [scale // span for span in spans], scale, exact


@register_loss
class InformationLoss(Loss):
    """Sum over all tuples of the widths of their boxes."""

    name: ClassVar[str] = "information_loss"
    reference: ClassVar[str] = "Byun et al., Def. 4; Xu et al. (2006) for categories"

    def of_group(self, group: QIGroup, table: Microdata) -> Fraction:
        return len(group.members) * perimeter(group, table)

    def by_size(self, size: int, fakes: int, form: Form) -> Fraction | None:
        """Anatomized groups have no boxes: f = 0."""
        return Fraction(0) if form == "anatomized" else None

    def box_weights(self, members: int, table: Microdata) -> tuple[Fraction, ...]:
        """Every member pays every width."""
        return (Fraction(members),) * len(table.domains)

    def of_suppressed(self, member: Member, table: Microdata) -> Fraction:
        return Fraction(len(table.domains))

    def value(self, release: Release, table: Microdata) -> Fraction:
        """The same sum, cell by cell: large releases publish few different ones."""
        unit = self.of_suppressed(release.suppressed[0], table) if release.suppressed else Fraction(0)
        share = Fraction(1, self._tuples(table))
        total = len(release.suppressed) * unit
        for a, domain in enumerate(table.domains):
            people: Counter[int] = Counter()
            cells: dict[int, Cell] = {}
            for group in release.groups:
                if group.box is not None:
                    cell = group.box[a]
                    people[id(cell)] += len(group.members)
                    cells[id(cell)] = cell
            total += share * sum((domain.width(cells[at]) * n for at, n in people.items()), Fraction(0))
        return total

    def _tuples(self, table: Microdata) -> int:
        """What the sum is divided by."""
        return 1

    def encode(self, model: Encoding) -> Cost:
        """One loss per tuple, at least the perimeter of whichever slot the tuple is in."""
        n, attributes = len(model.tuples), range(len(model.table.domains))
        weights, scale, exact = unit_weights(model.table, n)
        top = scale * len(attributes)
        generalized = model.problem.policy.form == "generalized"
        total = sum(top * model.suppressed(t) for t in model.tuples)
        if not generalized:
            return Cost(expression=total, scale=scale, exact=exact)
        least = self._least(model, weights)
        tuples = [model.cp.new_int_var(0, top, f"loss[{t}]") for t in model.tuples]
        for t in model.tuples:
            if least[t]:
                model.cp.add(tuples[t] + least[t] * model.suppressed(t) >= least[t])
        for g in model.slots:
            around = sum(weights[a] * model.width(g, a) for a in attributes)
            for t in model.candidates(g):
                model.cp.add(tuples[t] >= around).only_enforce_if(model.x(t, g))
        return Cost(expression=total + sum(tuples), scale=scale, exact=exact)

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
class AverageInformationLoss(InformationLoss):
    """Information loss per tuple of the microdata."""

    name: ClassVar[str] = "average_information_loss"
    reference: ClassVar[str] = "Byun et al., sec. 6.1"

    def _tuples(self, table: Microdata) -> int:
        return len(table)

    def of_group(self, group: QIGroup, table: Microdata) -> Fraction:
        return super().of_group(group, table) / len(table)

    def box_weights(self, members: int, table: Microdata) -> tuple[Fraction, ...]:
        """Every member pays her share of every width."""
        return (Fraction(members, len(table)),) * len(table.domains)

    def of_suppressed(self, member: Member, table: Microdata) -> Fraction:
        return super().of_suppressed(member, table) / len(table)

    def encode(self, model: Encoding) -> Cost:
        total = super().encode(model)
        return Cost(expression=total.expression, scale=total.scale * len(model.table), exact=total.exact)


@register_loss
class Semiperimeter(Loss):
    """Sum over all groups of the widths of their boxes (suppressed tuples cost nothing here)."""

    name: ClassVar[str] = "semiperimeter"
    reference: ClassVar[str] = "Riboni and Bettini, sec. 4"

    def of_group(self, group: QIGroup, table: Microdata) -> Fraction:
        return perimeter(group, table)

    def by_size(self, size: int, fakes: int, form: Form) -> Fraction | None:
        """Anatomized groups have no boxes: f = 0."""
        return Fraction(0) if form == "anatomized" else None

    def box_weights(self, members: int, table: Microdata) -> tuple[Fraction, ...]:
        """Every group pays its widths once."""
        return (Fraction(1),) * len(table.domains)

    def encode(self, model: Encoding) -> Cost:
        weights, scale, exact = unit_weights(model.table, len(model.slots) or 1)
        if model.problem.policy.form == "anatomized":
            return Cost(expression=0, scale=scale, exact=exact)
        boxes = [weights[a] * model.width(g, a) for g in model.slots for a in range(len(weights))]
        return Cost(expression=sum(boxes), scale=scale, exact=exact)
