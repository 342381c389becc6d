"""All groups that may be in a release: for small tables, where no bound says which ones matter.

Counterfeits. If all requirements judge groups singly, of the groups with the same members only one with
the fewest counterfeits is needed: exchanging one for it keeps the release admissible, and no loss
rises (`Loss.of_group`). With other requirements all multisets are listed, up to the caps of the
assignment model (`Encoding.fake_cap`) and the policy's limit.

Where the best division of the tuples beside a group is known (`Division`), groups that no better release
can hold are left out: at first by published values alone, which spares most judgements.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from .....models.problem import Problem
from .....models.requirement import GroupRequirement
from ....settings import Clock
from .columns import Column
from .division import Division
from .judge import Judge

__all__ = ["every_group", "fake_cap"]

MOST_ROWS = 21
"""More rows have too many subsets to look at."""
MOST_JUDGED = 300_000
"""Groups that are judged one by one."""
MOST_LISTED = 60_000
"""Groups a list may have."""


def fake_cap(problem: Problem) -> int:
    """Most counterfeits of one value in one group; as in `Encoding`."""
    limit = problem.policy.counterfeit_limit
    if limit is not None:
        return limit
    return 2 * sum(r.largest_count(problem) for r in problem.policy.requirements)


def every_group(
    problem: Problem,
    judge: Judge,
    most: int,
    division: Division | None,
    values: Sequence[Fraction] | None,
    clock: Clock,
) -> list[Column] | None:
    """List all groups that a release better than `values` may hold; None if too many, or time is over.

    Parameters
    ----------
    problem : Problem
    judge : Judge
    most : int
        No release worth looking at has more counterfeits in all.
    division : Division or None
        It divides the table by the groups listed here.
    values : sequence of Fraction or None
        Of the best release so far.
    clock : Clock
    """
    if len(problem.table) > MOST_ROWS:
        return None
    columns = _without_fakes(problem, judge, division, values, clock) if most == 0 else None
    if most:
        columns = _with_fakes(problem, judge, most, clock)
    if columns is None or division is None:
        return columns
    if not division.divide_columns(columns):
        return None
    return [column for column in columns if division.worthy(column, values)]


def _without_fakes(
    problem: Problem,
    judge: Judge,
    division: Division | None,
    values: Sequence[Fraction] | None,
    clock: Clock,
) -> list[Column] | None:
    masks = _subsets(problem, judge, clock)
    if masks is None:
        return None
    if division is not None:
        if not division.divide(masks):
            return None
        masks = division.worth(masks, values)
    if len(masks) > MOST_JUDGED:
        return None
    rows = range(len(problem.table))
    return _kept(judge, (Column(tuple(t for t in rows if mask >> t & 1)) for mask in masks.tolist()), clock)


def _with_fakes(problem: Problem, judge: Judge, most: int, clock: Clock) -> list[Column] | None:
    rows = range(len(problem.table))
    if 2 ** len(rows) > MOST_JUDGED:
        return None
    found, judged = list[Column](), [0]
    for size in range(1, len(rows) + 1):
        for members in combinations(rows, size):
            here = _faked(problem, judge, members, most, judged, clock)
            if here is None or len(found) + len(here) > MOST_LISTED:
                return None
            found += here
    return found


def _subsets(problem: Problem, judge: Judge, clock: Clock) -> NDArray[np.int64] | None:
    """Sets of rows (bit t: row t) whose values alone do not forbid them; None if time is over."""
    n = len(problem.table)
    masks = np.arange(1, 1 << n, dtype=np.int64)
    names = problem.values
    least = max(r.smallest_group(problem.table) for r in problem.policy.requirements)
    counts = np.zeros((len(masks), len(names)), dtype=np.int64)
    for t, member in enumerate(problem.table.members):
        if clock.over:
            return None
        counts[:, names.index(member.value)] += masks >> t & 1
    fits = counts.sum(axis=1) >= least
    masks, counts = masks[fits], counts[fits]
    return masks[judge.few(counts, names)]


def _kept(judge: Judge, candidates: Iterator[Column], clock: Clock) -> list[Column] | None:
    found: list[Column] = []
    for number, column in enumerate(candidates):
        if number % 64 == 0 and clock.over:
            return None
        if judge.admits(column):
            found.append(column)
            if len(found) > MOST_LISTED:
                return None
    return found


def _faked(
    problem: Problem, judge: Judge, rows: tuple[int, ...], most: int, judged: list[int], clock: Clock
) -> list[Column] | None:
    """The columns with these members; None if too many had to be judged, or time is over."""
    found: list[Column] = []
    total = -1
    for fakes in _multisets(problem, rows, most):
        made = sum(count for _, count in fakes)
        if judge.groups_only and found and made > total:
            break
        judged[0] += 1
        if judged[0] > MOST_JUDGED or (judged[0] % 64 == 0 and clock.over):
            return None
        column = Column(rows, fakes)
        if judge.admits(column):
            found.append(column)
            total = made
            if judge.groups_only:
                break
    return found


def _multisets(problem: Problem, rows: Sequence[int], most: int) -> Iterator[tuple[tuple[str, int], ...]]:
    """Counterfeits by rising number; only those that make counts equal, where that is asked for."""
    cap, names = fake_cap(problem), problem.values
    counts = Counter(problem.table.members[t].value for t in rows)
    equal = any(
        isinstance(r, GroupRequirement) and r.equal_counts() is not None for r in problem.policy.requirements
    )
    if equal:
        yield from _evened(counts, names, cap, most)
        return
    for total in range(most + 1):
        for spread in _spreads(total, len(names), cap):
            yield tuple((v, count) for v, count in zip(names, spread, strict=True) if count)


def _evened(
    counts: Counter[str], names: Sequence[str], cap: int, most: int
) -> Iterator[tuple[tuple[str, int], ...]]:
    """Counterfeits after which all published values are equally often there, few first."""
    others = [v for v in names if v not in counts]
    found: list[tuple[int, tuple[tuple[str, int], ...]]] = []
    for times in range(max(counts.values()), max(counts.values()) + cap + 1):
        lacking = {v: times - count for v, count in counts.items() if count < times}
        for extra in range(len(others) + 1):
            made = sum(lacking.values()) + extra * times
            if made > most or (extra and times > cap) or max(lacking.values(), default=0) > cap:
                break
            found += [
                (made, tuple(sorted((lacking | dict.fromkeys(chosen, times)).items())))
                for chosen in combinations(others, extra)
            ]
    yield from (fakes for _, fakes in sorted(found))


def _spreads(total: int, parts: int, cap: int) -> Iterator[tuple[int, ...]]:
    """All ways to write a total as a sum of so many numbers from 0 to `cap`."""
    if parts == 1:
        if total <= cap:
            yield (total,)
        return
    for first in range(max(0, total - cap * (parts - 1)), min(cap, total) + 1):
        for rest in _spreads(total - first, parts - 1, cap):
            yield (first, *rest)
