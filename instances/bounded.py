"""YAML and JSON of unknown origin, read within bounds: whatever is in it, reading ends soon, in one line.

A file is refused if it is larger, nested more deeply or written with longer numbers than any file of its
kind needs; so nothing behind the reader can be made to run out of stack or of patience. A YAML alias
counts as all that it stands for: nine lines that stand for a billion entries are as large as a billion
entries. Keys that appear twice are refused, because readers disagree on which of them counts.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import yaml
from yaml.constructor import ConstructorError
from yaml.parser import ParserError
from yaml.scanner import ScannerError

from ..models.errors import InputError, OptanonError, ProblemFileError
from ..models.exact_numbers import LONGEST

__all__ = ["JSON", "YAML", "FileLimits", "parse_json", "parse_yaml", "read_json", "read_text", "read_yaml"]

E = TypeVar("E", bound=OptanonError)


@dataclass(frozen=True, kw_only=True)
class FileLimits:
    """How much a file may hold.

    Attributes
    ----------
    size : int
        Bytes of the file.
    depth : int
        How deeply lists and mappings may lie in one another.
    entries : int
        Values, keys, lists and mappings in all, those behind aliases counted wherever they are used.
    """

    size: int
    depth: int
    entries: int


YAML = FileLimits(size=4_000_000, depth=32, entries=300_000)
"""What people write by hand, or a program for them: problems, knowledge."""

JSON = FileLimits(size=1_000_000_000, depth=64, entries=100_000_000)
"""What programs write: results, certificates, exported histories."""


def read_text(path: str | Path, *, bounds: FileLimits, kind: type[E] = InputError) -> str:
    """The text of a UTF-8 file.

    Raises
    ------
    E
        If it cannot be read, is too large or not UTF-8.
    """
    try:
        with Path(path).open("rb") as file:
            raw = file.read(bounds.size + 1)
    except (OSError, ValueError) as error:
        raise kind(f"{_shown(path)}: cannot be read ({getattr(error, 'strerror', None) or error})") from error
    if len(raw) > bounds.size:
        raise kind(f"{path}: is larger than {bounds.size:,} bytes, the most a file of this kind may have")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise kind(f"{path}: not UTF-8 text (byte {error.start}): save it as UTF-8") from error


def read_json(path: str | Path, *, kind: type[E] = InputError, bounds: FileLimits = JSON) -> Any:
    """The content of a JSON file.

    Raises
    ------
    E
        An error of class `kind`, one line that names the file, if it cannot be read within `bounds`.
    """
    return parse_json(read_text(path, bounds=bounds, kind=kind), str(path), kind=kind, bounds=bounds)


def parse_json(text: str, name: str, *, kind: type[E] = InputError, bounds: FileLimits = JSON) -> Any:
    """The value a JSON text stands for; `name` is what messages call it."""
    try:
        value = _decoder.decode(text)
    except RecursionError as error:
        raise kind(f"{name}: is nested more than {bounds.depth} levels deep") from error
    except (ValueError, OverflowError) as error:
        raise kind(f"{name}: cannot be read as JSON ({error})") from error
    _refuse_deep(value, name, kind, bounds)
    return value


def read_yaml(
    path: str | Path,
    *,
    kind: type[E] = ProblemFileError,
    bounds: FileLimits = YAML,
    private: bool = False,
) -> Any:
    """The content of a YAML file; None if it is empty. What a `private` file holds is not shown in messages.

    Raises
    ------
    E
        An error of class `kind`, one line that names the file and its line, if it cannot be read within
        `bounds`.
    """
    text = read_text(path, bounds=bounds, kind=kind)
    return parse_yaml(text, str(path), kind=kind, bounds=bounds, private=private)


def parse_yaml(
    text: str,
    name: str,
    *,
    kind: type[E] = ProblemFileError,
    bounds: FileLimits = YAML,
    private: bool = False,
) -> Any:
    """The value a YAML text stands for; `name` is what messages call it."""
    try:
        _refuse_large(text, bounds)
        return yaml.load(text, Loader=_Loader)  # a safe loader
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark is not None else ""
        what = " ".join(str(getattr(error, "problem", None) or getattr(error, "reason", error)).split())
        if isinstance(error, _RefusedError):
            what = error.plain if private else error.full
        elif private and not isinstance(error, ScannerError | ParserError):
            what = "something there is no plain text, list or mapping"
        if "nesting depth" in what:  # newer parsers have a limit of their own, and look ahead
            what = f"nested more than {bounds.depth} levels deep"
        raise kind(f"{name}{line}: not valid YAML ({what})") from error
    except (ValueError, OverflowError, RecursionError) as error:
        what = "a value is out of range" if private else error
        raise kind(f"{name}: not valid YAML ({what})") from error


def _shown(path: str | Path) -> str:
    return str(path).replace("\0", "\\0")


# -- JSON --------------------------------------------------------------------------------------


def _whole(text: str) -> int:
    if len(text) > LONGEST:
        raise ValueError(f"a number of {len(text)} digits")
    return int(text)


def _decimal(text: str) -> float:
    number = float(text) if len(text) <= LONGEST else math.inf
    if not math.isfinite(number):
        raise ValueError(f"the number {text[:20]} is too large or too long")
    return number


def _constant(text: str) -> float:
    raise ValueError(f"{text} is not a number")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice[:60]!r} appears twice")
    return found


_decoder = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_whole, parse_float=_decimal, parse_constant=_constant
)


def _refuse_deep(value: object, name: str, kind: type[OptanonError], bounds: FileLimits) -> None:
    """Level by level, so that depth costs no stack."""
    layer = [value]
    entries = 1
    for _ in range(bounds.depth + 1):
        layer = [
            part
            for holder in layer
            if isinstance(holder, dict | list)
            for part in (cast("dict[str, object]", holder).values() if isinstance(holder, dict) else holder)
        ]
        entries += len(layer)
        if not layer:
            return
        if entries > bounds.entries:
            raise kind(f"{name}: holds more than {bounds.entries:,} entries")
    raise kind(f"{name}: is nested more than {bounds.depth} levels deep")


# -- YAML --------------------------------------------------------------------------------------


@dataclass
class _Open:
    """A list or mapping that is being read."""

    anchor: str | None
    mapping: bool
    entries: int = 1
    children: int = 0
    keys: set[tuple[object, ...]] = field(default_factory=set[tuple[object, ...]])


def _refuse_large(text: str, bounds: FileLimits) -> None:
    """Follow the events of a document, without building anything, and count."""
    inside: list[_Open] = [_Open(anchor=None, mapping=False, entries=0)]
    sizes: dict[str, int] = {}
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.CollectionStartEvent):
            inside.append(_Open(anchor=event.anchor, mapping=isinstance(event, yaml.MappingStartEvent)))
            if len(inside) > bounds.depth + 1:
                raise _RefusedError(event, f"nested more than {bounds.depth} levels deep")
            continue
        if isinstance(event, yaml.CollectionEndEvent):
            done = inside.pop()
            size, anchor = done.entries, done.anchor
        elif isinstance(event, yaml.AliasEvent):
            if event.anchor not in sizes:
                raise _RefusedError(event, "an alias stands for nothing, or lies inside what it stands for")
            size, anchor = sizes[event.anchor], None
        elif isinstance(event, yaml.ScalarEvent):
            size, anchor = 1, event.anchor
            if inside[-1].mapping and inside[-1].children % 2 == 0:
                key = (event.tag, event.implicit, event.value)
                if key in inside[-1].keys:
                    raise _RefusedError(
                        event, "a key appears twice", f"the key {event.value[:60]!r} appears twice"
                    )
                inside[-1].keys.add(key)
        else:
            continue
        if anchor is not None:
            sizes[anchor] = size
        inside[-1].children += 1
        inside[-1].entries += size
        if inside[-1].entries > bounds.entries:
            raise _RefusedError(event, f"more than {bounds.entries:,} entries, those behind aliases counted")


class _RefusedError(ConstructorError):
    """What is wrong at an event or node: in plain words, and in full ones that may show what stands there."""

    def __init__(self, at: Any, plain: str, full: str | None = None) -> None:
        super().__init__(None, None, plain, at.start_mark)
        self.plain = plain
        self.full = plain if full is None else full


if TYPE_CHECKING or not yaml.__with_libyaml__:
    from yaml import SafeLoader as _Safe
else:  # the same language, read ten times as fast
    from yaml import CSafeLoader as _Safe


class _Loader(_Safe):
    """PyYAML's safe loader with numbers and dates that can be wrong without harm."""


def _number(loader: _Loader, node: yaml.ScalarNode) -> int | float:
    if len(node.value) > LONGEST:
        raise _RefusedError(node, f"a number of more than {LONGEST} digits")
    try:
        if node.tag == "tag:yaml.org,2002:int":
            return loader.construct_yaml_int(node)
        return loader.construct_yaml_float(node)
    except (ValueError, OverflowError) as error:
        full = f"{node.value[:40]!r} is not a number ({error})"
        raise _RefusedError(node, "a number is none: put it in quotes if it is text", full) from error


def _date(loader: _Loader, node: yaml.ScalarNode) -> date:
    try:
        return loader.construct_yaml_timestamp(node)
    except (ValueError, OverflowError) as error:
        plain, remedy = "there is no such date", "put it in quotes if it is text"
        full = f"there is no date {node.value[:40]!r}: {remedy}"
        raise _RefusedError(node, f"{plain}: {remedy}", full) from error


def _words(loader: _Loader, node: yaml.ScalarNode) -> str:
    if "\0" in node.value:
        raise _RefusedError(node, "a string holds a NUL character")
    return str(loader.construct_scalar(node))


_Loader.add_constructor("tag:yaml.org,2002:int", _number)
_Loader.add_constructor("tag:yaml.org,2002:float", _number)
_Loader.add_constructor("tag:yaml.org,2002:timestamp", _date)
_Loader.add_constructor("tag:yaml.org,2002:str", _words)
