"""What the published cells of a quasi-identifier value tell of the sensitive values behind them.

Source: al Bouna, Clifton, Malluhi, the safe correlation constraint, formula (1) and Def. 8. Notation, for one
quasi-identifier value v, beside that of `correlation`:

* ``x_j`` cells of v left in group j, ``p_jk`` share of value k in group j;
* ``est_k = sum_j p_jk x_j``, how many people with v the adversary expects to have k, so
  ``Pr(k | v) = est_k / sum_j x_j``.

Safe: all est_k of S(v) are equal (up to ``epsilon`` tuples), and every ``Pr(k | v) <= 1/l``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

from .antecedents import combination, positions
from .correlation import PreSuppression
from .errors import PolicyError
from .release import QIGroup

__all__ = ["Linkage", "LossMetric", "Shares", "ValueExposure", "exposures", "uniform_shares"]

Shares: TypeAlias = Callable[[QIGroup, str], Mapping[str, Fraction]]
"""How likely a tuple of a group, of a given quasi-identifier value, has each sensitive value.

In the adversary's eyes: the source's p_jk, `uniform_shares` or `WorldShares`.
"""


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
    at = positions(attribute)
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
