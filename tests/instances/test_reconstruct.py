"""Reading a public copy back: membership is found where it is determined, refused where it is not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import optanon as oa
from optanon.instances.reconstruct import public_release


def random_table(seed: int, tuples: int) -> oa.Microdata:
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "id": [f"r{i}" for i in range(tuples)],
            "age": random.integers(20, 40, tuples),
            "sex": random.choice(["F", "M"], tuples),
            "disease": random.choice(list("abcd"), tuples),
        }
    )
    return oa.Microdata.from_frame(
        frame, respondent="id", quasi_identifiers=["age", "sex"], sensitive="disease"
    )


def published(release: oa.Release) -> list[tuple[object, ...]]:
    return sorted(
        (str(group.box), sorted(group.histogram.items()), group.fakes, len(group.members))
        for group in release.groups
    )


@pytest.mark.parametrize("seed", range(20))
def test_some_membership_always_fits_and_publishes_the_same(seed: int):
    policy = oa.Policy([oa.WeakMInvariance(m=2)], ["counterfeits", "information_loss"])
    table = random_table(seed, 8)
    release = oa.solve(table, policy).release
    assert release is not None
    found = public_release(release.to_frame(), table, unique=False)
    assert published(found) == published(release)
    assert public_release(found.to_frame(), table, unique=False) == found


@pytest.mark.parametrize("seed", range(20))
def test_a_unique_membership_is_the_true_one(seed: int):
    policy = oa.Policy([oa.KCAnonymity(k=2)], ["information_loss"])
    table = random_table(seed, 8)
    release = oa.solve(table, policy).release
    assert release is not None
    try:
        found = public_release(release.to_frame(), table)
    except oa.ReleaseError:
        pytest.skip("several memberships fit this table")
    assert [g.respondents for g in found.groups] == [g.respondents for g in release.groups]


def twins(first: int, second: int) -> oa.Microdata:
    frame = pd.DataFrame(
        {"id": list("wxyz"), "age": [first, 30, second, 30], "disease": ["flu", "cold", "flu", "cold"]}
    )
    return oa.Microdata.from_frame(frame, respondent="id", quasi_identifiers=["age"], sensitive="disease")


def test_interchangeable_people_are_ambiguous_and_others_are_not():
    boxes = pd.DataFrame(
        {
            "group": ["1", "1", "2", "2"],
            "age": ["[20,30]", "[20,30]", "[30,40]", "[30,40]"],
            "disease": ["cold", "flu", "cold", "flu"],
        }
    )
    with pytest.raises(oa.ReleaseError, match="several ways"):
        public_release(boxes, twins(20, 40))
    clear = boxes.assign(disease=["flu", "flu", "cold", "cold"])
    with pytest.raises(oa.ReleaseError, match="does not fit"):
        public_release(clear, twins(20, 40))


def test_wrong_copies_are_refused():
    frame = pd.DataFrame(
        {"group": ["1"] * 4, "age": ["[20,40]"] * 4, "disease": ["flu", "flu", "cold", "cold"]}
    )
    table = twins(20, 40)
    assert len(public_release(frame, table).groups) == 1
    with pytest.raises(oa.ReleaseError, match="no column 'age'"):
        public_release(frame.drop(columns="age"), table)
    with pytest.raises(oa.ReleaseError, match="3 real tuples, the table 4"):
        public_release(frame.head(3), table)
    with pytest.raises(oa.ReleaseError, match="different cells"):
        public_release(frame.assign(age=["[20,40]", "[20,30]", "[20,40]", "[20,40]"]), table)
    assert len(public_release(frame.head(3), table, suppressed=1, unique=False).suppressed) == 1


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_both_copies_come_back_from_files(ending: str, tmp_path: Path):
    table = random_table(5, 8)
    policy = oa.Policy([oa.WeakMInvariance(m=2)], ["counterfeits", "information_loss"])
    release = oa.solve(table, policy).release
    assert release is not None
    for copy in ("public", "steward"):
        path = tmp_path / f"{copy}.{ending}"
        write = release.to_csv if ending == "csv" else release.to_parquet
        write(path, copy=copy, respondent="id")
        back = oa.read_release(path, table, suppressed=0, unique=False)
        assert published(back) == published(release)
        if copy == "steward":
            assert {g.respondents for g in back.groups} == {g.respondents for g in release.groups}
    with pytest.raises(oa.ReleaseError, match="no column 'kind'"):
        oa.read_release(tmp_path / f"public.{ending}", table)
