"""Diabetes-130: hospital stays of patients who come back, a natural series of releases.

UCI Machine Learning Repository, "Diabetes 130-US Hospitals for Years 1999-2008" (Clore,
Cios, DeShazo, Strack, 2014, doi:10.24432/C5230J), CC BY 4.0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd

from ..models.categories import Ordered
from ..models.errors import InputError
from ..models.hierarchy import Hierarchy
from ..models.numeric import Numeric
from ..models.table import Sensitive
from .dataset_files import from_zip, source_file
from .roles import Roles

__all__ = [
    "AGES",
    "DIAGNOSES",
    "diabetes",
    "diabetes_roles",
    "diabetes_series",
    "diagnosis_class",
    "diagnosis_group",
]

AGES = tuple(f"[{low}-{low + 10})" for low in range(0, 100, 10))

# ICD-9 chapters as grouped by Strack et al., Impact of HbA1c Measurement on Hospital Readmission
# Rates (2014), Table 2: first and last code; the symptom code that goes with the chapter. Their
# largest group, circulatory (30 % of the stays, too near 1/3 for small releases with m = 3), is
# cut in two: diseases of the heart, and of the vessels with hypertension and stroke.
_CHAPTERS = (
    ("heart", 390, 398, 785),
    ("heart", 410, 429, None),
    ("vascular", 399, 409, None),
    ("vascular", 430, 459, None),
    ("respiratory", 460, 519, 786),
    ("digestive", 520, 579, 787),
    ("diabetes", 250, 250, None),
    ("injury", 800, 999, None),
    ("musculoskeletal", 710, 739, None),
    ("genitourinary", 580, 629, 788),
    ("neoplasms", 140, 239, None),
)
OTHER = "other"
DIAGNOSES = tuple(dict.fromkeys([*(name for name, *_ in _CHAPTERS), OTHER]))
"""Diagnosis groups; the most frequent ones, heart and other, have a fifth of the stays each."""

_NUMBERS = (
    "encounter_id",
    "patient_nbr",
    "time_in_hospital",
    "num_lab_procedures",
    "num_procedures",
    "num_medications",
    "number_outpatient",
    "number_emergency",
    "number_inpatient",
    "number_diagnoses",
)


def diagnosis_group(code: str) -> str:
    """Chapter of an ICD-9 code (its digits before the point); V, E and unknown codes are ``other``.

    Examples
    --------
    >>> [diagnosis_group(code) for code in ("250.83", "428", "785", "V57", "?")]
    ['diabetes', 'heart', 'heart', 'other', 'other']
    """
    digits = code.partition(".")[0]
    if not digits.isdigit():
        return OTHER
    number = int(digits)
    for name, first, last, symptom in _CHAPTERS:
        if first <= number <= last or number == symptom:
            return name
    return OTHER


def diagnosis_class(code: str) -> str:
    """Finer than a chapter: the first two of an ICD-9 code's three digits, or its letter V or E.

    Examples
    --------
    >>> [diagnosis_class(code) for code in ("250.83", "428", "8", "V57", "?")]
    ['25', '42', '00', 'V', 'other']
    """
    digits = code.partition(".")[0]
    if digits.isdigit():
        return digits.zfill(3)[:2]
    return code[0] if code[0] in "VE" else OTHER


def diabetes(columns: tuple[str, ...] | None = None) -> pd.DataFrame:
    """All 101,766 stays, in order of `encounter_id`.

    Counts and ids are integers, all else text; ``?`` is missing. Three columns are added:
    `patient` (`patient_nbr` as text), `visit` (ordinal of the patient's stay, from 1) and
    `diagnosis` (group of `diag_1`).

    Parameters
    ----------
    columns : tuple of str, optional
        Those to be read; `encounter_id`, `patient_nbr` and `diag_1` must be among them.

    Raises
    ------
    InputError
        If the file is not at hand and cannot be downloaded.

    Notes
    -----
    The download (UCI's ZIP archive) could not be tried where this was written.
    """
    return _stays(columns)


def _stays(columns: tuple[str, ...] | None) -> pd.DataFrame:
    path = source_file(
        "diabetes130/diabetic_data.csv",
        sha256="0689e7ec031237dc63031b938805c48377748761a3b26acab621567afa24df97",
        fetch=from_zip(
            "https://archive.ics.uci.edu/static/public/296/diabetes+130-us+hospitals+for+years+1999-2008.zip",
            "diabetic_data.csv",
        ),
    )
    frame = pd.read_csv(path, dtype=str, na_values=["?"], keep_default_na=False, usecols=columns)
    frame = frame.astype({name: "int64" for name in _NUMBERS if name in frame.columns})
    frame = frame.sort_values("encounter_id", ignore_index=True)
    return frame.assign(
        patient=frame["patient_nbr"].astype(str),
        visit=frame.groupby("patient_nbr").cumcount() + 1,
        diagnosis=[diagnosis_group(str(code)) for code in frame["diag_1"]],
    )


def diabetes_roles() -> Roles:
    """Age band, gender, race and days in hospital against the diagnosis group, by `respondent`."""
    return Roles(
        respondent="respondent",
        quasi_identifiers={
            "age": Ordered(name="age", categories=AGES),
            "gender": Hierarchy.flat(("Female", "Male", "Unknown/Invalid")),
            "race": Hierarchy.flat(("AfricanAmerican", "Asian", "Caucasian", "Hispanic", "Other", "missing")),
            "time_in_hospital": Numeric(name="time_in_hospital", lo=Fraction(1), hi=Fraction(14)),
        },
        sensitive=Sensitive(name="diagnosis", domain=frozenset(DIAGNOSES)),
        missing="category",
    )


def diabetes_series(
    tuples: int, releases: int, seed: int = 0, *, fine: bool = False
) -> tuple[tuple[pd.DataFrame, ...], Roles]:
    """Draw a series of releases: each holds one stay of each of some patients.

    Only patients with two stays or more take part. The first release holds first stays. In
    every later one, half of the tuples (as far as there are any) are the next stays of
    patients of earlier releases, the other half first stays of new patients.

    A patient whose diagnosis group differs from earlier stays gets a new respondent id, so
    that the value of a respondent persists (as Riboni and Bettini's first footnote advises
    for repeated hospitalization): the id is the patient's number and the diagnosis group.

    Parameters
    ----------
    tuples : int
        Size of each release, at least 1.
    releases : int
        At least 1.
    seed : int
        At least 0.
    fine : bool
        Diagnoses as `diagnosis_class` tells them apart, of which none has more than a seventh of the
        stays, instead of groups.

    Returns
    -------
    frames : tuple of DataFrame
        One row per stay: `respondent`, the columns with a role, `patient`, `visit` and the ids.
    roles : Roles
        As `diabetes_roles`.

    Raises
    ------
    InputError
        If a parameter is out of its range, there are too few patients, or the file is missing.
    """
    for name, number, least in (("tuples", tuples, 1), ("releases", releases, 1), ("seed", seed, 0)):
        if number < least:
            raise InputError(f"{name} must be at least {least}, got {number}")
    stays = _stays(("encounter_id", "patient_nbr", "age", "gender", "race", "time_in_hospital", "diag_1"))
    roles = diabetes_roles()
    if fine:
        stays = stays.assign(diagnosis=[diagnosis_class(str(code)) for code in stays["diag_1"]])
        known = frozenset(stays["diagnosis"])
        roles = replace(roles, sensitive=Sensitive(name="diagnosis", domain=known))
    stays = stays.assign(respondent=stays["patient"] + "-" + stays["diagnosis"])
    rows: dict[str, list[int]] = {
        str(patient): [int(row) for row in found]
        for patient, found in stays.groupby("patient").indices.items()
        if len(found) > 1
    }
    # Half of a release at least is new.
    if tuples * releases > len(rows):
        raise InputError(
            f"the series may need {tuples * releases} patients with two stays or more, there are {len(rows)}"
        )
    drawn = _drawn(rows, tuples, releases, np.random.default_rng(seed))
    return tuple(stays.iloc[places].reset_index(drop=True) for places in drawn), roles


def _drawn(
    rows: Mapping[str, Sequence[int]], tuples: int, releases: int, random: np.random.Generator
) -> Iterator[list[int]]:
    """Rows of each release: next stays of patients of earlier ones, then first stays of new patients."""
    patients = sorted(rows)
    waiting = [patients[i] for i in random.permutation(len(patients))]
    seen: dict[str, int] = {}
    for _ in range(releases):
        further = sorted(patient for patient, stay in seen.items() if stay + 1 < len(rows[patient]))
        back = min(tuples // 2, len(further))
        chosen = [further[i] for i in random.choice(len(further), back, replace=False)] if back else []
        fresh = waiting[: tuples - back]
        del waiting[: tuples - back]
        for patient in (*chosen, *fresh):
            seen[patient] = seen.get(patient, -1) + 1
        yield [rows[patient][seen[patient]] for patient in (*chosen, *fresh)]
