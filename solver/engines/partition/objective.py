"""Which objectives the engine minimizes, level by level."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ....models.policy import Level
from ....models.problem import Problem

__all__ = ["COUNTED", "MEASURED", "Objective", "factor"]

MEASURED = frozenset({"information_loss", "average_information_loss"})
COUNTED = frozenset({"counterfeits", "suppressed"})


@dataclass(frozen=True, kw_only=True)
class Objective:
    """A last level of information loss; before it, levels of counterfeits and suppressed tuples.

    Attributes
    ----------
    measured : int
        The level of the information loss.
    factor : Fraction
        What one unit of information loss weighs in it.
    counterfeits : int or None
        The level of the counterfeits before it, if any.
    any_fakes : bool
        Whether the policy allows counterfeits.
    whole : bool
        Whether a release that suppresses nobody and has the fewest counterfeits among
        those is best in all levels before the last: nobody may be suppressed, or the level of
        suppressed tuples is the first, and counterfeits are counted alone.
    """

    measured: int
    factor: Fraction
    counterfeits: int | None
    any_fakes: bool
    whole: bool

    @classmethod
    def of(cls, problem: Problem) -> Objective | str:
        """Read a policy, or say why it has another objective."""
        policy = problem.policy
        if policy.form != "generalized" or policy.recoding != "multidimensional":
            return "the partition engine publishes boxes of any shape only (form and recoding of the policy)"
        if [level for level in policy.levels if not level.losses <= MEASURED | COUNTED] or not policy.levels[
            -1
        ].losses & MEASURED:
            return "the partition engine minimizes information_loss or average_information_loss, nothing else"
        if sum(bool(level.losses & MEASURED) for level in policy.levels) > 1:
            return "the partition engine minimizes one level of information loss"
        measured, tuples = len(policy.levels) - 1, len(problem.table)
        where = {name: i for i, level in enumerate(policy.levels[:measured]) for name in level.losses}
        suppresses, fakes = policy.suppression_limit(tuples) > 0, policy.counterfeit_limit != 0
        if suppresses and "suppressed" not in where:
            return (
                "the partition engine suppresses no tuples: set max_suppressed to 0, or minimize "
                "suppressed first"
            )
        mixed = "counterfeits" in policy.levels[measured].losses and "counterfeits" not in where
        if fakes and mixed:
            return "the partition engine does not weigh counterfeits against information loss"
        alone = "counterfeits" not in where or len(policy.levels[where["counterfeits"]].losses) == 1
        return cls(
            measured=measured,
            factor=factor(policy.levels[measured], tuples),
            counterfeits=where.get("counterfeits"),
            any_fakes=fakes,
            whole=alone
            and (not suppresses or (where["suppressed"] == 0 and len(policy.levels[0].losses) == 1)),
        )


def factor(level: Level, tuples: int) -> Fraction:
    """What one unit of information loss weighs in a level."""
    return sum(
        (
            weight / (tuples if name == "average_information_loss" else 1)
            for name, weight in level.weights
            if name in MEASURED
        ),
        Fraction(0),
    )
