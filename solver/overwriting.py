"""What a command may write: never over what it reads, and over earlier results only if told so.

It is asked before any work is done, so that nobody waits an hour for a refusal.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from ..instances.named_files import named_files
from ..models.errors import InputError
from ..models.files import require_folder

__all__ = ["file_beside", "may_write"]


def file_beside(read: Path, ending: str) -> Path:
    """The file of another ending beside one that is read.

    Raises
    ------
    InputError
        If that is no name of a file, such as ``.``.
    """
    if not read.name:
        raise InputError(f"{read}: is a folder: name a file in it")
    return read.with_suffix(ending)


def may_write(
    outputs: Iterable[Path | None],
    *,
    force: bool,
    problems: Iterable[Path] = (),
    inputs: Iterable[Path | None] = (),
) -> None:
    """See that files can be written without loss.

    Parameters
    ----------
    outputs : paths
        What will be written; None is nothing.
    force : bool
        Whether files that exist may be replaced.
    problems : paths
        Problem files: neither they nor a file they name is ever replaced.
    inputs : paths
        Other files that are read; they neither. None is nothing.

    Raises
    ------
    InputError
        Naming the file and the remedy.
    """
    named = {path: "is read by this command" for path in inputs if path is not None}
    for problem in problems:
        named |= {path: f"is {what}" for path, what in named_files(problem).items()}
    seen: list[Path] = []
    for output in outputs:
        if output is None:
            continue
        require_folder(output)
        if output.is_dir():
            raise InputError(f"{output}: is a folder: name a file")
        if not os.access(output.parent, os.W_OK):
            raise InputError(f"{output}: nothing may be written to {output.parent}: name another folder")
        for path, what in named.items():
            if _same(output, path):
                raise InputError(f"{output}: {what}, and never replaced: name another file or folder")
        if any(_same(output, other) for other in seen):
            raise InputError(f"{output}: would be written twice: name different files")
        if os.path.lexists(output) and not force:
            raise InputError(f"{output}: exists already: name another, or give --force to replace it")
        seen.append(output)


def _same(one: Path, other: Path) -> bool:
    """Whether two names stand for one file, links followed."""
    try:
        return os.path.samefile(one, other)
    except OSError:
        return os.path.realpath(one) == os.path.realpath(other)
