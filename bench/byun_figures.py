"""Figures 11 to 14 of Byun et al. out of the rows of their replay: one line per algorithm and variant.

The plots' numbers are not in the text, only what their authors read off them; that stands in the last
lines of each figure, with what holds here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from .registry import Row

__all__ = ["figures"]

ATTACKS = ("difference", "intersection", "tracing", "tracing, plausible")
MEASURES = {"Fig. 12: average information loss": "AIL", "Fig. 13: discernibility": "DM"}
MERGED = ("merge", "joined")


def figures(rows: Sequence[Row]) -> list[Row]:
    """Vulnerable records of static releases, AIL and DM, time: by the number of tuples released.

    Parameters
    ----------
    rows : sequence of Row
        Of `Byun.run`: those with `tuples` are measured, the others say in which order losses are.
    """
    measured = [row for row in rows if "groups" in row]
    return [
        *_eleventh(measured),
        *(row for title, measure in MEASURES.items() for row in _quality(title, measure, measured)),
        *({"figure": "Fig. 12: order", **row} for row in rows if "tuples" not in row),
        *_fourteenth(measured),
    ]


def _curve(rows: Sequence[Row], algorithm: str, column: str) -> Mapping[str, float]:
    """A measure of one algorithm's releases, by their tuples."""
    return {str(row["tuples"]): row[column] for row in rows if row["algorithm"] == algorithm}


def _algorithms(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(str(row["algorithm"]) for row in rows))


def _eleventh(rows: Sequence[Row]) -> Iterator[Row]:
    title = "Fig. 11: vulnerable records of static releases"
    static = [name for name in _algorithms(rows) if name.endswith("_static")]
    curves = {(name, attack): _curve(rows, name, attack) for name in static for attack in ATTACKS}
    for (name, attack), curve in curves.items():
        yield {"figure": title, "algorithm": name, "attack": attack, **curve}
    if {"mondrian_static", "incognito_static"} <= {*static}:
        for attack in ATTACKS:
            first, second = (
                sum(curves[f"{kind}_static", attack].values()) for kind in ("mondrian", "incognito")
            )
            yield {
                "figure": title,
                "algorithm": "both",
                "attack": attack,
                "published": "many more for Mondrian than for Incognito",
                "agrees": first > second,
            }


def _quality(title: str, measure: str, rows: Sequence[Row]) -> Iterator[Row]:
    for name in _algorithms(rows):
        yield {"figure": title, "algorithm": name, **_curve(rows, name, measure)}


def _fourteenth(rows: Sequence[Row]) -> Iterator[Row]:
    title = "Fig. 14: CPU seconds to make a release"
    names = _algorithms(rows)
    for name in names:
        yield {"figure": title, "algorithm": name, **_curve(rows, name, "cpu seconds")}
    for name in names:
        kind, _, variant = name.partition("_")
        checked, merged = (_curve(rows, f"{kind}_{one}", "cpu seconds") for one in ("checked", variant))
        common = [size for size in checked if size in merged]
        if variant in MERGED and len(common) > 1:
            yield {
                "figure": title,
                "algorithm": name,
                "published": "merging takes less time than checking",
                "agrees": merged[common[-1]] < checked[common[-1]],
            }
