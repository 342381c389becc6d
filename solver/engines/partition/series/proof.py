"""The proofs of both bounds: what is written down, and how it is confirmed with integers alone.

Counterfeits: a tree with integer duals over the integer program of counts, which is built anew from
the problem (`counts`, `program`). Information loss within a number of counterfeits: integer duals of
tuples, counterfeits and cuts; all needed groups above a floor are listed again, by another search than
the engine's: breadth first, in arrays, without compiled code (`listing`). If the duals alone do not
reach the claimed bound: a tree with integer duals over all groups that a better release may hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from .....models.errors import CertificateError
from .....models.problem import Problem
from ..cuts import Cuts
from .counts import Fewest, program_of
from .finish import ListedTree, listed_program
from .flat import Flat
from .listing import columns_above
from .pricing import Duals
from .program import Tree, confirm
from .rules import Rules
from .types import Types

__all__ = ["Bounds", "Proven", "describe", "verify_series"]

MOST_NUMBERS = 3_000_000
"""A tree with more duals than this is not written down."""
LIMIT = 1 << 61


class Proven(NamedTuple):
    """A bound on releases with at most so many counterfeits: duals, and a tree if they do not reach it."""

    types: Types
    cuts: Cuts
    duals: Duals | None
    fakes: int
    tree: ListedTree | None


def describe(counts: Fewest, flat: Flat | None, loss: Proven) -> dict[str, Any]:
    """Write the proofs down for JSON; tuples are named by their row of the microdata (from 0)."""
    nodes = _nodes(counts.tree)
    content: dict[str, Any] = {
        "kind": "counts program with integer duals; LP dual + exact pricing",
        "counterfeits": {
            "bound": counts.bound,
            "nodes": nodes if counts.bound == counts.tree.target else nodes[:0],
        },
        "confirmed_by": "integer arithmetic and exact re-pricing; no solver is needed",
    }
    if flat is not None:
        proven = Proven(flat.types, flat.pricing.cuts, flat.duals, 0, flat.tree)
        content |= {"counterfeits_by_groups": part} if (part := _written(proven)) else {}
    content |= {"loss": part} if (part := _written(loss)) else {}
    return content


def _written(proven: Proven) -> dict[str, Any]:
    types, cuts, duals, fakes, tree = proven
    if duals is None:
        return {}
    first = [behind[0] for behind in types.rows.tuples]
    row_of = {t: r for r, behind in enumerate(types.rows.tuples) for t in behind}
    content: dict[str, Any] = {
        "fakes": fakes,
        "scale": duals.scale,
        "duals": [int(duals.rows[row_of[t]]) for t in range(len(row_of))],
        "fake_dual": duals.fake,
        "cut_duals": duals.cuts.tolist(),
        "cuts": [[first[row] for row in rows] for rows in cuts.sets],
    }
    if tree is None:
        return content
    if sum(len(node.duals) for node in tree.tree.nodes) > MOST_NUMBERS:
        content["last_step"] = (
            f"the engine's search tree of {len(tree.tree.nodes)} nodes (checked in integers while it ran) is "
            "too large to be written down"
        )
    else:
        content["tree"] = {
            "listed_for": tree.listed_for,
            "target": tree.tree.target,
            "nodes": _nodes(tree.tree),
        }
    return content


def _nodes(tree: Tree) -> list[dict[str, Any]]:
    return [
        {"parent": n.parent, "side": n.side, "duals": list(n.duals), "variable": n.variable, "at": n.at}
        for n in tree.nodes
    ]


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """What was confirmed.

    Attributes
    ----------
    counterfeits : int
        No release has fewer.
    fakes : int
        The number of counterfeits that `loss` is about.
    loss : Fraction or None
        No release with at most so many counterfeits has a lower information loss.
    """

    counterfeits: int
    fakes: int = 0
    loss: Fraction | None = None


def verify_series(problem: Problem, proof: Mapping[str, Any]) -> Bounds:
    """Confirm both proofs and return the bounds that they prove.

    Raises
    ------
    CertificateError
        If some statement does not hold.

    Notes
    -----
    Takes seconds for hundreds of tuples.
    """
    rules = Rules.of(problem)
    if isinstance(rules, str):
        raise CertificateError(f"the bounds cannot be confirmed: {rules}")
    types = Types.of(problem, rules)
    stated, fewest = proof["counterfeits"], 0
    if stated["nodes"]:
        fewest = int(stated["bound"])
        confirm(program_of(types), fewest, stated["nodes"])
    if "counterfeits_by_groups" in proof:
        fewest = max(fewest, _confirmed(Types.flat(problem, rules), proof["counterfeits_by_groups"]))
    if "loss" not in proof:
        return Bounds(counterfeits=fewest)
    bound = _confirmed(types, proof["loss"])
    return Bounds(counterfeits=fewest, fakes=int(proof["loss"]["fakes"]), loss=types.rows.loss(max(0, bound)))


def _confirmed(types: Types, stated: Mapping[str, Any]) -> int:
    """The bound that duals, and a tree if there is one, prove."""
    row_of = {t: r for r, behind in enumerate(types.rows.tuples) for t in behind}
    cuts, fakes = Cuts(types.rows), int(stated["fakes"])
    for named in stated["cuts"]:
        rows = tuple(sorted({row_of[t] for t in named}))
        if len(rows) != len(named):
            raise CertificateError("a cut names a tuple twice")
        cuts.add([rows])
    duals = _duals(types, cuts, stated)
    paying = columns_above(types, cuts, duals, 0)
    if paying:
        raise CertificateError(
            f"the duals prove nothing: {len(paying)} groups have less cost than their duals, the first of "
            f"{len(paying[0].rows)} tuples"
        )
    bound = duals.bound(types, cuts, fakes)
    if "tree" not in stated:
        return bound
    tree = stated["tree"]
    listed_for, target = int(tree["listed_for"]), int(tree["target"])
    if target > listed_for:
        raise CertificateError("the tree claims more than the groups were listed for")
    slack = (listed_for - 1) * duals.scale - duals.value(types, cuts, fakes)
    columns = sorted(columns_above(types, cuts, duals, -slack - 1))
    confirm(listed_program(types, cuts, fakes, columns), target, tree["nodes"])
    return max(bound, target)


def _duals(types: Types, cuts: Cuts, stated: Mapping[str, Any]) -> Duals:
    """Read duals back; interchangeable tuples have equal ones."""
    per_tuple, per_cut, scale = stated["duals"], stated["cut_duals"], int(stated["scale"])
    fake = int(stated["fake_dual"])
    if len(per_tuple) != int(types.rows.count.sum()) or len(per_cut) > len(cuts) or scale < 1:
        raise CertificateError("the proof has another number of tuples or cuts")
    if fake > 0 or any(dual > 0 for dual in per_cut) or (types.counting and fake != -scale):
        raise CertificateError("the dual of a limit is above 0")
    if any(len({per_tuple[t] for t in behind}) > 1 for behind in types.rows.tuples):
        raise CertificateError("tuples that are alike have different duals")
    largest = sum(map(abs, per_tuple)) + sum(map(abs, per_cut)) + scale * types.most
    widest = max([2 * types.rules.least, *map(len, types.rules.signatures)])
    times = int(types.rules.times.max(initial=1))
    if largest + abs(fake) * (widest * times + abs(int(stated["fakes"]))) > LIMIT:
        raise CertificateError("the proof's numbers are too large to be checked in 64 bits")
    return Duals(
        rows=np.array([per_tuple[behind[0]] for behind in types.rows.tuples], dtype=np.int64),
        cuts=np.array(per_cut, dtype=np.int64),
        fake=fake,
        scale=scale,
    )
