"""What is expected, weighed against the loss of now: new people change groups, and signatures with them.

Begins with a release and leaves all its groups that the past or counterfeits bind. Each signature costs its
price times the outlook's weight, in the units that boxes are measured in; the rest is annealing (`loosened`).
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np

from .....models.problem import Problem
from .....models.release import QIGroup, Release
from ....colgen.primal.loosened import loosened
from ..objective import Objective
from .family import Charges
from .limits import AHEAD as LIMITS
from .people import Crowd

__all__ = ["weighed"]


def _fakes(group: QIGroup) -> dict[str, int]:
    return dict(Counter(group.histogram) - Counter(member.value for member in group.members))


def weighed(
    problem: Problem,
    crowd: Crowd,
    release: Release,
    objective: Objective,
    prices: Charges,
    weight: Fraction,
    moves: int,
    seed: int,
) -> Release | None:
    """A release that costs no more now and later together; None if nobody may change groups.

    Parameters
    ----------
    weight
        What a unit of price weighs in the level that measures boxes.
    moves
        Exchanges that are tried.
    """
    number = {value: v for v, value in enumerate(crowd.types.rules.values)}
    groups = [[problem.table.row[m.respondent] for m in group.members] for group in release.groups]
    fakes = [_fakes(group) for group in release.groups]
    loose = [
        not fake and all(crowd.people.home[t] < 0 for t in rows) and len(rows) == len(group.signature)
        for rows, fake, group in zip(groups, fakes, release.groups, strict=True)
    ]
    free = [q for q, may in enumerate(loose) if may]
    if len(free) < 2:
        return None
    wide = max(len(groups[q]) for q in free)
    who = np.array([[*groups[q], *[-1] * (wide - len(groups[q]))] for q in free], dtype=np.int64)
    names = np.random.default_rng(seed).integers(1, LIMITS.names, len(number))
    bound = [group for group, may in zip(release.groups, loose, strict=True) if not may]
    fixed = [
        (sum(int(names[number[v]]) for v in group.signature), max(group.histogram.values()))
        for group in bound
    ]
    most = len(free) + sum(often for _, often in fixed) + 2
    scale = float(crowd.types.rows.scale)
    unit = weight / objective.factor
    table = [[scale * float(unit * prices.of(size, n)) for n in range(most)] for size in range(wide + 1)]
    loosened(
        crowd.geometry,
        crowd.value,
        who,
        np.array(fixed, dtype=np.int64).reshape(-1, 2),
        names,
        np.array(table),
        moves,
        scale * LIMITS.loose,
        scale * LIMITS.cold,
        seed,
    )
    for q, line in zip(free, who.tolist(), strict=True):
        groups[q] = [t for t in line if t >= 0]
    return problem.assemble(groups, fakes)
