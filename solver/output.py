"""The files of a result: the public copy, the steward's copy, the result file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..models.files import write_whole
from ..models.problem import Problem
from ..models.publication import anatomized_frames, published_frame, steward_frame
from .insight.report.record import record
from .result import Result

__all__ = ["write_files"]


def write_files(
    result: Result, problem: Problem, folder: Path, name: str, *, steward: bool = False
) -> list[Path]:
    """Write every file whole or not at all; the result, which vouches for the others, comes last.

    Parameters
    ----------
    result, problem
        The answer and what was asked.
    folder : Path
        An existing folder.
    name : str
        Files are ``NAME.release.csv`` (for publication; anatomized releases have a second table,
        ``NAME.release.values.csv``), ``NAME.steward.csv`` if `steward`, and ``NAME.result.json``.

    Returns
    -------
    list of Path
        Files written; none without a release.
    """
    release = result.release
    if release is None:
        return []
    frames: dict[str, Callable[[Path], object]] = {}

    def csv(frame: Any) -> Callable[[Path], object]:
        return lambda draft: frame.to_csv(draft, index=False, lineterminator="\n")

    if release.form == "generalized":
        frames[f"{name}.release.csv"] = csv(published_frame(release))
    else:
        people, values = anatomized_frames(release)
        frames[f"{name}.release.csv"] = csv(people)
        frames[f"{name}.release.values.csv"] = csv(values)
    if steward:
        frames[f"{name}.steward.csv"] = csv(steward_frame(release, problem.table.respondent))
    text = json.dumps(record(result, problem), indent=2) + "\n"
    frames[f"{name}.result.json"] = lambda draft: draft.write_text(text, encoding="utf-8")
    for file, write in frames.items():
        write_whole(folder / file, write)
    return [folder / file for file in frames]
