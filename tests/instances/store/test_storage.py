"""Processes killed while they append, and many at once: no release is lost, halved or overwritten.

`pytest -m storage` kills at 200 points; a run of all tests at 24, to be quick.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import create_engine, make_url, text
from sqlalchemy.pool import NullPool
from storage_workers import append, opened, seeds

from optanon import ConflictError
from optanon.instances.store.transfer import export_history, import_history

pytestmark = pytest.mark.storage

HERE = Path(__file__).parents[2]


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[str]:
    """A store of the test's own: a file, or a schema on the server."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'releases.db'}"
        return
    server = os.environ.get("OPTANON_TEST_POSTGRES")
    if not server:
        pytest.skip("$OPTANON_TEST_POSTGRES is not set: .ci/postgres starts a server and prints its URL")
    engine = create_engine(server, poolclass=NullPool)
    schema = f"test_{uuid4().hex}"
    with engine.begin() as connection:
        connection.execute(text(f"CREATE SCHEMA {schema}"))
    own = make_url(server).update_query_dict({"options": f"-csearch_path={schema}"})
    yield own.render_as_string(hide_password=False)
    with engine.begin() as connection:
        connection.execute(text(f"DROP SCHEMA {schema} CASCADE"))


def run(*arguments: object) -> dict[str, int]:
    """Run the workers in a process of their own: they fork, which a process with threads must not."""
    command = [sys.executable, str(HERE / "storage_workers.py"), *map(str, arguments)]
    env = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env, timeout=900)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def test_a_killed_append_stores_all_or_nothing(request: pytest.FixtureRequest, url: str):
    points = 200 if "storage" in request.config.getoption("-m") else 24
    found = run("kill", url, points, 7)
    assert found["points"] == points
    assert found["in flight, not stored"] + found["in flight, stored"] >= points // 3, "too few hit an append"
    assert found["in flight, not stored"] > 0


def test_eight_writers_at_once_lose_nothing(url: str):
    found = run("race", url, 8, 5, 7)
    assert found["stored"] == 40
    assert found["conflicts"] > 0, "nobody met anybody"


def test_a_series_in_one_database_is_exported_to_the_other(url: str, tmp_path: Path):
    history = opened(url)
    for number in range(3):
        append(history, f"release-{number}")
    export_history(opened(url), tmp_path / "series.json")
    copy = import_history(tmp_path / "copy.db", tmp_path / "series.json")
    assert seeds(copy) == ["release-0", "release-1", "release-2"]
    assert copy.digest == history.digest


def test_two_who_read_the_same_history_cannot_both_append(url: str):
    one, other = opened(url), opened(url)
    append(one, "one")
    with pytest.raises(ConflictError, match="Nothing was written"):
        append(other, "other")
    assert seeds(opened(url)) == ["one"]
    other.reload()
    append(other, "other")
    assert seeds(opened(url)) == ["one", "other"]
