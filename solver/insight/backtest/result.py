"""What a backtest found, and what it says of each publisher."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd

from ....models.exact_numbers import exact_text, show_number
from ....models.files import write_frame, write_json
from ...settings import Hindsight
from .published import PublishedSeries
from .steps import BacktestStep

__all__ = ["COLUMNS", "Backtest"]

COLUMNS = (
    "series",
    "publisher",
    "counterfeits",
    "together",
    "expected",
    "one by one",
    "came",
    "at least",
    "loss",
    "query error",
    "signatures",
    "violations",
    "audit",
)
"""Of the table that is shown, one row per series and publisher."""


@dataclass(frozen=True, kw_only=True)
class Backtest:
    """Series published in advance.

    Attributes
    ----------
    publishers : tuple of str
    steps : tuple of BacktestStep
        Series by series, publisher by publisher, oldest release first.
    complete : bool
        Whether nobody stopped it.
    """

    publishers: tuple[str, ...]
    steps: tuple[BacktestStep, ...]
    complete: bool

    @property
    def series(self) -> tuple[PublishedSeries, ...]:
        """The steps, put together."""
        found: dict[tuple[str, str], list[BacktestStep]] = {}
        for step in self.steps:
            found.setdefault((step.future, step.publisher), []).append(step)
        return tuple(
            PublishedSeries(future=future, publisher=publisher, steps=tuple(steps))
            for (future, publisher), steps in found.items()
        )

    @property
    def published(self) -> bool:
        """Whether every publisher has a release of every table."""
        return self.complete and all(step.figures is not None for step in self.steps)

    def lines(self) -> list[tuple[str, ...]]:
        """One line of text per series and publisher, see `COLUMNS`."""
        return [_line(found) for found in self.series]

    @property
    def notes(self) -> tuple[str, ...]:
        """Where a series ended early, and how to read the table."""
        ended = [step for step in self.steps if step.figures is None]
        said = [
            f"{step.future}, {step.publisher}: no release {step.release} ({step.status}): {step.why}"
            for step in ended
        ]
        said.append(
            "the more counterfeits a release has, the less it loses (a group of one person among "
            "counterfeits loses nothing): look at both"
        )
        if any(step.expected is not None for step in self.steps):
            said.append(
                "expected: counterfeits of all later releases as the outlook foresees them at the first, "
                "by a model; one by one: those of the next one, as it foresees them at each; came: how many "
                "there were"
            )
        if (least := self._least()) is not None:
            said.append(least)
        if any(step.verdict is not None for step in self.steps):
            said.append(
                "audit: whose value is certain for whoever holds all releases, and the likeliest value of all"
            )
        return tuple(said)

    def _least(self) -> str | None:
        """How to read what nobody avoids, and its mean over the series of tables."""
        found: dict[str, Hindsight] = {}
        for series in self.series:
            if series.hindsight is not None:
                found.setdefault(series.future, series.hindsight)
        if not found:
            return None
        mean = sum((each.anybody for each in found.values()), Fraction(0)) / len(found)
        return (
            "at least: counterfeits that nobody avoids who publishes these tables as the policy asks, knowing"
            f" the future or not (by hindsight: {show_number(mean)} on average), and that none avoids after "
            "this first release"
        )

    def to_frame(self) -> pd.DataFrame:
        """One row per release; exact numbers as text besides."""
        return pd.DataFrame([_flat(step) for step in self.steps], dtype=object)

    def to_csv(self, path: str | Path) -> None:
        """Write `to_frame`, whole or not at all."""
        write_frame(path, self.to_frame())

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; no respondent and no sensitive value."""
        return {
            "complete": self.complete,
            "publishers": list(self.publishers),
            "columns": list(COLUMNS),
            "rows": [list(line) for line in self.lines()],
            "notes": list(self.notes),
            "releases": [_flat(step) for step in self.steps],
        }

    def to_json(self, path: str | Path) -> None:
        """Write `to_dict` as JSON, whole or not at all."""
        write_json(path, self.to_dict(), private=False)

    def plot(self, path: str | Path) -> None:
        """Draw counterfeits, loss, query error and posteriors, release by release (.svg, .pdf or .png).

        Raises
        ------
        OptanonError
            If the ending is another, the folder does not exist, matplotlib is missing or there is no release.
        """
        # Imported here: drawing takes a second to load.
        from .chart import draw_backtest

        draw_backtest(self.publishers, self.series, Path(path))

    def _repr_html_(self) -> str:
        return pd.DataFrame(self.lines(), columns=list(COLUMNS)).to_html(index=False)


def _line(found: PublishedSeries) -> tuple[str, ...]:
    error, least = found.query_error, found.hindsight
    return (
        found.future,
        found.publisher,
        _row([str(count) for count in found.counterfeits]),
        str(sum(found.counterfeits)),
        "-" if found.expected is None else show_number(found.expected),
        "-" if found.expected_singly is None else show_number(found.expected_singly),
        str(found.came),
        "-" if least is None else f"{show_number(least.anybody)}, then {show_number(least.from_here)}",
        show_number(found.loss),
        "-" if error is None else f"{error:.1%}",
        _row([str(step.signatures) for step in found.made]),
        ", ".join(f"{name} in {count}" for name, count in found.violations.items()) or "none",
        found.audit,
    )


def _row(words: Sequence[str]) -> str:
    return " ".join(words) or "-"


def _flat(step: BacktestStep) -> dict[str, Any]:
    found, verdict, least = step.figures, step.verdict, step.hindsight
    return {
        "series": step.future,
        "publisher": step.publisher,
        "release": step.release,
        "tuples": step.tuples,
        "status": step.status,
        "counterfeits": step.counterfeits,
        "loss": None if step.loss is None else float(step.loss),
        "loss exactly": exact_text(step.loss),
        "query error": None if found is None else found.query_error,
        "groups": None if found is None else found.groups,
        "signatures": step.signatures,
        "violations": "" if found is None else "; ".join(f"{k} {n}" for k, n in found.violations.items()),
        "expected later": None if step.expected is None else float(step.expected),
        "expected next": None if step.expected_next is None else float(step.expected_next),
        "unavoidable": None if least is None else int(least.anybody),
        "unavoidable later": None if least is None else int(least.from_here),
        "disclosed": None if verdict is None else verdict.disclosed,
        "undecided": None if verdict is None else verdict.undecided,
        "worst posterior": None if verdict is None else exact_text(verdict.worst),
        "no release because": step.why,
    }
