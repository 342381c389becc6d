"""Correlations between a quasi-identifier value and sensitive values, and when publishing them is safe.

Source: al Bouna, Clifton, Malluhi, Defs. 4, 5 and 8, the safe correlation constraint and
formula (1). The table is published anatomized: exact quasi-identifiers with a group
number, sensitive values with a group number. A *cell* is the value of one
quasi-identifier in one row; hiding a cell publishes ``*`` there and leaves the group's
sensitive values as they are. Notation, for one quasi-identifier value v:

* ``c(v, s)`` tuples with v and sensitive value s, ``c(v)`` tuples with v, ``|T|`` tuples
  (a tuple stays in T when its cell is hidden);
* ``conf(v, s) = c(v, s) / c(v)``;
* S(v), the significant values: they occur with v, their confidence is at most
  ``min_confidence`` or at least ``max_confidence``, and their support is at least
  ``min_support`` (all bounds inclusive);
* ``x_j`` cells of v left in group j, ``p_jk`` share of value k in group j;
* ``est_k = sum_j p_jk x_j``, how many people with v the adversary expects to have k, so
  ``Pr(k | v) = est_k / sum_j x_j``.

Safe: all est_k of S(v) are equal (up to ``epsilon`` tuples), every ``Pr(k | v) <= 1/l``, and
S(v) is empty or has at least l values.

*Support* has two readings. ``joint`` is that of association rules, ``c(v, s) / |T|``; as it is at
most the confidence, no value of low confidence is significant when ``min_confidence <
min_support``. ``qi`` is ``c(v) / |T|``, the support of the rule's left side.

*The fixpoint.* If S(v) has between 1 and l - 1 values, the cells of all tuples (v, s), s in
S(v), are hidden before grouping. That changes c(v), so other values may become
significant: it is repeated until S(v) is empty or has l values. Every round hides all
tuples of at least one (v, s), so there are at most as many rounds as sensitive values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Literal, TypeAlias

from .antecedents import combination
from .errors import PolicyError
from .group import Member
from .parameters import as_fraction
from .release import QIGroup

__all__ = [
    "Linkage",
    "LossMetric",
    "PairCounts",
    "PreSuppression",
    "Shares",
    "Significance",
    "Support",
    "ValueExposure",
    "exposures",
    "pre_suppress",
    "significant_values",
    "uniform_shares",
]

Support: TypeAlias = Literal["joint", "qi"]
"""Reading of support: of the pair, or of the quasi-identifier value alone."""

Shares: TypeAlias = Callable[[QIGroup, str], Mapping[str, Fraction]]
"""How likely a tuple of a group, of a given quasi-identifier value, has each sensitive value.

In the adversary's eyes: the source's p_jk, `uniform_shares` or `WorldShares`.
"""

OWNER = "safe_correlation"


@dataclass(frozen=True, kw_only=True)
class Significance:
    """When a sensitive value is significantly related to a quasi-identifier value (Def. 5).

    Parameters
    ----------
    min_confidence, max_confidence : rational
        ``0 <= min_confidence <= max_confidence <= 1``; confidences at most the first or at
        least the second are significant. A float means its shortest decimal form.
    min_support : rational, default 0
        From 0 to 1.
    support : {"joint", "qi"}
        Reading of support, see the module.

    Raises
    ------
    PolicyError
        If a parameter is out of its range.
    """

    min_confidence: Fraction
    max_confidence: Fraction
    min_support: Fraction = Fraction(0)
    support: Support = "joint"

    def __post_init__(self) -> None:
        for name in ("min_confidence", "max_confidence", "min_support"):
            number = as_fraction(OWNER, name, getattr(self, name))
            if not 0 <= number <= 1:
                raise PolicyError(f"{OWNER}: {name} must be from 0 to 1, got {number}")
            object.__setattr__(self, name, number)
        if self.min_confidence > self.max_confidence:
            raise PolicyError(
                f"{OWNER}: min_confidence {self.min_confidence} is above "
                f"max_confidence {self.max_confidence}: exchange them"
            )
        if self.support not in ("joint", "qi"):
            raise PolicyError(f"{OWNER}: support must be 'joint' or 'qi', got {self.support!r}")


@dataclass(frozen=True, kw_only=True)
class PairCounts:
    """How often quasi-identifier values and sensitive values occur together.

    Attributes
    ----------
    of : Mapping of str to Mapping of str to int
        ``of[v][s] = c(v, s)``, all above 0.
    total : int
        ``|T|``, tuples with a hidden cell included.
    """

    of: Mapping[str, Mapping[str, int]]
    total: int

    @classmethod
    def count(cls, members: Iterable[Member], attribute: int | Sequence[int]) -> PairCounts:
        """Count the values of one quasi-identifier (by its position) among some tuples.

        Of several positions it counts the combinations of their values.
        """
        at = _positions(attribute)
        return cls.of_pairs((combination(member.point, at), member.value) for member in members)

    @classmethod
    def of_pairs(cls, pairs: Iterable[tuple[str, str]], total: int | None = None) -> PairCounts:
        """Count pairs of a quasi-identifier value and a sensitive value; |T| is their number if not given."""
        found: dict[str, Counter[str]] = {}
        seen = 0
        for value, sensitive in pairs:
            found.setdefault(value, Counter())[sensitive] += 1
            seen += 1
        return cls(of=found, total=seen if total is None else total)

    def occurrences(self, value: str) -> int:
        """``c(v)``."""
        return sum(self.of.get(value, {}).values())

    def confidence(self, value: str, sensitive: str) -> Fraction:
        """``c(v, s) / c(v)``; 0 if v does not occur."""
        row = self.of.get(value, {})
        return Fraction(row.get(sensitive, 0), self.occurrences(value)) if row else Fraction(0)

    def support(self, value: str, sensitive: str, reading: Support) -> Fraction:
        """``c(v, s) / |T|`` (joint) or ``c(v) / |T|`` (qi)."""
        count = self.of.get(value, {}).get(sensitive, 0) if reading == "joint" else self.occurrences(value)
        return Fraction(count, self.total) if self.total else Fraction(0)


def significant_values(counts: PairCounts, value: str, significance: Significance) -> frozenset[str]:
    """S(v): the significant values among those that occur with v.

    A value that never occurs with v is no candidate: hiding cells cannot raise its
    estimate to that of the others.
    """
    return frozenset(
        sensitive
        for sensitive in counts.of.get(value, {})
        if not significance.min_confidence < counts.confidence(value, sensitive) < significance.max_confidence
        and counts.support(value, sensitive, significance.support) >= significance.min_support
    )


@dataclass(frozen=True, kw_only=True)
class PreSuppression:
    """What the fixpoint leaves of one quasi-identifier value.

    Attributes
    ----------
    hidden : frozenset of str
        Sensitive values s such that the cells of all tuples (v, s) are hidden.
    significant : frozenset of str
        S(v) among the tuples left: empty, or at least l values.
    rounds : int
        How often S(v) had too few values; above 1 a single pass is not enough.
    """

    hidden: frozenset[str]
    significant: frozenset[str]
    rounds: int


def pre_suppress(counts: PairCounts, significance: Significance, l: int) -> dict[str, PreSuppression]:  # noqa: E741
    """Hide pairs until every S(v) is empty or has at least `l` values.

    Returns
    -------
    dict
        One entry per quasi-identifier value, in sorted order.

    Notes
    -----
    O(values * sensitive values ** 2). Values do not influence one another.
    """
    plans: dict[str, PreSuppression] = {}
    for value, row in sorted(counts.of.items()):
        left, rounds = dict(row), 0
        while True:
            now = PairCounts(of={value: left}, total=counts.total)
            found = significant_values(now, value, significance)
            if not 0 < len(found) < l:
                break
            left = {s: n for s, n in left.items() if s not in found}
            rounds += 1
        plans[value] = PreSuppression(hidden=frozenset(row) - set(left), significant=found, rounds=rounds)
    return plans


def uniform_shares(group: QIGroup, value: str = "") -> Mapping[str, Fraction]:
    """The random-worlds adversary: every published tuple of the group is as likely as any other.

    The quasi-identifier value has no say in it.
    """
    return {sensitive: Fraction(count, group.size) for sensitive, count in group.histogram.items()}


@dataclass(frozen=True, kw_only=True)
class Linkage:
    """What the published cells of one quasi-identifier value tell.

    Attributes
    ----------
    kept : int
        Published cells, ``sum_j x_j``.
    expected : Mapping of str to Fraction
        ``est_k`` of every significant value, in tuples.
    """

    kept: int
    expected: Mapping[str, Fraction]

    def probability(self, sensitive: str) -> Fraction:
        """``Pr(k | v)``, formula (1); 0 if no cell is published."""
        return self.expected[sensitive] / self.kept if self.kept else Fraction(0)

    @property
    def spread(self) -> Fraction:
        """Largest minus smallest estimate, in tuples."""
        return max(self.expected.values()) - min(self.expected.values()) if self.expected else Fraction(0)

    @property
    def constant(self) -> Fraction | None:
        """The correlation constant lambda(v), 1 / the largest probability; None if that is 0."""
        most = max((self.probability(k) for k in self.expected), default=Fraction(0))
        return 1 / most if most else None

    def exceeding(self, l: int) -> tuple[str, ...]:  # noqa: E741
        """Significant values with a probability above 1/l, sorted."""
        return tuple(sorted(k for k, amount in self.expected.items() if l * amount > self.kept))

    def is_safe(self, l: int, epsilon: Fraction) -> bool:  # noqa: E741
        """Whether estimates differ by at most `epsilon` tuples and no probability is above 1/l."""
        return self.spread <= epsilon and not self.exceeding(l)


@dataclass(frozen=True, kw_only=True)
class ValueExposure:
    """One quasi-identifier value in a grouped table: its cells, and what may be behind them.

    Attributes
    ----------
    value : str
        v.
    significant : frozenset of str
        S(v) after the fixpoint.
    groups : tuple of int
        Groups with v, by their index in the release.
    counts : tuple of int
        Per group, cells of v left by the fixpoint (``c_j``): at most so many can be published.
    hidden : tuple of int
        Per group, cells of v hidden by the fixpoint.
    shares : tuple of Mapping of str to Fraction
        Per group, probability of each sensitive value (0 if left out) for a tuple with v.

    Raises
    ------
    PolicyError
        If lengths differ, or a count or a probability is out of its range.
    """

    value: str
    significant: frozenset[str]
    groups: tuple[int, ...]
    counts: tuple[int, ...]
    hidden: tuple[int, ...]
    shares: tuple[Mapping[str, Fraction], ...] = field(repr=False)

    def __post_init__(self) -> None:
        if len({len(self.groups), len(self.counts), len(self.hidden), len(self.shares)}) != 1:
            raise PolicyError(f"exposure of {self.value!r}: give one count, hidden count and share per group")
        if min((*self.counts, *self.hidden), default=0) < 0:
            raise PolicyError(f"exposure of {self.value!r}: counts of cells must be at least 0")
        for number, share in zip(self.groups, self.shares, strict=True):
            if min(share.values(), default=0) < 0 or sum(share.values()) > 1:
                raise PolicyError(
                    f"exposure of {self.value!r}, group {number + 1}: "
                    "probabilities must be at least 0 and add up to at most 1"
                )

    @cached_property
    def occurrences(self) -> int:
        """``c(v)`` of the microdata: cells left and cells hidden by the fixpoint."""
        return sum(self.counts) + sum(self.hidden)

    def linkage(self, kept: Sequence[int]) -> Linkage:
        """What is told if `kept` cells per group are published."""
        expected = {
            k: sum(
                (x * share.get(k, Fraction(0)) for x, share in zip(kept, self.shares, strict=True)),
                Fraction(0),
            )
            for k in sorted(self.significant)
        }
        return Linkage(kept=sum(kept), expected=expected)


def exposures(
    groups: Sequence[QIGroup],
    attribute: int | Sequence[int],
    plans: Mapping[str, PreSuppression],
    shares: Shares = uniform_shares,
) -> Iterator[ValueExposure]:
    """Describe every quasi-identifier value of a grouping, sorted by value.

    Parameters
    ----------
    groups
        Of an anatomized release; cells the release hides count as not hidden here.
    attribute : int or sequence of int
        Position of the quasi-identifier; of several, combinations of their values are described.
    plans
        Of `pre_suppress` or `combined_plans`, for the microdata of the release.
    shares
        Probabilities inside a group; uniform by default. Asked only for values with significant
        sensitive values: of others the estimates do not matter, and their shares are empty.
    """
    at = _positions(attribute)
    cells: dict[str, dict[int, list[int]]] = {value: {} for value in plans}
    for index, group in enumerate(groups):
        for member in group.members:
            value = combination(member.point, at)
            early = member.value in plans[value].hidden
            cells[value].setdefault(index, [0, 0])[early] += 1
    for value, plan in plans.items():
        where = cells[value]
        yield ValueExposure(
            value=value,
            significant=plan.significant,
            groups=tuple(where),
            counts=tuple(left for left, _ in where.values()),
            hidden=tuple(early for _, early in where.values()),
            shares=tuple(shares(groups[index], value) if plan.significant else {} for index in where),
        )


def _positions(attribute: int | Sequence[int]) -> Sequence[int]:
    return (attribute,) if isinstance(attribute, int) else attribute


@dataclass(frozen=True, kw_only=True)
class LossMetric:
    """Share of hidden cells of one value (Def. 8), over either denominator.

    Attributes
    ----------
    hidden, occurrences, tuples : int
        Hidden cells of v, ``c(v)`` and ``|T|``; ``hidden <= occurrences <= tuples``.
    """

    hidden: int
    occurrences: int
    tuples: int

    def __post_init__(self) -> None:
        if not 0 <= self.hidden <= self.occurrences <= self.tuples or not self.occurrences:
            raise PolicyError(
                f"loss metric: needs 0 <= hidden <= occurrences <= tuples and at least 1 occurrence, "
                f"got {self.hidden}, {self.occurrences}, {self.tuples}"
            )

    @property
    def of_table(self) -> Fraction:
        """Hidden cells over all tuples: the definition as printed."""
        return Fraction(self.hidden, self.tuples)

    @property
    def of_value(self) -> Fraction:
        """Hidden cells over the occurrences of the value: the definition's example in the text."""
        return Fraction(self.hidden, self.occurrences)
