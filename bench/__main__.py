"""``python -m bench`` lists the cases, ``python -m bench NAME [--small] [--json OUT]`` runs one."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import pkgutil
import platform
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, fields
from importlib.metadata import version
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

import optanon.bench as package
from optanon.bench.registry import Case, Row, cases
from optanon.models.errors import OptanonError
from optanon.models.files import write_whole

CHOSEN = "chosen benchmark"
"""Where the parser puts which case is asked for: no setting of a case can be called so."""


def main() -> int:
    """Parse the command line, run the case, print its table."""
    load(sys.argv[1:2])
    parser = argparse.ArgumentParser(prog="python -m bench", description="Frozen, seeded benchmark cases.")
    commands = parser.add_subparsers(dest=CHOSEN)
    for name, kind in cases().items():
        command = commands.add_parser(name, help=_summary(kind), description=_summary(kind))
        command.add_argument("--small", action="store_true", help="the quick version that CI runs")
        command.add_argument("--json", type=Path, help="also write settings, machine and rows to this file")
        for option in fields(kind):
            default: Any = option.default
            name = f"--{option.name.replace('_', '-')}"
            if isinstance(default, bool):
                command.add_argument(name, action="store_true", default=None)
            else:
                command.add_argument(name, type=type(default), help=f"default {default}")
    given = vars(parser.parse_args())
    if given[CHOSEN] is None:
        for name, kind in cases().items():
            sys.stdout.write(f"{name:24} {_summary(kind)}\n")
        return 0
    kind = cases()[given[CHOSEN]]
    settings: dict[str, Any] = dict(kind.small_settings) if given["small"] else {}
    settings |= {f.name: given[f.name] for f in fields(kind) if given[f.name] is not None}
    spec = kind(**settings)
    began = time.monotonic()
    try:
        rows = spec.run()
    except OptanonError as error:
        sys.stderr.write(f"{spec.name}: {error}\n")
        return 1
    print_rows(spec, rows, time.monotonic() - began)
    if given["json"] is not None:
        text = json.dumps(_record(spec, rows), indent=2) + "\n"
        write_whole(given["json"], lambda draft: draft.write_text(text, encoding="utf-8"))
    return 0


def load(asked: Sequence[str]) -> None:
    """Import the module of the case that is asked for, or all: a case `a-b` is in the module `a_b`."""
    names = [module.name for module in pkgutil.iter_modules(package.__path__) if module.name != "__main__"]
    for name in [name for name in names if name.replace("_", "-") in asked]:
        importlib.import_module(f"{package.__name__}.{name}")
    if cases().keys().isdisjoint(asked):
        for name in names:
            importlib.import_module(f"{package.__name__}.{name}")


def _summary(kind: type[Case]) -> str:
    return (kind.__doc__ or "").strip().splitlines()[0]


def print_rows(spec: Case, rows: list[Row], seconds: float) -> None:
    """One table, or one for every figure that rows say they belong to."""
    titles = list(dict.fromkeys(row.get("figure", "") for row in rows))
    sys.stdout.write(f"{spec.name} {asdict(spec)}\n" if titles != [""] else "")
    for title in titles or [""]:
        part = [
            {key: value for key, value in row.items() if key != "figure"}
            for row in rows
            if row.get("figure", "") == title
        ]
        _print_table(title or f"{spec.name} {asdict(spec)}", part)
    peak = getrusage(RUSAGE_SELF).ru_maxrss / 1024
    Console().print(f"{seconds:.1f} s, peak memory {peak:.0f} MB, {os.cpu_count()} cores, seed {spec.seed}")


def _print_table(title: str, rows: list[Row]) -> None:
    columns = list(dict.fromkeys(key for row in rows for key in row))
    table = Table(title=title)
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(_cell(row.get(column)) for column in columns))
    console = Console()
    if not sys.stdout.isatty():  # a file has room for whole words
        console.width = max(160, console.measure(table, options=console.options.update(width=1000)).maximum)
    console.print(table)


def _cell(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.6g}" if isinstance(value, float) else escape(str(value))


def _record(spec: Case, rows: list[Row]) -> dict[str, Any]:
    return {
        "case": spec.name,
        "settings": asdict(spec),
        "machine": {"cores": os.cpu_count(), "system": platform.system()},
        "python": platform.python_version(),
        "versions": {name: version(name) for name in ("ortools", "numpy", "pandas")},
        "rows": rows,
    }


if __name__ == "__main__":
    sys.exit(main())
