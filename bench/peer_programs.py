"""Anonymizers that run in a program of their own, another Python, Java or R, where there is one.

project-lighthouse-anonymize needs numpy before 2 and others numpy 2. ARX is asked through its Java
interface, sdcMicro through R; each child is a short program beside this file, which imports nothing of ours.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from .peer import Asked, Made, Peer, installed

__all__ = ["PROGRAMS"]

LIGHTHOUSE = "project-lighthouse-anonymize"
ARX = "Java and a folder with ARX' jars (github.com/arx-deidentifier/arx), then --arx FOLDER"


def _child(command: Sequence[str], told: str | None = None) -> Any:
    """What a program says last, read as JSON; the end of its complaints as an error."""
    done = subprocess.run(command, input=told, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ValueError(" ".join(done.stderr.strip().splitlines()[-3:]) or "it said nothing")
    return json.loads(done.stdout.splitlines()[-1])


def _lighthouse(asked: Asked) -> Made:
    """Its k-anonymity: to be l-diverse it would change sensitive values."""
    told = json.dumps(
        {
            "k": asked.k,
            "numeric": {name: [float(number) for number in asked.frame[name]] for name in asked.numeric},
            "categorical": {name: asked.frame[name].astype(str).tolist() for name in asked.categorical},
            "paths": {name: [list(p) for p in asked.hierarchies[name].paths] for name in asked.categorical},
        }
    )
    child = [asked.lighthouse, "-W", "ignore", str(Path(__file__).with_name("lighthouse_child.py"))]
    found = _child(child, told)
    return Made(groups=found["groups"], seconds=found["seconds"], mega=found["mega"])


def _lighthouse_version(asked: Asked) -> str | None:
    if asked.lighthouse == sys.executable:
        return installed(LIGHTHOUSE)(asked)
    ask = f"from importlib.metadata import version; print(version({LIGHTHOUSE!r}))"
    told = subprocess.run([asked.lighthouse, "-c", ask], capture_output=True, text=True, check=False)
    return told.stdout.strip() or None


def _rows(asked: Asked, folder: Path) -> None:
    """Write the rows for a child; hierarchies, too."""
    frame = asked.frame[[*asked.public, asked.sensitive]].astype(str)
    frame.to_csv(folder / "rows.tsv", sep="\t", index=False)
    for name in asked.public:
        lines = ["\t".join(path) + "\n" for path in asked.hierarchies[name].paths]
        (folder / f"{name}.tsv").write_text("".join(lines), encoding="utf-8")


def _arx(asked: Asked, mode: str) -> Made:
    with TemporaryDirectory() as folder:
        _rows(asked, Path(folder))
        child = str(Path(__file__).with_name("ArxChild.java"))
        classes = str(Path(asked.arx) / "*")
        found = _child(["java", "-cp", classes, child, folder, str(asked.k), str(asked.l), mode])
    return Made(
        groups=found["groups"], levels=found["levels"], seconds=found["seconds"], mega=found["mega"] or None
    )


def _arx_version(asked: Asked) -> str | None:
    """The number in the name of its jar."""
    if not asked.arx or shutil.which("java") is None:
        return None
    names = sorted(
        path.stem for pattern in ("arx-*.jar", "libarx-*.jar") for path in Path(asked.arx).glob(pattern)
    )
    return names[0].split("-")[1] if names else None


def _sdcmicro(asked: Asked) -> Made:
    """Rows whose published cells are equal are a group; a hidden cell is a cell of its own."""
    with TemporaryDirectory() as folder:
        _rows(asked, Path(folder))
        child = str(Path(__file__).with_name("sdcmicro_child.R"))
        found = _child([asked.rscript, child, folder, str(asked.k)])
    hidden = {name: frozenset(rows) for name, rows in found["hidden"].items()}
    cells = asked.frame[asked.public].astype(object)
    for name, rows in hidden.items():
        cells.loc[sorted(rows), name] = None
    groups: dict[tuple[Any, ...], list[int]] = {}
    for row, cell in enumerate(cells.itertuples(index=False, name=None)):
        groups.setdefault(cell, []).append(row)
    return Made(groups=[*groups.values()], hidden=hidden, seconds=found["seconds"])


def _sdcmicro_version(asked: Asked) -> str | None:
    if shutil.which(asked.rscript) is None:
        return None
    ask = 'cat(as.character(packageVersion("sdcMicro")))'
    told = subprocess.run([asked.rscript, "-e", ask], capture_output=True, text=True, check=False)
    return told.stdout.strip() or None if told.returncode == 0 else None


PROGRAMS = (
    Peer(
        name="lighthouse (k only)",
        kind="groups",
        run=_lighthouse,
        version=_lighthouse_version,
        remedy="pip install optanon[lighthouse]; in an environment of its own, then --lighthouse PYTHON",
        package=LIGHTHOUSE,
    ),
    Peer(
        name="ARX, local recoding",
        kind="groups",
        run=lambda asked: _arx(asked, "cells"),
        version=_arx_version,
        remedy=ARX,
    ),
    Peer(
        name="ARX", kind="levels", run=lambda asked: _arx(asked, "levels"), version=_arx_version, remedy=ARX
    ),
    Peer(
        name="sdcMicro, local suppression (k only)",
        kind="cells",
        run=_sdcmicro,
        version=_sdcmicro_version,
        remedy="R with its package sdcMicro",
    ),
)
