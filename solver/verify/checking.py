"""The order of checks: what was asked, the release, its requirements, values, bounds, status."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...models.errors import CertificateError, InputError
from ...models.parameters import require_kind, require_time_limit
from ...models.problem import Problem, require_problem
from ...models.release import Release
from ..certificate import Certificate
from ..certify import as_certified, other_parts, price_table, published
from ..claims import Claim, FamilyClaim
from ..settings import Clock
from .bounds import Derived, derived
from .exhaustive import unaided
from .given import Given
from .outcome import Outcome, UndecidedError
from .refusals import refused

__all__ = ["ProvenLevels", "proven", "verify"]


def verify(
    certificate: Certificate,
    problem: Problem,
    release: Release | None = None,
    *,
    seconds: float | None = None,
) -> Outcome:
    """Derive again, without a solver, everything that a certificate says.

    Parameters
    ----------
    certificate : Certificate
    problem : Problem
        As solved.
    release : Release or None
        The release, if the certificate is about one.
    seconds : float, optional
        What cannot be derived in this time is said to rest on somebody's word.

    Returns
    -------
    Outcome
        What was confirmed, and what rests on somebody's word.

    Raises
    ------
    InputError
        If certificate, problem or release is something else, or `seconds` are not above 0.
    CertificateError
        Naming the first statement that does not hold.
    """
    require_kind("certificate", certificate, Certificate, remedy="give result.certificate")
    require_problem(problem)
    if release is not None:
        require_kind("release", release, Release, remedy="give result.release")
    require_time_limit(seconds, InputError)
    clock, problem = Clock(seconds), as_certified(certificate, problem)
    asked = _asked(certificate, problem)
    if certificate.refusal is not None:
        return _none(certificate, problem, asked, clock)
    if release is None:
        raise CertificateError("the certificate is about a release: give it, too (--release)")
    confirmed = [asked, *_released(certificate, problem, release), *_priced(certificate, problem, release)]
    values = problem.objective(release)
    if len(certificate.values) != len(values):
        raise CertificateError(
            f"the certificate has {len(certificate.values)} levels of the objective, the policy {len(values)}"
        )
    for level, stated, value in zip(problem.policy.levels, certificate.values, values, strict=True):
        if stated != value:
            raise CertificateError(f"{level.name} is {value}, not {stated} as stated")
        confirmed.append(f"{level.name} {value}")
    given = Given(problem=problem, values=values, release=release, clock=clock)
    return _bounded(certificate, given, proven(given, certificate.claims), confirmed)


def _asked(certificate: Certificate, problem: Problem) -> str:
    for name in other_parts(certificate, problem)[:1]:
        raise CertificateError(f"the certificate is for another {name} (digests differ)")
    return "table, history and policy by their digests"


def _none(certificate: Certificate, problem: Problem, asked: str, clock: Clock) -> Outcome:
    """A certificate that there is no release."""
    assert certificate.refusal is not None
    try:
        words, trusted = refused(problem, certificate.refusal, clock)
    except UndecidedError as error:
        words, trusted = f"its engine ({error})", True
    if trusted:
        line = f"that no release keeps the policy is the word of {words}"
        return Outcome(confirmed=(asked,), trusted=(line,), bounds=(), claim="the problem is the one asked")
    found = f"no release keeps the policy: {words}"
    return Outcome(confirmed=(asked, found), trusted=(), bounds=(), claim=found)


def _priced(certificate: Certificate, problem: Problem, release: Release) -> list[str]:
    """The outlook's table and what it foresees, drawn again; older certificates have none."""
    stated = certificate.prices
    if stated is None:
        return []
    found = price_table(problem, release)
    if found is None or stated.model_copy(update={"foreseen": found.foreseen}) != found:
        raise CertificateError("the table of prices is not the one that the policy's outlook gives")
    if stated.foreseen is not None and stated.foreseen != found.foreseen:
        raise CertificateError("the counterfeits foreseen are not those that the outlook gives")
    return ["the outlook's table of prices, drawn again"]


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


@dataclass(frozen=True, kw_only=True)
class ProvenLevels:
    """What claims prove of the levels of a release.

    Attributes
    ----------
    best : tuple of Derived
        Per level, the highest bound that was derived.
    words : tuple of Derived
        Bounds that rest on somebody's word.
    family : tuple of Derived
        Bounds on releases that publish no signature more often.
    unaided : dict of int to Derived
        Per level, what was derived of such a word without a claim.
    undecided : tuple of (Claim, str)
        Claims that could not be derived, or not as far as they may reach, and why.
    """

    best: tuple[Derived, ...]
    words: tuple[Derived, ...]
    family: tuple[Derived, ...]
    unaided: dict[int, Derived]
    undecided: tuple[tuple[Claim, str], ...]

    @property
    def bounds(self) -> tuple[Fraction, ...]:
        """The bounds that were derived."""
        return tuple(self.unaided.get(line.level, line).bound for line in self.best)


def proven(given: Given, claims: Sequence[Claim]) -> ProvenLevels:
    """Derive all claims.

    Raises
    ------
    CertificateError
        If one of them proves nothing, or bounds a level above the release's own value.
    """
    levels = given.problem.policy.levels
    best = [Derived(level=i, bound=Fraction(0), how="no loss is below 0") for i in range(len(levels))]
    words, family, undecided = list[Derived](), list[Derived](), list[tuple[Claim, str]]()
    for claim in claims:
        try:
            found = derived(given, claim)
        except UndecidedError as error:
            undecided.append((claim, str(error)))
            continue
        undecided += [(claim, line.left) for line in found if line.left]
        for line in found:
            level, value = levels[line.level], given.values[line.level]
            if line.bound > value:
                raise CertificateError(f"{level.name} is {value}, below the bound {line.bound} of {line.how}")
            if line.family:
                family.append(line)
            elif line.trusted:
                words.append(line)
            elif line.bound >= best[line.level].bound:
                best[line.level] = line
    return ProvenLevels(
        best=tuple(best),
        words=tuple(words),
        family=tuple(family),
        unaided=_unaided(given, best, words),
        undecided=tuple(undecided),
    )


def _unaided(given: Given, best: Sequence[Derived], words: Sequence[Derived]) -> dict[int, Derived]:
    """Bounds that rest on somebody's word although they can be derived without a claim."""
    highest: dict[int, Fraction] = {}
    for word in words:
        if word.bound > best[word.level].bound:
            highest[word.level] = max(word.bound, highest.get(word.level, word.bound))
    return {
        level: Derived(level=level, bound=found.bound, how=found.how)
        for level, found in (
            unaided(given, highest, [line.bound for line in best]) if highest else {}
        ).items()
        if found.bound > best[level].bound
    }


def _bounded(
    certificate: Certificate, given: Given, found: ProvenLevels, confirmed: Sequence[str]
) -> Outcome:
    """Compare bounds and status with what the claims prove."""
    lines, trusted = list(confirmed), list[str]()
    told = zip(found.best, given.problem.policy.levels, given.values, certificate.bounds, strict=True)
    for line, level, value, stated in told:
        more = line.bound > stated and not line.timed
        if more or (line.bound < stated and (stated > value or not found.undecided)):
            raise CertificateError(
                f"{level.name}: the bound {stated} is stated, {line.bound} is what its claims prove"
            )
        lines.append(f"{level.name} at least {line.bound}: {line.how}")
        if line.bound < stated:
            why = "; ".join(dict.fromkeys(reason for _, reason in found.undecided))
            trusted.append(
                f"{level.name}: {float(line.bound):.6g} of the bound {float(stated):.6g} was derived ({why})"
            )
    for line in found.family:
        level = given.problem.policy.levels[line.level]
        among = "among releases that publish no signature more often"
        lines.append(f"{level.name} at least {line.bound} {among}: {line.how}")
    for claim, why in found.undecided:
        if isinstance(claim, FamilyClaim):
            name = given.problem.policy.levels[claim.level].name
            trusted.append(f"{name}: the bound {claim.bound} within the family was not derived ({why})")
    for line in found.unaided.values():
        level = given.problem.policy.levels[line.level]
        lines.append(f"{level.name} at least {line.bound}: {line.how}")
    for word in found.words:
        level, line = given.problem.policy.levels[word.level], found.best[word.level]
        line = found.unaided.get(word.level, line)
        if word.bound <= line.bound:
            continue
        trusted.append(
            f"{level.name}: {float(line.bound):.6g} of the bound {float(word.bound):.6g} was derived, the "
            f"rest is the word of {word.how}"
        )
    optimal = certificate.bounds == given.values
    if optimal != (certificate.status == "OPTIMAL"):
        raise CertificateError(f"the status is {certificate.status}, which values and bounds contradict")
    words = "the release keeps the policy"
    if not trusted:
        words = "the release is optimal" if optimal else f"{words}, and the bounds hold"
    return Outcome(confirmed=tuple(lines), trusted=tuple(trusted), bounds=found.bounds, claim=words)
