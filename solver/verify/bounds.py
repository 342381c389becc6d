"""Each kind of claim, derived again: the bound it proves on a level of the objective.

A bound on a part of the policy is one on the whole: leaving requirements out only adds releases.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from ...models.box_measure import BoxMeasure
from ...models.capped import Capped, largest_group
from ...models.errors import CertificateError
from ...models.losses.base import loss
from ...models.losses.signatures import Signatures
from ...models.losses.squared import squared_error_of
from ...models.policy import AHEAD
from ...models.problem import Problem
from .. import claims
from ..randomize import described
from .by_sizes import BySizes
from .exhaustive import enumerated, groupings, subsets
from .family import family_loss
from .given import Given
from .met import met_loss
from .outcome import UndecidedError
from .parts import fake_price, grouped, leading, plain, rest, sized, units_of
from .past import PastDemands
from .points import proven_squares
from .priced import Suppressible, least_information_loss
from .series import fewest_needed, proven_series
from .trees import searched

__all__ = ["Derived", "derived"]


@dataclass(frozen=True, kw_only=True)
class Derived:
    """A bound on a level: how it was derived or, if it was not, whose word it is.

    One that is of the `family` is about releases that publish no signature more often than the given one.
    One that is `timed` is as much as there was time for: what was stated in less time may be less. If time
    ended that, `left` says what.
    """

    level: int
    bound: Fraction
    how: str
    trusted: bool = False
    family: bool = False
    timed: bool = False
    left: str = ""


def derived(given: Given, claim: claims.Claim) -> list[Derived]:
    """Derive what a claim proves.

    Raises
    ------
    CertificateError
        If it proves nothing, naming the first statement that does not hold.
    UndecidedError
        If that would take too long.
    """
    if isinstance(claim, claims.Shares):
        return _shares(given, claim)
    if isinstance(claim, claims.Within):
        return _within(given, claim)
    if isinstance(claim, claims.Rest):
        easier = rest(given.problem, given.values, claim.levels)
        own = replace(given, problem=easier, values=given.values[claim.levels :])
        return [replace(line, level=claim.levels + line.level) for line in derived(own, claim.claim)]
    if isinstance(claim, claims.SubsetsClaim):
        how = "the program over all sets of tuples"
        return [Derived(level=i, bound=bound, how=how) for i, bound in enumerate(subsets(given))]
    if isinstance(claim, claims.GroupingsClaim):
        groupings(given, claim)
        how = f"all {claim.checked} better groupings fail the check"
        return [Derived(level=i, bound=value, how=how) for i, value in enumerate(given.values)]
    if claim.level >= len(given.problem.policy.levels):
        raise CertificateError("a claim is about a level that the policy does not have")
    return [_family(given, claim) if isinstance(claim, claims.FamilyClaim) else _direct(given, claim)]


def _direct(given: Given, claim: claims.Direct) -> Derived:
    level, problem = claim.level, given.problem
    match claim:
        case claims.Trusted():
            return Derived(level=level, bound=claim.bound, how=claim.whose, trusted=True)
        case claims.KnownClaim(kind="allowed"):
            bound = problem.policy.levels[level].weight_named(AHEAD) * problem.allowed
            return Derived(level=level, bound=bound, how="what the outlook allows, by counts")
        case claims.KnownClaim():
            if given.most("suppressed", level) != 0:
                raise CertificateError("people who are left out keep no signature, and others are as good")
            weight = problem.policy.levels[level].weight_named(Signatures.name)
            kept = len(PastDemands.of(problem).buckets)
            return Derived(level=level, bound=weight * kept, how="signatures of people who return")
        case claims.LatticeClaim():
            return _lattice(given, level)
        case claims.Drawn():
            return _drawn(given, claim)
        case claims.HistogramsClaim():
            return _histograms(given, claim)
        case claims.PricedClaim() | claims.ListedClaim():
            if given.most("counterfeits", level) != 0:
                raise CertificateError(
                    "the duals are about releases that invent nothing, and others are as good"
                )
            how = (
                "exact pricing"
                if isinstance(claim, claims.PricedClaim)
                else "exact pricing and a search tree"
            )
            if squared_error_of(problem) is not None and problem.policy.form == "generalized":
                return Derived(level=level, bound=proven_squares(given, claim), how=how)
            if isinstance(claim, claims.PricedClaim) and claim.blocks:
                raise CertificateError("blocks are about squared error")
            hidden = Suppressible.of(problem, level, given.most("suppressed", level))
            least = least_information_loss(problem, claim, hidden, given.over, given.workers)
            bound = _weight(problem, level) * least
            return Derived(level=level, bound=bound, how=how)
        case claims.MetClaim():
            return _met(given, claim)
        case claims.CountsClaim():
            return _counts(given, claim)
        case claims.Series():
            priced = level == len(problem.policy.levels) - 1 and fake_price(problem) > 0
            fakes = 0 if priced else given.most("counterfeits", level)
            if given.most("suppressed", level) != 0 or fakes is None or claim.loss.fakes < fakes:
                raise CertificateError(
                    f"the bound is about releases that suppress nobody and have at most {claim.loss.fakes} "
                    "counterfeits, and others are as good"
                )
            least = proven_series(problem, claim.loss, counting=False, over=given.over)
            how = "exact pricing of series" + (" and a search tree" if claim.loss.tree else "")
            return Derived(level=level, bound=_weight(problem, level) * least, how=how)


def _met(given: Given, claim: claims.MetClaim) -> Derived:
    level, problem = claim.level, given.problem
    if given.most("counterfeits", level) != 0 or given.most("suppressed", level) != 0:
        raise CertificateError(
            "the duals are about releases that leave out and invent nobody, and others are as good"
        )
    least = met_loss(problem, claim, given.over, given.workers)
    how = "exact pricing under set intersection"
    return Derived(level=level, bound=_weight(problem, level) * least, how=how)


def _family(given: Given, claim: claims.FamilyClaim) -> Derived:
    level, problem = claim.level, given.problem
    if given.release is None or given.most("suppressed", level) != 0:
        raise CertificateError(
            "a bound within a family is about releases that suppress nobody, and one of them"
        )
    if fake_price(problem):
        raise CertificateError("a bound within a family is about levels that weigh no counterfeits")
    weight = _weight(problem, level)
    bound = weight * family_loss(problem, given.release, claim, given.over)
    if bound != claim.bound:
        raise CertificateError(
            f"the bound {claim.bound} within the family is stated, {bound} is what duals prove"
        )
    return Derived(level=level, bound=bound, how="exact pricing of its signatures", family=True)


def _histograms(given: Given, claim: claims.HistogramsClaim) -> Derived:
    level, sizes = claim.level, BySizes.of(given.problem, claim.sizes)
    name = given.problem.policy.levels[level].name
    before = tuple(sizes.value(index, cost) for index, cost in enumerate(claim.costs[:level]))
    if len(claim.costs) != level or before != given.values[:level]:
        raise CertificateError(f"{name}: the proof takes other values of the levels before as given")
    asked = sizes.asked(level, claim.costs, claim.bound, claim.sets)
    if asked is not None:
        if claim.proof is None:
            raise CertificateError(f"{name}: the bound has no proof")
        if searched(asked.program, claim.proof, given.over) < asked.target:
            raise CertificateError(f"{name}: the search tree proves less than the bound")
    return Derived(level=level, bound=sizes.value(level, claim.bound), how="integer duals over histograms")


def _weight(problem: Problem, level: int) -> Fraction:
    """What a unit of its measure adds to a level, where tight boxes around groups are published."""
    policy = problem.policy
    measure = BoxMeasure.of(policy.levels[level], problem.table)
    if policy.form != "generalized" or policy.recoding != "multidimensional" or measure is None:
        raise CertificateError("a bound on what boxes cost is stated for a level of something else")
    if measure.units != units_of(problem):
        raise CertificateError("a bound on what boxes cost is in the units of another level")
    if policy.counts("hidden_cells"):
        raise CertificateError("a bound on information loss says nothing of releases that hide cells")
    return measure.factor


def _counts(given: Given, claim: claims.CountsClaim) -> Derived:
    level = given.problem.policy.levels[claim.level]
    fewest = fewest_needed(given.problem, claim, given.over)
    weight = level.weight_of("counterfeits")
    if weight and given.most("suppressed", claim.level) != 0:
        raise CertificateError("the counts are about releases that suppress nobody, and others are as good")
    how = f"integer duals: at least {fewest} counterfeits"
    return Derived(level=claim.level, bound=weight * fewest, how=how)


def _lattice(given: Given, level: int) -> Derived:
    if given.problem.policy.recoding != "full_domain" or given.problem.policy.counterfeit_limit != 0:
        raise CertificateError("level vectors decide nothing: recoding is free, or tuples may be invented")
    best = given.recoding
    if best is None:
        raise UndecidedError("the lattice of level vectors is too large to be evaluated again")
    # A bound on a level is about releases that are as good on those before.
    if best.bounds[:level] != given.values[:level]:
        raise UndecidedError("not all level vectors could be evaluated again in time")
    how, left = "all level vectors evaluated again", ""
    if not best.whole:
        how, left = "level vectors evaluated again", "not all level vectors could be evaluated again in time"
    return Derived(level=level, bound=best.bounds[level], how=how, timed=True, left=left)


def _drawn(given: Given, claim: claims.Drawn) -> Derived:
    problem = given.problem
    if len(problem.policy.levels) != 1:
        raise CertificateError("a release is drawn for one level, the policy has several")
    space = enumerated(problem)
    facts = described(problem, space, claim.beta)
    stated = (claim.candidates, claim.cost_range, claim.log_odds)
    if stated != (facts.candidates, facts.cost_range, facts.log_odds) or space.least is None:
        raise CertificateError(
            f"{facts.candidates} releases keep the policy, with losses {facts.cost_range} apart: the "
            "certificate says something else"
        )
    return Derived(level=0, bound=space.least, how=f"enumeration of {facts.candidates} releases")


# -- parts of the policy ---------------------------------------------------------------------


def _within(given: Given, claim: claims.Within) -> list[Derived]:
    part, problem = claim.part, given.problem
    if any(isinstance(own, claims.LatticeClaim) for own in claim.claims):
        raise CertificateError("level vectors publish in a part of the policy what the whole one suppresses")
    if isinstance(part, claims.Plain):
        return [_plain(given, part, own) for own in claim.claims]
    if isinstance(part, claims.Grouped):
        own = replace(given, problem=grouped(problem))
        return [found for inner in claim.claims for found in derived(own, inner)]
    if isinstance(part, claims.Counted):
        return _counted(given, claim.claims)
    if isinstance(part, claims.Leading):
        easier = leading(problem, part.levels, part.losses, part.requirements)
        own = replace(given, problem=easier, values=given.values[: part.levels])
        return [found for inner in claim.claims for found in derived(own, inner)]
    return _sized(given, part, claim.claims)


def _plain(given: Given, part: claims.Plain, claim: claims.Direct) -> Derived:
    """A level's information loss, where nothing is invented; what is suppressed has its price."""
    problem, last = given.problem, len(given.problem.policy.levels) - 1
    level = last if part.level is None else part.level
    if level > last or (part.largest is not None and level < last):
        raise CertificateError("the bound is about a level that the policy does not have, or about sizes")
    if not set(part.requirements) <= set(problem.policy.decided_by_histograms(problem)):
        raise CertificateError("the bound's proof keeps requirements that it cannot speak of")
    if given.most("counterfeits", level) != 0:
        raise CertificateError("the bound is about releases without counterfeits, and others are as good")
    weight = _weight(problem, level)
    if isinstance(claim, claims.Trusted):
        return Derived(level=level, bound=weight * claim.bound, how=claim.whose, trusted=True)
    if not isinstance(claim, claims.PricedClaim | claims.ListedClaim):
        raise CertificateError("a bound on information loss needs duals")
    easier = plain(problem, part.requirements, level)
    if part.largest is not None:
        easier = _capped(given, easier, part.largest)
    hidden = Suppressible.of(problem, level, given.most("suppressed", level))
    hidden = None if hidden is None else replace(hidden, weighed=False)
    bound = weight * least_information_loss(easier, claim, hidden, given.over, given.workers)
    return Derived(level=level, bound=bound, how="exact pricing of a part of the policy")


def _capped(given: Given, easier: Problem, largest: int) -> Problem:
    """A part whose groups have no more tuples, as no release as good in the levels before has larger ones."""
    problem, last = given.problem, len(given.problem.policy.levels) - 1
    if given.most("suppressed", last) != 0:
        raise CertificateError("sizes are limited where nobody is suppressed, and others are as good")
    most = largest_group(problem, given.values[:last])
    if most > largest:
        raise CertificateError(f"releases as good in the levels before may have groups of {most} tuples")
    capped = Capped(requirements=easier.policy.group_requirements, largest=largest)
    return replace(easier, policy=easier.policy.changed(requirements=[capped]))


def _counted(given: Given, found: Sequence[claims.Direct]) -> list[Derived]:
    """Levels of counts: quasi-identifiers do not matter, so the form of the release does not either."""
    if any(not isinstance(claim, claims.CountsClaim | claims.Trusted) for claim in found):
        raise CertificateError("the proof counts counterfeits, and claims something else")
    own = replace(given, problem=grouped(given.problem))
    return [line for claim in found for line in derived(own, claim)]


def _sized(given: Given, part: claims.Sized, found: Sequence[claims.Direct]) -> list[Derived]:
    problem, start = given.problem, part.start
    named: tuple[tuple[Literal["suppressed", "counterfeits"], int | None], ...] = (
        ("suppressed", part.hidden),
        ("counterfeits", part.fakes),
    )
    for name, stated in named:
        most = given.most(name, start)
        if stated is not None and (most is None or stated < most):
            raise CertificateError(
                f"the bounds are about releases with fewer {name} than others as good have"
            )
    easier = sized(problem, start, part.hidden, part.fakes) if start < len(given.values) else None
    if easier is None:
        raise CertificateError("the proof is about sizes where no loss is")
    own = replace(given, problem=easier, values=given.values[start:])
    return [replace(line, level=start + line.level) for claim in found for line in derived(own, claim)]


def _shares(given: Given, claim: claims.Shares) -> list[Derived]:
    """The first level's losses by sizes, and what its boxes cost: each has its own least value."""
    problem, sizes, boxes = given.problem, claim.sizes.part, claim.boxes.part
    if (
        not isinstance(sizes, claims.Sized)
        or sizes.start
        or sizes.hidden is not None
        or sizes.fakes is not None
    ):
        raise CertificateError("a share by sizes is about the first level, and the policy's own limits")
    if not isinstance(boxes, claims.Leading) or boxes.levels != 1:
        raise CertificateError("a share of what boxes cost is about the first level")
    if any(loss(name).by_size(1, 0, problem.policy.form) is not None for name in boxes.losses):
        raise CertificateError("a loss by sizes has its share already")
    found = _within(given, claim.sizes)
    first, wide = [line for line in found if not line.level], _within(given, claim.boxes)
    lines = [line for line in found if line.level]
    for trusted in (False, True):
        each = [_best([line for line in part if trusted or not line.trusted]) for part in (first, wide)]
        bound = sum((line.bound for line in each if line is not None), Fraction(0))
        words = [line.how for line in each if line is not None and line.trusted == trusted]
        if words or not trusted:
            how = "; ".join(words) if trusted else "sizes and exact pricing, each for itself"
            lines.append(Derived(level=0, bound=bound, how=how, trusted=trusted))
    return lines


def _best(found: Sequence[Derived]) -> Derived | None:
    """The highest bound; one that was derived before one that was not."""
    return max(found, key=lambda line: (line.bound, not line.trusted), default=None)
