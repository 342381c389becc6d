"""What every requirement offers, and the registry of all of them.

A requirement is a meaning (`Requirement.check`, plain Python over a finished
release), an encoding (`Requirement.encode`, constraints on the CP-SAT model of a
release) and, where constraints are too many to write down at once, a cuts
(`Requirement.cuts`, for a release that fails). Its declared properties
are all that engines may ask about: nobody asks for its class.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from enum import Enum
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from .domain import Codes
from .group_bounds import GroupBounds
from .history import History
from .parameters import as_fraction, in_int64, whole
from .relaxations import Parameter
from .release import QIGroup, Release
from .structure import Structure

if TYPE_CHECKING:
    from .encoding import Encoding
    from .problem_view import ProblemView

__all__ = [
    "Context",
    "Cut",
    "GroupRequirement",
    "Requirement",
    "Scope",
    "Violation",
    "as_fraction",
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


@dataclass(frozen=True)
class Cut:
    """A constraint some found release breaks; `apply` writes it into a model.

    `name` tells what it stands for, so that rounds of cuts can be reported.
    """

    name: str
    apply: Callable[[Encoding], None]


@dataclass(frozen=True, kw_only=True)
class Requirement(ABC):
    """A privacy condition on a new release given the history.

    Attributes
    ----------
    name : str
        Key in policy files.
    scope : Scope
        What it looks at.
    adversary : {"persistent", "transient", "either"}
        Which adversary its guarantee is about.
    reference : str
        Where its definition is published.
    """

    name: ClassVar[str]
    scope: ClassVar[Scope]
    adversary: ClassVar[Literal["persistent", "transient", "either"]] = "either"
    reference: ClassVar[str]

    @abstractmethod
    def check(self, release: Release, history: History) -> Iterator[Violation]:
        """Yield every violation; exact, no solver."""

    @abstractmethod
    def encode(self, model: Encoding) -> None:
        """Write constraints that every release of `model` must keep.

        They may be weaker than `check` only if `cuts` close the difference.
        """

    def structure(self, problem: ProblemView | None = None) -> Structure:
        """What it claims about itself as far as `problem` is concerned, or about every problem.

        By default nothing: every group is then judged by itself, and a policy of such requirements alone
        counts as blind to the history.
        """
        return Structure()

    def cuts(self, release: Release | None, history: History) -> Iterator[Cut]:
        """Yield cuts that a failing release breaks and no good one does.

        Without a release: initial cuts, those worth having before any release is found. They are for models
        in which they are cheap rows: engines that list groups ask for them.
        """
        return iter(())

    def afterwards(self, release: Release, history: History) -> str | None:
        """What the next release will not be able to do because of this one, in words; None for nothing."""
        return None

    def bounds(self, problem: ProblemView) -> GroupBounds:
        """What it proves of all releases of a problem."""
        return GroupBounds(problem=problem)

    def parameters(self) -> tuple[Parameter, ...]:
        """Its parameters with a direction, and the values of each that ask less."""
        return ()

    def settings(self) -> dict[str, Any]:
        """Parameters by name, as a policy file would give them."""
        return {f.name: _plain(getattr(self, f.name)) for f in fields(self)}

    def __str__(self) -> str:
        given = {
            key: value for key, value in self.settings().items() if value is not None and value is not False
        }
        shown = ", ".join(f"{key}={value}" for key, value in given.items())
        return f"{self.name}({shown})"


@dataclass(frozen=True, kw_only=True)
class GroupRequirement(Requirement):
    """A requirement that judges each group by itself, given the history.

    It is closed under suppression: verdicts on other groups do not depend on whether a group is there.
    """

    scope: ClassVar[Scope] = Scope.GROUP

    @abstractmethod
    def violations(self, group: QIGroup, context: Context) -> Iterator[Violation]:
        """Yield the violations of one group (their `groups` are filled in by `check`)."""

    def admits(self, group: QIGroup, context: Context) -> bool:
        """Whether one group keeps the requirement."""
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
        """
        return None

    def check(self, release: Release, history: History) -> Iterator[Violation]:
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
    """Class decorator: make a requirement known under its name."""
    if requirement.name in _registry:
        raise ValueError(f"two requirements are called {requirement.name!r}")
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
