"""Which histograms of sensitive values groups may need, found a second time and in the plainest way.

If what is published of a group decides all verdicts, and its histogram is the sum of two admissible ones, its
tuples can be published as two groups; their boxes lie in the old one, so no loss rises. So a release with
least loss exists among *needed* groups: those with an admissible histogram that is no such sum.

Here all histograms up to a size are written down and judged, and of every admissible one all
parts are tried. Where values are alike, a histogram stands for all with the same counts in another order, and
parts for the ways to take so many from counts that are equal. The table of steps for the search is read off
backwards: a histogram leads somewhere exactly if taking one tuple from one that does makes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations_with_replacement, groupby, product
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...models.errors import CertificateError
from ...models.group import Member
from ...models.problem_view import ProblemView, smallest_group
from ...models.release import QIGroup
from ...models.requirements.k_c_anonymity import KCAnonymity
from ...models.structure import DependsOn
from ...models.verdicts import Context, GroupJudge, group_judges
from ...models.whole_values import WholeValues, whole_values
from .rows import Ints
from .shares_groups import SharesAsked

__all__ = ["ENDLESS", "HistogramVerdicts", "Needed", "judged", "said", "stood_for"]

Counts: TypeAlias = tuple[int, ...]

MOST_STATES = 6_000
"""Histograms that are written down."""
LARGEST = 40
"""Size up to which they are, if no size is known from which all split."""
ENDLESS = 1 << 40
"""No limit on how often a value may occur."""


@dataclass(frozen=True, kw_only=True)
class Needed:
    """Needed histograms as steps from the empty one, tuple by tuple.

    Attributes
    ----------
    step : int32 array, shape (states, labels)
        State after one more tuple; -1 if no needed histogram has so many. The label is the number of the
        tuple's value or, if values are `alike`, how many tuples before it had the value.
    missing : int array
        Fewest further tuples that make a needed histogram.
    whole : bool array
        Whether a group with just these tuples may be needed.
    alike : bool
    largest : int
        Size of the largest histogram that is written down.
    beyond : bool
        Whether groups that are larger still may be needed.
    often : int
        No needed histogram has a value more often.
    distinct : int or None
        If exactly the groups of so many different values, or more, are admissible, from the size of the
        smallest of them on.
    """

    step: NDArray[np.int32]
    missing: Ints
    whole: NDArray[np.bool_]
    alike: bool
    largest: int
    beyond: bool
    often: int
    distinct: int | None = None

    @classmethod
    def of(cls, verdicts: HistogramVerdicts) -> Needed:
        """Find them.

        Raises
        ------
        CertificateError
            If there are too many to write down.
        """
        room, alike = verdicts.room, verdicts.alike
        tuples, known = sum(room), _splits_from(verdicts)
        last = tuples if known is None else min(tuples, known - 1)
        levels = _written(room, last if known is not None else min(last, LARGEST), alike=alike)
        reached = len(levels) - 1
        beyond = reached < last
        if beyond and known is not None:
            raise CertificateError(
                f"groups of up to {last} tuples may be needed, and their histograms are too many to check"
            )
        listed = [state for level in levels for state in level]
        good = verdicts.admitted(listed)
        if beyond and not good:
            raise CertificateError("no histogram that can be written down is admissible")
        least = min(map(sum, good), default=0)
        needed = {state for state in good if not _divides(state, good, least, alike=alike)}
        if not beyond:
            listed = _below(needed, room, alike=alike)
        found = _stepped(listed, needed, len(room), alike=alike, beyond=reached if beyond else None)
        return replace(found, distinct=verdicts.distinct) if beyond else found


class HistogramVerdicts:
    """What requirements say of histograms.

    Attributes
    ----------
    blind : bool
        Whether only sizes matter: there is one count then.
    alike : bool
        Whether values can be exchanged for one another: counts are in falling order then.
    room : tuple of int
        Most tuples per count.
    """

    def __init__(self, problem: ProblemView, requirements: Sequence[GroupJudge]) -> None:
        self._problem, self._context = problem, Context.before(problem)
        self.requirements = requirements
        if any(r.structure(problem).depends_on is DependsOn.MEMBERS for r in self.requirements):
            raise CertificateError("a requirement looks at people: histograms do not tell what it says")
        self._names = tuple(sorted(problem.table.histogram))
        self.blind = all(r.structure(problem).depends_on is DependsOn.SIZE for r in self.requirements)
        self.alike = all(r.structure(problem).exchangeable for r in self.requirements)
        counts = [problem.table.histogram[name] for name in self._names]
        self.room: Counts = (sum(counts),) if self.blind else tuple(counts)
        if self.alike:
            self.room = tuple(sorted(self.room, reverse=True))

    def admitted(self, histograms: Sequence[Counts], only: GroupJudge | None = None) -> set[Counts]:
        """Those that all requirements admit, or that only one of them does."""
        table = np.zeros((len(histograms), len(self._names)), dtype=np.int64)
        for line, counts in enumerate(histograms):
            table[line, : len(counts)] = counts
        good = table.sum(axis=1) > 0
        for requirement in self.requirements if only is None else [only]:
            good[good] = self._of(requirement, table[good])
        return {counts for counts, fits in zip(histograms, good.tolist(), strict=True) if fits}

    def implies(self, one: GroupJudge, other: GroupJudge) -> bool:
        """Whether the other one is about sizes alone, and admits all that the first leaves possible."""
        structure = other.structure(self._problem)
        if structure.depends_on is not DependsOn.SIZE:
            return False
        if structure.overlap is not None:
            return True  # it forbids meetings, and there are none
        least, most = one.bounds(self._problem).smallest, len(self._problem.table)
        table = np.zeros((max(0, most + 1 - least), len(self._names)), dtype=np.int64)
        table[:, 0] = np.arange(least, least + len(table))
        return bool(self._of(other, table).all())

    @property
    def distinct(self) -> int | None:
        """Different values that groups must have, if all else that is asked of them is a least size."""
        found, tuples = list[int](), len(self._problem.table)
        sizes = np.zeros((tuples, len(self._names)), dtype=np.int64)
        sizes[:, 0] = np.arange(1, tuples + 1)
        for requirement in self.requirements:
            structure = requirement.structure(self._problem)
            if structure.distinct is not None:
                found.append(structure.distinct)
                continue
            if structure.depends_on is not DependsOn.SIZE or structure.overlap is not None:
                return None
            admitted = self._of(requirement, sizes)
            if admitted[int(np.argmax(admitted)) :].all() < admitted.any():
                return None
        return max(found, default=None)

    @property
    def near(self) -> SharesAsked | None:
        """What groups must have of each value, if all else that is asked of them is a least size."""
        found, reference = list[WholeValues | None](), self._context.reference
        counts = {name: reference[name] for name in self._names}
        for requirement in self.requirements:
            structure = requirement.structure(self._problem)
            if structure.values is not None:
                found.append(whole_values(structure.values, counts, reference))
            elif not structure.monotone or structure.depends_on is not DependsOn.SIZE or structure.overlap:
                return None
        if len(found) != 1 or found[0] is None:
            return None
        least = max((r.bounds(self._problem).smallest for r in self.requirements), default=1)
        return SharesAsked(found[0], least)

    def decomposable_from(self, requirement: GroupJudge) -> int | None:
        """What the requirement says of it."""
        return requirement.structure(self._problem).decomposable_from

    def _of(self, requirement: GroupJudge, table: Ints) -> NDArray[np.bool_]:
        return said(requirement, table, self._names, self._context)


def said(requirement: GroupJudge, table: Ints, names: tuple[str, ...], context: Context) -> NDArray[np.bool_]:
    """What a requirement that sees values only says of histograms, one per line."""
    if not len(table):
        return np.zeros(0, dtype=np.bool_)
    found = requirement.admits_counts(table, names, context)
    if found is not None:
        return found
    return np.array([requirement.admits(stood_for(names, counts), context) for counts in table.tolist()])


def stood_for(names: Sequence[str], counts: Sequence[int]) -> QIGroup:
    """A group with these counts of values: verdicts depend on these alone, so anybody may be in it."""
    values = [name for name, count in zip(names, counts, strict=True) for _ in range(count)]
    return QIGroup(members=tuple(Member(f"\0{i}", (), value) for i, value in enumerate(values)))


def judged(problem: ProblemView, indices: Iterable[int] | None = None) -> HistogramVerdicts:
    """Verdicts of the policy, or of some of its requirements and the least group size that all imply.

    Leaving requirements out only adds releases, so what holds for all of these holds for the policy's.

    Raises
    ------
    CertificateError
        If there is no such requirement.
    """
    requirements = problem.policy.requirements
    if indices is None:
        return HistogramVerdicts(problem, group_judges(problem))
    named = set(indices)
    if any(index not in range(len(requirements)) for index in named):
        raise CertificateError("the bound's proof names requirements that the policy does not have")
    left = group_judges(problem, named)
    if len(left) < len(named):
        raise CertificateError("the bound's proof names requirements that look at whole releases")
    least = smallest_group(problem)
    return HistogramVerdicts(problem, [*left, KCAnonymity(k=least)])


# -- sizes from which all split ---------------------------------------------------------


def _splits_from(verdicts: HistogramVerdicts) -> int | None:
    """A size from which every admissible histogram is the sum of two, the least that some requirement knows.

    A requirement's parts are below its size. They will do for the others, too, if all histograms below it
    that the requirement admits are admitted by the others.
    """
    found: list[int] = []
    for requirement in verdicts.requirements:
        size = verdicts.decomposable_from(requirement)
        if size is None:
            continue
        others = [r for r in verdicts.requirements if r is not requirement]
        if all(verdicts.implies(requirement, other) for other in others):
            found.append(size)
            continue
        last = min(size - 1, sum(verdicts.room))
        levels = _written(verdicts.room, last, alike=verdicts.alike)
        own = verdicts.admitted([state for level in levels for state in level], requirement)
        if len(levels) == last + 1 and verdicts.admitted(list(own)) == own:
            found.append(size)
    return min(found, default=None)


# -- all histograms, and what they are made of ------------------------------------------


def _written(room: Counts, last: int, *, alike: bool) -> list[list[Counts]]:
    """All histograms by size, 0 to `last`; fewer sizes if they are too many."""
    levels: list[list[Counts]] = []
    total = 0
    for size in range(last + 1):
        level: list[Counts] = []
        for state in _falling(size, room) if alike else _exact(size, room):
            level.append(state)
            if total + len(level) > MOST_STATES:
                return levels
        total += len(level)
        levels.append(level)
    return levels


def _falling(size: int, room: Counts, most: int | None = None) -> Iterator[Counts]:
    """Positive counts in falling order within falling room."""
    if size == 0:
        yield ()
    if size == 0 or not room:
        return
    top = min(size, room[0] if most is None else min(room[0], most))
    for count in range(1, top + 1):
        for rest in _falling(size - count, room[1:], count):
            yield (count, *rest)


def _exact(size: int, room: Counts) -> Iterator[Counts]:
    """One count per value within its room."""
    if len(room) == 1:
        if size <= room[0]:
            yield (size,)
        return
    left = sum(room[1:])
    for count in range(max(0, size - left), min(size, room[0]) + 1):
        for rest in _exact(size - count, room[1:]):
            yield (count, *rest)


def _divides(state: Counts, good: set[Counts], least: int, *, alike: bool) -> bool:
    """Whether a histogram is the sum of two of `good`, which have `least` tuples at least."""
    size = sum(state)
    if size < 2 * least:
        return False
    for part in _parts(state, alike=alike):
        if least <= sum(part) <= size - least:
            rest = tuple(count - taken for count, taken in zip(state, part, strict=True))
            if _named(part, alike=alike) in good and _named(rest, alike=alike) in good:
                return True
    return False


def _parts(state: Counts, *, alike: bool) -> Iterator[Counts]:
    """All parts; about halves first, where most sums are found."""
    equal = [(count, len(list(same))) for count, same in groupby(state)] if alike else [(c, 1) for c in state]
    for chosen in product(*(_taken(count, times) for count, times in equal)):
        yield tuple(taken for part in chosen for taken in part)


@cache
def _taken(count: int, times: int) -> tuple[Counts, ...]:
    """What can be taken of several equal counts."""
    ways = combinations_with_replacement(range(count + 1), times)
    return tuple(sorted(ways, key=lambda way: abs(2 * sum(way) - count * times)))


def _named(counts: Counts, *, alike: bool) -> Counts:
    return tuple(sorted((count for count in counts if count), reverse=True)) if alike else counts


# -- steps ------------------------------------------------------------------------------


def _below(needed: set[Counts], room: Counts, *, alike: bool) -> list[Counts]:
    """Needed histograms, and all that taking tuples away leaves of them, by size."""
    found: set[Counts] = {() if alike else (0,) * len(room)}
    edge = set(needed)
    while edge:
        found |= edge
        edge = {before for state in edge for before, _ in _before(state, alike=alike)} - found
    return sorted(found, key=lambda state: (sum(state), state))


def _before(state: Counts, *, alike: bool) -> Iterator[tuple[Counts, int]]:
    """Histograms with one tuple less, and the label of the step that adds it again."""
    for v, count in enumerate(state):
        if not count or (alike and v + 1 < len(state) and state[v + 1] == count):
            continue
        rest = (*state[:v], count - 1, *state[v + 1 :])
        yield _named(rest, alike=alike), count - 1 if alike else v


def _stepped(
    listed: list[Counts], needed: set[Counts], values: int, *, alike: bool, beyond: int | None
) -> Needed:
    """Number the histograms and write steps down; all up to size `beyond` are listed, unless it is None."""
    number = {state: i for i, state in enumerate(listed)}
    largest = max(map(sum, listed))
    step = np.full((len(listed), max(1, largest if alike else values)), -1, dtype=np.int32)
    missing = np.full(len(listed), ENDLESS, dtype=np.int64)
    for state in reversed(listed):
        i = number[state]
        if state in needed:
            missing[i] = 0
        elif sum(state) == beyond:
            missing[i] = 1
        if missing[i] < ENDLESS:
            for before, label in _before(state, alike=alike):
                step[number[before], label] = i
                missing[number[before]] = min(missing[number[before]], missing[i] + 1)
    return Needed(
        step=step,
        missing=missing,
        whole=np.array([state in needed for state in listed], dtype=np.bool_),
        alike=alike,
        largest=largest,
        beyond=beyond is not None,
        often=ENDLESS if beyond is not None else max((max(s, default=0) for s in needed), default=0),
    )
