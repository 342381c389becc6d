"""Losses that measure group sizes: discernibility, average and maximum group size."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Literal

from ..group import Form
from ..release import QIGroup, Release
from ..table import Member, Microdata
from .base import Cost, Loss, register_loss

if TYPE_CHECKING:
    from ..encoding import Encoding, Linear

__all__ = ["AverageGroupSize", "Discernibility", "MaximumGroupSize"]


@register_loss
class Discernibility(Loss):
    """Sum of squared published group sizes; a suppressed tuple costs the size of the table.

    Use it to compare with papers that report it, or if group sizes matter more than the width of cells.

    Every record pays the size of its group (equivalence class): the number of records it cannot be told from.
    """

    name: ClassVar[str] = "discernibility"
    reference: ClassVar[str] = "Bayardo and Agrawal, Data Privacy through Optimal k-Anonymization"

    def of_group(self, group: QIGroup, table: Microdata) -> Fraction:
        return Fraction(group.size**2)

    def by_size(self, size: int, fakes: int, form: Form) -> Fraction:
        """f(s) = s * s, and s * s + t * t <= (s + t) * (s + t)."""
        return Fraction(size**2)

    def of_suppressed(self, member: Member, table: Microdata) -> Fraction:
        return Fraction(len(table))

    def encode(self, model: Encoding) -> Cost:
        """Squares by multiplication constraints over the slot sizes."""
        terms: list[Linear] = [len(model.tuples) * model.suppressed(t) for t in model.tuples]
        top = model.largest_size
        for g in model.slots:
            size = model.cp.new_int_var(0, top, f"size[{g}]")
            square = model.cp.new_int_var(0, top * top, f"square[{g}]")
            model.cp.add(size == model.size(g))
            model.cp.add_multiplication_equality(square, [size, size])
            terms.append(square)
        return Cost(expression=sum(terms))


@register_loss
class MaximumGroupSize(Loss):
    """Largest published group size.

    Use it if one large group would spoil the release.

    Counted in published records, invented ones among them; suppressed ones cost nothing here.
    """

    name: ClassVar[str] = "maximum_group_size"
    combine: ClassVar[Literal["sum", "max", "ratio", "release"]] = "max"
    reference: ClassVar[str] = "Fu, Wang, Wong, Wang, Global Privacy Guarantee, sec. 7"

    def of_group(self, group: QIGroup, table: Microdata) -> Fraction:
        return Fraction(group.size)

    def by_size(self, size: int, fakes: int, form: Form) -> Fraction:
        """f(s) = s."""
        return Fraction(size)

    def encode(self, model: Encoding) -> Cost:
        largest = model.cp.new_int_var(0, model.largest_size, "largest")
        for g in model.slots:
            model.cp.add(largest >= model.size(g))
        return Cost(expression=largest)


@register_loss
class AverageGroupSize(Loss):
    """Tuples of the microdata per group; the size of the table if there is no group.

    Use it to compare with papers that report it; nothing is said of how wide cells are.

    The number of tuples is fixed, so the fewest tuples per group means the most
    groups: the model's cost counts tuples that open no group.
    """

    name: ClassVar[str] = "average_group_size"
    combine: ClassVar[Literal["sum", "max", "ratio", "release"]] = "ratio"
    reference: ClassVar[str] = "LeFevre, DeWitt, Ramakrishnan, Mondrian, sec. 4.1"

    def value(self, release: Release, table: Microdata) -> Fraction:
        return Fraction(len(table), max(1, len(release.groups)))

    def by_size(self, size: int, fakes: int, form: Form) -> Fraction:
        """Only the number of groups counts, and it rises when one is cut in two."""
        return Fraction(0)

    def encode(self, model: Encoding) -> Cost:
        return Cost(expression=len(model.tuples) - sum(model.used(g) for g in model.slots))

    def decode(self, cost: int, scale: int, table: Microdata) -> Fraction:
        return Fraction(len(table), max(1, len(table) - cost))
