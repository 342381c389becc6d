"""t-closeness (Li, Li, Venkatasubramanian): a group's value distribution stays close to the table's.

Meaning: ``distance(p, q) <= t`` with p the shares in the group (counterfeits
included: they are published) and q the shares in the microdata (suppressed tuples
included, counterfeits not). Distances, both exact rationals from 0 to 1:

equal    ``1/2 sum_v |p_v - q_v|``
ordered  ``1/(V-1) sum_(i<V) |sum_(j<=i) (p_j - q_j)|`` for V ordered values

Encoding: with N tuples, table counts P and group counts n of size s, multiply by
N s: ``sum |N n_v - s P_v| <= 2 t N s``, and the like for cumulative counts. Absolute
values become variables bounded below by both signs; the inequality only needs
upper bounds on them, so this is exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..domain import Codes
from ..errors import PolicyError
from ..exact_numbers import plain_text, show_count
from ..group_bounds import GroupBounds
from ..relaxations import Parameter, ParameterGrid, largest_size, reduced
from ..release import QIGroup
from ..requirement import Context, GroupRequirement, Violation, as_fraction, in_int64, register
from ..spelling import shown
from ..structure import DependsOn, SharesRule, Structure

if TYPE_CHECKING:
    from ..encoding import Encoding, Linear
    from ..problem_view import ProblemView

__all__ = ["TCloseness"]

MOST_DISTANCES = 200_000
"""Up to so many possible distances are listed one by one."""
SIZES = 1024
"""So many sizes are looked at together."""


@register
@dataclass(frozen=True, kw_only=True)
class TCloseness(GroupRequirement):
    """The values of every group are distributed as in the whole table, up to a distance of `t`.

    Use it for one release if not even a group's frequencies may say more than the table's.

    Parameters
    ----------
    t : rational
        Largest distance; from 0 (as in the table) to 1 (anything).
    order : tuple of str, optional
        All values (at least 2) in their natural order: the distance is then the
        ordered earth mover's distance, otherwise all values are equally far apart.
        Numbers are read as their text, as tables do: 2.0 is "2".
    """

    name: ClassVar[str] = "t_closeness"
    reference: ClassVar[str] = "Li, Li, Venkatasubramanian, t-Closeness, sec. 4"

    t: Fraction
    order: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "t", as_fraction(self.name, "t", self.t))
        if not 0 <= self.t <= 1:
            raise PolicyError(f"{self.name}: t must be from 0 to 1, got {self.t}")
        if self.order is not None:
            if isinstance(self.order, str) or not isinstance(self.order, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise PolicyError(f"{self.name}: order must be a list of values, got {self.order!r}")
            order = tuple(map(plain_text, self.order))
            if len(order) < 2 or len(set(order)) < len(order):
                raise PolicyError(f"{self.name}: order must list at least two different values, each once")
            object.__setattr__(self, "order", order)

    def distance(self, group: Mapping[str, int], table: Mapping[str, int]) -> Fraction:
        """Exact distance between two histograms; O(number of values)."""
        size, total = sum(group.values()), sum(table.values())
        gaps = [
            Fraction(group.get(v, 0), size) - Fraction(table.get(v, 0), total)
            for v in self._values(set(group) | set(table))
        ]
        if self.order is None:
            return sum((abs(gap) for gap in gaps), Fraction(0)) / 2
        return sum((abs(gap) for gap in accumulate(gaps)), Fraction(0)) / (len(gaps) - 1)

    def _values(self, found: set[str]) -> Sequence[str]:
        if self.order is None:
            return sorted(found)
        strange = sorted(found - set(self.order))
        if strange:
            told = shown(strange[:3]) + (", ..." if strange[3:] else "")
            lacks = f"order lacks {show_count(len(strange), 'value')} of the domain ({told})"
            raise PolicyError(f"{self.name}: {lacks}: list every value that occurs or is declared once")
        return self.order

    def violations(self, group: QIGroup, context: Context) -> Iterator[Violation]:
        """Yield one violation if the group's values are distributed too differently.

        Yields
        ------
        Violation
            "distance 3/10 to the table's distribution, more than t = 1/5", with witness `distance` and `t`.

        Raises
        ------
        PolicyError
            If `order` lacks a value of the group or the table.
        """
        found = self.distance(group.histogram, context.reference)
        if found > self.t:
            yield Violation(
                requirement=self.name,
                message=f"distance {found} to the table's distribution, more than t = {self.t}",
                respondents=tuple(sorted(group.respondents)),
                witness={"distance": found, "t": self.t},
            )

    def admits_counts(
        self, counts: Codes, values: tuple[str, ...], context: Context
    ) -> NDArray[np.bool_] | None:
        column = {value: at for at, value in enumerate(values)}
        order = values if self.order is None else self.order
        strange = [at for value, at in column.items() if value not in order]
        if any(value not in order for value in context.reference):
            return None
        total, sizes = sum(context.reference.values()), counts.sum(axis=1)
        largest = 2 * total * int(sizes.max(initial=0)) * len(order)
        if not in_int64(largest * max(self.t.numerator, self.t.denominator)) or counts[:, strange].any():
            return None
        empty = np.zeros_like(sizes)
        shares = np.stack([counts[:, column[v]] if v in column else empty for v in order], axis=1)
        table = np.array([context.reference.get(v, 0) for v in order], dtype=np.int64)
        gaps = total * shares - sizes[:, None] * table
        if self.order is not None:
            gaps = gaps.cumsum(axis=1)
        scale = 2 if self.order is None else len(order) - 1
        return self.t.denominator * np.abs(gaps).sum(axis=1) <= self.t.numerator * scale * total * sizes

    def structure(self, problem: ProblemView | None = None) -> Structure:
        """Monotone: both distances are convex in p, and a merged histogram is a mixture."""
        scale = 2 if self.order is None else len(self.order) - 1
        rule = SharesRule(most=scale * self.t, order=self.order)
        return Structure(depends_on=DependsOn.HISTOGRAM, monotone=True, values=rule)

    def bounds(self, problem: ProblemView) -> GroupBounds:
        """Groups of few tuples cannot have the table's shares: the least size that can, to within `t`."""
        table = problem.table.histogram
        counts = tuple(table.get(value, 0) for value in self._values(set(table)))
        return GroupBounds(problem=problem, smallest=_smallest(self.t, counts, self.order is not None))

    def parameters(self) -> tuple[Parameter, ...]:
        return (Parameter(name="t", direction="lower", grid=self._distances),)

    def _distances(self, problem: ProblemView) -> ParameterGrid:
        """List every distance a group of any size can have: a multiple of one over tuples x size (x gaps)."""
        size, total = largest_size(problem), len(problem.table)
        scale = total * (1 if self.order is None else len(self.order) - 1)
        if scale * size**2 > MOST_DISTANCES:
            steps = [Fraction(i, 1000) for i in range(1001)]
            return ParameterGrid(values=reduced(steps, self.t), grid="steps of 1/1000", complete=False)
        found = {Fraction(a, scale * s) for s in range(1, size + 1) for a in range(scale * s + 1)}
        return ParameterGrid(
            values=reduced(found, self.t), grid=f"distances of groups of up to {size} tuples"
        )

    def encode(self, model: Encoding) -> None:
        table = model.table.histogram
        total = len(model.table)
        values = self._values(set(model.values))
        share = self.t if self.order is not None else 2 * self.t
        share *= len(values) - 1 if self.order is not None else 1
        known = set(model.values)
        most = total * (total + model.largest_size)
        for g in model.slots:
            gaps = [
                total * (model.count(g, v) if v in known else 0) - table.get(v, 0) * model.size(g)
                for v in values
            ]
            distances: list[Linear] = []
            for i, gap in enumerate(accumulate(gaps) if self.order is not None else gaps):
                far = model.cp.new_int_var(0, most, f"far[{g},{i}]")
                model.cp.add(far >= gap)
                model.cp.add(far >= -gap)
                distances.append(far)
            model.cp.add(share.denominator * sum(distances) <= share.numerator * total * model.size(g))


@lru_cache(maxsize=256)
def _smallest(t: Fraction, counts: tuple[int, ...], ordered: bool) -> int:
    """Tuples of the smallest group of any histogram within a distance of the table's, which has `counts`.

    The nearest histogram of n tuples: whole parts of the table's shares, then the largest fractions of them;
    or, in order, each cumulative share rounded. At most as many tuples as the table has. O(size found, in
    steps of `SIZES`, x values x log values).
    """
    total = sum(counts)
    shares = np.array(list(accumulate(counts)) if ordered else counts, dtype=np.int64)
    for begin in range(1, total, SIZES):
        sizes = np.arange(begin, min(begin + SIZES, total))
        whole, part = np.divmod(sizes[:, None] * shares, total)
        if ordered:
            far = np.minimum(part, total - part).sum(axis=1)
        else:
            most = np.cumsum(-np.sort(-part, axis=1), axis=1)
            rest = sizes - whole.sum(axis=1)  # fewer than there are values
            taken = np.where(rest > 0, most[np.arange(len(sizes)), rest - 1], 0)
            far = total * rest - taken
        allowed = t * ((len(counts) - 1) if ordered else 1)
        for size, distance in zip(sizes.tolist(), far.tolist(), strict=True):
            if distance * allowed.denominator <= allowed.numerator * total * size:
                return size
    return max(1, total)
