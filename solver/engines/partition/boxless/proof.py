"""Bounds over histograms: what is written down, and how it is confirmed with integers alone.

For each level: the costs of the levels before, and a search tree with integer duals (`series.program`)
over the level's integer program. The confirmation builds shapes and program anew from the problem. Evened
shapes rest on the argument in `evened`, and all on the one in `shapes`; no solver is needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from .....models.errors import CertificateError
from .....models.problem import Problem
from .... import claims
from ..series.leaves import written
from ..series.program import Leaf, confirm
from .columns import shapes_of
from .level import claim as claim_of, limit
from .prices import Prices
from .program import Frame
from .shapes import TOPS

__all__ = ["Proven", "confirmed_level", "described"]


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
        The tree; empty if there is none, or the bound means nothing.
    trusted : bool
        Whether the bound rests on a solver.
    """

    top: int
    costs: tuple[int, ...]
    bound: int
    sets: tuple[tuple[int, ...], ...]
    nodes: tuple[Leaf, ...]
    trusted: bool


def described(
    proofs: Mapping[int, Proven], prices: Sequence[Prices], solver: str
) -> tuple[claims.Claim, ...]:
    """Write proofs down, by level."""
    return tuple(
        claims.Trusted(
            level=index,
            bound=prices[index].value(proof.bound),
            solver=solver,
            why="integer program over histograms",
        )
        if proof.trusted
        else claims.Histograms(
            level=index,
            sizes=proof.top,
            costs=proof.costs,
            bound=proof.bound,
            sets=proof.sets,
            nodes=written(proof.nodes),
        )
        for index, proof in sorted(proofs.items())
    )


def confirmed_level(problem: Problem, claim: claims.Histograms, values: Sequence[Fraction]) -> Fraction:
    """Confirm a claim; no release with these values in the levels before is below what is returned.

    Raises
    ------
    CertificateError
        If the tree does not prove what is stated.
    """
    if claim.level >= len(problem.policy.levels):
        raise CertificateError("the proof is about a level that the policy does not have")
    prices = [Prices.of(problem, level) for level in problem.policy.levels]
    found, name = prices[claim.level], problem.policy.levels[claim.level].name
    before = prices[: claim.level]
    given = [price.value(cost) for price, cost in zip(before, claim.costs, strict=False)]
    if len(claim.costs) != claim.level or given != list(values[: claim.level]):
        raise CertificateError(f"{name}: the proof takes other values of the levels before as given")
    if claim.sizes not in TOPS:
        raise CertificateError(f"{name}: the proof is about groups of up to {claim.sizes} tuples")
    shapes = shapes_of(problem, claim.sizes)
    frame = Frame(problem=problem, shapes=shapes, loose=True)
    asked = claim_of(frame, found, claim.bound)
    if asked is not None:
        limits = [limit(frame, price, cost) for price, cost in zip(before, claim.costs, strict=True)]
        sets = tuple(tuple(sorted(set(names))) for names in claim.sets)
        if any(v >= frame.rows for names in sets for v in names) or (sets and shapes.evened):
            raise CertificateError(f"{name}: the proof names values that are not there")
        confirm(replace(frame, sets=sets).program(asked[0], limits), asked[1], claim.nodes)
    return found.value(claim.bound)
