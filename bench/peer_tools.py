"""Anonymizers from PyPI, run as their documentation says, behind one signature.

None is imported before it is run: they are the extra ``bench``, and absent ones are no error.
project-lighthouse-anonymize needs numpy before 2 and others numpy 2: an interpreter of its own runs it (the
extra ``lighthouse``). `NOT_RUN` says why others that people use are not among them.
"""

from __future__ import annotations

import importlib
import io
import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pandas as pd

from ..models.hierarchy import Hierarchy

__all__ = ["NOT_RUN", "PEERS", "Asked", "Made", "Peer", "pycanon_verdict"]


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
    """

    frame: pd.DataFrame
    numeric: tuple[str, ...]
    categorical: tuple[str, ...]
    sensitive: str
    k: int
    l: int  # noqa: E741 - the usual name
    hierarchies: Mapping[str, Hierarchy]
    lighthouse: str = sys.executable

    @property
    def public(self) -> list[str]:
        """Names of the quasi-identifiers."""
        return [*self.numeric, *self.categorical]


@dataclass(frozen=True, kw_only=True)
class Made:
    """What a tool made: groups of rows (others are suppressed), and levels if it recodes whole columns.

    `seconds` and `mega` (bytes beyond what was loaded, in millions) are of a tool that ran elsewhere.
    """

    groups: Sequence[Sequence[int]]
    levels: Mapping[str, int] = field(default_factory=dict[str, int])
    seconds: float | None = None
    mega: float | None = None


@dataclass(frozen=True, kw_only=True)
class Peer:
    """A tool.

    Attributes
    ----------
    name, package : str
        What it is called here, and what installs it.
    full_domain : bool
        Whether it recodes whole columns to levels of hierarchies; otherwise it forms any groups.
    run : callable
    extra : str
        What installs it.
    elsewhere : bool
        Whether another interpreter may have it.
    """

    name: str
    package: str
    full_domain: bool
    run: Callable[[Asked], Made]
    extra: str = "bench"
    elsewhere: bool = False

    def version(self, asked: Asked) -> str | None:
        """Installed version, or None."""
        if self.elsewhere and asked.lighthouse != sys.executable:
            ask = f"from importlib.metadata import version; print(version({self.package!r}))"
            told = subprocess.run([asked.lighthouse, "-c", ask], capture_output=True, text=True, check=False)
            return told.stdout.strip() or None
        try:
            return version(self.package)
        except PackageNotFoundError:
            return None


def _categories(asked: Asked) -> pd.DataFrame:
    """The columns a tool may see; both Mondrians know categories by their type."""
    frame = asked.frame[[*asked.public, asked.sensitive]]
    return frame.astype(dict.fromkeys([*asked.categorical, asked.sensitive], "category"))


def _anonypy(asked: Asked) -> Made:
    mondrian: Any = importlib.import_module("anonypy.mondrian").Mondrian
    found = mondrian(_categories(asked), asked.public, asked.sensitive).partition(asked.k, asked.l)
    return Made(groups=[part.tolist() for part in found])


def _anonypyx(asked: Asked, algorithm: str = "Mondrian", l: int | None = None) -> Made:  # noqa: E741
    anonymiser: Any = importlib.import_module("anonypyx.anonymiser").Anonymiser
    tool = anonymiser(
        _categories(asked),
        k=asked.k,
        l=l,
        sensitive_column=asked.sensitive,
        feature_columns=asked.public,
        algorithm=algorithm,
    )
    found = tool.algorithm.partition(tool.parameters)
    return Made(groups=[part.tolist() for part in found])


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
    done = subprocess.run(child, input=told, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ValueError((done.stderr.strip().splitlines() or ["it said nothing"])[-1])
    found = json.loads(done.stdout.splitlines()[-1])
    return Made(groups=found["groups"], seconds=found["seconds"], mega=found["mega"])


def _anjana(asked: Asked) -> Made:
    l_diversity: Any = importlib.import_module("anjana.anonymity").l_diversity
    frame = asked.frame[[*asked.public, asked.sensitive]].astype(str)
    levels = {name: _levels(asked.hierarchies[name]) for name in asked.public}
    with redirect_stdout(io.StringIO()):  # it comments its progress
        # No suppression, so rows stay in their places.
        done = l_diversity(
            frame.copy(), [], asked.public, asked.sensitive, asked.k, asked.l, 0, {**levels}
        ).reset_index(drop=True)
    if len(done) != len(frame):
        raise ValueError(f"{len(frame) - len(done)} rows were suppressed, none was allowed")
    chosen = {
        name: next(
            level
            for level, labels in levels[name].items()
            if (frame[name].map(dict(zip(levels[name][0], labels, strict=True))) == done[name]).all()
        )
        for name in asked.public
    }
    cells = done[asked.public].apply(tuple, axis=1)
    return Made(groups=[rows.tolist() for rows in cells.groupby(cells).groups.values()], levels=chosen)


def _levels(hierarchy: Hierarchy) -> dict[int, list[str]]:
    """The label of every leaf per level, as ANJANA reads hierarchies."""
    return {level: [path[level] for path in hierarchy.paths] for level in range(len(hierarchy.paths[0]))}


PEERS = (
    Peer(name="anonypy Mondrian", package="anonypy", full_domain=False, run=_anonypy),
    Peer(name="anonypyx Mondrian", package="anonypyx", full_domain=False, run=lambda a: _anonypyx(a, l=a.l)),
    Peer(
        name="anonypyx MDAV (k only)",
        package="anonypyx",
        full_domain=False,
        run=lambda asked: _anonypyx(asked, "MDAV-generic"),
    ),
    Peer(
        name="lighthouse (k only)",
        package="project-lighthouse-anonymize",
        full_domain=False,
        run=_lighthouse,
        extra="lighthouse",
        elsewhere=True,
    ),
    Peer(name="ANJANA", package="anjana", full_domain=True, run=_anjana),
)

NOT_RUN = {
    "microaggregation": "it returns the squared error of an order of rows, and no groups",
    "sdcMicro": "an R package that Debian does not have, so that it could not be run",
    "ARX": "a Java program that is installed by hand; its releases are read by `optanon audit-release`",
}
"""Tools that people use, and why they are not run."""


def pycanon_verdict(frame: pd.DataFrame, public: Sequence[str], sensitive: str) -> tuple[int, int] | None:
    """Say k and l of a published table as pyCANON sees it; None if it is not installed.

    Rows with equal cells are one class there, also if they are two groups here.
    """
    try:
        anonymity: Any = importlib.import_module("pycanon.anonymity")
    except ImportError:
        return None
    text = frame[[*public, sensitive]].astype(str).reset_index(drop=True)
    k = anonymity.k_anonymity(text, list(public))
    return int(k), int(anonymity.l_diversity(text, list(public), [sensitive]))
