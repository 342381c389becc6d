"""Files about a series to be tried out: a problem, futures or its stored past, and who is to publish them.

::

    problem: patients.yaml           # table, history and policy
    futures:                         # left out: the releases of the history and the table are replayed
      releases: 6
      leave: 1/10                    # of the first table, before each later release; come: as many; back: 0
      first: 300                     # draw the first table from the problem's; the others come later
      seeds: [1, 2]                  # not those of the search or of an outlook
    publishers:                      # left out: with and without outlook, cor_split, m_invariance
      as asked: {}
      with m 4: {requirements: [{weak_m_invariance: {m: 4}}, {hc_safety: {n: 2}}]}
      without outlook: {outlook: none}
      Cor-Split: {heuristic: cor_split}

A problem file is such a file, too: its stored past is replayed, or futures are drawn if there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from ..models.errors import ProblemFileError
from ..models.problem import Problem
from ..models.publisher import Publisher, usual_publishers
from .bounded import read_yaml
from .column_kinds import Strict
from .futures import Futures, published_last
from .problem_file import load_policy, load_problem
from .text_files import Reading
from .wrong_keys import first_wrong

__all__ = ["TriedSeries", "load_series", "problem_of"]


class _FuturesFile(Strict):
    releases: int = 6
    """How many each has, the first one included."""
    leave: float | int | str = "1/10"
    """The share of the first table that leaves before each later release."""
    come: float | int | str | None = None
    """The share that comes; as many as leave unless said."""
    back: float | int | str = 0
    """The share that returns, of those who left."""
    first: int | None = None
    """People in the first table, drawn from the problem's; all unless said."""
    seeds: list[int] = Field(default_factory=lambda: [1, 2])
    """One future for each; not the seeds of the search or of an outlook."""


class _PublisherFile(Strict):
    heuristic: str | None = None
    """A published heuristic by its name; unless said the search for the best release."""
    requirements: list[str | dict[str, dict[str, Any] | None]] | None = None
    """Instead of those of the problem's policy."""
    minimize: list[str | dict[str, float | int | str]] | None = None
    """Instead of what the problem's policy says."""
    outlook: dict[str, Any] | Literal["none"] | None = None
    """Instead of that of the problem's policy; `none`: each release is the best by itself."""


class _SeriesFile(Strict):
    problem: str
    """The problem file, beside this one."""
    futures: _FuturesFile | None = None
    """How tables to come are drawn; left out, the stored past is replayed."""
    publishers: dict[str, _PublisherFile] | None = None
    """By name. Unless said: under weak m-invariance with and without outlook, Cor-Split and m-invariance;
    under `resists_inference` with and without a value in reserve; otherwise the search alone."""


@dataclass(frozen=True, kw_only=True)
class TriedSeries:
    """What a file asks to be tried.

    Attributes
    ----------
    problem : Problem
    publishers : Mapping of str to Publisher
    futures : Futures or None
        None: the stored past is replayed.
    """

    problem: Problem
    publishers: Mapping[str, Publisher]
    futures: Futures | None


def load_series(
    path: str | Path, *, expect: str | None = None, tell: Callable[[Reading], object] | None = None
) -> TriedSeries:
    """Read a series file, or a problem file; `tell` is told how the problem's table was read.

    Raises
    ------
    ProblemFileError
        Naming the file, the key and the remedy.
    """
    file = Path(path)
    spec = _read(file)
    if spec is None:
        problem = load_problem(file, expect=expect, tell=tell)
        again = published_last(problem.table, problem.history)  # which is no past of its own
        futures = None if len(problem.history) > again else Futures()
        return TriedSeries(problem=problem, publishers=usual_publishers(problem.policy), futures=futures)
    inner = file.parent / spec.problem
    problem = load_problem(inner, expect=expect, tell=tell)
    futures = None if spec.futures is None else Futures(**_given(spec.futures))
    if spec.publishers is None:
        publishers = usual_publishers(problem.policy)
    else:
        publishers = {name: _publisher(inner, said) for name, said in spec.publishers.items()}
    return TriedSeries(problem=problem, publishers=publishers, futures=futures)


def problem_of(path: str | Path) -> Path:
    """The problem file that a series file names, or the file itself."""
    file = Path(path)
    spec = _read(file)
    return file if spec is None else file.parent / spec.problem


def _publisher(problem: Path, said: _PublisherFile) -> Publisher:
    changes = {key: value for key, value in _given(said).items() if key != "heuristic"}
    return Publisher(policy=load_policy(problem, changes), heuristic=said.heuristic)


def _given(said: Strict) -> dict[str, Any]:
    """What a file says, without what it leaves out."""
    return said.model_dump(exclude_unset=True, exclude_none=True)


def _read(file: Path) -> _SeriesFile | None:
    """The file as it stands; None for a problem file."""
    raw = read_yaml(file)
    if not isinstance(raw, dict):
        raise ProblemFileError(
            f"{file}: a series file is a mapping with the keys problem, futures, publishers"
        )
    if "table" in raw:
        return None
    try:
        return _SeriesFile.model_validate(raw)
    except ValidationError as error:
        raise ProblemFileError(f"{file}: {first_wrong(error, raw)}") from error
