r"""Safety from historical correlations between unions of groups and along chains of releases.

Riboni and Bettini, Def. 3, compares single groups. That is not enough: {1,2,4,7}, {3,5,6,8}
and then {4,5,6,7}, {1,2,3,9} correlate in pairs only by two or more people, but the
unions of both give {8} ~ {9}; and {a,b} ~ {c,d}, {a,c} ~ {b,d} in four releases give a = d.

Meaning. No sets R1 and R2 with the same values such that R1 has a person, R2 no
counterfeit and fewer than n people, where either

unions  R1 and R2 are what groups of the new and of one earlier release, which publish equal
        multisets in all and share somebody, do not have in common; or
chains  ``1_R1 - 1_R2`` is a rational combination of the indicators of groups of all
        releases, not of earlier ones alone, in which all values cancel.

Single groups are unions of one, so ``HcSafety(reading="definition")`` is contained. n should
not be above the size of a group (it is not if n <= m and weak m-invariance holds): whole
groups of equal values and fewer than n tuples are correlated. Degree n counts the known
side only, and what follows from known people by other than linear conclusions
(the pigeonhole) is not looked for.

This is a requirement of its own and not an option of `HcSafety` because the scope
differs: groups cannot be judged one by one. Both parts are searches (see
``adversary/linear.py``), made for hundreds of tuples. ``encode`` writes nothing; each
correlation found is cut off by `cut_pieces.divided_levels`: the same unions, or
combination, must not be there again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from ..adversary.linear import Combination, chain_correlation, union_correlation
from ..cut_pieces import divided_levels
from ..group_bounds import GroupBounds
from ..history import History
from ..relaxations import Parameter
from ..release import Release
from ..requirement import Requirement, Scope, Violation, hold_whole, register
from ..returning import returning
from ..structure import Structure

if TYPE_CHECKING:
    from ..encoding import Cut, Encoding
    from ..problem_view import ProblemView

__all__ = ["HcSafetyDeep"]


@register
@dataclass(frozen=True, kw_only=True)
class HcSafetyDeep(Requirement):
    """`hc_safety` for unions of groups, and for chains of them over several releases.

    Use it with `hc_safety` for small tables, if an adversary may combine several groups; it needs a search.

    Parameters
    ----------
    n : int
        Degree: one more than the people whose values may be known without harm to others; 1 or more.
    """

    name: ClassVar[str] = "hc_safety_deep"
    scope: ClassVar[Scope] = Scope.SERIES
    adversary: ClassVar[Literal["persistent", "transient", "either"]] = "persistent"
    reference: ClassVar[str] = "Riboni and Bettini, Def. 3, for unions and chains"

    n: int

    def __post_init__(self) -> None:
        hold_whole(self, self.name, "n", 1)

    def _correlations(self, release: Release, history: History) -> Iterator[tuple[str, Combination]]:
        for number, old in enumerate(history):
            found = union_correlation(old, release, number, self.n)
            if found is not None:
                yield f"unions of groups of release {number + 1} and the new one", found
        if len(history):
            found = chain_correlation(release, history, self.n)
            if found is not None:
                yield f"groups of {len(history) + 1} releases", found

    def structure(self, problem: ProblemView | None = None) -> Structure:
        return Structure(
            # Unions and combinations of merged groups are some of those of the groups before.
            monotone=True,
            # A correlation speaks of the groups in its unions or its combination alone.
            closed_under_suppression=True,
            looks_back=self.n > 1,
        )

    def check(self, release: Release, history: History) -> Iterator[Violation]:
        """Yield one violation per earlier release with correlated unions, and one for chains.

        Yields
        ------
        Violation
            Which groups, added and subtracted (`coefficients` of the witness), leave only few people on both
            sides: knowing those of one side (`sides`) tells the values of the other.
        """
        for where, found in self._correlations(release, history):
            yield Violation(
                requirement=self.name,
                message=f"{where} correlate: knowing {len(found.minus)} respondents tells about "
                f"{len(found.plus)}, or the other way round (degree below n = {self.n})",
                groups=tuple(found.new),
                earlier=tuple(found.earlier),
                respondents=tuple(sorted(found.plus | found.minus)),
                witness={
                    "coefficients": {**found.earlier, **found.new},
                    "values": dict(sorted(found.values.items())),
                    "sides": (len(found.plus), len(found.minus)),
                    "n": self.n,
                },
            )

    def parameters(self) -> tuple[Parameter, ...]:
        return (Parameter.whole("n", self.n),)

    def bounds(self, problem: ProblemView) -> GroupBounds:
        return GroupBounds(problem=problem, notes=returning)

    def encode(self, model: Encoding) -> None:
        """Nothing is written beforehand: see `cuts`."""

    def cuts(self, release: Release | None, history: History) -> Iterator[Cut]:
        if release is None:
            return
        for _, found in self._correlations(release, history):
            yield divided_levels(found, release)
