"""The fewest counterfeits, as an integer program over counts.

For a bucket with signature S, its groups together publish each value of S equally often, L times say:
returning, new and counterfeit tuples of each value add up to L. Of the new tuples, y_v of value v go
to all-new groups. Those take k groups at least if some y_v is k, and r tuples need m - r
counterfeits in a group of their own, so ``sum of y + counterfeits >= m k``; dealing the tuples,
sorted by value, to k groups in turn attains that. This holds for every number of times a value
occurs in a group, so the program's optimum bounds every release; without requirements on meetings it
is the optimum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from ....colgen.covering import Ints
from ....colgen.structure.types import Types
from ....exact.guess import guessed
from ....exact.program import FREE, Program
from ....exact.tree import Tree
from ....limits import SIGNATURE_LIMITS as LIMITS
from ....schedule_series import SIGNATURE
from ....settings import Clock

__all__ = ["Fewest", "fewest", "program_of"]


@dataclass(frozen=True, kw_only=True)
class Fewest:
    """The program's answer.

    Attributes
    ----------
    bound : int
        No release has fewer counterfeits.
    made : int
        Those of the solution.
    tree : Tree
        The proof.
    joined : int array, shape (buckets, values)
        How many new tuples of each value join each bucket in a solution.
    each : int array, shape (buckets,)
        How often each bucket publishes its values in that solution.
    """

    bound: int
    made: int
    tree: Tree
    joined: Ints
    each: Ints

    @property
    def proven(self) -> bool:
        """Whether the solution has as few as there can be."""
        return self.bound >= self.made


def program_of(types: Types) -> Program:
    """Write the program down: variables per bucket, then per value, then k and the last counterfeits.

    Per bucket: L, then for each value of the signature the new tuples and the counterfeits.
    """
    rules, rows = types.rules, types.rows
    values, tuples = len(rules.values), int(rows.count.sum())
    room = max(tuples, 2)  # one tuple may need two groups
    new = np.zeros(values, dtype=np.int64)
    np.add.at(new, rows.value[types.home < 0], rows.count[types.home < 0])
    cost, upper, lower = list[int](), list[int](), list[int]()
    entries, low, high = list[tuple[int, int, int]](), list[int](), list[int]()

    def variable(price: int, least: int, most: int) -> int:
        cost.append(price)
        lower.append(least)
        upper.append(most)
        return len(cost) - 1

    given: list[list[int]] = [[] for _ in range(values)]
    returning = _returning(types)
    for b, signature in enumerate(rules.signatures):
        each = variable(0, int(rules.fewest[b]), room)
        for v in signature:
            joined, fake = variable(0, 0, int(new[v])), variable(1, 0, room)
            given[v].append(joined)
            back = int(returning[b, v])
            entries += [(len(low), each, 1), (len(low), joined, -1), (len(low), fake, -1)]
            low.append(back)
            high.append(back)
    rest = [variable(0, 0, int(new[v])) for v in range(values)]
    groups, fakes = variable(0, 0, tuples), variable(1, 0, tuples * rules.least)
    for v in range(values):
        entries += [(len(low), j, 1) for j in (*given[v], rest[v])]
        low.append(int(new[v]))
        high.append(int(new[v]))
        entries += [(len(low), rest[v], 1), (len(low), groups, -1)]
        low.append(-FREE)
        high.append(0)
    entries += [(len(low), j, 1) for j in (*rest, fakes)] + [(len(low), groups, -rules.least)]
    low.append(0)
    high.append(FREE)
    table = np.array(entries, dtype=np.int64)
    return Program(
        cost=np.array(cost, dtype=np.int64),
        lower=np.array(lower, dtype=np.int64),
        upper=np.array(upper, dtype=np.int64),
        matrix=csr_array((table[:, 2], (table[:, 0], table[:, 1])), shape=(len(low), len(cost))),
        low=np.array(low, dtype=np.int64),
        high=np.array(high, dtype=np.int64),
    )


def _returning(types: Types) -> Ints:
    """How many tuples of each bucket have each value, shape (buckets, values)."""
    found = np.zeros((len(types.rules.signatures), len(types.rules.values)), dtype=np.int64)
    old = types.home >= 0
    np.add.at(found, (types.home[old], types.rows.value[old]), types.rows.count[old])
    return found


def _without_new(types: Types) -> Ints:
    """A solution in which nobody new joins a bucket."""
    rules, rows, x = types.rules, types.rows, list[int]()
    returning, new = _returning(types), types.home < 0
    for b, signature in enumerate(rules.signatures):
        back = returning[b, list(signature)]
        each = max(int(rules.fewest[b]), int(back.max()))
        x.append(each)
        for count in back.tolist():
            x += [0, each - count]
    rest = np.bincount(rows.value[new], weights=rows.count[new], minlength=len(rules.values)).astype(np.int64)
    groups = int(rest.max(initial=0))
    return np.array([*x, *rest, groups, max(0, rules.least * groups - int(rest.sum()))], dtype=np.int64)


def fewest(types: Types, clock: Clock | None = None) -> Fewest:
    """Solve the program, and prove its optimum with integer duals.

    If time ends before HiGHS has a solution, there is one in which nobody new joins a bucket.

    Complexity: about three variables per bucket and value; instant for hundreds of buckets.
    """
    program = program_of(types)
    x = guessed(program, (clock or Clock()).allowed(SIGNATURE.counts))
    if x is None:
        x = _without_new(types)
    tree = Tree(program, int(program.cost @ x), clock)
    tree.run(LIMITS.count_nodes)
    if tree.best is not None:
        x = tree.best
    buckets, values = len(types.rules.signatures), len(types.rules.values)
    joined, each = np.zeros((buckets, values), dtype=np.int64), np.zeros(buckets, dtype=np.int64)
    at = 0
    for b, signature in enumerate(types.rules.signatures):
        each[b] = x[at]
        joined[b, list(signature)] = x[at + 1 : at + 1 + 2 * len(signature) : 2]
        at += 1 + 2 * len(signature)
    made = int(program.cost @ x)
    return Fewest(bound=max(0, tree.bound or 0), made=made, tree=tree, joined=joined, each=each)
