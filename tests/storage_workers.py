"""Processes that append to a stored history and are killed, or get in one another's way.

Run as a script, so that it forks from a process with one thread that has everything imported:

    python storage_workers.py kill URL POINTS SEED
    python storage_workers.py race URL WRITERS RELEASES SEED

Prints what happened as one line of JSON.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any

from sqlalchemy import create_engine, event, inspect, text
from sqlalchemy.engine import Engine

from optanon import ConflictError, History, KCAnonymity, Policy, QIGroup, Release
from optanon.instances.store.database import Database, database_url
from optanon.instances.store.stored import StoredHistory
from optanon.models.box import Interval, Leaves
from optanon.models.table import Member

POLICY = Policy([KCAnonymity(k=2, c=Fraction(1, 3))])
TOWNS = ("Oslo", "Rome", "Bari")


class Statement:
    """A certificate's stand-in that names its writer."""

    def __init__(self, **content: Any) -> None:
        self.content = content


def release(seed: str) -> Release:
    """A release of twenty-five people with fractions, a taxonomy, counterfeits and suppressed tuples."""
    random = Random(seed)
    groups: list[QIGroup] = []
    for number in range(8):
        low = Fraction(random.randrange(100), random.choice((1, 3, 8)))
        members = tuple(
            Member(f"{number}-{n}", (low + Fraction(n, 3), random.choice(TOWNS)), random.choice("abc"))
            for n in range(3)
        )
        box = (Interval(low, low + 1), Leaves("*", frozenset(TOWNS)))
        groups.append(QIGroup(members=members, box=box, counterfeits=(("d", 1 + number % 2),)))
    alone = (Member("alone", (Fraction(1, 7), "Rome"), seed),)
    return Release(groups=tuple(groups), suppressed=alone, attributes=("age", "town"), sensitive="ill")


def opened(url: str) -> StoredHistory:
    found = History.open(url)
    assert isinstance(found, StoredHistory)
    return found


def append(history: StoredHistory, seed: str) -> None:
    history.append(release(seed), policy=POLICY, certificate=Statement(seed=seed))


def seeds(history: StoredHistory) -> list[str]:
    """Who wrote each release; every release must be whole: groups, memberships, policy, certificate."""
    found: list[str] = []
    for kept, entry in zip(history, history.entries, strict=True):
        seed = kept.suppressed[0].value
        assert kept == release(seed), "a release is not what was appended"
        assert entry.policy is not None
        assert entry.policy["requirements"] == [{"k_c_anonymity": {"k": 2, "c": "1/3"}}]
        assert entry.certificate == {"seed": seed}, "a release has another one's certificate, or none"
        found.append(seed)
    return found


def empty(url: str) -> None:
    """Drop the store's tables, or remove its file."""
    where = database_url(url)
    if where.get_backend_name() == "sqlite":
        for ending in ("", "-journal"):
            if os.path.exists(f"{where.database}{ending}"):
                os.remove(f"{where.database}{ending}")
        return
    engine = create_engine(where)
    with engine.begin() as connection:
        for name in inspect(connection).get_table_names():
            if name.startswith("optanon_"):
                connection.execute(text(f"DROP TABLE {name} CASCADE"))
    engine.dispose()


def die_at(step: int) -> Callable[..., None]:
    """Kill this process at the `step`-th moment: before or after a statement, at a commit, when told."""
    left = [step]

    def count(*_: Any) -> None:
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(Engine, "before_cursor_execute", count)
    event.listen(Engine, "after_cursor_execute", count)
    event.listen(Engine, "commit", count)
    return count


def child(work: Any) -> tuple[int, int]:
    """Fork; the child runs `work` with the writing end of a pipe, whose reading end is returned."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writing)
        return pid, reading
    os.close(reading)
    code = 1
    try:
        work(writing)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def told(reading: int) -> list[list[str]]:
    """Lines a child wrote until it ended."""
    with os.fdopen(reading) as pipe:
        return [line.split() for line in pipe.read().splitlines()]


def kill(url: str, points: int, seed: int) -> dict[str, int]:
    """Kill a process at each of `points` moments of its appends; count what was then in the store."""
    random = Random(seed)
    counts = {"points": 0, "idle": 0, "in flight, not stored": 0, "in flight, stored": 0}
    before: list[str] = []
    empty(url)
    history = opened(url)
    started = time.perf_counter()
    append(history, "first")
    usual = time.perf_counter() - started
    for point in range(points):
        if point % 10 == 0:
            empty(url)
            before = []
        names = [f"{point}.{n}" for n in range(3)]
        at_step = random.randrange(1, 55) if point % 2 else 0

        def work(pipe: int, names: list[str] = names, at_step: int = at_step) -> None:
            history = opened(url)
            count = die_at(at_step)
            os.write(pipe, b"is open\n")
            for name in names:
                os.write(pipe, f"starts {name}\n".encode())
                append(history, name)
                count()
                os.write(pipe, f"returned {name}\n".encode())

        pid, reading = child(work)
        if not at_step:
            os.read(reading, len("is open\n"))
            time.sleep(random.uniform(0, 3 * usual))
            os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, "a child failed by itself"
        lines = told(reading)
        returned = [name for word, name in lines if word == "returned"]
        begun = [name for word, name in lines if word == "starts"]
        with Database(database_url(url)).writing():
            pass  # whatever the server still does for the dead process is over once a writer gets in
        after = seeds(opened(url))
        sure, most = before + returned, before + begun
        assert after in (sure, most), f"point {point}: {len(after)} releases, {len(sure)} to {len(most)}"
        state = "idle" if sure == most else "in flight, stored" if after == most else "in flight, not stored"
        counts[state] += 1
        counts["points"] += 1
        before = after
    empty(url)
    return counts


def race(url: str, writers: int, releases: int, seed: int) -> dict[str, int]:
    """Let `writers` processes append `releases` releases each, all at once from an empty store."""
    empty(url)

    def work(pipe: int, writer: int) -> None:
        random = Random(f"{seed}/{writer}")
        history = opened(url)
        for number in range(releases):
            while True:
                length = len(history)
                time.sleep(random.uniform(0, 0.005))
                try:
                    append(history, f"{writer}.{number}")
                except ConflictError:
                    assert len(history) == length, "a refused release stayed in memory"
                    os.write(pipe, b"conflict -\n")
                    history.reload()
                else:
                    break

    started = [child(lambda pipe, writer=writer: work(pipe, writer)) for writer in range(writers)]
    conflicts = sum(len(told(reading)) for _, reading in started)
    for pid, _ in started:
        assert os.waitpid(pid, 0)[1] == 0, "a writer failed"
    found = seeds(opened(url))
    for writer in range(writers):
        mine = [name for name in found if name.startswith(f"{writer}.")]
        assert mine == [f"{writer}.{number}" for number in range(releases)], "lost, doubled or out of order"
    empty(url)
    return {"stored": len(found), "conflicts": conflicts}


if __name__ == "__main__":
    job, where, *numbers = sys.argv[1:]
    done = {"kill": kill, "race": race}[job](where, *map(int, numbers))
    sys.stdout.write(json.dumps(done) + "\n")
