"""What every requirement offers, and the registry of all of them.

A requirement is a meaning (`Requirement.check`, plain Python over a finished
release), an encoding (`Requirement.encode`, constraints on the CP-SAT model of a
release) and, where constraints are too many to write down at once, a cuts
(`Requirement.cuts`, for a release that fails). Its declared properties
are all that engines may ask about: nobody asks for its class.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from enum import Enum
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

from .errors import PolicyError
from .group_bounds import GroupBounds
from .history import History
from .parameters import as_fraction, hold_share, hold_whole, in_int64, whole
from .relaxations import Parameter
from .release import Release
from .structure import Structure
from .verdicts import Context, GroupJudge, Violation

if TYPE_CHECKING:
    from .encoding import Cut, Encoding
    from .problem_view import ProblemView

__all__ = [
    "Context",
    "GroupRequirement",
    "Requirement",
    "Scope",
    "Violation",
    "as_fraction",
    "hold_share",
    "hold_whole",
    "in_int64",
    "known_requirements",
    "register",
    "whole",
]


class Scope(Enum):
    """What a requirement looks at."""

    GROUP = "group"
    """One group and the history: a release is fine when each of its groups is."""
    RELEASE = "release"
    """All groups of the new release together (and the history)."""
    SERIES = "series"
    """Several releases jointly."""


@dataclass(frozen=True, kw_only=True)
class Requirement(ABC):
    """A privacy condition on a new release given the history.

    A policy holds several; a release keeps the policy if `check` of each yields nothing. Whoever only uses
    requirements needs `check`, `parameters` and `settings`; the other methods are for engines.

    Attributes
    ----------
    name : str
        Key in policy files.
    scope : Scope
        What it looks at: one group (equivalence class) and the history, the whole release, or the series.
    adversary : {"persistent", "transient", "either"}
        Which values its guarantee is about: those that stay the same, those that change, or both.
    reference : str
        Where its definition is published.

    Raises
    ------
    PolicyError
        Where one is made: if a parameter is of another kind or out of its range.
    """

    name: ClassVar[str]
    scope: ClassVar[Scope]
    adversary: ClassVar[Literal["persistent", "transient", "either"]] = "either"
    reference: ClassVar[str]

    @abstractmethod
    def check(self, release: Release, history: History) -> Iterator[Violation]:
        """Check a release by the definition: yield every violation, exactly and without a solver.

        Parameters
        ----------
        release : Release
            The new release, whoever made it.
        history : History
            Releases published before, the oldest first; empty for a first release.

        Yields
        ------
        Violation
            What is wrong in words, in which groups, whom it concerns, and the numbers behind it
            (`witness`). No violation means that the release keeps the requirement.
        """

    @abstractmethod
    def encode(self, model: Encoding) -> None:
        """Write constraints that every release of `model` must keep.

        They may be weaker than `check` only if `cuts` close the difference.

        Parameters
        ----------
        model : Encoding
            A model of one release: who is in which group, with which values.
        """

    def structure(self, problem: ProblemView | None = None) -> Structure:
        """What it claims about itself as far as `problem` is concerned, or about every problem.

        By default nothing: every group is then judged by itself, and a policy of such requirements alone
        counts as blind to the history.

        Parameters
        ----------
        problem : Problem, optional
            Claims may be stronger for one problem than for all.

        Returns
        -------
        Structure
            What verdicts depend on, whether merging groups keeps it, whether it looks at the history.
            Engines rely on these claims; tests try to refute them.
        """
        return Structure()

    def cuts(self, release: Release | None, history: History) -> Iterator[Cut]:
        """Yield cuts that a failing release breaks and no good one does.

        Without a release: initial cuts, those worth having before any release is found. They are for models
        in which they are cheap rows: engines that list groups ask for them.

        Parameters
        ----------
        release : Release or None
            One that was found and fails `check`.
        history : History
            Releases published before.

        Yields
        ------
        Cut
            A named constraint, to be written into the model before it is searched again.
        """
        return iter(())

    def bounds(self, problem: ProblemView) -> GroupBounds:
        """What it proves of all releases of a problem, before any search.

        Parameters
        ----------
        problem : Problem

        Returns
        -------
        GroupBounds
            How small and how large its groups can be, why nobody can keep it (if so), and what stands out
            in the table.

        Raises
        ------
        PolicyError
            If it names values that are not the table's.
        """
        return GroupBounds(problem=problem)

    def parameters(self) -> tuple[Parameter, ...]:
        """Its parameters with a direction, and the values of each that ask less.

        Returns
        -------
        tuple of Parameter
            Those that `explain` may loosen and `frontier` may vary, such as a smaller k.
        """
        return ()

    def settings(self) -> dict[str, Any]:
        """Parameters by name, as a policy file would give them.

        Returns
        -------
        dict
            Fractions as text, such as ``"1/2"``.
        """
        return {f.name: _plain(getattr(self, f.name)) for f in fields(self)}

    def __str__(self) -> str:
        given = {
            key: value for key, value in self.settings().items() if value is not None and value is not False
        }
        shown = ", ".join(f"{key}={value}" for key, value in given.items())
        return f"{self.name}({shown})"


@dataclass(frozen=True, kw_only=True)
class GroupRequirement(Requirement, GroupJudge):
    """A requirement that judges each group by itself, given the history.

    A group is what the field calls an equivalence class: the records that are published with the same
    quasi-identifiers. Verdicts on other groups do not depend on whether a group is there, so leaving a group
    out (suppression) never breaks it.
    """

    scope: ClassVar[Scope] = Scope.GROUP

    def check(self, release: Release, history: History) -> Iterator[Violation]:
        """Check every group of a release by the definition, exactly and without a solver.

        Parameters
        ----------
        release : Release
            The new release, whoever made it.
        history : History
            Releases published before, the oldest first; empty for a first release.

        Yields
        ------
        Violation
            As `violations` says of one group, with the number of the group in `groups` (from 0) and in the
            message (from 1). No violation means that the release keeps the requirement.
        """
        context = Context.of(release, history)
        for index, group in enumerate(release.groups):
            for found in self.violations(group, context):
                yield Violation(
                    requirement=found.requirement,
                    message=f"group {index + 1}: {found.message}",
                    groups=(index,),
                    earlier=found.earlier,
                    respondents=found.respondents,
                    witness=found.witness,
                    private=found.private,
                )


R = TypeVar("R", bound=type[Requirement])
_registry: dict[str, type[Requirement]] = {}


def register(requirement: R) -> R:
    """Class decorator: make a requirement known under its name.

    Parameters
    ----------
    requirement : type
        A subclass of `GroupRequirement` if its scope is a group, else of `Requirement`.

    Returns
    -------
    type
        The same class.

    Raises
    ------
    PolicyError
        If another requirement has the name, or the scope does not go with the class.
    """
    if requirement.name in _registry:
        raise PolicyError(f"two requirements are called {requirement.name!r}")
    if issubclass(requirement, GroupRequirement) != (requirement.scope is Scope.GROUP):
        raise PolicyError(f"{requirement.name}: scope GROUP is what a GroupRequirement has, and nothing else")
    _registry[requirement.name] = requirement
    return requirement


def known_requirements() -> Mapping[str, type[Requirement]]:
    """Requirements registered so far; `requirements.registered` has them all."""
    return _registry


def _plain(value: object) -> object:
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else str(value)
    if isinstance(value, frozenset | tuple):
        return sorted(value) if isinstance(value, frozenset) else list(value)  # pyright: ignore[reportArgumentType]
    return value
