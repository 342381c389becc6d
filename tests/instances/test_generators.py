"""Generated tables and series: pure, in range, of the shape that is asked for."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from optanon.instances import generators
from optanon.models.errors import InputError

TABLES = [generators.uniform_table, generators.clustered_table, generators.skewed_table]

Make = Callable[..., pd.DataFrame]


@pytest.mark.parametrize("make", TABLES)
def test_same_arguments_same_table_and_no_global_state(make: Make) -> None:
    np.random.seed(5)
    before = np.random.get_state()[1].tolist()
    first = make(50, seed=3)
    assert np.random.get_state()[1].tolist() == before
    pd.testing.assert_frame_equal(first, make(50, seed=3))
    assert not first.equals(make(50, seed=4))


@pytest.mark.parametrize("make", TABLES)
def test_tables_fit_their_roles(make: Make) -> None:
    counts = {"numeric": 3, "categorical": 2, "values": 4}
    frame = make(200, seed=1, **counts)
    roles = generators.generated_roles(**counts)
    assert list(frame.columns) == ["id", "x1", "x2", "x3", "c1", "c2", "value"]
    table = roles.table(frame)
    assert len(table) == 200
    assert set(table.histogram) == {"v1", "v2", "v3", "v4"} == table.sensitive.domain
    # Domains are those of the roles, not of the rows: two tables of a series agree.
    assert table.domains == roles.table(frame.head(3)).domains
    assert [domain.span for domain in table.domains] == [100, 100, 100, 4, 4]
    with_one = make(5, seed=1, numeric=0, categorical=1, values=1)
    assert list(with_one.columns) == ["id", "c1", "value"]
    assert set(with_one["value"]) == {"v1"}


def test_shapes_differ_as_named() -> None:
    uniform = generators.uniform_table(2000, seed=2)
    skewed = generators.skewed_table(2000, seed=2)
    clustered = generators.clustered_table(2000, seed=2, clusters=3, spread=0.0)
    assert 45 < uniform["x1"].mean() < 55
    assert skewed["x1"].median() < 15
    assert skewed["x1"].mean() > skewed["x1"].median()
    # Six values: 1/6 each, against 1/(1 + 1/2 + ... + 1/6) = 0.41 for the first.
    shares = uniform["value"].value_counts(normalize=True)
    assert shares.max() < 0.2
    assert 0.37 < skewed["value"].value_counts(normalize=True)["v1"] < 0.45
    assert 0.13 < generators.skewed_table(2000, exponent=0.0)["value"].eq("v1").mean() < 0.2
    # Without spread a cluster is a point.
    assert len(clustered[["x1", "x2"]].drop_duplicates()) == 3
    near = generators.clustered_table(2000, seed=2, clusters=3, spread=2.0)
    assert near["x1"].std() > 5
    assert near["x1"].between(0, 100).all()


@settings(max_examples=40, deadline=None)
@given(
    first=st.integers(3, 12),
    releases=st.integers(1, 5),
    insertions=st.integers(0, 4),
    deletions=st.integers(0, 3),
    returns=st.integers(0, 3),
    seed=st.integers(0, 99),
)
def test_series(first: int, releases: int, insertions: int, deletions: int, returns: int, seed: int) -> None:
    population = generators.uniform_table(40, seed=seed)
    asked = {"first": first, "releases": releases, "insertions": insertions, "deletions": deletions}
    try:
        frames = generators.series(population, **asked, returns=returns, seed=seed)
    except InputError as error:
        # The only legitimate reason: everybody is about to leave.
        assert deletions > insertions
        assert "present" in str(error) or "empty" in str(error)  # noqa: PT017
        return
    assert [len(frame) for frame in frames[:1]] == [first]
    people = [set(frame["id"]) for frame in frames]
    ever: set[str] = set()
    for number, (frame, now) in enumerate(zip(frames, people, strict=True)):
        assert len(now) == len(frame)
        # Persistent: whatever is said of somebody is what the population says.
        pd.testing.assert_frame_equal(frame, population[population["id"].isin(now)].reset_index(drop=True))
        if number:
            before = people[number - 1]
            away = ever - before
            assert len(before - now) == deletions
            assert len(now - ever) == insertions
            assert len((now & ever) - before) == min(returns, len(away))
        ever |= now
    again = generators.series(population, **asked, returns=returns, seed=seed)
    for one, other in zip(frames, again, strict=True):
        pd.testing.assert_frame_equal(one, other)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: generators.uniform_table(0), "tuples must be at least 1, got 0"),
        (lambda: generators.uniform_table(3, seed=-1), "seed must be at least 0"),
        (lambda: generators.uniform_table(3, values=0), "values must be at least 1"),
        (lambda: generators.skewed_table(3, numeric=0, categorical=0), "numeric \\+ categorical"),
        (lambda: generators.skewed_table(3, exponent=-1.0), "exponent must be at least 0"),
        (lambda: generators.clustered_table(3, clusters=0), "clusters must be at least 1"),
        (lambda: generators.clustered_table(3, spread=float("nan")), "spread must be at least 0"),
        (lambda: generators.generated_roles(numeric=-1), "numeric must be at least 0"),
        (lambda: _series(first=9), "needs 12 respondents, the population has 10"),
        (
            lambda: _series(first=6, releases=3, insertions=2, deletions=6),
            "release 3: 6 deletions, but only 2 respondents",
        ),
        (lambda: _series(insertions=0, deletions=5), "release 2 is empty"),
        (lambda: _series(returns=-1), "returns must be at least 0"),
    ],
)
def test_wrong_arguments(wrong: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        wrong()


def _series(**changes: int) -> tuple[pd.DataFrame, ...]:
    asked = {"first": 5, "releases": 2, "insertions": 3, "deletions": 1} | changes
    return generators.series(generators.uniform_table(10), **asked)


def test_respondents_drawn_again_are_new_and_alike_people_of_the_population() -> None:
    people = generators.uniform_table(40, seed=1)
    drawn = generators.drawn_again(people, 200, respondent="id", seed=7)
    assert drawn["id"].is_unique
    assert not set(drawn["id"]) & set(people["id"])
    known = set(people.drop(columns="id").itertuples(index=False, name=None))
    # Rows are drawn whole: no combination of a public and a sensitive value is invented.
    assert set(drawn.drop(columns="id").itertuples(index=False, name=None)) <= known
    assert len(drawn.drop(columns="id").drop_duplicates()) > 30
    pd.testing.assert_frame_equal(drawn, generators.drawn_again(people, 200, respondent="id", seed=7))
    assert not drawn.equals(generators.drawn_again(people, 200, respondent="id", seed=8))


def test_nobody_is_drawn_from_nobody_or_without_a_name() -> None:
    people = generators.uniform_table(4, seed=1)
    with pytest.raises(InputError, match="'who'"):
        generators.drawn_again(people, 5, respondent="who")
    with pytest.raises(InputError, match="population"):
        generators.drawn_again(people.head(0), 5, respondent="id")
