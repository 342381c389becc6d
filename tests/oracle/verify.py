"""All groups of small tables that the verifier should list, found by trying every set of tuples.

Only definitions are used: requirements judge groups of people, losses are fractions, a cut's coefficient is
the floor of a sum. A set of tuples is *needed* if it is admissible and no two admissible sets make it up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from random import Random

import numpy as np

from optanon.models.losses.information import InformationLoss
from optanon.models.problem import Problem
from optanon.models.release import QIGroup
from optanon.models.requirement import GroupRequirement
from optanon.solver.verify.duals import ClaimedDuals, CutMultipliers
from optanon.solver.verify.past import PastDemands
from optanon.solver.verify.rows import CheckedRows, row_of

Group = tuple[int, ...]
"""Rows, rising, with repeats."""


def sets_of(tuples: int) -> Iterable[tuple[int, ...]]:
    """All sets of tuples but the empty one."""
    for mask in range(1, 1 << tuples):
        yield tuple(t for t in range(tuples) if mask >> t & 1)


def needed_sets(problem: Problem) -> list[tuple[int, ...]]:
    """Admissible sets that are not made up of two; 3**n steps."""
    requirements = [r for r in problem.policy.requirements if isinstance(r, GroupRequirement)]
    people, good = problem.table.members, set[int]()
    for mask in range(1, 1 << len(people)):
        group = QIGroup(members=tuple(p for t, p in enumerate(people) if mask >> t & 1))
        if all(r.admits(group, problem.context) for r in requirements):
            good.add(mask)
    found: list[tuple[int, ...]] = []
    for mask in sorted(good):
        part = (mask - 1) & mask
        while part and not (part in good and mask ^ part in good):
            part = (part - 1) & mask
        if not part:
            found.append(tuple(t for t in range(len(people)) if mask >> t & 1))
    return found


def cost_of(problem: Problem, tuples: Sequence[int]) -> Fraction:
    """Information loss of a group of tuples."""
    group = problem.assemble([list(tuples)]).groups[0]
    return InformationLoss().of_group(group, problem.table)


def group_of(rows: CheckedRows, tuples: Sequence[int]) -> Group:
    """The rows of some tuples."""
    return tuple(sorted(int(row_of(rows)[t]) for t in tuples))


def penalty(cuts: Iterable[tuple[CutMultipliers, int]], group: Group) -> int:
    """What cuts take off a group's profit."""
    total = 0
    for cut, dual in cuts:
        times = dict(zip(cut.rows, cut.times, strict=True))
        total += dual * (sum(times.get(r, 0) for r in group) // cut.over)
    return total


def random_duals(
    random: Random,
    rows: CheckedRows,
    *,
    fake: bool = False,
    cuts: bool = True,
    scale: int = 4,
    high: float = 0.8,
) -> ClaimedDuals:
    """Duals of moderate size, and cuts over a few rows each."""
    top = int(high * rows.one * max(1, rows.boxes.code.shape[1]) * scale)
    made: list[tuple[CutMultipliers, int]] = []
    for _ in range(random.randrange(6) if cuts else 0):
        over = random.choice([2, 2, 3, 4, 5])
        inside = sorted(random.sample(range(len(rows)), min(len(rows), random.randint(2, 5))))
        times = tuple(random.randrange(1, over) for _ in inside)
        made.append(
            (CutMultipliers(rows=tuple(inside), times=times, over=over), -random.randrange(1, max(2, top)))
        )
    return ClaimedDuals(
        rows=np.array([random.randint(-top // 4, top) for _ in range(len(rows))], dtype=np.int64),
        cuts=tuple(made),
        fake=-random.randrange(max(1, top // 2)) if fake else 0,
        scale=scale,
    )


def needed_in_series(problem: Problem, past: PastDemands) -> dict[tuple[tuple[int, ...], int], int]:
    """Needed groups of people and how often each value occurs (0: new ones), with their counterfeits.

    A group is built with its counterfeits and put to all requirements.
    """
    people, records = problem.table.members, problem.history.records
    requirements = [r for r in problem.policy.requirements if isinstance(r, GroupRequirement)]
    found: dict[tuple[tuple[int, ...], int], int] = {}
    for tuples in sets_of(len(people)):
        members = [people[t] for t in tuples]
        counts = {v: sum(m.value == v for m in members) for v in {m.value for m in members}}
        old = {records[m.respondent].signature for m in members if m.respondent in records}
        if not old:
            if max(counts.values()) == 1 and len(members) < 2 * past.least:
                found[tuples, 0] = max(0, past.least - len(members))
            continue
        signature = next(iter(old))
        if len(old) > 1 or signature is None or not counts.keys() <= signature:
            continue
        bucket = next(b for b in past.buckets if {past.values[v] for v in b.signature} == set(signature))
        for times in range(max(counts.values()), bucket.times + 1):
            fakes = tuple(
                (v, times - counts.get(v, 0)) for v in sorted(signature) if times > counts.get(v, 0)
            )
            group = QIGroup(members=tuple(members), counterfeits=fakes)
            if bucket.loose or all(r.admits(group, problem.context) for r in requirements):
                found[tuples, times] = sum(extra for _, extra in fakes)
    return found


def cheapest(
    tuples: int, priced: Mapping[tuple[int, ...], Sequence[tuple[int, Fraction]]]
) -> tuple[int, Fraction] | None:
    """Least sum of (counterfeits, loss) over partitions into priced sets, in that order; 3**n steps."""
    best: dict[int, tuple[int, Fraction] | None] = {0: (0, Fraction(0))}
    costs = {sum(1 << t for t in inside): min(found) for inside, found in priced.items()}
    for mask in range(1, 1 << tuples):
        lowest, least, part = mask & -mask, None, mask
        while part:
            rest = best[mask ^ part]
            if part & lowest and part in costs and rest is not None:
                total = costs[part][0] + rest[0], costs[part][1] + rest[1]
                least = total if least is None else min(least, total)
            part = (part - 1) & mask
        best[mask] = least
    return best[(1 << tuples) - 1]


def filled(rows: CheckedRows, group: Group) -> Iterable[tuple[int, ...]]:
    """All sets of tuples with some rows."""
    ways = [combinations(rows.tuples[r], group.count(r)) for r in sorted(set(group))]
    for chosen in product(*ways):
        yield tuple(sorted(t for part in chosen for t in part))
