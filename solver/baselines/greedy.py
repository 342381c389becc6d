"""A quick constructive start: merge the nearest groups until every group is admissible.

It serves any group-scope requirement through `admits` alone. Requirements are not
monotone in general, so it may fail where a release exists; it then returns None.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction

from ...models.problem import Problem
from ...models.release import QIGroup, Release, tight_box
from ...models.requirement import GroupRequirement

__all__ = ["greedy"]


def greedy(problem: Problem, seed: int = 0) -> Release | None:
    """Build a release by merging groups, adding counterfeits where the policy allows them.

    Complexity: O(n**3) box computations at worst; meant for starts of small tables.
    The construction is deterministic; `seed` is accepted for the common signature.
    """
    judge = _Judge(problem)
    done: list[tuple[tuple[int, ...], Mapping[str, int]]] = []
    pending: list[tuple[int, ...]] = [(t,) for t in range(len(problem.table))]
    while pending:
        rows = pending.pop(0)
        fakes = judge.fakes(rows)
        if fakes is not None and not fakes:
            done.append((rows, fakes))
            continue
        merged = [(judge.cost(rows + other), judge.fakes(rows + other), other) for other in pending]
        good = [(cost, len(other), other) for cost, extra, other in merged if extra is not None and not extra]
        if good:
            other = min(good)[2]
            pending.remove(other)
            done.append((tuple(sorted(rows + other)), {}))
        elif fakes is not None:
            done.append((rows, fakes))
        elif merged:
            other = min((cost, other) for cost, _, other in merged)[1]
            pending.remove(other)
            pending.insert(0, tuple(sorted(rows + other)))
        elif done:
            choices = [
                (judge.fakes(rows + other) is None, judge.cost(rows + other), i)
                for i, (other, _) in enumerate(done)
            ]
            other = done.pop(min(choices)[2])[0]
            pending.append(tuple(sorted(rows + other)))
        elif problem.policy.suppression_limit(len(problem.table)) >= len(rows):
            break
        else:
            return None
    release = problem.assemble([rows for rows, _ in done], [fakes for _, fakes in done])
    return release if next(problem.check(release), None) is None else None


class _Judge:
    """Costs and admissibility of candidate groups, remembered."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.group_requirements = [r for r in problem.policy.requirements if isinstance(r, GroupRequirement)]
        self._fakes: dict[tuple[int, ...], Mapping[str, int] | None] = {}

    def cost(self, rows: tuple[int, ...]) -> Fraction:
        """Perimeter of the box around some rows."""
        codes = self.problem.table.codes[list(rows)]
        return sum(
            (
                Fraction(domain.units(int(codes[:, a].min()), int(codes[:, a].max())), domain.span)
                for a, domain in enumerate(self.problem.table.domains)
            ),
            Fraction(0),
        )

    def fakes(self, rows: tuple[int, ...]) -> Mapping[str, int] | None:
        """Few counterfeits that make the rows an admissible group (none: {}), or None."""
        key = tuple(sorted(rows))
        if key not in self._fakes:
            self._fakes[key] = next((extra for extra in self._trials(key) if self._admits(key, extra)), None)
        return self._fakes[key]

    def _admits(self, rows: tuple[int, ...], extra: Mapping[str, int]) -> bool:
        table = self.problem.table
        members = tuple(table.members[t] for t in rows)
        group = QIGroup(
            members=members,
            counterfeits=tuple(sorted(extra.items())),
            box=tight_box(members, table.domains) if self.problem.policy.form == "generalized" else None,
        )
        return all(r.admits(group, self.problem.context) for r in self.group_requirements)

    def _trials(self, rows: tuple[int, ...]) -> Iterator[Mapping[str, int]]:
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
