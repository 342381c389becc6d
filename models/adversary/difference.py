r"""The difference attack between two releases, exactly and in polynomial time (Byun et al., sec. 4.3).

Groups W of one release (*inner*) that lie inside groups F of another (*outer*) leave a
difference D = F \\ W: its members are known, and so is its multiset of values. D is a
breach if it holds somebody and has fewer than k tuples or a value above the share c.
A counterfeit is nobody of another release: an inner group with one lies inside nothing,
and those of outer groups stay in D.

Let an *overlap* be the members common to an inner and an outer group. A pair (W, F)
contains with every inner group all outer groups that overlap it, so a pair is a closed
set of a bipartite graph, and D consists of the overlaps (e, f) with f in F, e not in W and
of what f has beyond all inner groups. Any sum over D of weights per tuple is therefore a
minimum-cut problem:

diversity   weight ``c - [tuple has v]``, one cut per value v: some D breaks c for v
            exactly if the least weight is negative. Only outer groups whose negative parts
            outweigh what they always leave are sources.
size        weight 1; for each outer group and each overlap of it, the least D with that
            overlap is found by pushing at most k units.

Both push flow along shortest augmenting paths from few sources, which stays local in
tables that grow: somebody new is near everywhere. The cut is the violated pair (W, F), no
subset is enumerated, nothing depends on Observation 1 of the source (which is false).

If every outer group is (k, c) itself, closed sets with empty W never break anything. For
other histories, and where a difference of counterfeits only breaks c, the cuts are made
again with an inner group forced in and a person forced into D: still exact and polynomial,
but one cut per such combination.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from ..errors import ReleaseError
from ..release import Release
from .overlap import ClosedPair, GroupOverlaps, unsafe_differences

__all__ = ["DifferenceBreach", "breaches"]


@dataclass(frozen=True, kw_only=True)
class DifferenceBreach:
    """Inner groups inside outer groups, and what is left of the outer ones.

    Attributes
    ----------
    inner, outer : tuple of int
        Indices of the groups W and F in their releases.
    names : frozenset of str
        Respondents of the difference; never empty.
    values : Mapping of str to int
        Values of the difference, those of counterfeits included.
    """

    inner: tuple[int, ...]
    outer: tuple[int, ...]
    names: frozenset[str] = field(repr=False)
    values: Mapping[str, int]

    @property
    def size(self) -> int:
        """Tuples in the difference."""
        return sum(self.values.values())


def breaches(inner: Release, outer: Release, k: int, c: Fraction) -> Iterator[DifferenceBreach]:
    """Yield differences of `outer` over `inner` that are not (k, c), each once.

    Nothing is yielded exactly if there is none. Every respondent of a difference smaller
    than k is in a yielded one; of the differences above c the largest violation per value is
    yielded, split into connected parts.

    Parameters
    ----------
    inner, outer : Release
        Two releases of one series, in either order of time.
    k : int
        Least number of tuples.
    c : Fraction
        Largest share of a value.

    Raises
    ------
    ReleaseError
        If a respondent's value differs between the two.

    Notes
    -----
    One maximum flow per value, and at most k augmentations per overlap.
    """
    overlap, values = _overlap(inner, outer)
    seen: set[tuple[tuple[int, ...], tuple[int, ...]]] = set()
    for found in unsafe_differences(overlap, k, c):
        key = (found.inner, found.outer)
        if key not in seen:
            seen.add(key)
            yield _named(found, inner, outer, values)


def _named(found: ClosedPair, inner: Release, outer: Release, values: list[str]) -> DifferenceBreach:
    names = {who for f in found.outer for who in outer.groups[f].respondents}
    for e in found.inner:
        names -= inner.groups[e].respondents
    return DifferenceBreach(
        inner=found.inner,
        outer=found.outer,
        names=frozenset(names),
        values={values[v]: count for v, count in found.values.items()},
    )


def _overlap(inner: Release, outer: Release) -> tuple[GroupOverlaps, list[str]]:
    """Overlaps of two releases, and the values by their codes."""
    before = {m.respondent: m.value for group in inner.groups for m in group.members}
    usable = [not g.fakes and all(who in outer.where for who in g.respondents) for g in inner.groups]
    values = sorted({v for group in outer.groups for v in group.histogram})
    code = {v: j for j, v in enumerate(values)}
    index: dict[tuple[int, int], int] = {}
    entries: list[tuple[int, int]] = []
    rest: list[tuple[int, int]] = []
    new = np.zeros(len(outer.groups), dtype=np.int64)
    for f, group in enumerate(outer.groups):
        rest += [(f, code[value]) for value, count in group.counterfeits for _ in range(count)]
        for member in group.members:
            e = inner.where.get(member.respondent)
            if e is not None and before[member.respondent] != member.value:
                raise ReleaseError(
                    f"column {outer.sensitive!r}: a respondent's value differs between two releases: "
                    "the difference attack is about values that never change, correct them or "
                    "declare them transient"
                )
            if e is None or not usable[e]:
                rest.append((f, code[member.value]))
                new[f] += 1
            else:
                entries.append((index.setdefault((f, e), len(index)), code[member.value]))
    pairs = np.array(list(index), dtype=np.int64).reshape(-1, 2)
    overlap = GroupOverlaps(
        outer=pairs[:, 0],
        inner=pairs[:, 1],
        counts=_count(entries, len(index), len(values)),
        rest=_count(rest, len(outer.groups), len(values)),
        new=new,
    )
    return overlap, values


def _count(
    entries: list[tuple[int, int]], rows: int, columns: int
) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    table = np.zeros((rows, columns), dtype=np.int64)
    if entries:
        np.add.at(table, tuple(np.array(entries).T), 1)
    return table
