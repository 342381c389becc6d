"""Histories of people whose sensitive value changes: real data for guarantees over a whole series.

A respondent may be in several releases, each time with another value, as Fu, Wang, Wong and Wang assume
(their adverse drug reactions are not public here; a sample of the FDA's reports stands in). Release r holds

* FAERS (FDA Adverse Event Reporting System, 1,000 reports as cleaned by the DiAna project; public
  domain): the r-th reaction of every report that has one, of reports with sex and age;
* MIMIC-III demo (PhysioNet, doi:10.13026/C2HM2Q, ODbL): the r-th listed diagnosis of each patient's
  last stay;
* Diabetes-130: the r-th stay of patients with as many stays.

`protected` is the value that may not be linked too often, one that every release can hide.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import pandas as pd

from ..models.errors import InputError
from ..models.hierarchy import Hierarchy
from ..models.numeric import Numeric
from ..models.table import Microdata, Sensitive
from .dataset_files import by_hand, source_file
from .diabetes import diabetes, diabetes_roles, diagnosis_group
from .roles import Roles

__all__ = ["TRANSIENT", "TransientSeries", "diabetes_visits", "faers_series", "mimic_series"]

OLDEST = 110
UNITED_STATES = "United States of America"


@dataclass(frozen=True, kw_only=True)
class TransientSeries:
    """Frames of a series, roles of their columns, and a value to protect.

    Attributes
    ----------
    frames : tuple of DataFrame
        One per release.
    roles : Roles
        The sensitive column is transient.
    protected : str
    """

    frames: tuple[pd.DataFrame, ...] = field(repr=False)
    roles: Roles
    protected: str

    def tables(self) -> list[Microdata]:
        """Microdata of each release."""
        return [self.roles.table(frame) for frame in self.frames]


def faers_series(releases: int, tuples: int = 0, seed: int = 0) -> TransientSeries:
    """Reactions of FAERS reports, one a release.

    Parameters
    ----------
    releases : int
        At least 1.
    tuples : int
        Respondents of the first release, drawn by the seed; 0: all.
    seed : int

    Raises
    ------
    InputError
        If a file is missing, or there are too few respondents.
    """
    people = _read(
        "faers_sample/Demo.csv", "e40336075af7144258e1bc6d097a326dd3b438a74995272c789397ae9c5f905d"
    )
    reactions = _read(
        "faers_sample/Reac.csv", "e9140fc005515a8a9c320e4d467703ce59f17eab24f0084980d406610b7072a0"
    )
    people = people.dropna(subset=["sex", "age_in_days"])
    country = people["occr_country"].fillna("missing")
    people = pd.DataFrame(
        {
            "report": people["primaryid"],
            "sex": people["sex"],
            "age": (people["age_in_days"].astype(float) // 365.25).clip(0, OLDEST).astype(int),
            "country": country.where(country.isin([UNITED_STATES, "missing"]), "elsewhere"),
        }
    )
    reactions = reactions.rename(columns={"primaryid": "report", "pt": "reaction"})
    reactions = reactions.assign(rank=reactions.groupby("report").cumcount() + 1)
    roles = Roles(
        respondent="report",
        quasi_identifiers={
            "sex": Hierarchy.flat(sorted(people["sex"].unique())),
            "age": _age(),
            "country": Hierarchy.flat((UNITED_STATES, "elsewhere", "missing")),
        },
        sensitive=Sensitive(
            name="reaction", domain=frozenset(reactions["reaction"]), persistence="transient"
        ),
    )
    rows = people.merge(reactions[["report", "reaction", "rank"]])
    return _series(rows, roles, "drug ineffective", releases, tuples, seed)


def mimic_series(releases: int, tuples: int = 0, seed: int = 0) -> TransientSeries:
    """Listed diagnoses of the last stays of MIMIC-III's 100 demo patients, in groups, one a release.

    Parameters and errors as `faers_series`.
    """
    patients = _read(
        "mimic3_demo/PATIENTS.csv", "f65803a46bcb88127574bfd0b70d78d4123783d05bb411e70d4c9629edd7b703"
    )
    stays = _read(
        "mimic3_demo/ADMISSIONS.csv", "487e0b87cc81472cc2eb9ee911b3493c39e15d32e8230cec559907060c009b1c"
    )
    listed = _read(
        "mimic3_demo/DIAGNOSES_ICD.csv", "74dc979906bc2172f0cf025271dcd44c7cd52506b297e4b36e63dd40dce923da"
    )
    stays = stays.sort_values("admittime").groupby("subject_id").tail(1).merge(patients, on="subject_id")
    years = stays["admittime"].str[:4].astype(int) - stays["dob"].str[:4].astype(int)
    people = pd.DataFrame(
        {
            "patient": stays["subject_id"],
            "hadm_id": stays["hadm_id"],
            "gender": stays["gender"],
            # Whoever is older than 89 has a date of birth 300 years back.
            "age": years.clip(0, 90),
            "insurance": stays["insurance"],
        }
    )
    listed = listed.assign(
        rank=listed["seq_num"].astype(int),
        diagnosis=[diagnosis_group(code[:3]) for code in listed["icd9_code"]],
    )
    roles = Roles(
        respondent="patient",
        quasi_identifiers={
            "gender": Hierarchy.flat(sorted(people["gender"].unique())),
            "age": _age(),
            "insurance": Hierarchy.flat(sorted(people["insurance"].unique())),
        },
        sensitive=replace(diabetes_roles().sensitive, persistence="transient"),
    )
    rows = people.merge(listed[["hadm_id", "rank", "diagnosis"]])
    return _series(rows, roles, "injury", releases, tuples, seed)


def diabetes_visits(releases: int, tuples: int = 0, seed: int = 0) -> TransientSeries:
    """Stays of patients of Diabetes-130 with at least so many, one a release.

    Parameters and errors as `faers_series`.
    """
    roles = diabetes_roles()
    stays = diabetes(("encounter_id", "patient_nbr", "age", "gender", "race", "time_in_hospital", "diag_1"))
    often = stays.groupby("patient")["visit"].transform("max") >= releases
    rows = stays[often].rename(columns={"visit": "rank"})
    return _series(
        rows,
        replace(roles, respondent="patient", sensitive=replace(roles.sensitive, persistence="transient")),
        "diabetes",
        releases,
        tuples,
        seed,
    )


TRANSIENT: Mapping[str, Callable[[int, int, int], TransientSeries]] = {
    "faers": faers_series,
    "mimic": mimic_series,
    "diabetes": diabetes_visits,
}
"""The series by name."""


def _age() -> Numeric:
    return Numeric(name="age", lo=Fraction(0), hi=Fraction(OLDEST))


def _read(file: str, sha256: str) -> pd.DataFrame:
    path = source_file(
        file, sha256=sha256, fetch=by_hand("see the module instances/transient.py for where it is from")
    )
    return pd.read_csv(path, dtype=str)


def _series(
    rows: pd.DataFrame, roles: Roles, protected: str, releases: int, tuples: int, seed: int
) -> TransientSeries:
    """Rows of ranks 1, 2, ... as releases, of as many respondents as asked for."""
    if releases < 1 or tuples < 0:
        raise InputError(f"a series needs at least 1 release and 0 tuples or more, got {releases}, {tuples}")
    people: Sequence[str] = sorted(rows.loc[rows["rank"] == 1, roles.respondent])
    if tuples > len(people):
        raise InputError(f"{tuples} respondents are asked for, there are {len(people)}")
    if tuples:
        people = sorted(pd.Series(people).sample(tuples, random_state=seed))
    rows = rows[rows[roles.respondent].isin(people)].sort_values(roles.respondent)
    frames = tuple(
        rows.loc[rows["rank"] == rank, list(roles.columns)].reset_index(drop=True)
        for rank in range(1, releases + 1)
    )
    if frames[-1].empty:
        raise InputError(f"nobody is in release {releases}: ask for fewer releases")
    return TransientSeries(frames=frames, roles=roles, protected=protected)
