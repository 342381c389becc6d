"""What is known of the middle level of all releases, whatever family they have."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from .....models.losses.signatures import Signatures
from .....models.policy import AHEAD as PRICE
from .....models.problem import Problem
from ....backends.highs import MADE_BY
from ....claims import Claim, KnownClaim, Trusted

__all__ = ["of_all_families"]


def of_all_families(
    problem: Problem, level: int, kept: int, priced: Fraction | None, *, weighed: bool
) -> Iterator[tuple[Fraction, str, Claim]]:
    """Bounds on a level, in words, and what proves them.

    Parameters
    ----------
    problem : Problem
    level : int
    kept : int
        Signatures of people who return: everybody is published, and keeps his own.
    priced : Fraction or None
        What every family costs, by counts.
    weighed : bool
        Whether prices are weighed against boxes.
    """
    weights = problem.policy.levels[level]
    if bound := weights.weight_named(Signatures.name) * kept:
        yield bound, "signatures of people who return", KnownClaim(kind="kept", level=level)
    if problem.allowed:
        bound = weights.weight_named(PRICE) * problem.allowed
        yield bound, "what the outlook allows", KnownClaim(kind="allowed", level=level)
    if priced:
        bound = priced * (weights.weight_named(PRICE) if weighed else 1)
        why = "all signatures by counts, without meetings: a program whose tree is not written down"
        trusted = Trusted(level=level, bound=bound, solver=MADE_BY, why=why)
        yield bound, "all families, by counts", trusted
