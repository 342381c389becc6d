"""Safe correlation on Adult and Bank: the authors' linear program, whole cells, grouping decided too."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

import pandas as pd

from ..instances.datasets import adult, bank
from ..models.correlation import Support
from ..models.errors import InputError, PolicyError
from ..models.exposure import LossMetric
from ..models.problem import Problem
from ..models.release import Release
from ..models.requirements import SafeCorrelation
from ..models.table import Microdata
from ..solver.engines.sanitize import Sanitized, sanitize
from ..solver.engines.suppress import suppress_linear
from ..solver.result import Result
from ..solver.search import solve_problem
from .registry import Case, Row, case
from .safe_correlation_figures import Figures, anatomized, policy_of

QI, SEX, SENSITIVE = "education", "sex", "value"
ALL = "(all)"
ATTEMPTS = 1000


@case
@dataclass(frozen=True, kw_only=True)
class SafeCorrelationReplay(Case):
    """Education against occupation (Adult) or balance (Bank): linear program, whole cells, joint optimum.

    These are the two data sets of the source (sec. 7.2); of Bank it does not say which column is
    correlated with the balance (in 21 bands of equal frequency here).
    """

    name: ClassVar[str] = "safe-correlation"
    small_settings: ClassVar[dict[str, Any]] = {
        "l": "3",
        "rows": 2000,
        "slice_rows": 12,
        "time_limit": 10,
    }

    data: str = "adult,bank"
    l: str = "3,4,5"  # noqa: E741
    min_confidence: str = "0.1"
    max_confidence: str = "0.9"
    min_support: str = "0.2"
    epsilon: str = "0"
    rows: int = 0
    slice_rows: int = 20
    time_limit: int = 60
    figures: bool = False
    """Figures 4, 5 and 6 of the source instead, and a table of what the readings of support lose."""
    figure_epsilon: str = "1"
    """Epsilon of the figures, in tuples: shares by worlds are hardly ever equal."""
    together: bool = False
    """Education and sex of Adult together instead (Def. 7), with the epsilon of the figures."""

    def run(self) -> list[Row]:
        """One row per data set, l, reading of support and affected education, and one for all together.

        Table: `rows` tuples (0: all 32,561 of Adult, a missing occupation being a value, or all 45,211
        of Bank) are grouped by Anatomy and sanitized; `linear` and `whole` are published cells by the
        authors' linear program (floating point) and in whole cells, with the proven bound and the loss
        metric of `whole` over all tuples and over the value's cells. Slice: the same for `slice_rows` tuples
        with the two most frequent educations (of seeds from `seed` on, the first whose slice has no
        occupation above 1/l), and under `jointly` the optimum over all groupings in which no value
        has a share above 1/l (fewest hidden cells, then most groups).
        """
        if self.figures:
            return self._figures().rows()
        if self.together:
            return [row for number in self._numbers() for row in self._together(number)]
        return [{"data": name} | row for name in self.data.split(",") for row in self._rows(name.strip())]

    def _figures(self) -> Figures:
        frames = {name.strip(): _frame(name.strip()) for name in self.data.split(",")}
        return Figures(
            tables={
                name: self._table(frame.sample(self.rows, random_state=self.seed) if self.rows else frame)
                for name, frame in frames.items()
            },
            attribute=QI,
            l=self._numbers(),
            min_support=Fraction(self.min_support),
            epsilon=Fraction(self.figure_epsilon),
            time_limit=self.time_limit,
            seed=self.seed,
        )

    def _together(self, l: int) -> Iterator[Row]:  # noqa: E741
        """Def. 7: cells of a given grouping; for the slice, by either shares, groups and cells at once."""
        frame = _frame("adult", SEX)
        whole = self._table(frame.sample(self.rows, random_state=self.seed) if self.rows else frame, SEX)
        few = self._slice(frame[frame[QI].isin(frame[QI].value_counts().index[:2])], l, SEX)
        for part, table, shares in (
            ("table", whole, "uniform"),
            ("slice", few, "uniform"),
            ("slice", few, "worlds"),
        ):
            requirement = replace(
                self._requirement(l, "qi"),
                attribute=(QI, SEX),
                epsilon=Fraction(self.figure_epsilon),
                shares=shares,
            )
            began, clock = time.monotonic(), time.process_time()
            done = self._sanitized(table, requirement)
            row: Row = {
                "part": part,
                "l": l,
                "shares": shares,
                "cells": 2 * len(table),
                "hidden": done.release.hidden_cells,
                "least": done.least_hidden,
                "seconds": round(time.monotonic() - began, 1),
                "CPU seconds": round(time.process_time() - clock, 1),
            }
            if part == "slice":
                result, release = self._searched(table, requirement, done)
                row |= {
                    "jointly": release.hidden_cells,
                    "jointly least": int(result.bounds[0] or 0),
                    "status": result.status.value,
                }
            yield row

    def _rows(self, data: str) -> list[Row]:
        frame = _frame(data)
        whole = self._table(frame.sample(self.rows, random_state=self.seed) if self.rows else frame)
        frequent = frame[frame[QI].isin(frame[QI].value_counts().index[:2])]
        rows: list[Row] = []
        for number in self._numbers():
            for reading in ("joint", "qi"):
                requirement = self._requirement(number, reading)
                rows += self._given("table", self._sanitized(whole, requirement), requirement)
        for number in self._numbers():
            rows += self._jointly(self._slice(frequent, number), self._requirement(number, "qi"))
        return rows

    def _numbers(self) -> list[int]:
        try:
            return [int(part) for part in self.l.split(",")]
        except ValueError as error:
            raise PolicyError(f"l must be whole numbers with commas between, got {self.l!r}") from error

    @staticmethod
    def _table(frame: pd.DataFrame, *others: str) -> Microdata:
        return Microdata.from_frame(
            frame,
            respondent="id",
            quasi_identifiers=dict.fromkeys((QI, *others), "flat"),
            sensitive=SENSITIVE,
            missing="category",
        )

    def _slice(self, frame: pd.DataFrame, l: int, *others: str) -> Microdata:  # noqa: E741
        for seed in range(self.seed, self.seed + ATTEMPTS):
            drawn = frame.sample(self.slice_rows, random_state=seed).sort_index()
            if l * drawn[SENSITIVE].fillna("missing").value_counts().max() <= self.slice_rows:
                return self._table(drawn, *others)
        raise PolicyError(
            f"slice_rows {self.slice_rows}: too few for l = {l}, some sensitive value is always too frequent"
        )

    def _requirement(self, l: int, reading: Support) -> SafeCorrelation:  # noqa: E741
        return SafeCorrelation(
            attribute=QI,
            l=l,
            min_confidence=Fraction(self.min_confidence),
            max_confidence=Fraction(self.max_confidence),
            min_support=Fraction(self.min_support),
            support=reading,
            epsilon=Fraction(self.epsilon),
        )

    def _sanitized(self, table: Microdata, requirement: SafeCorrelation) -> Sanitized:
        problem = Problem(table=table, policy=policy_of(requirement))
        done = sanitize(
            anatomized(table, requirement, self.seed), requirement, time_limit=self.time_limit, seed=self.seed
        )
        broken = next(problem.check(done.release), None)
        if broken is not None:
            raise AssertionError(f"the release is not safe: {broken.message}")
        return done

    def _searched(
        self, table: Microdata, requirement: SafeCorrelation, done: Sanitized
    ) -> tuple[Result, Release]:
        """The best groups and cells together, from a sanitized grouping on."""
        result = solve_problem(
            Problem(table=table, policy=policy_of(requirement)),
            time_limit=self.time_limit,
            seed=self.seed,
            display=False,
            initial=done.release,
        )
        if result.release is None:
            raise AssertionError("a release to start from was given, and none came back")
        return result, result.release

    def _given(self, part: str, done: Sanitized, requirement: SafeCorrelation) -> list[Row]:
        """Rows of a given grouping."""
        rows: list[Row] = []
        for value in done.values:
            linear = suppress_linear(value.exposure, requirement.l, requirement.epsilon)
            rows.append(
                {
                    "part": part,
                    "l": requirement.l,
                    "support": requirement.support,
                    QI: value.exposure.value,
                    "cells": value.exposure.occurrences,
                    "|S|": len(value.exposure.significant),
                    "early": sum(value.exposure.hidden),
                    "linear": round(linear, 2),
                    "whole": value.suppression.objective,
                    "bound": value.suppression.bound,
                    **_losses(value.loss),
                }
            )
        affected = [row for row in rows if row["|S|"] or row["early"]]
        return [*affected, _total(rows, done)]

    def _jointly(self, table: Microdata, requirement: SafeCorrelation) -> list[Row]:
        """Rows of the slice: a given grouping, and the optimum over all groupings."""
        done = self._sanitized(table, requirement)
        rows = self._given("slice", done, requirement)
        result, release = self._searched(table, requirement, done)
        for row in rows:
            wanted = None if row[QI] == ALL else row[QI]
            hidden = sum(count for g in release.groups for _, v, count in g.hidden if wanted in (None, v))
            loss = LossMetric(hidden=hidden, occurrences=row["cells"], tuples=len(table))
            row["jointly"] = row["cells"] - hidden
            row |= {f"jointly {name}": value for name, value in _losses(loss).items()}
        least = result.bounds[0]
        rows[-1]["jointly bound"] = None if least is None else len(table) - int(least)
        rows[-1]["jointly groups"] = len(release.groups)
        rows[-1]["status"] = result.status.value
        return rows


def _frame(data: str, *others: str) -> pd.DataFrame:
    if data == "adult":
        columns = ["id", QI, *others, "occupation"]
        return adult(complete=False).frame[columns].rename(columns={"occupation": SENSITIVE})
    if data == "bank":
        return bank().frame[["id", QI, "balance_band"]].rename(columns={"balance_band": SENSITIVE})
    raise InputError(f"data must name 'adult' or 'bank', or both with a comma between, got {data!r}")


def _losses(loss: LossMetric) -> Row:
    return {"LM/T": round(float(loss.of_table), 4), "LM/v": round(float(loss.of_value), 4)}


def _total(rows: Sequence[Row], done: Sanitized) -> Row:
    sums = {
        column: round(sum(row[column] for row in rows), 2)
        for column in ("cells", "early", "linear", "whole", "bound")
    }
    loss = LossMetric(hidden=done.release.hidden_cells, occurrences=sums["cells"], tuples=sums["cells"])
    return {
        "part": rows[0]["part"],
        "l": rows[0]["l"],
        "support": rows[0]["support"],
        QI: ALL,
        **sums,
        **_losses(loss),
        "groups": len(done.release.groups),
    }
