"""The planned guarantee beside constant ratio: what is compared, and when it counts as kept."""

from __future__ import annotations

from typing import Any

from optanon.bench.global_guarantee import beside


def rows(strategy: str, *losses: float | None) -> list[dict[str, Any]]:
    """An engine's series; None for a release that was not made."""
    row = {"strategy": strategy, "by": "engine"}
    return [row if loss is None else {**row, "loss": loss} for loss in losses]


def test_the_planned_series_is_measured_over_the_releases_that_both_have():
    theirs = rows("constant_ratio", 4.0, 4.0, None)
    (found,) = beside([*theirs, *rows("planned", 4.0, 2.0, 9.0)], 3)
    assert (found["loss / constant ratio's"], found["must"]) == (0.75, "kept")
    (found,) = beside([*theirs, *rows("planned", 4.0, None)], 3)
    assert found["must"] == "missed: releases"
    (found,) = beside([*theirs, *rows("planned", 4.0, 5.0, 1.0)], 3)
    assert found["must"] == "missed: loss"
    (found,) = beside([*theirs, *rows("guarantee", 1.0, None)], 3)
    assert "must" not in found
    assert beside([{**row, "by": "heuristic"} for row in theirs], 3) == []
