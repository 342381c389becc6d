"""Which respondents a conflict is about.

Leaving a row out of the table would change the question (shares, sizes, the table's distribution), so
rows stay and what varies is who must be published: a set of respondents is *stuck* under some parts of
a policy if no release that keeps these parts publishes all of them, although everybody else may be
suppressed freely and still counts as part of the table. A core is a minimal stuck set: without any one
of its respondents the others can be published. There may be many cores (any four of seven people with
one disease); one is found, by leaving out blocks of people, half as large each time, and one by one
at the end.

If a conflict does not need the limit on suppression, not even one respondent can be published, and a
core would say nothing: there is none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ....models.problem import Problem
from ...parts import SUPPRESSION, PolicyPart, variant
from .trials import Trials

__all__ = ["Core", "find_core", "shrunk"]

LARGEST = 60
"""Tuples up to which a core is sought: it takes about one search per respondent in it."""


@dataclass(frozen=True, kw_only=True)
class Core:
    """A smallest set of respondents that cannot all be published.

    Attributes
    ----------
    respondents : tuple of str
        For the steward only.
    values : Mapping of str to int
        Their sensitive values.
    returning : int
        How many of them were published before.
    minimal : bool
        Whether it is proven that the others can be published if any one of them is left out.
    """

    respondents: tuple[str, ...] = field(repr=False)
    values: Mapping[str, int]
    returning: int
    minimal: bool


def find_core(problem: Problem, conflict: tuple[PolicyPart, ...], trials: Trials) -> Core | None:
    """A core of one conflict; None if there is none, the table is too large, or time is over."""
    if SUPPRESSION not in {part.key for part in conflict} or len(problem.table) > LARGEST:
        return None
    asked = variant(problem, [part for part in conflict if part.key != SUPPRESSION])
    if asked.policy.recoding != "multidimensional":
        return None

    def stuck(rows: list[int]) -> bool | None:
        found = trials.required(asked, rows).feasible
        return None if found is None else not found

    everybody = list(range(len(problem.table)))
    if not stuck(everybody):
        return None
    rows, minimal = shrunk(everybody, stuck)
    people = [problem.table.members[t] for t in rows]
    return Core(
        respondents=tuple(member.respondent for member in people),
        values=dict(sorted(Counter(member.value for member in people).items())),
        returning=sum(member.respondent in problem.history.records for member in people),
        minimal=minimal,
    )


def shrunk(rows: list[int], stuck: Callable[[list[int]], bool | None]) -> tuple[list[int], bool]:
    """A minimal stuck subset of a stuck set, and whether it is proven minimal.

    Whoever is needed at some point stays needed in every smaller stuck set, so one pass over single
    respondents is enough at the end.
    """
    kept, block, minimal = list(rows), max(1, len(rows) // 2), True
    while True:
        at, minimal = 0, True
        while at < len(kept):
            rest = kept[:at] + kept[at + block :]
            verdict = stuck(rest)
            if verdict:
                kept = rest
            else:
                minimal = minimal and verdict is not None
                at += block
        if block == 1:
            return kept, minimal
        block //= 2
