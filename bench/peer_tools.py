"""Anonymizers from PyPI, run as their documentation says, behind one signature.

None is imported before it is run: they are the extra ``bench``, and absent ones are no error.
`NOT_RUN` says why others that people use are not among them.
"""

from __future__ import annotations

import importlib
import io
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from typing import Any

import pandas as pd

from ..models.hierarchy import Hierarchy
from .peer import Asked, Kind, Made, Peer, installed
from .peer_programs import PROGRAMS

__all__ = ["NOT_RUN", "PEERS", "pycanon_verdict"]


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


def _from_pypi(name: str, package: str, run: Callable[[Asked], Made], kind: Kind = "groups") -> Peer:
    remedy = "pip install optanon[bench]"
    return Peer(name=name, kind=kind, run=run, version=installed(package), remedy=remedy, package=package)


PEERS = (
    _from_pypi("anonypy Mondrian", "anonypy", _anonypy),
    _from_pypi("anonypyx Mondrian", "anonypyx", lambda asked: _anonypyx(asked, l=asked.l)),
    _from_pypi("anonypyx MDAV (k only)", "anonypyx", lambda asked: _anonypyx(asked, "MDAV-generic")),
    _from_pypi("ANJANA", "anjana", _anjana, "levels"),
    *PROGRAMS,
)

NOT_RUN = {"microaggregation": "it returns the squared error of an order of rows, and no groups"}
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
