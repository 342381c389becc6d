"""What a certificate of listed groups says of its bounds, recomputed as far as no solver is needed."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from .....models.errors import CertificateError
from .....models.problem import Problem
from ..boxless.proof import confirmed_levels
from ..confirm import compared, confirmed_bounds
from ..objective import factor
from ..proof import verify_bound
from ..series.proof import verify_series
from .measure import suppressing
from .part import factor_of, grouped, kept, plain, searchable
from .sizes import flattened, sized

__all__ = ["confirmed_part"]


def confirmed_part(problem: Problem, proof: Mapping[str, Any], content: Mapping[str, Any]) -> list[str]:
    """Confirm the bound of the part of the policy; what was confirmed, in words.

    Raises
    ------
    CertificateError
        If the part is none that bounds the whole, or its proof does not hold.
    """
    part = proof.get("part")
    if part is None and proof.keys() & {"counted", "sized", "mixed"}:
        return _by_sizes(problem, proof, content)
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


def _by_sizes(problem: Problem, proof: Mapping[str, Any], content: Mapping[str, Any]) -> list[str]:
    """Shares of bounds: counterfeits under equal counts, levels by sizes, information loss."""
    lines, least = list[str](), [Fraction(0)] * len(problem.policy.levels)
    if "counted" in proof:
        found = flattened(problem)
        if found is None:
            raise CertificateError("the proof counts counterfeits where nothing says how many are needed")
        flat, _, objective = found
        fewest = verify_series(flat, proof["counted"]["of"]).counterfeits
        if objective.counterfeits is not None:
            level = problem.policy.levels[objective.counterfeits]
            least[objective.counterfeits] = level.weights[0][1] * fewest
            lines.append(f"at least {fewest} counterfeits by integer duals, without a solver")
    if "sized" in proof:
        stated = proof["sized"]
        start, fakes, most = int(stated["start"]), stated["fakes"], proof["sized"]["hidden"]
        made, gone = content["release"]["counterfeits"], content["release"]["suppressed"]
        if (fakes is not None and fakes < sum(made)) or (most is not None and most < len(gone)):
            raise CertificateError(
                "the bounds are about releases with fewer counterfeits or suppressed tuples"
            )
        part = sized(problem, start, most, fakes)
        if part is None:
            raise CertificateError("the proof is about sizes where no loss is")
        known = [bound for bound in stated["bounds"] if bound is not None]
        own = {"bounds": stated["bounds"], "objective": [{"value": bound} for bound in known]}
        lines += [f"part of the policy: {line}" for line in confirmed_levels(part, stated["of"], own)]
        for index, bound in enumerate(known, start=start):
            least[index] = Fraction(bound)
    if "mixed" in proof and "root" in proof["mixed"]["of"]:
        loss = verify_bound(plain(problem, kept(problem)), proof["mixed"]["of"])
        least[0] += factor(problem.policy.levels[0], len(problem.table)) * loss
        lines.append(f"information loss of at least {float(loss):.6g} by exact pricing, without a solver")
    stated = [None if bound is None else Fraction(bound) for bound in content["bounds"]]
    if any(bound is not None and bound > known for bound, known in zip(stated, least, strict=True)):
        lines.append(_rests(content, "higher bounds"))
    return lines


def _rests(content: Mapping[str, Any], what: str) -> str:
    return f"{what} as stated; they rest on a solver: {content['proof'].get('last_step', 'none was reached')}"
