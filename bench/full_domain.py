"""Full-domain recoding of Adult with ARX's hierarchies: optimum over the whole lattice, with proof."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ..instances.adult import adult, arx_hierarchy
from ..models.hierarchy import Hierarchy
from ..models.policy import Policy
from ..models.problem import Problem
from ..models.requirements import KCAnonymity
from ..models.table import Microdata, QISpec
from ..solver.search import solve_problem
from .registry import Case, Row, case

ARX = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass")
HOURS = "hours-per-week"
WIDTHS = (5, 10, 20, 40)


@case
@dataclass(frozen=True, kw_only=True)
class FullDomain(Case):
    """ARX Adult, k = 5, 8 to 10 quasi-identifiers, nothing or a twentieth suppressed: levels, loss."""

    name: ClassVar[str] = "full-domain"
    small_settings: ClassVar[Mapping[str, Any]] = {"rows": 2000, "time_limit": 20}

    k: int = 5
    suppressed: str = "0,0.05"
    rows: int = 0
    time_limit: int = 120

    def run(self) -> list[Row]:
        """One row per table, requirement and share that may be suppressed.

        Tables: the first `rows` of the 30,162 complete rows (0: all). `8 QI` keeps the
        occupation as sensitive value, (k, 1/2); `9 QI` are all columns of ARX's table, k-anonymity as
        in ARX's experiments (one constant sensitive value); `10 QI` adds the weekly hours in
        bands of 5, 10, 20 and 40. Loss: information loss per tuple and quasi-identifier, 0 to 1
        (a suppressed tuple loses all).
        """
        both = KCAnonymity(k=self.k, c="1/2")  # pyright: ignore[reportArgumentType] - read exactly
        found: list[Row] = []
        for label, table, requirement in (
            ("8 QI", self._table("8"), both),
            ("9 QI", self._table("9"), KCAnonymity(k=self.k)),
            ("10 QI", self._table("10"), KCAnonymity(k=self.k)),
        ):
            for share in self.suppressed.split(","):
                policy = Policy(
                    [requirement],
                    "average_information_loss",
                    max_suppressed=int(share) if share == "0" else share,
                    recoding="full_domain",
                )
                found.append({"table": label, "requirement": str(requirement), **self._row(table, policy)})
        return found

    def _row(self, table: Microdata, policy: Policy) -> Row:
        limit = policy.suppression_limit(len(table))
        result = solve_problem(
            Problem(table=table, policy=policy), time_limit=self.time_limit, seed=self.seed, display=False
        )
        certificate = result.certificate
        effort: dict[str, Any] = {} if certificate is None else certificate.run.effort
        released = None if certificate is None else certificate.release
        levels = {} if released is None or released.levels is None else released.levels
        width = len(table.domains)
        bound = result.bounds[0] if result.bounds else None
        return {
            "tuples": len(table),
            "may suppress": limit,
            "status": result.status.value,
            "loss": float(result.objective[0] / width) if result.objective else None,
            "bound": None if bound is None else float(bound / width),
            "suppressed": None if result.release is None else len(result.release.suppressed),
            "groups": None if result.release is None else len(result.release.groups),
            "levels": " ".join(str(level) for level in levels.values()),
            "lattice": effort.get("lattice"),
            "visited": effort.get("visited"),
            "seconds": round(result.seconds, 2),
        }

    def _table(self, quasi_identifiers: str) -> Microdata:
        frame = adult().frame.assign(constant="any")
        frame = frame.head(self.rows) if self.rows else frame
        specs: dict[str, QISpec] = {name: arx_hierarchy(name) for name in ARX}
        specs["income"] = arx_hierarchy("salary-class")
        if quasi_identifiers != "8":
            specs["occupation"] = arx_hierarchy("occupation")
        if quasi_identifiers == "10":
            specs[HOURS] = Hierarchy.intervals(range(100), WIDTHS)
        return Microdata.from_frame(
            frame,
            respondent="id",
            quasi_identifiers=specs,
            sensitive="occupation" if quasi_identifiers == "8" else "constant",
        )
