"""Adult (census income), with the generalization hierarchies of the ARX project."""

from __future__ import annotations

from typing import Literal

import pandas as pd

from ..models.errors import InputError
from ..models.hierarchy import Hierarchy
from ..models.table import QISpec, Sensitive
from .dataset_files import from_url, from_zip, source_file
from .roles import Dataset, Roles, numbered_rows

__all__ = ["adult", "arx_adult", "arx_hierarchy"]

_ADULT = {
    "adult.data": "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
    "adult.test": "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
}
_ADULT_COLUMNS = [
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
    "income",
]
_ADULT_QIS = ("sex", "race", "marital-status", "education", "native-country", "workclass")
_ARX = "https://raw.githubusercontent.com/arx-deidentifier/arx/master/data/"
_ARX_HIERARCHIES = {
    "age": "463f35372e8b1ad31fc624eb73c5da9297878a044ae5d61038eaf7b431ac55ca",
    "education": "f22e5ee519c28b05538d4e5ddea0fbee5f0017fefb3abab3fa02272325bf9ce5",
    "marital-status": "3e7ba2c4a5cd4fec059b4e3a2c57fce6e7c34a20daee1e624990ddd7beba85e5",
    "native-country": "696d3b53973311c096b33f98bb56e526016910b1a1cd5a1e904cb799d1077023",
    "occupation": "16dc420d5d7f8ab4d1e6144eb1d19ab8314ef42523fe8c4ee202372db1c98126",
    "race": "df11abf41fa0669455adc9c9f9fa88663afa0cee8327684ecca861cd32dc4209",
    "salary-class": "404895b3fcfb615813efab7ae0d2c50c8b127cec651f9b37d44a648646f86345",
    "sex": "537d23f7b6969b916b5a5490eb1b32c273fefdc62ca050a7a813e23bbf3b78b2",
    "workclass": "106f420349bf0071dbb25371795a78799edf24a64c3424619d563c3990ee8d02",
}


def adult(part: Literal["data", "test"] = "data", *, complete: bool = True) -> Dataset:
    """Adult (census income) of 1994, UCI, doi:10.24432/C5XW20, CC BY 4.0.

    Parameters
    ----------
    part : {"data", "test"}
        32,561 or 16,281 rows.
    complete : bool
        Leave out rows with a missing value (30,162 or 15,060 stay); ARX's hierarchies have
        no missing category.

    Returns
    -------
    Dataset
        Age as numbers and six columns under ARX's hierarchies against the occupation; ids
        ``r1``, ``r2``, ... count the rows of the file.
    """
    path = source_file(
        f"adult/adult.{part}",
        sha256=_ADULT[f"adult.{part}"],
        fetch=from_zip("https://archive.ics.uci.edu/static/public/2/adult.zip", f"adult.{part}"),
    )
    frame = pd.read_csv(
        path,
        names=_ADULT_COLUMNS,
        skiprows=1 if part == "test" else 0,
        skipinitialspace=True,
        na_values=["?"],
        keep_default_na=False,
    )
    frame["income"] = frame["income"].str.rstrip(".")
    frame = numbered_rows(frame)
    if complete:
        frame = frame.dropna().reset_index(drop=True)
    specs: dict[str, QISpec] = {"age": "numeric"}
    specs |= {name: arx_hierarchy(name) for name in _ADULT_QIS}
    return Dataset(
        frame, Roles(respondent="id", quasi_identifiers=specs, sensitive=Sensitive(name="occupation"))
    )


def arx_adult() -> Dataset:
    """The 30,162 complete rows and 9 columns of Adult as ARX ships them, every column under its hierarchy.

    ARX project (Prasser et al.), Apache-2.0. Sensitive: occupation.
    """
    path = source_file(
        "adult/arx_adult.csv",
        sha256="c700df9304fbf3c4d4db5938bffc510561bd4a2dfad285a3feef9a20619391c5",
        fetch=from_url(f"{_ARX}adult.csv"),
    )
    frame = numbered_rows(pd.read_csv(path, sep=";", keep_default_na=False))
    specs: dict[str, QISpec] = {name: arx_hierarchy(name) for name in ("age", *_ADULT_QIS, "salary-class")}
    return Dataset(
        frame, Roles(respondent="id", quasi_identifiers=specs, sensitive=Sensitive(name="occupation"))
    )


def arx_hierarchy(column: str) -> Hierarchy:
    """ARX's generalization hierarchy of a column of Adult (Apache-2.0).

    Raises
    ------
    InputError
        If ARX has none for that column, or the file is not to be had.
    """
    if column not in _ARX_HIERARCHIES:
        raise InputError(f"ARX has no hierarchy for {column!r}, only for {', '.join(_ARX_HIERARCHIES)}")
    name = f"adult_hierarchy_{column}.csv"
    path = source_file(
        f"adult/hierarchies/{name}", sha256=_ARX_HIERARCHIES[column], fetch=from_url(f"{_ARX}{name}")
    )
    return Hierarchy.from_csv(path)
