"""Groups for the constant-ratio and geometric strategies (Fu, Wang, Wong, Wang), top-down.

The strategies tell which groups may link a respondent to a value. How groups are formed is not part
of them; their sec. 5.2 names top-down splitting as long as the guarantee holds. Here Mondrian's
cuts are made as long as both sides keep the strategy's rule.

The lemma there (if a group breaks the guarantee, so does one of its parts) is false for members with
different histories: a table that breaks the rule as one group might still be published in parts. The
lemma is what top-down splitting rests on, so such a table is refused.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ...models.breach_probability import NOT_LINKED, Exposure, exposure
from ...models.errors import EngineError
from ...models.problem import Problem
from ...models.release import Release
from ...models.requirements.link_budget import LinkBudget
from ..settings import Clock
from .top_down import Rows, counts_before, top_down

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
            f"{baseline}: the whole table as one group breaks {rule}: allow fewer releases or tuples of "
            "frequent values, or protect fewer values"
        )
    return problem.assemble([rows.tolist() for rows in top_down(problem, everybody, budget, clock)])


class _Budget:
    """A rule's verdict on sets of rows: each value's share is at most the least that any row's past allows.

    Parameters
    ----------
    problem : Problem
    rule : LinkBudget
    """

    def __init__(self, problem: Problem, rule: LinkBudget) -> None:
        members, limit = problem.table.members, len(problem.table)
        names, self._values = np.unique([member.value for member in members], return_inverse=True)
        known: dict[Exposure, Fraction] = {NOT_LINKED: rule.share(NOT_LINKED, limit)}
        pasts: dict[tuple[tuple[int, int], ...], int] = {}  # by the groups somebody was in
        bounds: list[list[Fraction]] = []
        home: list[int] = []
        for member in members:
            record = problem.history.records.get(member.respondent)
            path = () if record is None else record.groups
            if path not in pasts:
                pasts[path] = len(bounds)
                links = exposure(problem.history, member.respondent)
                spent = [links.get(name, NOT_LINKED) for name in names.tolist()]
                known |= {one: rule.share(one, limit) for one in spent if one not in known}
                # Nobody may be linked more closely than a newcomer.
                bounds.append([min(known[NOT_LINKED], known[one]) for one in spent])
            home.append(pasts[path])
        shares = sorted({share for row in bounds for share in row} | {Fraction(1)})
        free = [not rule.protects(name) for name in names.tolist()]
        rank = {share: number for number, share in enumerate(shares)}
        ranks = [
            [rank[Fraction(1) if skip else share] for share, skip in zip(row, free, strict=True)]
            for row in bounds
        ]
        self._rank: NDArray[np.int64] = np.array(ranks, dtype=np.int64)[home]
        # Denominators are at most the number of rows: products stay small.
        self._up = np.array([share.numerator for share in shares], dtype=np.int64)
        self._down = np.array([share.denominator for share in shares], dtype=np.int64)

    def holds(self, rows: Rows) -> bool:
        """Whether the rows could be a group."""
        counts = np.bincount(self._values[rows], minlength=self._rank.shape[1])
        return bool(self._within(counts[None, :], self._rank[rows].min(axis=0)[None, :])[0])

    def sides(self, ordered: Rows, cuts: Rows) -> NDArray[np.bool_]:
        """See `Allowable`."""
        values = self._values[ordered]
        left = counts_before(values, cuts, self._rank.shape[1])
        whole = np.bincount(values, minlength=self._rank.shape[1])
        least = np.minimum.reduceat(self._rank[ordered], np.concatenate([[0], cuts]), axis=0)
        before = np.minimum.accumulate(least, axis=0)[:-1]
        after = np.minimum.accumulate(least[::-1], axis=0)[::-1][1:]
        return self._within(left, before) & self._within(whole - left, after)

    def _within(self, counts: NDArray[np.int64], ranks: NDArray[np.int64]) -> NDArray[np.bool_]:
        sizes = counts.sum(axis=1, keepdims=True)
        return np.all(self._down[ranks] * counts <= self._up[ranks] * sizes, axis=1)
