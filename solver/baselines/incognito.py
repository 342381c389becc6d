"""Incognito (LeFevre et al.) with (k, c)-anonymity: static, inference-checked, merge (Byun et al.).

Level vectors of growing subsets of the quasi-identifiers are searched bottom-up. A vector is a
candidate only if all its projections to one attribute less passed (subset property); a vector
above one that passed passes too (generalization property); all others are tested. What passes for
all quasi-identifiers are exactly the (k, c) full-domain recodings without suppression. This is basic
Incognito of LeFevre, DeWitt and Ramakrishnan, Incognito: Efficient Full-Domain k-Anonymity, SIGMOD
2005 (subsets in order of their size, breadth first, generalization marked without a test), without its
super-roots and cubes, which save scans and change no result.

static   The first of these in the order of their heights (sums of levels).
checked  The first that is not vulnerable to any inference attack either (Byun et al., sec. 5.2,
         after Observation 4: "if either check fails, then we need to further generalize the data").
merge    New records are anonymized by themselves and put beside the last release (sec. 6.2, second
         paragraph). Groups stay apart even if their boxes are equal; `joined` has one recoding.

Readings. The source returns all vectors that pass, and leaves the choice to the user; the least height
is its first criterion. Of equal heights the lexicographically smallest vector is taken. The inference
checks are made for all quasi-identifiers at once and not for subsets, and of every vector: the
multiset reading of intersection does not pass on to coarser ones, as Observation 4 has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product
from typing import TypeAlias

import numpy as np

from ...models.box import Box
from ...models.errors import EngineError
from ...models.problem import Problem
from ...models.recoding import Recoding
from ...models.release import Release
from ...models.requirements.k_c_anonymity import KCAnonymity
from ..settings import Clock
from .inferences import Inferences, merge_with_last, new_rows
from .parameters import parameters
from .top_down import Rows, group_of, needs_boxes

__all__ = ["classes_of", "first_passing", "incognito_checked", "incognito_merge", "incognito_static"]

SPARSE = 16
"""From so many possible labels a tuple on, labels are sorted."""
Vector: TypeAlias = tuple[int, ...]
"""One level per quasi-identifier of some subset."""


def incognito_static(problem: Problem, seed: int = 0, clock: Clock | None = None) -> Release:
    """Recode the whole table without regard to the history.

    The policy's `KCAnonymity` gives k and c, its `hierarchies` the levels of numbers.

    Raises
    ------
    EngineError
        If not even the coarsest recoding is (k, c), or the policy publishes no boxes.
    """
    everybody = np.arange(len(problem.table), dtype=np.int64)
    groups, boxes = classes_of(
        problem, everybody, first_passing(problem, everybody, "incognito_static", clock)
    )
    return problem.assemble([rows.tolist() for rows in groups], boxes=boxes)


def incognito_merge(problem: Problem, seed: int = 0, clock: Clock | None = None) -> Release:
    """Recode what is new, and publish the last release's groups again.

    Raises
    ------
    EngineError
        As `incognito_static` for the new records, and as `new_rows`.
    """
    fresh = new_rows(problem, "incognito_merge")
    groups, boxes = list[Rows](), list[Box]()
    if len(fresh):
        groups, boxes = classes_of(problem, fresh, first_passing(problem, fresh, "incognito_merge", clock))
    return merge_with_last(problem, groups, boxes)


def incognito_checked(problem: Problem, seed: int = 0, clock: Clock | None = None) -> Release:
    """Take the first recoding that leaves no inference attack.

    See `inferences` for the checks.

    Raises
    ------
    EngineError
        If no (k, c) recoding is free of them, or tables do not only grow.
    """
    inferences = Inferences(problem, "incognito_checked")
    everybody = np.arange(len(problem.table), dtype=np.int64)
    why = ""
    watch = clock or Clock()
    for levels in _passing(problem, everybody, "incognito_checked", clock):
        watch.ask()
        groups, boxes = classes_of(problem, everybody, levels)
        found = inferences.first(
            [group_of(problem, rows, box) for rows, box in zip(groups, boxes, strict=True)]
        )
        if found is None:
            return problem.assemble([rows.tolist() for rows in groups], boxes=boxes)
        why = f"{found.requirement}: {found.message}"
    raise EngineError(f"incognito_checked: every (k, c) recoding is vulnerable, the coarsest to {why}")


def first_passing(problem: Problem, rows: Rows, baseline: str, clock: Clock | None) -> Vector:
    """The (k, c) level vector of least height, of equal ones the lexicographically smallest.

    Raises
    ------
    EngineError
        If not even the coarsest recoding of these rows is (k, c), or the policy publishes no boxes.
    """
    return _passing(problem, rows, baseline, clock)[0]


def _passing(problem: Problem, rows: Rows, baseline: str, clock: Clock | None) -> list[Vector]:
    """All (k, c) level vectors of all quasi-identifiers, by height; at least one."""
    needs_boxes(problem, baseline)
    asked = parameters(problem, KCAnonymity, baseline)
    search = _IncognitoSearch(problem, rows, asked, clock or Clock())
    found = search.run()
    if not found:
        raise EngineError(
            f"{baseline}: the {len(rows)} tuples to anonymize are not ({asked.k}, {asked.c})-anonymous even "
            "in one group: wait for more tuples, lower k or raise c"
        )
    return sorted(found, key=lambda levels: (sum(levels), levels))


class _IncognitoSearch:
    """Incognito's search over subsets of the quasi-identifiers."""

    def __init__(self, problem: Problem, rows: Rows, asked: KCAnonymity, clock: Clock) -> None:
        self.heights = [ladder.height for ladder in problem.ladders]
        self.asked, self.clock = asked, clock
        members = problem.table.members
        _, values = np.unique([members[row].value for row in rows.tolist()], return_inverse=True)
        # Equal tuples count once with their number.
        joint = np.concatenate([problem.table.codes[rows], values.reshape(-1, 1)], axis=1)
        kinds, self.times = np.unique(joint, axis=0, return_counts=True)
        self.values = kinds[:, -1]
        self.parts = [
            [_dense(ladder.parts(level, kinds[:, a])) for level in range(ladder.height + 1)]
            for a, ladder in enumerate(problem.ladders)
        ]

    def run(self) -> set[Vector]:
        """Vectors over all quasi-identifiers that pass."""
        every = range(len(self.heights))
        passed: dict[tuple[int, ...], set[Vector]] = {(): {()}}
        for size in range(1, len(self.heights) + 1):
            passed |= {some: self._passed(some, passed) for some in combinations(every, size)}
        return passed[tuple(every)]

    def _passed(self, some: tuple[int, ...], smaller: dict[tuple[int, ...], set[Vector]]) -> set[Vector]:
        found: set[Vector] = set()
        levels = product(*(range(self.heights[a] + 1) for a in some))
        for vector in sorted(levels, key=lambda vector: (sum(vector), vector)):
            if any(_without(vector, i) not in smaller[_without(some, i)] for i in range(len(some))):
                continue
            below = ((*vector[:i], level - 1, *vector[i + 1 :]) for i, level in enumerate(vector) if level)
            if any(finer in found for finer in below) or self._holds(some, vector):
                found.add(vector)
        return found

    def _holds(self, some: Sequence[int], vector: Vector) -> bool:
        """Whether the classes of a vector are (k, c): one frequency set."""
        self.clock.ask()
        home = np.zeros(len(self.times), dtype=np.int64)
        for a, level in zip(some, vector, strict=True):
            part = self.parts[a][level]
            home = _dense(home * (int(part.max()) + 1) + part)
        sizes = _totals(home, self.times)
        if int(sizes.min()) < self.asked.k:
            return False
        each = int(self.values.max()) + 1
        pairs = home * each + self.values
        at = _dense(pairs)
        counts, whole = _totals(at, self.times), np.zeros(int(at.max()) + 1, dtype=np.int64)
        whole[at] = sizes[home]
        share = self.asked.c
        return bool((counts * share.denominator <= whole * share.numerator).all())


def classes_of(problem: Problem, rows: Rows, levels: Vector) -> tuple[list[Rows], list[Box]]:
    """Groups of a level vector and their boxes."""
    codes = problem.table.codes[rows]
    home = np.zeros(len(rows), dtype=np.int64)
    for a, (ladder, level) in enumerate(zip(problem.ladders, levels, strict=True)):
        part = _dense(ladder.parts(level, codes[:, a]))
        home = _dense(home * (int(part.max()) + 1) + part)
    order = np.argsort(home, kind="stable")
    groups = np.split(rows[order], np.flatnonzero(np.diff(home[order])) + 1)
    recoding = Recoding(ladders=problem.ladders, levels=levels)
    return groups, [recoding.box(problem.table.codes[group[0]].tolist()) for group in groups]


def _dense(labels: Rows) -> Rows:
    """Labels, none below 0, by their order among those that occur: without sorting where they are few."""
    most = int(labels.max()) + 1
    if most > SPARSE * len(labels):
        return np.unique(labels, return_inverse=True)[1].reshape(-1).astype(np.int64)
    occurs = np.zeros(most, dtype=np.int64)
    occurs[labels] = 1
    return (np.cumsum(occurs) - 1)[labels]


def _totals(home: Rows, times: Rows) -> Rows:
    # Sums of whole numbers below 2**53 are exact.
    return np.bincount(home, weights=times).astype(np.int64)


def _without(items: tuple[int, ...], index: int) -> tuple[int, ...]:
    return (*items[:index], *items[index + 1 :])
