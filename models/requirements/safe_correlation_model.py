r"""Safe correlations in the model of a release: groups and hidden cells decided together.

For a combination b of attributes B (one or several) the published rows of slot g are ``x_g = shown(g, B, b)``
of the encoding; as many rows do not show b as the fixpoint hides. With estimates in parts of a tuple,
``e_gk = S x_g share_gk(b)`` and low one more integer, for every k in S(b)::

    low <= sum_g e_gk <= low + floor(S epsilon)          l sum_g e_gk <= S sum_g x_g

*Uniform shares* are ``count(g, k) / size(g)``. With S a common multiple of all sizes e_gk is whole:
``y = x n`` by a multiplication constraint and ``e = (S / s) y`` where the slot has size s.

*Shares by worlds* depend on all that a group holds. At first the model knows only that e_gk is 0 without the
value k and that ``sum_k e_gk <= S x_g``. A release that fails teaches it, by cuts, the shares p of its
groups: wherever a slot has the same combinations and values, ``floor(S p_k) x_g <= e_gk <= ceil(S p_k) x_g``.
There is a whole e_gk for the true one, ``floor(S p_k x_g)``, less than one part too small; so the slack of
condition 2 is one part per slot, and no safe release is cut off. If windows that narrow still let the release
through, the cut forbids that its groups with b are published again with as many rows that show b.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, lcm
from typing import TYPE_CHECKING

from ..antecedents import combination, shown
from ..correlation import PreSuppression
from ..cut_pieces import hidden_if
from ..encoding import Cut, Encoding, Linear
from ..errors import EngineError
from ..exposure import ValueExposure
from ..release import QIGroup, Release

if TYPE_CHECKING:
    from ortools.sat.python import cp_model


__all__ = ["SafeCells"]

LARGEST = 2**60
"""Largest activity of a constraint; CP-SAT needs room below 2**63."""
TUPLES = 40
"""Tables that are written down; more tuples would need too many rows, and shares too large multiples."""
PARTS = 10**6
"""Of a tuple, where shares are those of worlds."""


@dataclass(frozen=True, kw_only=True)
class SafeCells:
    """What the combinations of some attributes must keep.

    Attributes
    ----------
    name : str
        Of the requirement.
    l, epsilon : of the requirement
    worlds : bool
        Whether shares are those of weighted worlds.
    """

    name: str
    l: int  # noqa: E741 - the requirement's own name
    epsilon: Fraction
    worlds: bool

    def encode(self, model: Encoding, subset: tuple[int, ...], plans: Mapping[str, PreSuppression]) -> None:
        """Write the conditions of every combination of a subset of the quasi-identifiers."""
        if len(model.tuples) > TUPLES and (self.worlds or len(subset) > 1):
            raise EngineError(
                f"{self.name}: {len(model.tuples)} tuples are too many for a model of combinations or of "
                f"shares by worlds (up to {TUPLES}): split the table, or sanitize a given grouping"
            )
        people = model.table.members
        for value, plan in plans.items():
            rows = _bearers(model, subset, value)
            slots = [g for g in model.slots if g <= rows[-1]]
            for g in slots:
                early = [t for t in rows if t >= g and people[t].value in plan.hidden]
                if early:
                    here = model.held(g, [t for t in rows if t >= g])
                    model.cp.add(model.shown(g, subset, value) + model.held(g, early) <= here)
            if plan.significant:
                self._keep_even(model, subset, value, plan, slots)

    def _keep_even(
        self,
        model: Encoding,
        subset: tuple[int, ...],
        value: str,
        plan: PreSuppression,
        slots: Sequence[int],
    ) -> None:
        """Conditions 2 and 3 for one combination."""
        most = len(_bearers(model, subset, value))
        scale = PARTS if self.worlds else self._scale(model, most)
        kept = {g: model.shown(g, subset, value) for g in slots}
        values, published = sorted(plan.significant), sum(kept.values())
        low = model.cp.new_int_var(0, scale * most, f"low[{subset},{value}]")
        slack = floor(scale * self.epsilon) + (len(model.slots) if self.worlds else 0)
        of_slot: dict[int, list[Linear]] = {}
        for k in values:
            for g in slots:
                amount = (
                    _by_worlds(model, subset, value, g, k, most)
                    if self.worlds
                    else self._uniform(model, g, kept[g], k, scale, most)
                )
                model.cp.add(amount <= scale * kept[g])
                of_slot.setdefault(g, []).append(amount)
        if self.worlds:
            for g in slots:
                model.cp.add(sum(of_slot[g]) <= scale * kept[g])
        for of_value in zip(*of_slot.values(), strict=True):
            estimate = sum(of_value)
            model.cp.add(estimate >= low)
            model.cp.add(estimate <= low + slack)
            model.cp.add(self.l * estimate <= scale * published)

    def _scale(self, model: Encoding, most: int) -> int:
        top = model.largest_size
        # Beyond 64 the multiple is far too large anyway; no need to compute it.
        scale = lcm(*range(1, min(top, 64) + 1))
        if scale * most * self.l * (len(model.slots) + 1) > LARGEST or scale * self.epsilon > LARGEST:
            raise EngineError(
                f"{self.name}: groups of up to {top} published tuples are too many for exact shares "
                "(about 35 fit): split the table, set max_counterfeits, or sanitize a given grouping"
            )
        return scale

    def _uniform(self, model: Encoding, g: int, kept: Linear, k: str, scale: int, most: int) -> Linear:
        """``scale * kept * count(g, k) / size(g)``."""
        top = model.largest_size
        cells = model.cp.new_int_var(0, most, f"kept[{g}]")
        count = model.cp.new_int_var(0, top, f"count[{g},{k}]")
        model.cp.add(cells == kept)
        model.cp.add(count == model.count(g, k))
        product = model.cp.new_int_var(0, most * top, f"kept*count[{g},{k}]")
        model.cp.add_multiplication_equality(product, [cells, count])
        expected = model.cp.new_int_var(0, scale * most, f"expected[{g},{k}]")
        for size in range(1, top + 1):
            here = model.at_least(("size", g), model.size(g), size)
            beyond = model.at_least(("size", g), model.size(g), size + 1)
            model.cp.add(expected == scale // size * product).only_enforce_if(here, ~beyond)
        return expected

    # -- cuts ------------------------------------------------------------------------------

    def cuts(
        self, release: Release, subset: tuple[int, ...], exposures: Sequence[ValueExposure]
    ) -> Iterator[Cut]:
        """One for each combination of a subset whose estimates, by worlds, are not safe."""
        kept = [shown(group, subset) for group in release.groups]
        for exposure in exposures:
            rows = tuple(kept[j][exposure.value] for j in exposure.groups)
            if not exposure.linkage(rows).is_safe(self.l, self.epsilon):
                groups = tuple(release.groups[j] for j in exposure.groups)
                lesson = _Lesson(rule=self, subset=subset, exposure=exposure, groups=groups, shown=rows)
                yield Cut(f"{self.name}: worlds of {len(groups)} groups", lesson.apply)


@dataclass(frozen=True, kw_only=True)
class _Lesson:
    """What the groups of an unsafe release teach: the shares of one combination in groups like these."""

    rule: SafeCells
    subset: tuple[int, ...]
    exposure: ValueExposure
    groups: tuple[QIGroup, ...]
    shown: tuple[int, ...]

    def apply(self, model: Encoding) -> None:
        for group, share in zip(self.groups, self.exposure.shares, strict=True):
            for g in model.slots:
                self._tell(model, g, group, share)
        if not self._shut_out(len(model.slots)):
            self._forbid(model)

    def _tell(self, model: Encoding, g: int, group: QIGroup, share: Mapping[str, Fraction]) -> None:
        """Windows for the estimates of one slot, where it is like one group."""
        combinations = Counter(combination(member.point, self.subset) for member in group.members)
        held, published = tuple(sorted(combinations.items())), tuple(sorted(group.histogram.items()))
        key = ("like", self.subset, self.exposure.value, g, held, published)
        if model.named(key) is not None or (same := self._same(model, g, held, published)) is None:
            return
        like = model.name(key)
        model.cp.add_bool_or([like]).only_enforce_if(*same)
        kept = model.shown(g, self.subset, self.exposure.value)
        most = len(_bearers(model, self.subset, self.exposure.value))
        for k in sorted(self.exposure.significant):
            part = PARTS * share.get(k, Fraction(0))
            amount = _by_worlds(model, self.subset, self.exposure.value, g, k, most)
            model.cp.add(amount >= floor(part) * kept).only_enforce_if(like)
            model.cp.add(amount <= ceil(part) * kept).only_enforce_if(like)

    def _same(
        self, model: Encoding, g: int, held: Sequence[tuple[str, int]], published: Sequence[tuple[str, int]]
    ) -> list[cp_model.LiteralT] | None:
        """Literals: a slot has these combinations, and publishes these values. None if it never does.

        The numbers add up to those of members and of published tuples, so none can be larger.
        """
        members, size = sum(n for _, n in held), sum(n for _, n in published)
        found: list[cp_model.LiteralT] = [
            model.at_least(("members", g), model.members(g), members),
            ~model.at_least(("members", g), model.members(g), members + 1),
            model.at_least(("size", g), model.size(g), size),
            ~model.at_least(("size", g), model.size(g), size + 1),
        ]
        for value, n in held:
            rows = [t for t in _bearers(model, self.subset, value) if t >= g]
            if len(rows) < n:
                return None
            found.append(model.at_least(("held", g, self.subset, value), model.held(g, rows), n))
        for value, n in published:
            count = model.count(g, value)
            if isinstance(count, int):
                return None
            found.append(model.at_least(("count", g, value), count, n))
        return found

    def _shut_out(self, slots: int) -> bool:
        """Whether windows alone do not let these groups be published with so many rows that show it."""
        ends: list[tuple[int, int]] = []
        for k in self.exposure.significant:
            parts = [
                (PARTS * share.get(k, Fraction(0)), x)
                for share, x in zip(self.exposure.shares, self.shown, strict=True)
            ]
            ends.append((sum(floor(p) * x for p, x in parts), sum(ceil(p) * x for p, x in parts)))
        least = [low for low, _ in ends]
        apart = max(least) - min(high for _, high in ends)
        return apart > floor(PARTS * self.rule.epsilon) + slots or self.rule.l * max(least) > PARTS * sum(
            self.shown
        )

    def _forbid(self, model: Encoding) -> None:
        row, same = model.table.row, list[cp_model.LiteralT]()
        published = {row[who] for group in self.groups for who in group.respondents}
        for group, x in zip(self.groups, self.shown, strict=True):
            g = min(row[who] for who in group.respondents)
            key = ("shown", self.subset, self.exposure.value, g)
            kept = model.shown(g, self.subset, self.exposure.value)
            same += model.same_group(group)
            same += [model.at_least(key, kept, x), ~model.at_least(key, kept, x + 1)]
        missing = [t for t in _bearers(model, self.subset, self.exposure.value) if t not in published]
        model.cp.add_bool_or([]).only_enforce_if(*same, *hidden_if(model, missing))


def _bearers(model: Encoding, subset: tuple[int, ...], value: str) -> list[int]:
    """Rows of the table with a combination."""
    people = model.table.members
    return [t for t in model.tuples if combination(people[t].point, subset) == value]


def _by_worlds(
    model: Encoding, subset: tuple[int, ...], value: str, g: int, k: str, most: int
) -> cp_model.IntVar:
    """How many of a slot's rows that show a combination have k, in parts; all requirements mean the same."""
    amount = model.amount(("worlds", subset, value, g, k), PARTS * most)
    count = model.count(g, k)
    if isinstance(count, int):
        model.cp.add(amount == 0)
    else:
        model.cp.add(amount == 0).only_enforce_if(~model.present(g, k))
    return amount
