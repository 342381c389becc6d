"""What the values that a release leaves open will probably cost in releases to come.

A function of the whole release and of its past, in units of information loss; see `outlook.widening`.

Encoding: a value is *beside* a tuple if its slot publishes it. The tuples of the table with such values are
added up, and the cost is looked up by that. All of this is what the words say.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from ..release import Release
from .base import Cost, ReleaseLoss, register_loss

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

    from ..encoding import Encoding, Linear
    from ..problem_view import ProblemView

__all__ = ["ExpectedWidening"]


@register_loss
class ExpectedWidening(ReleaseLoss):
    """Information loss that keeping everybody's values open will probably cost when they come back.

    Use it beside information loss, under `resists_inference`, if people come back: it makes later releases
    lose less, and this one more.

    An exact function of the release, in units of information loss; that it says what comes is a model: of
    everybody who comes back once. Weigh it by how often people do, or more, to make later releases as good
    as the first.
    """

    name: ClassVar[str] = "expected_widening"
    foresees: ClassVar[bool] = True
    beside_boxes: ClassVar[bool] = True
    reference: ClassVar[str] = "this project: nearest tuples with another open value, see models.outlook"

    def of_release(self, release: Release, problem: ProblemView) -> Fraction:
        return problem.widening.release(release)

    def encode(self, model: Encoding) -> Cost:
        widening, often, total = model.problem.widening, model.table.histogram, len(model.tuples)
        parts: list[Linear] = []
        for t in model.tuples:
            costs = [int(widening.costs[t, widening.step(count)]) for count in range(total + 1)]
            values = sorted(v for v in widening.others(t, model.values) if often.get(v, 0))
            count: Linear = sum(often[v] * _beside(model, t, v) for v in values)
            at = model.cp.new_int_var(0, total, f"open[{t}]")
            cost = model.cp.new_int_var(min(costs), max(costs), f"widened[{t}]")
            model.cp.add(at == count)
            model.cp.add_element(at, costs, cost)
            parts.append(cost)
            gone = model.suppressed(t)
            if not isinstance(gone, int):
                parts[-1] = kept = model.cp.new_int_var(0, max(costs), f"kept[{t}]")
                for g in model.homes(t):
                    model.cp.add(kept == cost).only_enforce_if(model.x(t, g))
                model.cp.add(kept <= max(costs) * (1 - gone))
        return Cost(expression=sum(parts), scale=widening.scale)


def _beside(model: Encoding, t: int, v: str) -> cp_model.IntVar:
    """Literal: the slot of tuple t publishes value v; free if it is in none."""
    key = ("beside", t, v)
    known = model.named(key)
    if known is not None:
        return known
    beside = model.name(key)
    for g in model.homes(t):
        model.cp.add(model.present(g, v) == beside).only_enforce_if(model.x(t, g))
    return beside
