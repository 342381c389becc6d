"""How likely one tuple of a group has each value, in the eyes of who knows the correlations.

Random worlds weighted by what is known of the whole table (Wong et al., Can the utility of anonymized data
be used for privacy breaches?): a *world* gives every tuple of the group one of the group's published values;
it weighs the product, over its tuples, of ``P(s | v)``, s being the tuple's value and v its
quasi-identifier value. The share of s for a tuple with v is the weight of the worlds that give it s, over the
weight of all. ``P(s | v) = c(v, s) / c(v)``; the denominators are the same in all worlds, so counts do.

Tuples with different v have different shares in one group, so the share is a function of group and
value. A counterfeit has no quasi-identifier: what the tuples leave over is arranged on the
counterfeits in every order, each of weight 1. With equal counts for all pairs the share of s is
its frequency in the group, as for `uniform_shares`.

All in integers, by one pass over the group's other tuples, whose states are the values left over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import factorial, prod

from .antecedents import combination
from .correlation import PairCounts
from .errors import PolicyError
from .release import QIGroup
from .table import Microdata

__all__ = ["WorldShares"]

Key = tuple[str, tuple[tuple[str, int], ...], tuple[tuple[str, int], ...]]


@dataclass(frozen=True, kw_only=True)
class WorldShares:
    """Shares by weighted worlds: what `sanitize` and `exposures` take as `shares`.

    Parameters
    ----------
    counts : PairCounts
        What the adversary knows: how often quasi-identifier values and sensitive values go together.
        ``PairCounts.count(table.members, attribute)`` are the actual correlations.
    attributes : tuple of int
        Positions of the quasi-identifiers that make up a value; usually one.
    most_states : int, default 100000
        Larger groups, whose values can be left over in more ways, are refused.

    Examples
    --------
    >>> from optanon.models.table import Member
    >>> people = [Member("1", ("nurse",), "flu"), Member("2", ("miner",), "asthma")]
    >>> known = PairCounts(of={"nurse": {"flu": 3, "asthma": 1}, "miner": {"flu": 1, "asthma": 1}}, total=6)
    >>> WorldShares(counts=known, attributes=(0,))(QIGroup(members=tuple(people)), "nurse")
    {'asthma': Fraction(1, 4), 'flu': Fraction(3, 4)}
    """

    counts: PairCounts
    attributes: tuple[int, ...]
    most_states: int = 100_000
    _known: dict[Key, Mapping[str, Fraction]] = field(
        default_factory=dict[Key, Mapping[str, Fraction]], init=False, repr=False, compare=False
    )

    @classmethod
    def of(cls, table: Microdata, *names: str) -> WorldShares:
        """For who knows the correlations of one quasi-identifier of `table`, or of several together."""
        attributes = tuple(table.attributes.index(name) for name in names)
        return cls(counts=PairCounts.count(table.members, attributes), attributes=attributes)

    def __call__(self, group: QIGroup, value: str) -> Mapping[str, Fraction]:
        """Probability of every published value of the group for one of its tuples with `value`.

        Raises
        ------
        PolicyError
            If the group has no such tuple, no world has a weight, or the group is too large.
        """
        there = Counter(combination(member.point, self.attributes) for member in group.members)
        if not there[value]:
            raise PolicyError(f"shares: no tuple of the group has {value!r}")
        there[value] -= 1
        key = (value, tuple(sorted((+there).items())), tuple(sorted(group.histogram.items())))
        if key not in self._known:
            self._known[key] = self._shares(*key)
        return self._known[key]

    def _shares(
        self, value: str, others: Sequence[tuple[str, int]], values: Sequence[tuple[str, int]]
    ) -> Mapping[str, Fraction]:
        if prod(count + 1 for _, count in values) > self.most_states:
            raise PolicyError(
                f"shares: {sum(count for _, count in values)} tuples are too many to weigh their worlds: "
                "take smaller groups, or uniform shares"
            )
        names = [name for name, _ in values]
        states = {tuple(count for _, count in values): 1}
        for other in Counter(dict(others)).elements():
            states = self._given(other, names, states)
        last = self._given(value, names, states, weighed=True)
        weights = dict.fromkeys(names, 0)
        for state, weight in last.items():
            weights[names[state[-1]]] += weight
        total = sum(weights.values())
        if not total:
            raise PolicyError(
                "shares: no world of a group is possible under the given counts: "
                "count all pairs of the table, or give every pair a count"
            )
        return {name: Fraction(weight, total) for name, weight in sorted(weights.items())}

    def _given(
        self,
        value: str,
        names: Sequence[str],
        states: Mapping[tuple[int, ...], int],
        *,
        weighed: bool = False,
    ) -> dict[tuple[int, ...], int]:
        """States after one more tuple took a value; `weighed` marks the last, and orders what is left."""
        row, after = self.counts.of.get(value, {}), dict[tuple[int, ...], int]()
        for state, weight in states.items():
            for at, name in enumerate(names):
                chance = row.get(name, 0)
                if not state[at] or not chance:
                    continue
                rest = (*state[:at], state[at] - 1, *state[at + 1 :])
                if weighed:
                    orders = factorial(sum(rest)) // prod(map(factorial, rest))
                    after[*rest, at] = after.get((*rest, at), 0) + weight * chance * orders
                else:
                    after[rest] = after.get(rest, 0) + weight * chance
        return after
