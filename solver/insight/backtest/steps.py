"""One release of a backtest: what it loses, invents and gives away, and what is expected of later ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from ....models.errors import EngineError
from ....models.history import History
from ....models.losses import loss
from ....models.outlook.asked import Outlook
from ....models.outlook.foreseen import mean
from ....models.problem import Problem
from ....models.publisher import Publisher
from ....models.release import Release
from ....models.table import Microdata
from ...appending import SeriesVerdict, examine
from ...baselines.registry import baselines
from ...search import solve_problem
from ...settings import Hindsight
from ..comparison.figures import Figures, figures, queries_for

__all__ = ["BacktestStep", "Trying", "stepped"]

LOSS = "information_loss"


@dataclass(frozen=True, kw_only=True)
class Trying:
    """How releases are made and measured.

    Attributes
    ----------
    time_limit : float or None
        Seconds for each search.
    seed : int
        Of searches and heuristics, and of queries.
    workers : int or None
    queries : int
    selectivity : float
    audit_seconds : float
        For each audit; 0 for none.
    """

    time_limit: float | None
    seed: int
    workers: int | None
    queries: int
    selectivity: float
    audit_seconds: float


@dataclass(frozen=True, kw_only=True)
class BacktestStep:
    """One release.

    Attributes
    ----------
    future : str
        Which series of tables: "stored", or its seed.
    publisher : str
    release : int
        Its number in the series, from 1.
    tuples : int
        Of its table.
    status : str
        Of the search; "heuristic" for a heuristic.
    why : str or None
        Why there is no release, in words.
    figures : Figures or None
        Its violations are of the publisher's own policy.
    loss : Fraction or None
        Information loss.
    signatures : int or None
        How many different ones its groups have.
    expected : Fraction or None
        Counterfeits that the outlook foresees in later releases; None where nothing has a price.
    expected_next : Fraction or None
        Those of them that it foresees in the next release.
    hindsight : Hindsight or None
        Of the first release that was published: what nobody avoids with these tables, and nobody after it.
    verdict : SeriesVerdict or None
        Of the audit of everything published up to it; None if none was asked for.
    """

    future: str
    publisher: str
    release: int
    tuples: int
    status: str
    why: str | None = None
    figures: Figures | None = None
    loss: Fraction | None = None
    signatures: int | None = None
    expected: Fraction | None = None
    expected_next: Fraction | None = None
    hindsight: Hindsight | None = None
    verdict: SeriesVerdict | None = None

    @property
    def counterfeits(self) -> int | None:
        """How many are published."""
        return None if self.figures is None else self.figures.counterfeits


def stepped(
    table: Microdata, publisher: Publisher, history: History, trying: Trying, step: BacktestStep, to_come: int
) -> BacktestStep:
    """Publish a table and measure it; its release is appended to the history.

    Parameters
    ----------
    step
        With future, publisher and number.
    to_come : int
        Releases after this one.
    """
    problem = Problem(table=table, policy=publisher.policy, history=history)
    status, release, why = _made(problem, publisher, trying)
    if release is None:
        return replace(step, status=status, why=why)
    expected, expected_next = _expected(problem, release, to_come)
    verdict = None
    if trying.audit_seconds:
        persistence = table.sensitive.persistence
        verdict, _ = examine(history, release, persistence=persistence, seconds=trying.audit_seconds)
    asked = queries_for(problem.table, trying.queries, trying.selectivity, trying.seed)
    measured = figures(problem, release, asked)
    history.append(release)
    return replace(
        step,
        status=status,
        figures=measured,
        loss=loss(LOSS).value(release, problem.table),
        signatures=len({group.signature for group in release.groups}),
        expected=expected,
        expected_next=expected_next,
        verdict=verdict,
    )


def _made(problem: Problem, publisher: Publisher, trying: Trying) -> tuple[str, Release | None, str | None]:
    """Status, release, and why there is none."""
    try:
        if publisher.heuristic is not None:
            return "heuristic", baselines()[publisher.heuristic].run(problem, trying.seed), None
        result = solve_problem(
            problem, time_limit=trying.time_limit, seed=trying.seed, workers=trying.workers, display=False
        )
    except EngineError as error:
        return "refused", None, str(error)
    if result.interrupted:  # its release is not what would have been published
        raise KeyboardInterrupt
    why = None if result.release is not None else result.reason or f"none found: {result.termination.value}"
    return result.status.value, result.release, why


def _expected(
    problem: Problem, release: Release, to_come: int
) -> tuple[Fraction, Fraction] | tuple[None, None]:
    """By the publisher's outlook, or the usual one: in all releases of the backtest to come; in the next."""
    policy = problem.policy
    if not to_come or all(r.structure(problem).signature is None for r in policy.requirements):
        return None, None
    outlook = replace(policy.outlook or Outlook(), releases=to_come)
    asked = policy.by_itself().changed(minimize=["counterfeits"], outlook=outlook)
    looking = replace(problem, policy=asked)
    lives = looking.lives(release)
    return (mean(lives), mean(looking.lives(release, 1))) if lives else (None, None)
