"""What cuts are made of: groups that stay as they are, sums that count only sometimes, boxes that meet.

Each function returns literals or expressions of an `Encoding`; what they mean is exact for
every release of its problem.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction

from ortools.sat.python import cp_model

from .adversary.linear import Combination
from .box import Box, Cell, Interval
from .domain import Domain
from .encoding import Cut, Encoding
from .release import Release

__all__ = [
    "box_conditions",
    "divided",
    "divided_levels",
    "fake_limit",
    "hidden_if",
    "rows_of",
]


def rows_of(model: Encoding, people: Collection[str]) -> list[int]:
    """Rows of those of the people who are in the table, in order."""
    row = model.table.row
    return sorted(row[who] for who in people if who in row)


def fake_limit(model: Encoding) -> int:
    """Most counterfeits of one value that a slot can have."""
    return model.fake_cap


def hidden_if(model: Encoding, rows: Collection[int]) -> list[cp_model.IntVar]:
    """Literals of the rows' suppression; none where nothing may be suppressed."""
    return [hidden for t in sorted(rows) if isinstance(hidden := model.suppressed(t), cp_model.IntVar)]


def divided(model: Encoding, g: int, rows: Collection[int]) -> tuple[cp_model.IntVar, cp_model.IntVar] | None:
    """Literals: slot g holds one of the rows; it holds somebody else. None if it can never do both."""
    here = [t for t in model.candidates(g) if t in rows]
    there = [t for t in model.candidates(g) if t not in rows]
    if not here or not there:
        return None
    return _some(model, g, here), _some(model, g, there)


def divided_levels(found: Combination, release: Release) -> Cut:
    """Cut off every release in which the same linear combination can be made.

    Let v(p) be the coefficient of p's new group, 0 if it has none. A release gives the same
    sum if each level set {v = l}, l other than 0, is a union of its groups and these have no
    counterfeits; so some level set must be divided, or have a counterfeit or somebody
    suppressed. If the groups found have counterfeits, the cut only forbids these groups
    together.
    """
    levels: dict[Fraction, set[str]] = {}
    fakes = False
    for index, coefficient in found.new.items():
        levels.setdefault(coefficient, set()).update(release.groups[index].respondents)
        fakes |= bool(release.groups[index].fakes)
    groups = [release.groups[index] for index in found.new]

    def apply(model: Encoding) -> None:
        if fakes:
            same = [literal for group in groups for literal in model.same_group(group)]
            model.cp.add_bool_or([]).only_enforce_if(*same)
            return
        options: list[cp_model.IntVar] = []
        for people in levels.values():
            rows = set(rows_of(model, people))
            for g in model.slots:
                both = divided(model, g, rows)
                if both is not None:
                    option = model.cp.new_bool_var(f"divided[{g}]")
                    model.cp.add_bool_and(both).only_enforce_if(option)
                    options.append(option)
                if g in rows and model.may_fake:
                    options.append(model.at_least(("all_fakes", g), model.all_fakes(g), 1))
            options += hidden_if(model, rows)
        model.cp.add_bool_or(options)

    return Cut(f"linear combination of {len(found.new)} new and {len(found.earlier)} earlier groups", apply)


def box_conditions(model: Encoding, g: int, box: Box) -> list[cp_model.IntVar] | None:
    """Literals that together say, of a used slot: its published box meets `box`. None if it never does.

    The ends of a tight interval are members' values, so it reaches a bound exactly if some
    member does; a taxonomy node meets a set exactly if some member forces it up to the
    first ancestor of the anchor that does.
    """
    literals: list[cp_model.IntVar] = []
    for a, (domain, cell) in enumerate(zip(model.table.domains, box, strict=True)):
        codes = model.table.codes[:, a].tolist()
        alternatives = _reaching(domain, cell, codes, g, model.candidates(g))
        if not alternatives:
            return None
        if any(not needed for needed in alternatives):
            continue
        if len(alternatives) == 1:
            literals += [_some(model, g, rows) for rows in alternatives[0]]
            continue
        either = model.cp.new_bool_var(f"meets[{g},{a}]")
        options: list[cp_model.IntVar] = []
        for needed in alternatives:
            option = model.cp.new_bool_var(f"run[{g},{a},{len(options)}]")
            parts = [_some(model, g, rows) for rows in needed]
            model.cp.add_bool_and(parts).only_enforce_if(option)
            model.cp.add_bool_or([option, *(~part for part in parts)])
            model.cp.add_implication(option, either)
            options.append(option)
        model.cp.add_bool_or([~either, *options])
        literals.append(either)
    return literals


def _some(model: Encoding, g: int, rows: Sequence[int]) -> cp_model.IntVar:
    """Literal: slot g holds at least one of the rows."""
    if len(rows) == 1:
        return model.x(rows[0], g)
    return model.at_least(("some", g, tuple(rows)), model.held(g, rows), 1)


def _reaching(
    domain: Domain, cell: Cell, codes: Sequence[int], home: int, candidates: Sequence[int]
) -> list[list[list[int]]]:
    """Alternatives; each lists sets of rows, one member of each set is needed besides the anchor."""
    if chain := domain.chain(codes[home]):
        first = next((j for j, node in enumerate(chain) if domain.cell(*node).meets(cell)), None)
        if first is None:
            return []
        if first == 0:
            return [[]]
        lo, hi = chain[first - 1]
        rows = [t for t in candidates if not lo <= codes[t] <= hi]
        return [[rows]] if rows else []
    alternatives: list[list[list[int]]] = []
    for low, high in _runs(domain, cell, [codes[t] for t in candidates]):
        ends = [[t for t in candidates if codes[t] <= high], [t for t in candidates if codes[t] >= low]]
        if all(ends):
            alternatives.append([rows for rows in ends if rows[0] != home])
    return alternatives


def _runs(domain: Domain, cell: Cell, codes: Sequence[int]) -> list[tuple[int, int]]:
    """Code intervals; codes from lo to hi are published as a cell that meets `cell` if they meet one."""
    if isinstance(cell, Interval):
        # a value below the cell can still be the lower end of an interval that meets it
        own = [(c, domain.cell(c, c)) for c in codes]
        below = [c for c, point in own if isinstance(point, Interval) and point.lo <= cell.hi]
        above = [c for c, point in own if isinstance(point, Interval) and point.hi >= cell.lo]
        return [(min(above), max(below))] if below and above else []
    runs: list[tuple[int, int]] = []
    for code in range(min(codes), max(codes) + 1):
        if domain.cell(code, code).meets(cell):
            if runs and runs[-1][1] == code - 1:
                runs[-1] = (runs[-1][0], code)
            else:
                runs.append((code, code))
    return runs
