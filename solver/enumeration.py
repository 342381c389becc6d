"""All releases of a small table: to draw one of them, or to ask what the choice itself gives away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TypeAlias

from ..models.errors import EngineError
from ..models.problem import Problem

__all__ = ["MOST_TUPLES", "GroupingVerdicts", "Partition", "partitions", "refusal", "require_enumerable"]

Partition: TypeAlias = tuple[tuple[int, ...], ...]
"""Rows of each group; rows in none are suppressed."""

MOST_TUPLES = 9
"""Largest table whose releases are listed one by one: 21,147 partitions."""


def refusal(problem: Problem) -> str | None:
    """Why the releases of a problem are not the groupings of its table, in words; None if they are."""
    policy = problem.policy
    if policy.recoding != "multidimensional":
        return "releases are enumerated as groupings of tuples: ask for recoding 'multidimensional'"
    if policy.counterfeit_limit != 0:
        return "releases with counterfeits are not enumerated: set max_counterfeits to 0"
    if policy.counts("hidden_cells"):
        return "releases with hidden cells are not enumerated: leave hidden_cells out of the losses"
    return None


def require_enumerable(problem: Problem, tuples: int = MOST_TUPLES) -> None:
    """Refuse a problem whose releases cannot be listed.

    Raises
    ------
    EngineError
        With the remedy.
    """
    reason = refusal(problem)
    if reason is not None:
        raise EngineError(reason)
    if len(problem.table) > tuples:
        raise EngineError(
            f"all releases are enumerated for at most {tuples} tuples, the table has {len(problem.table)}: "
            "split it by an attribute that may be published exactly"
        )


def partitions(problem: Problem) -> Iterator[Partition]:
    """All groupings of the table, each once, with up to as many rows left out as may be suppressed."""
    rows = range(len(problem.table))
    for gone in range(problem.policy.suppression_limit(len(rows)) + 1):
        for hidden in combinations(rows, gone):
            yield from _partitions([t for t in rows if t not in hidden])


def _partitions(rows: Sequence[int]) -> Iterator[Partition]:
    if not rows:
        yield ()
        return
    first, rest = rows[0], rows[1:]
    for blocks in _partitions(rest):
        yield ((first,), *blocks)
        for number, block in enumerate(blocks):
            yield (*blocks[:number], (first, *block), *blocks[number + 1 :])


@dataclass
class GroupingVerdicts:
    """Which groupings of a problem's table keep its requirements; verdicts on groups are remembered."""

    problem: Problem
    _known: dict[tuple[int, ...], bool] = field(default_factory=dict[tuple[int, ...], bool])

    def __post_init__(self) -> None:
        self._alone = self.problem.policy.group_requirements
        self._together = self.problem.policy.joint_requirements

    @property
    def by_groups(self) -> bool:
        """Whether all requirements judge groups one by one."""
        return not self._together

    def group(self, rows: tuple[int, ...]) -> bool:
        """Whether one group keeps all requirements on groups."""
        if rows not in self._known:
            (group,) = self.problem.assemble([rows]).groups
            self._known[rows] = all(r.admits(group, self.problem.context) for r in self._alone)
        return self._known[rows]

    def keeps(self, grouping: Partition) -> bool:
        """Whether a grouping keeps all requirements."""
        if not all(map(self.group, grouping)):
            return False
        if not self._together:
            return True
        release, history = self.problem.assemble(grouping), self.problem.history
        return all(next(r.check(release, history), None) is None for r in self._together)
