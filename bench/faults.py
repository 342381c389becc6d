"""The moments at which a process changes what is stored, counted, and a process killed at one of them.

What a killed process leaves behind is decided by what it had done to files and databases, so killing before
each such act, one after another, covers every state that a kill at any time could leave (but for how much of
a file under another name was written). Three sources of moments:

- files: Python's audit events for opening to write, renaming, removing, changing modes;
- SQLite: its own system calls, which `sqlite3_vfs.xSetSystemCall` lets a program replace: every page written
  to journal or database, every truncation, and the removal of the journal that is the commit;
- a database server: statements before and after they are sent, and commits.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import signal
import sys
from pathlib import Path
from typing import Any

__all__ = ["Moments"]

_ACTS = {"os.rename", "os.remove", "os.chmod", "os.link", "os.symlink", "os.truncate", "tempfile.mkstemp"}
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_POINTER = ctypes.c_void_p
_CALLS = {
    "pwrite": ctypes.CFUNCTYPE(ctypes.c_ssize_t, ctypes.c_int, _POINTER, ctypes.c_size_t, ctypes.c_int64),
    "pwrite64": ctypes.CFUNCTYPE(ctypes.c_ssize_t, ctypes.c_int, _POINTER, ctypes.c_size_t, ctypes.c_int64),
    "write": ctypes.CFUNCTYPE(ctypes.c_ssize_t, ctypes.c_int, _POINTER, ctypes.c_size_t),
    "ftruncate": ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int64),
    "unlink": ctypes.CFUNCTYPE(ctypes.c_int, _POINTER),
}


class _Vfs(ctypes.Structure):
    """SQLite's ``sqlite3_vfs``, version 3, with the members that are used here named."""

    _fields_ = (
        ("iVersion", ctypes.c_int),
        ("szOsFile", ctypes.c_int),
        ("mxPathname", ctypes.c_int),
        ("pNext", _POINTER),
        ("zName", ctypes.c_char_p),
        ("pAppData", _POINTER),
        ("methods", _POINTER * 12),
        ("xCurrentTimeInt64", _POINTER),
        ("xSetSystemCall", ctypes.CFUNCTYPE(ctypes.c_int, _POINTER, ctypes.c_char_p, _POINTER)),
        ("xGetSystemCall", ctypes.CFUNCTYPE(_POINTER, _POINTER, ctypes.c_char_p)),
    )


class Moments:
    """Counts moments in this process, and kills it when a given one comes.

    Parameters
    ----------
    folder : Path
        Only files below it count.
    die_at : int
        The number of the moment, from 1, at which the process gets SIGKILL; 0: never.

    Attributes
    ----------
    count : int
        Moments so far.
    """

    def __init__(self, folder: Path, die_at: int = 0) -> None:
        self.count, self._die_at, self._folder = 0, die_at, str(folder.resolve())
        self._kept: list[Any] = []

    def come(self, *_: Any) -> None:
        """A moment: called before something stored is changed."""
        self.count += 1
        if self.count == self._die_at:
            os.kill(os.getpid(), signal.SIGKILL)

    def watch_files(self) -> None:
        """From now on count what Python does to files of the folder; it cannot be taken back."""
        sys.addaudithook(self._audited)

    def _audited(self, act: str, given: tuple[Any, ...]) -> None:
        if act == "open":
            path, mode, flags = given
            writes = any(letter in mode for letter in "wax+") if isinstance(mode, str) else flags & _WRITES
            if not writes:
                return
        elif act in _ACTS:
            path = given[0]
        else:
            return
        if isinstance(path, str | os.PathLike) and os.path.realpath(path).startswith(self._folder):
            self.come()

    def watch_sqlite(self) -> bool:
        """Count SQLite's writes; False where its library cannot be reached (it is built into Python)."""
        name = ctypes.util.find_library("sqlite3")
        if name is None:
            return False
        library = ctypes.CDLL(name)
        library.sqlite3_vfs_find.restype = ctypes.POINTER(_Vfs)
        vfs = library.sqlite3_vfs_find(None)
        if vfs.contents.iVersion < 3:
            return False
        for call, kind in _CALLS.items():
            found = vfs.contents.xGetSystemCall(vfs, call.encode())
            if found:
                self._replace(vfs, call, kind, found)
        return True

    def _replace(self, vfs: Any, call: str, kind: Any, found: int) -> None:
        own = kind(found)

        def counted(*given: Any) -> Any:
            self.come()
            return own(*given)

        instead = kind(counted)
        self._kept += [own, instead]
        if vfs.contents.xSetSystemCall(vfs, call.encode(), ctypes.cast(instead, _POINTER)):
            raise OSError(f"SQLite does not let its call {call} be replaced")

    def watch_server(self) -> None:
        """Count statements (before and after) and commits (before and after) of every SQLAlchemy engine."""
        from sqlalchemy import event
        from sqlalchemy.engine import Engine

        for moment in ("before_cursor_execute", "after_cursor_execute", "commit"):
            event.listen(Engine, moment, self.come)
        event.listen(Engine, "engine_disposed", self.come)
