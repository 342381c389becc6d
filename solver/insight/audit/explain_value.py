"""Why a respondent cannot have a value: a few published groups that exclude it, in words.

A set of groups excludes values of a respondent if no world fits these groups (and what is known
about single respondents) in which the respondent has one of the values. Fewer groups allow more
worlds. The groups near the respondent are tried first, then those one overlap further away, until
they exclude; what is not needed of them is then deleted (QuickXplain, Junker), so that leaving
out any group opens one of the values. Other sets, even smaller ones, may exclude as well.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field

import numpy as np

from ....models.adversary.cells import Integers, Population
from ....models.adversary.knowledge import Knowledge
from ....models.adversary.propagation import Bounds, Component, first_bounds, open_components, propagate
from ....models.adversary.system import System
from ....models.errors import InputError
from ....models.exact_numbers import show_count
from ....models.history import History
from ...settings import Clock
from ...worlds.component_lp import ComponentLP
from ...worlds.counts import CountModel, Verdict
from ...worlds.few_groups import EXCLUDED, OPEN, any_world

__all__ = ["ValueExplanation", "explain_value"]

SEVERAL = 40
"""Up to so many groups, and so many `CELLS`, questions are answered by `any_world` if it can."""

CELLS = 300


@dataclass(frozen=True, kw_only=True)
class ValueExplanation:
    """Groups that together exclude some values of a respondent.

    Attributes
    ----------
    respondent : str
    excluded : frozenset of str
        The values.
    groups : tuple of (release index, group index)
        From 0, oldest first.
    irreducible : bool
        Whether leaving out any of them is known to open one of the values.
    own : str or None
        The one value left, if all other published values are excluded.
    attribute : str or None
        Of several sensitive attributes the one that `own` is the one value left of; None if of all.
    """

    respondent: str = field(repr=False)
    excluded: frozenset[str] = field(repr=False)
    groups: tuple[tuple[int, int], ...]
    irreducible: bool
    own: str | None = field(default=None, repr=False)
    attribute: str | None = None

    def text(self, history: History, knowledge: Knowledge | None = None, *, show_ids: bool = False) -> str:
        """The explanation in words, without respondents and their values unless asked."""
        home = next(where for where in reversed(self.groups) if self._in(history, where))
        subject = f"{self.respondent if show_ids else 'a respondent'} of {_name(home)}"
        if self.own is not None:
            named = f" as {self.attribute}" if self.attribute else ""
            subject += f" can only have {self.own}{named}" if show_ids else f" can have one value only{named}"
        elif show_ids:
            subject += f" cannot have {', '.join(sorted(self.excluded))}"
        else:
            subject += f" cannot have {show_count(len(self.excluded), 'value')}"
        number = len(self.groups)
        needed = ", each of them needed" if self.irreducible and number > 1 else ""
        lines = [f"{subject}, because of {show_count(number, 'group')}{needed}:"]
        for position, where in enumerate(self.groups):
            group = history.group(*where)
            people = show_count(len(group.members), "respondent")
            if show_ids:
                people = ", ".join(sorted(group.respondents))
            if group.fakes:
                people += f", {show_count(group.fakes, 'counterfeit')}"
            shared = [
                f"{overlap} also in {_name(other)}"
                for other in self.groups[:position]
                if (overlap := len(group.respondents & history.group(*other).respondents))
            ]
            values = ", ".join(f"{value} {count}" for value, count in sorted(group.histogram.items()))
            note = f" ({', '.join(shared)})" if shared else ""
            lines.append(f"  {_name(where)}: {people}{note}; published: {values}")
        known = 0
        if knowledge is not None:
            near = frozenset[str]().union(*(history.group(*where).respondents for where in self.groups))
            known = len(knowledge.about & near)
        if known:
            lines.append(f"  and what is known about {show_count(known, 'respondent')} of these groups")
        return "\n".join(lines)

    def _in(self, history: History, where: tuple[int, int]) -> bool:
        return self.respondent in history.group(*where).respondents


def _name(where: tuple[int, int]) -> str:
    return f"release {where[0] + 1} group {where[1] + 1}"


def explain_value(
    population: Population,
    who: str,
    values: Collection[str],
    *,
    clock: Clock | None = None,
    hint: Collection[int] = (),
) -> ValueExplanation | None:
    """An irreducible set of groups that excludes values of a respondent.

    Parameters
    ----------
    population : Population
    who : str
        A published respondent.
    values : collection of str
        Values to be explained away.
    clock : Clock, optional
        When over, None is returned, or an explanation that may not be irreducible.
    hint : collection of int
        Numbers of groups that are known to suffice; see `Possible.support`.

    Returns
    -------
    ValueExplanation or None
        None if all groups together do not exclude the values, or that was not decided in time.

    Raises
    ------
    InputError
        If no value is given, or one of them is not published.
    """
    asked = frozenset(values)
    if not asked or not asked <= frozenset(population.values) or who not in population.cell_of:
        raise InputError("explain_value: name published values of a published respondent")
    wanted = np.array([value in asked for value in population.values], dtype=bool)
    probe = _Probe(population, population.cell_of[who], wanted, Clock() if clock is None else clock)
    order = probe.sufficient(list(hint)) if hint else None
    if order is None:
        order = probe.grown()
    if order is None:
        return None
    chosen = _needed(probe.excludes, order)
    return ValueExplanation(
        respondent=who,
        excluded=asked,
        groups=tuple(sorted(population.groups[g] for g in chosen)),
        irreducible=not probe.doubtful,
    )


class _Probe:
    """Whether sets of groups exclude the values."""

    def __init__(
        self,
        population: Population,
        cell: int,
        wanted: np.ndarray[tuple[int], np.dtype[np.bool_]],
        clock: Clock,
    ) -> None:
        self._system, self._cell, self._wanted, self._clock = population.system, cell, wanted, clock
        self._near: Integers = np.zeros(0, dtype=np.int64)  # cells that can matter
        self._own = frozenset(population.system.patterns[cell].tolist()) - {-1}
        self._place: dict[int, int] = {}  # number of each group that may be asked about
        self._table: System | None = None
        self.doubtful = False

    def sufficient(self, groups: list[int]) -> list[int] | None:
        """Groups that exclude, the respondent's own ones first; None if they do not."""
        order = sorted(groups, key=lambda g: (g not in self._own, g))
        self._reach(order)
        return order if self.excludes(order) else None

    def _reach(self, groups: list[int]) -> None:
        inside = np.zeros(len(self._system.counts) + 1, dtype=bool)  # the last one is "absent"
        inside[groups] = True
        self._near = np.flatnonzero(inside[self._system.patterns].any(axis=1)).astype(np.int64)
        self._place = {g: position for position, g in enumerate(groups)}
        self._table = self._restricted(groups) if len(groups) <= SEVERAL else None

    def grown(self) -> list[int] | None:
        """Groups in growing distance that exclude the values, nearest first."""
        patterns = self._system.patterns
        own = patterns[self._cell]
        order: list[int] = own[own >= 0].tolist()
        while True:
            self._reach(order)
            if self.excludes(order):
                return order
            reached = np.unique(patterns[self._near])
            fresh = np.setdiff1d(reached[reached >= 0], order).tolist()
            if not fresh or self._clock.over:
                return None
            order += fresh

    def excludes(self, groups: list[int]) -> bool:
        """Whether no world fits; a question not answered in time counts as no and as doubtful."""
        if self._own.isdisjoint(groups):
            return False
        table = self._table
        if table is not None and len(table.sizes) <= CELLS:
            low, high = np.maximum(table.counts - table.fakes[:, None], 0), table.counts
            active = np.zeros(len(self._place), dtype=np.bool_)
            active[[self._place[g] for g in groups]] = True
            found = any_world(table.patterns, table.sizes, table.allowed, low, high, active)
            if found != OPEN:
                return found == EXCLUDED
        system = self._restricted(groups)
        bounds = propagate(system, first_bounds(system))
        if bounds is None:
            return True
        for component in open_components(system, bounds):
            verdict = self._verdict(component, bounds)
            if verdict is Verdict.EXCLUDED:
                return True
            self.doubtful |= verdict is Verdict.UNKNOWN
        return False

    def _verdict(self, component: Component, bounds: Bounds) -> Verdict:
        lp = ComponentLP(component, bounds)
        found = lp.maximize([], self._clock)
        if found is not None:
            world = found.whole
            if world is not None and component.holds(world):
                return Verdict.POSSIBLE
            if found.counts is None and lp.excludes([], found) is not None:
                return Verdict.EXCLUDED
        return CountModel(component, bounds).solve(self._clock)[0]

    def _restricted(self, groups: list[int]) -> System:
        """The system of some groups, with the respondent a cell of one who has a value asked for."""
        full = self._system
        number = np.full(len(full.counts) + 1, -1, dtype=np.int64)
        number[groups] = np.arange(len(groups))
        keys: dict[tuple[bytes, bytes], int] = {}
        patterns: list[Integers] = []
        allowed: list[np.ndarray[tuple[int], np.dtype[np.bool_]]] = []
        sizes: list[int] = []
        for cell in self._near.tolist():
            pattern, left = number[full.patterns[cell]], full.allowed[cell]
            size = int(full.sizes[cell]) - (cell == self._cell)
            if not size or not (pattern >= 0).any():
                continue
            key = (pattern.tobytes(), left.tobytes())
            if key in keys:
                sizes[keys[key]] += size
                continue
            keys[key] = len(sizes)
            patterns.append(pattern)
            allowed.append(left)
            sizes.append(size)
        patterns.append(number[full.patterns[self._cell]])
        allowed.append(full.allowed[self._cell] & self._wanted)
        sizes.append(1)
        return System(
            patterns=np.stack(patterns),
            sizes=np.array(sizes, dtype=np.int64),
            allowed=np.stack(allowed),
            counts=full.counts[groups],
            fakes=full.fakes[groups],
        )


def _needed(excludes: Callable[[list[int]], bool], groups: list[int]) -> list[int]:
    """An irreducible part of groups that exclude; earlier ones are preferred."""

    def search(base: list[int], grown: bool, rest: list[int]) -> list[int]:
        if grown and excludes(base):
            return []
        if len(rest) == 1:
            return rest
        first, second = rest[: len(rest) // 2], rest[len(rest) // 2 :]
        late = search(base + first, True, second)
        early = search(base + late, bool(late), first)
        return early + late

    return search([], False, groups)
