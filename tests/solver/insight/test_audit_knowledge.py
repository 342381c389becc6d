"""Each statement of a knowledge file, from the file through the command line to the report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import oracle.brute_force as bf
import pytest
import yaml
from cases.attacks import history
from command_line import run

from optanon.instances import catalog

CARL, DORIS = {"Carl": "AIDS"}, {"Doris": "cancer"}
NOT_AIDS = {"Doris": ["AIDS"], "Fiona": ["AIDS"]}
OTHERS = {"Doris": ["cancer", "bronchitis"], "Fiona": ["bronchitis", "cancer"]}


def _audited(files: list[Path], knowledge: dict[str, Any], folder: Path) -> dict[str, Any]:
    (folder / "known.yaml").write_text(yaml.safe_dump(knowledge))
    asked = ["--knowledge", "known.yaml", "--show-ids", "--json", "report.json", "--force"]
    done = run("audit", *files, *asked, folder=folder)
    assert done.returncode in (0, 1), done.stderr
    return json.loads((folder / "report.json").read_text())


@pytest.mark.parametrize(
    ("knowledge", "disclosed"),
    [
        ({}, set[str]()),
        # Release 2 has {Carl, Doris, Fiona}, release 1 {Doris, Erica, Fiona}: AIDS, bronchitis, cancer each.
        ({"compromised": CARL}, {"Erica"}),
        ({"compromised": CARL | DORIS}, {"Erica", "Fiona"}),
        ({"excluded": NOT_AIDS}, {"Carl", "Erica"}),
        ({"priors": OTHERS}, {"Carl", "Erica"}),
        ({"excluded": {"Doris": ["AIDS"]}, "priors": {"Fiona": OTHERS["Fiona"]}}, {"Carl", "Erica"}),
        # All boxes of a release are disjoint, so memberships follow from quasi-identifiers.
        ({"membership": "boxes", "compromised": CARL | DORIS}, {"Erica", "Fiona"}),
    ],
)
def test_statements_about_respondents(knowledge: dict[str, Any], disclosed: set[str], tmp_path: Path) -> None:
    folder = catalog.path("hospital")
    files = [folder / "release-1.steward.csv", folder / "release-2-printed.steward.csv"]
    report = _audited(files, knowledge, tmp_path)
    assert {entry["respondent"] for entry in report["disclosures"]} == disclosed
    assert report["membership"] == knowledge.get("membership", "groups")


def test_values_that_change(tmp_path: Path) -> None:
    folder = catalog.path("hospital")
    files = [folder / "release-1.steward.csv", folder / "release-2-printed.steward.csv"]
    for persistence in ("persistent", "transient", "both"):
        last = _audited(files, {"persistence": persistence}, tmp_path)["releases"][-1]
        # Two groups of three: 1/3 if values never change, 1 - (2/3)**2 if they change freely.
        assert (last["persistent"] or {}).get("worst") == (None if persistence == "transient" else "1/3")
        assert (last["transient"] or {}).get("worst") == (None if persistence == "persistent" else "5/9")


def _swapped(tmp_path: Path) -> list[Path]:
    """People 1 and 2 have a and b; 3 and 4 have c and are published with a counterfeit c; all fit both."""
    one, two, three, four = (
        bf.Person(str(name), (at,), value)
        for name, at, value in zip(range(1, 5), (1, 5, 1, 5), "abcc", strict=True)
    )
    groups = (bf.Group((one, two)), bf.Group((three, four), (("c", 1),)))
    (release,) = history([bf.Release(groups)], boxed=True)
    release.to_csv(tmp_path / "release.csv", copy="steward")
    return [tmp_path / "release.csv"]


@pytest.mark.parametrize(
    ("knowledge", "disclosed"),
    [
        ({}, {"3", "4"}),  # their group has only c
        ({"compromised": {"1": "a"}}, {"2", "3", "4"}),
        ({"membership": "boxes"}, set[str]()),
        ({"membership": "boxes", "compromised": {"1": "a", "3": "c"}}, set[str]()),
        # The other group's two tuples are real, so somebody has b, and only 2 can.
        ({"membership": "boxes", "compromised": {"1": "a", "3": "c", "4": "c"}}, {"2"}),
        # Its b may be the counterfeit if nobody knows where that is.
        (
            {
                "membership": "boxes",
                "counterfeits": "unknown",
                "compromised": {"1": "a", "3": "c", "4": "c"},
            },
            set[str](),
        ),
    ],
)
def test_memberships_and_counterfeits(knowledge: dict[str, Any], disclosed: set[str], tmp_path: Path) -> None:
    report = _audited(_swapped(tmp_path), knowledge, tmp_path)
    assert {entry["respondent"] for entry in report["disclosures"]} == disclosed


def test_ids_may_be_written_as_numbers(tmp_path: Path) -> None:
    files = _swapped(tmp_path)
    found = [
        {entry["respondent"] for entry in _audited(files, knowledge, tmp_path)["disclosures"]}
        for knowledge in ({}, {"compromised": {1: "a"}}, {"compromised": {"1": "a"}})
    ]
    assert found == [{"3", "4"}, {"2", "3", "4"}, {"2", "3", "4"}]
    (tmp_path / "known.yaml").write_text("compromised: {1: a, '1': b}")
    done = run("audit", *files, "--knowledge", "known.yaml", folder=tmp_path)
    assert done.returncode == 2
    assert "named twice, as a number and as a text" in done.stderr
