"""Optimal microaggregation of the tables that its publications mask, beside MDAV's published values."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from optanon.instances.partitions import masking
from optanon.models.problem import Problem
from optanon.solver.baselines.microaggregation import mdav, variable_mdav
from optanon.solver.result import Result
from optanon.solver.search import solve_problem
from optanon.solver.verify.checking import verify

from .registry import Case, Row, case

PUBLISHED = {
    "tarragona": {3: "16.93", 5: "22.46", 10: "33.19"},
    "census": {3: "5.69", 5: "9.09", 10: "14.16"},
    "eia": {3: "0.48", 5: "1.67", 10: "3.84"},
}
"""MDAV's 100 SSE/SST of z-scores, by k."""


@case
@dataclass(frozen=True, kw_only=True)
class Microaggregation(Case):
    """Squared error under k-anonymity: MDAV, V-MDAV, ours with a certified bound, in the same numbers.

    Parameters
    ----------
    data : str
        Comma-separated list of ``tarragona`` (834 rows), ``census`` (1,080) and ``eia`` (4,092).
    k : str
        Comma-separated list.
    seconds : float
        Of each solve.
    rows : int
        Take a sample of so many rows; 0 for all.
    out : str
        Folder for partitions and certificates; none by default.
    workers : int
    """

    name: ClassVar[str] = "microaggregation"
    small_settings: ClassVar[dict[str, str | int | float]] = {
        "data": "census",
        "k": "3",
        "seconds": 10.0,
        "rows": 60,
    }

    data: str = "census,tarragona,eia"
    k: str = "3,4,5,10"
    seconds: float = 240.0
    rows: int = 0
    out: str = ""
    workers: int = 2

    def run(self) -> list[Row]:
        found: list[Row] = []
        for data in self.data.split(","):
            for k in map(int, self.k.split(",")):
                problem = masking(data, k, rows=self.rows, seed=self.seed)
                found.append(self._row(data, k, problem))
                sys.stderr.write(f"{found[-1]}\n")
        return found

    def _row(self, data: str, k: int, problem: Problem) -> Row:
        heuristics = [float(problem.objective(each(problem))[0]) for each in (mdav, variable_mdav)]
        published = None if self.rows else PUBLISHED[data].get(k)
        result = solve_problem(problem, time_limit=self.seconds, seed=self.seed, workers=self.workers)
        value, bound = result.objective[0], result.bound[0]
        assert bound is not None
        assert result.certificate is not None
        outcome = verify(result.certificate, problem, result.release)
        if self.out:
            write(Path(self.out), f"{data}-{k}", problem, result)
        return {
            "data": data,
            "rows": len(problem.table),
            "k": k,
            "MDAV published": published,
            "MDAV": round(heuristics[0], 4),
            "V-MDAV": round(heuristics[1], 4),
            "ours": round(float(value), 6),
            "certified bound": round(float(bound), 6),
            "gap %": round(100 * float((value - bound) / value), 5) if value else 0.0,
            "status": result.status.name,
            "seconds": round(result.seconds, 1),
            "verified": "whole" if outcome.whole else "in part",
            "why": cause(data, published, heuristics[0]),
        }


def cause(data: str, published: str | None, ours: float) -> str:
    """Why the published value comes out, or why not."""
    if published is None:
        return "no value was published"
    same = f"{ours:.2f}" == published
    if data == "eia" and same:
        return "as published, with UTILITYID as a number"
    return "as published" if same else "rows equally far away are taken in another order"


def write(folder: Path, name: str, problem: Problem, result: Result) -> None:
    """Write the number of each row's group, and the certificate."""
    assert result.release is not None
    assert result.certificate is not None
    folder.mkdir(parents=True, exist_ok=True)
    row, number = problem.table.row, [0] * len(problem.table)
    for group, members in enumerate(result.release.groups, start=1):
        for who in members.respondents:
            number[row[who]] = group
    (folder / f"{name}.groups").write_text("\n".join(map(str, number)) + "\n", encoding="utf-8")
    (folder / f"{name}.certificate.json").write_text(result.certificate.to_json(), encoding="utf-8")
