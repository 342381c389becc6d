"""Small instances, built twice: as optanon's objects and as those of the brute-force oracle.

One builder serves both seeded tests (`seeded`) and hypothesis (`instances`): it only asks a
`Source` for integers. Everything is tiny, so that the oracle can enumerate all releases.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any, Literal, TypeAlias, TypeVar

import oracle.brute_force as bf
import pandas as pd
from cases.boxes import tight_box
from hypothesis import strategies as st
from ortools.sat.python import cp_model

from optanon.models.encoding import Encoding
from optanon.models.hierarchy import Hierarchy
from optanon.models.history import History
from optanon.models.numeric import Numeric
from optanon.models.problem import Problem
from optanon.models.release import Form, QIGroup, Release
from optanon.models.table import Member, Microdata, Persistence, QISpec, Sensitive

__all__ = [
    "KINDS",
    "Exact",
    "Instance",
    "Kind",
    "Probe",
    "Source",
    "instance",
    "instances",
    "pick",
    "random_release",
    "seeded",
    "shuffled",
]

T = TypeVar("T")
Source: TypeAlias = Callable[[int, int], int]
"""Gives an integer from the first to the second argument, both included."""

Kind: TypeAlias = Literal["numeric", "rational", "point", "ordered", "taxonomy", "deep", "flat"]
KINDS: tuple[Kind, ...] = ("numeric", "rational", "point", "ordered", "taxonomy", "deep", "flat")

CATEGORIES = ("none", "low", "mid", "high")
VALUES = "abcd"
UNSEEN = "z"
"""A value that may be declared for counterfeits although nobody has it."""


def seeded(*seed: object) -> Source:
    """A repeatable source; the seed may be any printable things."""
    return Random("/".join(map(str, seed))).randint


def pick(source: Source, items: Sequence[T]) -> T:
    """One of the items."""
    return items[source(0, len(items) - 1)]


def shuffled(source: Source, items: Sequence[T]) -> list[T]:
    """The items in another order."""
    rest = list(items)
    return [rest.pop(source(0, len(rest) - 1)) for _ in items]


# -- quasi-identifiers ---------------------------------------------------------------------


@dataclass(frozen=True)
class Column:
    """A quasi-identifier: how optanon and the oracle generalize it, and values to draw from."""

    spec: Callable[[str], QISpec]
    attribute: bf.Attribute
    pool: tuple[bf.Coordinate, ...]


# The same trees twice, written down independently of one another.
_BUSHY = {"north": ["Oslo", "Bergen"], "south": {"it": ["Rome", "Bari"], "gr": ["Patras"]}}
_BUSHY_PATHS = {
    "Oslo": ("north", "*"),
    "Bergen": ("north", "*"),
    "Rome": ("it", "south", "*"),
    "Bari": ("it", "south", "*"),
    "Patras": ("gr", "south", "*"),
}
_DEEP = [["p", "p1", "P", "*"], ["q", "p1", "P", "*"], ["r", "r1", "P", "*"], ["s", "s1", "S", "*"]]

COLUMNS: Mapping[Kind, Column] = {
    "numeric": Column(
        lambda name: Numeric(name=name, lo=Fraction(-2), hi=Fraction(9)),
        bf.Numeric(-2, 9),
        tuple(range(-2, 10)),
    ),
    "rational": Column(
        lambda name: Numeric(name=name, lo=Fraction(0), hi=Fraction(2), step=Fraction(1, 6)),
        bf.Numeric(0, 2),
        tuple(Fraction(n, 6) for n in (0, 1, 2, 3, 6, 9, 10, 12)),
    ),
    "point": Column(lambda name: Numeric(name=name, lo=Fraction(5), hi=Fraction(5)), bf.Numeric(5, 5), (5,)),
    "ordered": Column(lambda name: CATEGORIES, bf.Ordered(CATEGORIES), CATEGORIES),
    "taxonomy": Column(
        lambda name: Hierarchy.from_tree(_BUSHY), bf.Taxonomy(_BUSHY_PATHS), tuple(sorted(_BUSHY_PATHS))
    ),
    "deep": Column(
        lambda name: Hierarchy(tuple(map(tuple, _DEEP))),
        bf.Taxonomy({row[0]: tuple(row[1:]) for row in _DEEP}),
        ("p", "q", "r", "s"),
    ),
    "flat": Column(lambda name: Hierarchy.flat("xyz"), bf.Flat(("x", "y", "z")), ("x", "y", "z")),
}


@dataclass(frozen=True)
class Exact:
    """The oracle's attribute of an anatomized release: published exactly, so it loses nothing."""

    of: bf.Attribute | None = None

    def width(self, values: Sequence[bf.Coordinate]) -> Fraction:
        return Fraction(0)


# -- instances -----------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Instance:
    """The same table and history, for optanon and for the oracle."""

    table: Microdata
    history: History
    form: Form
    people: tuple[bf.Person, ...]
    attributes: tuple[bf.Attribute, ...]
    past: tuple[bf.Release, ...]
    fake_values: tuple[str, ...]
    """Values that counterfeits may have: of the table, of the history, declared."""

    def __repr__(self) -> str:
        return f"Instance({self.people}, past={self.past}, attributes={self.attributes}, {self.form})"

    def ours(self, release: bf.ReleaseLike) -> Release:
        """An oracle's release as optanon's."""
        return _ours(release, self.table.domains, self.table.sensitive.name, self.form)

    def theirs(self, release: Release) -> bf.Release:
        """An optanon release as the oracle's; respondents may be of the history, too."""
        people = {p.name: p for p in self.people}

        def person(member: Member) -> bf.Person:
            found = people[member.respondent]
            assert found.value == member.value
            return found

        groups = tuple(
            bf.Group(tuple(person(m) for m in group.members), tuple(group.counterfeits))
            for group in release.groups
        )
        return bf.Release(groups, tuple(person(m) for m in release.suppressed))

    @property
    def measured(self) -> tuple[Any, ...]:
        """The attributes by which the oracle measures a release of this form."""
        return self.attributes if self.form == "generalized" else tuple(map(Exact, self.attributes))


def _ours(release: bf.ReleaseLike, domains: Sequence[Any], sensitive: str, form: Form) -> Release:
    def member(person: bf.Person) -> Member:
        return Member(
            person.name, tuple(Fraction(x) if isinstance(x, int) else x for x in person.qi), person.value
        )

    groups: list[QIGroup] = []
    for group in release[0]:
        members = tuple(map(member, group.members))
        groups.append(
            QIGroup(
                members=members,
                counterfeits=group.fakes,
                box=tight_box(members, domains) if form == "generalized" else None,
            )
        )
    return Release(
        groups=tuple(groups),
        suppressed=tuple(map(member, release[1])),
        attributes=tuple(domain.name for domain in domains),
        sensitive=sensitive,
        form=form,
    )


def random_release(
    source: Source,
    people: Sequence[bf.Person],
    *,
    max_fakes: int = 0,
    fake_values: Sequence[str] = (),
    max_suppressed: int = 0,
    largest: int = 4,
) -> bf.Release:
    """Groups of random sizes, some with fakes; at most so many fakes and suppressed in all."""
    order = shuffled(source, people)
    gone = tuple(order[: source(0, max(0, min(max_suppressed, len(order) - 1)))])
    left = order[len(gone) :]
    groups: list[bf.Group] = []
    fakes_left = source(0, max_fakes) if fake_values else 0
    while left:
        size = source(1, min(largest, len(left)))
        fakes = [pick(source, fake_values) for _ in range(source(0, fakes_left))] if fakes_left else []
        fakes_left -= len(fakes)
        groups.append(bf.Group(tuple(left[:size]), tuple(sorted(Counter(fakes).items()))))
        left = left[size:]
    return bf.Release(tuple(groups), gone)


def instance(
    source: Source,
    *,
    tuples: tuple[int, int] = (1, 6),
    releases: tuple[int, int] = (0, 3),
    values: tuple[int, int] = (1, 4),
    kinds: Sequence[Kind] = KINDS,
    attributes: tuple[int, int] = (1, 3),
    persistence: Persistence = "both",
    insert_only: bool = False,
    past_fakes: int = 2,
    form: Form | None = None,
    prefers: bf.Check | None = None,
) -> Instance:
    """Draw a table with its history.

    Parameters
    ----------
    source
        Where the integers come from.
    tuples, releases, values, attributes
        Least and largest number of tuples, earlier releases, sensitive values and columns.
    kinds
        Kinds of quasi-identifiers to draw from.
    persistence
        Under ``"transient"`` respondents may change their value between releases.
    insert_only
        Nobody ever leaves, nothing is suppressed or invented in the history.
    past_fakes
        At most so many counterfeits in an earlier release.
    form
        Form of all releases; drawn if not given.
    prefers
        Earlier releases that pass this check are preferred, so that the new one has a chance.
    """
    chosen = [pick(source, kinds) for _ in range(source(*attributes))]
    columns = [COLUMNS[kind] for kind in chosen]
    names = [f"{kind}{number}" for number, kind in enumerate(chosen)]
    pool = VALUES[: source(*values)]
    times = source(*releases)
    size = source(*tuples)
    extra = source(0, 3) if times and not insert_only else 0
    shape = pick(source, ("generalized", "anatomized")) if form is None else form

    def value() -> str:
        # The first value is the most frequent one in half of the tables.
        return pool[0] if skewed and not source(0, 2) else pick(source, pool)

    skewed = bool(source(0, 1))
    everybody = [
        bf.Person(f"id#{number:02}", tuple(pick(source, column.pool) for column in columns), value())
        for number in range(1, size + extra + 1)
    ]
    people = everybody[:size]
    past: list[bf.Release] = []
    present = sorted(source(1, size) for _ in range(times)) if insert_only else []
    for time in range(times):
        if insert_only:
            there = people[: present[time]]
        else:
            there = [p for p in everybody if source(0, 3)] or everybody[:1]
        if persistence == "transient":
            there = [p if source(0, 1) else bf.Person(p.name, p.qi, value()) for p in there]
        trial = bf.Release((bf.Group(tuple(there)),))
        for _ in range(12 if prefers is not None else 1):
            trial = random_release(
                source,
                there,
                max_fakes=0 if insert_only else past_fakes,
                fake_values=pool,
                max_suppressed=0 if insert_only else 1,
            )
            if prefers is not None and prefers(trial, past):
                break
        past.append(trial)
    declared = frozenset(UNSEEN) if not source(0, 4) else frozenset[str]()
    frame = pd.DataFrame(
        {
            "id": [p.name for p in people],
            **{name: [p.qi[a] for p in people] for a, name in enumerate(names)},
            "value": [p.value for p in people],
        }
    ).astype(object)
    table = Microdata.from_frame(
        frame,
        respondent="id",
        quasi_identifiers={name: column.spec(name) for name, column in zip(names, columns, strict=True)},
        sensitive=Sensitive(name="value", persistence=persistence, domain=declared),
    )
    history = History(_ours(release, table.domains, "value", shape) for release in past)
    published = {v for release in past for group in release.groups for v in group.signature}
    return Instance(
        table=table,
        history=history,
        form=shape,
        people=tuple(people),
        attributes=tuple(column.attribute for column in columns),
        past=tuple(past),
        fake_values=tuple(sorted({p.value for p in people} | published | declared)),
    )


@st.composite
def instances(draw: st.DrawFn, **options: Any) -> tuple[Instance, Source]:
    """Hypothesis: an instance, and the source to draw more from."""

    def source(lo: int, hi: int) -> int:
        return draw(st.integers(lo, hi))

    return instance(source, **options), source


# -- single releases in the CP-SAT model -----------------------------------------------------


class Probe:
    """The CP-SAT model of a problem's requirements, asked about single releases."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.model = Encoding(problem)
        for requirement in problem.policy.requirements:
            requirement.encode(self.model)
        self.solver = cp_model.CpSolver()
        self.solver.parameters.num_workers = 1
        self.solver.parameters.fix_variables_to_their_hinted_value = True

    def admits(self, release: bf.Release) -> bool:
        """Whether the model has a solution with exactly these groups, fakes and suppressed tuples."""
        model, row = self.model, self.problem.table.row
        home: dict[int, int] = {}
        fakes: dict[tuple[int, str], int] = {}
        for group in release.groups:
            rows = sorted(row[name] for name in group.names)
            home.update(dict.fromkeys(rows, rows[0]))
            fakes.update({(rows[0], value): count for value, count in group.fakes})
        if not set(home.values()) <= set(model.slots):
            return False
        model.cp.clear_hints()
        for t in model.tuples:
            for g in model.homes(t):
                model.cp.add_hint(model.x(t, g), home.get(t) == g)
            gone = model.suppressed(t)
            if not isinstance(gone, int):
                model.cp.add_hint(gone, t not in home)
            elif t not in home:
                return False
        for g, v in product(model.slots, model.values):
            count = model.fakes(g, v)
            if not isinstance(count, int):
                model.cp.add_hint(count, fakes.get((g, v), 0))
        if fakes and not model.may_fake:
            return False
        status = self.solver.solve(model.cp)
        assert status in (cp_model.OPTIMAL, cp_model.FEASIBLE, cp_model.INFEASIBLE), model.cp.validate()
        if status == cp_model.INFEASIBLE:
            return False
        read = model.release(self.solver.value)
        assert {g.respondents: dict(g.counterfeits) for g in read.groups} == {
            g.names: dict(g.fakes) for g in release.groups
        }
        return True
