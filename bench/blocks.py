"""Large tables in blocks: ACS, and tables of any size drawn from it, on local workers of a cluster."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from typing import Any, ClassVar, TypeVar

import numpy as np
import pandas as pd
import yaml

from ..instances.datasets import acs_pums
from ..instances.generators import drawn_again
from ..instances.problem_file import load_problem
from ..models.categories import Ordered
from ..models.errors import InputError
from ..models.problem import Problem
from ..solver.cluster.here import Here
from ..solver.cluster.workers import connected
from ..solver.colgen.duals import DualBound
from ..solver.colgen.histogram_pricing import HistogramPricing
from ..solver.colgen.structure.histograms import Histograms, Judge
from ..solver.colgen.table import Rows
from ..solver.engines.partition.blocks.bound import prove
from ..solver.engines.partition.blocks.search import Rounds
from ..solver.engines.partition.progress import Progress
from ..solver.settings import Clock, Settings, Tasks, Watch
from .large_tables import timed_call
from .registry import Case, Row, case

__all__ = ["acs_people", "write_acs"]

S = TypeVar("S")
J = TypeVar("J")
R = TypeVar("R")

YEARS, GRADES, SWAPPED = 3, 1, 0.03
"""By how much age and schooling are moved at most, and which part of the other cells is another person's."""
WARM_ROWS, WARM_SECONDS = 3_000, 10.0
"""A sample on which workers load compiled code before they are timed, and seconds it is laid down for (of a
smaller one fewer): cuts and a release rounded from the linear program are in it."""


@case
@dataclass(frozen=True, kw_only=True)
class Blocks(Case):
    """5-anonymity of ACS (7 quasi-identifiers) as a program, blocks on local workers; until files are there.

    Parameters
    ----------
    rows : int
        104,731 is all of ACS, fewer a sample; more are drawn from it with replacement and jittered.
    limit : float
        Seconds, files included.
    workers : str
        Numbers of worker processes, separated by commas: one call each; 0 is without a cluster.
    planned : int
        Threads of the solving process; of `paced`, for how many workers it is laid down.
    paced : float
        If above 0: the search in blocks alone, without heuristics before and claims or files after it: all
        that is laid down for so many seconds, however long it takes, on each number of `workers`; how
        much faster it is than on the first one, and whether release and bound are the same. `quiet` is
        how long it would take by seconds of CPU alone, on a machine with nothing else to do: those of the
        searching thread, and of each step those of the worker that had most to do.
    output : str
        Instead of all that: a folder into which table and problem file are written.
    """

    name: ClassVar[str] = "blocks"
    small_settings: ClassVar[dict[str, Any]] = {"rows": 3_000, "limit": 8.0, "workers": "0"}

    rows: int = 104_731
    limit: float = 600.0
    workers: str = "2"
    planned: int = 2
    paced: float = 0.0
    output: str = ""

    def run(self) -> list[Row]:
        if self.output:
            path = write_acs(Path(self.output), self.rows, self.seed)
            return [{"rows": self.rows, "seed": self.seed, "problem": str(path)}]
        rows: list[Row] = []
        with tempfile.TemporaryDirectory() as name:
            problem = write_acs(Path(name), self.rows, self.seed)
            if self.paced:
                return self._paced(load_problem(problem), [int(text) for text in self.workers.split(",")])
            for text in self.workers.split(","):
                with _cluster(int(text)) as (address, asked):
                    options = ["--cluster", address] if address else []
                    options += ["--workers", str(self.planned)]
                    others = sum(asked(time.process_time))
                    found = timed_call(
                        problem, self.limit, seed=self.seed, folder=Path(name), options=options
                    )
                    gap = 100 * (1 - found["bound"] / found["loss"]) if found.get("loss") else None
                    rows.append(
                        {
                            "rows": self.rows,
                            "workers": int(text),
                            **found,
                            "gap %": gap,
                            "CPU of workers": round(sum(asked(time.process_time)) - others, 1),
                            "worker MB": max(asked(_peak), default=None),
                        }
                    )
                    sys.stderr.write(f"{rows[-1]}\n")
        return rows

    def _paced(self, problem: Problem, workers: Sequence[int]) -> list[Row]:
        found: list[Row] = []
        sample, first = min(WARM_ROWS, self.rows), None
        warm, brief = acs_problem(sample, self.seed), WARM_SECONDS * sample / WARM_ROWS
        for number in workers:
            with _cluster(number) as (address, asked), connected(address) as tasks:
                laid = Settings(seed=self.seed, workers=self.planned, tasks=tasks)
                searched(warm, replace(laid, asked=brief))
                timed = Timed(tasks or Here())
                began, alone, own = time.perf_counter(), time.process_time(), time.thread_time()
                others = sum(asked(time.process_time))
                progress = searched(problem, replace(laid, asked=self.paced, tasks=timed))
                seconds, own = time.perf_counter() - began, time.thread_time() - own
                work = sum(asked(time.process_time)) - others
                quiet = own + timed.longest + (work - timed.busy) / number if number else own
                same = sorted(progress.groups or ()), progress.bound
                first = first or (same, seconds, quiet)
                found.append(
                    {
                        "rows": self.rows,
                        "workers": number,
                        "seconds": round(seconds, 1),
                        "speed-up": round(first[1] / seconds, 2),
                        "quiet": round(quiet, 1),
                        "quiet speed-up": round(first[2] / quiet, 2),
                        "same": same == first[0],
                        "loss": float(progress.value(0, progress.cost)),
                        "bound": float(progress.value(0, progress.bound)),
                        "CPU": round(time.process_time() - alone, 1),
                        "CPU of workers": round(work, 1),
                        "worker MB": max(asked(_peak), default=None),
                    }
                )
                sys.stderr.write(f"{found[-1]}\n")
        return found


class Timed(Tasks):
    """Tasks, and how long they keep their workers busy, in seconds of CPU.

    Attributes
    ----------
    busy, longest : float
        In all, and the sum of what the busiest worker of each step had to do.
    """

    def __init__(self, tasks: Tasks) -> None:
        self.tasks, self.busy, self.longest = tasks, 0.0, 0.0

    @property
    def workers(self) -> int:
        return self.tasks.workers

    def run(
        self, work: Callable[[S, J, Clock], R], shared: S, jobs: Sequence[J], clock: Clock
    ) -> Iterator[tuple[int, R]]:
        busy = defaultdict[tuple[int, int], float](float)
        for number, (answer, worker, seconds) in self.tasks.run(partial(_timed, work), shared, jobs, clock):
            busy[worker] += seconds
            yield number, answer
        self.busy += sum(busy.values())
        self.longest += max(busy.values(), default=0.0)


def _timed(
    work: Callable[[S, J, Clock], R], shared: S, job: J, clock: Clock
) -> tuple[R, tuple[int, int], float]:
    """The answer, who gives it, and how long it took."""
    began = time.thread_time()
    answer = work(shared, job, clock)
    return answer, (os.getpid(), threading.get_ident()), time.thread_time() - began


def searched(problem: Problem, settings: Settings) -> Progress:
    """All that is laid down for a time in blocks, however long it takes: rounds, linear program, cuts."""
    judge, histograms, clock = Judge(problem), Histograms.of(problem), Clock()
    assert isinstance(histograms, Histograms)
    rows = Rows.of(problem, blind=judge.blind)
    progress = Progress(problem, rows, Watch(), 0, Fraction(1), judge)
    rounds = Rounds(rows, judge, progress, settings, clock)
    groups = rounds.run()
    pricing = HistogramPricing(rows, histograms, settings.workers, clock)
    prove(rounds, groups, problem, DualBound(pricing), DualBound(pricing))
    return progress


QUIET = {
    "distributed.worker.memory.monitor-interval": "1s",
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "10s",
}
"""How seldom Dask looks at itself (docs/cluster.md): as it comes, that takes a sixteenth of two cores."""
Asked = Callable[[Callable[[], Any]], list[Any]]
"""What each worker answers."""


@contextmanager
def _cluster(workers: int) -> Generator[tuple[str | None, Asked], None, None]:
    """The address of a cluster of local processes, and a way to ask them all; without workers nobody."""
    if not workers:
        yield None, lambda what: []
        return
    from dask import config
    from distributed import Client, LocalCluster

    with (
        config.set(QUIET),
        LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        known: Any = client
        address: str = known.scheduler.address
        yield address, lambda what: list(known.run(what).values())


def _peak() -> int:
    return getrusage(RUSAGE_SELF).ru_maxrss // 1024


def acs_problem(rows: int, seed: int) -> Problem:
    """The problem of such a table."""
    with tempfile.TemporaryDirectory() as name:
        return load_problem(write_acs(Path(name), rows, seed))


def acs_people(rows: int, seed: int) -> pd.DataFrame:
    """Rows of ACS: a sample, all, or more: drawn, age and schooling moved, some cells swapped.

    The same arguments give the same frame.
    """
    people, roles = acs_pums()
    kept = [roles.respondent, *roles.quasi_identifiers, roles.sensitive.name]
    if rows <= len(people):
        return people.sample(rows, random_state=seed).reset_index(drop=True)[kept]
    drawn = drawn_again(people, rows, respondent=roles.respondent, seed=seed)[kept]
    random = np.random.default_rng([seed, rows])
    ages = people["AGEP"]
    moved = drawn["AGEP"].to_numpy() + random.integers(-YEARS, YEARS + 1, rows)
    drawn["AGEP"] = np.clip(moved, ages.min(), ages.max())
    grades = np.array(sorted(people["SCHL"].unique()))
    place = np.searchsorted(grades, drawn["SCHL"].to_numpy()) + random.integers(-GRADES, GRADES + 1, rows)
    drawn["SCHL"] = grades[np.clip(place, 0, len(grades) - 1)]
    for name in roles.quasi_identifiers:
        if name not in ("AGEP", "SCHL"):
            swapped, other = random.random(rows) < SWAPPED, random.permutation(rows)
            own = drawn[name].to_numpy()
            drawn[name] = np.where(swapped, own[other], own)
    return drawn


def write_acs(folder: Path, rows: int, seed: int) -> Path:
    """Write the table and its problem file; the problem file's path.

    Raises
    ------
    InputError
        If there is no such folder.
    """
    if not folder.is_dir():
        raise InputError(f"{folder} is no folder: create it or name another")
    roles = acs_pums().roles
    acs_people(rows, seed).to_csv(folder / "acs.csv", index=False)
    columns: dict[str, Any] = {}
    for name, spec in roles.quasi_identifiers.items():
        ordered = isinstance(spec, Ordered)
        columns[name] = {"kind": "ordered", "categories": list(spec.categories)} if ordered else spec
    problem = {
        "table": "acs.csv",
        "respondent": roles.respondent,
        "quasi_identifiers": columns,
        "sensitive": roles.sensitive.name,
        "policy": {"requirements": [{"k_c_anonymity": {"k": 5}}]},
    }
    path = folder / "acs.yaml"
    path.write_text(yaml.safe_dump(problem, sort_keys=False), encoding="utf-8")
    return path
