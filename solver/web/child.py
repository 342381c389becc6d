"""One job in a process of its own: the page stays quick, and stopping it is Ctrl-C.

Reads ``job.json`` in a folder, writes its files there, and says on standard output, line by line as
JSON, what happens: points of the search, then ``done`` or ``error``.
"""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

from ...instances.problem_file import load_problem
from ...instances.store.opening import History
from ...models.errors import OptanonError
from ..insight.audit.audit import audit
from ..level_value import UNCHECKED
from ..output import write_files
from ..result import Point
from ..search import solve_problem

__all__ = ["JOB", "main", "run"]

JOB = "job.json"


def main() -> None:
    """Run the job of the folder named on the command line."""
    folder = Path(sys.argv[1])
    job = json.loads((folder / JOB).read_text(encoding="utf-8"))
    try:
        (examine if "audit" in job else run)(folder, job)
    except OptanonError as error:
        _say({"event": "error", "message": str(error)})
    except KeyboardInterrupt:
        _say({"event": "error", "message": "stopped before a release was found; nothing was written"})


def run(folder: Path, job: dict[str, Any]) -> None:
    """Solve ``problem.yaml`` and write the release, the steward's copy and the result file."""
    problem = load_problem(folder / "problem.yaml")
    levels = [level.name for level in problem.policy.levels]

    def listener(point: Point) -> None:
        _say(
            {
                "event": "point",
                "seconds": round(point.seconds, 3),
                "level": point.level,
                "loss": levels[point.level],
                "value": _text(point.value),
                "bound": _text(point.bound),
            }
        )

    result = solve_problem(
        problem,
        engine=job.get("engine", "auto"),
        time_limit=job.get("time_limit"),
        seed=job.get("seed", 0),
        workers=job.get("workers"),
        display=False,
        listener=listener,
    )
    written = write_files(result, problem, folder, "release", steward=True)
    _say(
        {
            "event": "done",
            "status": result.status.value,
            "termination": result.termination.value,
            "engine": result.engine,
            "seconds": round(result.seconds, 2),
            "reason": result.reason,
            "unchecked": UNCHECKED if result.series_checked is False else None,
            "summary": [] if result.summary is None else result.summary.lines,
            "files": [path.name for path in written],
        }
    )


def examine(folder: Path, job: dict[str, Any]) -> None:
    """Audit a stored history; the answer names nobody."""
    report = audit(History.open(job["audit"], create=False), time_limit=job.get("time_limit"))
    rows: list[dict[str, Any]] = []
    for entry in report.releases:
        found = entry.persistent
        if found is None:
            continue
        rows.append(
            {
                "release": entry.release,
                "respondents": entry.respondents,
                "disclosed by intersection": found.set_intersection,
                "by propagation": found.propagation,
                "exactly": found.exact,
                "undecided": found.undecided,
                "largest probability": "-" if found.worst is None else str(found.worst),
            }
        )
    texts = list(report.texts())
    if not report.complete:
        texts.append("not everything was decided in time: what is missing above is unknown, not safe")
    _say({"event": "done", "rows": rows, "texts": texts})


def _text(number: Fraction | None) -> str | None:
    return None if number is None else str(number)


def _say(event: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(event) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
