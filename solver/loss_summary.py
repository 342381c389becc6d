"""What a release loses, against the most there is to lose and what is proven of the least, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..models.exact_numbers import show_number, show_share
from ..models.losses import loss as named_loss
from ..models.policy import Level
from ..models.problem import Problem
from .level_value import LevelValue

__all__ = ["LossSummary", "losses_of"]

LONGEST = 999
"""Denominators that are shown beside a rounded value."""


@dataclass(frozen=True, kw_only=True)
class LossSummary:
    """One level of the objective.

    Attributes
    ----------
    name : str
    value : Fraction
    most : Fraction or None
        What is lost if nothing is said of anybody; None where that is not known.
    bound : str
        What is proven about the best possible, in words.
    """

    name: str
    value: Fraction
    most: Fraction | None
    bound: str

    def __str__(self) -> str:
        share = ""
        if self.most:
            part = show_share(self.value / self.most)
            share = f", {part} of the maximum ({show_number(self.most)})"
        return f"{self._value}{share}; {self.bound}"

    @property
    def _value(self) -> str:
        shown = show_number(self.value)
        if Fraction(shown) == self.value or self.value.denominator > LONGEST:
            return shown
        return f"{shown} (exactly {self.value})"


def losses_of(problem: Problem, levels: Sequence[LevelValue]) -> tuple[LossSummary, ...]:
    """What each level loses, against the most there is to lose and what is proven."""
    return tuple(
        LossSummary(
            name=value.name,
            value=value.value,
            most=_most(problem, level),
            bound=_bound(levels[: index + 1], counts=all(named_loss(name).counts for name in level.losses)),
        )
        for index, (level, value) in enumerate(zip(problem.policy.levels, levels, strict=True))
    )


def _most(problem: Problem, level: Level) -> Fraction | None:
    """The loss of a release that says nothing of anybody, if the losses tell."""
    total, rows = Fraction(0), len(problem.table)
    for name, weight in level.weights:
        each = named_loss(name)
        shares = each.box_weights(problem.table)
        whole = each.by_size(rows, 0, problem.policy.form)
        if problem.policy.form == "generalized" and shares is not None and each.box_payer == "tuple":
            total += weight * rows * sum(shares, Fraction(0))
        elif whole and each.combine == "sum" and each.counts is None:
            total += weight * whole
        else:
            return None
    return total


def _bound(levels: Sequence[LevelValue], *, counts: bool) -> str:
    """What is proven of the last of some levels, and whose word the rest is."""
    level = levels[-1]
    among = "" if len(levels) == 1 else f" as good on {' and '.join(each.name for each in levels[:-1])}"
    if level.value == level.bound:
        fewer = "does with fewer" if counts else "loses less"
        return f"proven: no release{among} {fewer}" if level.value else "proven: nothing can be less"
    if not level.bound:
        less = "how many fewer would do" if counts else "how much less could be lost"
        found = f"no bound yet: {less} is not known"
    else:
        gap = show_share((level.value - level.bound) / level.value)
        fewer = "do with fewer than" if counts else "lose less than"
        found = f"no release{among} can {fewer} {show_number(level.bound)}: at most {gap} to gain"
    if level.trusted_bound is not None:
        least = (
            "no less"
            if level.trusted_bound == level.value
            else f"no less than {show_number(level.trusted_bound)}"
        )
        found += f" ({least} by the word of {level.word}, which was not checked)"
    return found + _family(level)


def _family(level: LevelValue) -> str:
    """What is proven of releases with the same signatures."""
    if not level.family:
        return ""
    among = "; with these signatures, none published more often, no release loses less"
    if level.value == level.family:
        return f"{among} (proven)"
    gap = show_share((level.value - level.family) / level.value)
    return f"{among} than {show_number(level.family)}: at most {gap} to gain"
