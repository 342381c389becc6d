"""Verdicts: what groups and releases break, what groups are judged against, and what judges them singly."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .domain import Codes
from .group import Member
from .history import History
from .problem_view import BoundsView, ProblemView
from .release import QIGroup, Release
from .structure import Structure

__all__ = ["Context", "GroupJudge", "Violation", "admitted", "group_judges", "of_histogram"]


@dataclass(frozen=True, kw_only=True)
class Violation:
    """Who breaks which requirement where, with a witness anyone can re-check.

    Attributes
    ----------
    requirement : str
        Name of the broken requirement.
    message : str
        In words, without respondent ids.
    groups : tuple of int
        Indices (from 0) of the groups of the new release involved.
    earlier : tuple of (release index, group index)
        Groups of the history involved.
    respondents : tuple of str
        Respondent ids concerned, for the steward only.
    witness : Mapping
        The numbers behind the verdict, as exact values.
    private : Mapping
        Who and what is disclosed, for the steward only.
    """

    requirement: str
    message: str
    groups: tuple[int, ...] = ()
    earlier: tuple[tuple[int, int], ...] = ()
    respondents: tuple[str, ...] = field(default=(), repr=False)
    witness: Mapping[str, Any] = field(default_factory=dict[str, Any])
    private: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False)

    def describe(self, *, show_ids: bool = False) -> str:
        """The message, with the respondents' ids only if asked."""
        if show_ids and self.respondents:
            return f"{self.message} (respondents: {', '.join(self.respondents)})"
        return self.message


@dataclass(frozen=True, kw_only=True)
class Context:
    """What a group is judged against.

    Attributes
    ----------
    history : History
        Releases published before.
    reference : Mapping of str to int
        Sensitive values of the whole microdata (suppressed tuples included,
        counterfeits not).
    sensitive : str
        Name of the sensitive column, as releases have it.
    """

    history: History
    reference: Mapping[str, int]
    sensitive: str = ""

    @classmethod
    def of(cls, release: Release, history: History) -> Context:
        """The context of a finished release's groups."""
        return cls(history=history, reference=release.histogram, sensitive=release.sensitive)

    @classmethod
    def before(cls, problem: ProblemView) -> Context:
        """The context of groups that are still looked for."""
        table = problem.table
        return cls(history=problem.history, reference=table.histogram, sensitive=table.sensitive.name)


@dataclass(frozen=True, kw_only=True)
class GroupJudge(ABC):
    """What judges each group by itself, given the history: `GroupRequirement`, as far as searches ask it."""

    name: ClassVar[str]

    @abstractmethod
    def structure(self, problem: ProblemView | None = None) -> Structure:
        """What it claims about itself; see `Requirement.structure`."""

    @abstractmethod
    def bounds(self, problem: ProblemView) -> BoundsView:
        """What it proves of groups before any search; see `Requirement.bounds`."""

    @abstractmethod
    def violations(self, group: QIGroup, context: Context) -> Iterator[Violation]:
        """Yield what one group breaks; `check` says of which group it is.

        Parameters
        ----------
        group : QIGroup
            Its published values, counterfeits included, and, for the steward, who is in it.
        context : Context
            The history, and the sensitive values of the whole table.

        Yields
        ------
        Violation
            Nothing if the group keeps the requirement.
        """

    def admits(self, group: QIGroup, context: Context) -> bool:
        """Whether one group keeps the requirement.

        Parameters
        ----------
        group : QIGroup
        context : Context

        Returns
        -------
        bool
            Whether `violations` has nothing to say of it.
        """
        return next(self.violations(group, context), None) is None

    def admits_counts(
        self, counts: Codes, values: tuple[str, ...], context: Context
    ) -> NDArray[np.bool_] | None:
        """Verdicts on many groups at once; None if histograms do not decide, or not in int64.

        Optional, for speed: it must say what `admits` says of every group that publishes such a
        histogram, whoever is in it and whatever its box.

        Parameters
        ----------
        counts : int64 array, shape (groups, values)
            Tuples per group and sensitive value; no row is all 0.
        values : tuple of str
            The columns' values; every value of the microdata is among them.
        context : Context
            The history, and the sensitive values of the whole table.

        Returns
        -------
        bool array or None
            One verdict per row of `counts`.
        """
        return None


def group_judges(problem: ProblemView, indices: Collection[int] | None = None) -> tuple[GroupJudge, ...]:
    """The policy's `group_requirements` for whoever only has a view of it; those at `indices` if given."""
    found = enumerate(problem.policy.requirements)
    return tuple(r for i, r in found if isinstance(r, GroupJudge) and (indices is None or i in indices))


def of_histogram(values: Sequence[str], counts: Sequence[int]) -> QIGroup:
    """Some group with these counts of values; what sees values only cannot tell its members from people."""
    published = (value for value, count in zip(values, counts, strict=True) for _ in range(count))
    return QIGroup(members=tuple(Member(f"\0{i}", (), value) for i, value in enumerate(published)))


def admitted(
    judges: Iterable[GroupJudge],
    counts: Codes,
    values: tuple[str, ...],
    context: Context,
    group: Callable[[int], QIGroup],
) -> NDArray[np.bool_]:
    """Whether all judges admit groups with these histograms; none without tuples.

    Parameters
    ----------
    judges : iterable of GroupJudge
    counts : int64 array, shape (groups, values)
        Tuples per group and value.
    values : tuple of str
        The columns' values.
    context : Context
    group : callable
        The group of a line, for judges that histograms do not decide.
    """
    good = counts.sum(axis=1) > 0
    for judge in judges:
        left = np.flatnonzero(good)
        if not len(left):
            break
        found = judge.admits_counts(counts[left], values, context)
        if found is None:
            found = np.array([judge.admits(group(line), context) for line in left.tolist()], dtype=np.bool_)
        good[left] = found
    return good
