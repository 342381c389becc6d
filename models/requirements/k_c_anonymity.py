"""(k, c)-anonymity (Byun, Li, Bertino, Li, Sohn, Def. 1); c = 1 is k-anonymity.

Meaning: a group has at least k tuples, and no value has a larger share than c:
``|e| >= k`` and ``n_v <= c |e|`` for every value v, both inclusive.

Encoding: ``size >= k used`` and ``n_v * denominator(c) <= numerator(c) * size``:
the same two lines, over integers. An unused slot has size 0 and keeps both.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, ClassVar

from ..errors import PolicyError
from ..release import QIGroup
from ..requirement import Context, GroupRequirement, Violation, as_fraction, register, whole
from ..table import Microdata

if TYPE_CHECKING:
    from ..encoding import Encoding
    from ..problem import Problem

__all__ = ["KCAnonymity"]


@register
@dataclass(frozen=True, kw_only=True)
class KCAnonymity(GroupRequirement):
    """Groups of at least `k` tuples in which no value is more frequent than `c`.

    Parameters
    ----------
    k : int
        At least 1 tuple.
    c : rational, default 1
        Above 0, at most 1. A float means its shortest decimal form.
    """

    name: ClassVar[str] = "k_c_anonymity"
    monotone: ClassVar[bool] = True
    reference: ClassVar[str] = "Byun, Li, Bertino, Li, Sohn, Def. 1"

    k: int
    c: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        whole(self.name, "k", self.k, 1)
        object.__setattr__(self, "c", as_fraction(self.name, "c", self.c))
        if not 0 < self.c <= 1:
            raise PolicyError(f"{self.name}: c must be above 0 and at most 1, got {self.c}")

    def violations(self, group: QIGroup, context: Context) -> Iterator[Violation]:
        if group.size < self.k:
            yield Violation(
                requirement=self.name,
                message=f"{group.size} tuples, fewer than k = {self.k}",
                respondents=tuple(sorted(group.respondents)),
                witness={"size": group.size, "k": self.k},
            )
        for value, count in sorted(group.histogram.items()):
            if count > self.c * group.size:
                yield Violation(
                    requirement=self.name,
                    message=f"{count} of {group.size} tuples share one value, more than c = {self.c}",
                    respondents=tuple(sorted(group.respondents)),
                    witness={"value": value, "count": count, "size": group.size, "c": self.c},
                )

    def encode(self, model: Encoding) -> None:
        for g in model.slots:
            model.cp.add(model.size(g) >= self.k * model.used(g))
            if self.c < 1:
                for v in model.values:
                    model.cp.add(self.c.denominator * model.count(g, v) <= self.c.numerator * model.size(g))

    def smallest_group(self, table: Microdata) -> int:
        return max(self.k, ceil(1 / self.c))

    def largest_count(self, problem: Problem) -> int:
        return max(self.k, len(problem.table))

    def obstacle(self, problem: Problem) -> str | None:
        table = problem.table
        if problem.policy.counterfeit_limit == 0 and len(table) < self.smallest_group(table):
            return f"{self}: needs groups of {self.smallest_group(table)} tuples, the table has {len(table)}"
        count = max(table.histogram.values())
        if problem.policy.counterfeit_limit == 0 and count > self.c * len(table):
            return (
                f"{self}: one value has {count} of {len(table)} tuples, more than the share c = "
                f"{self.c} anywhere"
            )
        return None
