"""How a declared command becomes one of Typer's, and finds its work when it is called."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Generator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, get_args, get_type_hints

import typer
from typer.core import TyperGroup
from typer.models import OptionInfo

from .loading import loading

__all__ = ["Interruptible", "Interruption", "add", "options_given"]

SHOWN: Mapping[Any, str] = {bool: "", list[str]: "TEXT", list[Path]: "FILE"}
"""What help shows beside an option of some types."""


class Interruption(BaseException):
    """Ctrl-C where no search keeps what it has: Typer would end without a word."""


class Interruptible(TyperGroup):
    """Commands, from the first look at their arguments on, that end with an `Interruption` on Ctrl-C."""

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        with _telling():
            return super().make_context(*args, **kwargs)

    def invoke(self, *args: Any, **kwargs: Any) -> Any:
        with _telling():
            return super().invoke(*args, **kwargs)


@contextmanager
def _telling() -> Generator[None]:
    try:
        yield
    except KeyboardInterrupt as error:
        raise Interruption from error


class _Callback(Protocol):
    __name__: str
    __doc__: str | None

    def __call__(self, **given: Any) -> None: ...


def add(app: typer.Typer, name: str, asked: type[Any], work: str) -> None:
    """Add a command to `app`.

    Parameters
    ----------
    app : typer.Typer
    name : str
        On the command line.
    asked : dataclass
        Its fields, annotated as Typer wants them, are the command's arguments and options.
    work : str
        ``module.function`` in this package; takes an `asked`, and is imported when the command is called.
    """

    def call(**given: Any) -> None:
        module, function = work.split(".")
        with loading():
            found = import_module(f".{module}", __package__)
        getattr(found, function)(asked(**given))

    callback: _Callback = call
    callback.__name__ = name
    callback.__doc__ = _unwrapped(inspect.getdoc(asked) or "")
    signature = inspect.signature(asked, eval_str=True)
    for parameter in signature.parameters.values():
        _named(parameter.annotation)
    callback.__signature__ = signature  # pyright: ignore[reportAttributeAccessIssue]
    _ = app.command(name)(callback)


def _named(annotation: Any) -> None:
    """Help shows what is to be written, not a type of Python: nothing beside a flag."""
    kind, *marks = get_args(annotation) or (annotation,)
    shown = next((words for part, words in SHOWN.items() if part == kind or part in get_args(kind)), None)
    for mark in marks:
        if shown is not None and isinstance(mark, OptionInfo) and mark.metavar is None:
            mark.metavar = shown


def _unwrapped(text: str) -> str:
    """Paragraphs without line breaks: the terminal knows how wide it is."""
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def options_given(asked: Any, among: Collection[str]) -> list[str]:
    """Those of some options of a declared command that have another value than by default, as written.

    Parameters
    ----------
    asked : dataclass
    among : collection of str
        Its fields that are looked at.
    """
    hints = get_type_hints(type(asked), include_extras=True)
    found: list[str] = []
    for field in fields(asked):
        if field.name not in among or getattr(asked, field.name) == field.default:
            continue
        marks = [mark for mark in get_args(hints[field.name]) if isinstance(mark, OptionInfo)]
        # In an annotation the first name of an option stands where its default would.
        names = [str(name) for mark in marks for name in (mark.default, *(mark.param_decls or ()))]
        long = (name for name in names if name.startswith("--"))
        found.append(next(long, f"--{field.name.replace('_', '-')}"))
    return found
