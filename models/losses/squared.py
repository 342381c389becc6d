"""Squared error of numbers: how far tuples are from the means of their groups.

The measure of microaggregation (Domingo-Ferrer and Mateo-Sanz): the sum of squared distances of all tuples to
their group's mean, SSE, as a share of the sum of their distances to the mean of the table, SST, in percent.
0 if every tuple is like all others of its group, 100 if all are one group. It is measured on the tuples
themselves: what is published are boxes, as under any loss, and never the means (a mean times the size of its
group is a sum, and sums of two releases subtract exactly).

`squared_error` first divides each attribute by its standard deviation (z-scores), so that attributes count
alike: SST is then the number of tuples times that of attributes. `squared_error_unscaled` takes numbers as
they are, so that wide attributes count most. Weights of a policy count an attribute's squares so many times,
in SSE and SST. A suppressed tuple is as far from everything as the mean of the table is. An attribute with
one value loses nothing and does not count. Categories have no squares and are not measured: a policy that
minimizes nothing else of them is refused. All exact: variances are rational, only their roots are not.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, ClassVar

from ..domain import Codes, Domain
from ..errors import EngineError
from ..exact_numbers import in_units
from ..memo import memoized
from ..numeric import Numeric
from ..problem_view import ProblemView
from ..release import QIGroup
from ..table import Member, Microdata
from .base import Cost, Loss, loss, register_loss

if TYPE_CHECKING:
    from ..encoding import Encoding

__all__ = ["SquaredError", "UnscaledSquaredError", "squared_error_of"]

PERCENT = 100
LARGEST = 1 << 58
"""No sum in a model is larger."""
FINEST = 64
"""Least weight of an attribute's squares in a model, in units of its cost."""


@dataclass(frozen=True, kw_only=True)
class _Axis:
    """A numeric attribute: its number, the mean of the table, and the price of its squares, in percent."""

    attribute: int
    mean: Fraction
    price: Fraction


class SquaredError(Loss):
    """Squared distances to the means of groups, of z-scores, in percent of those to the mean of the table.

    Use it for numeric columns, as microaggregation does.

    100 SSE/SST: 0 if all records of a group are alike, 100 if everybody is in one group. Each column is
    divided by its standard deviation first, so that columns count alike, or as a policy's weights say.
    """

    name: ClassVar[str] = "squared_error"
    reference: ClassVar[str] = "Domingo-Ferrer and Mateo-Sanz (2002), of standardized attributes"
    by_members: ClassVar[bool] = True
    scaled: ClassVar[bool] = True

    def measures(self, domain: Domain) -> bool:
        """Numbers, no categories."""
        return isinstance(domain, Numeric)

    def of_group(self, group: QIGroup, table: Microdata) -> Fraction:
        if group.box is None:
            return Fraction(0)
        total = Fraction(0)
        for axis in self._axes(table):
            numbers = [_number(member, axis) for member in group.members]
            own = sum(numbers, Fraction(0)) / len(numbers)
            total += axis.price * sum(((x - own) ** 2 for x in numbers), Fraction(0))
        return total

    def of_suppressed(self, member: Member, table: Microdata) -> Fraction:
        return sum(
            (axis.price * (_number(member, axis) - axis.mean) ** 2 for axis in self._axes(table)), Fraction(0)
        )

    def _axes(self, table: Microdata) -> tuple[_Axis, ...]:
        """The attributes that count: numeric, with several values and a weight."""
        return _axes(table, self.scaled)

    def steps(self, table: Microdata) -> tuple[Codes, tuple[Fraction, ...]]:
        """Codes of the attributes that count, and what the square of a step of each costs, in percent."""
        axes = self._axes(table)
        domains = [table.domains[axis.attribute] for axis in axes]
        prices = [
            axis.price * domain.step**2
            for axis, domain in zip(axes, domains, strict=True)
            if isinstance(domain, Numeric)
        ]
        return table.codes[:, [axis.attribute for axis in axes]], tuple(prices)

    def encode(self, model: Encoding) -> Cost:
        """Per slot and attribute the square of a sum, divided by the number of members: see `_Whole`.

        Let v be a tuple's distance to the mean of the table: n tuples of a group lose the sum of v^2 less
        ``(sum v)^2 / n`` in each attribute, a suppressed tuple v^2. So the cost is that of all v^2, which is
        fixed, less what every slot takes off. Where that is not exact, quotients are rounded up, prices down.
        """
        refusal = self.refuses_model(model.problem)
        if refusal is not None:
            raise EngineError(refusal)
        whole = _Whole.of(model.table, self._axes(model.table))
        if model.problem.policy.form == "anatomized":
            gone = [
                sum(p * whole.times * axis[t] ** 2 for p, axis in zip(whole.prices, whole.axes, strict=True))
                for t in model.tuples
            ]
            total = sum(cost * model.suppressed(t) for t, cost in enumerate(gone))
            return Cost(expression=total, scale=whole.scale, exact=whole.exact)
        most, cp = len(model.tuples), model.cp
        total = sum(
            p * whole.times * sum(v * v for v in axis)
            for p, axis in zip(whole.prices, whole.axes, strict=True)
        )
        expression = total
        for g in model.slots:
            members, among = model.members(g), model.candidates(g)
            number = cp.new_int_var(1, most, f"number[{g}]")
            cp.add(number == members + 1 - model.used(g))
            for a, (price, axis) in enumerate(zip(whole.prices, whole.axes, strict=True)):
                reach, squares = sum(map(abs, axis)), sum(v * v for v in axis)
                if not price or not squares:
                    continue
                way = cp.new_int_var(-reach, reach, f"way[{g},{a}]")
                cp.add(way == sum(axis[t] * model.x(t, g) for t in among))
                square = cp.new_int_var(0, most * squares, f"squared[{g},{a}]")
                cp.add_multiplication_equality(square, [way, way])
                off = cp.new_int_var(0, whole.times * squares, f"off[{g},{a}]")
                product = cp.new_int_var(0, most * whole.times * squares + most, f"times[{g},{a}]")
                cp.add_multiplication_equality(product, [off, number])
                cp.add(product <= whole.times * square + number - 1)
                expression = expression - price * off
        return Cost(expression=expression, scale=whole.scale, exact=whole.exact)

    def refuses_model(self, problem: ProblemView) -> str | None:
        axes = self._axes(problem.table)
        if _Whole.of(problem.table, axes).fits:
            return None
        return f"{self.name} of such numbers has squares too large for 64 bits: round the numbers"


class UnscaledSquaredError(SquaredError):
    """The same of numbers as they are.

    Use it if all columns are measured in the same unit.
    """

    name: ClassVar[str] = "squared_error_unscaled"
    reference: ClassVar[str] = "Domingo-Ferrer and Mateo-Sanz (2002)"
    scaled: ClassVar[bool] = False


for _kind in (SquaredError, UnscaledSquaredError):
    register_loss(_kind)


def squared_error_of(problem: ProblemView) -> SquaredError | None:
    """The squared error that a policy minimizes, if it minimizes nothing else."""
    named = [name for level in problem.policy.levels for name in level.losses]
    found = loss(named[0]) if len(named) == 1 else None
    return found if isinstance(found, SquaredError) else None


def _number(member: Member, axis: _Axis) -> Fraction:
    return Fraction(member.point[axis.attribute])


@memoized
def _axes(table: Microdata, scaled: bool) -> tuple[_Axis, ...]:
    """The numeric attributes with several values and a weight."""
    found: list[tuple[int, Fraction, Fraction, Fraction]] = []
    for a, (domain, weight) in enumerate(zip(table.domains, table.weights, strict=True)):
        if not isinstance(domain, Numeric) or not weight:
            continue
        numbers = [Fraction(member.point[a]) for member in table.members]
        mean = sum(numbers, Fraction(0)) / len(numbers)
        spread = sum(((x - mean) ** 2 for x in numbers), Fraction(0))
        if spread:
            found.append((a, mean, spread, weight))
    if scaled:
        total = sum((weight for *_, weight in found), Fraction(0))
        return tuple(
            _Axis(attribute=a, mean=mean, price=PERCENT * weight / (spread * total))
            for a, mean, spread, weight in found
        )
    total = sum((weight * spread for *_, spread, weight in found), Fraction(0))
    return tuple(
        _Axis(attribute=a, mean=mean, price=PERCENT * weight / total) for a, mean, _, weight in found
    )


@dataclass(frozen=True, kw_only=True)
class _Whole:
    """Distances to the mean of the table and prices in whole numbers.

    Attributes
    ----------
    axes : tuple of tuple of int
        Per attribute and tuple, in units that the mean is a whole number of.
    prices : tuple of int
        What a unit of an attribute's squares, over `times`, costs.
    times : int
        Quotients are counted in such parts, which divide all numbers of members if `exact`.
    scale : int
        What a percent costs.
    exact, fits : bool
        Whether nothing is rounded, and whether all sums fit into 64 bits.
    """

    axes: tuple[tuple[int, ...], ...]
    prices: tuple[int, ...]
    times: int
    scale: int
    exact: bool
    fits: bool

    @classmethod
    def of(cls, table: Microdata, axes: tuple[_Axis, ...]) -> _Whole:
        """Read a table's axes."""
        n, lines, prices = len(table), list[tuple[int, ...]](), list[Fraction]()
        for axis in axes:
            line, unit = in_units([_number(member, axis) - axis.mean for member in table.members])
            lines.append(tuple(line))
            prices.append(axis.price / unit**2)
        widest = n * max((sum(v * v for v in line) for line in lines), default=0)
        parts, scale = (
            lcm(*range(1, n + 1)) if n <= FINEST else LARGEST,
            lcm(*(p.denominator for p in prices)),
        )
        exact = parts * widest <= LARGEST and PERCENT * parts * scale <= LARGEST
        if not exact:
            parts = 1 if not widest else max(1, min(1 << 10, LARGEST // widest))
            scale = LARGEST // (PERCENT * parts)
        whole = tuple(int(price * scale) for price in prices)
        fits = exact or (parts * widest <= LARGEST and all(price >= FINEST for price in whole))
        return cls(axes=tuple(lines), prices=whole, times=parts, scale=scale * parts, exact=exact, fits=fits)
