"""One job in a process of its own, a search or another task: the page stays quick, and stopping it is Ctrl-C.

Reads ``job.json`` in a folder, writes its files there, and says on standard output, line by line as
JSON, what happens: points of the search or how far it is, then ``done`` or ``error``.
"""

from __future__ import annotations

import json
import signal
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...instances.problem_file import load_problem
from ...models.errors import OptanonError
from ...models.exact_numbers import exact_text
from ..insight.report.sentences import without_parameters
from ..level_value import UNCHECKED
from ..output import write_files
from ..result import Result
from ..search import solve_problem
from ..status import Point
from ..summary import Summary

__all__ = ["BEGUN", "JOB", "STOPPED", "main", "run"]

JOB = "job.json"
BEGUN = "begun"
"""The first event: from here on Ctrl-C is heard."""
STOPPED = "stopped before a release was found; nothing was written"


def main() -> None:
    """Run the job of the folder named on the command line."""
    # What a shell starts in the background has it ignored, and so has all that is started by that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    folder = Path(sys.argv[1])
    job = json.loads((folder / JOB).read_text(encoding="utf-8"))
    try:
        _say({"event": BEGUN})
        if "task" in job:
            from .tasks import TASKS  # what asks, plots and compares takes a second to load

            TASKS[job["task"]](job, _say)
        else:
            run(folder, job)
    except OptanonError as error:
        _say({"event": "error", "message": str(error)})
    except KeyboardInterrupt:
        _say({"event": "error", "message": "stopped" if "task" in job else STOPPED})


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
                "value": exact_text(point.value),
                "bound": exact_text(point.bound),
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
            "summary": [] if result.summary is None else _told(result.summary),
            "plots": _plots(result),
            "files": [path.name for path in written],
        }
    )


def _told(summary: Summary) -> list[tuple[str, str]]:
    """Its lines; what the form says of requirements is not said again."""
    return [
        (heading.replace("_", " "), without_parameters(text) if heading in ("series", "checks") else text)
        for heading, text in summary.lines
    ]


def _plots(result: Result) -> dict[str, Any]:
    """What the page draws first: how much of each column is lost, how large the groups are."""
    if result.summary is None or result.release is None:
        return {}
    sizes = Counter(group.size for group in result.release.groups)
    return {
        "lost": [[column.name, round(100 * float(column.lost), 1)] for column in result.summary.columns],
        "sizes": sorted(sizes.items()),
    }


def _say(event: Mapping[str, Any]) -> None:
    sys.stdout.write(json.dumps(event) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
