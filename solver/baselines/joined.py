"""Byun et al.'s merge approach with one recoding scheme: classes that meet are joined.

The source anonymizes new records by themselves and merges them "with the previously released dataset", which
"would inevitably have a significant effect on generalization (recoding) scheme" (sec. 6.2). Publishing both
sets of classes side by side has none: boxes overlap. Read as one scheme for everybody,

mondrian   classes whose boxes meet become one class, until no two boxes meet;
incognito  a column is published at the higher one of the level of the last release and that of the new
           records (the least common one of the level vectors).

Every class is a union of earlier and of new ones, so whatever the classes side by side keep stays kept: its
differences are unions of classes that are (k, c), and larger boxes hide more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ...models.box import Box, Cell, Leaves, meets
from ...models.errors import EngineError
from ...models.problem import Problem
from ...models.recoding import Ladder
from ...models.release import Release
from ..settings import Clock
from .incognito import classes_of, first_passing
from .inferences import new_rows
from .mondrian import cut_rows
from .top_down import Rows, needs_boxes, tight_box_of

__all__ = ["incognito_joined", "mondrian_joined"]


def mondrian_joined(problem: Problem, seed: int = 0, clock: Clock | None = None) -> Release:
    """Anonymize what is new by Mondrian, and join its classes with those of the last release that they meet.

    Parameters
    ----------
    problem, seed, clock
        As for `mondrian_merge`.

    Raises
    ------
    EngineError
        If the new records are not (k, c), and as `new_rows`.

    Notes
    -----
    O(classes**2) comparisons of boxes per attribute.
    """
    needs_boxes(problem, "mondrian_joined")
    fresh = new_rows(problem, "mondrian_joined")
    groups = cut_rows(problem, fresh, "mondrian_joined", clock) if len(fresh) else []
    kept = [np.array(rows, dtype=np.int64) for rows in _last(problem)]
    joined = _apart(problem, [*groups, *kept], clock or Clock())
    return problem.assemble([np.sort(rows).tolist() for rows in joined])


def incognito_joined(problem: Problem, seed: int = 0, clock: Clock | None = None) -> Release:
    """Recode what is new, and everybody by the higher one of its levels and those of the last release.

    Parameters
    ----------
    problem, seed, clock
        As for `incognito_merge`.

    Raises
    ------
    EngineError
        As `incognito_merge`; also if the last release was not made with the problem's levels.
    """
    fresh = new_rows(problem, "incognito_joined")
    ladders = problem.ladders
    levels = first_passing(problem, fresh, "incognito_joined", clock) if len(fresh) else (0,) * len(ladders)
    if len(problem.history):
        before = [_level(ladder, _published(problem, a)) for a, ladder in enumerate(ladders)]
        levels = tuple(map(max, levels, before))
    groups, boxes = classes_of(problem, np.arange(len(problem.table), dtype=np.int64), levels)
    return problem.assemble([rows.tolist() for rows in groups], boxes=boxes)


def _last(problem: Problem) -> Iterator[list[int]]:
    for group in problem.history[-1].groups if len(problem.history) else ():
        yield [problem.table.row[member.respondent] for member in group.members]


def _apart(problem: Problem, groups: Sequence[Rows], clock: Clock) -> list[Rows]:
    """Join groups until no two tight boxes meet."""
    done: list[tuple[Rows, Box]] = []
    pending = [(rows, tight_box_of(problem, rows)) for rows in reversed(groups)]
    while pending:
        clock.ask()
        rows, box = pending.pop()
        met = [i for i, (_, other) in enumerate(done) if meets(box, other)]
        if not met:
            done.append((rows, box))
            continue
        together = np.concatenate([rows, *(done[i][0] for i in met)])
        done = [one for i, one in enumerate(done) if i not in set(met)]
        pending.append((together, tight_box_of(problem, together)))
    return [rows for rows, _ in done]


def _published(problem: Problem, a: int) -> set[tuple[int, Cell]]:
    """Cells of a column in the last release, each with the code of somebody in it."""
    table = problem.table
    return {
        (int(table.codes[table.row[next(iter(group.respondents))], a]), group.box[a])
        for group in problem.history[-1].groups
        if group.box is not None
    }


def _level(ladder: Ladder, published: set[tuple[int, Cell]]) -> int:
    """The lowest level that keeps what was published in a cell together.

    Raises
    ------
    EngineError
        If there is none.
    """
    for level in range(ladder.height + 1):
        if all(_within(cell, ladder.cell(level, code)) for code, cell in published):
            return level
    raise EngineError(
        f"incognito_joined: column {ladder.domain.name!r} was published in cells that no level of its "
        "hierarchy covers: start the series with incognito_joined or incognito_merge"
    )


def _within(one: Cell, other: Cell) -> bool:
    if isinstance(one, Leaves) or isinstance(other, Leaves):
        return isinstance(one, Leaves) and isinstance(other, Leaves) and one.values <= other.values
    return other.lo <= one.lo and one.hi <= other.hi
