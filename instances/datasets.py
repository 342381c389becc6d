"""Real data sets: frames with sensible types, and roles that suit them.

No data file is shipped. A file is taken from ``$OPTANON_DATA/<set>/<file>``, from the
cache, or downloaded from its publisher (see `dataset_files`); its licence is the
publisher's. None of the downloads could be tried where this was written; contents are
compared with known checksums. `diabetes_series` makes a series of releases of real
patients; `generators.series` draws one from any other frame.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

from ..models.categories import Ordered
from ..models.errors import InputError
from ..models.table import QISpec, Sensitive
from .adult import adult, arx_adult, arx_hierarchy
from .dataset_files import by_hand, from_zip, source_file
from .diabetes import diabetes, diabetes_series
from .roles import Dataset, Roles, numbered_rows

__all__ = [
    "Dataset",
    "acs_pums",
    "adult",
    "arx_adult",
    "arx_hierarchy",
    "bands",
    "bank",
    "census",
    "diabetes",
    "diabetes_series",
    "eia",
    "masked",
    "tarragona",
]


def bands(numbers: pd.Series, count: int) -> tuple[list[str], tuple[str, ...]]:
    """Cut numbers into at most `count` bands of about equal frequency.

    Returns
    -------
    band of each number, and all bands in ascending order; labels are ``low..high``.
    """
    if count < 1:
        raise InputError(f"count must be at least 1, got {count}")
    found = numbers.to_numpy()
    ranked = np.sort(found)
    starts = np.unique(ranked[[len(ranked) * i // count for i in range(count)]])
    which = np.searchsorted(starts, found, side="right") - 1
    labels = [f"{found[which == i].min()}..{found[which == i].max()}" for i in range(len(starts))]
    return [labels[i] for i in which], tuple(labels)


# -- Bank marketing -----------------------------------------------------------------------------


def bank(*, sample: bool = False, balance_bands: int = 21) -> Dataset:
    """Bank Marketing, UCI, doi:10.24432/C5K306, CC BY 4.0: 45,211 calls of a Portuguese bank.

    Parameters
    ----------
    sample : bool
        UCI's own sample of 4,521 rows instead.
    balance_bands : int
        How many bands `balance` is cut into (21 in al Bouna, Clifton and Malluhi, sec. 7.2.3,
        who do not say where).

    Returns
    -------
    Dataset
        Age, job, marital status and education against `balance_band`; `release` counts runs of
        one month (rows are in order of the calls), from 1.
    """
    name = "bank.csv" if sample else "bank-full.csv"
    known = {
        "bank.csv": "dc8d576e9bda0f41ee891251bd84bab9a39ce576cba715aac08adc2374a01fde",
        "bank-full.csv": "d1513ec63b385506f7cfce9f2c5caa9fe99e7ba4e8c3fa264b3aaf0f849ed32d",
    }
    path = source_file(
        f"bank_marketing/{name}",
        sha256=known[name],
        fetch=from_zip(
            "https://archive.ics.uci.edu/static/public/222/bank+marketing.zip", name, inside="bank.zip"
        ),
    )
    frame = numbered_rows(pd.read_csv(path, sep=";", keep_default_na=False))
    labels, order = bands(frame["balance"], balance_bands)
    month = frame["month"]
    frame = frame.assign(balance_band=labels, release=(month != month.shift()).cumsum())
    specs: dict[str, QISpec] = {"age": "numeric", "job": "flat", "marital": "flat", "education": "flat"}
    return Dataset(
        frame,
        Roles(
            respondent="id", quasi_identifiers=specs, sensitive=Sensitive(name="balance_band", order=order)
        ),
    )


# -- American Community Survey --------------------------------------------------------------------

ACS_ADDRESS = "https://www2.census.gov/programs-surveys/acs/data/pums/2018/1-Year"
# Two-letter names as in the Bureau's archives, FIPS codes as in the files inside.
ACS_STATES = {
    "de": "10",
    "hi": "15",
    "id": "16",
    "me": "23",
    "mt": "30",
    "ne": "31",
    "nh": "33",
    "nm": "35",
    "nd": "38",
    "ri": "44",
    "sd": "46",
    "vt": "50",
    "wv": "54",
    "wy": "56",
}
ACS_COLUMNS = [
    "SERIALNO",
    "SPORDER",
    "ST",
    "PUMA",
    "PWGTP",
    "AGEP",
    "SEX",
    "MAR",
    "RAC1P",
    "SCHL",
    "COW",
    "ESR",
    "WKHP",
    "CIT",
    "POBP",
    "OCCP",
    "INDP",
    "RELP",
    "WAGP",
    "PINCP",
]


def acs_pums(sensitive: Literal["occupation", "income"] = "occupation", *, income_bands: int = 50) -> Dataset:
    """ACS 2018 one-year public use microdata: persons of 14 small states with an occupation.

    U.S. Census Bureau, public domain; the Bureau asks that no one tries to identify
    respondents. Stands in for the OCC and SAL sets of the Anatomy and m-invariance papers.

    Parameters
    ----------
    sensitive : {"occupation", "income"}
        First two digits of OCCP, or PINCP in bands of equal frequency.
    income_bands : int
        At least 1.

    Returns
    -------
    Dataset
        104,731 rows. Codes are text as published; AGEP, PWGTP and PINCP are numbers.
    """
    path = source_file(
        "acs_pums_2018/acs2018_person_14states.csv",
        sha256="a33db1ff61b5aae481bebfcfae5f548617283ab30c84e194e8e056fb46938777",
        fetch=fetch_acs,
    )
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    frame = frame[frame["OCCP"] != ""].reset_index(drop=True)
    frame = frame.astype({"AGEP": "int64", "PWGTP": "int64", "PINCP": "int64"})
    labels, order = bands(frame["PINCP"], income_bands)
    frame = frame.assign(
        id=frame["SERIALNO"] + "-" + frame["SPORDER"], occupation=frame["OCCP"].str[:2], income=labels
    )
    specs: dict[str, QISpec] = {
        "AGEP": "numeric",
        "SEX": "flat",
        "SCHL": Ordered(name="SCHL", categories=tuple(f"{code:02}" for code in range(1, 25))),
        "POBP": "flat",
        "RAC1P": "flat",
        "MAR": "flat",
        "COW": "flat",
    }
    private = (
        Sensitive(name="occupation") if sensitive == "occupation" else Sensitive(name="income", order=order)
    )
    return Dataset(frame, Roles(respondent="id", quasi_identifiers=specs, sensitive=private))


def fetch_acs(folder: Path) -> list[Path]:
    """Put the states' person files together: 20 columns, values as published, sorted by person."""
    parts: list[pd.DataFrame] = []
    for state, code in ACS_STATES.items():
        url = f"{ACS_ADDRESS}/csv_p{state}.zip"
        with tempfile.TemporaryDirectory(dir=folder) as own:
            parts += [
                pd.read_csv(path, dtype=str, keep_default_na=False, usecols=ACS_COLUMNS)
                for path in from_zip(url, f"psam_p{code}.csv")(Path(own))
            ]
    whole = folder / "whole.csv"
    if parts:
        frame = pd.concat(parts)[ACS_COLUMNS].sort_values(["ST", "SERIALNO", "SPORDER"])
        frame.to_csv(whole, index=False, lineterminator="\n")
    return [whole] if parts else []


# -- numeric reference sets ------------------------------------------------------------------------

_SDC = {
    "Tarragona": "d5f719a134a3476b2157d9675d1a2b211dbc06ad6109685ad1e4b7847cfa45a4",
    "CASCrefmicrodata": "40fb91564d4379274610e941161fd38729adb471bddb9c71d7c01ef142fd0f5b",
    "EIA": "4df54e21b3451e3c0b6081fa1c9ef5dbd8f09d484925ed2ade759b78b4869d1b",
}


def tarragona(*, value_bands: int = 10) -> Dataset:
    """Tarragona: 834 companies of 1995, 13 numbers each (CASC project; R package sdcMicro).

    The literature masks all 13 columns; here NET.PROFIT, cut into `value_bands` bands, is
    sensitive and the other twelve are quasi-identifiers.
    """
    return _reference("Tarragona", "NET.PROFIT", value_bands)


def census(*, value_bands: int = 10) -> Dataset:
    """CASC reference set Census: 1,080 persons of 2000, 13 numbers each; ERNVAL, in bands, is sensitive."""
    return _reference("CASCrefmicrodata", "ERNVAL", value_bands)


def eia(month: int, *, value_bands: int = 10) -> Dataset:
    """Return one month of EIA 1996: about 340 utilities, numeric serial data (CASC project).

    Parameters
    ----------
    month : int
        From 1 to 12; the twelve months are a series of releases with changing values.
    value_bands : int
        TOTREVENUE is cut into so many bands (over the whole year) and is sensitive (transient).
    """
    if not 1 <= month <= 12:
        raise InputError(f"month must be from 1 to 12, got {month}")
    year = _sdc("EIA")
    labels, order = bands(year["TOTREVENUE"], value_bands)
    year = year.assign(band=labels, id=year["UTILITYID"].astype(str) + "-" + year["STATE"])
    frame = year[year["MONTH"] == month].reset_index(drop=True)
    names = ("RESREVENUE", "RESSALES", "COMREVENUE", "COMSALES", "INDREVENUE", "INDSALES")
    private = Sensitive(name="band", persistence="transient", order=order)
    return Dataset(frame, Roles(respondent="id", quasi_identifiers=_numeric(names), sensitive=private))


MASKED = {"tarragona": "Tarragona", "census": "CASCrefmicrodata", "eia": "EIA"}
"""Names of the tables that publications on microaggregation mask."""


def masked(name: str) -> Dataset:
    """Return a CASC table as publications on microaggregation mask it: every number, nothing is sensitive.

    Of EIA the ten columns of revenue and sales, and UTILITYID, an identifier, as a number: the values that
    are published for it come out with it, and not without it.

    Parameters
    ----------
    name : str
        One of `MASKED`.

    Raises
    ------
    InputError
        If there is no such table.
    """
    if name not in MASKED:
        raise InputError(f"tables to be masked are {', '.join(MASKED)}, not {name!r}")
    frame = numbered_rows(_sdc(MASKED[name]))
    public = [column for column in frame.columns if column != "id"]
    if name == "eia":
        public = [c for c in public if c == "UTILITYID" or c.endswith(("REVENUE", "SALES"))]
    roles = Roles(respondent="id", quasi_identifiers=_numeric(public), sensitive=Sensitive(name="any"))
    return Dataset(frame[["id", *public]].assign(any="any"), roles)


def _reference(name: str, private: str, value_bands: int) -> Dataset:
    frame = numbered_rows(_sdc(name))
    labels, order = bands(frame[private], value_bands)
    public = [column for column in frame.columns if column not in ("id", private)]
    return Dataset(
        frame.assign(band=labels),
        Roles(
            respondent="id", quasi_identifiers=_numeric(public), sensitive=Sensitive(name="band", order=order)
        ),
    )


def _sdc(name: str) -> pd.DataFrame:
    """Read a set out of the R package sdcMicro, whose data files only R reads."""
    how = (
        f"it is part of the R package sdcMicro: in R, run data({name}, package = 'sdcMicro'); "
        f"write.csv({name}, '{name}.csv', row.names = FALSE)"
    )
    return pd.read_csv(source_file(f"sdcmicro/{name}.csv", sha256=_SDC[name], fetch=by_hand(how)))


def _numeric(names: Sequence[str]) -> dict[str, QISpec]:
    return dict.fromkeys(names, "numeric")
