"""Losses that count: suppressed tuples, counterfeits and hidden cells."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from ..group import Form
from ..release import Counted, QIGroup
from ..table import Member, Microdata
from .base import Cost, Loss, register_loss

if TYPE_CHECKING:
    from ..encoding import Encoding

__all__ = ["Counterfeits", "HiddenCells", "Suppressed"]


@register_loss
class Suppressed(Loss):
    """Number of tuples left out.

    Use it first if every row counts, before any loss of width.

    Each record of the table that is not published costs 1; at most the size of the table.
    """

    name: ClassVar[str] = "suppressed"
    counts: ClassVar[Counted | None] = "suppressed"
    reference: ClassVar[str] = "Samarati, Protecting Respondents' Identities in Microdata Release"

    def of_suppressed(self, member: Member, table: Microdata) -> Fraction:
        return Fraction(1)

    def by_size(self, size: int, fakes: int, form: Form) -> Fraction:
        """Published groups cost nothing: f = 0."""
        return Fraction(0)

    def encode(self, model: Encoding) -> Cost:
        return Cost(expression=sum(model.suppressed(t) for t in model.tuples))


@register_loss
class Counterfeits(Loss):
    """Number of invented tuples.

    Use it first in a series: invented rows are the price of people who leave.

    Each published record that stands for nobody costs 1.
    """

    name: ClassVar[str] = "counterfeits"
    counts: ClassVar[Counted | None] = "counterfeits"
    reference: ClassVar[str] = "Xiao and Tao, m-Invariance"

    def of_group(self, group: QIGroup, table: Microdata) -> Fraction:
        return Fraction(group.fakes)

    def by_size(self, size: int, fakes: int, form: Form) -> Fraction:
        """F = 0, a = 1; two parts of a group have its counterfeits together."""
        return Fraction(fakes)

    def encode(self, model: Encoding) -> Cost:
        return Cost(expression=sum(model.all_fakes(g) for g in model.slots))


@register_loss
class HiddenCells(Loss):
    """Number of single quasi-identifier cells published as ``*`` in an anatomized release.

    Use it for anatomized releases under `safe_correlation`.

    A suppressed tuple has no cells; `suppressed` counts it. Cells may be hidden only under a
    policy that names this loss.
    """

    name: ClassVar[str] = "hidden_cells"
    counts: ClassVar[Counted | None] = "hidden_cells"
    by_group: ClassVar[bool] = False
    reference: ClassVar[str] = "al Bouna, Clifton, Malluhi, Def. 8 (summed over values, times |T|)"

    def of_group(self, group: QIGroup, table: Microdata) -> Fraction:
        return Fraction(group.hidden_cells)

    def by_size(self, size: int, fakes: int, form: Form) -> Fraction:
        """A group without hidden cells costs nothing: f = 0."""
        return Fraction(0)

    def encode(self, model: Encoding) -> Cost:
        return Cost(expression=model.all_hidden())
