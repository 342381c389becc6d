"""Certificates put together: digests, the release by rows, values, bounds and claims."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from importlib.metadata import version
from typing import Any, Literal

from ..models.problem import Problem
from ..models.recoded import recoding_of
from ..models.release import Release
from .certificate import Certificate, CertificateRun, Digests, PriceTable, PublishedRelease
from .level_value import LevelValue
from .settings import Answer
from .status import Status

__all__ = [
    "as_certified",
    "certify",
    "digests",
    "is_about",
    "other_parts",
    "price_table",
    "published",
    "release_digest",
]

SOLVERS = ("highspy", "ortools")


def digests(problem: Problem) -> Digests:
    """What was asked, by SHA-256."""
    return Digests(**problem.digests)


def release_digest(release: Release) -> str:
    """SHA-256 of form, groups, members, counterfeits, boxes and hidden cells."""
    parts: list[object] = [
        [
            sorted(group.respondents),
            sorted(group.counterfeits),
            [str(cell) for cell in group.box or ()],
            sorted(group.hidden),
        ]
        for group in release.groups
    ]
    parts.append([sorted(member.respondent for member in release.suppressed), release.form])
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def other_parts(certificate: Certificate, problem: Problem, release: Release | None = None) -> list[str]:
    """What a certificate has another digest of: table, history, policy, and the release if one is given."""
    asked = digests(problem)
    found = [
        part for part in Digests.model_fields if getattr(certificate.problem, part) != getattr(asked, part)
    ]
    if release is not None and (
        certificate.release is None or certificate.release.digest != release_digest(release)
    ):
        found.append("release")
    return found


def is_about(content: Mapping[str, Any], release: Release, before: str) -> bool:
    """Whether a certificate, as a history keeps it, is about a release after those of a fingerprint."""
    asked, told = content.get("problem"), content.get("release")
    if not isinstance(asked, Mapping) or not isinstance(told, Mapping):
        return False
    return (asked.get("history"), told.get("digest")) == (before, release_digest(release))


def published(problem: Problem, release: Release) -> PublishedRelease:
    """The release as certificates name it; respondents that the table does not have are left out."""
    row = problem.table.row
    levels = None
    if problem.policy.recoding == "full_domain":
        found = recoding_of(release, problem.ladders)
        levels = None if found is None else dict(found.by_name)
    return PublishedRelease(
        digest=release_digest(release),
        groups=tuple(
            tuple(sorted(row[who] + 1 for who in group.respondents if who in row)) for group in release.groups
        ),
        counterfeits=tuple(group.fakes for group in release.groups),
        hidden=tuple(group.hidden_cells for group in release.groups),
        suppressed=tuple(sorted(row[m.respondent] + 1 for m in release.suppressed if m.respondent in row)),
        levels=levels,
    )


def certify(
    problem: Problem,
    answer: Answer,
    levels: Sequence[LevelValue],
    *,
    engine: str,
    seed: int,
    workers: int,
) -> Certificate | None:
    """Put a certificate together; None if there is neither a release nor a proof that there is none.

    The caller has checked the release against the whole policy, and found nothing broken.
    """
    status: Literal["OPTIMAL", "FEASIBLE", "INFEASIBLE"] = "INFEASIBLE"
    if answer.release is not None:
        closed = all(level.value == level.bound for level in levels)
        status = "OPTIMAL" if closed else "FEASIBLE"
    elif answer.status is not Status.INFEASIBLE:
        return None
    return Certificate(
        problem=digests(problem),
        status=status,
        release=None if answer.release is None else published(problem, answer.release),
        values=tuple(level.value for level in levels),
        bounds=tuple(level.bound or Fraction(0) for level in levels),
        claims=answer.claims if answer.release is not None else (),
        refusal=answer.refusal if answer.release is None else None,
        run=CertificateRun(
            engine=engine,
            # A drawn release must not be drawn again by others: its seed is not told.
            seed=None if answer.randomized else seed,
            workers=workers,
            versions={name: version(name) for name in SOLVERS},
            effort=dict(answer.effort),
        ),
        prices=None if answer.release is None else price_table(problem, answer.release),
    )


def price_table(problem: Problem, release: Release) -> PriceTable | None:
    """What signatures cost, if a level of the policy asks."""
    asked = any("expected_counterfeits" in level.losses for level in problem.policy.levels)
    found = problem.prices if asked else None
    if found is None:
        return None
    return PriceTable(
        draws=found.draws, starts=found.starts, totals=found.totals, foreseen=problem.foreseen(release)
    )


def as_certified(certificate: Certificate, problem: Problem) -> Problem:
    """The problem as the certificate has it, where its policy says nothing of an outlook.

    Such a policy stands for the usual outlook while its history is kept in a store, and for none elsewhere;
    a certificate is about one of both, and says which by the policy's digest.
    """
    policy = problem.policy
    if policy.outlook_said or certificate.problem.policy == digests(problem).policy:
        return problem
    if policy.outlook is not None:
        other = policy.by_itself()
    elif policy.counts("counterfeits"):
        other = policy.changed(outlook="usual")
    else:
        return problem
    found = replace(problem, policy=other)
    return found if certificate.problem.policy == digests(found).policy else problem
