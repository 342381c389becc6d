"""Figures 11 to 14 are the replay's own rows, turned."""

from __future__ import annotations

from typing import Any

from optanon.bench.byun import Byun
from optanon.bench.byun_figures import figures

ASKED: dict[str, Any] = {
    **Byun.small_settings,
    "first": 30,
    "step": 10,
    "releases": 2,
    "algorithms": "mondrian",
    "variants": "static,merge",
}


def test_every_measure_of_the_replay_is_in_its_figure() -> None:
    rows = Byun(**ASKED).run()
    found = figures(rows)
    titles = list(dict.fromkeys(str(row["figure"])[:7] for row in found))
    assert titles == ["Fig. 11", "Fig. 12", "Fig. 13", "Fig. 14"]
    for row in rows:
        size, name = str(row["tuples"]), row["algorithm"]
        mine = {str(one["figure"])[:7]: one for one in found if one.get("algorithm") == name and size in one}
        assert mine["Fig. 12"][size] == row["AIL"]
        assert mine["Fig. 13"][size] == row["DM"]
        assert mine["Fig. 14"][size] == row["cpu seconds"]
        told = {one["attack"]: one[size] for one in found if "attack" in one and one["algorithm"] == name}
        if name == "mondrian_static":
            assert told == {attack: row[attack] for attack in told}
            assert len(told) == 4
        else:
            assert not told
    assert {row["algorithm"] for row in found} >= {"mondrian_merge", "mondrian_joined"}


def test_what_the_authors_read_off_is_compared() -> None:
    base: dict[str, object] = {
        "groups": 1,
        "AIL": 0.1,
        "DM": 1,
        "difference": 0,
        "intersection": 0,
        "tracing": 0,
    }
    rows: list[dict[str, object]] = []
    for kind, count in (("mondrian", 5), ("incognito", 7)):
        for variant, seconds in (("static", 1), ("checked", 3), ("joined", 4)):
            rows += [
                {**base, "algorithm": f"{kind}_{variant}", "tuples": size, "cpu seconds": seconds}
                | {"tracing, plausible": count}
                for size in (10, 20)
            ]
    order: dict[str, object] = {"algorithm": "mondrian, joined", "order of AIL": "static < checked"}
    found = figures([*rows, order])
    assert {"figure": "Fig. 12: order", **order} in found
    plausible = [r for r in found if r.get("attack") == "tracing, plausible" and "published" in r]
    assert [row["agrees"] for row in plausible] == [False]
    times = [row for row in found if "Fig. 14" in str(row["figure"]) and "published" in row]
    assert [(row["algorithm"], row["agrees"]) for row in times] == [
        ("mondrian_joined", False),
        ("incognito_joined", False),
    ]


def test_the_figures_are_asked_for() -> None:
    asked: dict[str, Any] = {**ASKED, "variants": "static", "figures": True}
    rows = Byun(**asked).run()
    assert {str(row["figure"])[:7] for row in rows} == {"Fig. 11", "Fig. 12", "Fig. 13", "Fig. 14"}
