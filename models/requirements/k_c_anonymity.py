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

import numpy as np
from numpy.typing import NDArray

from ..domain import Codes
from ..group_bounds import GroupBounds
from ..relaxations import Parameter
from ..release import QIGroup
from ..requirement import Context, GroupRequirement, Violation, hold_share, hold_whole, in_int64, register
from ..structure import DependsOn, Structure

if TYPE_CHECKING:
    from ..encoding import Encoding
    from ..problem_view import ProblemView

__all__ = ["KAnonymity", "KCAnonymity"]


@register
@dataclass(frozen=True, kw_only=True)
class KCAnonymity(GroupRequirement):
    """Groups of at least `k` tuples in which no value is more frequent than `c`.

    Use it for a table that is published once; it does not look at other releases.

    Parameters
    ----------
    k : int
        How many rows a group has at least; 1 or more.
    c : rational, default 1
        Largest share of one value in a group; above 0, at most 1. A float means its shortest decimal form.

    Notes
    -----
    Whoever knows somebody's quasi-identifiers finds at least `k` records that fit, and guesses the sensitive
    value with a probability of at most `c`. With c = 1 it is k-anonymity (`KAnonymity`), which says nothing
    of sensitive values: all records of a group may share one. Records that were left out protect nobody;
    invented ones count like real ones.
    """

    name: ClassVar[str] = "k_c_anonymity"
    reference: ClassVar[str] = "Byun, Li, Bertino, Li, Sohn, Def. 1"

    k: int
    c: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        hold_whole(self, self.name, "k", 1)
        hold_share(self, self.name, "c")

    def violations(self, group: QIGroup, context: Context) -> Iterator[Violation]:
        """Yield what one group breaks: its size, and each value that is too frequent.

        Yields
        ------
        Violation
            "3 tuples, fewer than k = 5", with witness `size` and `k`; or "3 of 5 tuples share one value, more
            than c = 1/2", with witness `value`, `count`, `size` and `c`. Respondents are all of the group.
        """
        size, p, q = group.size, self.c.numerator, self.c.denominator  # integers: large releases have many
        if size < self.k:
            yield Violation(
                requirement=self.name,
                message=f"{size} tuples, fewer than k = {self.k}",
                respondents=tuple(sorted(group.respondents)),
                witness={"size": size, "k": self.k},
            )
        for value, count in sorted(group.histogram.items()) if p < q else ():
            if q * count > p * size:
                yield Violation(
                    requirement=self.name,
                    message=f"{count} of {size} tuples share one value, more than c = {self.c}",
                    respondents=tuple(sorted(group.respondents)),
                    witness={"value": value, "count": count, "size": size, "c": self.c},
                )

    def encode(self, model: Encoding) -> None:
        for g in model.slots:
            model.cp.add(model.size(g) >= self.k * model.used(g))
            if self.c < 1:
                for v in model.values:
                    model.cp.add(self.c.denominator * model.count(g, v) <= self.c.numerator * model.size(g))

    def admits_counts(
        self, counts: Codes, values: tuple[str, ...], context: Context
    ) -> NDArray[np.bool_] | None:
        sizes = counts.sum(axis=1)
        p, q = self.c.numerator, self.c.denominator
        if not in_int64(self.k, q * int(sizes.max(initial=0))):
            return None
        return (sizes >= self.k) & (q * counts.max(axis=1) <= p * sizes)

    def structure(self, problem: ProblemView | None = None) -> Structure:
        return Structure(
            depends_on=DependsOn.SIZE if self.c == 1 else DependsOn.HISTOGRAM,
            symmetric=True,
            schur_concave=True,  # the size stays, the largest count does not rise
            decomposable_from=self._decomposable_from(),
            monotone=True,
        )

    def _decomposable_from(self) -> int:
        """Derive the size; with c = p/q in lowest terms.

        Split N tuples into N1 = q j, the least multiple of q with N1 >= k, and N2 = N - N1. Value v
        may give at most u_v = min(n_v, p j) to the first part and must give at least
        l_v = max(0, n_v - floor(c N2)); n_v <= floor(c N) = floor(c N2) + p j makes l_v <= u_v. A split
        exists if sum l <= N1 <= sum u. Let m values have n_v > p j: if m >= q/p they alone offer
        m p j >= q j; else sum u = m p j + N - (their counts) >= N - m c N2 >= N1. Let m values have
        n_v > floor(c N2): if m <= q/p then sum l <= m p j <= N1; else sum l <= N - m floor(c N2), and
        floor(c N2) >= c N2 - (q-1)/q makes that at most N1 once N2 >= m (q-1) / (m p - q), which falls
        with m and is largest for m = floor(q/p) + 1.
        """
        p, q = self.c.numerator, self.c.denominator
        most = q // p + 1
        first = q * ceil(Fraction(self.k, q))
        return first + max(self.k, ceil(Fraction(most * (q - 1), most * p - q)))

    def bounds(self, problem: ProblemView) -> GroupBounds:
        return GroupBounds(
            problem=problem,
            smallest=self._smallest,
            largest=lambda problem: max(self.k, len(problem.table)),
            reason=self._infeasible_because,
            never=self._hopeless_because,
            notes=self._diagnostics,
        )

    @property
    def _smallest(self) -> int:
        return max(self.k, ceil(1 / self.c))

    def parameters(self) -> tuple[Parameter, ...]:
        return (Parameter.whole("k", self.k), Parameter.share("c", self.c))

    def _diagnostics(self, problem: ProblemView) -> Iterator[str]:
        total = len(problem.table)
        for value, count in sorted(problem.table.histogram.items()):
            if count > self.c * total:
                yield f"{value!r} has {count} of {total} tuples; c = {self.c} allows {int(self.c * total)}"
        if self._smallest > total:
            yield f"the table has {total} tuples; one group needs {self._smallest}"

    def _hopeless_because(self, problem: ProblemView) -> str | None:
        table, fakes = problem.table, problem.policy.counterfeit_limit != 0
        if not fakes and len(table) < self._smallest:
            return f"{self}: needs groups of {self._smallest} tuples, the table has {len(table)}"
        known, needed = len(problem.values) if fakes else len(table.histogram), ceil(1 / self.c)
        if known < needed:
            return f"{self}: needs {needed} different sensitive values, only {known} can be published"
        return None

    def _infeasible_because(self, problem: ProblemView) -> str | None:
        table, hopeless = problem.table, self._hopeless_because(problem)
        if hopeless is not None:
            return hopeless
        count = max(table.histogram.values())
        if problem.policy.counterfeit_limit == 0 and count > self.c * len(table):
            return (
                f"{self}: one value has {count} of {len(table)} tuples, more than the share c = "
                f"{self.c} anywhere"
            )
        return None


def KAnonymity(*, k: int) -> KCAnonymity:  # noqa: N802 (stands beside the classes)
    """k-anonymity (Samarati and Sweeney) by its usual name: `KCAnonymity` with c = 1.

    Use it for a table without sensitive values, or beside a requirement on them: alone it lets all records of
    a group (an equivalence class) share one sensitive value, which is then known of everybody in it.

    Parameters
    ----------
    k : int
        How many records a group has at least, so that whoever knows somebody's quasi-identifiers finds at
        least k that fit; 1 or more.

    Returns
    -------
    KCAnonymity
        Its `check` yields a violation for each smaller group: "group 2: 3 tuples, fewer than k = 5".

    Raises
    ------
    PolicyError
        If k is not a whole number of 1 or more.

    See Also
    --------
    KCAnonymity : also bounds the share of one sensitive value.
    DistinctLDiversity : asks for several sensitive values in each group.

    Examples
    --------
    >>> print(KAnonymity(k=5))
    k_c_anonymity(k=5, c=1)
    """
    return KCAnonymity(k=k)
