"""The order of checks: what was asked, the release, its requirements, values, bounds, status."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ...models.errors import CertificateError
from ...models.problem import Problem
from ...models.release import Release
from ..certificate import Certificate
from ..certify import digests, published
from .bounds import Derived, derived
from .given import Given
from .outcome import Outcome
from .refusals import refused

__all__ = ["verify"]


def verify(certificate: Certificate, problem: Problem, release: Release | None = None) -> Outcome:
    """Derive again, without a solver, everything that a certificate says.

    Parameters
    ----------
    certificate : Certificate
    problem : Problem
        As solved.
    release : Release or None
        The release, if the certificate is about one.

    Returns
    -------
    Outcome
        What was confirmed, and what rests on somebody's word.

    Raises
    ------
    CertificateError
        Naming the first statement that does not hold.
    """
    confirmed = [_asked(certificate, problem)]
    if certificate.refusal is not None:
        words, trusted = refused(problem, certificate.refusal)
        if trusted:
            line = f"that no release keeps the policy rests on {words}"
            return Outcome(
                confirmed=tuple(confirmed), trusted=(line,), bounds=(), claim="the problem is the one asked"
            )
        confirmed.append(f"no release keeps the policy: {words}")
        return Outcome(
            confirmed=tuple(confirmed), trusted=(), bounds=(), claim=f"no release keeps the policy ({words})"
        )
    if release is None:
        raise CertificateError("the certificate is about a release: give it, too (--release)")
    confirmed += _released(certificate, problem, release)
    values = problem.objective(release)
    if len(certificate.values) != len(values):
        raise CertificateError(
            f"the certificate has {len(certificate.values)} levels of the objective, the policy {len(values)}"
        )
    for level, stated, value in zip(problem.policy.levels, certificate.values, values, strict=True):
        if stated != value:
            raise CertificateError(f"{level.name} is {value}, not {stated} as stated")
        confirmed.append(f"{level.name} {value}")
    given = Given(problem=problem, values=values)
    found = [line for claim in certificate.claims for line in derived(given, claim)]
    found += [Derived(level=i, bound=Fraction(0), how="no loss is below 0") for i in range(len(values))]
    return _bounded(certificate, given, found, confirmed)


def _asked(certificate: Certificate, problem: Problem) -> str:
    asked = digests(problem)
    for name in ("table", "history", "policy"):
        if getattr(certificate.problem, name) != getattr(asked, name):
            raise CertificateError(f"the certificate is for another {name} (digests differ)")
    return "table, history and policy by their digests"


def _released(certificate: Certificate, problem: Problem, release: Release) -> list[str]:
    stated, found = certificate.release, published(problem, release)
    if stated is None or stated.digest != found.digest:
        raise CertificateError("the certificate is about another release (digests differ)")
    for name in ("groups", "counterfeits", "hidden", "suppressed", "levels"):
        if getattr(stated, name) != getattr(found, name):
            raise CertificateError(f"the release has other {name} than the certificate says")
    broken = next(problem.check(release), None)
    if broken is not None:
        raise CertificateError(f"the release fails {broken.requirement}: {broken.message}")
    kept = ", ".join(str(r) for r in problem.policy.requirements)
    return [
        "release by its digest",
        f"{len(problem.policy.requirements)} requirements by their definitions: {kept}",
    ]


def _bounded(
    certificate: Certificate, given: Given, found: Sequence[Derived], confirmed: Sequence[str]
) -> Outcome:
    """Compare bounds and status with what the claims prove."""
    lines, trusted = list(confirmed), list[str]()
    bounds: list[Fraction | None] = []
    for index, (level, value, stated) in enumerate(
        zip(given.problem.policy.levels, given.values, certificate.bounds, strict=True)
    ):
        here = [line for line in found if line.level == index]
        above = next((line for line in here if line.bound > value), None)
        if above is not None:
            raise CertificateError(
                f"{level.name}: the value {value} is below the bound {above.bound} of {above.how}"
            )
        best = max((line for line in here if not line.trusted), key=lambda line: line.bound)
        bounds.append(best.bound)
        if stated is None:
            continue
        lines.append(f"{level.name} at least {min(stated, best.bound)}: {best.how}")
        if best.bound >= stated:
            continue
        word = next((line for line in here if line.trusted and line.bound >= stated), None)
        if word is None:
            known = best.bound
            raise CertificateError(f"{level.name}: bound {stated} is stated, {known} is proven")
        trusted.append(
            f"{level.name}: {float(best.bound):.6g} of the bound {float(stated):.6g} was derived, the rest "
            f"is the word of {word.how}"
        )
    optimal = list(certificate.bounds) == list(given.values)
    if optimal != (certificate.status == "OPTIMAL"):
        raise CertificateError(f"the status is {certificate.status}, which values and bounds contradict")
    words = "the release is optimal" if optimal and not trusted else "the release keeps the policy"
    if not optimal and not trusted and any(bound is not None for bound in certificate.bounds):
        words = "the release keeps the policy, and the bounds hold"
    return Outcome(confirmed=tuple(lines), trusted=tuple(trusted), bounds=tuple(bounds), claim=words)
