"""Files that are written whole or not at all, several of them together or none.

First every file is filled as a draft beside its target and forced to the disk; only when all are
there are they moved to their names. Private files go first and public ones last, so that whatever
happens in between, no release lies there without the steward's record of it. Pictures are asked for by a
known ending, and the same each time.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import InputError, OptanonError

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = [
    "OutputFile",
    "check_picture",
    "drafted",
    "require_folder",
    "write_frame",
    "write_json",
    "write_picture",
    "write_text",
    "write_together",
    "write_whole",
]

PICTURES = (".png", ".svg", ".pdf")
"""Endings of the files that pictures are written to."""


@dataclass(frozen=True, kw_only=True)
class OutputFile:
    """A file to be written.

    Attributes
    ----------
    path : Path
        Its name; what is there is replaced.
    write : callable
        Fills the file it is given.
    private : bool
        Whether only its owner may read it; it then gets the mode 0600, otherwise what the umask allows.
    """

    path: Path
    write: Callable[[Path], object]
    private: bool = False


def write_whole(path: str | Path, write: Callable[[Path], object], *, private: bool = False) -> None:
    """Let `write` fill a file beside `path`, then move it there in one step.

    If `write` fails, an existing file at `path` stays as it was and no partial file is left.

    Raises
    ------
    InputError
        If the folder does not exist, or the file cannot be written there.
    """
    write_together([OutputFile(path=Path(path), write=write, private=private)])


def write_text(path: str | Path, text: str, *, private: bool) -> None:
    """Write a text, whole or not at all; see `write_whole`."""
    write_whole(path, lambda draft: draft.write_text(text, encoding="utf-8"), private=private)


def write_json(path: str | Path | None, content: object, *, private: bool) -> None:
    """Write JSON that people may read, too, whole or not at all; None is no file."""
    if path is not None:
        write_text(path, json.dumps(content, indent=2) + "\n", private=private)


def write_frame(path: str | Path, frame: pd.DataFrame) -> None:
    """Write a table of results as CSV, whole or not at all."""
    write_whole(path, partial(frame.to_csv, index=False, lineterminator="\n"))


def write_together(files: Sequence[OutputFile]) -> None:
    """Write all of the files or, if anything fails, none: what was there before then is there again.

    Raises
    ------
    InputError
        If a folder does not exist, or a file cannot be written there (a full disk, a read-only folder).
    """
    with drafted(files) as move:
        move()


@contextmanager
def drafted(files: Sequence[OutputFile]) -> Generator[Callable[[], None]]:
    """Fill the drafts of all files; what is yielded moves them to their names, once all else is done.

    For what must happen only if the files can be written, and before anybody sees them.

    Raises
    ------
    InputError
        As `write_together`.
    """
    for file in files:
        with _told(file.path):
            require_folder(file.path)
            if file.path.is_dir():
                raise InputError(f"{file.path}: is a folder: name a file")
    drafts: list[Path] = []
    try:
        for file in files:
            with _told(file.path):
                drafts.append(_empty_beside(file.path))
                file.write(drafts[-1])
                drafts[-1].chmod(0o600 if file.private else 0o666 & ~_umask())
                _to_disk(drafts[-1])
        yield lambda: _move(files, drafts)
    finally:
        for draft in drafts:
            with suppress(OSError):
                draft.unlink(missing_ok=True)


def require_folder(path: Path) -> None:
    """See that the folder is there that a file is to be written into."""
    if not path.parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent}: create it or name another")


def check_picture(path: str | Path) -> Path:
    """Make sure that a picture can be written, before time is spent on what it shows.

    Raises
    ------
    OptanonError
        If the ending is unknown, the folder does not exist or matplotlib is missing.
    """
    target = Path(path)
    if target.suffix.lower() not in PICTURES:
        raise InputError(f"{target}: a plot is a file ending in {', '.join(PICTURES)}: rename it")
    require_folder(target)
    if find_spec("matplotlib") is None:
        raise OptanonError("plots need matplotlib, which is not installed: pip install matplotlib")
    return target


def write_picture(figure: Figure, target: Path) -> None:
    """Write a figure into a file that passed `check_picture`, whole or not at all."""
    from matplotlib import rc_context  # loads what draws

    ending = target.suffix.lower().removeprefix(".")
    # Without a date the same figure gives the same file.
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(ending, {})
    with rc_context({"svg.hashsalt": "optanon"}):
        write_whole(target, lambda draft: figure.savefig(draft, format=ending, metadata=metadata))


@contextmanager
def _told(path: Path) -> Generator[None]:
    """What the system refuses, in one line."""
    try:
        yield
    except OSError as error:
        why = error.strerror or error
        raise InputError(f"{path}: cannot be written ({why}); no file was changed") from error


def _move(files: Sequence[OutputFile], drafts: Sequence[Path]) -> None:
    """Give the drafts their names; on failure every name stands for what it stood for before."""
    ordered = sorted(zip(files, drafts, strict=True), key=lambda pair: not pair[0].private)
    before: dict[Path, Path] = {}
    moved: list[Path] = []
    done = False
    try:
        for file, _ in ordered:
            if len(files) > 1 and os.path.lexists(file.path):
                with _told(file.path):
                    before[file.path] = _empty_beside(file.path)
                    _second_name(file.path, before[file.path])
        # An old release must not lie beside the new record, not even if this process is killed now.
        for file, _ in ordered:
            if file.path in before and not file.private:
                moved.append(file.path)
                with _told(file.path):
                    os.unlink(file.path)
        for file, draft in ordered:
            moved.append(file.path)
            with _told(file.path):
                os.replace(draft, file.path)
        for folder in {file.path.parent for file in files} if os.name == "posix" else ():
            with _told(folder):
                _to_disk(folder)
        done = True
    finally:
        for path in () if done else reversed(moved):
            with suppress(OSError):
                if path in before:
                    os.replace(before[path], path)
                else:
                    path.unlink(missing_ok=True)
        for copy in before.values():
            with suppress(OSError):
                copy.unlink(missing_ok=True)


def _empty_beside(target: Path) -> Path:
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:100]}.")
    os.close(handle)
    return Path(name)


def _second_name(path: Path, other: Path) -> None:
    """Let `other` be the same file as `path`, or its copy where a file can have one name only."""
    other.unlink()
    try:
        os.link(path, other, follow_symlinks=False)
    except OSError:
        shutil.copy2(path, other, follow_symlinks=False)


def _to_disk(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
