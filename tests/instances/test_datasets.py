"""Real data sets: where files are looked for, and what the loaders return."""

from __future__ import annotations

import hashlib
import io
import threading
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pandas as pd
import pooch
import pytest

from optanon.instances import dataset_files, datasets, diabetes
from optanon.models.errors import InputError
from optanon.models.table import Microdata

# --- where files come from -----------------------------------------------------------------

CONTENT = b"a,b\n1,2\n"
KNOWN = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache and no OPTANON_DATA."""
    folder = tmp_path / "cache"
    monkeypatch.delenv(dataset_files.VARIABLE, raising=False)
    monkeypatch.setattr(pooch, "os_cache", lambda project: folder)
    return folder


@pytest.fixture
def publisher(tmp_path: Path) -> Iterator[str]:
    """A web server on this machine, as far as a publisher goes."""
    folder = tmp_path / "published"
    folder.mkdir()
    (folder / "plain.csv").write_bytes(CONTENT)
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("deep/set.csv", CONTENT)
    with zipfile.ZipFile(folder / "outer.zip", "w") as archive:
        archive.writestr("set/set.csv", CONTENT)
        archive.writestr("inner.zip", inner.getvalue())
        archive.writestr("changed.csv", b"else")
    handler = partial(_Quiet, directory=str(folder))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        del format, args


def _never(folder: Path) -> list[Path]:
    raise AssertionError(f"fetched into {folder}")


def test_order_of_places(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find = partial(dataset_files.source_file, "set/x.csv", sha256=KNOWN, fetch=_never)
    assert dataset_files.present("set/x.csv") is None
    for folder in (cache / "set", tmp_path / "own" / "set"):
        folder.mkdir(parents=True)
        (folder / "x.csv.gz").touch()
    assert find() == cache / "set" / "x.csv.gz"
    (cache / "set" / "x.csv").touch()
    assert find() == cache / "set" / "x.csv"
    monkeypatch.setenv(dataset_files.VARIABLE, str(tmp_path / "own"))
    assert find() == tmp_path / "own" / "set" / "x.csv.gz"
    monkeypatch.setenv(dataset_files.VARIABLE, str(tmp_path / "nothing here"))
    assert find() == cache / "set" / "x.csv"


def test_downloads_are_unpacked_compared_and_kept(cache: Path, publisher: str) -> None:
    fetches = {
        "plain.csv": dataset_files.from_url(f"{publisher}/plain.csv"),
        "zipped.csv": dataset_files.from_zip(f"{publisher}/outer.zip", "set.csv"),
        "nested.csv": dataset_files.from_zip(f"{publisher}/outer.zip", "set.csv", inside="inner.zip"),
    }
    for name, fetch in fetches.items():
        path = dataset_files.source_file(f"set/{name}", sha256=KNOWN, fetch=fetch)
        assert path == cache / "set" / name
        assert path.read_bytes() == CONTENT
        assert dataset_files.source_file(f"set/{name}", sha256=KNOWN, fetch=_never) == path
    # Nothing but the files is left in the cache.
    assert {path.name for path in (cache / "set").iterdir()} == set(fetches)


def test_a_changed_download_is_refused(cache: Path, publisher: str) -> None:
    fetch = dataset_files.from_zip(f"{publisher}/outer.zip", "changed.csv")
    with pytest.raises(InputError, match=f"not the known file \\(SHA-256 {KNOWN}\\).*set OPTANON_DATA"):
        dataset_files.source_file("set/changed.csv", sha256=KNOWN, fetch=fetch)
    assert not list((cache / "set").iterdir())


def test_a_page_in_the_place_of_an_archive_is_refused(cache: Path, publisher: str) -> None:
    fetch = dataset_files.from_zip(f"{publisher}/plain.csv", "set.csv")
    with pytest.raises(
        InputError, match=r"downloading it failed \(File is not a zip file\): get it by other"
    ):
        dataset_files.source_file("set/set.csv", sha256=KNOWN, fetch=fetch)
    assert not list((cache / "set").iterdir())


def test_what_cannot_be_had_names_the_remedy(cache: Path, publisher: str) -> None:
    gone = dataset_files.from_url(f"{publisher}/gone.csv")
    with pytest.raises(InputError, match=r"set/gone\.csv is neither.*downloading.*404.*set OPTANON_DATA to"):
        dataset_files.source_file("set/gone.csv", sha256=KNOWN, fetch=gone)
    with pytest.raises(InputError, match="no-such-host"):
        dataset_files.source_file(
            "set/x.csv", sha256=KNOWN, fetch=dataset_files.from_url("http://no-such-host.invalid/x.csv")
        )
    with pytest.raises(InputError, match=r"write\.csv\(Tarragona.*set OPTANON_DATA"):
        datasets.tarragona()
    assert not (cache / "set" / "gone.csv").exists()


def test_states_are_put_together(tmp_path: Path, publisher: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fetch of ACS: columns picked, rows of all states sorted by person."""
    columns = list(datasets.ACS_COLUMNS)
    served = tmp_path / "published"
    for number, (state, code) in enumerate(datasets.ACS_STATES.items()):
        row = {name: f"{code}{name}" for name in columns} | {"ST": code, "more": "x"}
        rows = pd.DataFrame([row | {"SERIALNO": "2"}, row | {"SERIALNO": "1"}])
        with zipfile.ZipFile(served / f"csv_p{state}.zip", "w") as archive:
            archive.writestr(f"psam_p{code}.csv", rows[["more", *reversed(columns)]].to_csv(index=False))
        assert number < 14
    monkeypatch.setattr(datasets, "ACS_ADDRESS", publisher)
    target = tmp_path / "target"
    target.mkdir()
    (path,) = datasets.fetch_acs(target)
    frame = pd.read_csv(path, dtype=str)
    assert list(frame.columns) == columns
    assert frame[["ST", "SERIALNO"]].to_numpy().tolist() == [
        [code, serial] for code in sorted(datasets.ACS_STATES.values()) for serial in "12"
    ]


# --- without any data ------------------------------------------------------------------------


def test_bands() -> None:
    found, order = datasets.bands(pd.Series([5, 1, 1, 9, 7, 1]), 3)
    # Thirds of 1 1 | 1 5 | 7 9 start at 1, 1 and 7.
    assert order == ("1..5", "7..9")
    assert found == ["1..5", "1..5", "1..5", "7..9", "7..9", "1..5"]
    assert datasets.bands(pd.Series([1, 2, 3]), 1)[1] == ("1..3",)
    assert datasets.bands(pd.Series([3, 2, 1]), 9)[1] == ("1..1", "2..2", "3..3")
    with pytest.raises(InputError, match="count must be at least 1"):
        datasets.bands(pd.Series([1]), 0)


@pytest.mark.parametrize(
    ("code", "group"),
    [
        ("390", "heart"),
        ("398.91", "heart"),
        ("401", "vascular"),
        ("410", "heart"),
        ("429", "heart"),
        ("430", "vascular"),
        ("459.9", "vascular"),
        ("785", "heart"),
        ("460", "respiratory"),
        ("786", "respiratory"),
        ("520", "digestive"),
        ("787", "digestive"),
        ("250.83", "diabetes"),
        ("251", "other"),
        ("800", "injury"),
        ("999", "injury"),
        ("710", "musculoskeletal"),
        ("580", "genitourinary"),
        ("788", "genitourinary"),
        ("140", "neoplasms"),
        ("239", "neoplasms"),
        ("240", "other"),
        ("V57", "other"),
        ("E909", "other"),
        ("?", "other"),
    ],
)
def test_diagnosis_group(code: str, group: str) -> None:
    assert diabetes.diagnosis_group(code) == group
    assert group in diabetes.DIAGNOSES


# --- with the data ---------------------------------------------------------------------------


def _need(*files: str) -> None:
    missing = [file for file in files if dataset_files.present(file) is None]
    if missing:
        pytest.skip(f"neither under {dataset_files.VARIABLE} nor in the cache: {', '.join(missing)}")


def _hierarchies(*columns: str) -> list[str]:
    return [f"adult/hierarchies/adult_hierarchy_{column}.csv" for column in columns]


ADULT_QIS = ("sex", "race", "marital-status", "education", "native-country", "workclass")


@pytest.mark.data
@pytest.mark.parametrize(
    ("load", "files", "rows", "spans", "values"),
    [
        (
            datasets.adult,
            ["adult/adult.data", *_hierarchies(*ADULT_QIS)],
            30162,
            {"sex": 2, "education": 16, "native-country": 41},
            14,
        ),
        (
            partial(datasets.adult, "test"),
            ["adult/adult.test", *_hierarchies(*ADULT_QIS)],
            15060,
            {"sex": 2},
            14,
        ),
        (
            datasets.arx_adult,
            ["adult/arx_adult.csv", *_hierarchies("age", "salary-class", *ADULT_QIS)],
            30162,
            {"salary-class": 2, "age": 100},
            14,
        ),
        (datasets.bank, ["bank_marketing/bank-full.csv"], 45211, {"job": 12, "marital": 3}, 20),
        (partial(datasets.bank, sample=True), ["bank_marketing/bank.csv"], 4521, {"job": 12}, 20),
        (datasets.acs_pums, ["acs_pums_2018/acs2018_person_14states.csv"], 104731, {"SCHL": 23}, 100),
        (
            partial(datasets.acs_pums, "income"),
            ["acs_pums_2018/acs2018_person_14states.csv"],
            104731,
            {"SCHL": 23},
            49,
        ),
        (datasets.tarragona, ["sdcmicro/Tarragona.csv"], 834, {}, 10),
        (datasets.census, ["sdcmicro/CASCrefmicrodata.csv"], 1080, {}, 10),
        (partial(datasets.eia, 12), ["sdcmicro/EIA.csv"], 339, {}, 10),
    ],
    ids=[
        "adult",
        "adult-test",
        "arx",
        "bank",
        "bank-sample",
        "acs",
        "acs-income",
        "tarragona",
        "census",
        "eia",
    ],
)
def test_loader(
    load: Callable[[], datasets.Dataset], files: list[str], rows: int, spans: dict[str, int], values: int
) -> None:
    _need(*files)
    frame, roles = load()
    assert len(frame) == rows
    assert frame[list(roles.columns)].notna().all(axis=None)
    assert frame[roles.respondent].is_unique
    assert frame[roles.sensitive.name].nunique() == values
    table = roles.table(frame.iloc[:: max(1, rows // 500)])
    found = {domain.name: domain.span for domain in table.domains}
    assert spans.items() <= found.items()


@pytest.mark.data
def test_adult_keeps_incomplete_rows_if_asked() -> None:
    _need("adult/adult.data", *_hierarchies(*ADULT_QIS))
    frame, _ = datasets.adult(complete=False)
    assert len(frame) == 32561
    assert frame["occupation"].isna().sum() == 1843
    assert set(frame["income"]) == {"<=50K", ">50K"}


@pytest.mark.data
def test_bank_releases_follow_the_months() -> None:
    _need("bank_marketing/bank-full.csv")
    frame, _ = datasets.bank()
    assert frame["release"].is_monotonic_increasing
    assert frame["release"].max() == 30
    assert frame.groupby("release")["month"].nunique().eq(1).all()


@pytest.mark.data
def test_eia_is_a_series_with_changing_values() -> None:
    _need("sdcmicro/EIA.csv")
    first, second = datasets.eia(1), datasets.eia(2)
    assert first.roles.sensitive.order == second.roles.sensitive.order
    both = first.frame.merge(second.frame, on="id")
    assert 300 < len(both) <= 342
    assert (both["band_x"] != both["band_y"]).any()
    with pytest.raises(InputError, match="month must be from 1 to 12"):
        datasets.eia(13)


def test_no_hierarchy_for_every_column() -> None:
    with pytest.raises(InputError, match="no hierarchy for 'income'"):
        datasets.arx_hierarchy("income")


# --- the series of patients --------------------------------------------------------------------

PATIENTS = "diabetes130/diabetic_data.csv"


def _series(tuples: int, releases: int, seed: int = 0) -> list[Microdata]:
    frames, roles = diabetes.diabetes_series(tuples, releases, seed)
    return [roles.table(frame) for frame in frames]


@pytest.mark.data
def test_diabetes() -> None:
    _need(PATIENTS)
    frame = diabetes.diabetes()
    assert len(frame) == 101766
    assert frame["patient"].nunique() == 71518
    assert (frame.groupby("patient")["visit"].max() > 1).sum() == 16773
    assert frame["visit"].max() == 40
    assert frame["race"].isna().sum() == 2273
    assert set(frame["diagnosis"]) == set(diabetes.DIAGNOSES)
    # No group is near a third of the stays.
    assert frame["diagnosis"].value_counts(normalize=True).max() < 0.22


@pytest.mark.data
def test_diabetes_series() -> None:
    _need(PATIENTS)
    frames, roles = diabetes.diabetes_series(24, 4, seed=7)
    visits: dict[str, int] = {}
    values: dict[str, str] = {}
    domains = {roles.table(frame).domains for frame in frames}
    assert len(domains) == 1
    for number, frame in enumerate(frames):
        assert len(frame) == 24
        assert frame["patient"].is_unique
        assert len(set(frame["patient"]) & set(visits)) == (12 if number else 0)
        for row in frame.itertuples():
            # Every patient's stays come one by one, in order.
            assert row.visit == visits.get(row.patient, 0) + 1
            visits[row.patient] = row.visit
            # A respondent's value never changes; a new diagnosis group makes a new respondent.
            assert values.setdefault(row.respondent, row.diagnosis) == row.diagnosis
            assert row.respondent == f"{row.patient}-{row.diagnosis}"
    assert len(values) > len(visits)


@pytest.mark.data
def test_diabetes_series_with_finer_diagnoses() -> None:
    _need(PATIENTS)
    frames, roles = diabetes.diabetes_series(60, 2, fine=True)
    codes = {diabetes.diagnosis_class(str(code)) for code in diabetes.diabetes()["diag_1"]}
    assert roles.sensitive.domain == codes
    for frame in frames:
        assert roles.table(frame).members
        assert list(frame["diagnosis"]) == [diabetes.diagnosis_class(str(code)) for code in frame["diag_1"]]
        assert list(frame["respondent"]) == list(frame["patient"] + "-" + frame["diagnosis"])


@pytest.mark.data
def test_diabetes_series_is_repeatable() -> None:
    _need(PATIENTS)
    (one, two), same = _series(9, 2, 1), _series(9, 2, 1)
    assert [one.members, two.members] == [table.members for table in same]
    assert one.members != two.members


@pytest.mark.parametrize(("tuples", "releases", "seed"), [(0, 1, 0), (3, 0, 0), (3, 1, -1)])
def test_diabetes_series_refuses(tuples: int, releases: int, seed: int) -> None:
    with pytest.raises(InputError, match="must be at least"):
        diabetes.diabetes_series(tuples, releases, seed)


@pytest.mark.data
def test_diabetes_series_needs_enough_patients() -> None:
    _need(PATIENTS)
    with pytest.raises(InputError, match="there are 16773"):
        diabetes.diabetes_series(6000, 3)
