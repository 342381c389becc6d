"""Which cells of several quasi-identifiers to hide, in a given grouping (al Bouna et al., Def. 7).

Combinations share cells, so the problem does not fall apart by values, as it does for one attribute: one
integer program decides all cells. A release says how many of a group's equal values are hidden, and the
rows that hide them are the first in the order of their exact quasi-identifiers (`QIGroup.starred`). So,
with the group's rows in that order, and one Boolean per row r and attribute a::

    h[r, a]            whether the cell is hidden; of rows with equal values the first ones: h falls
    y[r, B] = 1        iff no cell of the subset B is hidden in r
    x_j(b) = sum of y[r, B] over the rows r of group j with the combination b
    x_j(b) <= c_j(b)                                          (what the fixpoint leaves)
    estimates of x(b) even, none above 1/l of the published     for S(b) not empty
    min  sum h[r, a]

Hiding all is always feasible. So is hiding all quasi-identifiers but one, and of that the fewest cells: no
combination is shown then, and its values are decided one by one; the search begins there. Rows with equal
quasi-identifiers may hide different cells: rows of one combination are told apart by nothing, so only such
counts are decided.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from ortools.sat.python import cp_model

from ...models.antecedents import combination
from ...models.errors import OutOfTimeError
from ...models.exposure import ValueExposure
from ...models.group import Member, QIGroup
from ...models.release import Release
from ..backends.cpsat import solved
from ..schedule import SANITIZING
from ..settings import Clock
from ..status import Status
from .whole_shares import WholeShares

__all__ = ["Cell", "CombinedCells", "Stars"]

Cell = tuple[int, int, int]
"""Group, row in the order of exact quasi-identifiers, and attribute."""

_Program = tuple[cp_model.CpModel, dict[Cell, cp_model.IntVar]]


@dataclass(frozen=True, kw_only=True)
class Stars:
    """Groups with their hidden cells.

    Attributes
    ----------
    groups : tuple of QIGroup
    status : Status
        OPTIMAL: no fewer cells can be hidden.
    least : int
        No safe choice hides fewer cells.
    """

    groups: tuple[QIGroup, ...]
    status: Status
    least: int


@dataclass(frozen=True, kw_only=True)
class CombinedCells:
    """The rows of a release without hidden cells, and what their combinations must keep.

    Attributes
    ----------
    release : Release
    positions : tuple of int
        Of the quasi-identifiers.
    by_subset : Mapping
        The exposures of every non-empty subset.
    """

    release: Release
    positions: tuple[int, ...]
    by_subset: Mapping[tuple[int, ...], Sequence[ValueExposure]]
    rows: tuple[tuple[Member, ...], ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        ordered = (
            tuple(sorted(group.members, key=lambda m: ([str(v) for v in m.point], m.respondent)))
            for group in self.release.groups
        )
        object.__setattr__(self, "rows", tuple(ordered))

    def only(self, a: int, hidden: Mapping[str, tuple[Sequence[int], Sequence[int]]]) -> set[Cell]:
        """All cells but those of one attribute; of that so many of each value in each group."""
        left = {
            (j, value): n
            for value, (groups, many) in hidden.items()
            for j, n in zip(groups, many, strict=True)
        }
        gone: set[Cell] = set()
        for j, people in enumerate(self.rows):
            for r, member in enumerate(people):
                gone |= {(j, r, other) for other in self.positions if other != a}
                key = (j, str(member.point[a]))
                if left.get(key, 0):
                    left[key] -= 1
                    gone.add((j, r, a))
        return gone

    def solve(
        self,
        l: int,  # noqa: E741
        epsilon: Fraction,
        *,
        start: set[Cell] | None = None,
        clock: Clock,
        seed: int,
        workers: int,
    ) -> Stars:
        """Hide the fewest cells, as far as the time goes, and no more than a safe start (by default all).

        Where there is no time for a program the start is the answer: to read one takes CP-SAT about as long
        as to write it took here.
        """
        exposed = [
            exposure for found in self.by_subset.values() for exposure in found if exposure.significant
        ]
        scale = WholeShares.of(
            {
                share[value]
                for exposure in exposed
                for share in exposure.shares
                for value in exposure.significant & share.keys()
            },
            cells=max((exposure.occurrences for exposure in exposed), default=0),
            l=l,
            epsilon=epsilon,
        )
        if start is None:
            start = {
                (j, r, a)
                for j, people in enumerate(self.rows)
                for r in range(len(people))
                for a in self.positions
            }
        gone, least = start, 0
        first = clock if scale.exact else clock.share(SANITIZING.cells)
        written = self._written(scale, first)
        if written is not None:
            program, hidden = written
            for cell, variable in hidden.items():
                program.add_hint(variable, cell in start)
            run = solved(program, seconds=first.left, seed=seed, workers=workers)
            if run.found:
                gone = min(start, {cell for cell, variable in hidden.items() if run.value(variable)}, key=len)
            if scale.exact:
                least = run.bound or 0
            elif (bounding := self._written(scale, clock, generous=True)) is not None:
                run = solved(bounding[0], seconds=clock.left, seed=seed, workers=workers)
                least = run.bound or 0
        return Stars(
            groups=tuple(self._starred(j, gone) for j in range(len(self.rows))),
            status=Status.OPTIMAL if len(gone) == least else Status.FEASIBLE,
            least=least,
        )

    def _written(self, scale: WholeShares, clock: Clock, *, generous: bool = False) -> _Program | None:
        """The program, if time is left to write it and to have it read."""
        began = clock.seconds
        try:
            program = self._program(scale, clock, generous=generous)
        except OutOfTimeError:
            return None
        return program if clock.fits(clock.seconds - began) else None

    def _program(self, scale: WholeShares, clock: Clock, *, generous: bool) -> _Program:
        model = cp_model.CpModel()
        hidden = {
            (j, r, a): model.new_bool_var(f"hidden[{j},{r},{a}]")
            for j, people in enumerate(self.rows)
            for r in range(len(people))
            for a in self.positions
        }
        for j, people in enumerate(self.rows):
            clock.ask()
            for a in self.positions:
                last: dict[str, cp_model.IntVar] = {}
                for r, member in enumerate(people):
                    value = str(member.point[a])
                    if value in last:
                        model.add_implication(hidden[j, r, a], last[value])
                    last[value] = hidden[j, r, a]
        for subset, exposures in self.by_subset.items():
            published: list[dict[str, list[cp_model.LinearExprT]]] = []
            for j in range(len(self.rows)):
                clock.ask()
                published.append(self._published(model, hidden, j, subset))
            for exposure in exposures:
                clock.ask()
                kept = [sum(published[j].get(exposure.value, ())) for j in exposure.groups]
                for amount, left, early in zip(kept, exposure.counts, exposure.hidden, strict=True):
                    if early:
                        model.add(amount <= left)
                if exposure.significant:
                    values = sorted(exposure.significant)
                    shares = [[share.get(k, Fraction(0)) for k in values] for share in exposure.shares]
                    scale.keep_even(model, kept, shares, most=exposure.occurrences, generous=generous)
        model.minimize(sum(hidden.values()))
        return model, hidden

    def _published(
        self,
        model: cp_model.CpModel,
        hidden: Mapping[Cell, cp_model.IntVar],
        j: int,
        subset: tuple[int, ...],
    ) -> dict[str, list[cp_model.LinearExprT]]:
        """By combination, one 0-1 expression per row of a group: whether it shows it."""
        found: dict[str, list[cp_model.LinearExprT]] = {}
        for r, member in enumerate(self.rows[j]):
            cells = [hidden[j, r, a] for a in subset]
            if len(cells) == 1:
                whole: cp_model.LinearExprT = 1 - cells[0]
            else:
                whole = variable = model.new_bool_var(f"shown[{j},{r},{subset}]")
                model.add_bool_or([variable, *cells])
                for cell in cells:
                    model.add_implication(variable, ~cell)
            found.setdefault(combination(member.point, subset), []).append(whole)
        return found

    def _starred(self, j: int, gone: set[Cell]) -> QIGroup:
        counts: dict[tuple[int, str], int] = {}
        for r, member in enumerate(self.rows[j]):
            for a in self.positions:
                if (j, r, a) in gone:
                    key = (a, str(member.point[a]))
                    counts[key] = counts.get(key, 0) + 1
        group = self.release.groups[j]
        added = tuple((a, value, count) for (a, value), count in sorted(counts.items()))
        return replace(group, hidden=(*group.hidden, *added)) if added else group
