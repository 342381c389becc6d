"""A quick constructive start: grow groups from their nearest tuples until each is admissible.

It serves any group-scope requirement through `admits` alone. Requirements are not
monotone in general, so it may fail where a release exists; it then returns None.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from ...models.problem import Problem
from ...models.problem_view import smallest_group
from ...models.release import QIGroup, Release
from ..settings import Clock

__all__ = ["greedy", "together"]

Rows: TypeAlias = tuple[int, ...]

NEAR = 12
"""How many nearest tuples are tried when a group grows."""


def greedy(problem: Problem, seed: int = 0, *, clock: Clock | None = None) -> Release | None:
    """Build a release by growing groups, with counterfeits where the policy allows them.

    Parameters
    ----------
    problem : Problem
    seed : int
        Accepted for the common signature; the construction is deterministic.
    clock : Clock, optional
        When it is over, the construction is given up.

    Notes
    -----
    Each group takes the near tuple that needs fewest counterfeits (then the smallest
    box) until it needs none or no tuple helps; what cannot stand alone joins the
    finished group it fits best. O(n x group size x `NEAR`) admissibility tests.
    """
    judge = _Judge(problem)
    largest = 4 * smallest_group(problem)
    pending = list(range(len(problem.table)))
    done: dict[Rows, Mapping[str, int]] = {}
    lonely: list[Rows] = []
    while pending:
        if clock is not None and clock.over:
            return None
        rows = judge.grown((pending[0],), pending, largest)
        fakes = judge.fakes(rows)
        if fakes is None:
            lonely.append(rows[:1])
            pending.remove(rows[0])
        else:
            done[rows] = fakes
            pending = [t for t in pending if t not in rows]
    for rows in lonely:
        if clock is not None and clock.over:
            return None
        homes = [tuple(sorted(rows + other)) for other in done]
        fits = [(judge.need(home), judge.cost(home), other) for home, other in zip(homes, done, strict=True)]
        need, _, other = min(fits, default=(_NEVER, Fraction(0), ()))
        if need < _NEVER:
            whole = tuple(sorted(rows + other))
            del done[other]
            done[whole] = judge.fakes(whole) or {}
    everyone = tuple(range(len(problem.table)))
    if not done and (together := judge.fakes(everyone)) is not None:
        done[everyone] = together
    release = problem.assemble(list(done), list(done.values()))
    return release if next(problem.check(release), None) is None else None


def together(problem: Problem) -> Release | None:
    """Everybody in one group, with few counterfeits where the policy allows them; None if that breaks it."""
    everyone = tuple(range(len(problem.table)))
    fakes = _Judge(problem).fakes(everyone)
    if fakes is None:
        return None
    release = problem.assemble([everyone], [fakes])
    return release if next(problem.check(release), None) is None else None


_NEVER = 10**9


class _Judge:
    """Costs and admissibility of candidate groups, remembered."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.requirements = problem.policy.group_requirements
        self._fakes: dict[Rows, Mapping[str, int] | None] = {}
        spans = np.array([domain.span for domain in problem.table.domains], dtype=np.float64)
        self._places = problem.table.codes / spans

    def grown(self, rows: Rows, pending: list[int], largest: int) -> Rows:
        """Add near tuples while they help; the result may still be inadmissible."""
        others = np.array([t for t in pending if t not in rows], dtype=np.int64)
        best, least = rows, self.need(rows)
        while self.need(rows) and len(rows) < largest and len(others):
            way = np.abs(self._places[others] - self._places[rows[0]]).sum(axis=1)
            near = others[np.argsort(way, kind="stable")[:NEAR]].tolist()
            trials = [tuple(sorted((*rows, t))) for t in near]
            rows = min(trials, key=lambda trial: (self.need(trial), self._repeats(trial), self.cost(trial)))
            others = others[~np.isin(others, rows)]
            if self.need(rows) < least:
                best, least = rows, self.need(rows)
        return best

    def need(self, rows: Rows) -> int:
        """Counterfeits the rows need to be a group; very many if nothing helps."""
        fakes = self.fakes(rows)
        return _NEVER if fakes is None else sum(fakes.values())

    def _repeats(self, rows: Rows) -> int:
        """How often the most frequent value occurs: diversity helps nearly every requirement."""
        return max(Counter(self.problem.table.members[t].value for t in rows).values())

    def cost(self, rows: Rows) -> Fraction:
        """Perimeter of the box around some rows."""
        codes = self.problem.table.codes[list(rows)]
        ends = zip(codes.min(axis=0).tolist(), codes.max(axis=0).tolist(), strict=True)
        domains = self.problem.table.domains
        return sum(
            (Fraction(d.units(lo, hi), d.span) for d, (lo, hi) in zip(domains, ends, strict=True)),
            Fraction(0),
        )

    def fakes(self, rows: Rows) -> Mapping[str, int] | None:
        """Few counterfeits that make the rows an admissible group (none: {}), or None."""
        key = tuple(sorted(rows))
        if key not in self._fakes:
            self._fakes[key] = next((extra for extra in self._trials(key) if self._admits(key, extra)), None)
        return self._fakes[key]

    def _admits(self, rows: Rows, extra: Mapping[str, int]) -> bool:
        members = tuple(self.problem.table.members[t] for t in rows)
        box = self.problem.box(rows) if self.problem.policy.form == "generalized" else None
        group = QIGroup(members=members, counterfeits=tuple(sorted(extra.items())), box=box)
        return all(r.admits(group, self.problem.context) for r in self.requirements)

    def _trials(self, rows: Rows) -> Iterator[Mapping[str, int]]:
        """Counterfeits worth trying: none, then those that even the counts out, few first."""
        yield {}
        if self.problem.policy.counterfeit_limit == 0:
            return
        table, records = self.problem.table, self.problem.history.records
        counts = Counter(table.members[t].value for t in rows)
        old = {
            records[table.members[t].respondent].signature
            for t in rows
            if table.members[t].respondent in records
        }
        common = [value for value, _ in Counter(table.histogram).most_common()]
        common += [value for value in self.problem.values if value not in table.histogram]
        extended: list[frozenset[str]] = [frozenset(counts)]
        for value in common:
            if value not in extended[-1]:
                extended.append(extended[-1] | {value})
        signatures = [s for s in old if s is not None] if old else extended
        for multiplicity in range(max(counts.values()), max(counts.values()) + 3):
            for signature in signatures:
                if set(counts) <= signature:
                    needed = {v: multiplicity - counts[v] for v in sorted(signature)}
                    yield {v: count for v, count in needed.items() if count}
