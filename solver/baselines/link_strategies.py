"""Groups for the constant-ratio and geometric strategies (Fu, Wang, Wong, Wang), top-down.

The strategies tell which groups may link a respondent to a value. How groups are formed is not part
of them; their sec. 5.2 names top-down splitting as long as the guarantee holds. Here Mondrian's
cuts are made as long as both sides keep the strategy's rule.

The lemma there (if a group breaks the guarantee, so does one of its parts) is false for members with
different histories: a table that breaks the rule as one group might still be published in parts. The
lemma is what top-down splitting rests on, so such a table is refused.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...models.breach_probability import Exposure, exposure
from ...models.errors import EngineError
from ...models.problem import Problem
from ...models.release import Release
from ...models.requirements.link_budget import LinkBudget
from ..settings import Clock
from .top_down import Rows, top_down

__all__ = ["split_within_budget"]


def split_within_budget(
    problem: Problem, rule: LinkBudget, baseline: str, clock: Clock | None = None
) -> Release:
    """Cut the table while both sides keep a rule on links.

    O(d n log n) plus one verdict per part, protected value and different past.

    Raises
    ------
    EngineError
        If the table as one group breaks the rule.
    """
    budget = _Budget(problem, rule)
    everybody = np.arange(len(problem.table), dtype=np.int64)
    if not budget.holds(everybody):
        raise EngineError(
            f"{baseline}: the table as one group breaks {rule}: allow fewer releases or tuples of frequent "
            "values, or protect fewer values"
        )
    groups = top_down(
        problem, everybody, lambda _, left, right: budget.holds(left) and budget.holds(right), clock
    )
    return problem.assemble([rows.tolist() for rows in groups])


class _Budget:
    """A rule's verdict on sets of rows; people with equal pasts are looked at once."""

    def __init__(self, problem: Problem, rule: LinkBudget) -> None:
        self.rule = rule
        names, values = np.unique([member.value for member in problem.table.members], return_inverse=True)
        self.names: list[str] = names.tolist()
        self.values = values
        self.pasts: list[Mapping[str, Exposure]] = []
        known: dict[tuple[tuple[int, int], ...], int] = {}  # by the groups somebody was in
        home: list[int] = []
        for member in problem.table.members:
            record = problem.history.records.get(member.respondent)
            path = () if record is None else record.groups
            if path not in known:
                known[path] = len(self.pasts)
                self.pasts.append(exposure(problem.history, member.respondent))
            home.append(known[path])
        self.home = np.array(home, dtype=np.int64)

    def holds(self, rows: Rows) -> bool:
        size = len(rows)
        numbers = np.bincount(self.values[rows], minlength=len(self.names)).tolist()
        counts = {
            name: count
            for name, count in zip(self.names, numbers, strict=True)
            if count and self.rule.protects(name)
        }
        if not all(self.rule.fits(count, size) for count in counts.values()):
            return False  # nobody may be linked more closely than a newcomer
        return all(
            self.rule.fits(counts[name], size, spent)
            for past in np.unique(self.home[rows]).tolist()
            for name, spent in self.pasts[past].items()
            if name in counts
        )
