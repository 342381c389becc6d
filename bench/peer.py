"""What every tool beside us is given, and what it made."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Literal

import pandas as pd

from ..models.hierarchy import Hierarchy

__all__ = ["Asked", "Kind", "Made", "Peer", "installed"]

Kind = Literal["groups", "levels", "cells"]
"""How a tool recodes: any groups, one level of its hierarchy per column, or single cells that are hidden."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What every tool is given.

    Attributes
    ----------
    frame : DataFrame
        Rows numbered from 0; numbers are integers, categories text.
    numeric, categorical : tuple of str
        Quasi-identifiers.
    sensitive : str
    k, l : int
        At least k rows and l different sensitive values per group.
    hierarchies : Mapping of str to Hierarchy
        Of every quasi-identifier.
    lighthouse : str
        An interpreter that has project-lighthouse-anonymize, by default this one.
    arx : str
        A folder with ARX' jar and those it needs, or empty.
    rscript : str
        R's command for scripts; its libraries may hold sdcMicro.
    """

    frame: pd.DataFrame
    numeric: tuple[str, ...]
    categorical: tuple[str, ...]
    sensitive: str
    k: int
    l: int  # noqa: E741 - the usual name
    hierarchies: Mapping[str, Hierarchy]
    lighthouse: str = sys.executable
    arx: str = ""
    rscript: str = "Rscript"

    @property
    def public(self) -> list[str]:
        """Names of the quasi-identifiers."""
        return [*self.numeric, *self.categorical]


@dataclass(frozen=True, kw_only=True)
class Made:
    """What a tool made: groups of rows (others are suppressed), and levels if it recodes whole columns.

    `hidden` has the rows whose cell of a column is hidden, if single cells are.
    `seconds` and `mega` (bytes beyond what was loaded, in millions) are of a tool that ran elsewhere.
    """

    groups: Sequence[Sequence[int]]
    levels: Mapping[str, int] = field(default_factory=dict[str, int])
    hidden: Mapping[str, frozenset[int]] = field(default_factory=dict[str, frozenset[int]])
    seconds: float | None = None
    mega: float | None = None


def installed(package: str) -> Callable[[Asked], str | None]:
    """Version of a package of this interpreter, or None, whatever is asked."""

    def told(_: Asked) -> str | None:
        try:
            return version(package)
        except PackageNotFoundError:
            return None

    return told


@dataclass(frozen=True, kw_only=True)
class Peer:
    """A tool.

    Attributes
    ----------
    name : str
        What it is called here.
    kind : {"groups", "levels", "cells"}
        How it recodes.
    run : callable
    version : callable
        The installed version, or None where the tool is not.
    remedy : str
        What installs it.
    package : str
        Its name on PyPI, if it is there.
    """

    name: str
    kind: Kind
    run: Callable[[Asked], Made]
    version: Callable[[Asked], str | None]
    remedy: str
    package: str = ""
