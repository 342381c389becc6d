"""A job as the page sees it: started, heard, stopped."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from ...models.files import write_text
from .child import BEGUN, JOB, STOPPED

__all__ = ["Job"]


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
        write_text(folder / JOB, json.dumps(dict(settings)), private=False)
        self.points: list[dict[str, Any]] = []
        self.progress = ""
        self.began = time.monotonic()
        self.ended: dict[str, Any] | None = None
        self._begun = self._stopped = False
        self._errors = folder / "child.log"
        with self._errors.open("w", encoding="utf-8") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "optanon.solver.web.child", str(folder)],
                stdout=subprocess.PIPE,
                stderr=log,
                stdin=subprocess.DEVNULL,
                text=True,
            )
        assert self._process.stdout is not None
        self._reader = threading.Thread(target=self._listen, args=(self._process.stdout,), daemon=True)
        self._reader.start()

    def _listen(self, pipe: IO[str]) -> None:
        answer: dict[str, Any] | None = None
        with pipe:
            for line in pipe:
                event = json.loads(line)
                if event["event"] == "point":
                    self.points.append(event)
                elif event["event"] == "progress":
                    self.progress = event["words"]
                elif event["event"] == BEGUN:
                    self._begun = True
                else:
                    answer = event
        code = self._process.wait()
        if answer is None:
            # Out of memory, or a fault of ours: the log says more, for whoever runs the program.
            why = (
                f"it ended without an answer (exit code {code}): if memory ran out, "
                "fewer columns or one level per column (full domain) need less"
            )
            answer = {"event": "error", "message": STOPPED if self._stopped else why}
        self.ended = answer

    @property
    def seconds(self) -> float:
        """Since it was started."""
        return time.monotonic() - self.began

    @property
    def running(self) -> bool:
        """Whether no answer has come yet."""
        return self.ended is None

    def stop(self) -> None:
        """Ask for the best release so far, as Ctrl-C does on the command line.

        A process that still loads what it needs has none, and may not hear it: it is ended.
        """
        if self._process.poll() is None:
            self._stopped |= not self._begun
            self._process.send_signal(signal.SIGINT if self._begun else signal.SIGTERM)

    def close(self) -> None:
        """End it at once, without an answer."""
        if self._process.poll() is None:
            self._process.kill()
        self._reader.join(timeout=10)
        self._process.wait()

    def wait(self, seconds: float | None = None) -> dict[str, Any]:
        """Wait for the answer."""
        self._reader.join(seconds)
        if self.ended is None:
            raise TimeoutError("the search has not ended")
        return self.ended
