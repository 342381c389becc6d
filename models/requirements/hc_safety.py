r"""Safety from historical correlations of degree n (Riboni and Bettini, Def. 3, Fig. 6).

A historical correlation: an earlier group Q1 and a new group Q2 with common
respondents C publish the same multiset of values, so the rest of Q1 and the rest of
Q2 carry the same values: knowing one rest discloses the other.

Both readings look at every earlier release, not only at the last.

``definition``
    Q1 and Q2 publish equal multisets and share someone; R1 = Q1 \\ Q2 and R2 = Q2 \\ Q1
    (C = all common respondents is the strongest choice). Whoever knows all of R2 learns
    about R1, which takes |R2| known persons, and is impossible if Q2 has a counterfeit (a
    counterfeit is nobody, so nobody can know it); and vice versa. Unsafe if a
    non-empty side can be learned from fewer than n persons. If both sides are empty
    nothing is learned. Groups of different size publish different multisets and are
    not correlated.
``hcsafe``
    Fig. 6: unsafe if ``|Q| - n < l < |Q|`` for the new group Q (counterfeits counted) and
    the largest overlap l >= 1 with one earlier group. It accepts nothing that the
    definition rejects, and rejects more. n = 1 forbids nothing. (Some l' with
    ``|Q| - n < l' < |Q|`` exists exactly if the largest one is such, because overlaps
    with two groups of one release add up to at most |Q|; so groups are tested singly.)

Encoding: one disjunction per new slot and earlier group.
hcsafe: ``o = 0 or o <= size - n or o >= size``. definition: some value's counts differ,
or ``o = 0``, or the side R1 is safe and the side R2 is safe, where R1 is safe if it is
empty, or Q2 has a counterfeit, or ``|R2| >= n`` (counting persons), and so on. Both are
the conditions themselves.

Pairs of groups are not everything: unions of groups and chains over releases can be
correlated although all pairs are safe.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ..domain import Codes
from ..errors import PolicyError
from ..group_bounds import GroupBounds
from ..history import History
from ..parameters import hold_truth
from ..relaxations import Parameter
from ..release import QIGroup, Release
from ..requirement import Context, GroupRequirement, Violation, hold_whole, register
from ..returning import returning, unless_returning
from ..structure import DependsOn, Overlap, OverlapRule, Structure
from .hc_safety_deep import HcSafetyDeep

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

    from ..encoding import Encoding
    from ..problem_view import ProblemView

__all__ = ["HcSafety"]


def _values(people: frozenset[str], group: QIGroup) -> Counter[str]:
    return Counter(member.value for member in group.members if member.respondent in people)


@register
@dataclass(frozen=True, kw_only=True)
class HcSafety(GroupRequirement):
    """Comparing two groups of the same values tells nobody's value to who knows fewer than `n` people's.

    Use it in every series of values that stay the same, beside `weak_m_invariance`: by itself it lets a group
    be published again without one person, whose value follows by subtraction.

    Parameters
    ----------
    n : int
        Degree: one more than the people whose values may be known without harm to others; 1 or more.
    reading : {"hcsafe", "definition"}
        Which of the two published conditions is meant: that of the algorithm, or the definition's.
    deep : bool
        Also `HcSafetyDeep` of the same degree: unions of groups and chains over releases. A policy
        then holds both.

    Notes
    -----
    If a new group and an earlier one share all but a few people, the values of those few on one side tell
    those of the few on the other: a new group of Ann, Ben and Cid after an earlier one of Ann, Ben and Dan
    makes Cid's value known to whoever knows Dan's. Groups must share nobody, or differ by enough people on
    both sides.
    """

    name: ClassVar[str] = "hc_safety"
    adversary: ClassVar[Literal["persistent", "transient", "either"]] = "persistent"
    reference: ClassVar[str] = "Riboni and Bettini, Def. 3 and Fig. 6"

    n: int
    reading: Literal["hcsafe", "definition"] = "hcsafe"
    deep: bool = False

    def __post_init__(self) -> None:
        hold_whole(self, self.name, "n", 1)
        hold_truth(self, self.name, "deep")
        if self.reading not in ("hcsafe", "definition"):
            raise PolicyError(f"{self.name}: reading must be 'hcsafe' or 'definition', got {self.reading!r}")

    def check(self, release: Release, history: History) -> Iterator[Violation]:
        """Check every group against all earlier groups; with `deep` unions and chains of groups, too.

        Yields
        ------
        Violation
            As `violations` says of one group, and with `deep` as `HcSafetyDeep.check` does.
        """
        yield from super().check(release, history)
        if self.deep:
            yield from HcSafetyDeep(n=self.n).check(release, history)

    def violations(self, group: QIGroup, context: Context) -> Iterator[Violation]:
        """Yield one violation for each earlier group that a comparison takes apart.

        Yields
        ------
        Violation
            "shares 2 of 3 tuples with group 1 of release 1: knowing 1 respondents here tells about 1
            there", with the earlier group in `earlier`, witness `overlap`, `size`, `rest_earlier`,
            `rest_new` and `n`, and in `respondents` those who are in one of the groups only.
        """
        records, size = context.history.records, group.size
        back = [records[who].groups for who in group.respondents if who in records]
        met = Counter(chain.from_iterable(back))
        # Few are near enough to be looked at, and large series meet millions.
        least = size - self.n if self.reading == "hcsafe" else 0
        for at in sorted(at for at, shared in met.items() if shared > least):
            old = context.history.group(*at)
            overlap = Overlap(
                size=size,
                members=len(group.members),
                shared=met[at],
                old_size=old.size,
                old_members=len(old.members),
                alike=self.reading == "definition" and old.histogram == group.histogram,  # asked by it alone
            )
            if not self._permits(overlap):
                common = old.respondents & group.respondents
                rest_old, rest_new = old.respondents - common, group.respondents - common
                yield Violation(
                    requirement=self.name,
                    message=f"shares {len(common)} of {size} tuples with group {at[1] + 1} of release "
                    f"{at[0] + 1}: knowing {len(rest_new)} respondents here tells about {len(rest_old)} "
                    "there, "
                    f"or the other way round (degree below n = {self.n})",
                    earlier=(at,),
                    respondents=tuple(sorted(rest_old | rest_new)),
                    witness={
                        "overlap": len(common),
                        "size": size,
                        "rest_earlier": len(rest_old),
                        "rest_new": len(rest_new),
                        "n": self.n,
                    },
                    private={
                        "people_earlier": tuple(sorted(rest_old)),
                        "people_new": tuple(sorted(rest_new)),
                        "values": tuple(sorted((Counter(old.histogram) - _values(common, old)).elements())),
                    },
                )

    def _permits(self, overlap: Overlap) -> bool:
        """The condition of either reading."""
        if self.reading == "hcsafe":
            return not overlap.size - self.n < overlap.shared < overlap.size
        rest_old, rest_new = overlap.old_members - overlap.shared, overlap.members - overlap.shared
        faked, old_faked = overlap.size > overlap.members, overlap.old_size > overlap.old_members
        learns_old = rest_old > 0 and not faked and rest_new < self.n
        learns_new = rest_new > 0 and not old_faked and rest_old < self.n
        return not (overlap.alike and (learns_old or learns_new))

    def _unrestricted_from(self, shared: int, old_size: int) -> int:
        return shared + self.n if self.reading == "hcsafe" else old_size + 1

    def admits_counts(
        self, counts: Codes, values: tuple[str, ...], context: Context
    ) -> NDArray[np.bool_] | None:
        """Where nobody was published before, nobody meets an earlier group."""
        return None if context.history.records else np.ones(len(counts), dtype=np.bool_)

    def structure(self, problem: ProblemView | None = None) -> Structure:
        return Structure(
            depends_on=unless_returning(problem, DependsOn.SIZE),
            overlap=OverlapRule(permits=self._permits, unrestricted_from=self._unrestricted_from),
            looks_back=self.n > 1,
            components=(replace(self, deep=False), HcSafetyDeep(n=self.n)) if self.deep else (),
        )

    def parameters(self) -> tuple[Parameter, ...]:
        return (
            Parameter.whole("n", self.n),
            Parameter.option("reading", self.reading, "hcsafe", "definition"),
        )

    def bounds(self, problem: ProblemView) -> GroupBounds:
        return GroupBounds(problem=problem, largest=self._largest_count, notes=returning)

    def encode(self, model: Encoding) -> None:
        for g in model.slots:
            people = {model.table.members[t].respondent for t in model.candidates(g)}
            for release, published in enumerate(model.problem.history):
                for index, old in enumerate(published.groups):
                    if old.respondents & people:
                        self._pair(model, g, release, index, old)

    def _pair(self, model: Encoding, g: int, release: int, index: int, old: QIGroup) -> None:
        key = (g, release, index)
        overlap, size = model.shared(g, release, index), model.size(g)
        apart = ~model.at_least(("shared", *key), overlap, 1)
        if self.reading == "hcsafe":
            if self.n > 1:
                few = model.at_least(("room", *key), size - overlap, self.n)
                inside = ~model.at_least(("room", *key), size - overlap, 1)
                model.cp.add_bool_or(apart, few, inside)
            return
        differ: list[cp_model.LiteralT] = [apart]
        for v in model.values:
            wanted = old.histogram.get(v, 0)
            differ.append(model.at_least(("count", g, v), model.count(g, v), wanted + 1))
            if wanted:
                differ.append(~model.at_least(("count", g, v), model.count(g, v), wanted))
        rest_new, rest_old = model.members(g) - overlap, len(old.respondents) - overlap
        new_full = model.at_least(("rest_new", *key), rest_new, self.n)
        old_full = model.at_least(("rest_old", *key), rest_old, self.n)
        no_new = ~model.at_least(("rest_new", *key), rest_new, 1)
        no_old = ~model.at_least(("rest_old", *key), rest_old, 1)
        faked = [model.at_least(("fakes", g), model.all_fakes(g), 1)] if model.may_fake else []
        model.cp.add_bool_or(*differ, no_old, new_full, *faked)
        if not old.fakes:
            model.cp.add_bool_or(*differ, no_new, old_full)

    def _largest_count(self, problem: ProblemView) -> int:
        # One tuple of each value more than any earlier group, or n more than the overlap, always escapes.
        old = [max(group.histogram.values()) + 1 for release in problem.history for group in release.groups]
        return max([len(problem.table) + self.n, *old])
