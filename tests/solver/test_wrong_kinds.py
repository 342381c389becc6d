"""Arguments of another kind: each public function says what it was to be given, and how."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

from optanon import (
    Futures,
    History,
    InputError,
    Interval,
    KAnonymity,
    Knowledge,
    Member,
    Microdata,
    OptanonError,
    Policy,
    PolicyError,
    Problem,
    QIGroup,
    ReleaseError,
    Result,
    SeriesError,
    StoreError,
    TableError,
    WeakMInvariance,
    append_release,
    audit,
    audit_release,
    backtest,
    compare,
    explain,
    frontier,
    minimality,
    minimality_estimate,
    solve,
    solve_problem,
    usual_attacks,
    verify,
    verify_audit,
    what_if,
    write_report,
)


class Asked(NamedTuple):
    """A small problem with its result; typed as anything, since what is asked here is wrong."""

    frame: Any
    problem: Any
    result: Any
    certificates: Any


POLICY: Any = Policy([WeakMInvariance(m=3)], ["counterfeits", "information_loss"])


@pytest.fixture(scope="module")
def asked() -> Asked:
    frame = pd.DataFrame({"id": [*"abcdef"], "x": range(6), "s": [*"ABCABC"]})
    table = Microdata.from_frame(frame, respondent="id", quasi_identifiers=["x"], sensitive="s")
    problem = Problem(table=table, policy=POLICY)
    result = solve_problem(problem, display=False, workers=1)
    return Asked(frame, problem, result, audit([result.release]).certificates)  # pyright: ignore[reportArgumentType]


TOLD: dict[str, Any] = {"compromised": {"a": "A"}}

WRONG: dict[str, tuple[type[OptanonError], Callable[[Asked], object], str]] = {
    "audit nothing": (
        ReleaseError,
        lambda a: audit(None),  # pyright: ignore[reportArgumentType]
        "releases must be a list, not NoneType: give a list of releases",
    ),
    "audit a result": (
        ReleaseError,
        lambda a: audit([a.result]),
        "number 1 of releases must be a Release, not Result: give",
    ),
    "audit with a mapping": (
        InputError,
        lambda a: audit([a.result.release], TOLD),  # pyright: ignore[reportArgumentType]
        "knowledge must be a Knowledge, not dict: write Knowledge(",
    ),
    "what if with a mapping": (
        InputError,
        lambda a: what_if([a.result.release], TOLD),  # pyright: ignore[reportArgumentType]
        "knowledge must be a Knowledge, not dict: write Knowledge(",
    ),
    "attacks by name": (
        InputError,
        lambda a: audit([a.result.release], attacks=["x"]),  # pyright: ignore[reportArgumentType]
        "number 1 of attacks must be a Requirement, not str: give usual_attacks()",
    ),
    "one attack": (
        InputError,
        lambda a: audit([a.result.release], attacks=KAnonymity(k=2)),  # pyright: ignore[reportArgumentType]
        "attacks must be a list, not KCAnonymity: give usual_attacks()",
    ),
    "append a result": (
        ReleaseError,
        lambda a: History().append(a.result),
        "release must be a Release, not Result: append result.release",
    ),
    "a problem of a data frame": (
        TableError,
        lambda a: Problem(table=a.frame, policy=POLICY),
        "table must be a Microdata, not DataFrame: say what its columns are by Microdata.from_frame",
    ),
    "a problem without a history": (
        PolicyError,
        lambda a: Problem(table=a.problem.table, policy=POLICY, history=None),  # pyright: ignore[reportArgumentType]
        "history must be a History, not NoneType: wrap earlier releases as History(",
    ),
    "solve with a list": (
        PolicyError,
        lambda a: solve(a.problem.table, POLICY, [a.result.release]),  # pyright: ignore[reportArgumentType]
        "history must be a History, not list: wrap earlier releases as History(",
    ),
    "solve a file": (
        TableError,
        lambda a: solve("table.csv", POLICY),  # pyright: ignore[reportArgumentType]
        "table must be a DataFrame or a Microdata, not str: make a DataFrame of it, or read a file by",
    ),
    "append for a data frame": (
        TableError,
        lambda a: append_release(a.result, a.frame, POLICY, History()),
        "table must be a Microdata, not DataFrame",
    ),
    "append the release itself": (
        SeriesError,
        lambda a: append_release(a.result.release, a.problem.table, POLICY, History()),
        "result must be a Result, not Release: give what solve returned",
    ),
    "a limit below 0": (
        PolicyError,
        lambda a: append_release(a.result, a.problem.table, POLICY, History(), audit_limit=-1),
        "audit_limit must be a whole number of at least 0, got -1",
    ),
    "replay three": (
        InputError,
        lambda a: backtest(a.problem, futures=3),  # pyright: ignore[reportArgumentType]
        "futures must be a Futures, not int: say how they are drawn: Futures(",
    ),
    "publishers that are policies": (
        InputError,
        lambda a: backtest(a.problem, publishers={"mine": POLICY}, futures=Futures(releases=2)),
        "number 1 of publishers must be a Publisher, not Policy: name each",
    ),
    "publishers in a list": (
        InputError,
        lambda a: backtest(a.problem, publishers=[POLICY]),  # pyright: ignore[reportArgumentType]
        "publishers must be a Mapping, not list: name each",
    ),
    "a frontier of names": (
        PolicyError,
        lambda a: frontier(a.problem, ["m"]),  # pyright: ignore[reportArgumentType]
        "vary must be a Mapping, not list: give values by parameter",
    ),
    "a frontier of a number": (
        PolicyError,
        lambda a: frontier(a.problem, {"m": 3}),  # pyright: ignore[reportArgumentType]
        "frontier: m must be a list, not int: give all values it is to take",
    ),
    "no release of another tool": (
        InputError,
        lambda a: audit_release(None, a.problem),  # pyright: ignore[reportArgumentType]
        "source must be a DataFrame or a str or a Path, not NoneType: give the published table",
    ),
    "certificates that nobody asked for": (
        InputError,
        lambda a: verify_audit(a.certificates, History([a.result.release])),
        "content must be a Mapping, not method: give report.certificates()",
    ),
    "a release in place of its problem": (
        InputError,
        lambda a: verify(a.result.certificate, a.result.release),
        "problem must be a Problem, not Release",
    ),
    "a history at no place": (
        StoreError,
        lambda a: History.open(None),  # pyright: ignore[reportArgumentType]
        "where must be a str or a Path, not NoneType: name a file",
    ),
    "a number that is not exact": (
        ReleaseError,
        lambda a: QIGroup(
            members=(Member("a", (1,), "v"),),  # pyright: ignore[reportArgumentType]
            box=(Interval(Fraction(1), Fraction(1)),),
        ),
        "numbers as Fraction(...) and categories as str, not int: convert them",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_of_another_kind(name: str, asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    kind, ask, words = WRONG[name]
    with pytest.raises(OptanonError) as caught:
        ask(asked)
    assert type(caught.value) is kind
    assert words in str(caught.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("asks", [compare, explain, backtest, solve_problem])
def test_a_table_in_place_of_its_problem(asks: Callable[[Any], object], asked: Asked):
    with pytest.raises(InputError, match=r"problem must be a Problem, not DataFrame: make it by Problem\("):
        asks(asked.frame)


@pytest.mark.parametrize("asks", [minimality, minimality_estimate, frontier, audit_release])
def test_two_arguments_in_the_wrong_order(asks: Callable[[Any, Any], object], asked: Asked):
    given = (asked.frame, {}) if asks is frontier else (asked.frame, asked.frame)
    with pytest.raises(InputError, match="problem must be a Problem, not DataFrame"):
        asks(*given)


def test_a_report_of_a_release(asked: Asked, tmp_path: Path):
    with pytest.raises(InputError, match="result must be a Result, not Release"):
        write_report(asked.result.release, asked.problem, tmp_path / "page.html")
    with pytest.raises(InputError, match="problem must be a Problem, not Microdata"):
        write_report(asked.result, asked.problem.table, tmp_path / "page.html")
    assert not list(tmp_path.iterdir())


def test_what_is_of_the_right_kind_is_taken(asked: Asked):
    release = asked.result.release

    def attacks() -> Iterator[Any]:
        yield from usual_attacks()

    found = audit([release], Knowledge(), attacks=attacks())  # pyright: ignore[reportArgumentType]
    assert len(found.releases[0].attacks) == len(usual_attacks())
    assert len(History(part for part in (release,))) == 1
    series = History()
    append_release(asked.result, asked.problem.table, POLICY, series, audit_limit=np.int64(0))  # pyright: ignore[reportArgumentType]
    assert len(series) == 1


def test_integers_of_numpy_are_integers(asked: Asked):
    three: Any = np.int64(3)
    found: Result = solve(
        asked.problem.table,
        Policy([WeakMInvariance(m=three)], ["counterfeits", "information_loss"]),
        display=False,
        seed=np.int64(1),  # pyright: ignore[reportArgumentType]
        workers=np.int32(1),  # pyright: ignore[reportArgumentType]
    )
    assert found.objective == asked.result.objective


def test_a_frontier_over_an_array(asked: Asked, tmp_path: Path):
    vary = {"m": np.arange(2, 4), "max_suppressed": np.array([0, 1]), "max_counterfeits": np.array([0])}
    state = tmp_path / "state.json"
    found = frontier(asked.problem, vary, state=state, workers=1)
    assert [point.settings for point in found.points] == [(2, 0, 0), (2, 1, 0), (3, 0, 0), (3, 1, 0)]
    assert all(type(value) is int for point in found.points for value in point.settings)
    assert frontier(asked.problem, vary, state=state).points == found.points


def test_a_frontier_over_shares_goes_on(asked: Asked, tmp_path: Path):
    state = tmp_path / "state.json"
    found = frontier(asked.problem, {"max_suppressed": [0.5, 1.0]}, state=state, workers=1)
    again = frontier(asked.problem, {"max_suppressed": [0.5, 1.0]}, state=state, workers=1)
    assert [point.settings for point in again.points] == [(Fraction(1, 2),), ("1.0",)]
    assert again.points == found.points
