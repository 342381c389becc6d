"""The log of a search: every conclusion in its order, and the part of it that one exclusion needs."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from functools import cached_property

from .proof import Case, Checker, ProofStep, ZeroProof, steps_of
from .rows import Integers, RowSystem

__all__ = ["Derivation"]


class Derivation:
    """Steps that were concluded one after another about one system.

    Parameters
    ----------
    system : Rows
    """

    def __init__(self, system: RowSystem) -> None:
        self._system = system
        self._steps: list[ProofStep] = []
        self._raw: list[Integers] = []
        self._cases: dict[int, tuple[int, Case]] = {}
        self._at: defaultdict[tuple[int, int], list[int]] = defaultdict(list)

    @cached_property
    def checker(self) -> Checker:
        """Checks proofs about the system."""
        return Checker(self._system)

    def note_bounds(self, log: Integers) -> None:
        """Add what propagation concluded: lines of row, multiplier, column, side, bound."""
        if len(log):
            self._raw.append(log)

    def note(self, step: ProofStep) -> None:
        """Add one step."""
        self._flush()
        self._add(step)

    def note_cases(self, column: int, case: Case) -> None:
        """Add a proof by cases that a column is 0; later steps do not build on it."""
        self._flush()
        self._cases[column] = len(self._steps), case

    @property
    def steps(self) -> tuple[ProofStep, ...]:
        """All steps."""
        self._flush()
        return tuple(self._steps)

    def proof(self, column: int) -> ZeroProof:
        """What of the log shows that a column is 0; O(steps it needs)."""
        self._flush()
        before, case = self._cases.get(column, (len(self._steps), Case(())))
        wanted = [(column, 1)] if column not in self._cases else []
        for step in steps_of(case):
            wanted += self.checker.needs(step)
        chosen = self._slice([(*what, before) for what in wanted])
        return ZeroProof(column, Case((*(self._steps[i] for i in chosen), *case.steps), case.split))

    def _slice(self, open_: list[tuple[int, int, int]]) -> list[int]:
        chosen: set[int] = set()
        while open_:
            column, side, before = open_.pop()
            known = self._at.get((column, side), [])
            position = bisect_left(known, before) - 1
            if position < 0 or known[position] in chosen:
                continue
            at = known[position]
            chosen.add(at)
            open_ += [(*what, at) for what in self.checker.needs(self._steps[at])]
        return sorted(chosen)

    def _flush(self) -> None:
        for log in self._raw:
            for row, times, column, side, bound in log.tolist():
                self._add(ProofStep((column,), side, bound, ((row, times),)))
        self._raw.clear()

    def _add(self, step: ProofStep) -> None:
        for column in step.columns:
            self._at[column, step.side].append(len(self._steps))
        self._steps.append(step)
