"""What the page asks besides a search, each in a child process: questions about a policy, audit, report.

A task says how far it is, then ``done`` with plain values: texts, and tables as columns and rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from ...instances.futures import Futures, published_last
from ...instances.problem_file import load_problem
from ...instances.store.opening import History
from ...models.files import write_text
from ..insight.audit.audit import audit
from ..insight.backtest.replay import backtest
from ..insight.backtest.result import COLUMNS
from ..insight.backtest.steps import BacktestStep
from ..insight.comparison.comparing import compare
from ..insight.comparison.table import notes, proven_in_words
from ..insight.explain.answer import explain
from ..insight.frontier.grid import parse_vary
from ..insight.frontier.points import FrontierPoint
from ..insight.frontier.sweep import frontier
from ..insight.frontier.table import cells, columns
from ..insight.report.facts import facts
from ..insight.report.page import report_page
from ..insight.report.told import told
from ..solved import read_solved

__all__ = ["TASKS"]

AUDITED = {
    "disclosed by intersection": "certain by intersecting groups",
    "by propagation": "certain by counting values off",
    "exactly": "certain from everything together",
    "undecided": "not decided in time",
    "largest probability": "probability of the likeliest value",
}
"""Heads of the audit's table in the words of the report."""
FUTURES = Futures(releases=3, seeds=(1, 2))
"""Drawn where there is no earlier release: a tenth of the people leaves each time, as many come."""
Say: TypeAlias = Callable[[Mapping[str, Any]], None]


def _explain(job: Mapping[str, Any], say: Say) -> None:
    found = explain(load_problem(Path(job["problem"])), trial_seconds=job["time_limit"])
    say({"event": "done", "texts": list(found.sentences())})


def _frontier(job: Mapping[str, Any], say: Say) -> None:
    name, values = parse_vary(job["vary"])

    def listener(done: int, total: int, point: FrontierPoint | None) -> None:
        say({"event": "progress", "words": f"{done} of {total} points"})

    problem = load_problem(Path(job["problem"]))
    found = frontier(problem, {name: values}, time_limit=job["time_limit"], listener=listener)
    drawn = [
        {
            "at": str(point.settings[0]),
            "value": None if not point.values else float(point.values[-1]),
            "bound": None if (bound := point.bounds[-1]) is None else float(bound),
        }
        for point in found.points
    ]
    stopped = f"Stopped after {len(found.points)} of {len(found.grid.points)} points."
    say(
        {
            "event": "done",
            "columns": list(columns(found)),
            "rows": [list(cells(found, point)) for point in found.points],
            "loss": found.points[0].losses[-1] if found.points else "",
            "drawn": drawn,
            "texts": [] if found.complete else [stopped],
        }
    )


def _compare(job: Mapping[str, Any], say: Say) -> None:
    found = compare(load_problem(Path(job["problem"])), time_limit=job["time_limit"])
    table = found.to_dict()
    shown = [row for row in found.rows if row.figures is not None]
    best = found.best_heuristic
    texts = [proven_in_words(found.levels, found.reference)]
    if best is not None:
        texts.append(f"Best heuristic that keeps the policy: {best.name}.")
    texts += notes(found.levels, shown) if shown else []
    refused = ", ".join(row.name for row in found.rows if row.figures is None)
    if refused:
        texts.append(f"No release for this policy by (`optanon compare` says why): {refused}.")
    columns = [name or "method" for name in table["columns"]]
    say({"event": "done", "columns": columns, "rows": table["rows"], "texts": texts})


def _backtest(job: Mapping[str, Any], say: Say) -> None:
    """The stored series once more, or some drawn from the table, published several ways; none is stored."""

    def listener(done: int, total: int, step: BacktestStep | None) -> None:
        say({"event": "progress", "words": f"{done} of {total} releases"})

    problem = load_problem(Path(job["problem"]))
    if len(problem.history) == 1 and published_last(problem.table, problem.history):
        problem = replace(problem, history=History())  # nothing came before this table: it begins the series
    drawn = None if len(problem.history) else FUTURES
    found = backtest(problem, futures=drawn, time_limit=job["time_limit"], listener=listener)
    rows = [list(line) for line in found.lines()]
    say(
        {
            "event": "done",
            "columns": list(COLUMNS),
            "rows": rows,
            "texts": [f"{note}." for note in found.notes],
        }
    )


def _audit(job: Mapping[str, Any], say: Say) -> None:
    """Audit a stored history; the answer names nobody."""
    report = audit(
        History.open(job["history"], create=False),
        time_limit=job["time_limit"],
        progress=lambda words: say({"event": "progress", "words": words}),
    )
    frame = report.to_frame()
    texts = list(report.texts())
    if not report.complete:
        texts.append("Not everything was decided in time: what is missing above is unknown, not safe.")
    rows = [["-" if cell is None else str(cell) for cell in row] for row in frame.to_numpy().tolist()]
    heads = [AUDITED.get(str(name), str(name)) for name in frame.columns]
    say({"event": "done", "columns": heads, "rows": rows, "texts": texts})


def _report(job: Mapping[str, Any], say: Say) -> None:
    folder = Path(job["folder"])
    found = read_solved(folder / "release.result.json", Path(job["problem"]), None, lambda _: None)
    say({"event": "progress", "words": "verifying the result again"})
    said = told(found.certificate, found.problem, found.release)
    assert found.release is not None, "a report is asked for where there is a release"
    say({"event": "progress", "words": "auditing the series, drawing"})
    page = report_page(said, facts(found.problem, found.release))
    write_text(folder / "report.html", page, private=True)
    say({"event": "done", "texts": []})


TASKS: Mapping[str, Callable[[Mapping[str, Any], Say], None]] = {
    "explain": _explain,
    "frontier": _frontier,
    "compare": _compare,
    "backtest": _backtest,
    "audit": _audit,
    "report": _report,
}
"""By name; each gets its job and what to say things with."""
