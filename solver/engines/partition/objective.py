"""Which objectives the engine minimizes, level by level."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ....models.box_measure import BoxMeasure
from ....models.losses.base import loss
from ....models.problem_view import LevelView, ProblemView
from ....models.table import Microdata

__all__ = ["Objective", "counting", "factor"]

COUNTED = frozenset({"counterfeits", "suppressed"})
PLANNED = frozenset({"expected_counterfeits", "signatures"})


@dataclass(frozen=True, kw_only=True)
class Objective:
    """A last level that measures boxes; before it, levels of counterfeits and suppressed tuples.

    Attributes
    ----------
    measured : int
        The level that measures boxes.
    factor : Fraction
        What one unit of its measure weighs in it.
    counterfeits : int or None
        The level of the counterfeits before it, if any.
    any_fakes : bool
        Whether the policy allows counterfeits.
    price : Fraction or None
        What a suppressed tuple adds to the measure, if it is weighed against boxes; None if none may be
        suppressed, or they are counted before.
    planned : int or None
        The level between these that is a loss of the signatures in use (`ReleaseLoss`), if any; or the last
        one, where that is weighed against boxes.
    fake_price : Fraction or None
        What a counterfeit adds to the measure, if it is weighed against boxes; None if there are none, or
        they are counted before.
    whole : bool
        Whether a release that suppresses nobody and has the fewest counterfeits among
        those is best in all levels before the last: nobody may be suppressed, or the level of
        suppressed tuples is the first, and counterfeits are counted alone.
    """

    measured: int
    factor: Fraction
    counterfeits: int | None
    any_fakes: bool
    price: Fraction | None
    whole: bool
    planned: int | None = None
    fake_price: Fraction | None = None

    @classmethod
    def of(cls, problem: ProblemView) -> Objective | str:
        """Read a policy, or say why groups have no prices."""
        policy, table = problem.policy, problem.table
        if policy.form != "generalized" or policy.recoding != "multidimensional":
            return "only groups with boxes of any shape have prices (form and recoding of the policy)"
        measures = [BoxMeasure.of(level, table) for level in policy.levels]
        planned = _planned(problem)
        if isinstance(planned, str):
            return planned
        for index, (level, measure) in enumerate(zip(policy.levels, measures, strict=True)):
            known = counting(level) | set(() if measure is None else measure.names)
            others = sorted(level.losses - known - (PLANNED if index == planned else frozenset()))
            if others:
                return f"{others[0]} is no price of boxes that every tuple pays"
        measure = measures[-1]
        if measure is None:
            return f"the last level, {policy.levels[-1].name}, does not measure boxes"
        if any(found is not None for found in measures[:-1]):
            return "two levels measure boxes, and prices are for one"
        measured, tuples = len(policy.levels) - 1, len(table)
        where = {what: i for i, level in enumerate(policy.levels[:measured]) for what in level.counted}
        suppresses, fakes = policy.suppression_limit(tuples) > 0, policy.counterfeit_limit != 0
        weighed = suppresses and "suppressed" not in where
        mixed = "counterfeits" in policy.levels[measured].counted and "counterfeits" not in where
        if fakes and mixed and policy.counterfeit_limit is not None:
            return "counterfeits are weighed against boxes, and limited"
        fake_price = policy.levels[measured].weight_of("counterfeits") / measure.factor
        alone = "counterfeits" not in where or len(policy.levels[where["counterfeits"]].losses) == 1
        return cls(
            measured=measured,
            factor=measure.factor,
            counterfeits=where.get("counterfeits"),
            any_fakes=fakes,
            price=sum(measure.units) + policy.levels[measured].weight_of("suppressed") / measure.factor
            if weighed
            else None,
            whole=alone
            and not weighed
            and (not suppresses or (where["suppressed"] == 0 and len(policy.levels[0].losses) == 1)),
            planned=planned,
            fake_price=fake_price if fakes and mixed else None,
        )


def _planned(problem: ProblemView) -> int | str | None:
    """The level of a loss of whole releases, or why it has no place there."""
    levels = problem.policy.levels
    found = [i for i, level in enumerate(levels) if any(loss(n).combine == "release" for n in level.losses)]
    if not found:
        return None
    name = levels[found[0]].name
    beside = sorted(each for level in levels for each in level.losses if loss(each).beside_boxes)
    if beside:
        return f"{beside[0]} is searched under resists_inference, beside losses of boxes in the last level"
    fakes = [i for i, level in enumerate(levels) if tuple(level.losses) == ("counterfeits",)]
    between = len(levels) - 2 if len(levels[found[0]].losses) == 1 else len(levels) - 1
    if len(found) > 1 or not fakes or found[0] != fakes[0] + 1 or found[0] != between:
        return f"{name} is searched between a level of counterfeits alone and one that measures boxes"
    return found[0]


def counting(level: LevelView) -> frozenset[str]:
    """The losses of a level that count suppressed tuples or counterfeits."""
    return frozenset(name for name in level.losses if loss(name).counts in COUNTED)


def factor(level: LevelView, table: Microdata) -> Fraction:
    """What one unit of a level's boxes weighs in it; 0 if it measures none."""
    measure = BoxMeasure.of(level, table)
    return Fraction(0) if measure is None else measure.factor
