"""The proof of a bound as a certificate holds it.

The root: integer duals of tuples and cuts. If no needed group's duals and penalties add up to more than its
cost, their total bounds every release (`Duals` says why). If that does not reach the bound: a search tree
over all groups that a better release may hold. `solver.verify` derives both again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import claims
from ...colgen.covering import Covering, home_of
from ...colgen.cuts import HALF, Cuts
from ...colgen.duals import Duals
from ...colgen.finish import Closed
from ...exact.payload import packed

__all__ = ["describe"]


def describe(
    rows: Covering,
    cuts: Cuts,
    duals: Duals,
    found: Closed | None,
    *,
    level: int,
    part: tuple[int, ...] | None,
    places: bool = False,
    unpriced: tuple[int, ...] = (),
    blocks: Sequence[Sequence[int]] = (),
) -> claims.PricedClaim | claims.ListedClaim:
    """Write a proof down; tuples are named by their row of the microdata (from 0), cuts if they have a dual.

    A tree too long to be written down is left out. With `places`, rows are places, and there is no tree;
    attributes that are `unpriced` cost nothing there. With `blocks`, of rows, there is no tree.
    """
    first = [behind[0] for behind in rows.tuples]
    named = np.flatnonzero(duals.cuts).tolist()
    divisors = tuple(cuts.divisors[cut] for cut in named)
    known: dict[str, Any] = {
        "level": level,
        "root": claims.WrittenDuals(
            scale=duals.scale,
            duals=tuple(duals.rows[home_of(rows)].tolist()),
            cut_duals=tuple(duals.cuts[named].tolist()),
        ),
        "cuts": tuple(tuple(first[row] for row in cuts.sets[cut]) for cut in named),
        "divisors": () if all(q == HALF for q in divisors) else divisors,
        "part": part,
    }
    text = None if found is None else packed(found.tree.proof())
    if found is None or text is None:
        inside = tuple(tuple(first[row] for row in block) for block in blocks)
        return claims.PricedClaim(**known, places=places, unpriced=unpriced, blocks=inside)
    return claims.ListedClaim(**known, tree=claims.WrittenTree(listed_for=found.listed_for, proof=text))
