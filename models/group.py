"""Tuples, and QI-groups: tuples that are published together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Literal, TypeAlias

from .box import Box, Point, covers_all
from .errors import ReleaseError

__all__ = ["Form", "Member", "QIGroup"]

Form: TypeAlias = Literal["generalized", "anatomized"]


@dataclass(frozen=True, slots=True)
class Member:
    """One tuple of the microdata.

    Parameters
    ----------
    respondent : str
        Id of the person; never published.
    point : tuple of Fraction or str
        Exact quasi-identifiers, in the order of the attributes.
    value : str
        The sensitive value; of several columns their combination.
    """

    respondent: str = field(repr=False)
    point: Point = field(repr=False)
    value: str = field(repr=False)

    @property
    def plain(self) -> list[object]:
        """Ready for JSON."""
        return [self.respondent, [str(v) for v in self.point], self.value]


@dataclass(frozen=True, kw_only=True)
class QIGroup:
    """Tuples published together.

    Parameters
    ----------
    members : tuple of Member
        The real tuples, in any order; may not be empty.
    counterfeits : tuple of (value, count)
        Invented tuples, counts at least 1. The adversary learns how many a group
        has, not which of its tuples they are.
    box : Box, optional
        Published cells; None in an anatomized release. Must cover every member.
    hidden : tuple of (attribute, value, count)
        Hidden cells of an anatomized group: in `count` of the rows whose quasi-identifier
        number `attribute` (from 0) is `value`, ``*`` is published instead. Only counts
        are recorded: which of the rows it is follows from published columns alone.

    Raises
    ------
    ReleaseError
        If the group has no member, a respondent twice, a wrong count, or a box
        that does not cover a member.
    """

    members: tuple[Member, ...] = field(repr=False)
    counterfeits: tuple[tuple[str, int], ...] = field(default=(), repr=False)
    box: Box | None = None
    hidden: tuple[tuple[int, str, int], ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        if not self.members:
            raise ReleaseError("a QI-group needs at least one real tuple")
        if len(self.respondents) != len(self.members):
            raise ReleaseError("a QI-group holds the same respondent twice")
        if any(count < 1 for _, count in self.counterfeits):
            raise ReleaseError(
                "a counterfeit count must be at least 1; leave out values without counterfeits"
            )
        if self.box is not None and not covers_all(self.box, [member.point for member in self.members]):
            values: list[object] = [value for member in self.members for value in member.point]
            strange = [value for value in values if not isinstance(value, Fraction | str)]
            if strange:
                raise ReleaseError(
                    "a member's quasi-identifiers are numbers as Fraction(...) and categories as str, not "
                    f"{type(strange[0]).__name__}: convert them"
                )
            raise ReleaseError("a QI-group's box does not cover all its members")
        if self.hidden:
            self._check_hidden()

    @classmethod
    def in_hull(
        cls, members: tuple[Member, ...], counterfeits: tuple[tuple[str, int], ...], box: Box | None
    ) -> QIGroup:
        """A group in a box that was made around its members, all of them different.

        Whether each is inside is not asked again: that is most of the work for a large release.
        """
        found = object.__new__(cls)
        for name, value in (
            ("members", members),
            ("counterfeits", counterfeits),
            ("box", box),
            ("hidden", ()),
        ):
            object.__setattr__(found, name, value)
        return found

    def _check_hidden(self) -> None:
        if self.box is not None:
            raise ReleaseError("a QI-group with a box has no single cells to hide: widen the box instead")
        if len({(attribute, value) for attribute, value, _ in self.hidden}) != len(self.hidden):
            raise ReleaseError("a QI-group hides cells of the same value in two entries: add them up")
        for attribute, value, count in self.hidden:
            if not 0 <= attribute < len(self.members[0].point):
                raise ReleaseError(f"hidden cells: there is no quasi-identifier number {attribute}")
            if not 1 <= count <= sum(str(member.point[attribute]) == value for member in self.members):
                raise ReleaseError(
                    f"hidden cells of {value!r}: {count} is not between 1 and their number in the group; "
                    "leave out values of which none is hidden"
                )

    @cached_property
    def respondents(self) -> frozenset[str]:
        """Who is in the group."""
        return frozenset([member.respondent for member in self.members])

    @cached_property
    def histogram(self) -> Mapping[str, int]:
        """Published sensitive values with their counts, counterfeits included."""
        found = Counter([member.value for member in self.members])
        for value, count in self.counterfeits:
            found[value] += count
        return found

    @property
    def signature(self) -> frozenset[str]:
        """The set of published sensitive values."""
        return frozenset(self.histogram)

    @property
    def fakes(self) -> int:
        """Number of counterfeits."""
        return sum([count for _, count in self.counterfeits]) if self.counterfeits else 0

    @property
    def size(self) -> int:
        """Number of published tuples: members and counterfeits."""
        return len(self.members) + (self.fakes if self.counterfeits else 0)

    @property
    def hidden_cells(self) -> int:
        """Number of hidden cells, of all quasi-identifiers."""
        return sum(count for _, _, count in self.hidden)

    @cached_property
    def starred(self) -> frozenset[tuple[str, int]]:
        """Respondents and quasi-identifiers whose cell is hidden.

        Of the rows with one value the first in the order of all exact quasi-identifiers: the
        sensitive values have no say in it. (Rows that are equal are published alike.)
        """
        rows = sorted(self.members, key=lambda m: ([str(v) for v in m.point], m.respondent))
        return frozenset(
            (member.respondent, attribute)
            for attribute, value, count in self.hidden
            for member in [m for m in rows if str(m.point[attribute]) == value][:count]
        )
