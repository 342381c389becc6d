"""A job as the page sees it: started, heard, stopped."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Mapping
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

__all__ = ["Job", "load_ahead"]

AHEAD = sys.platform == "linux"
"""Whether jobs are forked from a process that has loaded everything once: that takes seconds."""
CHILDREN = multiprocessing.get_context("forkserver") if AHEAD else multiprocessing.get_context("spawn")
if AHEAD:
    CHILDREN.set_forkserver_preload([f"{__package__}.loaded"])


def load_ahead() -> None:
    """Begin to load what jobs need, where they can be forked, without waiting for it."""
    if AHEAD:
        from multiprocessing import forkserver

        forkserver.ensure_running()


class Job:
    """A child process that solves the problem of a folder, or does another task (see `tasks`).

    Attributes
    ----------
    points : list of dict
        News of the search so far.
    progress : str
        How far it is, in words, if it says.
    ended : dict or None
        The last event, ``done`` or ``error``, once there is one.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        self.points: list[dict[str, Any]] = []
        self.progress = ""
        self.began = time.monotonic()
        self.ended: dict[str, Any] | None = None
        self._news, out = CHILDREN.Pipe(duplex=False)
        self._process = CHILDREN.Process(target=_do, args=(folder, dict(settings), out), daemon=True)
        self._process.start()
        out.close()  # only the child holds it now: its end is seen
        self._reader = threading.Thread(target=self._listen, args=(self._news,), daemon=True)
        self._reader.start()

    def _listen(self, news: Connection) -> None:
        answer: dict[str, Any] | None = None
        with news:
            while (event := _next(news)) is not None:
                if event["event"] == "point":
                    self.points.append(event)
                elif event["event"] == "progress":
                    self.progress = event["words"]
                else:
                    answer = event
        self._process.join()
        self.ended = answer
        if self.ended is None:
            self.ended = {
                "event": "error",
                "message": f"it ended without an answer (exit code {self._process.exitcode}): if memory ran "
                "out, fewer columns or one level per column (full domain) need less",
            }

    @property
    def seconds(self) -> float:
        """Since it was started."""
        return time.monotonic() - self.began

    @property
    def running(self) -> bool:
        """Whether no answer has come yet."""
        return self.ended is None

    def stop(self) -> None:
        """Ask for the best release so far, as Ctrl-C does on the command line."""
        if self.running and self._process.pid is not None:
            os.kill(self._process.pid, signal.SIGINT)

    def close(self) -> None:
        """End it at once, without an answer."""
        if self.running:
            self._process.kill()
        self._reader.join(timeout=10)

    def wait(self, seconds: float | None = None) -> dict[str, Any]:
        """Wait for the answer."""
        self._reader.join(seconds)
        if self.ended is None:
            raise TimeoutError("the search has not ended")
        return self.ended


def _do(folder: Path, job: Mapping[str, Any], news: Connection) -> None:
    from .child import main  # the page itself need not wait for what computes

    main(folder, job, news)


def _next(news: Connection) -> dict[str, Any] | None:
    """What a child says next, or None where it is gone."""
    try:
        return json.loads(news.recv_bytes())
    except (EOFError, OSError):
        return None
