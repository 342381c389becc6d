"""Bounds over histograms: what is written down, and how it is confirmed with integers alone.

For each level: the costs of the levels before, and a search tree with integer duals (`series.program`)
over the level's integer program. The confirmation builds shapes and program anew from the problem. Evened
shapes rest on the argument in `evened`, and all on the one in `shapes`; no solver is needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from .....models.errors import CertificateError
from .....models.problem import Problem
from ..series.program import Leaf, confirm
from .columns import shapes_of
from .level import claim, limit
from .prices import Prices
from .program import Frame
from .shapes import TOPS

__all__ = ["Proven", "confirmed_levels", "described"]


@dataclass(frozen=True, kw_only=True)
class Proven:
    """One level's bound.

    Attributes
    ----------
    top : int
        As in `shapes_of`.
    costs : tuple of int
        Costs of the levels before, which the bound takes as given.
    bound : int
    sets : tuple of tuple of int
        As in `Frame`.
    nodes : tuple of Leaf
        The tree; empty if the bound rests on a solver.
    """

    top: int
    costs: tuple[int, ...]
    bound: int
    sets: tuple[tuple[int, ...], ...]
    nodes: tuple[Leaf, ...]


def described(proofs: Sequence[Proven], solver: str) -> dict[str, object]:
    """Write proofs down, as JSON can hold them."""
    return {
        "kind": "integer programs over histograms, search trees with integer duals",
        "histograms": [
            {
                "sizes": proof.top,
                "costs": list(proof.costs),
                "bound": proof.bound,
                "sets": [list(found) for found in proof.sets],
                "nodes": [
                    {
                        "parent": n.parent,
                        "side": n.side,
                        "duals": list(n.duals),
                        "variable": n.variable,
                        "at": n.at,
                    }
                    for n in proof.nodes
                ],
            }
            for proof in proofs
        ],
        "solver": solver,
        "confirmed_by": "integer arithmetic where a level has nodes; otherwise its bound rests on the solver",
    }


def confirmed_levels(problem: Problem, proof: Mapping[str, Any], content: Mapping[str, Any]) -> list[str]:
    """Confirm the bounds of a certificate's content; what was confirmed, in words.

    Raises
    ------
    CertificateError
        If a tree does not prove what is stated.
    """
    frames: dict[int, Frame] = {}
    prices = [Prices.of(problem, level) for level in problem.policy.levels]
    reached = [Fraction(level["value"]) for level in content["objective"]]
    lines: list[str] = []
    if any(bound is not None for bound in content["bounds"][len(proof["histograms"]) :]):
        raise CertificateError("a bound is stated that the proof says nothing of")
    for index, stated in enumerate(proof["histograms"]):
        found, bound = prices[index], int(stated["bound"])
        claimed, name = content["bounds"][index], problem.policy.levels[index].name
        if claimed is None or Fraction(claimed) > found.value(bound):
            raise CertificateError(
                f"{name}: the proof is about {found.value(bound)}, not {claimed} as stated"
            )
        costs = [int(cost) for cost in stated["costs"]]
        if [price.value(cost) for price, cost in zip(prices, costs, strict=False)] != reached[:index]:
            raise CertificateError(f"{name}: the proof takes other values of the levels before as given")
        if not stated["nodes"]:
            lines.append(f"{name}: bound {claimed} as stated; it rests on {proof['solver']}")
            continue
        top = int(stated["sizes"])
        if top not in TOPS:
            raise CertificateError(f"{name}: the proof is about groups of up to {top} tuples")
        if top not in frames:
            frames[top] = Frame(problem=problem, shapes=shapes_of(problem, top), loose=True)
        frame = frames[top]
        before = [limit(frame, price, cost) for price, cost in zip(prices, costs, strict=False)]
        asked = claim(frame, found, bound)
        if asked is not None:
            sets = tuple(tuple(sorted({int(v) for v in found})) for found in stated["sets"])
            if any(not 0 <= v < frame.rows for found in sets for v in found) or (
                sets and frame.shapes.evened
            ):
                raise CertificateError(f"{name}: the proof names values that are not there")
            confirm(replace(frame, sets=sets).program(asked[0], before), asked[1], stated["nodes"])
        lines.append(f"{name}: bound {claimed} by integer duals over histograms, without a solver")
    return lines
