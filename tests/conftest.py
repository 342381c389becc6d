"""What is slow is marked so: by hand, as one of many draws, as measured; and which tests share a worker."""

from __future__ import annotations

import gc
import signal
from pathlib import PurePath

import pytest
from pace import beyond, long
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

PARTITION = "tests of the partition engine"


def pytest_configure() -> None:
    """Let tests hear Ctrl-C, and what they start: shells have it ignored by what runs in the background."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Look for garbage in what the tests make: thousands of collected tests and loaded modules are none."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is slow, before anything is selected by its marks, and share out the files.

    A file's tests stay with one worker: what they share is made once. So do all files of the partition
    engine, which begin: they compile most kernels there are, once for all, while other workers run files
    that need few. Benchmarks come last: they have time limits, and whoever runs first waits for the compiler.
    """
    tests = [
        (
            item.nodeid.partition("[")[0],
            callspec.params if (callspec := getattr(item, "callspec", None)) else {},
        )
        for item in items
    ]
    listed = long()
    for item, slow in zip(items, beyond(tests), strict=True):
        if slow or item.nodeid in listed:
            item.add_marker(pytest.mark.slow)
    items.sort(key=_turn)


def _turn(item: pytest.Item) -> int:
    if shared(item.nodeid) == PARTITION:
        return 0
    rooms = item.path.parts
    return 3 if "bench" in rooms[-2:-1] else 2 if "solver" in rooms else 1


def shared(nodeid: str) -> str:
    """What a worker is given as a whole."""
    file = nodeid.partition("::")[0]
    return PARTITION if PurePath(file).name.startswith("test_partition_") else file


class SharedFiles(LoadFileScheduling):
    """Files as a whole, but the partition engine's together."""

    def _split_scope(self, nodeid: str) -> str:
        return shared(nodeid)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> SharedFiles | None:
    """Distribute by files as said above, unless another way is asked for."""
    return SharedFiles(config, log) if config.getvalue("dist") == "loadfile" else None
