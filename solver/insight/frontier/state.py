"""The state of a frontier in a file, so that it can go on where it was stopped.

The file holds, besides losses and bounds, which rows of the steward's table were grouped together: it is
the steward's own. It is bound to the problem by its digest. Releases read back are built and checked
anew; bounds are taken as they are written.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ....instances.bounded import read_json
from ....models.errors import InputError, OptanonError
from ....models.exact_numbers import exact_number, exact_text, plain_value
from ....models.files import write_text
from ....models.problem import Problem
from ....models.release import Release
from ...status import Status, Termination
from .grid import FrontierGrid, Setting
from .points import FrontierPoint

__all__ = ["read_state", "write_state"]

FORMAT = 1


class _Record(BaseModel):
    """A point as the file has it."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    settings: list[int | str | bool]
    status: str
    termination: str
    values: list[str]
    bounds: list[str | None]
    engine: str
    seconds: float
    time_limit: float | None
    counts: tuple[int | None, int | None, int | None, int | None] = Field(strict=False)
    groups: list[list[int]] | None
    fakes: list[dict[str, int]] | None


class _StateFile(BaseModel):
    """The whole file."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    format: int
    problem: str
    axes: list[str]
    points: list[_Record]


def write_state(path: Path, grid: FrontierGrid, points: Iterable[FrontierPoint]) -> None:
    """Write everything found so far, whole or not at all."""
    content = {
        "format": FORMAT,
        "problem": grid.problem.digest,
        "axes": list(grid.names),
        "points": [_record(grid.problem, point) for point in points],
    }
    write_text(path, json.dumps(content, indent=1) + "\n", private=True)


def read_state(path: Path, grid: FrontierGrid) -> dict[tuple[Setting, ...], FrontierPoint]:
    """Points of a state file that are points of the grid; none if there is no such file.

    Raises
    ------
    InputError
        If the file is not one of this problem and these parameters, or is damaged.
    """
    if not path.exists():
        return {}
    try:
        state = _StateFile.model_validate(read_json(path))
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        key = ".".join(str(part) for part in first["loc"]) or "the file"
        raise InputError(
            f"{path}: not a frontier's state, or damaged ({key}: {first['msg'].lower()}): name another "
            "file, or delete it to start anew"
        ) from error
    if state.format != FORMAT:
        raise InputError(
            f"{path}: written in another format ({state.format}): name another file, or delete it"
        )
    if state.problem != grid.problem.digest:
        raise InputError(
            f"{path}: the state of another problem (table, history or policy differ): name another file"
        )
    if state.axes != list(grid.names):
        raise InputError(
            f"{path}: varies {', '.join(state.axes)}, not {', '.join(grid.names)}: name another file"
        )
    known = {tuple(plain_value(value) for value in point): point for point in grid.points}
    found: dict[tuple[Setting, ...], FrontierPoint] = {}
    for record in state.points:
        try:
            settings = known.get(tuple(record.settings))
            if settings is not None:
                found[settings] = _point(grid, settings, record)
        except (ValueError, ArithmeticError, LookupError, TypeError, OptanonError) as error:
            raise InputError(f"{path}: damaged ({error}): delete it to start anew") from error
    return found


def _record(problem: Problem, point: FrontierPoint) -> dict[str, Any]:
    row = problem.table.row
    release = point.release
    kept = release is not None and problem.policy.recoding == "multidimensional" and not release.hidden_cells
    groups = release.groups if release is not None and kept else None
    return {
        "settings": [plain_value(value) for value in point.settings],
        "status": point.status.value,
        "termination": point.termination.value,
        "values": [exact_text(value) for value in point.values],
        "bounds": [exact_text(bound) for bound in point.bounds],
        "engine": point.engine,
        "seconds": point.seconds,
        "time_limit": point.time_limit,
        "counts": [point.groups, point.largest_group, point.suppressed, point.counterfeits],
        "groups": None if groups is None else [sorted(row[who] for who in g.respondents) for g in groups],
        "fakes": None if groups is None else [dict(group.counterfeits) for group in groups],
    }


def _point(grid: FrontierGrid, settings: tuple[Setting, ...], record: _Record) -> FrontierPoint:
    problem = grid.at(settings)
    release: Release | None = None
    values = tuple(exact_number(value) for value in record.values)
    if record.groups is not None and record.fakes is not None:
        release = problem.assemble(record.groups, record.fakes)
        if next(problem.check(release), None) is not None or problem.objective(release) != values:
            raise ValueError("a release it holds does not pass its checks")
    bounds = tuple(None if bound is None else exact_number(bound) for bound in record.bounds)
    levels = len(problem.policy.levels)
    if len(values) not in (0, levels) or len(bounds) != levels:
        raise ValueError("a point has other losses than the policy")
    if record.status == Status.OPTIMAL.value and (not values or values != bounds):
        raise ValueError("a point is called optimal whose losses do not meet their bounds")
    groups, largest, suppressed, counterfeits = record.counts
    point = FrontierPoint(
        settings=settings,
        status=Status(record.status),
        termination=Termination(record.termination),
        losses=tuple(level.name for level in problem.policy.levels),
        values=values,
        bounds=bounds,
        engine=record.engine,
        seconds=record.seconds,
        time_limit=record.time_limit,
        groups=groups,
        largest_group=largest,
        suppressed=suppressed,
        counterfeits=counterfeits,
    )
    return replace(point, release=release)
