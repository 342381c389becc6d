"""What a certificate says of the engine's bounds, recomputed, and how far that reaches."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ....models.errors import CertificateError
from ....models.problem import Problem
from .objective import Objective
from .proof import verify_bound
from .series.proof import verify_series

__all__ = ["compared", "confirmed_bounds"]


def confirmed_bounds(problem: Problem, proof: Mapping[str, Any], content: Mapping[str, Any]) -> list[str]:
    """Confirm a proof about the bounds of a certificate's content; what was confirmed, in words.

    Parameters
    ----------
    problem
        What the proof is about.
    proof, content
        Its content, and the certificate's, which states bounds and the release.

    Raises
    ------
    CertificateError
        If a proof does not hold, or proves another number of counterfeits than stated.
    """
    objective = Objective.of(problem)
    if isinstance(objective, str):
        raise CertificateError(f"the bound cannot be confirmed: {objective}")
    stated = [None if bound is None else Fraction(bound) for bound in content["bounds"]]
    if "counterfeits" not in proof:
        return [compared(stated[objective.measured], objective.factor * verify_bound(problem, proof))]
    found, lines = verify_series(problem, proof), list[str]()
    if objective.counterfeits is not None:
        claimed = stated[objective.counterfeits]
        level = problem.policy.levels[objective.counterfeits]
        if claimed is not None and claimed > level.weights[0][1] * found.counterfeits:
            raise CertificateError(
                f"the proof shows that {found.counterfeits} counterfeits are needed, not {claimed} as stated"
            )
        lines.append(f"at least {found.counterfeits} counterfeits by integer duals, without a solver")
    if found.loss is None:
        return lines
    limit = problem.policy.counterfeit_limit
    if objective.counterfeits is not None or limit is None:
        limit = sum(content["release"]["counterfeits"])
    if found.fakes < limit:
        raise CertificateError(
            f"the bound is about releases with at most {found.fakes} counterfeits, this one has {limit}"
        )
    return [*lines, compared(stated[objective.measured], objective.factor * found.loss)]


def compared(stated: Fraction | None, again: Fraction) -> str:
    """What re-pricing says of a stated bound, in words."""
    if stated is None or again >= stated:
        return f"bound {stated} by exact pricing, without a solver"
    return (
        f"bound {float(again):.6g} by exact pricing, without a solver (the stated {float(stated):.6g} rests "
        "on a solver, see last_step)"
    )
