"""Weak m-invariance (Riboni and Bettini, Defs. 5 and 6) and m-invariance (Xiao and Tao).

Meaning. Every group has at least m different values, all with the same
multiplicity (counterfeits count). All groups of one respondent, in any two
releases and whether or not others lie between, have one and the same signature
(the printed Def. 6 lets the two tuples be anybody's; it must be one respondent's).
With ``multiplicity=1`` no value occurs twice in a group: m-invariance.

Why it protects (persistent values): all groups of a person have one signature S
with equal multiplicities, so permuting S maps possible worlds onto possible
worlds; each person's exact posterior is 1/|S| <= 1/m over any number of releases,
with returning tuples, deletions and counterfeits.

Encoding. ``count(g, v) = mu(g)`` where v is present and 0 elsewhere, presence
literals add up to m, and a returning tuple's slot has exactly its old signature
present. These are the definition's own lines, so the encoding is exact.

The signature of a respondent with two different old signatures (a history made by
another tool) can never be kept again: such a respondent can only be suppressed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ..domain import Codes
from ..exact_numbers import show_count
from ..group_bounds import GroupBounds
from ..history import History
from ..relaxations import Parameter
from ..release import QIGroup
from ..requirement import Context, GroupRequirement, Violation, hold_whole, register
from ..returning import unless_returning
from ..structure import DependsOn, SignatureRule, Structure

if TYPE_CHECKING:
    from ..encoding import Encoding
    from ..problem_view import ProblemView

__all__ = ["WeakMInvariance"]


@register
@dataclass(frozen=True, kw_only=True)
class WeakMInvariance(GroupRequirement):
    """At least `m` values in each group, equally often, and everybody always among the same values.

    Use it for a table that is released again and again and whose values stay the same.

    Parameters
    ----------
    m : int
        How many values a group has at least; 1 or more.
    multiplicity : int, optional
        If given, every value occurs exactly this often (1: m-invariance).

    Notes
    -----
    The set of values in a person's group is called a signature. It must be the same in all releases that
    hold the person, so that intersecting a person's groups rules out none of at least `m` values, each as
    frequent as the others in every group. Where people with a signature have left, invented
    records (counterfeits) fill the group.
    """

    name: ClassVar[str] = "weak_m_invariance"
    adversary: ClassVar[Literal["persistent", "transient", "either"]] = "persistent"
    reference: ClassVar[str] = "Riboni and Bettini, Defs. 5 and 6; Xiao and Tao, m-Invariance"

    m: int
    multiplicity: int | None = None

    def __post_init__(self) -> None:
        hold_whole(self, self.name, "m", 1)
        if self.multiplicity is not None:
            hold_whole(self, self.name, "multiplicity", 1)

    def violations(self, group: QIGroup, context: Context) -> Iterator[Violation]:
        """Yield what one group breaks: too few values, uneven counts, and each person's other signature.

        Yields
        ------
        Violation
            "2 different values, fewer than m = 3" (witness `values`, `m`); "values occur [1, 2] times, not
            all equally often" (witness `multiplicities`, `multiplicity`); or, for each person who was
            published among other values before, "a respondent's signature differs from group 4 of release 1",
            with the group in `earlier` and both signatures as witness.
        """
        found, counts = len(group.histogram), set(group.histogram.values())
        exact = self.multiplicity is None or counts == {self.multiplicity}
        if found >= self.m and len(counts) == 1 and exact and not context.history.records:
            return  # before anything is sorted: large releases have many groups
        people = tuple(sorted(group.respondents))
        if found < self.m:
            yield Violation(
                requirement=self.name,
                message=f"{found} different values, fewer than m = {self.m}",
                respondents=people,
                witness={"values": found, "m": self.m},
            )
        if len(counts) > 1 or not exact:
            wanted = "equally often" if self.multiplicity is None else f"{self.multiplicity} times"
            yield Violation(
                requirement=self.name,
                message=f"values occur {sorted(counts)} times, not all {wanted}",
                respondents=people,
                witness={"multiplicities": tuple(sorted(counts)), "multiplicity": self.multiplicity},
            )
        for who in people:
            record = context.history.records.get(who)
            if record is not None and record.signature != group.signature:
                other = next(
                    at for at in record.groups if context.history.group(*at).signature != group.signature
                )
                yield Violation(
                    requirement=self.name,
                    message=f"a respondent's signature differs from group {other[1] + 1} of release "
                    f"{other[0] + 1}",
                    earlier=(other,),
                    respondents=(who,),
                    witness={
                        "signature": tuple(sorted(group.signature)),
                        "earlier": tuple(sorted(context.history.group(*other).signature)),
                    },
                )

    def encode(self, model: Encoding) -> None:
        most = model.largest_count if self.multiplicity is None else self.multiplicity
        for g in model.slots:
            mu = model.cp.new_int_var(0, most, f"mu[{g}]")
            for v in model.values:
                there = model.present(g, v)
                model.cp.add(model.count(g, v) == mu).only_enforce_if(there)
                model.cp.add(self.m * model.count(g, v) <= model.size(g))  # implied; helps the bound
            model.cp.add(sum(model.present(g, v) for v in model.values) >= self.m * model.used(g))
            if self.multiplicity is not None:
                model.cp.add(mu == self.multiplicity).only_enforce_if(model.used(g))
        for t, member in enumerate(model.table.members):
            record = model.problem.history.records.get(member.respondent)
            if record is None:
                continue
            for g in model.homes(t):
                if record.signature is None:
                    model.cp.add(model.x(t, g) == 0)
                    continue
                for v in model.values:
                    literal = model.present(g, v)
                    model.cp.add_implication(model.x(t, g), literal if v in record.signature else ~literal)

    def admits_counts(
        self, counts: Codes, values: tuple[str, ...], context: Context
    ) -> NDArray[np.bool_] | None:
        return None if context.history.records else self._equal(counts)

    def _equal(self, counts: Codes) -> NDArray[np.bool_]:
        there, most = (counts > 0).sum(axis=1), counts.max(axis=1)
        equal = (there >= self.m) & (counts.sum(axis=1) == there * most)
        return equal if self.multiplicity is None else equal & (most == self.multiplicity)

    def _by_member(
        self, respondent: str, counts: Codes, values: tuple[str, ...], history: History
    ) -> NDArray[np.bool_]:
        good, record = self._equal(counts), history.records.get(respondent)
        if record is None:
            return good
        if record.signature is None or not record.signature <= set(values):
            return np.zeros_like(good)
        wanted = np.array([value in record.signature for value in values])
        return good & ((counts > 0) == wanted).all(axis=1)

    def structure(self, problem: ProblemView | None = None) -> Structure:
        """Not monotone: {a,b} and {a,c} merge to unequal multiplicities.

        Multiplicity mu >= 2 decomposes into 1 and mu - 1 (if it is free), 2m values into m and m.
        """
        return Structure(
            depends_on=unless_returning(problem, DependsOn.HISTOGRAM),
            symmetric=True,
            decomposable_from=2 * self.m * (self.multiplicity or 1),
            signature=SignatureRule(min_values=self.m, multiplicity=self.multiplicity),
            by_member=self._by_member,
            looks_back=True,
        )

    def bounds(self, problem: ProblemView) -> GroupBounds:
        return GroupBounds(
            problem=problem,
            smallest=self.m * (self.multiplicity or 1),
            largest=lambda problem: max(len(problem.table), self.multiplicity or 1),
            reason=self._infeasible_because,
            never=self._hopeless_because,
            notes=self._diagnostics,
        )

    def parameters(self) -> tuple[Parameter, ...]:
        fewest = Parameter.whole("m", self.m)
        if self.multiplicity is None:
            return (fewest,)
        return (fewest, Parameter.option("multiplicity", self.multiplicity, self.multiplicity, None))

    def _diagnostics(self, problem: ProblemView) -> Iterator[str]:
        table, records = problem.table, problem.history.records
        found, total = len(table.histogram), len(table)
        if found < self.m:
            yield f"the table has {found} different values; a group needs m = {self.m}"
        else:  # each of at least m values is as frequent as the others, in every group and so in all
            for value, count in sorted(table.histogram.items()):
                if count * self.m > total:
                    yield f"{value!r} has {count} of {total} tuples; m = {self.m} allows {total // self.m}"
        bound = Counter(records[m.respondent].signature for m in table.members if m.respondent in records)
        there = table.histogram
        for signature, people in sorted(bound.items(), key=lambda item: sorted(item[0] or ())):
            if signature is None:
                some = show_count(people, "respondent")
                yield f"{some} published under different signatures before: no group keeps both"
                continue
            missing = [value for value in sorted(signature) if value not in there]
            lacks = f"; nobody in the table has {', '.join(map(repr, missing))}" if missing else ""
            shown = ", ".join(sorted(signature))
            yield f"{show_count(people, 'returning respondent')} must stay among the values {shown}{lacks}"

    def _hopeless_because(self, problem: ProblemView) -> str | None:
        fakes = problem.policy.counterfeit_limit != 0
        known = len(problem.values) if fakes else len(problem.table.histogram)
        if known < self.m:
            return f"{self}: needs groups of m = {self.m} different values, only {known} can be published"
        return None

    def _infeasible_because(self, problem: ProblemView) -> str | None:
        hopeless = self._hopeless_because(problem)
        if hopeless is not None:
            return hopeless
        for row, member in enumerate(problem.table.members, start=1):
            record = problem.history.records.get(member.respondent)
            if record is not None and record.signature is None:
                return f"{self}: row {row} was published under two signatures before, no group can keep both"
            if record is not None and record.signature is not None and len(record.signature) < self.m:
                return (
                    f"{self}: row {row} was published among {len(record.signature)} values, fewer than m, "
                    "before"
                )
        return None
