"""Losses of the signatures in use: how many there are, and what they will cost in the releases to come.

A respondent keeps its signature for ever, so a signature is a promise: each departure leaves a vacancy in it.
Both losses are functions of the whole release, by the groups of each signature together: neither is a sum
over groups.

Encoding: slot g *leads* its signature if it is used and no earlier slot has the same one. Signatures are the
leaders. The leader's rows are the most frequent count over all slots with its signature, and its cost is
looked up by its number of values and these rows. All of this is what the words say.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, ClassVar

from ..errors import PolicyError
from ..exact_numbers import in_units
from ..release import Release
from ..table import Microdata
from .base import Cost, ReleaseLoss, register_loss

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

    from ..encoding import Encoding, Linear
    from ..problem_view import PricesView, ProblemView

__all__ = ["ExpectedCounterfeits", "Signatures"]


@register_loss
class Signatures(ReleaseLoss):
    """Number of different signatures among the published groups.

    Use it early in a series, if nothing is known of the releases to come.

    A signature is the set of sensitive values of a group; a person keeps it in later releases, so few
    signatures that many share need fewer invented rows when people leave.
    """

    name: ClassVar[str] = "signatures"
    reference: ClassVar[str] = "this project: what makes a series expensive, without parameters"

    def value(self, release: Release, table: Microdata) -> Fraction:
        return Fraction(len({group.signature for group in release.groups}))

    def encode(self, model: Encoding) -> Cost:
        return Cost(expression=sum(_leads(model, g) for g in model.slots))


@register_loss
class ExpectedCounterfeits(ReleaseLoss):
    """Counterfeits that the next releases will probably need, by the outlook's table of prices.

    Use it through a policy's `outlook`, which puts it in its place.

    An exact function of the release; that the table says what comes is a model (see `models.outlook`).
    Where they are a level of their own they are never counted as fewer than the outlook allows.
    """

    name: ClassVar[str] = "expected_counterfeits"
    foresees: ClassVar[bool] = True
    reference: ClassVar[str] = "this project: simulated lives of signatures, see models.outlook"

    def of_release(self, release: Release, problem: ProblemView) -> Fraction:
        return max(problem.allowed, _prices(problem).release(release))

    def encode(self, model: Encoding) -> Cost:
        prices, most = _prices(model.problem), model.largest_count * len(model.tuples)
        wide = len(model.values)
        costs = [prices.of(values, rows) for values in range(wide + 1) for rows in range(most + 1)]
        table, scale = in_units(costs)
        parts: list[Linear] = []
        for g in model.slots:
            leads, rows = _leads(model, g), model.cp.new_int_var(0, most, f"rows[{g}]")
            counts: list[Linear] = []
            for v in model.values:
                together: Linear = 0
                for h in range(g, len(model.slots)):
                    alike = leads if h == g else _alike(model, g, h)
                    together += model.counted_if(alike, model.count(h, v), model.largest_count)
                counts.append(together)
            model.cp.add_max_equality(rows, counts)
            at, cost = (
                model.cp.new_int_var(0, len(table) - 1, f"entry[{g}]"),
                model.cp.new_int_var(0, max(table), f"price[{g}]"),
            )
            values = sum(model.present(g, v) for v in model.values)
            model.cp.add(at == (most + 1) * values + rows)
            model.cp.add_element(at, table, cost)
            parts.append(model.counted_if(leads, cost, max(table)))
        if not model.problem.allowed:
            return Cost(expression=sum(parts), scale=scale)
        finer = lcm(scale, model.problem.allowed.denominator)
        least = int(model.problem.allowed * finer)
        highest = max(least, finer // scale * max(table) * len(parts))
        total = model.cp.new_int_var(0, highest, "expected")
        model.cp.add_max_equality(total, [finer // scale * sum(parts), least])
        return Cost(expression=total, scale=finer)


def _prices(problem: ProblemView) -> PricesView:
    found = problem.prices
    if found is None:
        raise PolicyError(
            "expected_counterfeits prices the signatures of groups: the policy needs a requirement of equal "
            "counts, such as weak_m_invariance"
        )
    return found


def _alike(model: Encoding, g: int, h: int) -> cp_model.IntVar:
    """Literal: both slots are used and have the same signature."""
    key = ("alike", g, h)
    known = model.named(key)
    if known is not None:
        return known
    alike = model.name(key)
    differ: list[cp_model.IntVar] = []
    for v in model.values:
        one, other = model.present(g, v), model.present(h, v)
        apart = model.cp.new_bool_var(f"apart[{g},{h},{v}]")
        model.cp.add_bool_xor([one, other, ~apart])
        differ.append(apart)
    model.cp.add_bool_or([alike, ~model.used(g), ~model.used(h), *differ])
    model.cp.add_bool_and([model.used(g), model.used(h), *(~d for d in differ)]).only_enforce_if(alike)
    return alike


def _leads(model: Encoding, g: int) -> cp_model.IntVar:
    """Literal: the slot is used, and no earlier one has its signature."""
    key = ("leads", g)
    known = model.named(key)
    if known is not None:
        return known
    leads, before = model.name(key), [_alike(model, h, g) for h in range(g)]
    model.cp.add_bool_or([leads, ~model.used(g), *before])
    model.cp.add_bool_and([model.used(g), *(~literal for literal in before)]).only_enforce_if(leads)
    return leads
