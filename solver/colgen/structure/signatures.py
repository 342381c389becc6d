"""What policy and history demand of groups that hold each of their values equally often.

Words. A *bucket* is the set of present respondents with one old signature S. A group with a
returning respondent belongs to the respondent's bucket: it publishes each value of S `times`
times, with new tuples and counterfeits where the bucket has none. All other groups are *all-new*.

Which groups are needed (minimizing counterfeits, then information loss; or loss within a number of
counterfeits):

* All-new groups: each value once. A group in which values occur c times is cut into c groups:
  the j-th tuple of each value goes to the j-th part. Parts without a real tuple are dropped, so
  counterfeits do not rise; boxes lie in the old one, so neither does the loss. Parts keep the
  signature's size, and nobody in them has a past that could forbid it. A group of 2m or more real
  values is cut into two of m or more; one of m or more needs no counterfeits; one of r < m needs m - r.
* Buckets without requirements on meetings with earlier groups: each value once, by the same argument.
* Buckets with such requirements: let c be a number such that from ``c |S|`` tuples on no meeting is
  forbidden (`OverlapRule.unrestricted_from`). A group with 2c or more of each value is cut into one with c
  and one with the others in the same way; both are free. So at most 2c - 1 of each value are needed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ....models.memo import memoized
from ....models.problem_view import ProblemView
from ....models.release import QIGroup
from ....models.structure import DependsOn, Overlap, OverlapRule, SignatureRule
from ....models.verdicts import Context, group_judges, of_histogram
from ..covering import Ints
from ..limits import PRICING

__all__ = ["MOST_TIMES", "Rules"]

Met: TypeAlias = tuple[int, int]
"""An earlier group: release, and number in it."""
MOST_TIMES = PRICING.times
"""Groups in which values occur more often are not searched; buckets that may need them are relaxed."""


@dataclass(frozen=True, kw_only=True)
class Rules:
    """The demands in numbers.

    Attributes
    ----------
    least : int
        Fewest values of a signature.
    values : tuple of str
        Sensitive values that may be published; those of the table first, each part sorted.
    signatures : tuple of tuple of int
        Signatures of the buckets, as numbers of values.
    home : int array, shape (tuples,)
        Bucket of each tuple of the microdata, -1 for new ones.
    traces : tuple of tuple of int
        Per tuple: the earlier groups it was in whose meetings with new groups may be forbidden.
    times : int array, shape (buckets,)
        Most often a value occurs in a group that is needed and searched.
    relaxed : bool array, shape (buckets,)
        Whether still larger groups may be needed. For a bound, such a bucket is taken as if
        no meeting were forbidden: then every value once suffices.
    kind : int array, shape (earlier groups,)
        Which table of verdicts each has: many are alike in all that verdicts depend on.
    safe : bool array, shape (times, kinds, members + 1, shared + 1)
        Whether a group that holds each value so often (from 1) with so many members may share so many. The
        first kind forbids nothing.
    present : int array, shape (kinds,)
        How many tuples were in each group of a kind.
    released : int array, shape (earlier groups,)
        In which release each was.
    fewest : int array, shape (buckets,)
        Each value must occur so often at least in the bucket's groups together.
    """

    least: int
    values: tuple[str, ...]
    signatures: tuple[tuple[int, ...], ...]
    home: Ints
    traces: tuple[tuple[int, ...], ...]
    times: Ints
    relaxed: NDArray[np.bool_]
    kind: Ints
    safe: NDArray[np.bool_]
    present: Ints
    released: Ints
    fewest: Ints

    @classmethod
    def of(cls, problem: ProblemView) -> Rules | str:
        """Read a problem, or say why its requirements have another form.

        Complexity: O(tuples x releases) plus the sizes of the tables.
        """
        return _rules(problem)

    @classmethod
    def _of(cls, problem: ProblemView) -> Rules | str:
        rule, meetings = _forms(problem)
        if isinstance(rule, str):
            return rule
        records, table = problem.history.records, problem.table
        found = [records.get(member.respondent) for member in table.members]
        names = sorted(table.histogram)
        values = (*names, *(v for v in problem.values if v not in table.histogram))
        number = {value: i for i, value in enumerate(values)}
        old = [None if r is None else r.signature for r in found]
        for r, signature in zip(found, old, strict=True):
            if r is not None and (signature is None or len(signature) < rule.min_values):
                return "somebody was published under signatures that no group can keep"
        named = sorted({tuple(sorted(number[v] for v in s)) for s in old if s is not None})
        at = {signature: i for i, signature in enumerate(named)}
        home = np.array(
            [-1 if s is None else at[tuple(sorted(number[v] for v in s))] for s in old], dtype=np.int64
        )
        present = Counter(met for r in found if r is not None for met in r.groups)
        earlier = {met: problem.history.group(*met) for met in sorted(present)}
        bucket = {met: int(home[t]) for t, r in enumerate(found) if r is not None for met in r.groups}
        once = rule.multiplicity == 1
        times, tables, forbidding = (
            np.ones(len(named), dtype=np.int64),
            _VerdictKinds(meetings, once),
            dict[Met, int](),
        )
        for met, group in earlier.items():
            if k := tables.of(group, len(named[bucket[met]]), present[met]):
                forbidding[met] = k
                if not once:
                    times[bucket[met]] = max(times[bucket[met]], 2 * len(tables.made[k]) - 1)
        relaxed = times > MOST_TIMES
        times = np.where(relaxed, 1, times)
        order, kind = {met: g for g, met in enumerate(forbidding)}, list(forbidding.values())
        wide = max([c * len(s) for c, s in zip(times.tolist(), named, strict=True)], default=0) + 1
        safe = np.ones((int(times.max(initial=1)), len(tables.made), wide, wide), dtype=np.bool_)
        for k in range(1, len(tables.made)):
            _write_verdicts(safe[:, k], tables.made[k], tables.sizes[k])
        traces = tuple(
            () if r is None else tuple(order[met] for met in r.groups if met in order) for r in found
        )
        if (refusal := _sizes(problem, rule, named, values, times)) is not None:
            return refusal
        return cls(
            least=rule.min_values,
            values=values,
            signatures=tuple(named),
            home=home,
            traces=traces,
            times=times,
            relaxed=relaxed,
            kind=np.array(kind, dtype=np.int64),
            safe=safe,
            present=np.array(tables.present, dtype=np.int64),
            released=np.array([release for release, _ in order], dtype=np.int64),
            fewest=_fewest(problem, named, home, traces, number, kind, safe[0]),
        )


@memoized
def _rules(problem: ProblemView) -> Rules | str:
    return Rules._of(problem)  # pyright: ignore[reportPrivateUsage]


def _forms(problem: ProblemView) -> tuple[SignatureRule | str, list[OverlapRule]]:
    """The one requirement on equal counts, and those on meetings."""
    rules, meetings = list[SignatureRule](), list[OverlapRule]()
    if joint := problem.policy.joint_requirements:
        return f"it judges groups singly, {joint[0].name} looks at whole releases", []
    for r in group_judges(problem):
        structure = r.structure(problem)
        if structure.signature is not None:
            rules.append(structure.signature)
        elif structure.overlap is not None:
            meetings.append(structure.overlap)
        elif structure.depends_on is DependsOn.MEMBERS:
            return f"{r.name} may ask more of people's past than their signatures", []
    fixed = {rule.multiplicity for rule in rules if rule.multiplicity is not None}
    if not rules:
        return "releases with a past need a requirement of equal counts (as weak_m_invariance is one)", []
    if not fixed <= {1}:
        return "it takes groups with each value once, or any number of times alike", []
    return SignatureRule(
        min_values=max(r.min_values for r in rules), multiplicity=min(fixed, default=None)
    ), meetings


class _VerdictKinds:
    """Tables of verdicts of earlier groups, and their sizes; the first kind forbids nothing."""

    def __init__(self, meetings: list[OverlapRule], once: bool) -> None:
        self.meetings, self.most = meetings, 1 if once else None
        self.made: list[list[NDArray[np.bool_]]] = [[]]
        self.sizes, self.present = [0], [0]
        self._known: dict[tuple[object, ...], int] = {}

    def of(self, old: QIGroup, size: int, present: int) -> int:
        """The kind of an earlier group, of whose people so many are there, in a bucket of so many values."""
        # Everything that verdicts depend on: many earlier groups are alike in it.
        key = old.size, len(old.members), frozenset(old.histogram.values()), size, present
        if key not in self._known:
            made = _tables(self.meetings, old, size, present, self.most)
            self._known[key] = 0
            if not all(bool(table.all()) for table in made):
                self._known[key] = len(self.made)
                self.made.append(made)
                self.sizes.append(size)
                self.present.append(present)
        return self._known[key]


def _tables(
    meetings: list[OverlapRule], old: QIGroup, size: int, present: int, most: int | None
) -> list[NDArray[np.bool_]]:
    """Verdicts by members and shared respondents, for 1, 2, ... times until nothing is forbidden.

    Where that is beyond `MOST_TIMES`, only so many and one that forbids everything: the bucket is relaxed.
    """
    free = max([r.unrestricted_from(present, old.size) for r in meetings], default=1)
    reach = max(1, -(-free // size)) if most is None else most

    def forbidden(times: int) -> Iterator[tuple[int, int]]:
        for members in range(times * size, 0, -1):
            for shared in range(min(members, present), 0, -1):
                overlap = Overlap(
                    size=times * size,
                    members=members,
                    shared=shared,
                    old_size=old.size,
                    old_members=len(old.members),
                    alike=set(old.histogram.values()) == {times},
                )
                if not all(r.permits(overlap) for r in meetings):
                    yield members, shared

    beyond = range(reach - 1, MOST_TIMES, -1) if most is None else ()  # nothing is forbidden from `free` on
    relaxed = any(next(forbidden(times), None) is not None for times in beyond)
    made: list[NDArray[np.bool_]] = []
    for times in range(1, min(reach, MOST_TIMES + 1) + 1):
        made.append(np.ones((times * size + 1, times * size + 1), dtype=np.bool_))
        for place in forbidden(times) if times <= MOST_TIMES else ():
            made[-1][place] = False
    if relaxed:
        made[-1][:] = False
        return made
    while most is None and len(made) > 1 and made[-1].all() and made[-2].all():
        made.pop()
    return made


def _write_verdicts(safe: NDArray[np.bool_], tables: list[NDArray[np.bool_]], size: int) -> None:
    """Verdicts on one earlier group, as far as there is room; larger groups than asked for are none."""
    wide = safe.shape[1]
    for i, table in enumerate(tables[: len(safe)]):
        members, shared = table.shape
        safe[i, :members, :shared] = table[:wide, :wide]
    for i in range(len(safe)):
        safe[i, (i + 1) * size + 1 :] = False


def _sizes(
    problem: ProblemView,
    rule: SignatureRule,
    signatures: list[tuple[int, ...]],
    values: tuple[str, ...],
    times: Ints,
) -> str | None:
    """Why a requirement on published values forbids a group that the cuttings above make."""
    if len(values) < rule.min_values:
        return f"fewer than {rule.min_values} values can be published"
    asked = {
        tuple(values[:size]): 1
        for size in range(rule.min_values, min(len(values), 2 * rule.min_values - 1) + 1)
    }
    for signature, most in zip(signatures, times.tolist(), strict=True):
        asked[tuple(values[v] for v in signature)] = most
    context = Context.before(problem)
    for r in group_judges(problem):
        structure = r.structure(problem)
        if structure.signature or structure.overlap:
            continue
        if not structure.exchangeable:
            return f"{r.name} tells values apart"
        for signature, most in asked.items():
            for c in range(1, most + 1):
                group = of_histogram(signature, [c] * len(signature))
                if not r.admits(group, context):
                    return f"{r} forbids groups of {group.size} different values, or of so many tuples"
    return None


def _fewest(
    problem: ProblemView,
    signatures: list[tuple[int, ...]],
    home: Ints,
    traces: tuple[tuple[int, ...], ...],
    number: dict[str, int],
    kind: list[int],
    once: NDArray[np.bool_],
) -> Ints:
    """As often as the most frequent value; twice at least if one group of all would be forbidden."""
    fewest = np.ones(len(signatures), dtype=np.int64)
    inside: list[list[int]] = [[] for _ in signatures]
    for t in np.flatnonzero(home >= 0).tolist():
        inside[home[t]].append(t)
    for b, (signature, here) in enumerate(zip(signatures, inside, strict=True)):
        most = Counter(number[problem.table.members[t].value] for t in here)
        fewest[b] = max(most.values())
        shared = Counter(g for t in here for g in traces[t])
        if fewest[b] == 1 and not any(
            all(once[kind[g], members, o] for g, o in shared.items())
            for members in range(len(here), len(signature) + 1)
        ):
            fewest[b] = 2
    return fewest
