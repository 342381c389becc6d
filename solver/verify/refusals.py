"""Why there is no release: each kind of refusal, derived again."""

from __future__ import annotations

from fractions import Fraction

from ...models.errors import CertificateError
from ...models.problem import Problem
from ...models.requirement import Requirement, Scope
from .. import claims
from ..settings import Clock
from .exhaustive import empty, enumerated, nothing
from .given import Given
from .lattice import least
from .outcome import RefutedError, UndecidedError
from .parts import grouped, leading, plain, sized, units_of
from .priced import Suppressible, least_information_loss
from .series import fewest_needed

__all__ = ["refused"]


def refused(problem: Problem, refusal: claims.Refusal, clock: Clock) -> tuple[str, bool]:
    """Why there is no release, in words, and whether that rests on somebody's word.

    Raises
    ------
    CertificateError
        If the refusal proves nothing.
    UndecidedError
        If that cannot be told in time.
    """
    given = Given(problem=problem, values=(), clock=clock)
    match refusal:
        case claims.TrustedRefusal():
            derived = nothing(given)
            return (refusal.whose, True) if derived is None else (derived, False)
        case claims.LatticeEmpty():
            return _no_vector(given), False
        case claims.Obstacle():
            requirement = _requirement(problem, refusal.requirement)
            found = requirement.bounds(problem).obstacle(suppressing=_gives_way(problem))
            if found is None:
                raise CertificateError(f"{requirement} is not an obstacle, although the certificate says so")
            return found, False
        case claims.WholeTable():
            return _whole(problem, _requirement(problem, refusal.requirement)), False
        case claims.DualAbove():
            if problem.policy.counterfeit_limit != 0:
                raise CertificateError("duals say nothing of releases that invent tuples")
            return _above(given, refusal.claim), False
        case claims.CountsAbove():
            return _counts(given, refusal.claim), False
        case claims.Empty():
            return empty(given, refusal), False
        case claims.NoDraw():
            if len(problem.policy.levels) > 1:
                raise CertificateError("releases are drawn by one level, and the policy has more")
            if enumerated(problem).count:
                raise RefutedError("some release keeps the policy, other than the certificate says")
            return "none of all groupings keeps the policy", False
        case claims.PartRefusal():
            return refused(_part(problem, refusal.part), refusal.refusal, clock)


def _requirement(problem: Problem, index: int) -> Requirement:
    if index >= len(problem.policy.requirements):
        raise CertificateError("the refusal names a requirement that the policy does not have")
    return problem.policy.requirements[index]


def _gives_way(problem: Problem) -> bool:
    """Whether tuples may be suppressed."""
    return problem.policy.suppression_limit(len(problem.table)) > 0


def _whole(problem: Problem, requirement: Requirement) -> str:
    """Merging all groups of a release would keep a monotone requirement."""
    if requirement.scope is not Scope.GROUP or not requirement.structure(problem).monotone:
        raise CertificateError(f"{requirement} may be kept by parts of a group that breaks it")
    if _gives_way(problem) or problem.policy.counterfeit_limit != 0:
        raise CertificateError("the whole table says nothing of releases that suppress or invent tuples")
    whole = problem.assemble([range(len(problem.table))])
    broken = next(requirement.check(whole, problem.history), None)
    if broken is None:
        raise CertificateError(f"the whole table as one group keeps {requirement}")
    return f"merging groups never breaks {requirement}, and the whole table as one group does"


def _above(given: Given, claim: claims.PricedClaim | claims.ListedClaim) -> str:
    """A bound above the loss of everybody in every attribute."""
    problem, table = given.problem, given.problem.table
    last = len(problem.policy.levels) - 1
    hidden = Suppressible.of(problem, last, given.most("suppressed", last))
    dearest = max(sum(units_of(problem)), Fraction(0) if hidden is None else hidden.price)
    needed = least_information_loss(problem, claim, hidden, given.over, given.workers)
    most = len(table) * dearest
    if needed <= most:
        raise CertificateError(f"information loss {needed} is proven necessary, and {most} is possible")
    return f"information loss of {float(needed):.6g} would be needed, no release has more than {most}"


def _no_vector(given: Given) -> str:
    """No level vector of full-domain recoding has a release."""
    policy = given.problem.policy
    if policy.recoding != "full_domain" or policy.counterfeit_limit != 0:
        raise CertificateError("level vectors decide nothing: recoding is free, or tuples may be invented")
    best = least(given.problem, None, given.clock)
    if best is not None and best.values is not None:
        raise RefutedError("some level vector keeps the policy, other than the certificate says")
    if best is None or not best.whole:
        raise UndecidedError("not all level vectors could be evaluated again in time")
    return "no level vector keeps it, all evaluated again"


def _counts(given: Given, claim: claims.CountsClaim) -> str:
    problem = given.problem
    limit = problem.policy.counterfeit_limit
    if limit is None or _gives_way(problem):
        raise CertificateError(
            "the counts say nothing of releases with any number of counterfeits or less tuples"
        )
    fewest = fewest_needed(problem, claim, given.over)
    if fewest <= limit:
        raise CertificateError(f"{fewest} counterfeits are proven necessary, and {limit} are allowed")
    return f"at least {fewest} counterfeits are needed, {limit} are allowed"


def _part(problem: Problem, part: claims.Part) -> Problem:
    """The part of a policy; suppressing and inventing stays as free as in the whole, or is none in both."""
    if isinstance(part, claims.Grouped | claims.Counted):
        return grouped(problem)
    if isinstance(part, claims.Plain):
        if _gives_way(problem) or problem.policy.counterfeit_limit != 0:
            raise CertificateError("that part of the policy suppresses and invents nothing, the whole may")
        if set(part.requirements) <= set(problem.policy.decided_by_histograms(problem)):
            return plain(problem, part.requirements)
    elif isinstance(part, claims.Leading):
        return leading(problem, part.levels, part.losses, part.requirements)
    elif not part.start and part.hidden is None and part.fakes is None:
        easier = sized(problem, 0, None, None)
        if easier is not None:
            return easier
    raise CertificateError("the refusal is about a part that this policy does not have")
