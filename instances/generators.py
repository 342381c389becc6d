"""Seeded tables and series of tables, for tests and benchmarks.

Every function is pure: the same arguments give the same frames, and no global state is
read or changed. Tables have the columns ``id``, ``x1``, ``x2``, ... (numbers), ``c1``,
``c2``, ... (categories) and ``value`` (sensitive).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import islice
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..models.errors import InputError
from ..models.hierarchy import Hierarchy
from ..models.numeric import Numeric
from ..models.table import QISpec, Sensitive
from .roles import Roles

__all__ = [
    "TOP",
    "Turnover",
    "attendance",
    "clustered_table",
    "drawn_again",
    "generated_roles",
    "series",
    "skewed_table",
    "uniform_table",
]

TOP = 100
"""Numbers lie between 0 and this, both included."""

CATEGORIES = ("north", "east", "south", "west")


def generated_roles(*, numeric: int = 2, categorical: int = 1, values: int = 6) -> Roles:
    """Roles that fit every table made with the same counts; domains do not depend on the rows.

    Parameters
    ----------
    numeric, categorical : int
        Numbers of quasi-identifiers of either kind, together at least 1.
    values : int
        Number of sensitive values, at least 1.
    """
    _counts(numeric, categorical, values)
    specs: dict[str, QISpec] = {
        name: Numeric(name=name, lo=Fraction(0), hi=Fraction(TOP)) for name in _numbered("x", numeric)
    }
    specs |= dict.fromkeys(_numbered("c", categorical), Hierarchy.flat(CATEGORIES))
    return Roles(
        respondent="id",
        quasi_identifiers=specs,
        sensitive=Sensitive(name="value", domain=frozenset(_numbered("v", values))),
    )


def uniform_table(
    tuples: int, *, seed: int = 0, numeric: int = 2, categorical: int = 1, values: int = 6
) -> pd.DataFrame:
    """Independent uniform columns: the case without structure.

    Parameters
    ----------
    tuples : int
        Rows, at least 1.
    seed : int
        At least 0.
    numeric, categorical, values : int
        As in `generated_roles`.
    """
    _counts(numeric, categorical, values)
    random = _random(tuples, seed)
    numbers = random.integers(0, TOP + 1, (tuples, numeric))
    categories = random.integers(0, len(CATEGORIES), (tuples, categorical))
    return _frame(numbers, categories, random.integers(0, values, tuples))


def clustered_table(
    tuples: int,
    *,
    seed: int = 0,
    clusters: int = 5,
    spread: float = 4.0,
    numeric: int = 2,
    categorical: int = 1,
    values: int = 6,
) -> pd.DataFrame:
    """Numbers scattered normally around cluster centres; categories go with the cluster.

    Parameters
    ----------
    tuples, seed, numeric, categorical, values
        As in `uniform_table`.
    clusters : int
        At least 1; sizes are random.
    spread : float
        Standard deviation within a cluster, at least 0; numbers are rounded and clipped.
    """
    _counts(numeric, categorical, values)
    _at_least("clusters", clusters, 1)
    if not spread >= 0:
        raise InputError(f"spread must be at least 0, got {spread}")
    random = _random(tuples, seed)
    centres = random.integers(0, TOP + 1, (clusters, numeric))
    habits = random.integers(0, len(CATEGORIES), (clusters, categorical))
    home = random.integers(0, clusters, tuples)
    scattered = centres[home] + random.normal(0.0, 1.0, (tuples, numeric)) * spread
    strays = random.random((tuples, categorical)) < 0.1
    elsewhere = random.integers(0, len(CATEGORIES), (tuples, categorical))
    return _frame(
        _clipped(scattered), np.where(strays, elsewhere, habits[home]), random.integers(0, values, tuples)
    )


def skewed_table(
    tuples: int,
    *,
    seed: int = 0,
    exponent: float = 1.0,
    numeric: int = 2,
    categorical: int = 1,
    values: int = 6,
) -> pd.DataFrame:
    """Many small numbers and few large ones; a frequent category; Zipf-distributed values.

    Parameters
    ----------
    tuples, seed, numeric, categorical, values
        As in `uniform_table`.
    exponent : float
        At least 0; category and value number i have weight ``i ** -exponent``.
    """
    _counts(numeric, categorical, values)
    if not exponent >= 0:
        raise InputError(f"exponent must be at least 0, got {exponent}")
    random = _random(tuples, seed)
    numbers = _clipped(random.lognormal(2.0, 1.0, (tuples, numeric)))
    categories = random.choice(len(CATEGORIES), (tuples, categorical), p=_zipf(len(CATEGORIES), exponent))
    return _frame(numbers, categories, random.choice(values, tuples, p=_zipf(values, exponent)))


def series(
    population: pd.DataFrame,
    *,
    first: int,
    releases: int,
    insertions: int,
    deletions: int,
    returns: int = 0,
    seed: int = 0,
) -> tuple[pd.DataFrame, ...]:
    """Draw a series of tables from a population; everybody keeps all values (persistent).

    From one release to the next `deletions` present respondents leave, `returns` of those
    who left earlier (as many as there are) come back, and `insertions` new ones enter.

    Parameters
    ----------
    population : DataFrame
        One row per respondent; generated or real.
    first : int
        Size of the first release, at least 1.
    releases : int
        How many tables, at least 1.
    insertions, deletions, returns : int
        Per release, at least 0.
    seed : int
        At least 0.

    Returns
    -------
    tuple of DataFrame
        Rows in the order of the population, indices from 0.

    Raises
    ------
    InputError
        If a parameter is out of its range, the population has too few rows, or more
        respondents should leave than are present.
    """
    _at_least("first", first, 1)
    _at_least("releases", releases, 1)
    for name, count in (("insertions", insertions), ("deletions", deletions), ("returns", returns)):
        _at_least(name, count, 0)
    needed = first + (releases - 1) * insertions
    if len(population) < needed:
        raise InputError(f"the series needs {needed} respondents, the population has {len(population)}")
    random = _random(first, seed)
    waiting = [int(row) for row in random.permutation(len(population))]
    changes = Turnover(insertions=insertions, deletions=deletions, returns=returns)
    drawn = attendance(waiting, first, releases, changes, random)
    return tuple(population.iloc[rows].reset_index(drop=True) for rows in drawn)


class Turnover(NamedTuple):
    """How many people enter, leave and come back from one release to the next."""

    insertions: int
    deletions: int
    returns: int


def attendance(
    waiting: Sequence[int], first: int, releases: int, changes: Turnover, random: np.random.Generator
) -> Iterator[list[int]]:
    """Who is in each release; new ones come in the order of `waiting`.

    Raises
    ------
    InputError
        If more should leave than are there, or nobody is left.
    """
    queue = iter(waiting)
    present, away = set(islice(queue, first)), set[int]()
    yield sorted(present)
    for number in range(2, releases + 1):
        if changes.deletions > len(present):
            raise InputError(
                f"release {number}: {changes.deletions} deletions, but only {len(present)} respondents are "
                "present"
            )
        leaving = set(_sample(random, present, changes.deletions))
        coming = set(_sample(random, away, min(changes.returns, len(away))))
        present = (present - leaving) | coming | set(islice(queue, changes.insertions))
        away = (away - coming) | leaving
        if not present:
            raise InputError(f"release {number} is empty: delete fewer respondents or insert more")
        yield sorted(present)


def drawn_again(population: pd.DataFrame, count: int, *, respondent: str, seed: int = 0) -> pd.DataFrame:
    """Draw new respondents whose rows are those of a population, with replacement.

    For series longer than a real population lasts. Rows keep all values but the respondent's: several
    of the new respondents are alike, which distinct people of one population need not be.

    Parameters
    ----------
    population : DataFrame
        One row per respondent, at least one.
    count : int
        How many new respondents, at least 1.
    respondent : str
        Column with the names, which become ``d1``, ``d2``, ...
    seed : int
        At least 0.

    Raises
    ------
    InputError
        If a number is out of its range, the population is empty, or it has no such column.
    """
    if respondent not in population.columns:
        raise InputError(
            f"column {respondent!r}: the population does not have it, name its respondents' column"
        )
    _at_least("respondents in the population", len(population), 1)
    random = _random(count, seed)
    drawn = population.iloc[random.integers(0, len(population), count)].reset_index(drop=True)
    return drawn.assign(**{respondent: _numbered("d", count)})


def _counts(numeric: int, categorical: int, values: int) -> None:
    _at_least("numeric", numeric, 0)
    _at_least("categorical", categorical, 0)
    _at_least("numeric + categorical", numeric + categorical, 1)
    _at_least("values", values, 1)


def _frame(
    numbers: NDArray[np.int64], categories: NDArray[np.int64], values: NDArray[np.int64]
) -> pd.DataFrame:
    columns: dict[str, object] = {"id": _numbered("r", len(values))}
    columns |= {name: numbers[:, a] for a, name in enumerate(_numbered("x", numbers.shape[1]))}
    labels = np.array(CATEGORIES, dtype=object)
    columns |= {name: labels[categories[:, a]] for a, name in enumerate(_numbered("c", categories.shape[1]))}
    columns["value"] = [f"v{value + 1}" for value in values]
    return pd.DataFrame(columns)


def _numbered(letter: str, count: int) -> list[str]:
    return [f"{letter}{number}" for number in range(1, count + 1)]


def _random(tuples: int, seed: int) -> np.random.Generator:
    _at_least("tuples", tuples, 1)
    _at_least("seed", seed, 0)
    return np.random.default_rng(seed)


def _clipped(numbers: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.clip(np.rint(numbers), 0, TOP).astype(np.int64)


def _zipf(count: int, exponent: float) -> NDArray[np.float64]:
    weights = np.arange(1, count + 1, dtype=np.float64) ** -exponent
    return weights / weights.sum()


def _sample(random: np.random.Generator, pool: set[int], count: int) -> list[int]:
    return [int(row) for row in random.choice(sorted(pool), count, replace=False)] if count else []


def _at_least(name: str, number: int, least: int) -> None:
    if number < least:
        raise InputError(f"{name} must be at least {least}, got {number}")
