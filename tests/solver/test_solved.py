"""Which release of its stored history a release is, and which of several that are alike."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import optanon as oa
from optanon.models.errors import StoreError
from optanon.solver.solved import as_of, places_of, refuse_held


def asked(ages: tuple[int, ...], history: oa.History) -> oa.Problem:
    frame = pd.DataFrame({"id": ["p1", "p2", "p3"], "age": ages, "ill": ["flu", "cold", "flu"]})
    table = oa.Microdata.from_frame(frame, respondent="id", quasi_identifiers=["age"], sensitive="ill")
    return oa.Problem(table=table, policy=oa.Policy([oa.KAnonymity(k=2)]), history=history)


def test_the_same_groups_of_another_table_are_another_release(tmp_path: Path):
    history = oa.History.open(tmp_path / "releases.db")
    first = asked((20, 25, 30), history).assemble([range(3)])
    history.append(first)
    problem = asked((20, 26, 30), history)
    second = problem.assemble([range(3)])
    assert as_of(problem, second) == (problem, None), "it looks like the first, of whom one was 25"
    refuse_held(second, history, "")
    history.append(second)
    earlier, words = as_of(problem, second)
    assert (len(earlier.history), words) == (
        1,
        f"this is release 2 of {tmp_path / 'releases.db'}: judged by those before it",
    )


def test_of_releases_that_are_alike_a_certificate_says_which(tmp_path: Path):
    history = oa.History.open(tmp_path / "releases.db")
    problem = asked((20, 25, 30), history)
    release, pasts = problem.assemble([range(3)]), list[str]()
    for _ in range(2):
        pasts.append(history.fingerprint)
        history.append(release)
    assert [len(as_of(problem, release, past)[0].history) for past in pasts] == [0, 1]
    assert as_of(problem, release, history.fingerprint) == (problem, None), "a third, not appended yet"
    assert len(as_of(problem, release)[0].history) == 1
    assert places_of(release, history) == [1, 2]
    with pytest.raises(StoreError, match=r"holds this release already, as number 2.*: insist if it was pub"):
        refuse_held(release, history, "insist")
    refuse_held(release, oa.History(history), "insist")
