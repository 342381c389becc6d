"""What the choice of a release gives away to somebody who knows the solver and the policy.

Whoever knows that a release is optimal keeps only those worlds in which everything better would have
broken the policy (the minimality attack; al Bouna, Clifton, Malluhi, sec. 6, mention it). Here these
worlds are enumerated: the values of the table's people (and of the history's) in every way the
published groups allow; and in each of them, every grouping with less loss is tried. Releases as good
as the one at hand count as not preferred to it: how ties are broken is not used.

Losses that look at sensitive values (such as `signatures`) are computed anew in each world.

Whoever knows the policy knows what it says of single respondents (`knowledge` of `resists_inference`), which
is true: worlds that contradict it are none, with or without knowing how the release was chosen. What several
requirements say is known to one adversary.

For a release that was drawn (`solve` with `randomize`) each world weighs as much as the chance with
which it would have been drawn there.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import exp, factorial, prod
from typing import Any

from ....models.adversary.knowledge import Knowledge, given
from ....models.errors import EngineError, InputError
from ....models.group import Member, QIGroup
from ....models.history import History
from ....models.losses import SquaredError
from ....models.parameters import require_kind
from ....models.problem import Problem, require_problem
from ....models.release import Release
from ....models.requirement import as_fraction
from ....models.requirements.of_respondents import knowledge_of
from ...enumeration import GroupingVerdicts, Partition, partitions, require_enumerable

__all__ = ["MOST_WORLDS", "Minimality", "minimality", "value_losses"]

MOST_WORLDS = 20_000
"""More worlds than these are not enumerated."""

Chances = Mapping[str, Mapping[str, Fraction]]
Values = Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Minimality:
    """Conclusions with and without knowing how the release was chosen.

    Attributes
    ----------
    worlds, surviving : int
        Assignments of values to people that the published groups and the policy's knowledge allow, and those
        of them in which this release may have been chosen.
    better : int
        Groupings with less loss than the release.
    naive, aware : Mapping of str to probabilities by value
        For everybody in the release whose value the policy's knowledge does not tell by itself; for the
        steward only. Those of a drawn release are exact up to the rounding of weights.
    """

    worlds: int
    surviving: int
    better: int
    naive: Chances = field(repr=False)
    aware: Chances = field(repr=False)

    @property
    def worst_naive(self) -> Fraction:
        """Largest probability of any value of anybody from the releases alone."""
        return _worst(self.naive)

    @property
    def worst_aware(self) -> Fraction:
        """The same for somebody who knows how the release was chosen."""
        return _worst(self.aware)

    @property
    def leaks(self) -> bool:
        """Whether knowing the choice changes any probability."""
        return self.naive != self.aware

    @property
    def disclosed(self) -> frozenset[str]:
        """Respondents with one value left who had several (for the steward only)."""
        return frozenset(
            who for who, chances in self.aware.items() if len(chances) == 1 < len(self.naive[who])
        )

    def to_dict(self, *, show_ids: bool = False) -> dict[str, Any]:
        """Plain values JSON can hold; no respondent is named unless asked."""
        found: dict[str, Any] = {
            "worlds": self.worlds,
            "surviving": self.surviving,
            "better": self.better,
            "worst_naive": str(self.worst_naive),
            "worst_aware": str(self.worst_aware),
            "disclosed": len(self.disclosed),
        }
        if show_ids:
            found["disclosed"] = sorted(self.disclosed)
        return found


def minimality(
    problem: Problem, release: Release, *, randomize: Fraction | float | str | None = None
) -> Minimality:
    """Audit a release of a small table against the adversary who knows how it was chosen.

    Parameters
    ----------
    problem : Problem
        As solved: one of few tuples, grouped freely, without counterfeits.
    release : Release
        Its optimal release (or, with `randomize`, any), nothing suppressed.
    randomize : rational, optional
        The beta with which it was drawn; default: it is the optimum.

    Raises
    ------
    EngineError
        If the table or the worlds are too many.
    InputError
        If the release breaks the policy, suppresses somebody or is not optimal.

    Notes
    -----
    Worlds times groupings (at most 21,147 for 9 tuples without suppression), until a better one is found. If
    a loss looks at values, all groupings of every world are assembled, which takes far longer.
    """
    require_problem(problem)
    require_kind("release", release, Release, remedy="give result.release")
    require_enumerable(problem)
    _refuse_unfit(problem, release)
    true = choice = _Choice.of(problem, release)
    anew = bool(value_losses(problem))
    beta = None if randomize is None else as_fraction("minimality", "randomize", randomize)
    naive, aware = _Sums(), _Sums()
    worlds = surviving = 0
    blind = _Blind(problem)
    for values, weight in _worlds(problem, release):
        worlds += 1
        if worlds > MOST_WORLDS:
            raise EngineError(
                f"the published groups allow more than {MOST_WORLDS} worlds: audit a smaller table"
            )
        judge = blind.judge(values)
        if anew:
            choice = _Choice.of(judge.problem, _other_release(release, values))
        chance = _optimal(judge, choice) if beta is None else _drawn(judge, choice, beta)
        naive.add(values, Fraction(weight))
        if chance:
            surviving += 1
            aware.add(values, weight * chance)
        elif values.items() >= {m.respondent: m.value for m in problem.table.members}.items():
            raise InputError("a release with less loss keeps the policy: this is not what `solve` returns")
    people = _asked(problem)
    return Minimality(
        worlds=worlds,
        surviving=surviving,
        better=len(true.better),
        naive=naive.chances(people),
        aware=aware.chances(people),
    )


def _worst(chances: Chances) -> Fraction:
    return max((max(of_one.values()) for of_one in chances.values()), default=Fraction(0))


def _refuse_unfit(problem: Problem, release: Release) -> None:
    """Everybody's value has to be published, and the policy kept."""
    if release.suppressed:
        raise InputError(
            "the release leaves tuples out, whose values could be anything: audit one without suppression"
        )
    if next(problem.check(release), None) is not None:
        raise InputError("the release breaks the policy: audit one that the policy allows")


def value_losses(problem: Problem) -> tuple[str, ...]:
    """Losses of the policy that may look at sensitive values: all that do not declare what they look at."""
    table, form = problem.table, problem.policy.form
    return tuple(
        kind.name
        for level in problem.policy.levels
        for kind, _ in level.terms
        if kind.by_size(1, 0, form) is None
        and (form == "anatomized" or kind.box_weights(table) is None)
        and not isinstance(kind, SquaredError)
    )


@dataclass(frozen=True, kw_only=True)
class _Choice:
    """The loss of the release in a world, and of every grouping."""

    objective: tuple[Fraction, ...]
    costs: Mapping[Partition, tuple[Fraction, ...]]

    @classmethod
    def of(cls, problem: Problem, release: Release) -> _Choice:
        """Compute all of them."""
        return cls(
            objective=problem.objective(release),
            costs={
                grouping: problem.objective(problem.assemble(grouping)) for grouping in partitions(problem)
            },
        )

    @cached_property
    def better(self) -> list[Partition]:
        """Groupings with less loss than the release."""
        return [grouping for grouping, cost in self.costs.items() if cost < self.objective]


def _optimal(judge: GroupingVerdicts, choice: _Choice) -> Fraction:
    return Fraction(not any(map(judge.keeps, choice.better)))


def _drawn(judge: GroupingVerdicts, choice: _Choice, beta: Fraction) -> Fraction:
    """Chance of a release with these costs among all that keep the policy."""
    if len(choice.objective) != 1:
        raise InputError("a drawn release has one level of loss: this problem has several")
    total = sum(
        exp(-float(beta * (cost[0] - choice.objective[0])))
        for grouping, cost in choice.costs.items()
        if judge.keeps(grouping)
    )
    return Fraction(1 / total)


class _Sums:
    """Weights of everybody's values over worlds."""

    def __init__(self) -> None:
        self.total = Fraction(0)
        self.weights: dict[tuple[str, str], Fraction] = defaultdict(Fraction)

    def add(self, values: Values, weight: Fraction) -> None:
        self.total += weight
        for key in values.items():
            self.weights[key] += weight

    def chances(self, people: Sequence[str]) -> Chances:
        found: dict[str, dict[str, Fraction]] = {who: {} for who in people}
        for (who, value), weight in sorted(self.weights.items()):
            if who in found:
                found[who][value] = weight / self.total
        return found


class _Blind:
    """The problem as it would be if people had other values."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.transient = problem.table.sensitive.persistence == "transient"

    def judge(self, values: Values) -> GroupingVerdicts:
        problem = self.problem
        table = replace(problem.table, members=_told(problem.table.members, values))
        history = problem.history
        if len(history) and not self.transient:
            history = History(_other_release(release, values) for release in history)
        return GroupingVerdicts(replace(problem, table=table, history=history))


def _told(members: Sequence[Member], values: Values) -> tuple[Member, ...]:
    return tuple(replace(m, value=values.get(m.respondent, m.value)) for m in members)


def _other_release(release: Release, values: Values) -> Release:
    """The same published release if people have other values."""
    return replace(
        release,
        groups=tuple(_other(group, values) for group in release.groups),
        suppressed=_told(release.suppressed, values),
    )


def _other(group: QIGroup, values: Values) -> QIGroup:
    """The same published group if people have other values: its counterfeits have the rest."""
    members = _told(group.members, values)
    rest = Counter(group.histogram) - Counter(m.value for m in members)
    return replace(group, members=members, counterfeits=tuple(sorted(rest.items())))


def _worlds(problem: Problem, release: Release) -> Iterator[tuple[dict[str, str], int]]:
    """Values of everybody in the groups, and in how many ways counterfeits can be ordered around them."""
    told = _known(problem)
    groups = list(release.groups)
    if problem.table.sensitive.persistence != "transient":
        groups += [group for old in problem.history for group in old.groups]
    homes: dict[str, list[int]] = defaultdict(list)
    for number, group in enumerate(groups):
        for who in sorted(group.respondents):
            homes[who].append(number)
    left = [Counter(group.histogram) for group in groups]
    names = list(homes)

    def extend(at: int, values: dict[str, str]) -> Iterator[tuple[dict[str, str], int]]:
        if at == len(names):
            yield dict(values), prod(map(_orders, left))
            return
        who = names[at]
        for value in sorted(left[homes[who][0]]):
            if all(left[g][value] for g in homes[who]) and all(known.allows(who, value) for known in told):
                for g in homes[who]:
                    left[g][value] -= 1
                values[who] = value
                yield from extend(at + 1, values)
                for g in homes[who]:
                    left[g][value] += 1

    return extend(0, {})


def _known(problem: Problem) -> list[Knowledge]:
    return [known for requirement in problem.policy.requirements for known in knowledge_of(requirement)]


def _asked(problem: Problem) -> list[str]:
    """Whose value all of the policy's knowledge together does not tell."""
    told = _known(problem)
    return [m.respondent for m in problem.table.members if not given(m.respondent, told)]


def _orders(rest: Counter[str]) -> int:
    return factorial(rest.total()) // prod(factorial(count) for count in rest.values())
