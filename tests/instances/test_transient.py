"""Series of people whose value changes: who is in which release, with which value."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import pytest

from optanon.instances import dataset_files
from optanon.instances.transient import (
    TRANSIENT,
    TransientSeries,
    diabetes_visits,
    faers_series,
    mimic_series,
)
from optanon.models.errors import InputError

FILES = {
    "faers": "faers_sample/Reac.csv",
    "mimic": "mimic3_demo/DIAGNOSES_ICD.csv",
    "diabetes": "diabetes130/diabetic_data.csv",
}


def path_of(file: str) -> Path:
    path = dataset_files.present(file)
    if path is None:
        pytest.skip(f"{file} is not on this machine")
    return path


def values(series: TransientSeries) -> list[dict[str, str]]:
    return [{m.respondent: m.value for m in table.members} for table in series.tables()]


@pytest.mark.data
def test_faers_releases_hold_one_reaction_after_the_other() -> None:
    told: defaultdict[str, list[str]] = defaultdict(list)
    with path_of(FILES["faers"]).open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            told[row["primaryid"]].append(row["pt"])
    series = faers_series(3)
    first, second, third = values(series)
    assert len(first) > len(second) > len(third) > 200
    assert first.keys() > second.keys() > third.keys()
    for number, release in enumerate((first, second, third)):
        assert release == {who: told[who][number] for who in release}
    assert third.keys() == {who for who in first if len(told[who]) >= 3}
    assert sum(second[who] != first[who] for who in second) > 300
    assert {table.sensitive.persistence for table in series.tables()} == {"transient"}


@pytest.mark.data
def test_mimic_releases_hold_listed_diagnoses_of_all_patients() -> None:
    path_of(FILES["mimic"])
    releases = values(mimic_series(3))
    assert [len(release) for release in releases] == [100] * 3
    ages = mimic_series(1).frames[0]["age"]
    assert (ages.min(), ages.max()) == (17, 90)


@pytest.mark.data
def test_diabetes_releases_hold_the_stays_of_patients_who_come_back() -> None:
    path_of(FILES["diabetes"])
    series = diabetes_visits(3, 50, seed=1)
    releases = values(series)
    assert len(releases[0]) == 50
    assert releases[0].keys() == releases[1].keys() == releases[2].keys()
    assert sum(releases[0][who] != releases[1][who] for who in releases[0]) > 10


@pytest.mark.data
def test_what_cannot_be_drawn_is_refused() -> None:
    path_of(FILES["mimic"])
    with pytest.raises(InputError, match="there are 100"):
        mimic_series(1, 101)
    with pytest.raises(InputError, match="nobody is in release 60"):
        mimic_series(60)
    with pytest.raises(InputError, match="at least 1 release"):
        mimic_series(0)
    assert set(TRANSIENT) == set(FILES)
