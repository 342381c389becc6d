"""The picture of who is disclosed: lengths are those of its rows, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from optanon.bench.disclosed_picture import BAR, DisclosedPicture, drawn, medians
from optanon.models.errors import InputError

SVG = "{http://www.w3.org/2000/svg}"
ROWS: list[dict[str, Any]] = [
    {
        "releases by": "A & B",
        "people": 200,
        "releases": 3,
        "set intersection": 20,
        "propagation": 50,
        "exact": 60,
        "above 1/2": 100,
        "loss": 12.6,
    },
    {
        "releases by": "C",
        "people": 200,
        "releases": 2,
        "set intersection": 0,
        "propagation": 0,
        "exact": 0,
        "above 1/2": 0,
        "loss": 20.0,
    },
]


def bars(picture: str) -> list[float]:
    """Widths of what has a title of its own."""
    return [
        float(rect.attrib["width"])
        for rect in ElementTree.fromstring(picture).iter(f"{SVG}rect")
        if rect.find(f"{SVG}title") is not None
    ]


def test_bars_are_as_long_as_the_rows_say() -> None:
    picture = drawn(ROWS, 3)
    wanted = [BAR * count / 200 for count in (20, 30, 10, 40)]
    assert bars(picture) == pytest.approx(wanted, abs=0.06)
    texts = [text.text for text in ElementTree.fromstring(picture).iter(f"{SVG}text")]
    for told in ("A & B", "C (2 of 3)", "60 disclosed, 100 above 1/2", "nobody disclosed", "13", "20"):
        assert told in texts


def test_rows_of_the_command_are_drawn(tmp_path: Path) -> None:
    rows, out = tmp_path / "rows.json", tmp_path / "out.svg"
    rows.write_text(json.dumps({"case": "disclosed", "settings": {"releases": 3}, "rows": ROWS}))
    assert DisclosedPicture(rows=str(rows), out=str(out)).run() == ROWS
    assert out.read_text(encoding="utf-8") == drawn(ROWS, 3)
    rows.write_text(json.dumps({"case": "audit", "settings": {}, "rows": []}))
    with pytest.raises(InputError, match="no rows"):
        DisclosedPicture(rows=str(rows)).run()


def test_of_several_seeds_medians_are_drawn(tmp_path: Path) -> None:
    tables = [
        [{**row, "exact": row["exact"] + more, "loss": row["loss"] * more} for row in ROWS]
        for more in (9, 1, 4)
    ]
    files = [tmp_path / f"{at}.json" for at in range(3)]
    for file, rows in zip(files, tables, strict=True):
        file.write_text(json.dumps({"case": "disclosed", "settings": {"releases": 3}, "rows": rows}))
    assert DisclosedPicture(rows=",".join(map(str, files))).run() == tables[2]
    with pytest.raises(InputError, match="same ways"):
        medians([ROWS, ROWS[:1]])
