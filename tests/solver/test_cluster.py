"""Blocks on the workers of a cluster: the same release wherever they are solved, and whoever is lost."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from optanon.instances.generators import clustered_table, generated_roles
from optanon.models.errors import EngineError
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirements import DistinctLDiversity, KCAnonymity
from optanon.solver import portfolio
from optanon.solver.cluster.here import Here
from optanon.solver.colgen.boxes import sweeping
from optanon.solver.colgen.structure.histograms import Judge
from optanon.solver.colgen.table import Rows
from optanon.solver.engines.partition.blocks import bound, plan, search as blocks
from optanon.solver.engines.partition.blocks.task import Sent
from optanon.solver.result import Result
from optanon.solver.search import solve_problem
from optanon.solver.settings import Clock, Settings
from optanon.solver.status import Point

distributed = pytest.importorskip("distributed", reason="the extra `cluster` is not installed")

K5L2 = Policy([KCAnonymity(k=5), DistinctLDiversity(l=2)])


def clustered(tuples: int = 450, policy: Policy = K5L2) -> Problem:
    frame = clustered_table(tuples, seed=3)
    return Problem(table=generated_roles().table(frame), policy=policy)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = replace(blocks.LIMITS, rows=100, tuples=150, rounds=3, moves=10, phases=((2, 1, 10, 10),))
    limits = replace(limits, bands=2, shares=2)  # few tasks: each costs a cluster more than what is done here
    for module in (blocks, bound, plan, sweeping):
        monkeypatch.setattr(module, "LIMITS", limits)
    monkeypatch.setattr(portfolio, "baselines", dict)  # nobody else's release


@contextmanager
def cluster(workers: int, *, processes: bool) -> Iterator[Any]:
    """Local workers of one thread each."""
    made = distributed.LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=processes, dashboard_address=":0"
    )
    # On the command line no client is the default one, so none is here.
    with made, distributed.Client(made, set_as_default=False) as client:
        yield client


@pytest.fixture(scope="module")
def two_processes() -> Iterator[Any]:
    with cluster(2, processes=True) as client:
        yield client


def released(problem: Problem, *, listener: Callable[[Point], None] | None = None, **where: Any) -> Result:
    found = solve_problem(problem, seed=5, display=False, listener=listener, **where)
    assert found.release is not None
    assert next(problem.check(found.release), None) is None
    return found


def test_one_worker_two_threads_and_two_workers_find_the_same_release(two_processes: Any):
    problem = clustered()
    here = released(problem, workers=1)
    assert len(here.trajectory) > 2  # rounds were worth it
    with cluster(1, processes=False) as client:
        one = released(problem, workers=1, cluster=client)
    two = released(problem, workers=1, cluster=two_processes)
    by_address = released(problem, workers=1, cluster=two_processes.scheduler_info()["address"])
    threads = released(problem, workers=2)
    assert here.release == one.release == two.release == by_address.release == threads.release


def test_a_killed_worker_changes_nothing(two_processes: Any):
    problem = clustered()
    two_processes.wait_for_workers(2, timeout=60)
    processes = two_processes.run(os.getpid)
    heard: list[Point] = []

    def kill(point: Point) -> None:
        if len(heard) == 3:
            os.kill(next(iter(processes.values())), signal.SIGKILL)
        heard.append(point)

    found = released(problem, workers=1, cluster=two_processes, listener=kill)
    assert len(heard) > 10
    assert found.release == released(problem, workers=1).release
    gone = two_processes.run(os.getpid)
    assert set(gone.values()) != set(processes.values())


def test_jobs_of_a_message_that_is_lost_are_done_again_each_once(two_processes: Any, tmp_path: Path):
    from optanon.solver.cluster.workers import Workers

    def squared(marker: Path, job: int, clock: Clock) -> int:  # local: workers need not know this file
        if job == 5 and not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return job * job

    two_processes.wait_for_workers(2, timeout=60)
    marker = tmp_path / "killed"
    found = list(Workers(two_processes).run(squared, marker, range(40), Clock()))
    assert marker.exists()
    assert sorted(found) == [(job, job * job) for job in range(40)]


def test_where_there_is_no_time_for_moves_groups_are_only_made():
    size = plan.Size(tuples=10**6, rows=400_000)
    laid = plan.Laid.of(size, Settings(asked=10.0))
    assert laid.first.moves == 0
    assert not list(laid.rounds())
    assert not list(laid.program())
    assert plan.Laid.of(size, Settings(time_limit=9.0, asked=10.0)).first.moves == 0
    assert plan.Laid.of(size, Settings(time_limit=900.0)).first.moves > 0


def test_when_time_is_over_blocks_stay_as_they_were(monkeypatch: pytest.MonkeyPatch):
    problem = clustered()
    done: list[int] = []

    def few(self: Here, work: Any, shared: Any, jobs: Any, clock: Clock) -> Iterator[tuple[int, Any]]:
        for number in range(0, len(jobs), 2):
            done.append(number)
            yield number, work(shared, jobs[number], clock)

    monkeypatch.setattr(Here, "run", few)
    assert released(problem, workers=1).objective[0] > 0
    assert len(done) > 3


def test_workers_see_no_respondent_and_no_label():
    problem = clustered()
    judge = Judge(problem)
    rows = Rows.of(problem, blind=judge.blind)
    _ = judge.admits((1,) * len(judge.names))  # what it remembers stays here, too
    sent = pickle.dumps(Sent.of(rows, judge))
    for member in problem.table.members:
        assert pickle.dumps(member.respondent)[3:-2] not in sent
    assert all(name.encode() not in sent for name in ("north", "south", "x1", "c1"))
    again: Sent = pickle.loads(sent)
    counts = (2,) * len(judge.names)
    assert again.judge.admits(counts) == judge.admits(counts)
    assert len(again.rows) == 0


def test_a_task_that_fails_is_an_error_of_the_run(two_processes: Any):
    from optanon.solver.cluster.workers import Workers

    with pytest.raises(ZeroDivisionError):
        list(Workers(two_processes).run(lambda none, job, _: job // none, 0, [1, 2], Clock()))


def test_a_worker_that_cannot_load_the_package_is_said(two_processes: Any):
    from optanon.solver.cluster.workers import Workers

    def missing(shared: int, job: int, clock: Clock) -> int:
        raise ModuleNotFoundError("No module named 'optanon'")

    with pytest.raises(EngineError, match=r"a worker cannot load optanon .*: install optanon"):
        list(Workers(two_processes).run(missing, 0, [1, 2], Clock()))


def test_a_worker_of_another_version_is_said(two_processes: Any, monkeypatch: pytest.MonkeyPatch):
    from optanon.solver.cluster.workers import Workers

    tasks = Workers(two_processes)
    monkeypatch.setattr(tasks, "_version", "0.0.0")
    with pytest.raises(EngineError, match=r"a worker has optanon .*, not 0\.0\.0: install the same version"):
        list(tasks.run(lambda shared, job, clock: job, 0, [1, 2], Clock()))


def test_nobody_at_the_address_is_said(monkeypatch: pytest.MonkeyPatch):
    from optanon.solver.cluster import workers

    monkeypatch.setattr(workers, "PATIENCE", 2.0)
    with pytest.raises(EngineError, match="no scheduler answers"):
        solve_problem(clustered(), cluster="tcp://127.0.0.1:9", display=False)


@pytest.mark.parametrize("address", ["foo", "htp://localhost:8786"])
def test_an_address_that_is_none_is_said_at_once(address: str):
    with pytest.raises(EngineError, match=f"cluster: '{address}' is no address of a scheduler"):
        solve_problem(clustered(), cluster=address, display=False)


def test_distributed_is_loaded_by_those_only_who_ask():
    program = "import sys, optanon; optanon.solve; sys.exit('distributed' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_without_the_extra_its_name_is_said(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(EngineError, match=r"optanon\[cluster\]"):
        solve_problem(clustered(), cluster="tcp://127.0.0.1:9", display=False)
