"""The integer program of the fewest counterfeits, written down a second time.

For a bucket with signature S, let its groups together publish each value L times. For each value, L is made
up of the bucket's people, of new people who join it, and of counterfeits. The y_v new people of value v who
join no bucket make up k groups of their own, in which no value comes twice: so y_v <= k. With r people a
group needs m - r counterfeits at least, so ``sum of y + counterfeits >= m k``. Whatever requirements on
meetings say beside, this holds for every release. L is at least as large as the most frequent value of the
bucket's people, which the equations say already, and 2 if one group of all of them, each value once, meets an
earlier group as it may not.

Variables: per bucket L, then for each value of its signature the new people and the counterfeits; then y per
value, k, and the last counterfeits. Rows: per bucket and value its equation; per value the new people of it,
then y - k; last the sum.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
from scipy.sparse import csr_array

from ...models.problem import Problem
from ..exact.program import FREE, Program
from .past import PastDemands, SignatureBucket

__all__ = ["counts_program"]


def counts_program(problem: Problem, past: PastDemands) -> Program:
    """Write the program down; its cost is the number of counterfeits."""
    number = {value: n for n, value in enumerate(past.values)}
    values = [number[member.value] for member in problem.table.members]
    tuples, new = len(values), Counter(v for v, b in zip(values, past.home, strict=True) if b < 0)
    room = max(tuples, 2)  # one tuple may need two groups
    cost, lower, upper = list[int](), list[int](), list[int]()
    rows, low, high = list[dict[int, int]](), list[int](), list[int]()
    joining: dict[int, list[int]] = {v: [] for v in range(len(past.values))}

    def variable(price: int, least: int, most: int) -> int:
        cost.append(price)
        lower.append(least)
        upper.append(most)
        return len(cost) - 1

    def row(entries: dict[int, int], least: int, most: int) -> None:
        rows.append(entries)
        low.append(least)
        high.append(most)

    for bucket in past.buckets:
        here = Counter(values[t] for t in bucket.tuples)
        each = variable(0, _each(bucket, past, here), room)
        for v in bucket.signature:
            joined, fakes = variable(0, 0, new[v]), variable(1, 0, room)
            joining[v].append(joined)
            row({each: 1, joined: -1, fakes: -1}, here[v], here[v])
    alone = [variable(0, 0, new[v]) for v in range(len(past.values))]
    groups, fakes = variable(0, 0, tuples), variable(1, 0, tuples * past.least)
    for v, own in enumerate(alone):
        row(dict.fromkeys((*joining[v], own), 1), new[v], new[v])
        row({own: 1, groups: -1}, -FREE, 0)
    row({**dict.fromkeys((*alone, fakes), 1), groups: -past.least}, 0, FREE)
    table = np.array([(r, j, a) for r, found in enumerate(rows) for j, a in found.items()], dtype=np.int64)
    return Program(
        cost=np.array(cost, dtype=np.int64),
        lower=np.array(lower, dtype=np.int64),
        upper=np.array(upper, dtype=np.int64),
        matrix=csr_array((table[:, 2], (table[:, 0], table[:, 1])), shape=(len(rows), len(cost))),
        low=np.array(low, dtype=np.int64),
        high=np.array(high, dtype=np.int64),
    )


def _each(bucket: SignatureBucket, past: PastDemands, here: Counter[int]) -> int:
    """How often a bucket's groups together publish each value at least."""
    most, people = max(here.values()), len(bucket.tuples)
    if most > 1:
        return most
    shared = Counter(g for t in bucket.tuples for g in past.met[t])
    tables = {g: found[0] for g, found in bucket.meetings.items()}
    for members in range(people, len(bucket.signature) + 1):
        if all(tables[g][members, of_them] for g, of_them in shared.items()):
            return 1
    return 2
