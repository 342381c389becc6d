"""The proofs of both bounds as a certificate holds them.

Counterfeits: a search tree over the integer program of counts (`counts`). Information loss within a number
of counterfeits: integer duals of tuples, counterfeits and cuts, and if they do not reach the bound, a
search tree over all groups that a better release may hold. `solver.verify` derives both again.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from .... import claims
from ....backends.highs import MADE_BY
from ....colgen.covering import home_of
from ....colgen.cuts import Cuts
from ....colgen.duals import Duals
from ....colgen.finish import Closed
from ....colgen.structure.types import Types
from ....exact.payload import packed
from .minimum_counterfeits import Fewest

__all__ = ["ProvenLoss", "counts_claim", "counts_word", "series_claim", "too_many"]


class ProvenLoss(NamedTuple):
    """A bound on releases with at most so many counterfeits: duals, and a tree if they do not reach it."""

    types: Types
    cuts: Cuts
    duals: Duals | None
    fakes: int
    tree: Closed | None


def counts_claim(counts: Fewest, flat: ProvenLoss | None, level: int) -> claims.CountsClaim:
    """Write down what proves the fewest counterfeits."""
    program = packed(counts.tree.proof()) if counts.tree.nodes else None
    by_groups = None if flat is None else _written(flat)
    return claims.CountsClaim(level=level, program=program, by_groups=by_groups)


def counts_word(level: int, bound: Fraction) -> claims.Trusted:
    """The solver's word for the fewest counterfeits, where the program over counts was not solved."""
    why = "the root of a search tree over counts that did not end"
    return claims.Trusted(level=level, bound=bound, solver=MADE_BY, why=why)


def too_many(claim: claims.CountsClaim) -> claims.Refusal:
    """Why there is no release if the policy allows fewer counterfeits."""
    if claim.program is None and claim.by_groups is None:
        why = "counterfeits needed, by a tree that did not end"
        return claims.TrustedRefusal(solver=MADE_BY, why=why)
    return claims.CountsAbove(claim=claim)


def series_claim(proven: ProvenLoss, level: int) -> claims.Series | None:
    """Write down what proves the least loss; None if nothing does."""
    found = _written(proven)
    return None if found is None else claims.Series(level=level, loss=found)


def _written(proven: ProvenLoss) -> claims.FakeDuals | None:
    types, cuts, duals, fakes, tree = proven
    if duals is None:
        return None
    first = [behind[0] for behind in types.rows.tuples]
    text = None if tree is None else packed(tree.tree.proof())
    listed = None
    if tree is not None and text is not None:
        duals, listed = tree.duals, claims.WrittenTree(listed_for=tree.listed_for, proof=text)
    return claims.FakeDuals(
        fakes=fakes,
        scale=duals.scale,
        duals=tuple(duals.rows[home_of(types.rows)].tolist()),
        fake_dual=duals.limit,
        cut_duals=tuple(duals.cuts.tolist()),
        cuts=tuple(tuple(first[row] for row in rows) for rows in cuts.sets),
        tree=listed,
    )
