"""What the audit excludes, each with its proof, and all of it in a file that anyone can re-check."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np

from ...models.adversary.boxes import BoxSystem, box_population
from ...models.adversary.cells import population
from ...models.adversary.knowledge import Knowledge
from ...models.adversary.proof import Case, Checker, ProofStep, Split, ZeroProof
from ...models.adversary.rows import RowSystem
from ...models.adversary.system import System
from ...models.errors import CertificateError
from ...models.history import History
from ...models.parameters import require_kind
from .counts import Verdict
from .decide import Ground
from .possible import AnyPopulation, Possible

__all__ = [
    "Exclusion",
    "Ground",
    "ProofKind",
    "certificates",
    "check_certificates",
    "exclusions",
    "verify_audit",
]

ProofKind: TypeAlias = Literal[
    "set intersection", "propagation", "linear combination", "cases", "rests on CP-SAT"
]

KINDS: Mapping[int, ProofKind] = {
    Ground.PROPAGATION: "propagation",
    Ground.LINEAR: "linear combination",
    Ground.CASES: "cases",
    Ground.SOLVER: "rests on CP-SAT",
}


@dataclass(frozen=True, kw_only=True)
class Exclusion:
    """A value that respondents of one kind cannot have.

    Attributes
    ----------
    respondents : tuple of str
        They cannot be told apart by what the adversary knows.
    value : str
    proof : str
        What it rests on.
    """

    respondents: tuple[str, ...] = field(repr=False)
    value: str = field(repr=False)
    proof: ProofKind
    _possible: Possible[AnyPopulation] = field(repr=False)
    _cell: int = field(repr=False)
    _column: int | None = field(repr=False)

    def check(self) -> None:
        """Re-check the proof in whole numbers, without a solver.

        Raises
        ------
        CertificateError
            If it does not hold, or there is none but CP-SAT's word.
        """
        if self._column is None:
            _check_missing(self._possible, self._cell, self.value)
        elif self.proof == "rests on CP-SAT":
            raise CertificateError("this exclusion rests on CP-SAT: there is nothing to re-check")
        else:
            self._possible.derivation.checker.check(self._possible.derivation.proof(self._column))

    @property
    def steps(self) -> ZeroProof | None:
        """The proof itself; None for set intersection and where there is none."""
        if self._column is None or self.proof == "rests on CP-SAT":
            return None
        return self._possible.derivation.proof(self._column)


def _check_missing(possible: Possible[AnyPopulation], cell: int, value: str) -> None:
    """Whether a group of the cell does not publish the value, or knowledge excludes it."""
    people = possible.population
    system, v = people.system, people.values.index(value)
    if isinstance(system, System):
        own = system.patterns[cell]
        if (system.counts[own[own >= 0], v] == 0).any() or not system.allowed[cell, v]:
            return
    elif (cell, v) not in set(zip(system.cell.tolist(), system.value.tolist(), strict=True)):
        return
    raise CertificateError("a value is left out that all groups of the respondent publish")


def exclusions(possible: Possible[AnyPopulation]) -> Iterator[Exclusion]:
    """Everything that is excluded, by kind of respondent and value."""
    people = possible.population
    who: dict[int, list[str]] = {}
    for name, cell in people.cell_of.items():
        who.setdefault(cell, []).append(name)
    system = people.system
    column_of = {
        pair: j for j, pair in enumerate(zip(system.cell.tolist(), system.value.tolist(), strict=True))
    }
    for cell, names in who.items():
        for v, value in enumerate(people.values):
            j = column_of.get((cell, v))
            if j is not None and possible.verdicts[j] != Verdict.EXCLUDED:
                continue
            yield Exclusion(
                respondents=tuple(names),
                value=value,
                proof="set intersection" if j is None else KINDS[int(possible.grounds[j])],
                _possible=possible,
                _cell=cell,
                _column=j,
            )


def certificates(possible: Possible[AnyPopulation]) -> dict[str, Any]:
    """All proofs as plain values that JSON can hold: rows, steps, cases. No respondent is named.

    Columns are counts of kinds of respondents with a value, as `cells` and `boxes` number them.
    """
    grounds = possible.grounds
    asked = len(possible.population.system.cell)
    by_cases = np.flatnonzero(grounds == Ground.CASES).tolist()
    return {
        "system": _system(possible.population.system),
        "steps": [_plain_step(step) for step in possible.derivation.steps],
        "cases": [[j, _plain_case(possible.derivation.proof(j).case)] for j in by_cases],
        "excluded": np.flatnonzero(possible.verdicts[:asked] == Verdict.EXCLUDED).tolist(),
        "rests on CP-SAT": np.flatnonzero(grounds == Ground.SOLVER).tolist(),
    }


def _system(system: RowSystem) -> dict[str, list[int]]:
    compact = system.compact
    parts = {
        "start": compact.start,
        "column": compact.column,
        "sign": compact.sign,
        "low": system.low,
        "high": system.high,
        "most": system.most,
    }
    return {name: array.tolist() for name, array in parts.items()}


def check_certificates(content: Mapping[str, Any], system: System | BoxSystem) -> dict[str, int]:
    """Re-check a file of certificates against the releases, in whole numbers.

    Parameters
    ----------
    content : Mapping
        As made by `certificates`.
    system : System or BoxSystem
        Of the same releases and knowledge, see `population` and `box_population`.

    Returns
    -------
    dict
        How many exclusions were proven, and how many rest on CP-SAT.

    Raises
    ------
    CertificateError
        If it is about other releases, or a proof does not hold.
    """
    try:
        if content["system"] != _system(system):
            raise CertificateError(
                "certificate: it is about other releases or other knowledge: give those of its audit, in the "
                "same order, and the same --knowledge if it had any"
            )
        checker = Checker(system)
        proven = set(checker.replay(_read_step(step) for step in content["steps"]))
        for column, case in content["cases"]:
            _require_whole("cases hold", [column])
            checker.check(ZeroProof(column, _read_case(case)))
            proven.add(column)
        # Further columns of a system say where somebody is, not what value.
        excluded = set(content["excluded"])
        if excluded - set(range(len(system.cell))):
            raise CertificateError("certificate: it excludes something else than values of respondents")
        left = excluded - proven
        if left - set(content["rests on CP-SAT"]):
            raise CertificateError(f"certificate: {len(left)} exclusions have no proof")
        return {"proven": len(excluded & proven), "rests on CP-SAT": len(left)}
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise CertificateError(f"certificate: it is not readable ({error})") from error


def verify_audit(
    content: Mapping[str, Any], history: History, knowledge: Knowledge | None = None
) -> dict[str, int]:
    """Re-check the certificates of an audit against its releases, without a solver.

    Parameters
    ----------
    content : Mapping
        `AuditReport.certificates()`, or what JSON made of it.
    history, knowledge
        Of the audit.

    Returns
    -------
    dict
        How many exclusions were proven, and how many rest on CP-SAT.

    Raises
    ------
    CertificateError
        If they are about other releases or knowledge, or a proof does not hold.
    InputError
        If the content or the knowledge is none.
    """
    require_kind("content", content, Mapping, remedy="give report.certificates()")
    known = Knowledge.of(knowledge)
    if known.persistence == "transient":
        raise CertificateError(
            "certificate: proofs are about values that never change, and here they change freely: name the "
            "knowledge of its audit, with persistence 'persistent' or 'both'"
        )
    build = box_population if known.membership == "boxes" else population
    return check_certificates(content, build(history, known).system)


def _plain_step(step: ProofStep) -> list[Any]:
    return [list(step.columns), step.side, step.bound, [list(pair) for pair in step.rows], step.scale]


def _read_step(plain: Any) -> ProofStep:
    columns, side, bound, rows, scale = plain
    _require_whole("a step holds", [*columns, side, bound, scale, *(x for pair in rows for x in pair)])
    return ProofStep(tuple(columns), side, bound, tuple((row, times) for row, times in rows), scale)


def _require_whole(what: str, numbers: Iterable[object]) -> None:
    if not all(type(x) is int for x in numbers):
        raise CertificateError(f"certificate: {what} something else than whole numbers")


def _plain_case(case: Case) -> dict[str, Any]:
    split = case.split
    return {
        "steps": [_plain_step(step) for step in case.steps],
        "split": None
        if split is None
        else [split.column, split.at, _plain_case(split.below), _plain_case(split.above)],
    }


def _read_case(plain: Any) -> Case:
    split = None
    if plain["split"] is not None:
        column, at, below, above = plain["split"]
        # Between "at most 1/2" and "at least 3/2" would be a count of one.
        _require_whole("cases hold", [column, at])
        split = Split(column, at, _read_case(below), _read_case(above))
    return Case(tuple(_read_step(step) for step in plain["steps"]), split)
