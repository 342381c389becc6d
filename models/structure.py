"""What a requirement declares about itself, so that engines need not know its class.

`Structure` is one record of claims, each with a default that claims nothing. An engine that finds a claim
may use it; a requirement makes one only with a proof (the contract suite tests them all). The forms of
claims with numbers of their own stand first: `SignatureRule` is m-invariance and its kin, a `ValuesRule`
asks how often groups have each value (`SharesRule` is t-closeness, `EntropyRule` and `RecursiveRule` are
forms of l-diversity), `OverlapRule` speaks of what a new group has in common with each earlier one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from .domain import Codes
from .group import Form
from .history import History
from .release import Release

__all__ = [
    "Afterwards",
    "DependsOn",
    "EntropyRule",
    "MemberVerdicts",
    "Overlap",
    "OverlapRule",
    "RecursiveRule",
    "SharesRule",
    "SignatureRule",
    "Structure",
    "ValuesRule",
]


class DependsOn(IntEnum):
    """What a verdict on one group may depend on; each includes the ones before it."""

    SIZE = 0
    """The number of published tuples."""
    HISTOGRAM = 1
    """The counts of the published sensitive values (and the table's own counts)."""
    MEMBERS = 2
    """Who is in the group, and where they were before."""


@dataclass(frozen=True, kw_only=True)
class SignatureRule:
    """Groups that hold each of their values equally often, with one signature per respondent for ever.

    A requirement that declares it admits exactly the groups with at least `min_values` different values,
    all equally often, in which every respondent published before was published with the group's
    signature and no other.

    Attributes
    ----------
    min_values : int
        At least 1.
    multiplicity : int or None
        How often each value occurs; None for any number.
    """

    min_values: int
    multiplicity: int | None = None


@dataclass(frozen=True, kw_only=True)
class SharesRule:
    """Groups in which values are about as frequent as in the whole table.

    A requirement that declares it admits exactly the groups with ``sum_v |p_v - q_v| <= most``, where p are
    the shares of values among the group's published tuples and q those in the table; with an order, with
    ``sum_i |sum_(v <= i) (p_v - q_v)| <= most``.

    Attributes
    ----------
    most : Fraction
    order : tuple of str or None
        All values there are.
    """

    most: Fraction
    order: tuple[str, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class EntropyRule:
    """Groups of which the entropy of values is large enough.

    A requirement that declares it admits exactly the groups of s published tuples, n of each value, with
    ``sum n log n <= s log (s / least)``.

    Attributes
    ----------
    least : Fraction
    """

    least: Fraction


@dataclass(frozen=True, kw_only=True)
class RecursiveRule:
    """Groups of which the most frequent value is not too frequent against all but the next ones.

    A requirement that declares it admits exactly the groups with counts n_1 >= n_2 >= ... of values and
    ``n_1 < c (n_r + n_(r + 1) + ...)``.

    Attributes
    ----------
    c : Fraction
        Above 0.
    rank : int
        r, at least 1.
    """

    c: Fraction
    rank: int


ValuesRule: TypeAlias = SharesRule | EntropyRule | RecursiveRule
"""What is asked of how often a group has each value; `whole_values` adds it up."""


@dataclass(frozen=True, kw_only=True)
class Overlap:
    """What a new group has in common with an earlier one.

    Attributes
    ----------
    size, members : int
        Published tuples and respondents of the new group.
    shared : int
        Respondents in both, at least 1.
    old_size, old_members : int
        Published tuples and respondents of the earlier group.
    alike : bool
        Whether both publish the same histogram of sensitive values.
    """

    size: int
    members: int
    shared: int
    old_size: int
    old_members: int
    alike: bool


@dataclass(frozen=True, kw_only=True)
class OverlapRule:
    """A group keeps the requirement exactly if each earlier group it shares a respondent with permits it.

    Attributes
    ----------
    permits : callable
        Whether a new group may overlap an earlier one like this.
    unrestricted_from : callable
        Of `shared` and `old_size`: a size from which a new group may share up to so many respondents with
        an earlier group of that size, whatever else is true of both.
    """

    permits: Callable[[Overlap], bool]
    unrestricted_from: Callable[[int, int], int]


Afterwards: TypeAlias = Callable[[Release, History], str | None]
"""What a release and those before it leave to the next one, in words."""

MemberVerdicts: TypeAlias = Callable[[str, Codes, tuple[str, ...], History], NDArray[np.bool_] | None]
"""Respondent, counts (groups x values), the values of the columns and the history: verdicts, or None."""


@dataclass(frozen=True, kw_only=True)
class Structure:
    """Claims about a requirement.

    Attributes
    ----------
    depends_on : DependsOn
        What verdicts on groups depend on, at most. (This and the rest of this paragraph: group scope.)
    symmetric : bool
        Whether exchanging sensitive values for one another never changes a verdict on a group of respondents
        who were not published before.
    schur_concave : bool
        Whether a group that keeps it keeps it still when counts become more even: when one tuple's value
        is exchanged for another value that is at least two tuples rarer. If it is `symmetric`, too, it
        judges sorted counts, and whatever a histogram that keeps it majorizes keeps it as well.
    decomposable_from : int or None
        A size from which every histogram that keeps it splits into two that keep it. Asked only where it
        depends on less than members.
    distinct : int or None
        If it admits exactly the groups with so many different values, or more.
    signature : SignatureRule or None
        If it has the form of m-invariance.
    values : ValuesRule or None
        If it has the form of t-closeness, of entropy l-diversity, or of recursive (c, l)-diversity.
    overlap : OverlapRule or None
        If it is decided by what a group has in common with each earlier one.
    by_member : callable or None
        If respondents are judged one by one: verdicts on many groups at once, as far as one of their
        respondents is concerned; None instead of verdicts where int64 does not do. A group that publishes
        such a histogram keeps the requirement exactly if this says so of each of its respondents, whatever
        the others are and whatever its box; of respondents who were in the same earlier groups it says the
        same.
    monotone : bool
        Whether merging two groups that keep it always keeps it.
    closed_under_suppression : bool
        Whether every release that keeps it keeps it still if some of its groups are suppressed. So what a
        set of groups breaks by itself, every release with these groups breaks. Always so for group scope.
    looks_back : bool
        Whether the verdict on a release may depend on the releases before it. False is a claim, too: a
        policy without such a requirement counts as blind to the history.
    form : {"generalized", "anatomized"} or None
        The only form of release it can be kept by; None if it is about both.
    components : tuple of Requirement
        What it is a short name for; empty if it stands for itself.
    afterwards : callable or None
        What the next release will not be able to do because of one that keeps it, after the releases before
        that: a line of the summary on who can no longer be published, and why; None for nothing.
    """

    depends_on: DependsOn = DependsOn.MEMBERS
    symmetric: bool = False
    schur_concave: bool = False
    decomposable_from: int | None = None
    distinct: int | None = None
    signature: SignatureRule | None = None
    values: ValuesRule | None = None
    overlap: OverlapRule | None = None
    by_member: MemberVerdicts | None = None
    monotone: bool = False
    closed_under_suppression: bool = False
    looks_back: bool = False
    form: Form | None = None
    components: tuple[object, ...] = ()
    afterwards: Afterwards | None = None

    @property
    def exchangeable(self) -> bool:
        """Whether values can be exchanged: said so, or they are not looked at."""
        return self.symmetric or self.depends_on is DependsOn.SIZE
