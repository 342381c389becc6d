r"""Global guarantee for transient values (Fu, Wang, Wong, Wang, Principle 2).

Meaning. Over all releases including the new one, nobody was *ever* linked to a protected value
with a probability above 1/l: ``P(o, s) = 1 - prod (1 - n_i / |A_i|) <= 1 / l`` for every
respondent o and every value s, whether or not o has it. Only links of the new release are
judged: a group without s leaves P as it was, even if earlier releases have broken the bound.

Their Theorem 5.1: with ``P' = a / b`` before the release, ``P <= 1 / l`` if and only if

    |A| / n >= l (1 - P') / (1 - l P'),   that is   n l (b - a) <= (b - l a) |A|,

if ``l a < b``, and n = 0 otherwise. Proof: ``(1 - P')(1 - n / |A|) >= 1 - 1 / l``; multiply by
``l b |A|``. For a first link (a = 0) the ratio is l.

Two traps in the published text: its Fig. 4, which is said to satisfy the guarantee for l = 2,
breaks it for flu (two of four tuples, twice: 3/4); hence `protected_values`. And splitting a
violating group need not leave a violating one: members may have different histories (in a
group of 8 with one s somebody at 7/16 gets 65/128; without the s-half the rest is fine).

A respondent who has reached 1/l for s can be published again only beside other values. The
strategies `ConstantRatio` and `Geometric` imply this guarantee and keep room for later releases.

Planned releases. With k of them planned, a link must leave room: after j links with P' together, the same
share in each of the max(1, k - j) links still to come must keep the bound,

    (1 - P') (1 - n / |A|)^max(1, k - j) >= 1 - 1 / l.

For a first link that is the constant ratio. Whoever keeps it at every link has k links without a dead end:
the rule for j says that the cap is no smaller after a link at the cap, and less spent leaves more. So no cap
falls below the constant ratio, and what whole sizes left over is used: somebody linked before may have a
*larger* cap than somebody who never was.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from ..breach_probability import NOT_LINKED, Exposure, exposure
from ..history import History
from ..relaxations import Parameter
from ..release import Release
from ..requirement import hold_whole, register
from .link_budget import LinkBudget

if TYPE_CHECKING:
    from ..problem_view import ProblemView
    from ..structure import Structure

__all__ = ["GlobalGuarantee"]


@register
@dataclass(frozen=True, kw_only=True)
class GlobalGuarantee(LinkBudget):
    """Nobody is ever linked to a protected value with a probability above ``1 / l``.

    Use it for values that change from release to release, such as a diagnosis; `constant_ratio` and
    `geometric` keep room for later releases. Links of the new release are judged: what earlier ones gave away
    by themselves stays so.

    Parameters
    ----------
    l : rational
        The probability stays at most ``1 / l``; above 1.
    protected_values : collection of str, optional
        Values that nobody may be linked to, at least one; default all.
    releases : int, optional
        For how many releases that link one respondent to one value there must be room, this one among them;
        at least 1, by default 1. The last of them may use the bound up. What is spent is looked at again at
        every release.
    """

    name: ClassVar[str] = "global_guarantee"
    reference: ClassVar[str] = "Fu, Wang, Wong, Wang, Principle 2, Lemma 4.2 and Theorem 5.1"

    releases: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.releases is not None:
            hold_whole(self, self.name, "releases", 1)

    def settings(self) -> dict[str, Any]:
        """Without `releases` where nothing is planned: as policies were written before there was a plan."""
        return {name: value for name, value in super().settings().items() if name != "releases" or value}

    def least_bound(self, count: int, size: int, spent: Exposure) -> Fraction | None:
        return 1 - spent.never * Fraction(size - count, size) ** self._still(spent)

    def parameters(self) -> tuple[Parameter, ...]:
        planned = () if self.releases is None else (Parameter.whole("releases", self.releases),)
        return (*super().parameters(), *planned)

    def complaint(self, count: int, size: int, spent: Exposure) -> str:
        if self.l * spent.linked(count, size).probability > 1:
            return super().complaint(count, size, spent)
        return (
            f"{count} of {size} tuples share one value: with the same share in {self._still(spent)} planned "
            f"links a respondent is linked to it with a probability above 1/l = {1 / self.l}"
        )

    def _still(self, spent: Exposure) -> int:
        """Links that there must be room for, the next one included."""
        return max(1, (self.releases or 1) - spent.links)

    def loosest(self, problem: ProblemView) -> Exposure:
        if self.releases is None:
            return NOT_LINKED
        best, most = NOT_LINKED, 1 - 1 / self.l
        for member in problem.table.members:
            for value, spent in exposure(problem.history, member.respondent).items():
                if not self.protects(value) or not self.open(spent) or spent == best:
                    continue
                # Room is 1 - root(most / never): of two roots the one whose crossed powers are smaller.
                one, other = self._still(spent), self._still(best)
                if (most / spent.never) ** other < (most / best.never) ** one:
                    best = spent
        return best

    def structure(self, problem: ProblemView | None = None) -> Structure:
        return replace(super().structure(problem), afterwards=self._afterwards)

    def _afterwards(self, release: Release, history: History) -> str | None:
        """Whose bound is used up: no group can hold such a respondent again, with the values known so far.

        A group may link to a value v a share of at most ``1 - (1 - 1/l) / (1 - P(o, v))``. It must allow the
        own value something, and if all values are protected, shares that add up to 1.
        """
        values = history.values | {value for group in release.groups for value in group.signature}
        every = all(self.protects(value) for value in values)
        people = stuck = 0
        known: dict[object, dict[str, Fraction]] = {}
        for number, group in enumerate(release.groups):
            for member in group.members:
                record = history.records.get(member.respondent)
                path = number, None if record is None else record.groups
                if path not in known:
                    before = exposure(history, member.respondent)
                    after = {
                        v: before.get(v, NOT_LINKED).linked(group.histogram.get(v, 0), group.size)
                        for v in values
                        if self.protects(v)
                    }
                    known[path] = {v: self._left(spent) for v, spent in after.items()}
                left = known[path]
                people += 1
                stuck += left.get(member.value) == 0 or (every and sum(left.values()) < 1)
        if not stuck:
            return None
        return (
            f"{stuck} of {people} respondents have used up {self}: with the values they have now none of "
            "them can be published once more. Its parameter releases (how many are planned), or a "
            "requirement constant_ratio (k releases) or geometric besides, keeps room, if it is asked for "
            "from the first release on"
        )

    def _left(self, spent: Exposure) -> Fraction:
        """The largest share of a value that a group may still have."""
        return max(Fraction(0), 1 - (1 - 1 / self.l) / spent.never) if spent.never else Fraction(0)

    def fits(self, count: int, size: int, spent: Exposure = NOT_LINKED) -> bool:
        still = self._still(spent)
        return count == 0 or self.l * (size - count) ** still * spent.never >= (self.l - 1) * size**still
