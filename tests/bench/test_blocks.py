"""Tables drawn from ACS for `bench blocks`: seeded, and values are those of ACS."""

import threading
import time
from pathlib import Path

import pandas as pd
import pytest

from optanon.bench.blocks import Blocks, Timed, acs_people, write_acs
from optanon.instances.dataset_files import present
from optanon.instances.datasets import acs_pums
from optanon.instances.problem_file import load_problem
from optanon.solver.cluster.here import Here
from optanon.solver.settings import Clock

ACS = "acs_pums_2018/acs2018_person_14states.csv"
pytestmark = pytest.mark.skipif(present(ACS) is None, reason="ACS is not on this machine")


def test_more_rows_than_there_are_people_are_drawn_and_jittered():
    people, roles = acs_pums()
    rows = len(people) + 1
    frame = acs_people(rows, 7)
    pd.testing.assert_frame_equal(frame, acs_people(rows, 7))
    assert not frame.equals(acs_people(rows, 8))
    assert frame[roles.respondent].is_unique
    for name in roles.quasi_identifiers:
        assert set(frame[name]) <= set(people[name])
    points = list(roles.quasi_identifiers)
    assert len(frame[points].drop_duplicates()) > 1.1 * len(people[points].drop_duplicates().sample(frac=0.6))


def test_the_problem_can_be_read(tmp_path: Path):
    problem = load_problem(write_acs(tmp_path, 300, 0))
    assert len(problem.table) == 300
    assert len(problem.table.domains) == 7


def test_a_search_in_blocks_alone_says_how_much_faster_it_is_and_whether_it_finds_the_same():
    first, second = Blocks(rows=400, paced=3.0, workers="0,0").run()
    assert (first["speed-up"], first["same"], second["same"]) == (1.0, True, True)
    assert second["speed-up"] > 0
    assert first["quiet speed-up"] == 1.0
    assert first["quiet"] > 0
    assert second["loss"] == first["loss"] >= first["bound"] > 0


def test_a_quiet_machine_waits_for_the_worker_that_has_most_to_do():
    timed = Timed(Here(2))
    both = threading.Barrier(2, timeout=60)  # a worker that ends early must not take the other's job, too

    def busy(shared: float, job: int, clock: Clock) -> int:
        both.wait()
        began = time.thread_time()
        while time.thread_time() < began + job * shared:
            pass
        return -job

    assert dict(timed.run(busy, 0.01, [1, 3], Clock())) == {0: -1, 1: -3}
    assert timed.busy >= 0.04
    assert 0.03 <= timed.longest < timed.busy


def test_a_call_says_what_it_reached_and_what_it_took():
    (row,) = Blocks(rows=300, limit=5.0, workers="0").run()
    assert row["checked"]
    assert row["published"] == 300
    assert row["gap %"] == pytest.approx(100 * (1 - row["bound"] / row["loss"]))
    assert row["CPU"] > 0
    assert row["CPU of workers"] == 0  # there are none
