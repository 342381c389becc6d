r"""Safety from the difference attack (Byun, Li, Bertino, Li, Sohn, sec. 4.3).

Meaning. Whenever groups W of one release lie inside groups F of another, the
difference D = F \\ W is empty of people or (k, c): at least k tuples, no value above the
share c (the source also calls an empty D a breach; an unchanged table would then be
one). Checked against every earlier release, with old groups inside new ones and new groups
inside old ones. ``adversary/difference.py`` finds a breach if there is one, by maximum
flows.

Two releases at a time are not everything: {1,2} of the first release and {3,4} of the
second inside {1,...,6} of the third isolate {5,6}. With ``deep=True`` D is any set whose
values follow linearly from all releases (its indicator is a rational combination of the
indicators of groups, but not of those of earlier releases alone). For two (k, c) releases
that is the same condition; for more it takes a search (see ``adversary/linear.py``). A new group
that no earlier ones add up to is such a set by itself; without a history nothing is asked.

Cuts. ``encode`` writes nothing; ``cuts`` returns, for each breach found,

old in new  for the old groups W: no new groups around them leave a breach;
new in old  for the old groups F: no new groups inside them leave a breach;
deep        what would make the same combination again, see `cut_pieces.divided_levels`.

The first two are the requirement itself for one fixed set of old groups, so each cut
ends all breaches by that set; there are finitely many. See `difference_cuts`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, ClassVar, Literal

from ..adversary.difference import DifferenceBreach, breaches
from ..adversary.linear import Combination, derived_difference
from ..cut_pieces import divided_levels
from ..encoding import Cut, Encoding
from ..group_bounds import GroupBounds
from ..history import History
from ..parameters import hold_truth
from ..relaxations import Parameter, ParameterGrid, largest_size, shares
from ..release import QIGroup, Release
from ..requirement import Requirement, Scope, Violation, hold_share, hold_whole, register
from ..returning import returning
from ..structure import Structure
from ..told_apart import told_apart
from .difference_cuts import new_inside_old, old_inside_new

if TYPE_CHECKING:
    from ..problem_view import ProblemView

__all__ = ["Difference"]


@register
@dataclass(frozen=True, kw_only=True)
class Difference(Requirement):
    """What remains of a group after subtracting groups of another release is nothing, or (k, c)-anonymous.

    Use it for tables that grow, together with `k_c_anonymity`, `intersection` and `record_tracing`.

    Parameters
    ----------
    k : int
        How many tuples remain at least, if anybody does; 1 or more. Counterfeits that remain count.
    c : rational, default 1
        Largest share of one value among them; above 0, at most 1. A float means its shortest decimal form.
    deep : bool, default False
        Also sets that only several releases together isolate; needs a search, which is
        meant for hundreds of tuples.
    """

    name: ClassVar[str] = "difference"
    scope: ClassVar[Scope] = Scope.SERIES
    adversary: ClassVar[Literal["persistent", "transient", "either"]] = "persistent"
    reference: ClassVar[str] = "Byun, Li, Bertino, Li, Sohn, sec. 4.3"

    k: int
    c: Fraction = Fraction(1)
    deep: bool = False

    def __post_init__(self) -> None:
        hold_whole(self, self.name, "k", 1)
        hold_share(self, self.name, "c")
        hold_truth(self, self.name, "deep")

    def structure(self, problem: ProblemView | None = None) -> Structure:
        return Structure(
            # Unions of merged groups are unions of the groups before: fewer differences can be made.
            monotone=True,
            # A breach is a matter of old groups and of the new groups in the pair or combination: with
            # further groups beside them it is the same pair, combination, and difference.
            closed_under_suppression=True,
            looks_back=True,
        )

    def check(self, release: Release, history: History) -> Iterator[Violation]:
        """Yield what subtracting groups of one release from groups of another isolates.

        If some groups of one release cover exactly the people of some groups of another and a few more, those
        few are known to be together: they must be nobody, or at least `k` tuples (counterfeits of the outer
        groups among them) with no value above the share `c`.

        Yields
        ------
        Violation
            "2 groups of release 1 lie inside 3 groups of the new release: the difference has ...", with
            both sets of groups, the people who remain, and witness `values` (what they have), `k` and `c`;
            with `deep` also which groups of several releases, added and subtracted, isolate people.

        Raises
        ------
        ReleaseError
            If a respondent's value differs between two releases.
        """
        for number, old in enumerate(history):
            for found in breaches(old, release, self.k, self.c):
                yield self._violation(found, number, found.inner, found.outer, "inside")
            for found in breaches(release, old, self.k, self.c):
                yield self._violation(found, number, found.outer, found.inner, "around")
        if self.deep and len(history):
            found = derived_difference(release, history, self.k, self.c)
            if found is not None:
                yield self._derived(found)

    def _violation(
        self, found: DifferenceBreach, number: int, old: Sequence[int], new: Sequence[int], where: str
    ) -> Violation:
        return Violation(
            requirement=self.name,
            message=f"{len(old)} groups of release {number + 1} lie {where} {len(new)} groups of the new "
            f"release: the difference has {_described(found.values)}, not (k = {self.k}, c = {self.c})",
            groups=tuple(new),
            earlier=tuple((number, index) for index in old),
            respondents=tuple(sorted(found.names)),
            witness={"values": dict(sorted(found.values.items())), "k": self.k, "c": self.c},
        )

    def _derived(self, found: Combination) -> Violation:
        return Violation(
            requirement=self.name,
            message=f"{len(found.new) + len(found.earlier)} groups of several releases isolate "
            f"{_described(found.values)}, not (k = {self.k}, c = {self.c})",
            groups=tuple(found.new),
            earlier=tuple(found.earlier),
            respondents=tuple(sorted(found.plus)),
            witness={
                "values": dict(sorted(found.values.items())),
                "coefficients": {**found.earlier, **found.new},
                "k": self.k,
                "c": self.c,
            },
        )

    def parameters(self) -> tuple[Parameter, ...]:
        return (
            Parameter.whole("k", self.k),
            Parameter(name="c", direction="lower", grid=self._shares),
            Parameter.option("deep", self.deep, True, False),
        )

    def _shares(self, problem: ProblemView) -> ParameterGrid:
        """A difference may be nearly a whole release, also an earlier one; with `deep` part of all."""
        new = largest_size(problem)
        if problem.policy.counterfeit_limit is None:
            new *= len(problem.table)  # each group may have as many
        sizes = [new, *(sum(group.size for group in release.groups) for release in problem.history)]
        return shares(self.c, problem, size=sum(sizes) if self.deep else max(sizes))

    def bounds(self, problem: ProblemView) -> GroupBounds:
        return GroupBounds(
            problem=problem, largest=self._largest_count, reason=self._told_apart, notes=returning
        )

    def _largest_count(self, problem: ProblemView) -> int:
        """See `GroupBounds.largest_count`, for n tuples and V values that may be published.

        With c = 1, counts above n + k can be cut down to that: a difference with such a group keeps k tuples,
        and a group with counterfeits keeps some. Else groups with N of each value will do if c V > 1: none of
        them is inside an earlier one, and what is left of F of them has ``V F N - n`` tuples or more, of a
        value ``F N`` or fewer; with `deep` tuples of earlier releases may come to that.
        """
        tuples = len(problem.table)
        most, room = tuples + self.k, self.c * len(problem.values) - 1
        if self.c == 1 or room <= 0:
            return most
        earlier = sum(group.size for release in problem.history for group in release.groups)
        return max(most, ceil((self.c * tuples + (earlier if self.deep else 0)) / room))

    def _told_apart(self, problem: ProblemView) -> str | None:
        """All groups of one release are inside all groups of the other: whoever came, or left, remains."""
        for found in told_apart(problem):
            total, most = found.values.total(), max(found.values.values())
            if total >= self.k and most <= self.c * total:
                continue
            return (
                f"{self}: nobody {found.nobody} since release {found.release}, so all {found.others} "
                f"together ({total}, {most} with one value) are the difference of two releases, whatever "
                f"their groups are: wanted are at least {self.k}, and at most {self.c} of them with one "
                f"value: publish when there are more {found.others}, or let tuples be suppressed "
                "(max_suppressed)"
            )
        return None

    def encode(self, model: Encoding) -> None:
        """Nothing is written beforehand: see `cuts`."""

    def _initial_cuts(self, history: History) -> Iterator[Cut]:
        """What each old group by itself asks of the new groups around and inside it."""
        for number, old in enumerate(history):
            for group in old.groups:
                one = f"difference: one group of release {number + 1}"
                if not group.fakes:
                    yield Cut(
                        f"{one} inside new groups", partial(old_inside_new, [group], False, self.k, self.c)
                    )
                yield Cut(f"{one} around new groups", partial(new_inside_old, [group], False, self.k, self.c))

    def cuts(self, release: Release | None, history: History) -> Iterator[Cut]:
        if release is None:
            yield from self._initial_cuts(history)
            return
        found_any = False
        for number, old in enumerate(history):
            wanted: dict[tuple[bool, tuple[int, ...]], bool] = {}
            for found in breaches(old, release, self.k, self.c):
                union = _union([old.groups[e] for e in found.inner])
                beside = any(not union & release.groups[f].respondents for f in found.outer)
                wanted[True, found.inner] = wanted.get((True, found.inner), False) or beside
            for found in breaches(release, old, self.k, self.c):
                union = _union([old.groups[f] for f in found.outer])
                inside = [e for e, g in enumerate(release.groups) if not g.fakes and g.respondents <= union]
                beside = len(inside) > len(found.inner)
                wanted[False, found.outer] = wanted.get((False, found.outer), False) or beside
            for (old_inside, indices), beside in wanted.items():
                found_any = True
                groups = [old.groups[index] for index in indices]
                place = "inside" if old_inside else "around"
                yield Cut(
                    f"difference: {len(groups)} groups of release {number + 1} {place} new groups",
                    partial(old_inside_new if old_inside else new_inside_old, groups, beside, self.k, self.c),
                )
        if self.deep and not found_any and len(history):
            found = derived_difference(release, history, self.k, self.c)
            if found is not None:
                yield divided_levels(found, release)


def _union(groups: Sequence[QIGroup]) -> frozenset[str]:
    return frozenset(who for group in groups for who in group.respondents)


def _described(values: object) -> str:
    counts = list(values.values()) if isinstance(values, dict) else []
    return f"{sum(counts)} tuples, {max(counts, default=0)} with one value"
