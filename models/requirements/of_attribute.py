"""A requirement bound to one of several sensitive attributes.

It judges the view of a group whose sensitive values are those of its attribute alone. That says what it says
for a table with this attribute only: a requirement that judges groups by their own values speaks of one
release, in which the members of a group are alike to every adversary, so that what she concludes of one
attribute depends on the group's histogram of it.

Not so over several releases. A returning person's groups with diagnoses {flu, cold} and {flu, cold} leave
both, but the combinations {flu and low, cold and high} and {flu and mid, cold and high} leave the cold alone.
So requirements that look back are about combinations and cannot be bound: `WeakMInvariance` of combinations
together with `DistinctLDiversity` of the diagnosis is what keeps a person's diagnosis open for ever.

What may be claimed of the view (`Structure`) and holds for combinations, too:

- that it is `monotone`, closed under suppression, and by what size it is decided;
- `decomposable_from`: a histogram of combinations splits as its view does, each part taking any of the
  combinations that the view counts as one.

Not so that values are alike, or that evening out combinations evens out the view; nor how many different
values, or what shares of them, are admitted: combinations are more, and rarer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..attributes import places
from ..combination import joined, part_of, parted
from ..domain import Codes
from ..errors import PolicyError
from ..group_bounds import GroupBounds
from ..history import History
from ..memo import memoized
from ..parameters import as_names
from ..problem_view import ProblemView
from ..relaxations import Parameter
from ..release import QIGroup
from ..requirement import Context, GroupRequirement, Requirement, Scope, Violation
from ..structure import DependsOn, Structure
from ..table import Member, Microdata, Sensitive

if TYPE_CHECKING:
    from ..encoding import Encoding

__all__ = ["OfAttribute", "for_attribute", "refuse_unbound"]

Places = tuple[int, ...]


def for_attribute(requirement: Requirement, attribute: str | Sequence[str]) -> Requirement:
    """The same requirement of one sensitive attribute, or of the combinations of some, of a table with more.

    Parameters
    ----------
    requirement : Requirement
        One that judges groups by themselves and does not look at earlier releases.
    attribute : str or sequence of str
        The attributes' names. A problem whose table has no such attribute is refused.

    Raises
    ------
    PolicyError
        If it judges something else.

    Returns
    -------
    Requirement
        Its `check` says what that of `requirement` says, with the attribute's name before it: "diagnosis: 2
        different values, fewer than l = 3".

    Examples
    --------
    >>> from optanon.models.requirements import DistinctLDiversity
    >>> print(for_attribute(DistinctLDiversity(l=3), "diagnosis"))
    distinct_l_diversity(l=3, attribute=diagnosis)
    """
    why = _why_not(requirement)
    if why is not None:
        raise PolicyError(
            f"{requirement.name}: {why}, so it cannot be bound to an attribute: leave attribute out"
        )
    kind = type(requirement)
    settings = {name: getattr(requirement, name) for name in requirement.settings()}
    return _bound(kind)(**settings, attribute=as_names(requirement.name, "attribute", attribute))


def refuse_unbound(requirements: Sequence[Requirement], sensitive: str) -> None:
    """See that every requirement fits a table with these sensitive attributes.

    Raises
    ------
    PolicyError
        If one is bound to an attribute that the table lacks, or leaves open which of several it protects.
    """
    names = parted(sensitive)
    for requirement in requirements:
        if isinstance(requirement, OfAttribute):
            places(sensitive, requirement.names, requirement.name)
        elif len(names) > 1 and requirement.structure().depends_on is not DependsOn.SIZE:
            why = _why_not(requirement)
            if why is None:
                raise PolicyError(
                    f"{requirement.name}: the table has several sensitive attributes: say with "
                    f"attribute which of {', '.join(names)} it protects (a list for their combinations)"
                )
            if not _of_series(requirement):
                raise PolicyError(f"{requirement.name}: {why}: give the table one sensitive attribute")


def _why_not(requirement: Requirement) -> str | None:
    if isinstance(requirement, OfAttribute):
        return "it is bound to one already"
    if _of_series(requirement):
        return "it looks at earlier releases, where what is published of one attribute tells of the others"
    if requirement.scope is not Scope.GROUP:
        return "it looks at whole releases"
    return None


def _of_series(requirement: Requirement) -> bool:
    """Whether it compares releases, with other parameters at least: degree 1 of hc-safety forbids nothing."""
    structure = requirement.structure()
    return structure.looks_back or structure.overlap is not None or requirement.scope is Scope.SERIES


@dataclass(frozen=True, kw_only=True)
class _AttributeView:
    """A problem, seen by those who look at some sensitive attributes only; nobody looks back."""

    base: ProblemView
    table: Microdata
    values: tuple[str, ...]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.base, name)

    @property
    def history(self) -> History:
        return History()


@dataclass(frozen=True, kw_only=True)
class OfAttribute(GroupRequirement):
    """What a kind of requirement becomes if it is bound; see `for_attribute`.

    Attributes
    ----------
    attribute : str or tuple of str
        What it protects.
    """

    attribute: str | tuple[str, ...]

    def __post_init__(self) -> None:
        rest = getattr(super(), "__post_init__", None)
        if rest is not None:
            rest()
        names = as_names(self.name, "attribute", self.attribute)
        object.__setattr__(self, "attribute", names[0] if len(names) == 1 else names)

    def __reduce__(self) -> tuple[Any, ...]:
        # Its class is made when it is asked for, so it is not found by name.
        return _again, (type(self).__mro__[2], {name: getattr(self, name) for name in self.settings()})

    @property
    def names(self) -> tuple[str, ...]:
        """What it protects, one or several."""
        return (self.attribute,) if isinstance(self.attribute, str) else self.attribute

    def _at(self, sensitive: str) -> Places:
        return places(sensitive, self.names, self.name)

    def _problem(self, problem: ProblemView) -> ProblemView:
        base = problem.base if isinstance(problem, _AttributeView) else problem
        at = self._at(base.table.sensitive.name)
        values = tuple(sorted({part_of(value, at) for value in base.values}))
        return _AttributeView(base=base, table=_table_of(base.table, at), values=values)  # pyright: ignore[reportReturnType]

    def _context(self, context: Context, at: Places) -> Context:
        seen = Counter[str]()
        for value, count in context.reference.items():
            seen[part_of(value, at)] += count
        return Context(history=History(), reference=seen, sensitive=joined(self.names))

    # -- what the kind says of the view ------------------------------------------------

    def violations(self, group: QIGroup, context: Context) -> Iterator[Violation]:
        at = self._at(context.sensitive)
        for found in super().violations(_group_of(group, at), self._context(context, at)):  # pyright: ignore[reportAbstractUsage]
            yield replace(found, message=f"{joined(self.names)}: {found.message}")

    def admits_counts(
        self, counts: Codes, values: tuple[str, ...], context: Context
    ) -> NDArray[np.bool_] | None:
        at = self._at(context.sensitive)
        of = [part_of(value, at) for value in values]
        seen = sorted(set(of))
        column = {value: number for number, value in enumerate(seen)}
        summed = np.zeros((len(counts), len(seen)), dtype=np.int64)
        for number, value in enumerate(of):
            summed[:, column[value]] += counts[:, number]
        return super().admits_counts(summed, tuple(seen), self._context(context, at))

    def encode(self, model: Encoding) -> None:
        super().encode(
            _encoding_of(model, self._problem(model.problem), self._at(model.table.sensitive.name))
        )  # pyright: ignore[reportAbstractUsage]

    def structure(self, problem: ProblemView | None = None) -> Structure:
        found = super().structure(None if problem is None else self._problem(problem))
        if found.depends_on is DependsOn.SIZE:
            return found
        return replace(
            found,
            symmetric=False,
            schur_concave=False,
            distinct=None,
            values=None,
            signature=None,
            overlap=None,
            by_member=None,
        )

    def bounds(self, problem: ProblemView) -> GroupBounds:
        found, about = super().bounds(self._problem(problem)), joined(self.names)

        def notes(view: ProblemView) -> Iterator[str]:
            return (f"{about}: {note}" for note in found.notes(view))

        return replace(found, notes=notes)

    def parameters(self) -> tuple[Parameter, ...]:
        return tuple(
            Parameter(
                name=known.name,
                direction=known.direction,
                grid=lambda problem, known=known: known.grid(self._problem(problem)),
            )
            for known in super().parameters()
        )


Kind = TypeVar("Kind", bound=type[Requirement])


@cache
def _bound(kind: type[Requirement]) -> type[OfAttribute]:
    told = {"__doc__": f"{kind.__name__} of one of several sensitive attributes.", "__module__": __name__}
    made = type(f"{kind.__name__}OfAttribute", (OfAttribute, kind), told)
    return dataclass(frozen=True, kw_only=True)(made)  # pyright: ignore[reportReturnType]


def _again(kind: type[Requirement], settings: dict[str, Any]) -> OfAttribute:
    return _bound(kind)(**settings)


# -- views -------------------------------------------------------------------------------


def _member_of(member: Member, at: Places) -> Member:
    return Member(member.respondent, member.point, part_of(member.value, at))


@memoized
def _table_of(table: Microdata, at: Places) -> Microdata:
    private = [table.sensitive.attributes[place] for place in at]
    seen = private[0] if len(private) == 1 else Sensitive.of(private)
    return replace(table, members=tuple(_member_of(member, at) for member in table.members), sensitive=seen)


def _group_of(group: QIGroup, at: Places) -> QIGroup:
    invented = Counter[str]()
    for value, count in group.counterfeits:
        invented[part_of(value, at)] += count
    members = tuple(_member_of(member, at) for member in group.members)
    return QIGroup.in_hull(members, tuple(sorted(invented.items())), group.box)


def _encoding_of(model: Encoding, view: ProblemView, at: Places) -> Encoding:
    """The same variables, but counted by the values of the view; literals of the view are its own."""
    seen = copy(model)
    fakes: dict[tuple[int, str], Any] = {}
    for (g, value), count in model._fakes.items():  # pyright: ignore[reportPrivateUsage]
        fakes[g, part_of(value, at)] = fakes.get((g, part_of(value, at)), 0) + count
    vars(seen).update(
        problem=view, table=view.table, values=view.values, _fakes=fakes, _literals={}, _answers={}
    )
    return seen
