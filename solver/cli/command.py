"""How a declared command becomes one of Typer's, and finds its work when it is called."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import Any, Protocol

import typer

__all__ = ["add"]


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
        getattr(import_module(f".{module}", __package__), function)(asked(**given))

    callback: _Callback = call
    callback.__name__ = name
    callback.__doc__ = _unwrapped(inspect.getdoc(asked) or "")
    callback.__signature__ = inspect.signature(asked, eval_str=True)  # pyright: ignore[reportAttributeAccessIssue]
    _ = app.command(name)(callback)


def _unwrapped(text: str) -> str:
    """Paragraphs without line breaks: the terminal knows how wide it is."""
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))
