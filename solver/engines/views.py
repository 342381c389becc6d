"""Choose two projections of a table that publish most and keep every secret.

The search is a relaxation that learns: CP-SAT proposes the best pair not yet excluded, the
exact breach probability of every secret is computed for it, and each one above its threshold
excludes the whole family of pairs that break it for the same reason. The first proposal
that passes is therefore optimal, and the proof is CP-SAT's bound on the last relaxation.

In the unrestricted model no association the views allow has a probability of 1/2 or
less, so a threshold of at most 1/2 there can only be met by withholding: such a secret keeps its
identifier or its property out of both views.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import islice
from math import inf
from typing import Any

import pandas as pd

from ...models.errors import CertificateError, PolicyError, TableError
from ...models.moment import moment
from ...models.parameters import require_each, require_kind, require_time_limit, whole
from ...models.views import (
    Breach,
    CodedTable,
    Pattern,
    ProtectedAssociation,
    PublishedWeight,
    ViewPair,
    associations,
    breach,
    is_broken,
    standing_patterns,
    violated_pattern,
)
from ..status import Status
from .view_model import ViewModel

__all__ = ["ChoiceStatus", "ViewChoice", "choose_views"]

_PER_ROUND = 25
"""Families excluded per round at most: the first ones usually make the others idle."""


class ChoiceStatus(StrEnum):
    """What was found."""

    OPTIMAL = "optimal"
    """The views publish most, proven."""
    FEASIBLE = "feasible"
    """The views keep every secret; better ones may exist."""
    INFEASIBLE = "infeasible"
    """No pair of views has all required columns and keeps every secret, proven."""
    UNKNOWN = "unknown"
    """Stopped before anything was found."""


@dataclass(frozen=True, kw_only=True)
class ViewChoice:
    """Two projections, what they publish and what they reveal.

    Parameters
    ----------
    status
        What was found.
    termination
        Why the search stopped: ``"proved"`` or ``"time limit"``.
    first, second
        Columns of the two views in table order, None if no views were found. Equal views
        mean that one projection is all that is published.
    published, joined
        Weight of the columns in at least one view and in both.
    objective, bound
        ``(W + 1) * published + joined`` for total weight ``W``, and the proven upper
        limit on it; None if unknown.
    breaches
        The verdict on every association the secrets select, in their order.
    rounds, excluded
        Proposals examined, and families of pairs excluded.

    Raises
    ------
    PolicyError
        If the fields contradict one another.
    """

    status: ChoiceStatus
    termination: str
    first: tuple[str, ...] | None = None
    second: tuple[str, ...] | None = None
    published: int | None = None
    joined: int | None = None
    objective: int | None = None
    bound: int | None = None
    breaches: tuple[Breach, ...] = ()
    rounds: int = 0
    excluded: int = 0

    def __post_init__(self) -> None:
        found = self.status in (ChoiceStatus.OPTIMAL, ChoiceStatus.FEASIBLE)
        parts = (self.first, self.second, self.published, self.joined, self.objective)
        if any((part is not None) != found for part in parts):
            raise PolicyError(f"ViewChoice: status {self.status.value} contradicts its views")
        if self.status is ChoiceStatus.OPTIMAL and self.objective != self.bound:
            raise PolicyError("ViewChoice: an optimal choice must meet its bound")

    @property
    def join(self) -> tuple[str, ...]:
        """Columns of both views, on which they can be joined."""
        return tuple(a for a in self.first or () if a in (self.second or ()))


def choose_views(
    table: pd.DataFrame,
    secrets: Sequence[ProtectedAssociation],
    *,
    weights: Mapping[str, int] | None = None,
    required: Collection[str] = (),
    time_limit: float | None = 60.0,
    seed: int = 0,
) -> ViewChoice:
    """Choose the two projections that publish most while every secret holds.

    Parameters
    ----------
    table
        The base table; every column may be published in one view, in both, or withheld.
    secrets
        Associations with threshold and adversary model; a secret with an open value stands
        for every association it selects.
    weights
        Positive integer per column; default the number of cells, the same for all columns.
        What they mean for two views is said at `models.views.PublishedWeight`.
    required
        Columns that at least one view must have.
    time_limit
        Seconds, above 0; None for no limit.
    seed
        Random seed of CP-SAT, at least 0; the search runs on one thread and is repeatable
        unless the time limit ends it.

    Returns
    -------
    ViewChoice
        The views, re-measured on the published projections themselves.

    Raises
    ------
    TableError
        If the table is empty or no data frame, or a column or a secret does not fit it.
    PolicyError
        If a secret, a weight, a required column, the limit or the seed is none, or out of its range.
    CertificateError
        If the published projections fail the re-check.

    Notes
    -----
    Up to ``4 ** columns`` pairs exist. Each round takes one small CP-SAT solve and
    ``O(columns * rows * log(rows))`` per broken secret; the number of rounds depends on how
    many families of pairs break a secret for different reasons.
    """
    secrets = _sound_secrets(table, secrets, weights)
    attributes = tuple(str(column) for column in table.columns)
    seed = _sound(time_limit, seed, required, attributes)
    coded = CodedTable(table, attributes)
    weight = PublishedWeight.of(table, weights)
    single = _single(secrets, table)
    search = _PairSearch(coded, single, ViewModel(weight, required), set(required))
    choice = search.run(inf if time_limit is None else moment() + time_limit, seed)
    if choice.first is None or choice.second is None:
        return choice
    return replace(choice, breaches=_measured(table, single, choice.first, choice.second))


def _sound_secrets(
    table: pd.DataFrame, secrets: Sequence[ProtectedAssociation], weights: Mapping[str, int] | None
) -> tuple[ProtectedAssociation, ...]:
    """The secrets, once they, the table and the weights are of their kinds."""
    remedy = "give the base table, one row per person"
    require_kind("table", table, pd.DataFrame, remedy=remedy, error=TableError)
    if weights is not None:
        remedy = "give each column its weight: {'age': 2, ...}"
        require_kind("weights", weights, Mapping, remedy=remedy, error=PolicyError)
    remedy = "write ProtectedAssociation(query=..., threshold=...)"
    return require_each("secrets", secrets, ProtectedAssociation, remedy=remedy, error=PolicyError)


def _sound(
    time_limit: float | None, seed: int, required: Collection[str], attributes: Collection[str]
) -> int:
    """The seed, once nothing is wrong with the settings."""
    require_time_limit(time_limit)
    for column in require_each("required", required, str, remedy="name columns", error=PolicyError):
        if column not in attributes:
            raise PolicyError(f"choose_views: required column {column!r} is not in the table")
    return whole("choose_views", "seed", seed, 0)


def _single(secrets: Sequence[ProtectedAssociation], table: pd.DataFrame) -> tuple[ProtectedAssociation, ...]:
    """Each secret about each association it selects."""
    return tuple(
        replace(secret, query=query)
        for secret in dict.fromkeys(secrets)
        for query in associations(secret.query, table)
    )


class _PairSearch:
    """Proposals, verdicts on them and the best pair that keeps every secret."""

    def __init__(
        self,
        coded: CodedTable,
        secrets: Sequence[ProtectedAssociation],
        relaxation: ViewModel,
        required: set[str],
    ) -> None:
        self.coded = coded
        self.secrets = secrets
        self.relaxation = relaxation
        self.required = required
        self.excluded: set[Pattern] = set()
        self.best: tuple[frozenset[str], frozenset[str]] | None = None

    def run(self, deadline: float, seed: int) -> ViewChoice:
        """Alternate between proposing and excluding until a proposal holds."""
        for secret in self.secrets:
            self._exclude(standing_patterns(self.coded, secret))
        rounds, bound = 0, None
        while (left := deadline - moment()) > 0 or rounds == 0:
            rounds += 1
            run = self.relaxation.solve(left, seed)
            if run.status is Status.INFEASIBLE:
                return self._result(ChoiceStatus.INFEASIBLE, rounds, None)
            if not run.found:
                break
            if run.bound is not None:
                bound = run.bound if bound is None else min(bound, run.bound)
            if self.best is not None and self.relaxation.weight.value(*self.best) == bound:
                return self._result(ChoiceStatus.OPTIMAL, rounds, bound)
            first, second = (
                frozenset(a for a, literal in side.items() if run.value(literal))
                for side in (self.relaxation.first, self.relaxation.second)
            )
            patterns = self._patterns(first, second)
            if not patterns:
                self.best = (first, second) if self._is_better(first, second) else self.best
                if run.status is Status.OPTIMAL:
                    return self._result(ChoiceStatus.OPTIMAL, rounds, bound)
                break
            self._exclude(patterns)
            self._repair(first, second)
        found = ChoiceStatus.UNKNOWN if self.best is None else ChoiceStatus.FEASIBLE
        return self._result(found, rounds, bound)

    def _exclude(self, patterns: Iterable[Pattern]) -> None:
        for pattern in patterns:
            if pattern not in self.excluded:
                self.excluded.add(pattern)
                self.relaxation.exclude(pattern)

    def _patterns(self, first: frozenset[str], second: frozenset[str]) -> list[Pattern]:
        """Return why a pair breaks secrets, for the first few it breaks."""
        found = (violated_pattern(self.coded, s, first, second) for s in self.secrets)
        return list(islice((pattern for pattern in found if pattern), _PER_ROUND))

    def _repair(self, first: frozenset[str], second: frozenset[str]) -> None:
        """Shrink the join, then withhold, until a pair holds: something to fall back on."""
        weights = self.relaxation.weight.weights
        while self._is_better(first, second):
            broken = (s for s in self.secrets if is_broken(self.coded, s, first, second))
            secret = next(broken, None)
            if secret is None:
                self.best = (first, second)
                return
            i, p = secret.query.id_attribute, secret.query.property_attribute
            if not ({i, p} <= first or {i, p} <= second) and first & second:
                loose = frozenset({min(first & second, key=lambda a: (weights[a], a))})
                first, second = (first - loose, second) if p in first else (first, second - loose)
            else:
                free = [a for a in (p, i) if a not in self.required]
                first, second = first - set(free[:1]), second - set(free[:1])
                if not free or not first | second:
                    return
                first, second = first or second, second or first

    def _is_better(self, first: frozenset[str], second: frozenset[str]) -> bool:
        value = self.relaxation.weight.value
        return self.best is None or value(first, second) > value(*self.best)

    def _result(self, status: ChoiceStatus, rounds: int, bound: int | None) -> ViewChoice:
        weight = self.relaxation.weight
        proved = status in (ChoiceStatus.OPTIMAL, ChoiceStatus.INFEASIBLE)
        found: dict[str, Any] = {}
        if self.best is not None:
            first, second = self.best
            found = {
                "first": tuple(a for a in self.coded.attributes if a in first),
                "second": tuple(a for a in self.coded.attributes if a in second),
                "published": weight.published(first, second),
                "joined": weight.joined(first, second),
                "objective": weight.value(first, second),
            }
        return ViewChoice(
            status=status,
            termination="proved" if proved else "time limit",
            bound=bound,
            rounds=rounds,
            excluded=len(self.excluded),
            **found,
        )


def _measured(
    table: pd.DataFrame,
    secrets: Sequence[ProtectedAssociation],
    first: Sequence[str],
    second: Sequence[str],
) -> tuple[Breach, ...]:
    """Measure the published projections by definition, apart from the search's own counts."""
    views = ViewPair.of(table, first, second)
    verdicts = tuple(breach(views, secret.query, secret.model) for secret in secrets)
    for number, (secret, verdict) in enumerate(zip(secrets, verdicts, strict=True), start=1):
        if secret.holds(verdict) is False:
            raise CertificateError(
                f"association {number}: the chosen views reveal it with probability"
                f" {verdict.probability}, above {secret.threshold}; please report this"
            )
    return verdicts
