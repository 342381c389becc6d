"""Commands killed at every moment at which they change what is stored: nothing is lost or half-written."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, ClassVar
from uuid import uuid4

from ..instances import catalog
from ..instances.store.opening import History
from ..models.errors import OptanonError
from ..models.release import Release
from .faults import Moments
from .registry import Case, Row, case

CHANCE = 4
"""Every so many points the process is killed at a random time instead, which may be within one write."""
AGAIN = 5
"""After every so many kills that left nothing the command is run again, to its end."""
VOLATILE = {"digest", "seconds", "trajectory", "appended", "runtime", "written", "versions"}
"""Keys of result files that two runs of one command may fill differently."""


class HalfWrittenError(OptanonError):
    """A killed command left something that is neither what was there before nor what it writes."""


@dataclass(frozen=True, kw_only=True)
class Killed:
    """One command: how a folder is made ready, the arguments, and the files that it writes there."""

    name: str
    ready: Callable[[Path, str], None]
    arguments: Callable[[Path, str], list[str]]
    writes: tuple[str, ...]
    stores: int = 0
    """How many releases the store has when the command is through; 0 if it does not write one."""


def _hospital(folder: Path, _: str) -> None:
    for file in catalog.path("hospital").iterdir():
        shutil.copy(file, folder / file.name)
    (folder / "out").mkdir()


def _solve(folder: Path, *more: str, release: int = 1) -> list[str]:
    return [
        "solve",
        str(folder / f"release-{release}.yaml"),
        "-q",
        "-o",
        str(folder / "out"),
        "--steward",
        *more,
    ]


def _with_empty_store(folder: Path, store: str) -> None:
    _hospital(folder, store)
    _run(["history", "init", store])


def _with_store(folder: Path, store: str) -> None:
    _with_empty_store(folder, store)
    _run(_solve(folder, "--history", store, "--append"))
    for file in _of(folder, "release-1"):
        file.unlink()


def _with_result(folder: Path, store: str) -> None:
    _hospital(folder, store)
    _run(_solve(folder))


def _of(folder: Path, stem: str) -> list[Path]:
    return [folder / "out" / f"{stem}.{kind}" for kind in ("release.csv", "steward.csv", "result.json")]


def _files(stem: str) -> tuple[str, ...]:
    return tuple(str(file) for file in _of(Path(), stem))


def _frontier(folder: Path) -> list[str]:
    state, table, points = (str(folder / name) for name in ("state.json", "points.csv", "points.json"))
    vary = ["--vary", "m=2..4", "--resume", state, "--csv", table, "--json", points]
    return ["frontier", str(folder / "release-1.yaml"), "-q", *vary]


COMMANDS = (
    Killed(name="solve", ready=_hospital, arguments=lambda f, _: _solve(f), writes=_files("release-1")),
    Killed(
        name="append the first release",
        ready=_with_empty_store,
        arguments=lambda f, store: _solve(f, "--history", store, "--append"),
        writes=_files("release-1"),
        stores=1,
    ),
    Killed(
        name="append the second release",
        ready=_with_store,
        arguments=lambda f, store: _solve(f, "--history", store, "--append", release=2),
        writes=_files("release-2"),
        stores=2,
    ),
    Killed(
        name="frontier",
        ready=_hospital,
        arguments=lambda f, _: _frontier(f),
        writes=("state.json", "points.csv", "points.json"),
    ),
    Killed(
        name="report",
        ready=_with_result,
        arguments=lambda f, _: [
            "report",
            str(f / "out" / "release-1.result.json"),
            "--problem",
            str(f / "release-1.yaml"),
            "-o",
            str(f / "page.html"),
        ],
        writes=("page.html",),
    ),
    Killed(
        name="export",
        ready=_with_store,
        arguments=lambda f, store: ["history", "export", store, str(f / "series.json")],
        writes=("series.json",),
    ),
)


@case
@dataclass(frozen=True, kw_only=True)
class Kill(Case):
    """Kills of solve, append, frontier, report and export at every moment that changes what is stored.

    Raises an error at the first kill that lost or halved something.

    Parameters
    ----------
    points : int
        Kills, shared among commands and databases.
    server : str
        SQLAlchemy URL of a PostgreSQL server whose stores are killed, too (schemas of its own are made and
        dropped); default $OPTANON_TEST_POSTGRES, none without.
    """

    name: ClassVar[str] = "kill"
    small_settings: ClassVar[dict[str, int]] = {"points": 12}

    points: int = 300
    server: str = os.environ.get("OPTANON_TEST_POSTGRES", "")

    def run(self) -> list[Row]:
        for module in ("cli", "insight.report.page"):  # loaded once, before processes are forked
            _ = importlib.import_module(f"optanon.solver.{module}")

        kinds = [(command, "sqlite") for command in COMMANDS]
        if self.server:
            kinds += [(command, "postgresql") for command in COMMANDS if command.stores]
        shares = [self.points // len(kinds) + (i < self.points % len(kinds)) for i in range(len(kinds))]
        return [
            self._killed(command, database, share)
            for (command, database), share in zip(kinds, shares, strict=True)
        ]

    def _killed(self, command: Killed, database: str, points: int) -> Row:
        random = Random(f"{self.seed}/{command.name}/{database}")
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="optanon-kill-") as parent:
            place = _Place(Path(parent), database, self.server, command.ready)
            with place as (folder, store):
                moments, seconds = _counted(command, folder, store, database)
                whole = _contents(command, folder)
                release = list(History.open(store))[-1] if command.stores else None
            counts = dict.fromkeys(("nothing stored", "some files", "all stored", "ended first", "drafts"), 0)
            for point in range(points):
                by_chance = point % CHANCE == CHANCE - 1
                at = 0 if by_chance else 1 + (point * moments // max(1, points) + point) % moments
                with place as (folder, store):
                    wait = random.uniform(0, seconds) if by_chance else None
                    ended = not _died(command, folder, store, database, at, wait)
                    state = _judged(command, folder, store, whole, release)
                    if state == "nothing stored" and point % AGAIN == 0:
                        _run(command.arguments(folder, store))
                    counts["ended first" if ended else state] += 1
                    counts["drafts"] += any(file.name.startswith(".") for file in folder.rglob("*"))
        return {
            "command": command.name,
            "database": database if command.stores else "-",
            "moments": moments,
            "kills": points,
            **counts,
            "seconds": round(time.monotonic() - began, 1),
        }


class _Place:
    """A folder and a store made ready for a command: once, then copied, where files are all there is."""

    def __init__(self, parent: Path, database: str, server: str, ready: Callable[[Path, str], None]) -> None:
        self._folder, self._template = parent / "here", parent / "template"
        self._server, self._schema, self._ready = server if database != "sqlite" else "", "", ready

    def __enter__(self) -> tuple[Path, str]:
        folder = self._folder
        if self._server:
            folder.mkdir()
            store = self._new_schema()
            self._ready(folder, store)
            return folder, store
        store = str(folder / "releases.db")
        if not self._template.exists():
            folder.mkdir()
            self._ready(folder, store)
            folder.rename(self._template)
        _ = shutil.copytree(self._template, folder)
        return folder, store

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._folder)
        if self._schema:
            self._on_server(f"DROP SCHEMA {self._schema} CASCADE")

    def _new_schema(self) -> str:
        from sqlalchemy import make_url

        self._schema = f"kill_{uuid4().hex}"
        self._on_server(f"CREATE SCHEMA {self._schema}")
        own = make_url(self._server).update_query_dict({"options": f"-csearch_path={self._schema}"})
        return own.render_as_string(hide_password=False)

    def _on_server(self, statement: str) -> None:
        from sqlalchemy import create_engine, text
        from sqlalchemy.pool import NullPool

        engine = create_engine(self._server, poolclass=NullPool)
        with engine.begin() as connection:
            _ = connection.execute(text(statement))


def _forked(
    arguments: list[str], before: Callable[[], None] | None = None, after: Callable[[], None] | None = None
) -> int:
    """Begin a command in a process of its own; return its number."""
    pid = os.fork()
    if pid:
        return pid
    from ..solver.cli.app import app

    code = 1
    try:
        _ = os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        if before is not None:
            before()
        _ = app(arguments, standalone_mode=False)
        if after is not None:
            after()
        code = 0
    except BaseException as error:
        sys.stderr.write(f"{' '.join(arguments)}: {type(error).__name__}: {error}\n")
    finally:
        os._exit(code)


def _run(arguments: list[str]) -> None:
    if os.waitpid(_forked(arguments), 0)[1]:
        raise HalfWrittenError(f"{arguments[0]} fails although nobody kills it")


def _watch(moments: Moments, database: str) -> None:
    moments.watch_files()
    if database == "sqlite":
        _ = moments.watch_sqlite()
    else:
        moments.watch_server()


def _counted(command: Killed, folder: Path, store: str, database: str) -> tuple[int, float]:
    """How many moments the command has, and how long it takes."""
    reading, writing = os.pipe()
    moments, began = Moments(folder), time.monotonic()
    pid = _forked(
        command.arguments(folder, store),
        lambda: _watch(moments, database),
        lambda: print(moments.count, file=os.fdopen(writing, "w"), flush=True),
    )
    os.close(writing)
    with os.fdopen(reading) as pipe:
        count = pipe.read().strip()
    if os.waitpid(pid, 0)[1] or not count:
        raise HalfWrittenError(f"{command.name} fails although nobody kills it")
    return int(count), time.monotonic() - began


def _died(command: Killed, folder: Path, store: str, database: str, at: int, wait: float | None) -> bool:
    """Run the command and kill it at a moment, or after a time; whether that came before its end."""
    arguments = command.arguments(folder, store)
    pid = _forked(arguments, lambda: _watch(Moments(folder, at), database))
    if wait is not None:
        time.sleep(wait)
        os.kill(pid, signal.SIGKILL)
    status = os.waitpid(pid, 0)[1]
    if not os.WIFSIGNALED(status) and os.WEXITSTATUS(status):
        raise HalfWrittenError(f"{command.name} failed by itself")
    return os.WIFSIGNALED(status)


def _contents(command: Killed, folder: Path) -> dict[str, Any]:
    """What the command's files say, as far as two runs must agree."""
    return {name: _said(folder / name) for name in command.writes if (folder / name).exists()}


def _said(file: Path) -> Any:
    if file.name == "points.csv":  # it has times
        return [line.count(",") for line in file.read_text(encoding="utf-8").splitlines()]
    if file.suffix != ".json":
        return file.read_bytes()
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise HalfWrittenError(f"{file.name} is half-written ({error})") from error
    return None if file.name == "state.json" else _lasting(content)


def _lasting(content: Any) -> Any:
    if isinstance(content, dict):
        return {key: _lasting(value) for key, value in content.items() if key not in VOLATILE}
    return [_lasting(value) for value in content] if isinstance(content, list) else content


def _judged(command: Killed, folder: Path, store: str, whole: dict[str, Any], release: Release | None) -> str:
    """Whether all, some or nothing of what the command writes is there; raises if anything is not whole."""
    found = _contents(command, folder)
    for name, content in found.items():
        if content != whole[name]:
            raise HalfWrittenError(f"{command.name}: {name} is not what the command writes")
    stored = 0
    if command.stores:
        history = list(History.open(store))
        stored = len(history) - (command.stores - 1)
        if stored not in (0, 1):
            raise HalfWrittenError(f"{command.name}: the store has {len(history)} releases")
        if stored and history[-1] != release:
            raise HalfWrittenError(f"{command.name}: the stored release is not the one that was made")
        if found and not stored:
            raise HalfWrittenError(
                f"{command.name}: {sorted(found)} published, and the history does not know"
            )
    if not found and not stored:
        return "nothing stored"
    return "all stored" if found.keys() == whole.keys() else "some files"
