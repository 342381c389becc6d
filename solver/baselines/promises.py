"""What each source promises of every release its algorithm makes, as requirements anyone can check.

Parameters are those of the policy. Where a source claims more than it proves, the claim is not among
the promises; the shipped instances have the counter-examples:

cor-split-union   Cor-Split "protects from historical correlations" (Riboni and Bettini, Theorem 3): of
                  single groups (Def. 7), not of unions of groups.
three-checks      The checked variants leave no "cross-version inference channel" (Byun et al., Def. 3):
                  none that a single check sees. The merge variants do keep this one.
one-pass          Algorithm 1 of al Bouna, Clifton and Malluhi "ensures the safe correlation
                  requirement": only if lines 1 to 8 are repeated, as they are here.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TypeVar

from ...models.problem import Problem
from ...models.requirement import Requirement
from ...models.requirements.constant_ratio import ConstantRatio
from ...models.requirements.difference import Difference
from ...models.requirements.geometric import Geometric
from ...models.requirements.global_guarantee import GlobalGuarantee
from ...models.requirements.hc_safety import HcSafety
from ...models.requirements.intersection import Intersection
from ...models.requirements.k_c_anonymity import KCAnonymity
from ...models.requirements.l_diversity import DistinctLDiversity
from ...models.requirements.link_budget import LinkBudget
from ...models.requirements.record_tracing import RecordTracing
from ...models.requirements.safe_correlation import SafeCorrelation
from ...models.requirements.weak_m_invariance import WeakMInvariance
from .parameters import parameters

__all__ = [
    "Promise",
    "anonymous",
    "correlated",
    "diverse",
    "inference_free",
    "invariant",
    "named_or",
    "once_invariant",
    "within_budget",
]

Promise = tuple[Requirement, ...]

R = TypeVar("R", bound=Requirement)


def named_or(problem: Problem, default: R) -> R:
    """The policy's one requirement of the default's kind, or the default if it names none."""
    kind = type(default)
    found = [requirement for requirement in problem.policy.requirements if isinstance(requirement, kind)]
    return parameters(problem, kind, "a baseline") if found else default


def once_invariant(problem: Problem) -> Promise:
    """m-invariance: one signature per respondent, each value once per group (Xiao and Tao)."""
    asked = parameters(problem, WeakMInvariance, "m_invariance")
    return (WeakMInvariance(m=asked.m, multiplicity=1),)


def invariant(problem: Problem) -> Promise:
    """(m, n)-historical safety (Riboni and Bettini, Defs. 6 to 8), also in Fig. 6's stricter reading."""
    n = parameters(problem, HcSafety, "cor_split").n
    return (
        WeakMInvariance(m=parameters(problem, WeakMInvariance, "cor_split").m),
        HcSafety(n=n, reading="hcsafe"),
        HcSafety(n=n, reading="definition"),
    )


def anonymous(problem: Problem) -> Promise:
    """(k, c)-anonymity."""
    return (parameters(problem, KCAnonymity, "a baseline"),)


def inference_free(problem: Problem) -> Promise:
    """(k, c)-anonymity, and no attack of sec. 4 of Byun et al. by its check."""
    asked = parameters(problem, KCAnonymity, "a baseline")
    return (
        asked,
        named_or(problem, Difference(k=asked.k, c=asked.c)),
        named_or(problem, Intersection(c=asked.c)),
        named_or(problem, RecordTracing(k=asked.k)),
    )


def diverse(problem: Problem) -> Promise:
    """Groups of l tuples or more with different values, so none has a share above 1/l (Anatomy)."""
    asked = parameters(problem, DistinctLDiversity, "anatomy")
    return (asked, KCAnonymity(k=asked.l, c=Fraction(1, asked.l)))


def correlated(problem: Problem) -> Promise:
    """Anatomy's groups with safe correlations (al Bouna, Clifton and Malluhi, sec. 5)."""
    asked = parameters(problem, SafeCorrelation, "safe_correlation")
    return (asked, KCAnonymity(k=asked.l, c=Fraction(1, asked.l)))


def within_budget(problem: Problem) -> Promise:
    """The strategy's rule, and the global guarantee that it is for (Fu, Wang, Wong, Wang)."""
    found = [r for r in problem.policy.requirements if isinstance(r, (ConstantRatio, Geometric))]
    kind: type[LinkBudget] = type(found[0]) if found else ConstantRatio
    asked = parameters(problem, kind, "a baseline")
    return (asked, GlobalGuarantee(l=asked.l, protected_values=asked.protected_values))
