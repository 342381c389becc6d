r"""What the choice of a release gives away where worlds are too many to be enumerated: an estimate.

As `minimality`, but worlds are drawn, and each is solved: it is *refuted* by a release with less loss that
keeps the policy there, it *survives* if the proven bound reaches the loss of the release at hand, and it is
*undecided* if its time ended before. Survivors are draws from what is left to whoever knows the solver.

Draws. Without earlier releases the worlds are all ways to hand the values of each group to its members, all
equally likely. A better release found on the way is kept as the few groups that make it better, in place of
some published ones: wherever requirements on groups allow these, a world is refuted without being solved.
Published groups that are replaced together are drawn anew together until no known better release is allowed,
so that every world that is left has the same chance. Better releases are looked for first; then they are
fixed, and the draws that count are independent and alike.

Intervals. Let draws fall with chances a and u into those that survive, or are undecided, with a value of
somebody, and b and w without it. Whatever the undecided are, the probability that she has it is at least
a / (a + b + w) and at most (a + u) / (a + u + b). Of the draws of those kinds only, each is the chance of one
draw, so Clopper and Pearson's ends for binomial counts hold for any number of draws. The risk is shared out
evenly among all ends, hence all intervals hold together with the stated confidence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ....models.errors import EngineError, InputError, PolicyError
from ....models.parameters import require_kind
from ....models.problem import Problem, require_problem
from ....models.release import Release
from ....models.requirement import as_fraction, whole
from ...enumeration import refusal
from ...search import solve_problem
from ...status import Status
from .binomial import largest_chance, least_chance
from .minimality import value_losses

__all__ = ["MinimalityEstimate", "minimality_estimate"]

World: TypeAlias = NDArray[np.int64]
"""Value of each row, by its number."""

Interval: TypeAlias = tuple[float, float]
Chances: TypeAlias = Mapping[str, Mapping[str, Fraction]]
Intervals: TypeAlias = Mapping[str, Mapping[str, Interval]]

QUIET = 15
"""No more better releases are looked for after so many worlds in a row that teach nothing."""

TRIES = 400
"""A better release is not remembered if so many worlds in a row are refuted with it."""


class _Fate(Enum):
    """What became of a world."""

    SURVIVES = "survives"
    REFUTED = "refuted"
    UNDECIDED = "undecided"


@dataclass(frozen=True, kw_only=True)
class MinimalityEstimate:
    """Conclusions of who knows how the release was chosen, estimated.

    Attributes
    ----------
    drawn, surviving, undecided : int
        Worlds; those in which the release is optimal; those that were not decided in their time.
    known : int
        Better releases that were known before, which no drawn world allows.
    confidence : Fraction
        Probability, at least, with which all intervals hold.
    naive : Mapping of str to probabilities by value
        From the release alone, exact; for the steward only.
    aware : Mapping of str to intervals by value
        For whoever knows how it was chosen; for the steward only.
    seen : Mapping of str to values
        Values that somebody has in a surviving world: no estimate, they are certainly left.
    """

    drawn: int
    surviving: int
    undecided: int
    known: int
    confidence: Fraction
    naive: Chances = field(repr=False)
    aware: Intervals = field(repr=False)
    seen: Mapping[str, frozenset[str]] = field(repr=False)

    @property
    def worst_naive(self) -> Fraction:
        """Largest probability of any value of anybody from the release alone."""
        return max(max(chances.values()) for chances in self.naive.values())

    @property
    def worst_aware(self) -> Interval:
        """Interval of the same for somebody who knows how the release was chosen."""
        ends = [interval for chances in self.aware.values() for interval in chances.values()]
        return max(low for low, _ in ends), max(high for _, high in ends)

    @property
    def moved(self) -> frozenset[str]:
        """Respondents with a value whose interval leaves out its naive probability (for the steward only)."""
        return frozenset(
            who
            for who, chances in self.aware.items()
            if any(not low <= self.naive[who][value] <= high for value, (low, high) in chances.items())
        )

    @property
    def open(self) -> frozenset[str]:
        """Respondents who had several values of whom at most one was seen: maybe disclosed."""
        return frozenset(who for who, seen in self.seen.items() if len(seen) < 2 <= len(self.naive[who]))

    def to_dict(self, *, show_ids: bool = False) -> dict[str, Any]:
        """Plain values JSON can hold; no respondent is named unless asked."""
        found: dict[str, Any] = {
            "estimate": True,
            "confidence": str(self.confidence),
            "drawn": self.drawn,
            "surviving": self.surviving,
            "undecided": self.undecided,
            "known": self.known,
            "worst_naive": str(self.worst_naive),
            "worst_aware": list(self.worst_aware),
            "moved": len(self.moved),
            "maybe disclosed": len(self.open),
        }
        if show_ids:
            found |= {"moved": sorted(self.moved), "maybe disclosed": sorted(self.open)}
        return found


def minimality_estimate(
    problem: Problem,
    release: Release,
    *,
    worlds: int = 200,
    seconds: float = 10.0,
    confidence: Fraction | float | str = "0.95",
    seed: int = 0,
) -> MinimalityEstimate:
    """Estimate what an adversary concludes who knows that a release is optimal; see `minimality`.

    Parameters
    ----------
    problem : Problem
        As solved: a first release, grouped freely, nothing suppressed or invented, under requirements on
        groups that look at sizes and counts of values only. Losses must not look at sensitive values, as
        `signatures` does.
    release : Release
        Its optimal release.
    worlds : int
        How many are drawn for the estimate, and at most as many before to learn better releases.
    seconds : float
        Time limit of the search in each world.
    confidence : rational
        Above 0, below 1.
    seed : int
        Of the draws.

    Raises
    ------
    EngineError
        If the problem is not of this kind.
    InputError
        If the release breaks the policy, suppresses somebody or is not optimal.

    Notes
    -----
    Up to ``2 * worlds`` searches. Few survivors give wide intervals, none say nothing.
    """
    sure = as_fraction("minimality_estimate", "confidence", confidence)
    if not 0 < sure < 1:
        raise PolicyError(f"minimality_estimate: confidence must be between 0 and 1, got {sure}")
    worlds = whole("minimality_estimate", "worlds", worlds, 1)
    _refuse_unfit(problem, release)
    judge = _SolvedWorlds(problem, release, seconds)
    draws = _Draws(judge, whole("minimality_estimate", "seed", seed, 0))
    if judge.fate(draws.truth)[0] is _Fate.REFUTED:
        raise InputError("a release with less loss keeps the policy: this is not what `solve` returns")
    quiet = 0
    for _ in range(worlds):
        learnt = [draws.learn(change) for change in judge.fate(draws.world())[1]]
        quiet = 0 if any(learnt) else quiet + 1
        if quiet == QUIET:
            break
    kept: dict[_Fate, list[World]] = {fate: [] for fate in _Fate}
    for _ in range(worlds):
        world = draws.world()
        kept[judge.fate(world)[0]].append(world)
    return _estimate(judge, draws, kept, sure)


def _refuse_unfit(problem: Problem, release: Release) -> None:
    """Worlds have to be all ways to hand out the values of each group, and groups to be judged alone."""
    require_problem(problem)
    require_kind("release", release, Release, remedy="give result.release")
    reason = refusal(problem)
    if reason is not None:
        raise EngineError(reason)
    if len(problem.history) or problem.policy.suppression_limit(len(problem.table)):
        raise EngineError("worlds are drawn for first releases that suppress nobody: use `minimality`")
    losses = value_losses(problem)
    if losses:
        raise EngineError(
            f"worlds are drawn for losses that do not look at sensitive values, as {', '.join(losses)} may: "
            "use `minimality` on a smaller table"
        )
    decided = problem.policy.decided_by_histograms(problem)
    for index, requirement in enumerate(problem.policy.requirements):
        if index not in decided:
            raise EngineError(
                f"worlds are drawn for requirements on sizes and values of groups, not {requirement.name}: "
                "use `minimality` on a smaller table"
            )
    if release.suppressed:
        raise InputError("the release leaves tuples out, whose values could be anything: audit another one")
    if next(problem.check(release), None) is not None:
        raise InputError("the release breaks the policy: audit one that the policy allows")


@dataclass(frozen=True, kw_only=True, eq=False)
class _Change:
    """A better release: some published groups, and what stands in their place."""

    groups: frozenset[int]
    instead: tuple[World, ...]


class _SolvedWorlds:
    """Solves worlds, and says which groups each allows."""

    def __init__(self, problem: Problem, release: Release, seconds: float) -> None:
        self.problem, self._seconds = problem, seconds
        self.names = sorted({m.value for m in problem.table.members})
        self.rows = [
            np.array([problem.table.row[who] for who in sorted(group.respondents)], dtype=np.int64)
            for group in release.groups
        ]
        self._objective = problem.objective(release)
        self._fates: dict[bytes, tuple[_Fate, list[_Change]]] = {}
        self._allowed: dict[bytes, bool] = {}

    def fate(self, world: World) -> tuple[_Fate, list[_Change]]:
        """What becomes of a world, and the better releases that refute it."""
        key = world.tobytes()
        if key not in self._fates:
            self._fates[key] = self._solved(world)
        return self._fates[key]

    def allows(self, world: World, change: _Change) -> bool:
        """Whether the groups of a better release keep the policy in a world."""
        return all(self._group_allowed(world, rows) for rows in change.instead)

    def _solved(self, world: World) -> tuple[_Fate, list[_Change]]:
        table = replace(self.problem.table, members=self._told(world, range(len(world))))
        problem = replace(self.problem, table=table)
        start = problem.assemble([rows.tolist() for rows in self.rows])
        result = solve_problem(problem, time_limit=self._seconds, workers=1, display=False, initial=start)
        if result.interrupted:
            raise KeyboardInterrupt
        if result.release is not None and problem.objective(result.release) < self._objective:
            return _Fate.REFUTED, self._changes(result.release)
        bound = result.bounds[0] if len(result.bounds) == 1 else None
        proven = result.status is Status.OPTIMAL or (bound is not None and (bound,) >= self._objective)
        return (_Fate.SURVIVES if proven else _Fate.UNDECIDED), []

    def _changes(self, better: Release) -> list[_Change]:
        """The parts of a better release that are better by themselves."""
        row = self.problem.table.row
        home = np.empty(len(row), dtype=np.int64)
        for number, rows in enumerate(self.rows):
            home[rows] = number
        new = [np.array(sorted(row[who] for who in g.respondents), dtype=np.int64) for g in better.groups]
        at = np.repeat(np.arange(len(new)), [len(rows) for rows in new])
        old = home[np.concatenate(new)]
        nodes = len(self.rows) + len(new)
        graph = coo_array((np.ones(len(at)), (old, at + len(self.rows))), shape=(nodes, nodes))
        label = connected_components(graph, directed=False)[1]
        found: list[_Change] = []
        for part in np.unique(label).tolist():
            groups = frozenset(np.flatnonzero(label[: len(self.rows)] == part).tolist())
            instead = tuple(new[i] for i in np.flatnonzero(label[len(self.rows) :] == part).tolist())
            others = [rows for number, rows in enumerate(self.rows) if number not in groups]
            release = self.problem.assemble([rows.tolist() for rows in (*others, *instead)])
            if self.problem.objective(release) < self._objective:
                found.append(_Change(groups=groups, instead=instead))
        return found

    def _group_allowed(self, world: World, rows: World) -> bool:
        key = np.bincount(world[rows], minlength=len(self.names)).tobytes()
        if key not in self._allowed:
            (group,) = self.problem.assemble([rows.tolist()]).groups
            told = replace(group, members=self._told(world, rows.tolist()))
            asked = self.problem.policy.group_requirements
            self._allowed[key] = all(requirement.admits(told, self.problem.context) for requirement in asked)
        return self._allowed[key]

    def _told(self, world: World, rows: Sequence[int]) -> tuple[Any, ...]:
        members = self.problem.table.members
        return tuple(replace(members[row], value=self.names[world[row]]) for row in rows)


@dataclass(eq=False)
class _Block:
    """Published groups that better releases replace together."""

    groups: frozenset[int]
    better: list[_Change]


class _Draws:
    """Worlds, all equally likely that no known better release refutes."""

    def __init__(self, judge: _SolvedWorlds, seed: int) -> None:
        self._judge, self._random = judge, np.random.default_rng(seed)
        code = {name: v for v, name in enumerate(judge.names)}
        self.truth: World = np.array([code[m.value] for m in judge.problem.table.members], dtype=np.int64)
        self.blocks = [_Block(frozenset({number}), []) for number in range(len(judge.rows))]

    def world(self) -> World:
        """Draw one."""
        world = self.truth.copy()
        for block in self.blocks:
            while not self._drawn(block, world):
                pass
        return world

    def learn(self, change: _Change) -> bool:
        """Remember a better release, unless hardly a world is left with it."""
        touched = [block for block in self.blocks if not block.groups.isdisjoint(change.groups)]
        joined = _Block(
            frozenset().union(*(block.groups for block in touched)),
            [*(known for block in touched for known in block.better), change],
        )
        world = self.truth.copy()
        if not any(self._drawn(joined, world) for _ in range(TRIES)):
            return False
        self.blocks = [block for block in self.blocks if block not in touched] + [joined]
        return True

    def _drawn(self, block: _Block, world: World) -> bool:
        """Draw the values of a block; whether no better release is allowed."""
        for number in sorted(block.groups):
            rows = self._judge.rows[number]
            world[rows] = self._random.permutation(self.truth[rows])
        return not any(self._judge.allows(world, change) for change in block.better)


def _estimate(
    judge: _SolvedWorlds, draws: _Draws, kept: Mapping[_Fate, Sequence[World]], sure: Fraction
) -> MinimalityEstimate:
    members, names = judge.problem.table.members, judge.names
    survive, open_ = Counter[tuple[int, int]](), Counter[tuple[int, int]]()
    for counts, fate in ((survive, _Fate.SURVIVES), (open_, _Fate.UNDECIDED)):
        for world in kept[fate]:
            counts.update(enumerate(world.tolist()))
    survivors, undecided = len(kept[_Fate.SURVIVES]), len(kept[_Fate.UNDECIDED])
    naive: dict[str, dict[str, Fraction]] = {}
    cells: list[tuple[int, int]] = []
    for rows in judge.rows:
        shares = sorted(Counter(draws.truth[rows].tolist()).items())
        for row in rows.tolist():
            naive[members[row].respondent] = {names[v]: Fraction(count, len(rows)) for v, count in shares}
            cells += [(row, v) for v, _ in shares]
    risk = float(1 - sure) / (2 * len(cells))
    aware: dict[str, dict[str, Interval]] = {who: {} for who in naive}
    for row, v in cells:
        sole = len(naive[members[row].respondent]) == 1
        has, may = survive[row, v], open_[row, v]
        low = 1.0 if sole else least_chance(has, survivors + undecided - may, risk)
        high = 1.0 if sole else largest_chance(has + may, survivors + may, risk)
        aware[members[row].respondent][names[v]] = low, high
    return MinimalityEstimate(
        drawn=sum(map(len, kept.values())),
        surviving=survivors,
        undecided=undecided,
        known=sum(len(block.better) for block in draws.blocks),
        confidence=sure,
        naive=naive,
        aware=aware,
        seen={
            members[row].respondent: frozenset(names[v] for v in range(len(names)) if survive[row, v])
            for row in range(len(members))
        },
    )
