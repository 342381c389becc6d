"""What a steward is told of a release before any group: rows, columns, losses, bounds, the series."""

from __future__ import annotations

import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import optanon as oa
from optanon.solver.advice import advice, of_limit
from optanon.solver.column_summary import columns_of
from optanon.solver.level_value import UNCHECKED, LevelValue
from optanon.solver.summary import summarize

ROOT = Path(oa.__file__).parent


def table(rows: int = 8, seed: int = 0) -> oa.Microdata:
    drawn = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "id": [f"person{i}" for i in range(rows)],
            "age": drawn.integers(20, 60, rows),
            "sex": drawn.choice(["f", "m"], rows),
            "disease": drawn.choice(["flu", "cold", "gout"], rows),
        }
    )
    return oa.Microdata.from_frame(
        frame, respondent="id", quasi_identifiers=["age", "sex"], sensitive="disease"
    )


def level(value: int, bound: int | None, **more: object) -> LevelValue:
    return LevelValue(
        name="information_loss",
        value=Fraction(value),
        bound=None if bound is None else Fraction(bound),
        trusted_bound=None,
        word=None,
    )


def test_rows_and_columns_are_counted_from_the_release():
    data = table()
    problem = oa.Problem(table=data, policy=oa.Policy([oa.KCAnonymity(k=2)], max_suppressed=1))
    release = problem.assemble([[0, 1, 2], [3, 4, 5, 6]])
    told = summarize(problem, release, [level(9, 3)], "FEASIBLE")
    assert (told.rows, told.published, told.left_out, told.invented, told.groups) == (8, 7, 1, 0, 2)
    assert told.sizes == (3, 4, 4)
    text = str(told)
    assert "7 of 8 published (87.5 %), 1 left out (12.5 %), none invented" in text
    lost = [
        (1 + sum(d.width(g.box[a]) * len(g.members) for g in release.groups if g.box is not None)) / 8
        for a, d in enumerate(data.domains)
    ]
    assert [column.lost for column in told.columns] == lost
    assert sum(lost) * 8 == oa.Policy([oa.KCAnonymity(k=2)]).levels[0].of_release(release, problem)
    assert not any(f"person{i}" in text for i in range(8))


def test_a_column_that_says_nothing_is_named():
    data = table()
    problem = oa.Problem(table=data, policy=oa.Policy([oa.KCAnonymity(k=2)]))
    release = problem.assemble([list(range(8))])
    age, sex = columns_of(release, data.domains)
    assert [age.blank, sex.blank] == [True, True]
    assert str(sex) == "* throughout: nothing is said"


@pytest.mark.parametrize(
    ("bound", "words"),
    [
        (9, "proven: no release loses less"),
        (6, "no release can lose less than 6: at most 33.3 % to gain"),
        (None, "no bound yet"),
        (0, "no bound yet"),
    ],
)
def test_the_bound_is_said_in_words_and_never_as_a_gap_of_everything(bound: int | None, words: str):
    problem = oa.Problem(table=table(), policy=oa.Policy([oa.KCAnonymity(k=2)]))
    release = problem.assemble([list(range(8))])
    told = summarize(problem, release, [level(9, bound)], "FEASIBLE")
    assert words in str(told.losses[0])
    assert "100" not in told.losses[0].bound
    assert "56.2 % of the maximum (16)" in str(told.losses[0])


def test_results_print_their_summary_after_what_must_be_known():
    data = table()
    policy = oa.Policy([oa.KCAnonymity(k=2)])
    first = oa.solve(data, policy, seed=0)
    assert first.summary is not None
    assert str(first) == str(first.summary)
    assert "no earlier release was given" in first.summary.series
    assert first.release is not None
    second = oa.solve(data, policy, oa.History([first.release]))
    assert str(second).startswith(UNCHECKED)
    assert second.summary is not None
    assert second.summary.series == UNCHECKED
    html = second._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert html.index("NOT CHECKED") < html.index("<table>")
    none = oa.solve(data, oa.Policy([oa.KCAnonymity(k=9)]))
    assert none.summary is None
    assert str(none).startswith("INFEASIBLE: ")


def solved(folder: Path, *options: str) -> str:
    problem = ROOT / "instances" / "data" / "hospital" / "release-2.yaml"
    command = [sys.executable, "-m", "optanon", "solve", str(problem), *options]
    done = subprocess.run(command, cwd=folder, env=os.environ, capture_output=True, text=True, check=True)
    return done.stdout


def test_groups_are_printed_on_request_and_after_the_summary(tmp_path: Path):
    plain = solved(tmp_path)
    assert "bronchitis" not in plain
    assert "audit of the series up to release 2: nobody disclosed" in plain
    whole = solved(tmp_path, "--groups", "--force")
    assert whole.index("of its information lost") < whole.index("bronchitis")


def test_quiet_is_one_line(tmp_path: Path):
    told = solved(tmp_path, "--quiet").splitlines()
    assert len(told) == 1
    assert told[0].startswith("OPTIMAL: 6 of 6 rows in 2 groups; counterfeits 0 (proven")


def test_a_search_that_left_something_open_says_whether_a_longer_limit_would_help():
    late, early = (oa.Termination.TIME_LIMIT.value, oa.Termination.ITERATION_LIMIT.value)
    assert of_limit(late, 60).startswith("the search was stopped by its time limit of 60 s: a longer one may")
    assert of_limit(early, 60).startswith("the search took all its steps within 60 s: a longer limit")
    assert not of_limit(early, float("inf"))
    assert not of_limit(oa.Termination.INTERRUPTED.value, 60)


def test_what_stands_out_comes_with_what_changes_it():
    quiet = advice(rows=100, left_out=10, invented=5, blank=[], full_domain=False)
    assert quiet == ()
    told = advice(rows=500, left_out=60, invented=340, blank=["race"], full_domain=True)
    assert told == (
        "340 of 780 rows shown are invented: a smaller m needs fewer, max_counterfeits sets a limit",
        "60 of 500 rows are left out: a smaller max_suppressed keeps more of them",
        "race: published as * only; recoding: multidimensional (any grouping) keeps more, "
        "or give a weight to what matters most",
    )
    data = table()
    problem = oa.Problem(table=data, policy=oa.Policy([oa.KCAnonymity(k=2)]))
    found = summarize(problem, problem.assemble([list(range(8))]), [level(16, 3)], "FEASIBLE")
    assert ("to consider", found.advice[0]) in found.lines
    assert found.advice[0].startswith("age, sex: published as * only; smaller groups")
