"""Bounds over histograms as a certificate holds them.

For each level: the costs of the levels before, and a search tree over the level's integer program. That
program is the verifier's own (`verify.by_sizes`), so what is proved here is what is checked there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .... import claims
from ....exact.payload import packed
from ....exact.tree import Tree
from ....settings import Clock
from ....verify.by_sizes import BySizes
from .limits import COUNTS_LIMITS as LIMITS
from .prices import Prices

__all__ = ["ProvenCounts", "described", "proven"]


@dataclass(frozen=True, kw_only=True)
class ProvenCounts:
    """One level's bound.

    Attributes
    ----------
    top : int
        Groups up to this size are looked at, if there may be larger ones.
    costs : tuple of int
        Costs of the levels before, which the bound takes as given.
    bound : int
        On the word of the solver.
    derived : int or None
        What the tree proves of it; None for nothing.
    sets : tuple of tuple of int
        As in `BySizes.asked`.
    proof : str or None
        The tree; None if there is none, or the bound means nothing.
    """

    top: int
    costs: tuple[int, ...]
    bound: int
    derived: int | None
    sets: tuple[tuple[int, ...], ...]
    proof: str | None


def proven(
    sizes: BySizes, level: int, costs: Sequence[int], bound: int, sets: Sequence[Sequence[int]], clock: Clock
) -> tuple[int | None, str | None]:
    """How much of a bound a search tree derives (None for nothing), and that tree.

    Raises
    ------
    CertificateError
        If sizes do not decide the level.
    """
    asked = sizes.asked(level, costs, bound, sets)
    if asked is None:
        return bound, None
    tree = Tree(asked.program, asked.target, clock, asked.totals)
    tree.run(LIMITS.proof_nodes)
    text = None if tree.bound is None else packed(tree.proof())
    if text is None or tree.bound is None:
        return None, None
    if tree.bound >= asked.target:
        return bound, text
    # Where the bound is the target, a lower one says something, too.
    return (tree.bound, text) if asked.target == bound else (None, None)


def described(
    proofs: Mapping[int, ProvenCounts], prices: Sequence[Prices], solver: str
) -> tuple[claims.Claim, ...]:
    """Write proofs down, by level."""
    return tuple(
        claim for index in sorted(proofs) for claim in _written(index, proofs[index], prices, solver)
    )


def _written(
    index: int, proof: ProvenCounts, prices: Sequence[Prices], solver: str
) -> Iterator[claims.Claim]:
    if proof.derived is not None:
        yield claims.HistogramsClaim(
            level=index,
            sizes=proof.top,
            costs=proof.costs,
            bound=proof.derived,
            sets=proof.sets,
            proof=proof.proof,
        )
    if proof.derived is None or proof.derived < proof.bound:
        value, why = prices[index].value(proof.bound), "integer program over histograms"
        yield claims.Trusted(level=index, bound=value, solver=solver, why=why)
