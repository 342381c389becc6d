"""What a certificate of listed groups says of its bounds, recomputed as far as no solver is needed."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from .....models.errors import CertificateError
from .....models.problem import Problem
from ..confirm import compared, confirmed_bounds
from ..proof import verify_bound
from .measure import suppressing
from .part import factor_of, grouped, kept, plain, searchable

__all__ = ["confirmed_part"]


def confirmed_part(problem: Problem, proof: Mapping[str, Any], content: Mapping[str, Any]) -> list[str]:
    """Confirm the bound of the part of the policy; what was confirmed, in words.

    Raises
    ------
    CertificateError
        If the part is none that bounds the whole, or its proof does not hold.
    """
    part = proof.get("part")
    if part is None:
        return [_rests(content, "bounds")]
    if part == "requirements on groups":
        return _grouped(problem, proof, content)
    if not set(part) <= set(kept(problem)) or not searchable(problem):
        raise CertificateError("the bound's proof keeps requirements that it cannot speak of")
    if "root" not in proof["of"]:
        return []
    if any(Fraction(stated["value"]) for stated in content["objective"][:-1]):
        return [_rests(content, "bounds")]
    factor = factor_of(problem)
    alone = {name for level in problem.policy.levels[:-1] for name in level.losses}
    most = None if "suppressed" in alone else suppressing(problem, factor)
    again = factor * verify_bound(plain(problem, part), proof["of"], most)
    stated = content["bounds"][-1]
    return [compared(None if stated is None else Fraction(stated), again)]


def _grouped(problem: Problem, proof: Mapping[str, Any], content: Mapping[str, Any]) -> list[str]:
    """The part with all requirements on groups; whatever is stated beyond its bounds rests on a solver."""
    own = {**content, "bounds": proof["bounds"]}
    if "counterfeits" not in proof["of"]:
        return [_rests(content, "bounds")]
    lines = confirmed_bounds(grouped(problem), proof["of"], own)
    return lines if content["bounds"] == proof["bounds"] else [*lines, _rests(content, "other bounds")]


def _rests(content: Mapping[str, Any], what: str) -> str:
    return f"{what} as stated; they rest on a solver: {content['proof'].get('last_step', 'none was reached')}"
