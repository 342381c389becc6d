"""Shipped instances: worked tables of the literature with known verdicts and optima.

An instance is a folder: tables, steward's copies of published releases, problem files, and
``expected.yaml``, whose opening comment says what it is and whose entries say what must come
out, each optimum with its derivation in a comment:

``checks``
    A release against a problem: which of its requirements it violates (all others hold).
``optima``
    Status and exact objective of a problem, and the grouping if only one attains it.
``inferences``
    What is certain for somebody who holds the releases and knows some values (persistent values).
``links``
    The probability that a respondent was ever linked to a value (transient values).
``explained``
    Why a problem has no release: its minimal conflicts and the nearest policies that have one.
"""

from __future__ import annotations

from fractions import Fraction
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from ..models.errors import InputError
from ..models.problem import Problem
from .problem_file import load_problem

__all__ = [
    "Check",
    "Expected",
    "Explained",
    "Inference",
    "Link",
    "Optimum",
    "describe",
    "expected",
    "load",
    "names",
    "path",
]

EXPECTED = "expected.yaml"

Exact = Annotated[Fraction, BeforeValidator(lambda raw: Fraction(str(raw)))]


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    problem: str
    """File name of the problem (its table gives the columns in any case)."""


class Check(_Entry):
    """Which requirements of the problem a release violates."""

    release: str
    violated: frozenset[str]


class Optimum(_Entry):
    """What a solver must find; `objective` has one value per level of the policy."""

    status: Literal["OPTIMAL", "INFEASIBLE"]
    word: str | None = None
    objective: tuple[Exact, ...] = ()
    groups: frozenset[frozenset[str]] | None = None


class Inference(_Entry):
    """Who is certain to have which value, for somebody who holds `releases` and knows `known`."""

    releases: tuple[str, ...]
    known: dict[str, str]
    certain: dict[str, str]


class Link(_Entry):
    """Probability that a respondent was ever linked to a value, over `releases`."""

    releases: tuple[str, ...]
    respondent: str
    value: str
    probability: Exact


class Explained(_Entry):
    """All minimal sets of parts that conflict, and the least changes of one parameter (or two)."""

    conflicts: frozenset[frozenset[str]]
    remedies: tuple[dict[str, str], ...]


class Expected(BaseModel):
    """Everything that is known about an instance; see the module.

    Instances about published views have keys of their own, kept as they are.
    """

    model_config = ConfigDict(extra="allow", frozen=True)

    checks: tuple[Check, ...] = Field(default=())
    optima: tuple[Optimum, ...] = Field(default=())
    inferences: tuple[Inference, ...] = Field(default=())
    links: tuple[Link, ...] = Field(default=())
    explained: tuple[Explained, ...] = Field(default=())


def names() -> tuple[str, ...]:
    """Names of all shipped instances, sorted."""
    return tuple(sorted(folder.name for folder in _root().iterdir() if (folder / EXPECTED).is_file()))


def path(name: str) -> Path:
    """Folder of an instance.

    Raises
    ------
    InputError
        If no instance has that name.
    """
    if name not in names():
        raise InputError(f"no shipped instance is called {name!r}: there are {', '.join(names())}")
    return _root() / name


def describe(name: str) -> str:
    """What an instance is: one line, then more paragraphs if there is more to say."""
    paragraphs: list[list[str]] = [[]]
    for line in (path(name) / EXPECTED).read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            break
        words = line.removeprefix("#").strip()
        if words:
            paragraphs[-1].append(words)
        else:
            paragraphs.append([])
    return "\n".join(" ".join(lines) for lines in paragraphs if lines)


def expected(name: str) -> Expected:
    """Known verdicts and optima of an instance."""
    content: dict[str, Any] = yaml.safe_load((path(name) / EXPECTED).read_text(encoding="utf-8"))
    return Expected.model_validate(content)


def load(name: str, problem: str) -> Problem:
    """One problem of an instance, by its file name.

    Raises
    ------
    InputError
        If there is no such instance or problem file.
    """
    return load_problem(path(name) / problem)


def _root() -> Path:
    root = resources.files(__name__.rpartition(".")[0]) / "data"
    if not isinstance(root, Path):
        raise InputError("the shipped instances need optanon to be installed unpacked, not inside an archive")
    return root
