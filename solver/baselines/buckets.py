"""Phases 1 to 3 of m-invariance (Xiao and Tao), which Cor-Split (Riboni and Bettini, Fig. 4) shares.

A *bucket* holds tuples under one signature; balanced, it has equally many tuples of each of the
signature's values. A set of tuples is *m-eligible* if at most 1/m of them share a value.

Lines are those of Riboni and Bettini, Fig. 4, whose sec. 4.2 describes the phases in words ("essentially
identical" to those of Xiao and Tao, m-Invariance, SIGMOD 2007, which gives the details: random
choices, m-eligibility, alpha and beta).

Division    Tuples published before, in any release (line 2: "for all T in H"), go to the bucket of
            their signature (lines 2 to 4).
Balancing   Values of a bucket that are behind its most frequent one get a random new tuple if there
            is one, and counterfeits otherwise (lines 5 to 7, bucket by bucket). New tuples left over are kept
            m-eligible, if they are so in the beginning.
Assignment  The new tuples left over join existing buckets, one tuple of each value at a time,
            as long as the rest stays m-eligible. Then, until none are left: the
            beta >= m most frequent values form a signature and alpha >= 1 tuples of each of them
            go to its bucket, with the least beta for which some alpha leaves the rest
            m-eligible, and the largest such alpha (line 8).

Readings. Xiao and Tao look at the last release only, since nobody of theirs returns. Riboni and Bettini
say that new tuples balance a bucket "as long as this is possible"; Xiao and
Tao need what is left over m-eligible. The former's example (two new tuples, m = 3) needs the first,
any later assignment the second, so eligibility is only given up where there was none. Which bucket
comes first is not said: signatures are taken in sorted order.

Such beta and alpha exist for any m-eligible set: with f the largest number of tuples a value may
have, taking one of each of the values that have f (of m values at least) leaves at most f - 1
of any value and at least m (f - 1) tuples. If the new tuples are not m-eligible after balancing
there is no balanced partition of them, and nothing is published.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from ...models.errors import EngineError
from ...models.problem import Problem

__all__ = ["Bucket", "balanced_buckets"]


@dataclass(kw_only=True)
class Bucket:
    """Tuples under one signature, while they are collected.

    Attributes
    ----------
    signature : tuple of str
        Sorted.
    rows : dict of str to list of int
        Real tuples per value of the signature.
    fakes : dict of str to int
        Counterfeits per value of the signature.
    """

    signature: tuple[str, ...]
    rows: dict[str, list[int]] = field(init=False)
    fakes: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        self.rows = {value: [] for value in self.signature}
        self.fakes = dict.fromkeys(self.signature, 0)

    @property
    def depth(self) -> int:
        """Tuples of the most frequent value; of every value once balanced."""
        return max(len(self.rows[value]) + self.fakes[value] for value in self.signature)


def balanced_buckets(problem: Problem, m: int, random: Random, baseline: str) -> list[Bucket]:
    """Put every tuple of the table into a balanced bucket.

    Parameters
    ----------
    problem : Problem
    m : int
        Least number of values of a signature.
    random : Random
        Chooses among new tuples of one value.
    baseline : str
        For messages.

    Returns
    -------
    list of Bucket
        Sorted by signature. Some value of each has no counterfeits, so each of the groups a
        bucket is cut into holds a real tuple.

    Raises
    ------
    EngineError
        If somebody has no single signature of at least m values to keep, or the new tuples are
        not m-eligible.

    Notes
    -----
    O(n + (distinct values) x (tuples balanced + new buckets)).
    """
    buckets, rest = _divided(problem, m, random, baseline)
    for bucket in buckets.values():
        _balance(bucket, rest)
    if not rest.eligible:
        most = max(map(len, rest.rows.values()))
        raise EngineError(
            f"{baseline}: {most} of {rest.total} new tuples share one value, more than 1/m with m = {m}: "
            "publish fewer of them now, or lower m"
        )
    _assign(buckets, rest)
    return [buckets[signature] for signature in sorted(buckets)]


class _Rest:
    """New tuples not yet in a bucket, in random order per value."""

    def __init__(self, rows: dict[str, list[int]], m: int) -> None:
        self.rows, self.m = rows, m
        self.total = sum(map(len, rows.values()))

    @property
    def eligible(self) -> bool:
        return self.m * max(map(len, self.rows.values()), default=0) <= self.total

    def count(self, value: str) -> int:
        return len(self.rows.get(value, ()))

    def give(self, value: str, count: int) -> list[int]:
        rows = self.rows[value]
        taken = rows[len(rows) - count :]
        del rows[len(rows) - count :]
        if not rows:
            del self.rows[value]
        self.total -= count
        return taken

    def may_give(self, value: str) -> bool:
        """Whether there is a tuple of `value` whose loss does not end m-eligibility."""
        if value not in self.rows:
            return False
        if not self.eligible:
            return True
        largest = max((len(rows) - (other == value) for other, rows in self.rows.items()), default=0)
        return self.m * largest <= self.total - 1

    def depth(self, signature: tuple[str, ...]) -> int:
        """The most tuples of each value in `signature` that leave the rest m-eligible; 0 if none do.

        With a of each of s >= m values gone, a value that has n tuples left over must satisfy
        ``m n <= total - a s``: for values outside the signature that is a bound on a from above,
        for those inside (n - a left) from above as well, since s >= m.
        """
        s, m = len(signature), self.m
        most = min(self.count(value) for value in signature)
        inside = set(signature)
        for value, rows in self.rows.items():
            room = self.total - m * len(rows)
            if value not in inside:
                most = min(most, room // s if room >= 0 else 0)
            elif s > m:
                most = min(most, room // (s - m) if room >= 0 else 0)
            elif room < 0:
                return 0
        return most


def _divided(
    problem: Problem, m: int, random: Random, baseline: str
) -> tuple[dict[tuple[str, ...], Bucket], _Rest]:
    buckets: dict[tuple[str, ...], Bucket] = {}
    rest: dict[str, list[int]] = {}
    for row, member in enumerate(problem.table.members):
        record = problem.history.records.get(member.respondent)
        if record is None:
            rest.setdefault(member.value, []).append(row)
            continue
        if record.signature is None or len(record.signature) < m:
            why = "under two signatures" if record.signature is None else "among fewer than m values"
            raise EngineError(
                f"{baseline}: row {row + 1} was published {why} before, so no bucket can take it: "
                "leave it out"
            )
        signature = tuple(sorted(record.signature))
        bucket = buckets.setdefault(signature, Bucket(signature=signature))
        bucket.rows[member.value].append(row)
    for value in sorted(rest):
        random.shuffle(rest[value])
    return {signature: buckets[signature] for signature in sorted(buckets)}, _Rest(rest, m)


def _balance(bucket: Bucket, rest: _Rest) -> None:
    depth = bucket.depth
    while True:
        lacking = {value: len(bucket.rows[value]) + bucket.fakes[value] for value in bucket.signature}
        value = min(bucket.signature, key=lacking.__getitem__)
        if lacking[value] == depth:
            return
        if rest.may_give(value):
            bucket.rows[value] += rest.give(value, 1)
        else:
            bucket.fakes[value] += 1


def _assign(buckets: dict[tuple[str, ...], Bucket], rest: _Rest) -> None:
    for signature, bucket in buckets.items():
        _move(bucket, rest, rest.depth(signature))
    while rest.total:
        order = sorted(rest.rows, key=lambda value: (-rest.count(value), value))
        signature, depth = next(
            (tuple(sorted(order[:beta])), alpha)
            for beta in range(rest.m, len(order) + 1)
            if (alpha := rest.depth(tuple(order[:beta]))) > 0
        )
        _move(buckets.setdefault(signature, Bucket(signature=signature)), rest, depth)


def _move(bucket: Bucket, rest: _Rest, depth: int) -> None:
    if depth:
        for value in bucket.signature:
            bucket.rows[value] += rest.give(value, depth)
