"""What the requirements on transient values share: a bound on the share n / |A| per respondent and value.

Each says, for a respondent o with some `Exposure` to a value s, which groups may link o to s
once more: those whose share ``n / |A|`` of tuples with s is at most some bound. A group without s is
always allowed.

Encoding. The bound may have a huge denominator (it is a product over the history) or be no
rational at all (a root). But sizes are at most M, and of two neighbouring fractions with
denominators up to M one is the largest not above the bound; call it ``p / q``. For ``|A| <= M``

    n / |A| <= bound   <=>   q n <= p |A|,

so this line with its small numbers says exactly the same. It is written for every slot with the
largest bound of anybody (`loosest`; an unused slot has 0 <= 0), and for every respondent with a lower
bound it is enforced by "o is in the slot".

Not monotone under merging: {o, three others} without s and {four others}, one of them with s,
may both be fine although o's share of s after merging is too much for o's history.
"""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, lcm
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ..breach_probability import NOT_LINKED, Exposure, exposure, minimum_ratio
from ..domain import Codes
from ..errors import PolicyError
from ..exact_numbers import plain_text, show_count
from ..group_bounds import GroupBounds
from ..history import History
from ..largest_share import largest_share
from ..relaxations import DENOMINATORS, Parameter, ParameterGrid, largest_size, reduced
from ..release import QIGroup
from ..requirement import Context, GroupRequirement, Violation, as_fraction, in_int64
from ..structure import DependsOn, Structure

if TYPE_CHECKING:
    from ..encoding import Encoding
    from ..problem_view import ProblemView

__all__ = ["LARGEST_COUNT", "LinkBudget", "largest_size"]

LARGEST_COUNT = 10**6
"""Without a limit on counterfeits, groups with more tuples of one value are not looked for."""


@dataclass(frozen=True, kw_only=True)
class LinkBudget(GroupRequirement):
    """Base: `fits` decides, everything else follows.

    Parameters
    ----------
    l : rational
        Above 1; nobody shall be linked to a value with a probability above ``1 / l``.
    protected_values : collection of str, optional
        The values this is about, at least one; default all, also those a respondent does
        not have. Numbers are read as their text, as tables do: 2.0 is "2".
    """

    adversary: ClassVar[Literal["persistent", "transient", "either"]] = "transient"

    l: Fraction  # noqa: E741 - the field's own name
    protected_values: Collection[str] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "l", as_fraction(self.name, "l", self.l))
        if self.l <= 1:
            raise PolicyError(f"{self.name}: l must be above 1 (probabilities stay at 1/l), got {self.l}")
        listed = self.protected_values
        if listed is None:
            return
        some = isinstance(listed, Collection) and not isinstance(listed, str)  # pyright: ignore[reportUnnecessaryIsInstance] - from a file
        if not some or len(listed) == 0:
            raise PolicyError(
                f"{self.name}: protected_values must list at least one value, got {listed!r}: "
                "leave it out to protect all values"
            )
        object.__setattr__(self, "protected_values", frozenset(map(plain_text, listed)))

    # -- the meaning -------------------------------------------------------------------------

    @abstractmethod
    def fits(self, count: int, size: int, spent: Exposure = NOT_LINKED) -> bool:
        """Whether a group may link somebody with exposure `spent` to a value.

        Parameters
        ----------
        count, size : int
            Published tuples with the value (0 always fits), and all published tuples of the group.
        spent : Exposure
            What earlier releases say.
        """

    def open(self, spent: Exposure) -> bool:
        """Whether any group, however large, may link somebody with this exposure again."""
        return self.l * spent.probability < 1

    def loosest(self, problem: ProblemView) -> Exposure:
        """An exposure whose bound nobody's is above, NOT_LINKED's among them: by default that one."""
        return NOT_LINKED

    def complaint(self, count: int, size: int, spent: Exposure) -> str:
        """What is wrong, in words, if `fits` says no."""
        after = spent.linked(count, size)
        return (
            f"a respondent is linked to one value with probability {after.probability} "
            f"over {after.links} releases, more than 1/l = {1 / self.l}"
        )

    def protects(self, value: str) -> bool:
        """Whether the requirement is about this value."""
        return self.protected_values is None or value in self.protected_values

    def violations(self, group: QIGroup, context: Context) -> Iterator[Violation]:
        """Yield one violation for each person of the group and each protected value with too much risk.

        Risk is the probability that the person was linked to the value in any release so far, this one
        included: ``1 - prod (1 - n / |A|)`` over the groups A that hold the person and n records with the
        value.

        Yields
        ------
        Violation
            "a respondent is linked to one value with probability 3/4 over 2 releases, more than 1/l = 1/2",
            with the earlier groups, and witness `value`, `count` and `size` (records with the value, and
            all, of this group), `probability` and `before` (with and without this release), `links`, the
            `ratio needed` of size to count, and `l`.
        """
        people = sorted(group.respondents)
        for value, count in sorted(group.histogram.items()):
            if not self.protects(value):
                continue
            fresh = self.fits(count, group.size)
            for who in people:
                spent = exposure(context.history, who).get(value)
                if fresh if spent is None else self.fits(count, group.size, spent):
                    continue
                spent = spent or NOT_LINKED
                groups = context.history.records[who].groups if spent.links else ()
                yield Violation(
                    requirement=self.name,
                    message=self.complaint(count, group.size, spent),
                    earlier=tuple(at for at in groups if value in context.history.group(*at).signature),
                    respondents=(who,),
                    witness={
                        "value": value,
                        "count": count,
                        "size": group.size,
                        "probability": spent.linked(count, group.size).probability,
                        "before": spent.probability,
                        "links": spent.links + 1,
                        "ratio needed": minimum_ratio(self.l, spent.probability),
                        "l": self.l,
                    },
                )

    # -- sizes and shares --------------------------------------------------------------------

    def smallest_size(self, count: int, spent: Exposure = NOT_LINKED) -> int | None:
        """The fewest tuples a group with `count` (at least 1) tuples of a value may have.

        None if no size will do. O(log size) tests.
        """
        if not self.open(spent):
            return None
        high = count
        while not self.fits(count, high, spent):
            high *= 2
        sizes = range(count, high)
        return count + bisect_left(sizes, True, key=lambda size: self.fits(count, size, spent))

    def share(self, spent: Exposure, limit: int) -> Fraction:
        """The largest share ``n / |A|`` of a value that groups of at most `limit` tuples may have."""
        return largest_share(lambda count, size: count == 0 or self.fits(count, size, spent), limit)

    # -- for explanations ----------------------------------------------------------------------

    @abstractmethod
    def least_bound(self, count: int, size: int, spent: Exposure) -> Fraction | None:
        """The smallest ``1 / l`` with which a group may link somebody; None if no l allows it."""

    def links(self, problem: ProblemView) -> tuple[Sequence[int], set[Exposure]]:
        """Sizes groups can have (up to `DENOMINATORS`), and the exposures members can bring along."""
        kinds = {NOT_LINKED}
        for member in problem.table.members:
            linked = exposure(problem.history, member.respondent).items()
            kinds |= {spent for value, spent in linked if self.protects(value)}
        return range(1, min(largest_size(problem), DENOMINATORS) + 1), kinds

    def looser_links(self, problem: ProblemView, values: tuple[Fraction, ...]) -> ParameterGrid:
        """Values at which some group of some size would be allowed."""
        size = largest_size(problem)
        listed = min(size, DENOMINATORS)
        grid = f"values at which a share in a group of up to {listed} tuples is allowed"
        return ParameterGrid(values=values, grid=grid, complete=size <= listed)

    def parameters(self) -> tuple[Parameter, ...]:
        return (Parameter(name="l", direction="higher", grid=self._inverse_bounds),)

    def _inverse_bounds(self, problem: ProblemView) -> ParameterGrid:
        sizes, kinds = self.links(problem)
        bounds = {
            bound
            for spent in kinds
            for size in sizes
            for n in range(1, size + 1)
            if (bound := self.least_bound(n, size, spent)) is not None and 0 < bound < 1
        }
        return self.looser_links(problem, reduced((1 / bound for bound in bounds), self.l, falling=True))

    def _diagnostics(self, problem: ProblemView) -> Iterator[str]:
        """Say what ratio of group size to tuples with the own value each respondent still needs."""
        needed: Counter[int | None] = Counter()
        for member in problem.table.members:
            if self.protects(member.value):
                spent = exposure(problem.history, member.respondent).get(member.value, NOT_LINKED)
                needed[self.smallest_size(1, spent)] += 1
        for size in sorted(size for size in needed if size is not None):
            yield (
                f"budget left: {show_count(needed[size], 'respondent')} may be linked to the own value if it "
                f"is at most one of {size} tuples in a group"
            )
        if needed[None]:
            people = show_count(needed[None], "respondent")
            yield f"budget used up: {people} may never be linked to the own value again"
        values = len(problem.table.histogram)
        yield f"the table has {len(problem.table)} tuples and {values} different values"

    # -- for engines -------------------------------------------------------------------------

    def admits_counts(
        self, counts: Codes, values: tuple[str, ...], context: Context
    ) -> NDArray[np.bool_] | None:
        if len(context.history):
            return None
        sizes = counts.sum(axis=1)
        largest = max(1, int(sizes.max(initial=1)))
        share = self.share(NOT_LINKED, largest)
        if not in_int64(share.denominator * largest):
            return None
        shown = [column for column, value in enumerate(values) if self.protects(value)]
        fits = share.denominator * counts[:, shown] <= share.numerator * sizes[:, None]
        return np.all(fits, axis=1)

    def _by_member(
        self, respondent: str, counts: Codes, values: tuple[str, ...], history: History
    ) -> NDArray[np.bool_] | None:
        sizes = counts.sum(axis=1)
        largest = max(1, int(sizes.max(initial=1)))
        spent = exposure(history, respondent)
        good = np.ones(len(counts), dtype=np.bool_)
        for column, value in enumerate(values):
            if self.protects(value):
                share = self.share(spent.get(value, NOT_LINKED), largest)
                if not in_int64(share.denominator * largest):
                    return None
                good &= share.denominator * counts[:, column] <= share.numerator * sizes
        return good

    def structure(self, problem: ProblemView | None = None) -> Structure:
        """Members matter if somebody was linked to a protected value before."""
        linked = problem is None or any(
            self.protects(value)
            for member in problem.table.members
            for value in exposure(problem.history, member.respondent)
        )
        return Structure(
            depends_on=DependsOn.MEMBERS if linked else DependsOn.HISTOGRAM,
            by_member=self._by_member,
            looks_back=True,
        )

    def encode(self, model: Encoding) -> None:
        limit, loosest = largest_size(model.problem), self.loosest(model.problem)
        shares = {spent: self.share(spent, limit) for spent in (loosest, NOT_LINKED)}
        for v in model.values:
            if self.protects(v):
                for g in model.slots:
                    self._bound(model, g, v, shares[loosest])
        for t, member in enumerate(model.table.members):
            linked = exposure(model.problem.history, member.respondent)
            for v in model.values:
                spent = linked.get(v, NOT_LINKED)
                if not self.protects(v):
                    continue
                if spent not in shares:
                    shares[spent] = self.share(spent, limit)
                if shares[spent] < shares[loosest]:
                    for g in model.homes(t):
                        self._bound(model, g, v, shares[spent], t)

    def _bound(self, model: Encoding, g: int, v: str, share: Fraction, t: int | None = None) -> None:
        """``count(g, v) <= share * size(g)``, for everybody or if tuple t is in slot g."""
        count = model.count(g, v)
        if isinstance(count, int):  # nobody with v can be there
            return
        row = model.cp.add(share.denominator * count - share.numerator * model.size(g) <= 0)
        if t is not None:
            row.only_enforce_if(model.x(t, g))

    def bounds(self, problem: ProblemView) -> GroupBounds:
        # A group has a real tuple; if every value of the table is protected, so is that tuple's.
        closed = all(self.protects(value) for value in problem.table.histogram)
        return GroupBounds(
            problem=problem,
            smallest=(self.smallest_size(1, self.loosest(problem)) or 1) if closed else 1,
            largest=self._largest_count,
            reason=self._infeasible_because,
            notes=self._diagnostics,
        )

    def _largest_count(self, problem: ProblemView) -> int:
        """See `GroupBounds.largest_count`; at most `LARGEST_COUNT` unless the policy limits counterfeits.

        Some tuples together, r_v of them with value v, can be padded to a size S if
        ``r_v <= s_v S`` for the least share s_v of any of them and if values suffice to fill S.
        An unprotected value fills any rest. If all are protected and nobody was ever linked,
        no count need exceed the largest r_v. Otherwise shares must add up to at least 1; then
        counts ``s_v S`` fill an S that is a multiple of all denominators, and ``s_v`` is at most
        the largest share of anybody.
        """
        tuples, limit = len(problem.table), problem.policy.counterfeit_limit
        if limit is not None:
            return tuples + limit
        spents = {(value, NOT_LINKED) for value in problem.values if self.protects(value)}
        closed = len(spents) == len(problem.values)
        for member in problem.table.members:
            linked = exposure(problem.history, member.respondent).items()
            spents |= {(value, spent) for value, spent in linked if self.protects(value)}
        if closed and len(spents) == len(problem.values):
            return tuples
        counts = problem.table.histogram
        sizes = [self.smallest_size(counts.get(value, 0) or 1, spent) or 1 for value, spent in spents]
        size = max([tuples, *sizes])
        if closed:
            limit = LARGEST_COUNT * len(problem.values)
            unit = lcm(*(self.share(spent, limit).denominator for spent in {spent for _, spent in spents}))
            size = ceil(unit * ceil(Fraction(size, unit)) * self.share(self.loosest(problem), limit))
        return min(max(tuples, size), LARGEST_COUNT)

    def _infeasible_because(self, problem: ProblemView) -> str | None:
        table, fakes = problem.table, problem.policy.counterfeit_limit != 0
        total = len(table)
        values = [*problem.values] if fakes else sorted(table.histogram)
        closed, loosest = all(map(self.protects, values)), self.loosest(problem)
        if closed and not self.fits(1, len(values), loosest):
            needed = self.smallest_size(1, loosest)
            return f"{self}: needs groups of {needed} different values, only {len(values)} can be published"
        for value, count in sorted(table.histogram.items()):
            # Shares of groups are at most the bound, hence so is the share of the table.
            if not fakes and self.protects(value) and not self.fits(count, total, loosest):
                return (
                    f"{self}: one value has {count} of {total} tuples, "
                    f"{self.smallest_size(count, loosest)} tuples would be needed"
                )
        limit, shares = largest_size(problem), dict[Exposure, Fraction]()
        for row, member in enumerate(table.members, start=1):
            spent = exposure(problem.history, member.respondent)
            own = spent.get(member.value, NOT_LINKED)
            needed = self.smallest_size(1, own) if self.protects(member.value) else 1
            if needed is None:
                return f"{self}: row {row} can never be published with its value again: allow suppression"
            if not fakes and needed > total:
                return f"{self}: row {row} needs a group of {needed} tuples, the table has {total}"
            if closed and spent:
                # Counts of a group add up to its size, so the shares must be able to add up to 1.
                found = [spent.get(value, NOT_LINKED) for value in values]
                shares.update({one: self.share(one, limit) for one in found if one not in shares})
                if sum(shares[one] for one in found) < 1:
                    return f"{self}: row {row} was linked to so many values that no group can hold it again"
        return None
