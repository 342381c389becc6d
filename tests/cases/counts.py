"""Random problems about groups without boxes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from strategies import instance, pick, seeded

from cases.drawn import Case
from cases.examples import EXAMPLES, build
from optanon.models.requirement import GroupRequirement
from optanon.models.requirements import registered
from optanon.solver.engines.partition.counts.verdicts import refusal
from optanon.solver.search import obstacles

NAMES = [
    name
    for name in sorted(registered())
    if name in EXAMPLES and issubclass(registered()[name], GroupRequirement)
]
SIZES: tuple[tuple[str | Mapping[str, Any], ...], ...] = (
    ("discernibility",),
    ("suppressed", "discernibility"),
    ("average_group_size",),
    ("maximum_group_size", "average_group_size"),
    ("counterfeits", "discernibility"),
    ({"discernibility": 1, "suppressed": "3/2"},),
    ("suppressed", "counterfeits", "maximum_group_size"),
    ({"counterfeits": 2, "suppressed": 3}, "average_group_size"),
    ({"average_group_size": "1/2"}, "suppressed", "discernibility"),
    ("maximum_group_size", "suppressed", "discernibility"),
)
"""Levels that look at sizes and counts only."""
BOXES: tuple[tuple[str | Mapping[str, Any], ...], ...] = (
    ("information_loss", "average_group_size"),
    ("semiperimeter", "average_information_loss", "discernibility"),
    ({"information_loss": 1, "discernibility": "1/7"},),
)
"""Levels with losses that look at boxes: anatomized groups have none."""


def drawn(seed: int) -> Case:
    """Without history; every third with a second requirement."""
    source = seeded("boxless", seed)
    names = [NAMES[seed % len(NAMES)], *([pick(source, NAMES)] if seed % 3 == 2 else [])]
    parts = [build(name, source(0, len(EXAMPLES[name]) - 1)) for name in names]
    kinds = {requirement.adversary for requirement, _ in parts} - {"either"}
    if len(kinds) == 2:
        parts, kinds = parts[:1], {parts[0][0].adversary}
    form = pick(source, ("anatomized", "anatomized", "generalized"))
    levels = pick(source, SIZES if form == "generalized" else SIZES + BOXES)
    shape = pick(source, ("plain", "plain", "suppress", "fakes", "both"))
    at = instance(
        source,
        tuples={"plain": (3, 8), "suppress": (3, 7)}.get(shape, (2, 4)),
        releases=(0, 0),
        values=(2, 3) if shape in ("fakes", "both") else (2, 4),
        attributes=(1, 1),
        persistence=kinds.pop() if kinds else "both",
        form=form,
    )
    return Case(
        at=at,
        parts=tuple(parts),
        levels=levels,
        suppressed=source(1, 2) if shape in ("suppress", "both") else 0,
        fakes=2 if shape in ("fakes", "both") else 0,
    )


def posed(case: Case) -> bool:
    return refusal(case.problem) is None and not obstacles(case.problem)
