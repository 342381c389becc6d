"""Requirements and losses of other packages, found when a policy names one that is not known.

A package declares modules under the entry point group ``optanon.plugins``; importing one registers what it
defines. On the command line ``--plugin MODULE`` does the same for a module that is not installed.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points

from .errors import PolicyError

__all__ = ["GROUP", "plug_in", "plugged"]

GROUP = "optanon.plugins"


@cache
def plug_in() -> bool:
    """Import what installed packages declare, once; whether there was any.

    Raises
    ------
    PolicyError
        Naming the plug-in that cannot be imported.
    """
    found = entry_points(group=GROUP)
    for entry in found:
        try:
            entry.load()
        except Exception as error:
            raise PolicyError(f"plug-in {entry.name} ({entry.value}) cannot be imported: {error}") from error
    return bool(found)


def plugged(module: str) -> None:
    """Import a module by its name, from the current folder, too.

    Raises
    ------
    PolicyError
        If it cannot be imported.
    """
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        import_module(module)
    except Exception as error:
        raise PolicyError(f"--plugin {module}: it cannot be imported: {error}") from error
