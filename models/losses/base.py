"""What every loss offers, what those of boxes have in common, and all of them by name, also of plug-ins."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Literal, TypeVar

from ..box import Cell
from ..domain import Codes, Domain
from ..errors import PolicyError
from ..exact_numbers import in_units
from ..group import Form
from ..plugins import plug_in
from ..problem_view import ProblemView, smallest_group
from ..release import Counted, QIGroup, Release
from ..table import Member, Microdata
from ..whole_weights import unit_weights

if TYPE_CHECKING:
    from ..encoding import Encoding, Linear

__all__ = ["BoxLoss", "Cost", "Loss", "ReleaseLoss", "loss", "losses", "register_loss"]


@dataclass(frozen=True, kw_only=True)
class Cost:
    """A loss inside a model: ``loss = expression / scale`` for integers.

    Attributes
    ----------
    expression : linear expression over the model's variables
        To be minimized.
    scale : int
        What one unit of loss costs, at least 1.
    exact : bool
        False if `expression` rounds down: bounds stay valid, but an optimum of
        the expression need not be one of the loss.
    """

    expression: Linear
    scale: int = 1
    exact: bool = True


class Loss(ABC):
    """A loss to minimize; 0 is best.

    Attributes
    ----------
    name : str
        Key in policy files.
    combine : {"sum", "max", "ratio", "release"}
        How values of groups and suppressed tuples make the loss of a release;
        only sums may be weighted with other losses. The last: not at all (`ReleaseLoss`). A ratio depends on
        the number of groups g alone and falls with it: ``decode(tuples of the table - g, 1, table)``.
    box_payer : {"tuple", "group"}
        Who pays the widths of a box; see `box_weights`.
    counts : {"suppressed", "counterfeits", "hidden_cells"} or None
        Suppressed tuples, counterfeits or hidden cells, if it is their number and nothing else.
    by_group : bool
        Whether members and counterfeits of a group say what it loses; hidden cells are chosen apart.
    foresees : bool
        Whether it is about releases to come: a model of what they will lose.
    beside_boxes : bool
        Whether a loss of whole releases may be added to what boxes lose and searched with that: every tuple
        adds something, at least 0, by the values of its group.
    by_members : bool
        Whether what a group loses is the same with any counterfeits; losses of boxes or sizes declare more.
    reference : str
        Where it is published.
    """

    name: ClassVar[str]
    combine: ClassVar[Literal["sum", "max", "ratio", "release"]] = "sum"
    box_payer: ClassVar[Literal["tuple", "group"]] = "tuple"
    counts: ClassVar[Counted | None] = None
    by_group: ClassVar[bool] = True
    foresees: ClassVar[bool] = False
    beside_boxes: ClassVar[bool] = False
    by_members: ClassVar[bool] = False
    reference: ClassVar[str]

    def of_group(self, group: QIGroup, table: Microdata) -> Fraction:
        """Loss of one group; O(members x attributes). It does not fall with further counterfeits.

        Parameters
        ----------
        group : QIGroup
        table : Microdata

        Returns
        -------
        Fraction
            At least 0.
        """
        return Fraction(0)

    def of_suppressed(self, member: Member, table: Microdata) -> Fraction:
        """Loss of one record that is left out (suppressed).

        Parameters
        ----------
        member : Member
        table : Microdata

        Returns
        -------
        Fraction
            At least 0.
        """
        return Fraction(0)

    def by_size(self, size: int, fakes: int, form: Form) -> Fraction | None:
        """Loss of a group of `size` published tuples, `fakes` of them counterfeits, if that is all it takes.

        None, the default, if in releases of this form it may depend on more, such as boxes. A loss
        that answers promises, each with a proof:

        * it is f(size) + a fakes with f >= 0 that never falls, and a >= 0, for all groups without hidden
          cells, and the same for every suppressed tuple;
        * cutting a group in two never raises the loss of a release: f(s) + f(t) <= f(s + t) for a
          sum; any rising f for a maximum; a ratio only counts groups.
        """
        return None

    def box_weights(self, table: Microdata) -> tuple[Fraction, ...] | None:
        """What one unit of width costs in each attribute, if boxes are all that groups with boxes lose.

        The claim: a generalized group loses ``sum_a weight_a width_a``, widths as shares of the domains,
        for each of its real tuples or (`box_payer`) once, however many counterfeits it has. If tuples pay,
        a suppressed one loses ``sum_a weight_a``. Weights are at least 0. None, the default, if it is not
        so. Engines that price boxes search for the best release of a loss that declares them.
        """
        return None

    def steps(self, table: Microdata) -> tuple[Codes, tuple[Fraction, ...]] | None:
        """Codes of some attributes, and the price of a step's square in each, if squares are all it measures.

        The claim: a generalized group loses, in each of them, the price times the sum of the squares of its
        tuples' distances to their mean, in steps. None, the default, if it is not so.
        """
        return None

    def measures(self, domain: Domain) -> bool:
        """Whether it looks at a quasi-identifier of this kind, if it looks at any; all kinds by default."""
        return True

    def refuses_model(self, problem: ProblemView) -> str | None:
        """Why `encode` has no model of a problem, in words; None, the default, if it has."""
        return None

    def value(self, release: Release, table: Microdata) -> Fraction:
        """Exact loss of a release of a table.

        Parameters
        ----------
        release : Release
            Whoever made it.
        table : Microdata

        Returns
        -------
        Fraction
            Of all groups and suppressed records together, as `combine` says; 0 is best.
        """
        parts = [self.of_group(group, table) for group in release.groups]
        parts += [self.of_suppressed(member, table) for member in release.suppressed]
        return max(parts, default=Fraction(0)) if self.combine == "max" else sum(parts, Fraction(0))

    def of_release(self, release: Release, problem: ProblemView) -> Fraction:
        """Exact loss of a release made for a problem.

        Parameters
        ----------
        release : Release
        problem : Problem
            Its table and, for losses that look ahead, its history and outlook.

        Returns
        -------
        Fraction
        """
        return self.value(release, problem.table)

    @property
    def looks_beyond(self) -> bool:
        """Whether it looks at more of a problem than its table: then policies may measure it differently."""
        return type(self).of_release is not Loss.of_release

    @abstractmethod
    def encode(self, model: Encoding) -> Cost:
        """The loss as an integer cost in a model of one release."""

    def decode(self, cost: int, scale: int, table: Microdata) -> Fraction:
        """The loss that an integer cost (or a bound on it) stands for."""
        return Fraction(cost, scale)


class ReleaseLoss(Loss):
    """A loss of the whole release, by what all its groups are together.

    Write `value` if the table is all it needs to know, else `of_release`.
    """

    combine: ClassVar[Literal["sum", "max", "ratio", "release"]] = "release"
    by_group: ClassVar[bool] = False

    def value(self, release: Release, table: Microdata) -> Fraction:
        raise PolicyError(f"{self.name} is a loss of a problem's release: ask for the problem's objective")


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
        units, parts = in_units(self.box_weights(model.table))
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


L = TypeVar("L", bound=Loss)
_registry: dict[str, Loss] = {}


def register_loss(kind: type[L]) -> type[L]:
    """Class decorator: make a loss known under its name.

    Parameters
    ----------
    kind : type
        A subclass of `Loss` that is made without arguments.

    Returns
    -------
    type
        The same class.

    Raises
    ------
    PolicyError
        If another loss has the name.
    """
    if kind.name in _registry:
        raise PolicyError(f"two losses are called {kind.name!r}")
    _registry[kind.name] = kind()
    return kind


def losses() -> Mapping[str, Loss]:
    """Every registered loss by name."""
    return dict(_registry)


def loss(name: str) -> Loss:
    """Look up a loss.

    Raises
    ------
    PolicyError
        If there is no loss of that name.
    """
    if name not in _registry:
        plug_in()
    if name not in _registry:
        raise PolicyError(f"unknown loss {name!r}: known are {', '.join(sorted(_registry))}")
    return _registry[name]
