"""Numba behind a typed door: compiled functions keep their signature for the type checker.

Where numba is not installed, or told not to compile (``NUMBA_DISABLE_JIT``), the same functions run as plain
Python: the answers are the same, and take about a hundred times longer.

Compiled code is kept on disk. Numba asks only whether the file of a function has changed; but a function's
code holds what it calls in other files, the constants it names there, and the fields of the tuples it is
given. So each state of a file and of all such files that it imports, directly or through others, has a folder
of its own: after an update nothing runs that was compiled of what is gone, and what the update does not touch
is not compiled again.

Names of what is kept hold a number that numba counts from 1 in each process. It tells apart what is
named alike otherwise, such as the parts of sorting and of ordering; loaded from two processes they would
be one, and sorting would order. So each process begins at a number of its own. Nor do two processes that
compile one function for different types at a time write to one file: one type would get the other's code.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

from .held_signals import HeldSignals
from .moment import COMPILING

try:
    import numba  # pyright: ignore[reportMissingTypeStubs]
    from numba.core import bytecode, event  # pyright: ignore[reportMissingTypeStubs]
except ImportError:
    numba = None
else:

    class _Compiles(cast("Any", event).Listener):
        """Tells the clock of searches when numba compiles, and hears Ctrl-C after each function."""

        def on_start(self, event: Any) -> None:
            COMPILING.begin()

        def on_end(self, event: Any) -> None:
            COMPILING.end()
            HELD.told()

    class _Locks(cast("Any", event).Listener):
        """Keeps Ctrl-C away from numba while it makes or loads functions."""

        def on_start(self, event: Any) -> None:
            HELD.begin()

        def on_end(self, event: Any) -> None:
            HELD.end()

    HELD = HeldSignals()
    cast("Any", event).register("numba:compile", _Compiles())
    cast("Any", event).register("numba:compiler_lock", _Locks())
    cast("Any", bytecode).FunctionIdentity._unique_ids = count(int.from_bytes(os.urandom(6), "big"))

__all__ = ["borrowing", "compiled", "only_numbers"]

P = ParamSpec("P")
R = TypeVar("R")

PACKAGE = Path(__file__).resolve().parents[1]
COMPILED = re.compile(rb"^@(compiled|borrowing)$", re.MULTILINE)
NUMBERS = re.compile(r"(int|float|bool|None|np\.u?int64|np\.float64)")
TUPLE = b"(NamedTuple)"
IMPORT = re.compile(r"^\s*from (\.+)([\w.]*) import (\([^)]*\)|.*)$", re.MULTILINE)
NAME = re.compile(r"(\w+)(?: as \w+)?")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function of numbers and arrays, which may make some; threads may run it side by side."""
    return _compiled(function, counting=True)


def borrowing(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that makes no array, and returns none: those that it is given are not its own.

    So it counts no references to arrays. In short functions of many arrays counting takes longer than all
    else: it is done by atomic steps, whenever one is taken out of a tuple.

    Raises
    ------
    TypeError
        If it does not say that it returns numbers or nothing: a returned array would be freed too early. What
        it calls may return no array either, which is not seen here: it would never be freed.
    """
    returned = str(function.__annotations__.get("return", ""))
    if not only_numbers(returned):
        raise TypeError(f"{function.__name__} returns {returned or 'anything'}: only numbers are not counted")
    return _compiled(function, counting=False)


def only_numbers(returned: str) -> bool:
    """Whether a function's annotation says that it returns numbers, or nothing: no array."""
    parts = returned.removeprefix("tuple[").removesuffix("]").split(", ")
    return all(NUMBERS.fullmatch(part) for part in parts)


def _compiled(function: Callable[P, R], *, counting: bool) -> Callable[P, R]:
    compiler = cast("Any", numba)
    if compiler is None or compiler.config.DISABLE_JIT:
        return function
    with _kept(compiler.config, Path(function.__code__.co_filename).resolve()):
        # Said in any case: what is not said is as in whoever calls it first.
        made = compiler.njit(cache=True, nogil=True, _nrt=counting)(function)
        made.get_call_template = _whatever_the_values(made.get_call_template)
        kept = made._cache._cache_file
        kept._data_name_pattern = kept._data_name_pattern.replace(".nbc", f"-{os.urandom(6).hex()}.nbc")
        return cast("Callable[P, R]", made)


def _whatever_the_values(asked: Callable[..., Any]) -> Callable[..., Any]:
    """Compile for the types of what another compiled function passes on, not once more for every constant."""
    plain = cast("Any", numba).types.unliteral

    def template(arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        return asked(tuple(map(plain, arguments)), {name: plain(each) for name, each in named.items()})

    return template


@contextmanager
def _kept(config: Any, file: Path) -> Generator[None, None, None]:
    """Let compiled code of a file be kept in the folder of its state."""
    before = config.CACHE_DIR
    folder = _folder(before, _state(file))
    config.CACHE_DIR = before if folder is None else str(folder)
    try:
        yield
    finally:
        config.CACHE_DIR = before


@cache
def _folder(asked: str, state: str) -> Path | None:
    """A folder below the one that was asked for, else in the package or with the user's files, if any can be.

    Folders of states that are gone may be deleted.
    """
    if asked:
        return _writable(Path(asked) / f"compiled-{state}")
    found = _writable(PACKAGE / "__pycache__" / f"compiled-{state}")
    if found is None:
        import pooch

        found = _writable(pooch.os_cache("optanon") / f"compiled-{state}")
    return found


def _writable(folder: Path) -> Path | None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


@cache
def _state(file: Path) -> str:
    """A digest of what the compiled functions of a file can hold: the file and what it leads to."""
    reached = {file}
    open_ones = [file]
    while open_ones:
        new = _needed(open_ones.pop()) - reached
        reached |= new
        open_ones += sorted(new)
    digest = hashlib.sha256()
    for each in sorted(reached):
        digest.update(str(each).removeprefix(str(PACKAGE)).encode() + b"\0" + each.read_bytes())
    return digest.hexdigest()[:16]


@cache
def _needed(file: Path) -> frozenset[Path]:
    """Files of the package that a file's compiled functions and tuples lead to.

    Those with compiled functions or tuples, packages that pass such names on, and, if the file itself
    compiles, those it has constants of.
    """
    text = file.read_bytes()
    if not COMPILED.search(text) and TUPLE not in text and file.name != "__init__.py":
        return frozenset()
    found: set[Path] = set()
    for imported, name in _imports(file, text):
        other = imported.read_bytes()
        marked = COMPILED.search(other) or TUPLE in other or imported.name == "__init__.py"
        if marked or (COMPILED.search(text) and name.isupper()):
            found.add(imported)
    return frozenset(found)


def _imports(file: Path, text: bytes) -> Iterator[tuple[Path, str]]:
    """Files of the package that a file imports names of, with the names."""
    for dots, module, names in IMPORT.findall(text.decode()):
        room = file.parents[len(dots) - 1].joinpath(*filter(None, module.split(".")))
        for name in NAME.findall(names):
            below = (room / f"{name}.py", room / name / "__init__.py")
            whole = (room.with_suffix(".py"), room / "__init__.py")
            yield next(each for each in (*below, *whole) if each.is_file()), name
