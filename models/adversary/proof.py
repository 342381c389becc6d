"""Proofs that a count is zero in every possible world, and their check in whole numbers.

A *step* is a conclusion from some rows and the bounds known so far. With multipliers y, a scale s
and a side (1: at most, -1: at least), ``s * side * sum(x[columns]) - sum_r y_r row_r`` is a sum of
single columns; so

    s * side * sum(x[columns]) <= sum_r y_r side_r + sum_k z_k bound_k,

with the upper side of rows and columns where y or z is positive and the lower side where it is
negative. Dividing by s and rounding down gives a bound on whole numbers. One row with multiplier 1 is
propagation; several are a linear program's duals (Farkas); no columns at all and less than 0 on the
right is a contradiction. Where linear reasoning is not enough a proof goes on by *cases*: some
column is at most b, or it is at least b + 1.

Nothing here searches: a proof is found elsewhere and is refused if a single step does not follow.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ..errors import CertificateError
from .rows import RowSystem

__all__ = ["Case", "Checker", "ProofStep", "Split", "ZeroProof", "steps_of"]

Multipliers: TypeAlias = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class ProofStep:
    """One conclusion.

    Attributes
    ----------
    columns : tuple of int
        What it bounds: the sum of these columns. Several only if their sum is found to be 0; none
        if there is a contradiction.
    side : int
        1 for an upper bound, -1 for a lower one.
    bound : int
        The bound.
    rows : tuple of (row, multiplier)
        What it follows from.
    scale : int
        At least 1; the left hand side counts so many times.
    """

    columns: tuple[int, ...]
    side: int
    bound: int
    rows: Multipliers
    scale: int = 1


@dataclass(frozen=True, slots=True)
class Case:
    """Steps one after another, and what is distinguished after them if they do not suffice."""

    steps: tuple[ProofStep, ...]
    split: Split | None = None


@dataclass(frozen=True, slots=True)
class Split:
    """Either a column is at most `at`, or it is at least `at` + 1."""

    column: int
    at: int
    below: Case
    above: Case


@dataclass(frozen=True, slots=True)
class ZeroProof:
    """That `column` is 0 in every world."""

    column: int
    case: Case


class Checker:
    """A system as plain lists, ready to check proofs in Python's own integers.

    Parameters
    ----------
    system : Rows
        O(entries) to set up; a proof then costs the entries of the rows it names.
    """

    def __init__(self, system: RowSystem) -> None:
        compact = system.compact
        self._start: list[int] = compact.start.tolist()
        self._column: list[int] = compact.column.tolist()
        self._sign: list[int] = compact.sign.tolist()
        self._low: list[int] = system.low.tolist()
        self._high: list[int] = system.high.tolist()
        self._most: list[int] = system.most.tolist()

    def check(self, proof: ZeroProof) -> None:
        """Replay a proof.

        Raises
        ------
        CertificateError
            If a step does not follow, or the steps do not suffice.
        """
        if not 0 <= proof.column < len(self._most):
            raise CertificateError("certificate: there is no such count in these releases")
        self._closed(proof.case, _Known({}, {}), proof.column)

    def replay(self, steps: Iterable[ProofStep]) -> frozenset[int]:
        """Columns that steps show to be 0, all steps being checked.

        Raises
        ------
        CertificateError
            If a step does not follow, or they contradict each other.
        """
        known = _Known({}, {})
        for number, step in enumerate(steps, start=1):
            if self._take(step, known, number):
                raise CertificateError(f"certificate: step {number} contradicts the releases")
        return frozenset(column for column, most in known.upper.items() if most == 0)

    def needs(self, step: ProofStep) -> list[tuple[int, int]]:
        """Columns whose bounds a step may use, with the side it uses."""
        return [(column, 1 if weight > 0 else -1) for column, weight in self._rest(step).items() if weight]

    def _closed(self, case: Case, known: _Known, target: int) -> None:
        for number, step in enumerate(case.steps, start=1):
            if self._take(step, known, number):
                return
        if known.upper.get(target, self._most[target]) <= 0:
            return
        split = case.split
        if split is None:
            raise CertificateError("certificate: its steps do not show that the count is 0")
        if not 0 <= split.column < len(self._most):
            raise CertificateError("certificate: cases are about a count that is not there")
        for branch, side, bound in ((split.below, 1, split.at), (split.above, -1, split.at + 1)):
            inner = _Known(dict(known.lower), dict(known.upper))
            self._note(inner, split.column, side, bound)
            self._closed(branch, inner, target)

    def _take(self, step: ProofStep, known: _Known, number: int) -> bool:
        """Check a step and keep what it says; whether nothing is possible any more."""
        if step.scale < 1 or step.side not in (1, -1):
            raise CertificateError(f"certificate: step {number} is not readable")
        total = 0
        try:
            for row, times in step.rows:
                total += times * (self._high if times > 0 else self._low)[_whole(row)]
            for column, weight in self._rest(step).items():
                bound = self._upper(known, column) if weight > 0 else known.lower.get(column, 0)
                total += weight * bound
        except IndexError as error:
            raise CertificateError(f"certificate: step {number} names rows that are not there") from error
        if total // step.scale > step.side * step.bound:
            raise CertificateError(f"certificate: step {number} does not follow")
        if not step.columns:
            if step.side * step.bound >= 0:
                raise CertificateError(f"certificate: step {number} says nothing")
            return True
        if len(step.columns) > 1 and (step.side, step.bound) != (1, 0):
            raise CertificateError(f"certificate: step {number} bounds a sum by something else than 0")
        crossed = [self._note(known, column, step.side, step.bound) for column in step.columns]
        return any(crossed)

    def _rest(self, step: ProofStep) -> dict[int, int]:
        """What is left of single columns when the rows are taken away."""
        rest: defaultdict[int, int] = defaultdict(int)
        for column in step.columns:
            rest[_whole(column)] += step.side * step.scale
        for row, times in step.rows:
            for entry in range(self._start[_whole(row)], self._start[row + 1]):
                rest[self._column[entry]] -= times * self._sign[entry]
        return rest

    def _upper(self, known: _Known, column: int) -> int:
        return known.upper.get(column, self._most[column])

    def _note(self, known: _Known, column: int, side: int, bound: int) -> bool:
        """Keep a bound if it is tighter; whether it crosses the other one."""
        if side > 0:
            known.upper[column] = min(bound, self._upper(known, column))
        else:
            known.lower[column] = max(bound, known.lower.get(column, 0))
        return known.lower.get(column, 0) > self._upper(known, column)


@dataclass(slots=True)
class _Known:
    """Bounds that differ from the first ones."""

    lower: dict[int, int]
    upper: dict[int, int]


def _whole(index: int) -> int:
    if index < 0:
        raise IndexError(index)
    return index


def steps_of(case: Case) -> Sequence[ProofStep]:
    """All steps of a case and the cases within."""
    if case.split is None:
        return case.steps
    return (*case.steps, *steps_of(case.split.below), *steps_of(case.split.above))
