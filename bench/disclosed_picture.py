"""Who is disclosed by a series, drawn: one bar per way to release, from the rows of `disclosed`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, ClassVar
from xml.sax.saxutils import escape

from ..models.errors import InputError
from ..models.files import write_whole
from .disclosed import Disclosed
from .registry import Case, Row, case

__all__ = ["DisclosedPicture", "drawn", "medians"]

LEFT, BAR, RIGHT, STEP, TOP = 210, 340, 320, 30, 76
KINDS = (
    ("set intersection", "#7f1d1d", "by set intersection"),
    ("propagation", "#dc2626", "more by bounds"),
    ("exact", "#f59e0b", "more by the exact audit"),
    ("above 1/2", "#fde68a", "a value likelier than 1/2"),
)
"""Columns of the rows, each of which counts those of the ones before, too; colour and words."""


@case
@dataclass(frozen=True, kw_only=True)
class DisclosedPicture(Case):
    """The picture of `disclosed`: its rows, as `--json` wrote them, drawn as bars.

    Parameters
    ----------
    rows : str
        The file; without one a small series by two ways is made. Of several, with commas between, one per
        seed, medians are drawn.
    out : str
        Where the picture goes, nowhere if empty.
    """

    name: ClassVar[str] = "disclosed-picture"
    small_settings: ClassVar[dict[str, str]] = {"rows": ""}

    rows: str = ""
    out: str = ""

    def run(self) -> list[Row]:
        """The rows that were drawn."""
        if self.rows:
            told = [_read(name.strip()) for name in self.rows.split(",")]
            found, asked = medians([one["rows"] for one in told]), told[0]["settings"]["releases"]
        else:
            small = Disclosed(people=60, releases=2, ways="Mondrian,Mondrian relaxed")
            found, asked = small.run(), small.releases
        picture = drawn(found, asked)
        if self.out:
            write_whole(Path(self.out), lambda draft: draft.write_text(picture, encoding="utf-8"))
        return found


def _read(name: str) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(Path(name).read_text(encoding="utf-8"))
    if told.get("case") != Disclosed.name:
        raise InputError(f"{name}: no rows of the case {Disclosed.name!r}")
    return told


def medians(tables: Sequence[Sequence[Row]]) -> list[Row]:
    """One row per way to release, with the median of each number.

    Raises
    ------
    InputError
        If tables are not about the same ways.
    """
    ways = [[row["releases by"] for row in rows] for rows in tables]
    if any(other != ways[0] for other in ways):
        raise InputError("the files are not about the same ways to release")
    return [
        {
            column: median(row[column] for row in same) if isinstance(value, int | float) else value
            for column, value in same[0].items()
        }
        for same in zip(*tables, strict=True)
    ]


def drawn(rows: Sequence[Row], releases: int) -> str:
    """The picture as SVG: for each way who is disclosed how, of all people; what is lost beside it.

    Parameters
    ----------
    rows : sequence of Row
        Of `disclosed`.
    releases : int
        As many were asked for; ways that made fewer say so.
    """
    people = max(row["people"] for row in rows)
    width, height = LEFT + BAR + RIGHT, TOP + STEP * len(rows) + 14
    title = f"Of {people:,} people, {releases} releases together disclose so many"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
        f'font-size="13" role="img"><title>{title}</title>',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        f'<text x="12" y="22" font-size="16" font-weight="bold">{title}</text>',
        *_legend(),
        f'<text x="{width - 12}" y="{TOP - 10}" text-anchor="end" fill="#555">'
        "information lost by the last</text>",
    ]
    for at, row in enumerate(rows):
        lines += _bar(row, TOP + STEP * at, people, releases)
    return "\n".join([*lines, "</svg>"]) + "\n"


def _legend() -> list[str]:
    found, x = list[str](), 12
    for _, colour, words in KINDS:
        found.append(
            f'<rect x="{x}" y="34" width="12" height="12" fill="{colour}"/>'
            f'<text x="{x + 17}" y="45">{words}</text>'
        )
        x += 40 + 7 * len(words)
    return found


def _bar(row: Row, y: int, people: int, releases: int) -> list[str]:
    """One way: counts one upon the other, the certain ones as a number, and the loss."""
    name = escape(str(row["releases by"]))
    made = row["releases"]
    if made < releases:
        name += f" ({made} of {releases})"
    found = [f'<text x="{LEFT - 10}" y="{y + 15}" text-anchor="end">{name}</text>']
    before = 0.0
    for column, colour, words in KINDS:
        end = BAR * row[column] / people
        if end > before:
            found.append(
                f'<rect x="{LEFT + before:.1f}" y="{y}" width="{end - before:.1f}" height="20" '
                f'fill="{colour}"><title>{name}: {row[column]:,} {words}</title></rect>'
            )
        before = max(before, end)
    told = f"{row['exact']:,} disclosed" if row["exact"] else "nobody disclosed"
    if row["above 1/2"] > row["exact"]:
        told += f", {row['above 1/2']:,} above 1/2"
    found.append(f'<text x="{LEFT + before + 8:.1f}" y="{y + 15}">{told}</text>')
    lost = f"{row['loss']:,.0f}" if made else "none made"
    found.append(f'<text x="{LEFT + BAR + RIGHT - 12}" y="{y + 15}" text-anchor="end">{lost}</text>')
    return found
