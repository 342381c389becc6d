"""Distinct, entropy and recursive (c, l)-diversity (Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam).

With counts ``n_1 >= n_2 >= ...`` of the s tuples of a group:

distinct
    at least l different values.
entropy
    entropy of the shares at least log l, that is ``s**s >= l**s * prod n_v**n_v``
    (printed with ``>`` by Byun et al.; then l equal values would fail).
recursive
    ``n_1 < c (n_l + n_(l+1) + ...)``.

Encodings. Distinct: presence literals add up to l. Recursive: the l - 1 largest
counts add up to the least ``(l - 1) u + sum w_v`` with ``w_v >= n_v - u``, w >= 0
(linear programming duality; integer u suffices since an optimal u is a count), so
``n_v < c (s - (l - 1) u - sum w)`` for some u, w says exactly the same. Entropy: see
`EntropyLDiversity.encode`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import partial
from math import ceil, floor, prod
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..domain import Codes
from ..errors import EngineError, PolicyError
from ..exact_numbers import show_count
from ..group_bounds import GroupBounds
from ..memo import memoized
from ..relaxations import Parameter, ParameterGrid, largest_size, reduced, shares
from ..release import QIGroup
from ..requirement import Context, GroupRequirement, Violation, as_fraction, hold_whole, in_int64, register
from ..structure import DependsOn, EntropyRule, RecursiveRule, Structure

if TYPE_CHECKING:
    from ..encoding import Encoding, Linear
    from ..problem_view import ProblemView

__all__ = ["DistinctLDiversity", "EntropyLDiversity", "RecursiveCLDiversity"]

LARGEST = 4096
"""Largest group the entropy tables are made for: sums of scaled logarithms stay inside int64."""

REFERENCE = "Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam, l-Diversity"


def _too_few_values(requirement: GroupRequirement, needed: int, problem: ProblemView) -> str | None:
    fakes = problem.policy.counterfeit_limit != 0
    known = len(problem.values) if fakes else len(problem.table.histogram)
    if known < needed:
        return f"{requirement}: needs {needed} different sensitive values, only {known} can be published"
    return None


def _diversity(problem: ProblemView) -> Iterator[str]:
    found = problem.table.histogram
    most = max(found, key=lambda value: (found[value], value))
    yield (
        f"the table has {show_count(len(found), 'different value')}; the most frequent, {most!r}, has "
        f"{found[most]} of {len(problem.table)} tuples"
    )


@register
@dataclass(frozen=True, kw_only=True)
class DistinctLDiversity(GroupRequirement):
    """At least `l` different sensitive values in each group.

    Use it for one release if no value is much more frequent than others: a group may still hold one value
    nine times and another once.

    Parameters
    ----------
    l : int
        How many different values a group holds at least; 1 or more.

    Notes
    -----
    Whoever knows in which group (equivalence class) somebody is has at least `l` values to choose from, not
    necessarily equally likely ones. Values of invented records count.
    """

    name: ClassVar[str] = "distinct_l_diversity"
    reference: ClassVar[str] = REFERENCE

    l: int  # noqa: E741 - the field's own name

    def __post_init__(self) -> None:
        hold_whole(self, self.name, "l", 1)

    def violations(self, group: QIGroup, context: Context) -> Iterator[Violation]:
        """Yield one violation if the group has too few different values.

        Yields
        ------
        Violation
            "2 different values, fewer than l = 3", with witness `values` (how many) and `l`.
        """
        found = len(group.signature)
        if found < self.l:
            yield Violation(
                requirement=self.name,
                message=f"{found} different values, fewer than l = {self.l}",
                respondents=tuple(sorted(group.respondents)),
                witness={"values": found, "l": self.l},
            )

    def encode(self, model: Encoding) -> None:
        for g in model.slots:
            model.cp.add(sum(model.present(g, v) for v in model.values) >= self.l * model.used(g))

    def admits_counts(
        self, counts: Codes, values: tuple[str, ...], context: Context
    ) -> NDArray[np.bool_] | None:
        return (counts > 0).sum(axis=1) >= self.l

    def structure(self, problem: ProblemView | None = None) -> Structure:
        return Structure(
            depends_on=DependsOn.HISTOGRAM,
            symmetric=True,
            schur_concave=True,  # the exchanged value had two tuples more, so it is still there
            distinct=self.l,
            monotone=True,
        )

    def parameters(self) -> tuple[Parameter, ...]:
        return (Parameter.whole("l", self.l),)

    def bounds(self, problem: ProblemView) -> GroupBounds:
        return GroupBounds(
            problem=problem,
            smallest=self.l,
            reason=partial(_too_few_values, self, self.l),
            never=partial(_too_few_values, self, self.l),
            notes=_diversity,
        )


@register
@dataclass(frozen=True, kw_only=True)
class EntropyLDiversity(GroupRequirement):
    """Entropy of each group's values at least ``log l``.

    Use it for one release if what counts is how evenly values are mixed, not only how many there are.

    Parameters
    ----------
    l : rational
        How many equally frequent values a group must be as mixed as; 1 or more.

    Notes
    -----
    The entropy of a group is ``-sum p log p`` over the shares p of its values: `log l` for l values equally
    often, less if one prevails. It is compared in whole numbers, without rounding.
    """

    name: ClassVar[str] = "entropy_l_diversity"
    reference: ClassVar[str] = REFERENCE

    l: Fraction  # noqa: E741

    def __post_init__(self) -> None:
        object.__setattr__(self, "l", as_fraction(self.name, "l", self.l))
        if self.l < 1:
            raise PolicyError(f"{self.name}: l must be at least 1, got {self.l}")

    def keeps(self, counts: list[int]) -> bool:
        """Exact test of a histogram by integer powers; O(tuples) big multiplications."""
        size = sum(counts)
        left = size**size * self.l.denominator**size
        return left >= self.l.numerator**size * prod(n**n for n in counts)

    def violations(self, group: QIGroup, context: Context) -> Iterator[Violation]:
        """Yield one violation if the group's values are too uneven.

        Yields
        ------
        Violation
            "entropy of the counts [4, 1] is below log 2", with witness `counts` (how often each value occurs,
            the most frequent first) and `l`.
        """
        counts = sorted(group.histogram.values(), reverse=True)
        if not self.keeps(counts):
            yield Violation(
                requirement=self.name,
                message=f"entropy of the counts {counts} is below log {self.l}",
                respondents=tuple(sorted(group.respondents)),
                witness={"counts": tuple(counts), "l": self.l},
            )

    def encode(self, model: Encoding) -> None:
        """Write ``sum f(n_v) <= f(s) - s log l`` with ``f(n) = n log n`` in fixed point.

        Rounding: logarithms are taken with 40 digits, so every term is off by at most one
        unit, and the inequality is given a slack of (values + 2) units; ties (l equal counts) are
        thereby kept. A histogram that lies inside the slack without being a tie would have to
        miss by less than 2**-38; such a release would fail its check and be cut off.

        Raises
        ------
        EngineError
            If groups may have more than `LARGEST` published tuples.
        """
        most = model.largest_size
        if most > LARGEST:
            raise EngineError(
                f"{self.name}: groups of up to {most} published tuples are too many for its tables (at most "
                f"{LARGEST}): set max_counterfeits in the policy"
            )
        with localcontext(prec=40):
            unit = Decimal(2**44)
            logs = [Decimal(n).ln() for n in range(1, most + 1)]
            power = [0, *(int((unit * n * log).to_integral_value()) for n, log in enumerate(logs, start=1))]
            each = unit * (Decimal(self.l.numerator) / Decimal(self.l.denominator)).ln()
            target = [p - int((each * s).to_integral_value()) for s, p in enumerate(power)]
        for g in model.slots:
            terms = [self._lookup(model, f"f[{g},{v}]", model.count(g, v), power) for v in model.values]
            allowed = self._lookup(model, f"F[{g}]", model.size(g), target)
            model.cp.add(sum(terms) <= allowed + len(terms) + 2)

    @staticmethod
    def _lookup(model: Encoding, name: str, index: Linear, table: list[int]) -> Linear:
        at = model.cp.new_int_var(0, len(table) - 1, f"at {name}")
        model.cp.add(at == index)
        found = model.cp.new_int_var(min(table), max(table), name)
        model.cp.add_element(at, table, found)
        return found

    def admits_counts(
        self, counts: Codes, values: tuple[str, ...], context: Context
    ) -> NDArray[np.bool_] | None:
        """Decide most groups by two integer tests, the rest by `keeps`, each histogram once.

        At least l different values are necessary. ``max <= size / l`` suffices: entropy is at least
        minus the logarithm of the largest share.
        """
        sizes, most = counts.sum(axis=1), counts.max(axis=1)
        p, q = self.l.numerator, self.l.denominator
        if not in_int64(p * int(sizes.max(initial=0)), p, q * counts.shape[1]):
            return None
        good = p * most <= q * sizes
        for row in np.flatnonzero(~good & (q * (counts > 0).sum(axis=1) >= p)):
            good[row] = self._kept(tuple(sorted(counts[row][counts[row] > 0].tolist())))
        return good

    @memoized
    def _kept(self, counts: tuple[int, ...]) -> bool:
        return self.keeps(list(counts))

    def structure(self, problem: ProblemView | None = None) -> Structure:
        return Structure(
            depends_on=DependsOn.HISTOGRAM,
            symmetric=True,
            schur_concave=True,  # entropy is Schur-concave
            values=EntropyRule(least=self.l),
            monotone=True,  # entropy is concave, a merged histogram is a mixture
        )

    def parameters(self) -> tuple[Parameter, ...]:
        return (Parameter(name="l", direction="higher", grid=self._steps),)

    def _steps(self, problem: ProblemView) -> ParameterGrid:
        # Entropies are irrational, so no finite list holds all boundaries.
        steps = [Fraction(i, 100) for i in range(100, ceil(self.l * 100))]
        return ParameterGrid(
            values=reduced(steps, self.l, falling=True), grid="steps of 1/100", complete=False
        )

    def bounds(self, problem: ProblemView) -> GroupBounds:
        return GroupBounds(
            problem=problem,
            smallest=ceil(self.l),
            reason=partial(_too_few_values, self, ceil(self.l)),
            never=partial(_too_few_values, self, ceil(self.l)),
            notes=_diversity,
        )


@register
@dataclass(frozen=True, kw_only=True)
class RecursiveCLDiversity(GroupRequirement):
    """The most frequent value has less than `c` times the tuples of the l-th and all rarer ones.

    Use it for one release if an adversary may rule out some values: what is left must not point to one.

    Parameters
    ----------
    c : rational
        How many times as frequent the most frequent value may be; above 0.
    l : int
        From which value on, by frequency, the rarer ones are added up; 1 or more.

    Notes
    -----
    With the counts of a group's values in falling order, ``n_1 < c (n_l + n_(l+1) + ...)``: the most frequent
    value stays below `c` times the rest even after an adversary has ruled out l - 2 other values.
    """

    name: ClassVar[str] = "recursive_c_l_diversity"
    reference: ClassVar[str] = REFERENCE

    c: Fraction
    l: int  # noqa: E741

    def __post_init__(self) -> None:
        object.__setattr__(self, "c", as_fraction(self.name, "c", self.c))
        if self.c <= 0:
            raise PolicyError(f"{self.name}: c must be above 0, got {self.c}")
        hold_whole(self, self.name, "l", 1)

    def violations(self, group: QIGroup, context: Context) -> Iterator[Violation]:
        """Yield one violation if the most frequent value is too frequent.

        Yields
        ------
        Violation
            "most frequent value 5 times, not below 2 x 1 (l-th and rarer values)", with witness `most`,
            `rest`, `c` and `l`.
        """
        counts = sorted(group.histogram.values(), reverse=True)
        rest = sum(counts[self.l - 1 :])
        if not counts[0] < self.c * rest:
            yield Violation(
                requirement=self.name,
                message=f"most frequent value {counts[0]} times, not below {self.c} x {rest} (l-th and rarer "
                "values)",
                respondents=tuple(sorted(group.respondents)),
                witness={"most": counts[0], "rest": rest, "c": self.c, "l": self.l},
            )

    def encode(self, model: Encoding) -> None:
        most = model.largest_size
        for g in model.slots:
            level = model.cp.new_int_var(0, most, f"u[{g}]")
            above: list[Linear] = []
            for v in model.values:
                excess = model.cp.new_int_var(0, most, f"w[{g},{v}]")
                model.cp.add(excess >= model.count(g, v) - level)
                above.append(excess)
            rest = model.size(g) - (self.l - 1) * level - sum(above)
            for v in model.values:
                model.cp.add(
                    self.c.denominator * model.count(g, v) + 1 <= self.c.numerator * rest
                ).only_enforce_if(model.used(g))

    def admits_counts(
        self, counts: Codes, values: tuple[str, ...], context: Context
    ) -> NDArray[np.bool_] | None:
        falling = -np.sort(-counts, axis=1)
        rest = falling[:, self.l - 1 :].sum(axis=1)
        p, q = self.c.numerator, self.c.denominator
        most = int(counts.sum(axis=1).max(initial=0))
        if not in_int64(p * most, q * most):
            return None
        return q * falling[:, 0] < p * rest

    def structure(self, problem: ProblemView | None = None) -> Structure:
        return Structure(
            depends_on=DependsOn.HISTOGRAM,
            symmetric=True,
            schur_concave=True,  # the largest count does not rise, sums of the smallest do not fall
            values=RecursiveRule(c=self.c, rank=self.l),
            monotone=True,
        )

    def parameters(self) -> tuple[Parameter, ...]:
        return (Parameter(name="c", direction="lower", grid=self._factors), Parameter.whole("l", self.l))

    def _factors(self, problem: ProblemView) -> ParameterGrid:
        # The rule is strict: c between two fractions allows what the larger one allows.
        return shares(self.c, problem, largest_size(problem) + 1)

    def bounds(self, problem: ProblemView) -> GroupBounds:
        return GroupBounds(
            problem=problem,
            smallest=max(self.l, floor(1 / self.c) + self.l if self.c <= 1 else self.l),
            reason=partial(_too_few_values, self, self.l),
            never=partial(_too_few_values, self, self.l),
            notes=_diversity,
        )
