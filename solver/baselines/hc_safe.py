"""Groups in the making under one signature, and whether they are hc-safe (Riboni and Bettini, Fig. 6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ...models.errors import EngineError
from ...models.problem import Problem
from ...models.requirements.hc_safety import HcSafety
from ...models.requirements.weak_m_invariance import WeakMInvariance
from .parameters import parameters

__all__ = ["GroupInMaking", "HcSafe", "numbers_asked"]


def numbers_asked(problem: Problem, baseline: str) -> tuple[int, int]:
    """The m and n of the policy, for a baseline that merges groups.

    Raises
    ------
    EngineError
        If n > m, or if a multiplicity is asked for (merged groups have others).
    """
    asked, n = parameters(problem, WeakMInvariance, baseline), parameters(problem, HcSafety, baseline).n
    if asked.multiplicity is not None:
        raise EngineError(f"{baseline} merges groups, so it cannot promise a multiplicity: leave it out")
    if n > asked.m:
        raise EngineError(f"{baseline} needs n <= m, got n = {n} and m = {asked.m}: lower n or raise m")
    return asked.m, n


@dataclass(frozen=True)
class GroupInMaking:
    """A QI-group in the making."""

    rows: frozenset[int]
    fakes: Counter[str]

    @property
    def size(self) -> int:
        return len(self.rows) + self.fakes.total()

    def __or__(self, other: GroupInMaking) -> GroupInMaking:
        return GroupInMaking(self.rows | other.rows, self.fakes + other.fakes)


class HcSafe:
    """HcSafe (Fig. 6)."""

    def __init__(self, problem: Problem, n: int) -> None:
        self.n = n
        records = problem.history.records
        self._before: list[Sequence[tuple[int, int]]] = []
        for member in problem.table.members:
            record = records.get(member.respondent)
            self._before.append(() if record is None else record.groups)

    def holds(self, group: GroupInMaking) -> bool:
        # Lines 1 to 15 for all releases at once: a group's number names its release too. Overlaps
        # with two groups of one release add up to |Q| at most, so if any overlap
        # lies between |Q| - n and |Q|, so does the largest one of its release.
        if self.n == 1:
            return True
        shared = Counter(at for row in group.rows for at in self._before[row])
        size = group.size
        return not any(size - self.n < common < size for common in shared.values())
