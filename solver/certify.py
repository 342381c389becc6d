"""Certificates made and re-checked: digests, requirements, objective and stated bounds."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ..models.errors import CertificateError
from ..models.problem import Problem
from ..models.release import Release
from .certificate import FORMAT, Certificate
from .result import LevelValue, Status
from .settings import Answer

__all__ = ["certify", "release_digest", "verify"]


def release_digest(release: Release) -> str:
    """SHA-256 of groups, members, counterfeits and boxes."""
    parts = [
        [
            sorted(group.respondents),
            sorted(group.counterfeits),
            [str(cell) for cell in group.box or ()],
            sorted(group.hidden),
        ]
        for group in release.groups
    ]
    parts.append([sorted(member.respondent for member in release.suppressed)])
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def certify(
    problem: Problem, answer: Answer, levels: Sequence[LevelValue], *, seed: int, workers: int
) -> Certificate:
    """Put a certificate together.

    The caller has checked the release against the whole policy, and found nothing broken.
    """
    release, row = answer.release, problem.table.row
    content: dict[str, Any] = {
        "format": FORMAT,
        "problem": problem.digest,
        "status": answer.status.value,
        "objective": [
            {"loss": level.name, "value": str(level.value), "bound": _text(level.bound)} for level in levels
        ],
        "bounds": [_text(bound) for bound in answer.bounds],
        # A drawn release must not be drawn again by others: its seed is not told.
        "proof": {**answer.proof, **({} if answer.randomized else {"seed": seed}), "workers": workers},
    }
    if release is not None:
        content["release"] = {
            "digest": release_digest(release),
            "groups": [sorted(row[who] + 1 for who in group.respondents) for group in release.groups],
            "counterfeits": [group.fakes for group in release.groups],
            "suppressed": sorted(row[member.respondent] + 1 for member in release.suppressed),
        }
        content["verdicts"] = {str(r): True for r in problem.policy.requirements}
    return Certificate(content)


def verify(certificate: Certificate, problem: Problem, release: Release | None) -> list[str]:
    """Re-check everything that needs no solver; return what was confirmed, in words.

    Parameters
    ----------
    certificate : Certificate
    problem : Problem
        As solved.
    release : Release or None
        The steward's copy of the release, needed if the certificate has one.

    Raises
    ------
    CertificateError
        Naming the first statement that does not hold.
    """
    content, confirmed = certificate.content, list[str]()
    if content["problem"] != problem.digest:
        raise CertificateError("the certificate is for another table, history or policy (digests differ)")
    confirmed.append("problem digest")
    if "release" not in content:
        return confirmed
    if release is None:
        raise CertificateError("the certificate is about a release: give the steward's copy of it")
    if content["release"]["digest"] != release_digest(release):
        raise CertificateError("the certificate is about another release (digests differ)")
    confirmed.append("release digest")
    broken = next(problem.check(release), None)
    if broken is not None:
        raise CertificateError(f"the release fails {broken.requirement}: {broken.message}")
    confirmed.append(f"{len(problem.policy.requirements)} requirements by their definitions")
    for stated, value in zip(content["objective"], problem.objective(release), strict=True):
        if Fraction(stated["value"]) != value:
            raise CertificateError(f"{stated['loss']} is {value}, not {stated['value']} as stated")
        if stated["bound"] is not None and Fraction(stated["bound"]) > value:
            raise CertificateError(
                f"{stated['loss']}: the stated bound {stated['bound']} is above the value {value}"
            )
    confirmed.append(f"{len(content['objective'])} objective values")
    confirmed += _bound(problem, content)
    claimed = content["status"] == Status.OPTIMAL.value
    if claimed and any(stated["bound"] != stated["value"] for stated in content["objective"]):
        raise CertificateError("the certificate says OPTIMAL although a bound differs from its value")
    return confirmed


def _bound(problem: Problem, content: dict[str, Any]) -> list[str]:
    """Recompute the bound where the certificate says how, and say how far that reaches."""
    proof = content["proof"]
    if proof["kind"] == "listed groups":
        from .engines.partition.listed.confirm import confirmed_part

        return confirmed_part(problem, proof, content)
    if "histograms" in proof:
        from .engines.partition.boxless.proof import confirmed_levels

        return confirmed_levels(problem, proof, content)
    if "root" not in proof and "counterfeits" not in proof:
        return []
    from .engines.partition.confirm import confirmed_bounds

    return confirmed_bounds(problem, proof, content)


def _text(number: Fraction | None) -> str | None:
    return None if number is None else str(number)
