"""The CP-SAT model of one release: its variables and what they mean.

Groups are represented by their first tuple: slot ``g`` is the group whose
lowest-numbered member is tuple ``g``, so every release has exactly one
encoding and no symmetry is left among slots. Requirements and losses write
their constraints through the expressions below and never touch each other's
auxiliary variables.

==================  ==========================================================
``x(t, g)``         tuple t is in slot g (0 or 1); only for t >= g
``used(g)``         slot g is a group (the same literal as ``x(g, g)``)
``suppressed(t)``   tuple t is left out
``fakes(g, v)``     counterfeits of value v in slot g
``count(g, v)``     published tuples with value v in slot g
``members(g)``      real tuples in slot g
``size(g)``         published tuples in slot g
``width(g, a)``     width of the box in attribute a, in units of its domain, at least
``shared(g, Q)``    members of slot g that were in the earlier group Q
``hidden(g, a, v)`` hidden cells of slot g with the exact value v in attribute a
``starred(t, a)``   the cell of tuple t in attribute a is hidden
``shown(g, B, b)``  members of slot g that show the combination b of the attributes B
``amount(key, u)``  an integer from 0 to u; whoever makes it says what it means
==================  ==========================================================

All of them are 0 for an unused slot.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar, TypeAlias

from ortools.sat.python import cp_model

from .antecedents import combination
from .memo import memoized
from .problem_view import ProblemView, fake_cap, smallest_group
from .release import QIGroup, Release

__all__ = ["Cut", "Encoding", "Linear"]

Linear: TypeAlias = cp_model.LinearExpr | int


class Encoding:
    """Variables of one release of `problem`; `cp` is the raw CP-SAT model.

    Parameters
    ----------
    problem : ProblemView
        What is to be released.

    Notes
    -----
    n tuples give at most n(n+1)/2 membership literals. Auxiliary variables are
    made on first use.
    """

    tabulated: ClassVar[bool] = False
    """Whether sums of one slot, also those that count only if a literal of the slot holds, are rows alone."""

    def __init__(self, problem: ProblemView) -> None:
        self.problem = problem
        self.cp = cp_model.CpModel()
        self.table = problem.table
        self.tuples = range(len(problem.table))
        self.values = problem.values
        smallest = smallest_group(problem)
        limit = problem.policy.counterfeit_limit
        self.may_fake = limit != 0
        self.fake_cap = fake_cap(problem)
        self.largest_count = len(self.tuples) + self.fake_cap
        self.largest_size = len(self.tuples) + (self.fake_cap * len(self.values) if limit is None else limit)
        self.slots = range(len(self.tuples) if self.may_fake else max(0, len(self.tuples) - smallest + 1))
        self.may_hide = problem.policy.form == "anatomized" and problem.policy.counts("hidden_cells")
        self._literals: dict[Hashable, cp_model.IntVar] = {}
        self._hidden: dict[tuple[int, int, str], cp_model.IntVar] = {}
        self._members()
        self._suppression()
        self._counterfeits(limit)

    # -- variables of the release ------------------------------------------------

    def _members(self) -> None:
        new = self.cp.new_bool_var
        self._x = {(t, g): new(f"x[{t},{g}]") for g in self.slots for t in self.tuples if t >= g}
        for (t, g), literal in self._x.items():
            if t > g:
                self.cp.add_implication(literal, self._x[g, g])

    def _suppression(self) -> None:
        limit = self.problem.policy.suppression_limit(len(self.tuples))
        self._suppressed = [self.cp.new_bool_var(f"suppressed[{t}]") for t in self.tuples] if limit else []
        for t in self.tuples:
            self.cp.add_exactly_one([*self._groups_of(t), *self._suppressed[t : t + 1]])
        if limit < len(self.tuples):
            self.cp.add(sum(self._suppressed) <= limit)

    def _groups_of(self, t: int) -> list[cp_model.IntVar]:
        """Literals of which one holds exactly if tuple t is in a group, and none otherwise."""
        return [self._x[t, g] for g in self.homes(t)]

    def _counterfeits(self, limit: int | None) -> None:
        self._fakes: dict[tuple[int, str], cp_model.IntVar] = {}
        if not self.may_fake:
            return
        cap = self.fake_cap
        for g in self.slots:
            for v in self.values:
                count = self.cp.new_int_var(0, cap, f"fakes[{g},{v}]")
                self.cp.add(count == 0).only_enforce_if(~self.used(g))
                self._fakes[g, v] = count
        if limit is not None:
            self.cp.add(sum(self._fakes.values()) <= limit)

    def x(self, t: int, g: int) -> cp_model.IntVar:
        """Literal: tuple t is in slot g (t >= g)."""
        return self._x[t, g]

    def candidates(self, g: int) -> range:
        """Tuples that may be in slot g."""
        return range(g, len(self.tuples))

    def homes(self, t: int) -> list[int]:
        """Slots that tuple t may be in."""
        return [g for g in self.slots if g <= t]

    def used(self, g: int) -> cp_model.IntVar:
        """Literal: slot g is a group."""
        return self._x[g, g]

    def suppressed(self, t: int) -> Linear:
        """1 if tuple t is left out."""
        return self._suppressed[t] if self._suppressed else 0

    def fakes(self, g: int, v: str) -> Linear:
        """Counterfeits of value v in slot g."""
        return self._fakes.get((g, v), 0)

    @memoized
    def all_fakes(self, g: int) -> Linear:
        """Counterfeits in slot g."""
        return sum(self.fakes(g, v) for v in self.values)

    @memoized
    def members(self, g: int) -> Linear:
        """Real tuples in slot g."""
        return sum(self._x[t, g] for t in self.candidates(g))

    def held(self, g: int, rows: Sequence[int]) -> Linear:
        """How many of some rows are in slot g (rows from g on)."""
        return sum(self._x[t, g] for t in rows)

    @memoized
    def size(self, g: int) -> Linear:
        """Published tuples in slot g."""
        return self.members(g) + self.all_fakes(g)

    @memoized
    def count(self, g: int, v: str) -> Linear:
        """Published tuples with value v in slot g."""
        people = self.table.members
        return sum(self._x[t, g] for t in self.candidates(g) if people[t].value == v) + self.fakes(g, v)

    @memoized
    def shared(self, g: int, release: int, index: int) -> Linear:
        """Members of slot g that were in one group of an earlier release."""
        there = self.problem.history.group(release, index).respondents
        people = self.table.members
        return sum(self._x[t, g] for t in self.candidates(g) if people[t].respondent in there)

    @memoized
    def bearers(self, g: int, a: int, v: str) -> Linear:
        """Members of slot g whose exact value of attribute a is v."""
        people = self.table.members
        return sum(self._x[t, g] for t in self.candidates(g) if str(people[t].point[a]) == v)

    def hidden(self, g: int, a: int, v: str) -> Linear:
        """Hidden cells of slot g with the exact value v in attribute a; made on first use.

        0 unless the policy publishes exact values and counts hidden cells among its losses: what
        nobody counts may not be hidden. To be called by requirements, before losses are encoded.
        """
        cells = self.bearers(g, a, v)
        if not self.may_hide or isinstance(cells, int):
            return 0
        if (g, a, v) not in self._hidden:
            most = sum(str(self.table.members[t].point[a]) == v for t in self.candidates(g))
            count = self.cp.new_int_var(0, most, f"hidden[{g},{a},{v}]")
            self.cp.add(count <= cells)
            self._hidden[g, a, v] = count
        return self._hidden[g, a, v]

    def starred(self, t: int, a: int) -> Linear:
        """1 if the cell of tuple t in attribute a is hidden, in the order of `QIGroup.starred`."""
        return self._stars(a, str(self.table.members[t].point[a])).get(t, 0)

    @memoized
    def _stars(self, a: int, v: str) -> dict[int, cp_model.IntVar]:
        """One literal per tuple with the value: of those in one slot the first ones hide it."""
        people = self.table.members
        rows = [t for t in self.tuples if str(people[t].point[a]) == v]
        rows.sort(key=lambda t: ([str(exact) for exact in people[t].point], people[t].respondent))
        stars: dict[int, cp_model.IntVar] = {}
        there: dict[tuple[int, int], cp_model.IntVar] = {}
        for t in rows:
            homes = [g for g in self.homes(t) if not isinstance(self.hidden(g, a, v), int)]
            for g in homes:
                there[t, g] = self.cp.new_bool_var(f"star[{t},{g},{a}]")
                self.cp.add_implication(there[t, g], self.x(t, g))
            if homes:
                stars[t] = self.cp.new_bool_var(f"star[{t},{a}]")
                self.cp.add(sum(there[t, g] for g in homes) == stars[t])
        for g in self.slots:
            here = [t for t in rows if (t, g) in there]
            if here:
                self.cp.add(sum(there[t, g] for t in here) == self.hidden(g, a, v))
            for later, t in enumerate(here):
                for u in here[:later]:
                    self.cp.add_bool_or([~there[t, g], ~self.x(u, g), there[u, g]])
        return stars

    @memoized
    def shown(self, g: int, attributes: tuple[int, ...], combined: str) -> Linear:
        """Members of slot g that show a combination of values: they hide none of its cells."""
        if len(attributes) == 1:
            return self.bearers(g, attributes[0], combined) - self.hidden(g, attributes[0], combined)
        people, literals = self.table.members, list[cp_model.IntVar]()
        for t in self.candidates(g):
            if combination(people[t].point, attributes) == combined:
                stars = [s for a in attributes if isinstance(s := self.starred(t, a), cp_model.IntVar)]
                literal = self.cp.new_bool_var(f"shown[{t},{g},{attributes}]")
                self.cp.add_bool_and(self.x(t, g), *(~s for s in stars)).only_enforce_if(literal)
                self.cp.add_bool_or([literal, ~self.x(t, g), *stars])
                literals.append(literal)
        return sum(literals)

    def all_hidden(self) -> Linear:
        """Hidden cells of the release."""
        return sum(self._hidden.values())

    # -- derived literals ----------------------------------------------------------

    def at_least(self, key: Hashable, expression: Linear, bound: int) -> cp_model.IntVar:
        """Literal that is true exactly if ``expression >= bound``; `key` names the expression."""
        known = self._literals.get((key, bound))
        if known is None:
            known = self.cp.new_bool_var(f"{key}>={bound}")
            self.cp.add(expression >= bound).only_enforce_if(known)
            self.cp.add(expression <= bound - 1).only_enforce_if(~known)
            self._literals[key, bound] = known
        return known

    def named(self, key: Hashable) -> cp_model.IntVar | None:
        """The literal of that name, if it was made (`name`)."""
        return self._literals.get((key, 0))

    def name(self, key: Hashable) -> cp_model.IntVar:
        """Make a literal; whoever makes it says what it means."""
        made = self._literals[key, 0] = self.cp.new_bool_var(f"{key}")
        return made

    @memoized
    def amount(self, key: Hashable, most: int) -> cp_model.IntVar:
        """An integer of that name, made on first use."""
        return self.cp.new_int_var(0, most, f"{key}")

    def present(self, g: int, v: str) -> cp_model.IntVar:
        """Literal: value v is in the signature of slot g."""
        return self.at_least(("count", g, v), self.count(g, v), 1)

    def counted_if(self, literal: cp_model.IntVar, expression: Linear, most: int) -> Linear:
        """The expression (from 0 to `most`) if the literal holds, and 0 otherwise."""
        part = self.cp.new_int_var(0, most, f"counted[{literal.name}]")
        self.cp.add(part == expression).only_enforce_if(literal)
        self.cp.add(part == 0).only_enforce_if(~literal)
        return part

    def same_group(self, group: QIGroup) -> list[cp_model.LiteralT]:
        """Literals that together say: this group is published, with exactly these members and fakes."""
        rows = sorted(self.table.row[who] for who in group.respondents)
        home, fakes = rows[0], dict(group.counterfeits)
        literals: list[cp_model.LiteralT] = [
            self.x(t, home) if t in rows else ~self.x(t, home) for t in self.candidates(home)
        ]
        if self.may_fake:
            for v in self.values:
                key, count = ("fakes", home, v), self.fakes(home, v)
                if fakes.get(v, 0):
                    literals.append(self.at_least(key, count, fakes[v]))
                literals.append(~self.at_least(key, count, fakes.get(v, 0) + 1))
        return literals

    # -- boxes ------------------------------------------------------------------------

    @memoized
    def width(self, g: int, a: int) -> Linear:
        """Upper estimate of the width of slot g's box in attribute a, tight when minimized.

        The anchor is in the group, so an interval grows from the anchor's code
        and a taxonomy node climbs the anchor's chain of ancestors.
        """
        domain, codes = self.table.domains[a], self.table.codes[:, a]
        home = int(codes[g])
        if chain := domain.chain(home):
            costs = [domain.units(*node) for node in chain]
            climbed = [self.cp.new_bool_var(f"climb[{g},{a},{j}]") for j in range(1, len(chain))]
            for lower, upper in pairwise(climbed):
                self.cp.add_implication(upper, lower)
            for t in self.candidates(g):
                j = next(j for j, (lo, hi) in enumerate(chain) if lo <= codes[t] <= hi)
                if j:
                    self.cp.add_implication(self._x[t, g], climbed[j - 1])
            return sum((costs[j + 1] - costs[j]) * literal for j, literal in enumerate(climbed))
        ahead = [int(codes[t]) for t in self.candidates(g)]
        lo = self.cp.new_int_var(min(ahead), home, f"lo[{g},{a}]")
        hi = self.cp.new_int_var(home, max(ahead), f"hi[{g},{a}]")
        for t, code in zip(self.candidates(g), ahead, strict=True):
            if code < home:
                self.cp.add(lo <= home - (home - code) * self._x[t, g])
            elif code > home:
                self.cp.add(hi >= home + (code - home) * self._x[t, g])
        return hi - lo

    # -- to and from releases ---------------------------------------------------------

    def hint(self, release: Release) -> None:
        """Suggest a release to start the search from."""
        self.cp.clear_hints()
        row = self.table.row
        home: dict[int, int] = {}
        fakes: dict[tuple[int, str], int] = {}
        hidden: dict[tuple[int, int, str], int] = {}
        for group in release.groups:
            rows = sorted(row[who] for who in group.respondents)
            home.update(dict.fromkeys(rows, rows[0]))
            fakes.update({(rows[0], value): count for value, count in group.counterfeits})
            hidden.update({(rows[0], a, value): count for a, value, count in group.hidden})
        for (t, g), literal in self._x.items():
            self.cp.add_hint(literal, home.get(t) == g)
        for t, literal in enumerate(self._suppressed):
            self.cp.add_hint(literal, t not in home)
        for key, count in self._fakes.items():
            self.cp.add_hint(count, fakes.get(key, 0))
        for key, count in self._hidden.items():
            self.cp.add_hint(count, hidden.get(key, 0))

    def release(self, value: Callable[[cp_model.IntVar], int]) -> Release:
        """Read a release off a solution, with the tightest boxes."""
        groups = {
            g: [t for t in self.candidates(g) if value(self._x[t, g])]
            for g in self.slots
            if value(self.used(g))
        }
        fakes = [{v: value(self._fakes[g, v]) for v in self.values if self.may_fake} for g in groups]
        release = self.problem.assemble(list(groups.values()), fakes)
        if not self._hidden:
            return release
        return replace(release, groups=tuple(self._with_hidden(group, value) for group in release.groups))

    def _with_hidden(self, group: QIGroup, value: Callable[[cp_model.IntVar], int]) -> QIGroup:
        anchor = min(self.table.row[who] for who in group.respondents)
        found = {(a, v): value(count) for (g, a, v), count in self._hidden.items() if g == anchor}
        return replace(group, hidden=tuple((a, v, count) for (a, v), count in sorted(found.items()) if count))


@dataclass(frozen=True)
class Cut:
    """A constraint that is found while searching: a found release breaks it; `apply` writes it into a model.

    `name` tells what it stands for, so that rounds of cuts can be reported.
    """

    name: str
    apply: Callable[[Encoding], None]
