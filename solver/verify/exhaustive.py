"""Small tables: the programs over all sets of tuples and over all groupings, carried out again.

Such a claim stores nothing to be believed. What rests on a solver's word alone is put to the same programs
(`unaided`, `nothing`): where they reach, the word is either derived or refuted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import takewhile

from ...models.errors import CertificateError, EngineError
from ...models.problem import Problem
from .. import claims
from ..enumeration import GroupingVerdicts
from ..exact.groupings import MOST_COUNTED, MOST_GROUPINGS, SECONDS, Groupings
from ..exact.sets import BeyondReachError
from ..exact.subsets import SubsetOptimum, Subsets, refusal
from ..randomize import Space, space_of
from .given import Given
from .outcome import RefutedError, UndecidedError

__all__ = ["Unaided", "empty", "enumerated", "groupings", "nothing", "subsets", "unaided"]

SETS = "the program over all sets of tuples"


def subsets(given: Given) -> list[Fraction]:
    """Bounds on the first levels, as far as the release is as good as the bounds.

    Raises
    ------
    CertificateError
        If the program cannot be carried out, or there is no grouping.
    UndecidedError
        If that takes too long.
    """
    return _bounds(given, _optimum(given))


def groupings(given: Given, claim: claims.GroupingsClaim) -> None:
    """Check that all better groupings fail, and that they are as many as stated.

    Raises
    ------
    CertificateError
        If not.
    UndecidedError
        If that takes too long.
    """
    _counted(given, given.values, claim.checked)


def empty(given: Given, claim: claims.Empty) -> str:
    """Why no release keeps the policy.

    Raises
    ------
    CertificateError
        If one does.
    UndecidedError
        If that takes too long.
    """
    if claim.checked is not None:
        _counted(given, None, claim.checked)
        return _all_fail(claim.checked)
    found = _optimum(given)
    if found.release is not None:
        kind = RefutedError if found.exact else CertificateError
        raise kind("some grouping keeps what is asked of groups, other than the certificate says")
    return NO_GROUPING


def enumerated(problem: Problem) -> Space:
    """All releases to draw from, once more.

    Raises
    ------
    CertificateError
        If they are no groupings, or too many.
    """
    try:
        return space_of(problem, GroupingVerdicts(problem))
    except EngineError as error:
        raise CertificateError(f"nothing is confirmed by enumeration: {error}") from error


NO_GROUPING = "no grouping keeps what is asked of groups"


def _all_fail(number: int) -> str:
    return f"{number} groupings keep what is asked of groups, and all fail the check"


def _optimum(given: Given) -> SubsetOptimum:
    why = refusal(given.problem)
    if why is not None:
        raise CertificateError(f"nothing is confirmed by {SETS}: {why}")
    try:
        return Subsets(given.problem, given.clock).optimum()
    except BeyondReachError as error:
        raise _failed(given, error) from error


def _bounds(given: Given, found: SubsetOptimum) -> list[Fraction]:
    bounds: list[Fraction] = []
    for best, value in zip(found.values, given.values, strict=False):
        bounds.append(best)
        if best != value:
            break
    return bounds


def _counted(given: Given, values: tuple[Fraction, ...] | None, stated: int) -> None:
    if stated > MOST_GROUPINGS:
        raise CertificateError(f"more than {MOST_GROUPINGS} groupings are stated: nobody counts so many")
    why = refusal(given.problem)
    if why is not None:
        raise CertificateError(f"the groupings cannot be listed: {why}")
    try:
        found = Groupings(subsets=Subsets(given.problem, given.clock), most=stated)
        better = next(found.better(values), None)
    except BeyondReachError as error:
        raise _failed(given, error) from error
    if better is not None:
        raise RefutedError("a release keeps the policy that the certificate says does not exist")
    if found.number != stated:
        raise CertificateError(f"{found.number} groupings fail the check, not {stated} as stated")


def _failed(given: Given, error: BeyondReachError) -> CertificateError:
    """Whoever made the claim had no more work than this; only time may be short here."""
    kind = UndecidedError if given.over() else CertificateError
    return kind(f"all sets of tuples cannot be gone through: {error}")


# -- without a claim ---------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Unaided:
    """What is derived of a level without a claim, of the bound that somebody gives his word for."""

    bound: Fraction
    how: str


def unaided(given: Given, words: Mapping[int, Fraction], known: Sequence[Fraction]) -> dict[int, Unaided]:
    """Derive bounds that rest on somebody's word, by level; as far as can be, and no more than that.

    Parameters
    ----------
    given : Given
    words : mapping of int to Fraction
        Bounds by level.
    known : sequence of Fraction
        What was derived of each level.

    Raises
    ------
    CertificateError
        If a bound does not hold.
    """
    found: dict[int, Unaided] = {}
    if refusal(given.problem) is not None:
        return found
    try:
        program = Subsets(given.problem, given.clock)
        optimum = program.optimum()
        for level, bound in enumerate(_bounds(given, optimum)):
            word = words.get(level)
            if word is None:
                continue
            if optimum.exact and bound < word:
                name = given.problem.policy.levels[level].name
                raise CertificateError(f"{name}: the bound {word} is stated, {bound} can be reached")
            found[level] = Unaided(bound=min(bound, word), how=SETS)
        # The best in the first levels, as is said: of the others nobody says so, or not of the best ones.
        ends = (max(words.get(level, bound), bound) for level, bound in enumerate(known))
        first = sum(
            1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(ends, given.values, strict=True))
        )
        said = {level: bound for level, bound in words.items() if level < first}
        if any(level not in found or found[level].bound < bound for level, bound in said.items()):
            listed = _listed(given, program)
            if next(listed.better(given.values[:first]), None) is not None:
                raise CertificateError("a release is better than the one that is said to be optimal")
            how = f"all {listed.number} better groupings fail the check"
            found |= {level: Unaided(bound=bound, how=how) for level, bound in said.items()}
    except BeyondReachError:
        pass  # then it stays somebody's word
    return found


def nothing(given: Given) -> str | None:
    """Why no release keeps the policy, if that can be told without a claim.

    Raises
    ------
    CertificateError
        If one does.
    """
    if refusal(given.problem) is not None:
        return None
    try:
        program = Subsets(given.problem, given.clock)
        optimum = program.optimum()
        if optimum.release is None:
            return NO_GROUPING
        listed = None if optimum.exact else _listed(given, program)
        if listed is None or next(listed.better(None), None) is not None:
            raise RefutedError("a release keeps the policy that is said not to exist")
        return _all_fail(listed.number)
    except BeyondReachError:
        return None


def _listed(given: Given, program: Subsets) -> Groupings:
    program.clock = given.clock.part(SECONDS)
    return Groupings(subsets=program, most=MOST_COUNTED)
