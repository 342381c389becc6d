r"""Safety from the intersection attack (Byun, Li, Bertino, Li, Sohn, sec. 4.4 and 5.1).

Meaning. A respondent's value is in every group she was ever in, so in their
intersection I (values with the smallest of their multiplicities). Over all releases,
the new one included:

multiset  no value of I has more than the share c of I (the source's rule)
set       ``1 / (number of different values in I) <= c``

I is kept per respondent in the history and is exact when built up one release after
the other, so only the new group is met with it; comparing pairs of releases (Fig. 7)
would miss what three releases say together. Somebody new has her group's values.

The multiset rule is a rule, not a posterior, and merging groups can break it ({a,b,a,b}
with {a,b}: 1/2; with {a,b,a,c}: 2/3), so Observations 4 and 5 of the source do not hold
for it. The set rule is monotone.

Encoding. ``min(I(v), count)`` is the number of j <= I(v) with ``count >= j``: a sum of
literals. Per slot and per kind of earlier intersection one literal says that somebody of
that kind is there; it enforces the definition's own inequalities. Exact.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..domain import Codes
from ..errors import PolicyError, ReleaseError
from ..group_bounds import GroupBounds
from ..history import History
from ..relaxations import Parameter
from ..release import QIGroup
from ..requirement import Context, GroupRequirement, Violation, hold_share, in_int64, register
from ..returning import returning, unless_returning
from ..structure import DependsOn, Structure

if TYPE_CHECKING:
    from ..encoding import Encoding, Linear
    from ..problem_view import ProblemView

__all__ = ["Intersection"]

Kind: TypeAlias = tuple[tuple[str, int], ...] | None
"""What could be inferred of a respondent before; None of somebody new."""


@register
@dataclass(frozen=True, kw_only=True)
class Intersection(GroupRequirement):
    """No value above the share `c` in the intersection of all groups of a respondent.

    Use it for tables that grow, together with `k_c_anonymity`, `difference` and `record_tracing`.

    Parameters
    ----------
    c : rational
        Largest share of one value among what is left; above 0, at most 1. A float means its
        shortest decimal form.
    reading : {"multiset", "set"}
        Whether values count as often as they are left, or once.
    """

    name: ClassVar[str] = "intersection"
    adversary: ClassVar[Literal["persistent", "transient", "either"]] = "persistent"
    reference: ClassVar[str] = "Byun, Li, Bertino, Li, Sohn, sec. 4.4"

    c: Fraction
    reading: Literal["multiset", "set"] = "multiset"

    def __post_init__(self) -> None:
        hold_share(self, self.name, "c")
        if self.reading not in ("multiset", "set"):
            raise PolicyError(f"{self.name}: reading must be 'multiset' or 'set', got {self.reading!r}")

    def violations(self, group: QIGroup, context: Context) -> Iterator[Violation]:
        """Yield one violation for all people of the group whose groups leave them the same values.

        A person's value is among those of every group that ever held the person: what all have in common
        must not point to one value.

        Yields
        ------
        Violation
            "what all groups of 2 respondents have in common leaves one value 1 of 1, more than c = 1/2",
            with their earlier groups, and witness `left` (values and how often), `value` and `c`.

        Raises
        ------
        ReleaseError
            If a respondent's groups have no value in common.
        """
        kinds: dict[Kind, list[str]] = {}
        for who in sorted(group.respondents):
            record = context.history.records.get(who)
            kinds.setdefault(None if record is None else _kind(record.inferable), []).append(who)
        for kind, people in kinds.items():
            left = Counter(group.histogram)
            if kind is not None:
                left &= Counter(dict(kind))
            if not left:
                raise ReleaseError(
                    f"{len(people)} respondents were published in groups without a common value: values that "
                    "change cannot be intersected, correct them or declare the column transient"
                )
            if not self._safe(left):
                value, count = max(left.items(), key=lambda item: (item[1], item[0]))
                share = f"{count} of {left.total()}" if self.reading == "multiset" else f"1 of {len(left)}"
                yield Violation(
                    requirement=self.name,
                    message=f"what all groups of {len(people)} respondents have in common leaves one value "
                    f"{share}, more than c = {self.c}",
                    earlier=self._earlier(people, context),
                    respondents=tuple(people),
                    witness={"left": dict(sorted(left.items())), "value": value, "c": self.c},
                )

    def _safe(self, left: Counter[str]) -> bool:
        if self.reading == "set":
            return len(left) * self.c >= 1
        return max(left.values()) <= self.c * left.total()

    def _earlier(self, people: list[str], context: Context) -> tuple[tuple[int, int], ...]:
        records = context.history.records
        return tuple(sorted({at for who in people if who in records for at in records[who].groups}))

    def _by_member(
        self, respondent: str, counts: Codes, values: tuple[str, ...], history: History
    ) -> NDArray[np.bool_] | None:
        record = history.records.get(respondent)
        left = counts
        if record is not None:
            if not record.inferable:
                return None  # values contradict one another: `violations` says how
            left = np.minimum(counts, [record.inferable.get(value, 0) for value in values])
        p, q = self.c.numerator, self.c.denominator
        if not in_int64(max(p, q) * int(counts.sum(axis=1).max(initial=0))):
            return None
        if self.reading == "set":
            return (left > 0).sum(axis=1) * p >= q
        # Her own value is in all her groups, so nothing is left only where she cannot be.
        return left.any(axis=1) & (q * left.max(axis=1) <= p * left.sum(axis=1))

    def structure(self, problem: ProblemView | None = None) -> Structure:
        """Only the set reading is monotone, which is not made use of."""
        return Structure(
            depends_on=unless_returning(problem, DependsOn.HISTOGRAM),
            by_member=self._by_member,
            looks_back=True,
        )

    def parameters(self) -> tuple[Parameter, ...]:
        # The largest of j counts is at least 1/j of them: what keeps multiset keeps set.
        return (
            Parameter.share("c", self.c),
            Parameter.option("reading", self.reading, "multiset", "set"),
        )

    def bounds(self, problem: ProblemView) -> GroupBounds:
        return GroupBounds(
            problem=problem,
            smallest=ceil(1 / self.c),
            largest=self._largest_count,
            reason=self._infeasible_because,
            notes=returning,
        )

    def encode(self, model: Encoding) -> None:
        records = model.problem.history.records
        kinds: dict[Kind, list[int]] = {}
        for t, member in enumerate(model.table.members):
            record = records.get(member.respondent)
            kinds.setdefault(None if record is None else _kind(record.inferable), []).append(t)
        for g in model.slots:
            for number, (kind, people) in enumerate(kinds.items()):
                here = [t for t in people if t >= g]
                if not here:
                    continue
                there = model.cp.new_bool_var(f"kind[{g},{number}]")
                for t in here:
                    model.cp.add_implication(model.x(t, g), there)
                left = {
                    v: self._left(model, g, v, kind) for v in model.values if kind is None or v in dict(kind)
                }
                if not left:
                    model.cp.add(there == 0)
                total = sum(left.values())
                if self.reading == "set":
                    model.cp.add(total >= ceil(1 / self.c)).only_enforce_if(there)
                elif self.c < 1:
                    for amount in left.values():
                        model.cp.add(self.c.denominator * amount <= self.c.numerator * total).only_enforce_if(
                            there
                        )

    def _left(self, model: Encoding, g: int, v: str, kind: Kind) -> Linear:
        """What is left of one value: its number, or 0 or 1 in the set reading."""
        if self.reading == "set":
            return model.present(g, v)
        if kind is None:
            return model.count(g, v)
        most = min(dict(kind)[v], self._cap(model, v))
        key = ("count", g, v)
        return sum(model.at_least(key, model.count(g, v), j) for j in range(1, most + 1))

    def _cap(self, model: Encoding, v: str) -> int:
        """Most tuples of one value that a slot can have; larger multiplicities need no literal."""
        if not model.may_fake:
            return model.table.histogram.get(v, 0)
        return model.table.histogram.get(v, 0) + model.fake_cap

    def _largest_count(self, problem: ProblemView) -> int:
        # With N at least every earlier and real count, cutting larger counts down to N keeps both rules.
        kept = [max(r.inferable.values(), default=0) for r in problem.history.records.values()]
        return max([len(problem.table), *kept])

    def _infeasible_because(self, problem: ProblemView) -> str | None:
        for row, member in enumerate(problem.table.members, start=1):
            record = problem.history.records.get(member.respondent)
            if record is not None and len(record.inferable) * self.c < 1:
                return (
                    f"{self}: earlier releases leave row {row} {len(record.inferable)} possible values, "
                    f"c = {self.c} needs {ceil(1 / self.c)}"
                )
        if problem.policy.counterfeit_limit == 0 and len(problem.table.histogram) * self.c < 1:
            values = len(problem.table.histogram)
            return f"{self}: the table has {values} values, c = {self.c} needs {ceil(1 / self.c)}"
        return None


def _kind(inferable: Mapping[str, int]) -> Kind:
    return tuple(sorted(inferable.items()))
