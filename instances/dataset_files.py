"""Where files of real data sets are: ``$OPTANON_DATA``, the cache, or their official address.

A file ``set/name`` is looked for, in this order, under the folder in the environment
variable ``OPTANON_DATA`` and in the user's cache folder, each time plain or compressed
(``set/name.gz``). Otherwise it is downloaded from its publisher, its content is compared
with a known SHA-256, and it is kept in the cache. Files under ``OPTANON_DATA`` are the
user's own and are not compared.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from logging import WARNING
from pathlib import Path
from zipfile import BadZipFile

import pooch

from ..models.errors import InputError

__all__ = ["VARIABLE", "Fetch", "by_hand", "cache_folder", "from_url", "from_zip", "present", "source_file"]

VARIABLE = "OPTANON_DATA"

Fetch = Callable[[Path], list[Path]]
"""Puts files into an empty folder and names those that may be the wanted one."""


def cache_folder() -> Path:
    """The user's cache folder (``pooch.os_cache``)."""
    return Path(pooch.os_cache("optanon"))


def present(file: str) -> Path | None:
    """Path of ``set/name`` if it is on this machine, else None."""
    given = os.environ.get(VARIABLE)
    for folder in [Path(given)] if given else []:
        for path in (folder / file, folder / f"{file}.gz"):
            if path.is_file():
                return path
    for path in (cache_folder() / file, cache_folder() / f"{file}.gz"):
        if path.is_file():
            return path
    return None


def source_file(file: str, *, sha256: str, fetch: Fetch) -> Path:
    """Path of ``set/name``, downloaded if it is not on this machine.

    Parameters
    ----------
    file : str
        ``set/name``.
    sha256 : str
        Of the uncompressed content.
    fetch
        How to download it.

    Raises
    ------
    InputError
        If the file is nowhere and cannot be downloaded, or the download has another content.
    """
    found = present(file)
    if found is not None:
        return found
    target = cache_folder() / file
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as folder:
            arrived = fetch(Path(folder))
            for path in arrived:
                if pooch.file_hash(str(path)) == sha256:
                    path.replace(target)
                    return target
    except (OSError, BadZipFile) as error:  # a page that says to log in is no archive
        raise InputError(f"{_missing(file)}, and downloading it failed ({error}): {_remedy(file)}") from error
    raise InputError(
        f"{_missing(file)}, and what was downloaded is not the known file (SHA-256 {sha256}): "
        f"the publisher may have changed it; {_remedy(file)}"
    )


def from_url(url: str) -> Fetch:
    """Download one file."""

    def fetch(folder: Path) -> list[Path]:
        return [Path(_retrieve(url, folder))]

    return fetch


def from_zip(url: str, name: str, *, inside: str | None = None) -> Fetch:
    """Download a ZIP archive and take the file `name` out of it.

    Parameters
    ----------
    url, name : str
        Address; file name in any folder of the archive.
    inside : str, optional
        Name of an inner archive that holds the file.
    """

    def fetch(folder: Path) -> list[Path]:
        archives = [_retrieve(url, folder)]
        for wanted in [inside] if inside else []:
            archives = [path for path in _unpacked(archives) if Path(path).name == wanted]
        return [Path(path) for path in _unpacked(archives) if Path(path).name == name]

    return fetch


def by_hand(how: str) -> Fetch:
    """A file that no program can fetch; `how` tells a person what to do."""

    def fetch(folder: Path) -> list[Path]:
        raise OSError(how)

    return fetch


def _unpacked(archives: list[str]) -> list[str]:
    return [str(path) for archive in archives for path in pooch.Unzip()(archive, "download", None)]


def _retrieve(url: str, folder: Path) -> str:
    # The content is compared after unpacking: publishers pack the same file anew now and then.
    with _quiet():
        return str(pooch.retrieve(url, known_hash=None, fname=url.rpartition("/")[2], path=folder))


@contextmanager
def _quiet() -> Generator[None]:
    """Keep pooch from advising on hashes that are not used here."""
    logger = pooch.get_logger()
    level = logger.level
    logger.setLevel(WARNING)
    try:
        yield
    finally:
        logger.setLevel(level)


def _missing(file: str) -> str:
    given = os.environ.get(VARIABLE)
    where = f"under {VARIABLE} ({given})" if given else f"under {VARIABLE} (not set)"
    return f"{file} is neither {where} nor in the cache ({cache_folder()})"


def _remedy(file: str) -> str:
    return f"get it by other means and set {VARIABLE} to the folder that holds {file}"
