"""Correlations between a quasi-identifier value and sensitive values in the microdata: which are significant.

Source: al Bouna, Clifton, Malluhi, Defs. 4 and 5 and the safe correlation constraint. The table is
published anatomized: exact quasi-identifiers with a group number, sensitive values with a group number. A
*cell* is the value of one quasi-identifier in one row; hiding a cell publishes ``*`` there and leaves the
group's sensitive values as they are. Notation, for one quasi-identifier value v:

* ``c(v, s)`` tuples with v and sensitive value s, ``c(v)`` tuples with v, ``|T|`` tuples
  (a tuple stays in T when its cell is hidden);
* ``conf(v, s) = c(v, s) / c(v)``;
* S(v), the significant values: they occur with v, their confidence is at most
  ``min_confidence`` or at least ``max_confidence``, and their support is at least
  ``min_support`` (all bounds inclusive).

Safe to publish: S(v) is empty or has at least l values, and what is published tells none of them apart
(see `exposure`).

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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from .antecedents import combination, positions
from .errors import PolicyError
from .group import Member
from .parameters import as_fraction

__all__ = [
    "PairCounts",
    "PreSuppression",
    "Significance",
    "Support",
    "pre_suppress",
    "significant_values",
]

Support: TypeAlias = Literal["joint", "qi"]
"""Reading of support: of the pair, or of the quasi-identifier value alone."""

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
        at = positions(attribute)
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
